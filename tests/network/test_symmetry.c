/*
 * test_symmetry.c - Tests of the symmetries that topologies offer, and of
 * folds.
 *
 * The tests walk the registry: a symmetry that a kind offers must map links to
 * links and paths to
 * paths. */
#include "tests/network/topology_walk.h"

/* A symmetry that a topology offers, or a wrong one as a counterexample. */
typedef struct {
    const Topology *topology;
    Symmetry symmetry;
} SymmetryOffer;

/* Returns the image of @part under a shift by one along @d. */
static uint32_t symmetry_image_of_part(const SymmetryOffer *o, uint32_t d,
                                       uint32_t part)
{
    uint32_t stride = 1, size = o->symmetry.dims[d].size, x;

    for (uint32_t i = 0; i < d; i++)
        stride *= o->symmetry.dims[i].size;
    x = part / stride % size;
    return part - x * stride + (x + 1) % size * stride;
}

static uint32_t symmetry_image_of_end(const SymmetryOffer *o, uint32_t d,
                                      uint32_t end)
{
    uint32_t n = o->symmetry.part_ends;

    return symmetry_image_of_part(o, d, end / n) * n + end % n;
}

static uint32_t symmetry_image_of_link(const SymmetryOffer *o, uint32_t d,
                                       uint32_t link)
{
    uint32_t n_ports = topology_n_ports(o->topology);
    uint32_t n_parts = o->symmetry.unit_ends / o->symmetry.part_ends;
    const TopologyPort *port = topology_get_port(o->topology, link % n_ports);
    uint32_t image =
        symmetry_image_of_part(o, d, link / n_ports * n_parts + port->part);

    return image / n_parts * n_ports + link % n_ports +
           (image % n_parts - port->part) * port->part_stride;
}

/* Records that node @a is mapped to node @b. Returns FALSE if @a has another
 * image already, or if the image of an end contradicts its number. */
static gboolean map_switches_on_path(const SymmetryOffer *o, uint32_t d,
                                     uint32_t *images, uint32_t a, uint32_t b)
{
    if (a < topology_n_npus(o->topology) && b != symmetry_image_of_end(o, d, a))
        return FALSE;
    if (images[a] != TOPOLOGY_NONE && images[a] != b)
        return FALSE;
    images[a] = b;
    return TRUE;
}

/* Returns whether every link is mapped to a link that joins the images of its
 * nodes. */
static gboolean symmetry_maps_links_to_links(const SymmetryOffer *o, uint32_t d)
{
    uint32_t n = topology_n_nodes(o->topology);
    g_autofree uint32_t *images = g_new(uint32_t, n);
    g_autofree gboolean *is_image = g_new0(gboolean, n);

    for (uint32_t i = 0; i < n; i++)
        images[i] = TOPOLOGY_NONE;
    for (uint32_t link = 0; link < topology_n_links(o->topology); link++) {
        uint32_t from, to, image_from, image_to;
        gboolean is_there =
            topology_get_link_nodes(o->topology, link, &from, &to);

        if (topology_get_link_nodes(o->topology,
                                    symmetry_image_of_link(o, d, link),
                                    &image_from, &image_to) != is_there)
            return FALSE;
        if (is_there &&
            (!map_switches_on_path(o, d, images, from, image_from) ||
             !map_switches_on_path(o, d, images, to, image_to)))
            return FALSE;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (images[i] == TOPOLOGY_NONE)
            continue;
        if (is_image[images[i]])
            /* Two nodes have the same image, so the map is no symmetry. */
            return FALSE;
        is_image[images[i]] = TRUE;
    }
    return TRUE;
}

static gboolean symmetry_maps_path_to_path(const SymmetryOffer *o, uint32_t d,
                                           uint32_t src, uint32_t dst,
                                           uint32_t way)
{
    uint32_t at = src, image = symmetry_image_of_end(o, d, src);
    uint32_t image_dst = symmetry_image_of_end(o, d, dst);

    while (at != dst) {
        uint32_t link, image_link;

        if (image == image_dst)
            return FALSE;
        at = next_hop_of_path(o->topology, at, dst, way, &link);
        image =
            next_hop_of_path(o->topology, image, image_dst, way, &image_link);
        if (image_link != symmetry_image_of_link(o, d, link))
            return FALSE;
    }
    return image == image_dst;
}

static gboolean symmetry_maps_paths_to_paths(const SymmetryOffer *o, uint32_t d)
{
    uint32_t n = topology_n_npus(o->topology);

    for (uint32_t src = 0; src < n; src++)
        for (uint32_t dst = 0; dst < n; dst++)
            for (uint32_t way = 0; way < 2 && dst != src; way++)
                if (!symmetry_maps_path_to_path(o, d, src, dst, way))
                    return FALSE;
    return TRUE;
}

static gboolean is_valid_symmetry(const SymmetryOffer *o, uint32_t d)
{
    return symmetry_maps_links_to_links(o, d) &&
           symmetry_maps_paths_to_paths(o, d);
}

static void check_offered_symmetry(const Example *example,
                                   const Topology *topology)
{
    SymmetryOffer o = { topology, *topology_get_symmetry(topology) };
    uint32_t n = o.symmetry.part_ends;

    for (uint32_t d = 0; d < o.symmetry.n_dims; d++) {
        n *= o.symmetry.dims[d].size;
        if (o.symmetry.dims[d].translates && !is_valid_symmetry(&o, d))
            fail_msg("%s: no symmetry along %u", example->text, d);
    }
    assert_int_equal(n, topology_n_npus(topology));
}

static void test_offered_symmetries_are_valid(void **state)
{
    (void)state;
    for_each_topology_example(NULL, check_offered_symmetry);
}

/* Shifts along rings and along rows on switches are symmetries. Shifts along
 * lines, which have ends, are not. */
static void test_wrong_symmetries_are_detected(void **state)
{
    static const struct {
        const char *text;
        /* The dimensions that the example assumes. */
        uint32_t dims[TOPOLOGY_MAX_DIMS];
        gboolean is_right;
    } toys[] = {
        { TORUS(BOTH(4) ", " BOTH(3)), { 4, 3 }, TRUE },
        { MESH(LINE(8)), { 8 }, FALSE },
        { MESH(LINE(3) ", " LINE(4)), { 3, 4 }, FALSE },
        /* A torus is not a ring of all its NPUs. */
        { TORUS(BOTH(4) ", " BOTH(3)), { 12 }, FALSE },
        /* The dimensions of a torus in the other order are no symmetry. */
        { TORUS(BOTH(4) ", " BOTH(3)), { 3, 4 }, FALSE },
        { GRID(SHAPED(switch, 4) ", " SHAPED(line, 3)), { 4, 3 }, FALSE },
        { GRID(SHAPED(switch, 4) ", " SHAPED(ring, 3)), { 4, 3 }, TRUE },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(toys); i++) {
        g_autoptr(Topology) topology = topology_from_valid_yaml(toys[i].text);
        SymmetryOffer o = { topology, { .unit_ends = 1, .part_ends = 1 } };
        gboolean is_right = TRUE;

        for (; toys[i].dims[o.symmetry.n_dims] > 0; o.symmetry.n_dims++)
            o.symmetry.dims[o.symmetry.n_dims].size =
                toys[i].dims[o.symmetry.n_dims];
        for (uint32_t d = 0; d < o.symmetry.n_dims; d++)
            is_right = is_right && is_valid_symmetry(&o, d);
        assert_int_equal(is_right, toys[i].is_right);
    }
}

/* ---- folds of symmetric topologies --------------------------------------- */

static void check_fold_classes(const Topology *topology, const Symmetry *shape,
                               const uint32_t *steps)
{
    g_autoptr(SymmetryFold) fold = symmetry_fold_new(topology, shape, steps);
    uint32_t n = topology_n_npus(topology),
             n_kept = symmetry_fold_n_simulated_ends(fold);
    g_autofree uint32_t *sizes = g_new0(uint32_t, n_kept);

    for (uint32_t i = 0; i < n_kept; i++) {
        assert_int_equal(symmetry_fold_class_of_end(
                             fold, symmetry_fold_representative_end(fold, i)),
                         i);
        if (i > 0)
            assert_true(symmetry_fold_representative_end(fold, i) >
                        symmetry_fold_representative_end(fold, i - 1));
    }
    for (uint32_t end = 0; end < n; end++) {
        uint32_t index = symmetry_fold_class_of_end(fold, end);

        assert_true(symmetry_fold_representative_end(fold, index) <= end);
        assert_int_equal(symmetry_fold_translate_end(fold, end, end),
                         symmetry_fold_representative_end(fold, index));
        sizes[index]++;
    }
    for (uint32_t i = 0; i < n_kept; i++)
        assert_int_equal(sizes[i], n / n_kept);
    assert_int_equal(symmetry_fold_simulates_all_ends(fold), n_kept == n);
}

/* Checks all steps that divide the sizes of dimensions that may be shifted. */
static void check_folds_by_steps(const Topology *topology,
                                 const Symmetry *shape, uint32_t d,
                                 uint32_t *steps)
{
    if (d == shape->n_dims) {
        check_fold_classes(topology, shape, steps);
        return;
    }
    for (steps[d] = 1; steps[d] <= shape->dims[d].size; steps[d]++)
        if (shape->dims[d].size % steps[d] == 0 &&
            (shape->dims[d].translates || steps[d] == shape->dims[d].size))
            check_folds_by_steps(topology, shape, d + 1, steps);
}

static void check_all_folds_of_topology(const Example *example,
                                        const Topology *topology)
{
    uint32_t steps[SYMMETRY_MAX_DIMS];

    (void)example;
    check_folds_by_steps(topology, topology_get_symmetry(topology), 0, steps);
}

static void
test_classes_have_equal_sizes_and_the_first_end_represents(void **state)
{
    (void)state;
    for_each_topology_example(NULL, check_all_folds_of_topology);
}

static void test_a_switch_may_be_folded_like_any_grid(void **state)
{
    g_autoptr(Topology) topology =
        topology_from_valid_yaml(GROUP("switch", 12));
    Symmetry shape = { .n_dims = 2,
                       .dims = { { 3, TRUE }, { 4, TRUE } },
                       .unit_ends = 1,
                       .part_ends = 1 };
    uint32_t steps[SYMMETRY_MAX_DIMS];

    (void)state;
    assert_true(topology_get_symmetry(topology)->any_order);
    check_folds_by_steps(topology, &shape, 0, steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offered_symmetries_are_valid),
        cmocka_unit_test(test_wrong_symmetries_are_detected),
        cmocka_unit_test(
            test_classes_have_equal_sizes_and_the_first_end_represents),
        cmocka_unit_test(test_a_switch_may_be_folded_like_any_grid),
    };

    return cmocka_run_group_tests_name("symmetry", tests, NULL, NULL);
}
