/*
 * test_mesh.c - tests of workloads/mesh: axes, digits and communicators
 *
 * Random meshes are compared with the definition: ranks are counted axis by
 * axis in the order of the axes, and experts divide a pipeline stage in their
 * own order.
 */
#include "tests/test.h"

#include "workloads/mesh/mesh.h"

typedef struct {
    MeshConfig mesh;
} Root;

static const ConfigField root_fields[] = {
    { .key = "mesh",
      .help = "the one to test",
      .type = CONFIG_SECTION,
      .offset = offsetof(Root, mesh),
      .fields = mesh_fields,
      .node_offset = offsetof(Root, mesh.node) },
    CONFIG_END,
};

/* Reads @text for @n_ranks.  The returned document owns the nodes. */
static ConfigDoc *read_mesh(const char *text, uint32_t n_ranks, Mesh *ret,
                            GError **error)
{
    g_autofree char *yaml = g_strdup_printf("mesh: %s\n", text);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", yaml, strlen(yaml), error);
    Root root;

    if (!doc || !config_doc_read(doc, root_fields, &root, error) ||
        !mesh_init(ret, &root.mesh, n_ranks, error))
        return NULL;
    return g_steal_pointer(&doc);
}

/* ---- random meshes ------------------------------------------------------- */

typedef struct {
    uint32_t sizes[MESH_PP + 1];
    MeshAxis order[MESH_PP + 1];
    uint32_t etp, ep, ep_local, dp_within, n_ranks;
    gboolean ep_spread;
} DrawnMesh;

static DrawnMesh draw_random_mesh(GRand *rand)
{
    DrawnMesh drawn = {
        .n_ranks = 1, .etp = 1, .ep = 1, .ep_local = 1, .dp_within = 1
    };
    uint32_t n_stage;

    for (MeshAxis a = 0; a <= MESH_PP; a++) {
        drawn.sizes[a] = 1U << g_rand_int_range(rand, 0, 4);
        if (g_rand_int_range(rand, 0, 4) == 0)
            drawn.sizes[a] *= 3;
        drawn.n_ranks *= drawn.sizes[a];
        drawn.order[a] = a;
    }
    for (guint i = MESH_PP - 1; i > 0; i--) { /* pp stays outermost */
        guint j = (guint)g_rand_int_range(rand, 0, (gint32)i + 1);
        MeshAxis other = drawn.order[i];

        drawn.order[i] = drawn.order[j];
        drawn.order[j] = other;
    }
    n_stage = drawn.n_ranks / drawn.sizes[MESH_PP];
    if (g_rand_boolean(rand))
        drawn.ep = 1U << g_rand_int_range(rand, 0, 5);
    if (drawn.ep > 1 && g_rand_boolean(rand))
        drawn.etp = drawn.sizes[MESH_TP];
    if (n_stage % (drawn.etp * drawn.ep) != 0)
        drawn.etp = drawn.ep = 1;
    if (drawn.ep > 1 && g_rand_boolean(rand))
        drawn.ep_local = 2;
    drawn.ep_spread = g_rand_boolean(rand);
    if (drawn.sizes[MESH_DP] % 2 == 0 && g_rand_boolean(rand))
        drawn.dp_within = drawn.sizes[MESH_DP] / 2;
    return drawn;
}

static ConfigDoc *read_random_mesh(const DrawnMesh *drawn, Mesh *ret,
                                   GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "{tp: %u, cp: %u, dp: %u, pp: %u, etp: %u, ep: %u, ep_local: %u, ep_spread: %s, dp_within: %u, "
        "order: [%s, %s, %s, pp]}",
        drawn->sizes[MESH_TP], drawn->sizes[MESH_CP], drawn->sizes[MESH_DP],
        drawn->sizes[MESH_PP], drawn->etp, drawn->ep, drawn->ep_local,
        drawn->ep_spread ? "true" : "false", drawn->dp_within,
        mesh_axis_names[drawn->order[0]], mesh_axis_names[drawn->order[1]],
        mesh_axis_names[drawn->order[2]]);

    return read_mesh(text, drawn->n_ranks, ret, error);
}

/* Checks the coordinates of @rank on all axes by counting. */
static void check_mesh_rank(const DrawnMesh *drawn, const Mesh *mesh,
                            uint32_t rank)
{
    uint32_t n_stage = drawn->n_ranks / drawn->sizes[MESH_PP];
    uint32_t left = rank, in_stage = rank % n_stage, local, nodes, n_edp;

    for (guint i = 0; i <= MESH_PP; i++) {
        MeshAxis axis = drawn->order[i];

        assert_int_equal(mesh_coordinate_of_rank(mesh, rank, axis),
                         left % drawn->sizes[axis]);
        left /= drawn->sizes[axis];
    }
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_DP_WITHIN),
                     mesh_coordinate_of_rank(mesh, rank, MESH_DP) %
                         drawn->dp_within);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_DP_ACROSS),
                     mesh_coordinate_of_rank(mesh, rank, MESH_DP) /
                         drawn->dp_within);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_ETP),
                     in_stage % drawn->etp);
    in_stage /= drawn->etp;
    local = in_stage % drawn->ep_local;
    in_stage /= drawn->ep_local;
    n_edp = n_stage / drawn->etp / drawn->ep;
    nodes = drawn->ep_spread ? in_stage / n_edp
                             : in_stage % (drawn->ep / drawn->ep_local);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_EP),
                     nodes * drawn->ep_local + local);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_EP_LOCAL), local);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_EP_NODES), nodes);
    assert_int_equal(mesh_coordinate_of_rank(mesh, rank, MESH_EDP),
                     drawn->ep_spread
                         ? in_stage % n_edp
                         : in_stage / (drawn->ep / drawn->ep_local));
}

/* Checks that the group of @axis has as many members as the axis, and that
 * members differ in no digit of others. */
static void check_mesh_group(const Mesh *mesh, MeshAxis axis)
{
    g_autoptr(OpGraph) graph = op_graph_new();
    GError *error = NULL;
    const OpGroup *group;
    uint32_t index;

    if (!mesh_add_group(mesh, graph, mesh_axis_names[axis], mesh->masks[axis],
                        NULL, &index, &error))
        fail_msg("%s", error->message);
    group = op_graph_group(graph, index);
    assert_int_equal(group->size,
                     mesh_n_ranks_of_digits(mesh, mesh->masks[axis]));
    if (group->grouped_by == GROUP_STRIDE && group->size > 1)
        for (uint32_t other = 0; other < mesh->n_digits; other++) {
            const MeshDigit *digit = &mesh->digits[other];

            if (!(mesh->masks[axis] >> other & 1))
                assert_int_equal(group->stride / digit->stride % digit->size,
                                 0);
        }
}

/* Checks that as many ranks of a stage hold the experts of rank 0, and lie in
 * its group of dp, as edp_within has. */
static void check_experts_of_group(const Mesh *mesh)
{
    uint32_t n_stage = mesh->n_ranks / mesh->sizes[MESH_PP], n = 0;

    for (uint32_t rank = 0; rank < n_stage; rank++)
        n += mesh_coordinate_of_rank(mesh, rank, MESH_EP) == 0 &&
             mesh_coordinate_of_rank(mesh, rank, MESH_ETP) == 0 &&
             mesh_coordinate_of_rank(mesh, rank, MESH_DP_ACROSS) == 0;
    assert_int_equal(mesh->sizes[MESH_EDP_WITHIN], n);
    assert_int_equal(mesh->sizes[MESH_EDP_WITHIN] *
                         mesh->sizes[MESH_EDP_ACROSS],
                     mesh->sizes[MESH_EDP]);
}

static void test_coordinates_are_counted_in_the_order_of_the_axes(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    guint n_valid = 0;

    (void)state;
    for (guint i = 0; i < 600; i++) {
        DrawnMesh drawn = draw_random_mesh(rand);
        g_autoptr(GError) error = NULL;
        Mesh mesh;
        g_autoptr(ConfigDoc) doc = read_random_mesh(&drawn, &mesh, &error);

        if (!doc) { /* the two views of the ranks cut each other */
            assert_non_null(strstr(error->message, "cut each other"));
            continue;
        }
        n_valid++;
        assert_int_equal(mesh.n_ranks, drawn.n_ranks);
        check_experts_of_group(&mesh);
        for (uint32_t rank = 0; rank < drawn.n_ranks;
             rank += 1 + drawn.n_ranks / 97)
            check_mesh_rank(&drawn, &mesh, rank);
        for (MeshAxis axis = 0; axis < MESH_N_AXES; axis++)
            check_mesh_group(&mesh, axis);
    }
    assert_true(n_valid > 300);
}

static void test_an_auto_axis_takes_what_the_others_leave(void **state)
{
    GError *error = NULL;
    Mesh mesh;
    g_autoptr(ConfigDoc) doc =
        read_mesh("{tp: 8, cp: 2, pp: 8}", 1024, &mesh, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(mesh.sizes[MESH_DP], 8);
    assert_int_equal(mesh_coordinate_of_rank(&mesh, 17, MESH_TP), 1);
    assert_int_equal(mesh_coordinate_of_rank(&mesh, 17, MESH_DP), 1);
    assert_int_equal(mesh_coordinate_of_rank(&mesh, 128, MESH_PP), 1);
}

/* Experts of DeepSeek-V3: 64 ranks hold the experts of a layer, across dp. */
static void test_experts_divide_a_pipeline_stage(void **state)
{
    GError *error = NULL;
    Mesh mesh;
    g_autoptr(ConfigDoc) doc =
        read_mesh("{pp: 16, ep: 64}", 2048, &mesh, &error);
    uint32_t digits;

    (void)state;
    assert_no_error(error);
    assert_int_equal(mesh.sizes[MESH_EP], 64);
    assert_int_equal(mesh.sizes[MESH_EDP], 2);
    assert_true(mesh_find_axes(&mesh, "ep+edp", NULL, &digits, &error));
    assert_int_equal(digits, mesh.masks[MESH_DP]);
}

static void test_wrong_meshes_are_refused(void **state)
{
    static const struct {
        const char *mesh;
        uint32_t n_ranks;
        const char *message;
    } wrong[] = {
        { "{tp: 8, cp: 2, pp: 8}", 1000,
          "t.yaml:1:7: mesh: tp 8 x cp 2 x pp 8 = 128 does not divide the "
          "platform's 1000 NPUs" },
        { "{tp: 8, dp: 4}", 64, "tp 8 x dp 4 = 32 is not the platform's 64" },
        { "{tp: auto, dp: auto}", 8, "'tp' and 'dp' are both auto" },
        { "{tp: 2, order: [dp, dp]}", 8, "order: 'dp' is given twice" },
        { "{tp: 2, order: [xp]}", 8, "order.0: unknown value 'xp'" },
        { "{ep: 3}", 8, "etp 1 x ep 3 does not divide the 8 ranks" },
        { "{pp: 2, ep: 2, order: [pp, dp]}", 8, "'pp' must be the last" },
        { "{cp: 3, dp: 16, ep: 16}", 48, "cut each other, at 3 and 16 ranks" },
        { "{tp: 1048577}", 8, "tp" },
        { "{tp: 2, dp_within: 3}", 16, "dp_within 3 does not divide dp 8" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        Mesh mesh;

        assert_null(read_mesh(wrong[i].mesh, wrong[i].n_ranks, &mesh, &error));
        if (!strstr(error->message, wrong[i].message))
            fail_msg("%s", error->message);
    }
}

static void test_unknown_axes_are_refused_with_a_hint(void **state)
{
    GError *error = NULL;
    Mesh mesh;
    g_autoptr(ConfigDoc) doc = read_mesh("{tp: 2}", 8, &mesh, &error);
    uint32_t digits;

    (void)state;
    assert_no_error(error);
    assert_false(mesh_find_axes(&mesh, "dq", mesh.node, &digits, &error));
    assert_non_null(strstr(error->message, "there is no axis 'dq'"));
    assert_non_null(strstr(error->message, "did you mean 'dp'"));
    g_clear_error(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinates_are_counted_in_the_order_of_the_axes),
        cmocka_unit_test(test_an_auto_axis_takes_what_the_others_leave),
        cmocka_unit_test(test_experts_divide_a_pipeline_stage),
        cmocka_unit_test(test_wrong_meshes_are_refused),
        cmocka_unit_test(test_unknown_axes_are_refused_with_a_hint),
    };

    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
