/* unfold_case.c - random topologies, endpoints and stragglers */
#include "tests/models/run/fold/unfold_case.h"

#include "models/endpoints/endpoint.h"

const char *unfold_pick(GRand *rand, const char *const *from, gsize n)
{
    return from[unfold_draw(rand, 0, (uint32_t)n - 1)];
}

/* ---- random links and switches ------------------------------------------- */

static const char *link_text(GRand *rand, uint32_t n_links)
{
    return text_of("links: %u, bandwidth: %d GB/s, latency: %u ns", n_links,
                   g_rand_boolean(rand) ? 32 : 64,
                   64 * unfold_draw(rand, 0, 2));
}

/* Returns the text of a switch that may or may not add. */
static const char *adds_text(GRand *rand)
{
    static const char *const texts[] = {
        "", "", "reduces: true, ",
        "reduces: true, reduce_rate: 40 GB/s, reduce_latency: 70 ns, "
    };

    return UNFOLD_PICK(rand, texts);
}

/* ---- random topologies --------------------------------------------------- */

/* Draws the sizes of a grid of 2 to 36 NPUs. */
static void draw_dims(UnfoldPlace *p, GRand *rand)
{
    static const uint32_t most[UNFOLD_MAX_DIMS] = { 12, 6, 3 };

    p->n_dims = unfold_draw(rand, 1, UNFOLD_MAX_DIMS);
    p->n_npus = 1;
    for (uint32_t d = 0; d < p->n_dims; d++) {
        p->dims[d] = unfold_draw(rand, d == 0 ? 2 : 1, most[p->n_dims - 1]);
        p->n_npus *= p->dims[d];
    }
}

/* Returns the list of dimensions. @add gives the text of each dimension. */
static const char *dims_text(const UnfoldPlace *p, GRand *rand,
                             const char *(*add)(GRand *rand))
{
    g_autoptr(GString) text = g_string_new("dims: [");

    for (uint32_t d = 0; d < p->n_dims; d++)
        g_string_append_printf(text, "%s{size: %u, %s}", d > 0 ? ", " : "",
                               p->dims[d], add(rand));
    g_string_append_c(text, ']');
    return kept_text(text->str);
}

static const char *ring_dim(GRand *rand)
{
    gboolean both = g_rand_boolean(rand);

    return text_of("direction: %s, %s", both ? "both" : "one",
                   link_text(rand, unfold_draw(rand, 1, 2) * (both ? 2 : 1)));
}

static const char *line_dim(GRand *rand)
{
    return link_text(rand, 2 * unfold_draw(rand, 1, 2));
}

static const char *grid_dim(GRand *rand)
{
    static const char *const shapes[] = { "ring", "ring", "switch", "full",
                                          "line" };
    const char *shape = UNFOLD_PICK(rand, shapes);

    if (g_str_equal(shape, "ring"))
        return text_of("shape: ring, %s", ring_dim(rand));
    return text_of("shape: %s, %s%s", shape,
                   g_str_equal(shape, "switch") ? adds_text(rand) : "",
                   link_text(rand, g_str_equal(shape, "line") ? 2 : 1));
}

static void place_torus(UnfoldPlace *p, GRand *rand)
{
    draw_dims(p, rand);
    p->text = text_of("{kind: torus, %s}", dims_text(p, rand, ring_dim));
}

static void place_mesh(UnfoldPlace *p, GRand *rand)
{
    draw_dims(p, rand);
    p->text = text_of("{kind: mesh, %s}", dims_text(p, rand, line_dim));
}

static void place_grid(UnfoldPlace *p, GRand *rand)
{
    draw_dims(p, rand);
    p->text = text_of("{kind: grid, %s}", dims_text(p, rand, grid_dim));
}

static void place_switch(UnfoldPlace *p, GRand *rand)
{
    p->n_npus = unfold_draw(rand, 2, 12);
    p->text =
        text_of("{kind: switch, npus: %u, %s%s}", p->n_npus, adds_text(rand),
                link_text(rand, unfold_draw(rand, 1, 2)));
}

static void place_full(UnfoldPlace *p, GRand *rand)
{
    p->n_npus = unfold_draw(rand, 2, 8);
    p->text = text_of("{kind: fully-connected, npus: %u, %s}", p->n_npus,
                      link_text(rand, 1));
}

/* Each leaf has two or three NPUs. The last leaf is sometimes not full, and
 * then there is no symmetry. */
static void place_fat_tree(UnfoldPlace *p, GRand *rand)
{
    uint32_t leaf = unfold_draw(rand, 2, 3);
    gboolean is_partly = unfold_draw(rand, 0, 5) == 0;

    p->n_npus = leaf * unfold_draw(rand, 2, 4) - (is_partly ? 1 : 0);
    p->text = text_of("{kind: fat-tree, npus: %u, radix: %u, levels: %u, "
                      "equal_cost: %s, %s}",
                      p->n_npus, 2 * leaf, unfold_draw(rand, 2, 3),
                      g_rand_boolean(rand) ? "hash" : "destination",
                      link_text(rand, 1));
}

/* NPUs on a tree of two switches, with a few links between NPUs. Such a graph
 * usually has no translations, and none may be used. */
static void place_graph(UnfoldPlace *p, GRand *rand)
{
    g_autoptr(GString) nodes = g_string_new("nodes: [");
    g_autoptr(GString) links = g_string_new("links: [");

    p->n_npus = unfold_draw(rand, 2, 8);
    for (uint32_t i = 0; i < p->n_npus; i++) {
        g_string_append_printf(nodes, "{name: n%u, kind: npu}, ", i);
        g_string_append_printf(links, "{from: n%u, to: s%u, %s}, ", i, i % 2,
                               link_text(rand, 1));
    }
    for (uint32_t i = 1; i < p->n_npus; i++)
        if (g_rand_boolean(rand))
            g_string_append_printf(links, "{from: n%u, to: n%u, %s}, ", i - 1,
                                   i, link_text(rand, 1));
    g_string_append(nodes, "{name: s0, kind: switch}, {name: s1, kind: pcie}]");
    g_string_append_printf(links, "{from: s0, to: s1, %s}]",
                           link_text(rand, 2));
    p->text = text_of("{kind: graph, %s, %s}", nodes->str, links->str);
}

static const char *inner_text(GRand *rand, uint32_t n)
{
    switch (unfold_draw(rand, 0, 3)) {
    case 0:
        return text_of("{kind: torus, dims: [{size: %u, %s}]}", n,
                       link_text(rand, 2));
    case 1:
        return text_of("{kind: mesh, dims: [{size: %u, %s}]}", n,
                       link_text(rand, 2));
    case 2:
        return text_of("{kind: fully-connected, npus: %u, %s}", n,
                       link_text(rand, 1));
    default:
        return text_of("{kind: switch, npus: %u, %s%s}", n, adds_text(rand),
                       link_text(rand, 1));
    }
}

/* Returns the text of an outer network of @n ends. A line among them leaves no
 * symmetry. */
static const char *outer_text(GRand *rand, uint32_t n)
{
    switch (unfold_draw(rand, 0, 5)) {
    case 0:
        return text_of("{kind: mesh, dims: [{size: %u, %s}]}", n,
                       link_text(rand, 2));
    case 1:
    case 2:
        return text_of("{kind: torus, dims: [{size: %u, %s}]}", n,
                       link_text(rand, 2));
    default:
        return text_of("{kind: switch, npus: %u, %s%s}", n, adds_text(rand),
                       link_text(rand, 1));
    }
}

static void place_nested(UnfoldPlace *p, GRand *rand)
{
    uint32_t count = unfold_draw(rand, 2, 6), n_inner = unfold_draw(rand, 1, 4);
    uint32_t n_nics = unfold_draw(rand, 1, MIN(n_inner, 2));
    gboolean rails = g_rand_boolean(rand);

    p->n_npus = count * n_inner;
    p->n_dims = 2;
    p->dims[0] = n_inner;
    p->dims[1] = count;
    p->text = text_of("{kind: nested, count: %u, inner: %s, nics: %u, "
                      "nic: {%s}, rails: %s, outer: %s}",
                      count, inner_text(rand, n_inner), n_nics,
                      link_text(rand, 1), rails ? "true" : "false",
                      outer_text(rand, rails ? count : count * n_nics));
}

static const struct {
    const char *kind;
    void (*draw)(UnfoldPlace *p, GRand *rand);
} places[] = {
    { "torus", place_torus },
    { "switch", place_switch },
    { "fully-connected", place_full },
    { "mesh", place_mesh },
    { "grid", place_grid },
    { "fat-tree", place_fat_tree },
    { "graph", place_graph },
    { "nested", place_nested },
};

gboolean unfold_knows(const char *kind)
{
    for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
        if (g_str_equal(places[i].kind, kind))
            return TRUE;
    return FALSE;
}

static void draw_place(UnfoldPlace *p, const char *kind, GRand *rand)
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
              "reduce_bandwidth: 15 GB/s, scale_bandwidth: 30 GB/s}" },
};

static const char *endpoint_text(GRand *rand)
{
    uint32_t n = 0, n_texts = 0;
    const char *kind, *ret = NULL;

    while (endpoint_registry.kinds[n])
        n++;
    kind = endpoint_registry.kinds[unfold_draw(rand, 0, n - 1)]->name;
    for (gsize i = 0; i < G_N_ELEMENTS(tight); i++)
        if (g_str_equal(tight[i].kind, kind) &&
            unfold_draw(rand, 0, n_texts++) == 0)
            ret = tight[i].text;
    return ret ?: text_of("{kind: %s}", kind);
}

/* ---- random perturbations and algorithms --------------------------------- */

/* Returns a text that makes every q-th NPU slow, or every second run of q NPUs.
 * Both leave classes. A single slow NPU or random jitter leaves none. */
static const char *perturb_text(const UnfoldPlace *p, GRand *rand)
{
    g_autoptr(GString) text = g_string_new("{npus: [");
    uint32_t variant = unfold_draw(rand, 0, 6), step = p->n_npus, n = 0;

    if (variant == 0)
        return text_of("{seed: %u, jitter: 10 %%}", unfold_draw(rand, 1, 99));
    if (variant > 1 && variant < 6) {
        step = unfold_draw(rand, 1, p->n_npus);
        while (p->n_npus % step != 0)
            step--;
    }
    for (uint32_t i = 0; i < p->n_npus; i++)
        if (variant > 3 ? i % step < (step + 1) / 2 : i % step == 0)
            g_string_append_printf(text, "%s{npu: %u, time_factor: 150 %%}",
                                   n++ > 0 ? ", " : "", i);
    g_string_append(text, "]}");
    return kept_text(text->str);
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
static const char *levels_text(const UnfoldPlace *p, GRand *rand)
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
    return kept_text(text->str);
}

void unfold_case_init(UnfoldCase *c, const char *kind, UnfoldWork work,
                      uint64_t seed)
{
    GRand *rand = g_rand_new_with_seed((guint32)(seed * 2654435761U + 17));

    *c = (UnfoldCase){ .seed = seed, .work = work };
    draw_place(&c->place, kind, rand);
    c->perturbed = unfold_draw(rand, 0, 3) == 0;
    c->setup = (Setup){
        .topology = c->place.text,
        .npu = UNFOLD_PICK(rand, npus),
        .endpoint = endpoint_text(rand),
        .training = UNFOLD_PICK(rand, trainings),
        .collectives = text_of("{chunk: %d B, packet: %d B, %s%s}",
                               g_rand_boolean(rand) ? 4096 : 3000,
                               256 << g_rand_int_range(rand, 0, 2),
                               UNFOLD_PICK(rand, scheduling),
                               levels_text(&c->place, rand)),
        .perturb = c->perturbed ? perturb_text(&c->place, rand) : NULL,
    };
    c->setup.workload = unfold_work_text(c, rand);
    if (work == UNFOLD_TIMES)
        c->setup.training = unfold_times_training(rand);
    g_rand_free(rand);
}
