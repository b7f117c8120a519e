/*
 * test_message_against_packet.c - Compares message fidelity with packet
 * fidelity, on random systems over all topologies.
 *
 * A draw is a topology of a kind of the registry. Its links have different
 * rates, some are parallel, and some have limits, such as cables that both
 * directions share. The traffic is a collective, or random messages at random
 * times. Endpoints are ideal, packets small, and no buffer is ever full. The
 * time at which all is done is compared.
 *
 *     ACESIM_DRAWS=25 build/debug/tests/test_message_against_packet
 *                     2,000 systems, with a report
 *     ACESIM_DRAW=17  that draw, with its text and what each link takes;
 *                     ACESIM_COARSE=1 as well: with whole transfers
 *
 * If messages are small (2 to 4 KiB) compared with the data that an NPU sends
 * (64 to 512 KiB), nearly all runs are within 1 %. Of 2,000 draws, 24 are not,
 * 99 % are within 1.3 %, and the worst is 9.8 % off. When a message still held
 * a fast link at the rate of its feeder, these numbers were 60, 5.1 % and 33.4
 * %.
 *
 * Not all runs are within 1 %. A message that has begun keeps its rate, but
 * packets with smaller keys overtake those with larger keys. The effect grows
 * with the size of messages. If each message is a whole transfer, 138 of 2,000
 * draws are off by more than 1 %, and the worst by 29 %. In the worst draw,
 * 1278, two NPUs share a limit, and the slower waits for a message of the
 * faster that takes all of it. If both directions of a cable share a limit of
 * 1.5 times their rate, packets get half each. Messages get 2/3 and 1/3, since
 * the later one uses the remainder. An all-gather of 1 MB as one message thus
 * takes 12 %
 * longer. */
#include "tests/system_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/collectives/dimension_orders.h"
#include "network/deadlock_check.h"
#include "sim/core/rng.h"
#include "tests/network/topology_fixture.h"

#define N_DRAWS 80
#define U       "%" G_GUINT64_FORMAT

/* ---- random topologies for both fidelities ------------------------------- */

typedef struct {
    uint64_t seed, n_drawn;
    GString *text; /* The struct owns the topology. */
    guint n_npus;
    gboolean has_limits;
    uint64_t parallel; /* The maximum number of parallel links of a port. */
    /* TRUE if each transfer is one message, otherwise it is cut in many. */
    gboolean is_coarse;
} Draw;

static uint64_t draw_number_between(Draw *d, uint64_t least, uint64_t most)
{
    return least + rng_value_at_indices(rng_new_stream(d->seed, "draw"),
                                        d->n_drawn++, 0, 0) %
                       (most - least + 1);
}

static void append_random_choice_text(Draw *d, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

static void append_random_choice_text(Draw *d, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_string_append_vprintf(d->text, format, arguments);
    va_end(arguments);
}

/* Returns a rate in GB/s. A byte takes a whole number of picoseconds, so that
 * events that coincide in one model also do so in the other, without
 * rounding. */
static uint64_t draw_link_rate(Draw *d)
{
    static const guint rates[] = { 10, 10, 10, 20, 20, 40, 5, 8, 25, 50, 100 };

    return rates[draw_number_between(d, 0, G_N_ELEMENTS(rates) - 1)];
}

/* Adds a link of @times a random rate. The number of links is a multiple of
 * @least. */
static void add_multiple_rate_link(Draw *d, uint64_t least, uint64_t times)
{
    append_random_choice_text(
        d, "links: " U ", bandwidth: " U " GB/s, latency: " U " ns",
        least * (draw_number_between(d, 0, 2) > 0
                     ? 1
                     : draw_number_between(d, 1, d->parallel)),
        times * draw_link_rate(d), 50 * draw_number_between(d, 0, 20));
}

static void add_random_link(Draw *d, uint64_t least)
{
    add_multiple_rate_link(d, least, 1);
}

/* Adds a link between switches, over which several NPUs send. */
static void add_trunk_links(Draw *d)
{
    static const guint times[] = { 1, 2, 2, 4 };

    add_multiple_rate_link(d, 1, times[draw_number_between(d, 0, 3)]);
}

static void add_group_of_links(Draw *d, const char *kind, uint64_t n)
{
    append_random_choice_text(d, "{kind: %s, npus: " U ", ", kind, n);
    add_random_link(d, 1);
    append_random_choice_text(d, "}");
}

/* Adds a topology of dimensions. @kind is "torus", "mesh" or "grid". A grid
 * gives the shape of each dimension. */
static void add_dimensions(Draw *d, const char *kind, uint64_t n_dims,
                           uint64_t size)
{
    gboolean is_grid = g_str_equal(kind, "grid");

    append_random_choice_text(d, "{kind: %s, dims: [", kind);
    for (uint64_t i = 0; i < n_dims; i++) {
        uint64_t shape = is_grid ? draw_number_between(d, 0, 3) : 0;

        append_random_choice_text(
            d, "%s{size: " U ", ", i > 0 ? ", " : "",
            size > 0 ? size : draw_number_between(d, 2, n_dims == 1 ? 8 : 4));
        if (is_grid)
            append_random_choice_text(d, "shape: %s, ",
                                      topology_shape_names[shape]);
        add_random_link(d, shape < 2 ? 2 : 1);
        append_random_choice_text(d, "}");
    }
    append_random_choice_text(d, "]}");
}

static void add_torus_topology(Draw *d)
{
    add_dimensions(d, "torus", draw_number_between(d, 1, 2), 0);
}

static void add_mesh_topology(Draw *d)
{
    add_dimensions(d, "mesh", draw_number_between(d, 1, 2), 0);
}

static void add_grid_topology(Draw *d)
{
    add_dimensions(d, "grid", draw_number_between(d, 2, 3), 0);
}

static void add_switch_topology(Draw *d)
{
    add_group_of_links(d, "switch", draw_number_between(d, 2, 12));
}

static void add_full_mesh_topology(Draw *d)
{
    add_group_of_links(d, "fully-connected", draw_number_between(d, 2, 10));
}

static void add_fat_tree_topology(Draw *d)
{
    static const guint npus[] = { 4, 8, 12, 16 };

    append_random_choice_text(
        d, "{kind: fat-tree, npus: %u, radix: " U ", oversubscription: " U ", ",
        npus[draw_number_between(d, 0, 3)], 6 * draw_number_between(d, 1, 2),
        draw_number_between(d, 1, 2));
    add_random_link(d, 1);
    append_random_choice_text(d, "}");
}

/* Adds NPUs below switches that form a tree. Some cables are shared by both
 * directions, and some limits are shared by several NPUs. */
static void add_tree_topology(Draw *d, gboolean with_nics)
{
    uint64_t n_switches = draw_number_between(d, 1, 4), n = 0;
    GString *links = g_string_new(NULL), *text = d->text;
    GString *limits = g_string_new(NULL);

    append_random_choice_text(d, "{kind: graph, npus_forward: false, nodes: [");
    for (uint64_t s = 0; s < n_switches; s++) {
        uint64_t n_here = draw_number_between(d, n_switches == 1 ? 2 : 1, 4);

        append_random_choice_text(d, "{name: s" U ", kind: sw}, ", s);
        d->text = links;
        for (uint64_t i = 0; i < n_here; i++) {
            append_random_choice_text(d, "{from: g" U ", to: s" U ", ", n + i,
                                      s);
            add_random_link(d, 1);
            append_random_choice_text(d, "}, ");
        }
        if (s > 0) {
            append_random_choice_text(d, "{from: s" U ", to: s" U ", ", s,
                                      draw_number_between(d, 0, s - 1));
            add_trunk_links(d);
            append_random_choice_text(d, "}, ");
        }
        d->text = limits;
        if (n_here > 1 && draw_number_between(d, 0, 2) == 0)
            append_random_choice_text(
                d,
                "{name: up" U ", bandwidth: " U " GB/s, links: [[g" U ", s" U
                "], [g" U ", s" U "]]}, ",
                s, draw_link_rate(d), n, s, n + n_here - 1, s);
        else if (draw_number_between(d, 0, 2) == 0)
            append_random_choice_text(d,
                                      "{name: cable" U ", bandwidth: " U
                                      " GB/s, links: [[g" U ", s" U "], [s" U
                                      ", g" U "]]}, ",
                                      s, draw_link_rate(d), n, s, s, n);
        d->text = text;
        for (uint64_t i = 0; i < n_here; i++)
            append_random_choice_text(d, "{name: g" U ", kind: npu}, ", n++);
        if (with_nics && s == 0) {
            append_random_choice_text(d, "{name: nic, kind: nic}, ");
            d->text = links;
            append_random_choice_text(d, "{from: nic, to: s0, ");
            add_random_link(d, 1);
            append_random_choice_text(d, "}, ");
            d->text = text;
        }
    }
    append_random_choice_text(d, "], links: [%s]", links->str);
    d->has_limits |= limits->len > 0;
    if (limits->len > 0)
        append_random_choice_text(d, ", limits: [%s]", limits->str);
    append_random_choice_text(d, "}");
    g_string_free(links, TRUE);
    g_string_free(limits, TRUE);
}

static void add_graph_topology(Draw *d)
{
    add_tree_topology(d, FALSE);
}

static void add_outer_topology(Draw *d, uint64_t n_ends)
{
    switch (draw_number_between(d, 0, 3)) {
    case 0:
        append_random_choice_text(
            d, "{kind: fat-tree, radix: 8, oversubscription: " U ", ",
            draw_number_between(d, 1, 3));
        add_random_link(d, 1);
        append_random_choice_text(d, "}");
        break;
    case 1:
        add_dimensions(d, "torus", 1, n_ends);
        break;
    default:
        add_group_of_links(d, "switch", n_ends);
    }
}

static void add_nested_topology(Draw *d)
{
    uint64_t count = draw_number_between(d, 2, 4),
             inner = draw_number_between(d, 0, 3), n_nics = 1;

    append_random_choice_text(d, "{kind: nested, count: " U ", inner: ", count);
    if (inner == 0) {
        add_tree_topology(d, TRUE);
        append_random_choice_text(d, ", nics: 0");
    } else {
        uint64_t n = draw_number_between(d, 2, 4);

        n_nics = draw_number_between(d, 0, 1) ? n : 1;
        add_group_of_links(d, inner == 1 ? "fully-connected" : "switch", n);
        append_random_choice_text(d, ", nics: " U ", nic: {", n_nics);
        add_random_link(d, 1);
        append_random_choice_text(d, "}");
    }
    append_random_choice_text(d, ", outer: ");
    add_outer_topology(d, count * n_nics);
    append_random_choice_text(d, "}");
}

static const struct {
    const char *name;
    void (*append_drawn_text)(Draw *);
} kinds[] = {
    { "torus", add_torus_topology },
    { "mesh", add_mesh_topology },
    { "grid", add_grid_topology },
    { "switch", add_switch_topology },
    { "fat-tree", add_fat_tree_topology },
    { "fully-connected", add_full_mesh_topology },
    { "graph", add_graph_topology },
    { "nested", add_nested_topology },
};

static void every_kind_of_topology_is_drawn(void **state)
{
    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++) {
        gboolean found = FALSE;

        for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
            found |=
                g_str_equal(kinds[k].name, topology_registry.kinds[i]->name);
        if (!found)
            fail_msg("no %s is drawn", topology_registry.kinds[i]->name);
    }
}

/* Returns FALSE if packets could deadlock on the topology. */
static gboolean draw_topology_of_kind(Draw *d, guint kind)
{
    g_autoptr(Topology) topology = NULL;
    g_autoptr(ConfigDoc) doc = config_doc_parse("t.yaml", "{}", 2, NULL);
    g_autoptr(GError) error = NULL;

    d->parallel = draw_number_between(d, 1, 4);
    d->text = g_string_new(NULL);
    kinds[kind].append_drawn_text(d);
    topology = topology_from_valid_yaml(d->text->str);
    d->n_npus = topology_n_npus(topology);
    return topology_check_no_packet_deadlock(topology, config_doc_root(doc),
                                             &error);
}

/* ---- random traffic for both fidelities ---------------------------------- */

#define PACKET_BYTES 64
#define LARGE_BUFFER (1 << 30)

/* Returns a collective of random kind, algorithm and cut. */
static Setup draw_collective_setup(Draw *d)
{
    static const CollKind candidates[] = {
        COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_REDUCE_SCATTER, COLL_ALL_TO_ALL,
        COLL_BROADCAST,  COLL_GATHER,     COLL_SCATTER,
    };
    static const char *const algorithms[] = { "auto", "auto", "ring", "direct",
                                              "halving-doubling" };
    const char *algorithm = algorithms[draw_number_between(d, 0, 4)];
    CollKind kind =
        candidates[draw_number_between(d, 0, G_N_ELEMENTS(candidates) - 1)];
    uint64_t payload = draw_number_between(d, 64, 512) * 1024;

    return (Setup){
        .topology = d->text->str,
        .endpoint = "{kind: ideal, message_cycles: 0}",
        .workload = format_text("{kind: collective, name: w, collective: %s, "
                                "payload: " U " B}",
                                coll_kind_names[kind], payload),
        .collectives = format_text(
            "{algorithm: %s, chunk: " U " B, message: " U
            " B, window: 4, packet: %d B, order: fixed, buffer: 2 MiB",
            algorithm, payload / draw_number_between(d, 1, 3) + 1,
            (d->is_coarse ? 512 : draw_number_between(d, 2, 4)) * 1024,
            PACKET_BYTES),
    };
}

/* Returns the time of the run, 0 if the setup is refused. */
static SimTime collective_time_of_fidelity_ps(const Setup *drawn,
                                              const char *fidelity)
{
    Setup setup = *drawn;
    const char *text;
    GError *error = NULL;
    SimTime ps = 0;
    Run run = { 0 };

    setup.collectives =
        format_text("%s, fidelity: %s}", drawn->collectives, fidelity);
    text = setup_text(&setup);
    run.doc = config_doc_parse("run.yaml", text, strlen(text), &error);
    assert_no_error(error);
    if (config_doc_read(run.doc, system_fields, &run.config, &error))
        run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    if (run.system) {
        assert_true(system_run(run.system, &error));
        ps = system_result(run.system).total_ps;
    } else if (!g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT) &&
               !g_error_matches(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE)) {
        fail_msg("%s\n%s", error->message, text);
    }
    g_clear_error(&error);
    run_clear(&run);
    return ps;
}

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, key;
    SimTime at_ps;
} Transfer;

#define MOST_TRANSFERS 48
#define MOST_PIECES    32
#define MOST_SENT      (MOST_TRANSFERS * MOST_PIECES)

typedef struct {
    SimEngine *engine;
    Network *network;
    Transfer sent[MOST_SENT];
    guint n_sent, n_arrived;
    SimTime arrival_ps[MOST_SENT];
} Traffic;

static void on_message_delivered(gpointer self, uint32_t npu, uint32_t message,
                                 SimTime now_ps)
{
    Traffic *t = self;
    guint i = network_get_message(t->network, message)->cookie;

    (void)npu;
    t->arrival_ps[i] = now_ps;
    t->n_arrived++;
    network_message_free(t->network, message);
}

/* Prints each use of a link, for a single draw. */
static void on_link_used(gpointer self, uint32_t link, uint32_t message,
                         SimTime end_ps, gboolean wanted)
{
    Traffic *t = self;

    (void)wanted;
    (void)printf("message %u takes link %u from " U " to " U " ns\n",
                 network_get_message(t->network, message)->cookie, link,
                 sim_engine_now_ps(t->engine) / 1000, end_ps / 1000);
}

static void send_random_message(gpointer self, uint32_t i, uint64_t now_ps)
{
    Traffic *t = self;
    uint32_t message = network_message_new(t->network);
    NetMessage *net_message = network_get_message(t->network, message);

    (void)now_ps;
    net_message->order_hi = t->sent[i].key;
    net_message->order_lo = i;
    net_message->bytes = t->sent[i].bytes;
    net_message->cookie = i;
    net_message->dst = t->sent[i].dst;
    net_message->flags = 0;
    net_message->path_id = 0;
    network_send_message(t->network, t->sent[i].src, message);
}

/* Draws transfers between random NPUs, most of which begin together. Each
 * transfer is cut into messages with the same key. */
static void draw_random_traffic(Draw *d, Traffic *t)
{
    uint64_t most_us =
        draw_number_between(d, 0, 1) * draw_number_between(d, 0, 20);
    guint n = (guint)draw_number_between(d, 2, MOST_TRANSFERS);

    for (guint i = 0; i < n; i++) {
        uint64_t pieces = draw_number_between(d, 8, MOST_PIECES);
        Transfer s = { .src =
                           (uint32_t)draw_number_between(d, 0, d->n_npus - 1) };

        s.dst = (uint32_t)((s.src + draw_number_between(d, 1, d->n_npus - 1)) %
                           d->n_npus);
        s.bytes = draw_number_between(d, 2, 4) * 1024;
        s.key = draw_number_between(d, 0, 3);
        s.at_ps = SIM_NS(10) * draw_number_between(d, 0, 100 * most_us);
        if (d->is_coarse) {
            s.bytes *= pieces;
            pieces = 1;
        }
        for (uint64_t p = 0; p < pieces; p++)
            t->sent[t->n_sent++] = s;
    }
}

static SimTime traffic_time_ps(const Draw *d, Traffic *t, gboolean packets)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(d->text->str);
    SimTime end_ps = 0;

    t->engine = sim_engine_new();
    t->network = network_new(t->engine, topology, PACKET_BYTES, NULL,
                             on_message_delivered, t);
    if (packets)
        network_move_packets_individually(t->network, LARGE_BUFFER);
    else if (g_getenv("ACESIM_DRAW"))
        network_set_link_listeners(t->network, on_link_used, NULL, t);
    t->n_arrived = 0;
    for (guint i = 0; i < t->n_sent; i++)
        sim_engine_schedule(t->engine, t->sent[i].at_ps, SIM_PHASE_ACT,
                            send_random_message, t, i);
    (void)sim_engine_run(t->engine, SIM_TIME_MAX);
    assert_int_equal(t->n_arrived, t->n_sent);
    assert_true(network_is_empty(t->network));
    for (guint i = 0; i < t->n_sent; i++)
        end_ps = MAX(end_ps, t->arrival_ps[i]);
    if (g_getenv("ACESIM_DRAW"))
        for (guint i = 0; i < t->n_sent; i++)
            (void)printf("%u: %u to %u, " U " B, key " U ", at " U " ns: " U
                         " ns\n",
                         i, t->sent[i].src, t->sent[i].dst, t->sent[i].bytes,
                         t->sent[i].key, t->sent[i].at_ps / 1000,
                         t->arrival_ps[i] / 1000);
    network_free(t->network);
    sim_engine_free(t->engine);
    return end_ps;
}

/* ---- comparison of message and packet fidelity --------------------------- */

typedef struct {
    /* The relative deviation of message fidelity from packet fidelity. */
    double error;
    uint64_t seed;
    guint kind;
    gboolean is_traffic, has_limits;
} Compared;

static gboolean compare_fidelities_of_draw(uint64_t seed, gboolean is_coarse,
                                           Compared *ret)
{
    Draw d = { .seed = seed, .is_coarse = is_coarse };
    guint kind = (guint)(seed % G_N_ELEMENTS(kinds));
    gboolean is_traffic = seed / G_N_ELEMENTS(kinds) % 2, ok;
    SimTime message_ps = 0, packet_ps = 0;

    ok = draw_topology_of_kind(&d, kind);
    if (g_getenv("ACESIM_DRAW"))
        (void)printf("%s\n", d.text->str);
    if (ok && is_traffic) {
        g_autofree Traffic *t = g_new0(Traffic, 1);

        draw_random_traffic(&d, t);
        message_ps = traffic_time_ps(&d, t, FALSE);
        packet_ps = traffic_time_ps(&d, t, TRUE);
    } else if (ok) {
        Setup setup = draw_collective_setup(&d);

        if (g_getenv("ACESIM_DRAW"))
            (void)printf("%s\n%s\n", setup.workload, setup.collectives);
        message_ps = collective_time_of_fidelity_ps(&setup, "message");
        packet_ps = message_ps > 0
                        ? collective_time_of_fidelity_ps(&setup, "packet")
                        : 0;
    }
    g_string_free(d.text, TRUE);
    if (packet_ps == 0)
        return FALSE;
    *ret = (Compared){ .error = (double)message_ps / (double)packet_ps - 1,
                       .seed = seed,
                       .kind = kind,
                       .is_traffic = is_traffic,
                       .has_limits = d.has_limits };
    if (g_getenv("ACESIM_DRAW"))
        (void)printf("messages " U " ps, packets " U " ps: %+.2f %%\n",
                     message_ps, packet_ps, 100 * ret->error);
    return TRUE;
}

static int compare_by_error(gconstpointer a, gconstpointer b)
{
    double x = fabs(((const Compared *)a)->error);
    double y = fabs(((const Compared *)b)->error);

    return (x > y) - (x < y);
}

static double quantile_of_model_errors(const GArray *all, double part)
{
    guint i = (guint)(part * (all->len - 1));

    return 100 * g_array_index(all, Compared, i).error;
}

static void print_error_distribution(const GArray *all, guint n_refused)
{
    guint n_more[2][2] = { { 0 } }, n[2][2] = { { 0 } };

    for (guint i = 0; i < all->len; i++) {
        const Compared *compared = &g_array_index(all, Compared, i);

        n[compared->is_traffic][compared->has_limits]++;
        n_more[compared->is_traffic][compared->has_limits] +=
            fabs(compared->error) > 0.01;
    }
    (void)printf(
        "%u systems, %u more are refused; half within %.3f %%, 90 %% "
        "%.3f, 95 %% %.3f, 99 %% %.3f, the worst %.3f\n",
        all->len, n_refused, quantile_of_model_errors(all, .5),
        quantile_of_model_errors(all, .9), quantile_of_model_errors(all, .95),
        quantile_of_model_errors(all, .99), quantile_of_model_errors(all, 1));
    for (guint t = 0; t < 2; t++)
        for (guint l = 0; l < 2; l++)
            (void)printf(
                "%s %s: %u of %u above 1 %%\n", t ? "traffic" : "collectives",
                l ? "with limits" : "without limits", n_more[t][l], n[t][l]);
    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        double sum = 0, worst = 0;
        guint above = 0, count = 0;

        for (guint i = 0; i < all->len; i++) {
            const Compared *compared = &g_array_index(all, Compared, i);

            if (compared->kind != k)
                continue;
            count++;
            above += fabs(compared->error) > 0.01;
            sum += fabs(compared->error);
            worst =
                fabs(compared->error) > fabs(worst) ? compared->error : worst;
        }
        (void)printf(
            "%-16s %5u, above 1 %% %4u, mean %.3f %%, worst %+.2f %%\n",
            kinds[k].name, count, above, 100 * sum / MAX(1, count),
            100 * worst);
    }
    for (guint i = all->len; i > 0 && i + 12 > all->len; i--) {
        const Compared *compared = &g_array_index(all, Compared, i - 1);

        (void)printf("draw " U ": %s, %s%s: %+.2f %%\n", compared->seed,
                     kinds[compared->kind].name,
                     compared->is_traffic ? "traffic" : "collective",
                     compared->has_limits ? ", limits" : "",
                     100 * compared->error);
    }
}

/* Up to 15 in a thousand draws, plus three, may be off by more than 1 %, and
 * none by more than 12 %. Measured with 2,000 draws: 12 in a thousand, and 9.8
 * %. */
#define MOST_ABOVE_PER_MILLE 15
#define EXTRA_ABOVE          3
#define MOST_ERROR           0.12

static GArray *compare_many_draws(guint n, gboolean is_coarse,
                                  guint *ret_n_refused)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Compared));

    *ret_n_refused = 0;
    for (uint64_t seed = 0; all->len < n && *ret_n_refused < 20 * n; seed++) {
        Compared compared;

        if (compare_fidelities_of_draw(seed, is_coarse, &compared))
            g_array_append_val(all, compared);
        else
            ++*ret_n_refused;
    }
    assert_int_equal(all->len, n);
    g_array_sort(all, compare_by_error);
    return all;
}

static void message_fidelity_is_near_packet_fidelity(void **state)
{
    guint n = n_random_draws(N_DRAWS), n_refused;
    g_autoptr(GArray) all = compare_many_draws(n, FALSE, &n_refused);
    guint n_above = 0;

    (void)state;
    for (guint i = 0; i < n; i++)
        n_above += fabs(g_array_index(all, Compared, i).error) > 0.01;
    if (g_getenv("ACESIM_DRAWS"))
        print_error_distribution(all, n_refused);
    assert_in_range(1000 * n_above, 0,
                    MOST_ABOVE_PER_MILLE * n + 1000 * EXTRA_ABOVE);
    assert_true(fabs(quantile_of_model_errors(all, 1)) < 100 * MOST_ERROR);
}

/* Only reports. A message is not interrupted, so a message of a whole transfer
 * may delay one that packets would let pass. */
static void rates_of_whole_transfers_are_reported(void **state)
{
    guint n_refused;
    g_autoptr(GArray) all = NULL;

    (void)state;
    if (!g_getenv("ACESIM_DRAWS"))
        skip();
    all = compare_many_draws(n_random_draws(N_DRAWS), TRUE, &n_refused);
    print_error_distribution(all, n_refused);
}

/* Compares the draw that ACESIM_DRAW names, with details. Returns FALSE if
 * there is none. */
static gboolean compare_requested_draw(void)
{
    const char *one = g_getenv("ACESIM_DRAW");
    Compared compared;

    if (one)
        (void)compare_fidelities_of_draw(g_ascii_strtoull(one, NULL, 10),
                                         g_getenv("ACESIM_COARSE") != NULL,
                                         &compared);
    return one != NULL;
}

/* ---- slow senders on fast links ------------------------------------------ */

static void check_fidelities_within_one_percent(const char *topology,
                                                const char *workload,
                                                const char *algorithm)
{
    Setup setup = {
        .topology = topology,
        .endpoint = "{kind: ideal, message_cycles: 0}",
        .workload = workload,
        .collectives =
            format_text("{algorithm: %s, chunk: 1 GiB, message: 1 GiB, "
                        "window: 4, packet: 256 B, buffer: 2 MiB",
                        algorithm),
    };
    SimTime message_ps = collective_time_of_fidelity_ps(&setup, "message");
    SimTime packet_ps = collective_time_of_fidelity_ps(&setup, "packet");

    assert_true(packet_ps > 0);
    if (fabs((double)message_ps / (double)packet_ps - 1) > 0.01)
        fail_msg(U " ps instead of " U " on %s", message_ps, packet_ps,
                 topology);
}

/* Returns two leaves of @n NPUs at 10 GB/s, joined by a link of @times that
 * rate. */
static const char *two_leaf_tree_text(guint n, guint times)
{
    GString *text = g_string_new("{kind: graph, npus_forward: false, nodes: ["
                                 "{name: s0, kind: sw}, {name: s1, kind: sw}");
    const char *ret;

    for (guint i = 0; i < 2 * n; i++)
        g_string_append_printf(text, ", {name: g%u, kind: npu}", i);
    g_string_append_printf(text,
                           "], links: [{from: s0, to: s1, bandwidth: %u GB/s, "
                           "latency: 1 us}",
                           10 * times);
    for (guint i = 0; i < 2 * n; i++)
        g_string_append_printf(
            text, ", {from: g%u, to: s%u, bandwidth: 10 GB/s, latency: 1 us}",
            i, i / n);
    g_string_append(text, "]}");
    ret = format_text("%s", text->str);
    g_string_free(text, TRUE);
    return ret;
}

static void leaves_share_an_uplink_of_several_times_their_rate(void **state)
{
    (void)state;
    for (guint times = 1; times <= 16; times *= 2)
        for (guint n = 2; n <= 4; n *= 2) {
            check_fidelities_within_one_percent(
                two_leaf_tree_text(n, times),
                "{kind: collective, name: c, collective: "
                "all-gather, payload: 500 kB}",
                "halving-doubling");
            check_fidelities_within_one_percent(
                two_leaf_tree_text(n, times),
                "{kind: collective, name: c, collective: "
                "all-to-all, payload: 500 kB}",
                "direct");
        }
}

/* The directions of a cable, or two NPUs, share a limit. */
static void senders_share_a_limit_of_several_times_their_rate(void **state)
{
    static const char *const limited[] = { "[[a, s], [s, a]]",
                                           "[[a, s], [b, s]]" };
    static const guint rates[] = { 10, 20, 40 };

    (void)state;
    for (guint l = 0; l < G_N_ELEMENTS(limited); l++)
        for (guint r = 0; r < G_N_ELEMENTS(rates); r++)
            check_fidelities_within_one_percent(
                format_text(
                    "{kind: graph, npus_forward: false, nodes: ["
                    "{name: a, kind: npu}, {name: b, kind: npu}, "
                    "{name: s, kind: sw}], links: ["
                    "{from: a, to: s, bandwidth: 10 GB/s, latency: 1 us}, "
                    "{from: b, to: s, bandwidth: 10 GB/s, latency: 1 us}], "
                    "limits: [{name: l, bandwidth: %u GB/s, links: %s}]}",
                    rates[r], limited[l]),
                "{kind: collective, name: c, collective: all-gather, "
                "payload: 1 MB}",
                "ring");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_topology_is_drawn),
        cmocka_unit_test(leaves_share_an_uplink_of_several_times_their_rate),
        cmocka_unit_test(senders_share_a_limit_of_several_times_their_rate),
        cmocka_unit_test(message_fidelity_is_near_packet_fidelity),
        cmocka_unit_test(rates_of_whole_transfers_are_reported),
    };

    if (compare_requested_draw())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
