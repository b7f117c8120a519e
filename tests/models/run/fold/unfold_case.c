/* unfold_case.c - random topologies, endpoints and stragglers */
#include "tests/models/run/fold/unfold_case.h"

#include "models/endpoints/endpoint.h"
#include "tests/network/topology_fixture.h"

const char *unfold_pick_text(GRand *rand, const char *const *from, gsize n)
{
    return from[unfold_draw_between(rand, 0, (uint32_t)n - 1)];
}

/* ---- random links and switches ------------------------------------------- */

static const char *draw_link_text(GRand *rand, uint32_t n_links)
{
    return format_text("links: %u, bandwidth: %d GB/s, latency: %u ns", n_links,
                       g_rand_boolean(rand) ? 32 : 64,
                       64 * unfold_draw_between(rand, 0, 2));
}

/* Returns the text of a switch that may or may not add. */
static const char *draw_adds_text(GRand *rand)
{
    static const char *const texts[] = {
        "", "", "reduces: true, ",
        "reduces: true, reduce_rate: 40 GB/s, reduce_latency: 70 ns, "
    };

    return UNFOLD_PICK(rand, texts);
}

/* ---- random topologies --------------------------------------------------- */

/* Draws the sizes of a grid of 2 to 36 NPUs. */
static void draw_dimension_sizes(UnfoldPlace *p, GRand *rand)
{
    static const uint32_t most[UNFOLD_MAX_DIMS] = { 12, 6, 3 };

    p->n_dims = unfold_draw_between(rand, 1, UNFOLD_MAX_DIMS);
    p->n_npus = 1;
    for (uint32_t d = 0; d < p->n_dims; d++) {
        p->dims[d] =
            unfold_draw_between(rand, d == 0 ? 2 : 1, most[p->n_dims - 1]);
        p->n_npus *= p->dims[d];
    }
}

/* Returns the list of dimensions. @add gives the text of each dimension. */
static const char *dimensions_text(const UnfoldPlace *p, GRand *rand,
                                   const char *(*add)(GRand *rand))
{
    g_autoptr(GString) text = g_string_new("dims: [");

    for (uint32_t d = 0; d < p->n_dims; d++)
        g_string_append_printf(text, "%s{size: %u, %s}", d > 0 ? ", " : "",
                               p->dims[d], add(rand));
    g_string_append_c(text, ']');
    return keep_text_until_exit(text->str);
}

static const char *ring_dimension_text(GRand *rand)
{
    gboolean both = g_rand_boolean(rand);

    return format_text(
        "direction: %s, %s", both ? "both" : "one",
        draw_link_text(rand, unfold_draw_between(rand, 1, 2) * (both ? 2 : 1)));
}

static const char *line_dimension_text(GRand *rand)
{
    return draw_link_text(rand, 2 * unfold_draw_between(rand, 1, 2));
}

static const char *grid_dimension_text(GRand *rand)
{
    static const char *const shapes[] = { "ring", "ring", "switch", "full",
                                          "line" };
    const char *shape = UNFOLD_PICK(rand, shapes);

    if (g_str_equal(shape, "ring"))
        return format_text("shape: ring, %s", ring_dimension_text(rand));
    return format_text(
        "shape: %s, %s%s", shape,
        g_str_equal(shape, "switch") ? draw_adds_text(rand) : "",
        draw_link_text(rand, g_str_equal(shape, "line") ? 2 : 1));
}

static void draw_torus_topology(UnfoldPlace *p, GRand *rand)
{
    draw_dimension_sizes(p, rand);
    p->text = format_text("{kind: torus, %s}",
                          dimensions_text(p, rand, ring_dimension_text));
}

static void draw_mesh_topology(UnfoldPlace *p, GRand *rand)
{
    draw_dimension_sizes(p, rand);
    p->text = format_text("{kind: mesh, %s}",
                          dimensions_text(p, rand, line_dimension_text));
}

static void draw_grid_topology(UnfoldPlace *p, GRand *rand)
{
    draw_dimension_sizes(p, rand);
    p->text = format_text("{kind: grid, %s}",
                          dimensions_text(p, rand, grid_dimension_text));
}

static void draw_switch_topology(UnfoldPlace *p, GRand *rand)
{
    p->n_npus = unfold_draw_between(rand, 2, 12);
    p->text = format_text(
        "{kind: switch, npus: %u, %s%s}", p->n_npus, draw_adds_text(rand),
        draw_link_text(rand, unfold_draw_between(rand, 1, 2)));
}

static void draw_full_mesh_topology(UnfoldPlace *p, GRand *rand)
{
    p->n_npus = unfold_draw_between(rand, 2, 8);
    p->text = format_text("{kind: fully-connected, npus: %u, %s}", p->n_npus,
                          draw_link_text(rand, 1));
}

/* Each leaf has two or three NPUs. The last leaf is sometimes not full, and
 * then there is no symmetry. */
static void draw_fat_tree_topology(UnfoldPlace *p, GRand *rand)
{
    uint32_t leaf = unfold_draw_between(rand, 2, 3);
    gboolean is_partly = unfold_draw_between(rand, 0, 5) == 0;

    p->n_npus = leaf * unfold_draw_between(rand, 2, 4) - (is_partly ? 1 : 0);
    p->text = format_text("{kind: fat-tree, npus: %u, radix: %u, levels: %u, "
                          "equal_cost: %s, %s}",
                          p->n_npus, 2 * leaf, unfold_draw_between(rand, 2, 3),
                          g_rand_boolean(rand) ? "hash" : "destination",
                          draw_link_text(rand, 1));
}

/* NPUs on a tree of two switches, with a few links between NPUs. Such a graph
 * usually has no translations, and none may be used. */
static void draw_graph_topology(UnfoldPlace *p, GRand *rand)
{
    g_autoptr(GString) nodes = g_string_new("nodes: [");
    g_autoptr(GString) links = g_string_new("links: [");

    p->n_npus = unfold_draw_between(rand, 2, 8);
    for (uint32_t i = 0; i < p->n_npus; i++) {
        g_string_append_printf(nodes, "{name: n%u, kind: npu}, ", i);
        g_string_append_printf(links, "{from: n%u, to: s%u, %s}, ", i, i % 2,
                               draw_link_text(rand, 1));
    }
    for (uint32_t i = 1; i < p->n_npus; i++)
        if (g_rand_boolean(rand))
            g_string_append_printf(links, "{from: n%u, to: n%u, %s}, ", i - 1,
                                   i, draw_link_text(rand, 1));
    g_string_append(nodes, "{name: s0, kind: switch}, {name: s1, kind: pcie}]");
    g_string_append_printf(links, "{from: s0, to: s1, %s}]",
                           draw_link_text(rand, 2));
    p->text = format_text("{kind: graph, %s, %s}", nodes->str, links->str);
}

static const char *draw_inner_topology_text(GRand *rand, uint32_t n)
{
    switch (unfold_draw_between(rand, 0, 3)) {
    case 0:
        return format_text("{kind: torus, dims: [{size: %u, %s}]}", n,
                           draw_link_text(rand, 2));
    case 1:
        return format_text("{kind: mesh, dims: [{size: %u, %s}]}", n,
                           draw_link_text(rand, 2));
    case 2:
        return format_text("{kind: fully-connected, npus: %u, %s}", n,
                           draw_link_text(rand, 1));
    default:
        return format_text("{kind: switch, npus: %u, %s%s}", n,
                           draw_adds_text(rand), draw_link_text(rand, 1));
    }
}

/* Each leaf has one to three ends, with enough levels for @n ends. */
static const char *draw_outer_fat_tree_text(GRand *rand, uint32_t n)
{
    uint32_t leaf = unfold_draw_between(rand, 1, 3), n_levels = 2;
    uint32_t most = 2 * leaf * leaf;

    for (; most < n && n_levels < 4; most *= leaf)
        n_levels++;
    return format_text("{kind: fat-tree, radix: %u, levels: %u, "
                       "equal_cost: %s, %s}",
                       most < n ? 2 * n : 2 * leaf, n_levels,
                       g_rand_boolean(rand) ? "hash" : "destination",
                       draw_link_text(rand, 1));
}

/* Returns the text of an outer network of @n ends. A line among them leaves no
 * symmetry. */
static const char *draw_outer_topology_text(GRand *rand, uint32_t n)
{
    switch (unfold_draw_between(rand, 0, 7)) {
    case 0:
        return format_text("{kind: mesh, dims: [{size: %u, %s}]}", n,
                           draw_link_text(rand, 2));
    case 1:
    case 2:
        return format_text("{kind: torus, dims: [{size: %u, %s}]}", n,
                           draw_link_text(rand, 2));
    case 3:
    case 4:
    case 5:
        return draw_outer_fat_tree_text(rand, n);
    default:
        return format_text("{kind: switch, npus: %u, %s%s}", n,
                           draw_adds_text(rand), draw_link_text(rand, 1));
    }
}

static void draw_nested_topology(UnfoldPlace *p, GRand *rand)
{
    uint32_t count = unfold_draw_between(rand, 2, 6),
             n_inner = unfold_draw_between(rand, 1, 4);
    uint32_t n_nics = g_rand_boolean(rand)
                          ? n_inner
                          : unfold_draw_between(rand, 1, MIN(n_inner, 2));
    gboolean rails = g_rand_boolean(rand);

    p->n_npus = count * n_inner;
    p->n_dims = 2;
    p->dims[0] = n_inner;
    p->dims[1] = count;
    p->text = format_text(
        "{kind: nested, count: %u, inner: %s, nics: %u, "
        "nic: {%s}, rails: %s, outer: %s}",
        count, draw_inner_topology_text(rand, n_inner), n_nics,
        draw_link_text(rand, 1), rails ? "true" : "false",
        draw_outer_topology_text(rand, rails ? count : count * n_nics));
}

static const struct {
    const char *kind;
    void (*draw)(UnfoldPlace *p, GRand *rand);
} places[] = {
    { "torus", draw_torus_topology },
    { "switch", draw_switch_topology },
    { "fully-connected", draw_full_mesh_topology },
    { "mesh", draw_mesh_topology },
    { "grid", draw_grid_topology },
    { "fat-tree", draw_fat_tree_topology },
    { "graph", draw_graph_topology },
    { "nested", draw_nested_topology },
};

gboolean unfold_draws_topology_kind(const char *kind)
{
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
        if (g_str_equal(places[i].kind, kind))
            return TRUE;
    return FALSE;
}

static void draw_topology_of_kind(UnfoldPlace *p, const char *kind, GRand *rand)
{
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
        if (g_str_equal(places[i].kind, kind))
            places[i].draw(p, rand);
    g_assert(p->text);
}

/* ---- random endpoints ---------------------------------------------------- */

/* Endpoints with few resources, so that chunks wait. A kind that is not listed
 * has its default values. */
static const struct {
    const char *kind, *text;
} tight[] = {
    { "ideal", "{kind: ideal, launch_time: 100 ns}" },
    { "ace", "{kind: ace, sram: 44 KiB, fsms: 6, chunks_per_fsm: 1, "
             "alu_width: 4 B}" },
    { "ace", "{kind: ace, sram: 256 KiB, only_while_communicating: true}" },
    { "baseline", "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}" },
    { "baseline", "{kind: baseline, sms: 80, memory_bandwidth: 90 GB/s, "
                  "only_while_communicating: true}" },
    { "copy-engine", "{kind: copy-engine, sms: 2, engines: 3, copy_launch: "
                     "400 ns, reduce_launch: 100 ns, "
                     "memory_bandwidth: 45 GB/s}" },
    { "host", "{kind: host, staging_bandwidth: 20 GB/s, staging_launch: 300 "
              "ns, copies_back: 2, buffer_bandwidth: 40 GB/s, "
              "reduce_bandwidth: 15 GB/s, scale_bandwidth: 30 GB/s, "
              "message_bandwidth: 25 GB/s}" },
    { "by-axis", "{kind: by-axis, default: {reductions: {kind: baseline, sms: "
                 "6, memory_bandwidth: 45 GB/s, only_while_communicating: "
                 "true}, message: {kind: ideal}, default: {kind: copy-engine, "
                 "engines: 3, copy_launch: 400 ns, memory_bandwidth: 45 "
                 "GB/s}}}" },
    { "by-collective", "{kind: by-collective, all-reduce: {kind: ace, sram: 44 "
                       "KiB, fsms: 6, chunks_per_fsm: 1}, reductions: {kind: "
                       "baseline, sms: 6, memory_bandwidth: 45 GB/s}, default: "
                       "{kind: host, reduce_bandwidth: 15 GB/s}}" },
};

static const char *draw_endpoint_text(GRand *rand)
{
    uint32_t n = 0, n_texts = 0;
    const char *kind, *ret = NULL;

    while (endpoint_registry.kinds[n])
        n++;
    kind = endpoint_registry.kinds[unfold_draw_between(rand, 0, n - 1)]->name;
    for (gsize i = 0; i < G_N_ELEMENTS(tight); i++)
        if (g_str_equal(tight[i].kind, kind) &&
            unfold_draw_between(rand, 0, n_texts++) == 0)
            ret = tight[i].text;
    return ret ?: format_text("{kind: %s}", kind);
}

/* ---- random perturbations and algorithms --------------------------------- */

/* Appends a slow link of @unit, unless the unit lacks it. */
static void append_slow_link(GString *text, const Topology *topology,
                             uint32_t unit, uint32_t port)
{
    uint32_t from, to;

    if (topology_get_link_nodes(
            topology, unit * topology_n_ports(topology) + port, &from, &to))
        g_string_append_printf(
            text, "{npu: %u, port: %s, bandwidth_factor: 40 %%}, ",
            unit * topology_get_symmetry(topology)->unit_ends,
            topology_get_port(topology, port)->name);
}

/* Returns a text that makes a link of every q-th unit slow, and often the same
 * link of each NPU of its node. */
static const char *draw_slow_links_text(const UnfoldPlace *p, GRand *rand)
{
    g_autoptr(Topology) t = topology_from_valid_yaml(p->text);
    g_autoptr(GString) text = g_string_new("{links: [");
    const Symmetry *symmetry = topology_get_symmetry(t);
    uint32_t n_units = p->n_npus / symmetry->unit_ends, step, port, n = 1;
    const TopologyPort *first;

    step = unfold_draw_between(rand, 1, n_units);
    while (n_units % step != 0)
        step--;
    port = unfold_draw_between(rand, 0, topology_n_ports(t) - 1);
    first = topology_get_port(t, port);
    if (first->part_stride > 0 && g_rand_boolean(rand)) {
        n = symmetry->node_ends;
        port -= first->part % n * first->part_stride;
    }
    for (uint32_t unit = 0; unit < n_units; unit += step)
        for (uint32_t i = 0; i < n; i++)
            append_slow_link(text, t, unit, port + i * first->part_stride);
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

/* Returns a text that makes every q-th NPU slow, or every second run of q NPUs.
 * Both leave classes. A single slow NPU or random jitter leaves none. */
static const char *draw_perturbation_text(const UnfoldPlace *p, GRand *rand)
{
    g_autoptr(GString) text = g_string_new("{npus: [");
    uint32_t variant = unfold_draw_between(rand, 0, 6), step = p->n_npus, n = 0;

    if (variant == 0)
        return format_text("{seed: %u, jitter: 10 %%}",
                           unfold_draw_between(rand, 1, 99));
    if (variant > 1 && variant < 6) {
        step = unfold_draw_between(rand, 1, p->n_npus);
        while (p->n_npus % step != 0)
            step--;
    }
    for (uint32_t i = 0; i < p->n_npus; i++)
        if (variant > 3 ? i % step < (step + 1) / 2 : i % step == 0)
            g_string_append_printf(text, "%s{npu: %u, time_factor: 150 %%}",
                                   n++ > 0 ? ", " : "", i);
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static const char *const npus[] = {
    "{sms: 80, clock: 1245 MHz, flops: 1 TFLOPS, hbm: {bandwidth: 250 GB/s}}",
    "{sms: 80, clock: 1 GHz, flops: 5 TFLOPS, launch_overhead: 2 us, "
    "fabric_bus: 20 GB/s, hbm: {bandwidth: 250 GB/s, policy: shared, "
    "communication_weight: 2}}",
};

static const char *const trainings[] = {
    "{iterations: 1}",
    "{iterations: 2}",
    "{iterations: 2, overlap: false}",
    "{iterations: 3, drain: false}",
};

static const char *const scheduling[] = {
    "scheduler: lifo",
    "scheduler: fifo, window: 2",
    "scheduler: priority, message: 1 KiB",
    "scheduler: lifo, preempt: false, window: 3",
    "scheduler: fifo, preempt: false, message: 512 B",
};

/* Returns an algorithm for each level, on topologies that have levels. */
static const char *draw_level_algorithms_text(const UnfoldPlace *p, GRand *rand)
{
    static const char *const algorithms[] = { "auto",
                                              "auto",
                                              "ring",
                                              "direct",
                                              "direct",
                                              "in-switch",
                                              "halving-doubling" };
    g_autoptr(GString) text = g_string_new(", levels: [");

    if (p->n_dims == 0 || g_rand_boolean(rand))
        return "";
    for (uint32_t d = 0; d < p->n_dims; d++)
        g_string_append_printf(text, "%s%s", d > 0 ? ", " : "",
                               UNFOLD_PICK(rand, algorithms));
    g_string_append_c(text, ']');
    return keep_text_until_exit(text->str);
}

void unfold_case_init(UnfoldCase *c, const char *kind, UnfoldWork work,
                      uint64_t seed)
{
    GRand *rand =
        g_rand_new_with_seed(random_seed((guint32)(seed * 2654435761U + 17)));

    *c = (UnfoldCase){ .seed = seed, .work = work };
    draw_topology_of_kind(&c->place, kind, rand);
    c->perturbed = unfold_draw_between(rand, 0, 2) == 0;
    c->setup = (Setup){
        .topology = c->place.text,
        .npu = UNFOLD_PICK(rand, npus),
        .endpoint = draw_endpoint_text(rand),
        .training = UNFOLD_PICK(rand, trainings),
        .collectives = format_text("{chunk: %d B, packet: %d B, %s%s}",
                                   g_rand_boolean(rand) ? 4096 : 3000,
                                   256 << g_rand_int_range(rand, 0, 2),
                                   UNFOLD_PICK(rand, scheduling),
                                   draw_level_algorithms_text(&c->place, rand)),
        .perturb = !c->perturbed ? NULL
                   : g_rand_boolean(rand)
                       ? draw_slow_links_text(&c->place, rand)
                       : draw_perturbation_text(&c->place, rand),
    };
    c->setup.workload = unfold_draw_workload_text(c, rand);
    if (work == UNFOLD_TIMES)
        c->setup.training = unfold_replay_training_text(rand);
    g_rand_free(rand);
}
