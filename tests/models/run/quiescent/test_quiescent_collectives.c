/* test_quiescent_collectives.c - Tests of collectives that are replayed.
 *
 * Random programs have the same counters of all links and NPUs, the same times
 * of all operations, and report the same to a listener of operations, with and
 * without replays.  In most of them
 * collectives are replayed, in many some replay is taken back.  In a pipeline
 * nearly all collectives are replayed. */
#include "tests/system_fixture.h"

#include "models/run/steady/skip_mode.h"
#include "models/run/training_impl.h"

/* ---- what a run did ------------------------------------------------------ */

static uint64_t mixed(uint64_t digest, uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static uint64_t digest_of_links(const System *system)
{
    uint32_t n = symmetry_fold_n_simulated_units(system->plan.fold) *
                 topology_n_ports(system->plan.topology);
    uint64_t digest = 1;

    for (uint32_t l = 0; l < n; l++) {
        NetPortStats stats = network_link_stats(system->state.network, l);

        digest = mixed(mixed(mixed(digest, stats.sent_bytes), stats.n_messages),
                       stats.busy_ps);
    }
    return digest;
}

static uint64_t digest_of_npu(const Npu *npu)
{
    const Training *training = npu->training;
    EndpointStats stats = { 0 };
    uint64_t digest = 2;

    npu->endpoint->ops->stats(npu->endpoint, &stats);
    digest = mixed(mixed(digest, npu->sent_bytes), npu->received_bytes);
    digest = mixed(mixed(digest, npu->posted_ps), npu->window_full_ps);
    digest = mixed(mixed(digest, npu->communicated_ps), npu->beside_ps);
    for (uint32_t i = 0; i < npu->system->plan.endpoints.members.n; i++)
        digest =
            mixed(mixed(digest, npu->uses[i].reduced_ps), npu->uses[i].busy_ps);
    digest = mixed(digest, stats.hbm_read_bytes);
    digest = mixed(mixed(digest, stats.hbm_write_bytes), stats.hbm_busy_ps);
    digest = mixed(mixed(digest, stats.bus_busy_ps), training->end_ps);
    digest = mixed(mixed(digest, training->compute_end_ps),
                   training->collective_end_ps);
    for (uint32_t i = 0; i < training_n_collectives(training); i++) {
        digest = mixed(digest, training->collectives[i].issued_ps);
        digest = mixed(digest, training->collectives[i].took_ps);
        digest = mixed(digest, training->collectives[i].waited_ps);
    }
    for (OpStream s = 0; s < OP_N_STREAMS; s++)
        digest = mixed(digest, compute_stream_busy_ps(npu->streams[s]));
    return digest;
}

static uint64_t digest_of_shares(const GrantedShares *shares)
{
    uint64_t digest = mixed(3, shares->n);

    for (guint i = 0; i < MIN(shares->n, SHARES_MAX); i++)
        digest = mixed(mixed(digest, shares->shares[i].n_sms),
                       shares->shares[i].bytes_per_s);
    return digest;
}

/* A listener of operations adds up digests of its calls, so that the order
 * of NPUs within an instant does not matter. */
static void add_operation(gpointer self, uint32_t npu, uint32_t op,
                          uint64_t iteration, SimTime now_ps)
{
    uint64_t *sum = self;

    *sum += mixed(mixed(mixed(mixed(4, npu), op), iteration), now_ps);
}

static const TraceOps operations = { .ahead = TRUE,
                                     .kernel_begins = add_operation,
                                     .kernel_ends = add_operation,
                                     .collective_begins = add_operation,
                                     .collective_launched = add_operation,
                                     .collective_ends = add_operation };

typedef struct {
    uint64_t links, npus, shares, most_in_flight, communicated_ps, operations;
    ReplayCounts replays;
    uint64_t n_events;
} Outcome;

/* Runs @setup, with a listener of operations if @listens.  Returns FALSE if it
 * is refused, or stalls. */
static gboolean run_setup(const Setup *setup, FoldMode fold, SkipMode skip,
                          gboolean listens, Outcome *ret)
{
    uint64_t sum = 0;
    Run run;
    gboolean ok;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config,
                            (RunOptions){ .fold = fold, .skip = skip }, NULL);
    ok = run.system != NULL;
    if (ok) {
        if (listens)
            system_add_listener(run.system, &operations, &sum);
        ok = system_run(run.system, NULL);
    }
    if (ok) {
        const System *system = run.system;

        *ret = (Outcome){ .links = digest_of_links(system),
                          .shares = digest_of_shares(&system->counters.shares),
                          .most_in_flight = system->counters.most_in_flight,
                          .communicated_ps = system->counters.communicated_ps,
                          .operations = sum,
                          .replays = system_replay_counts(system),
                          .n_events = system->counters.n_events };
        for (uint32_t i = 0; i < system->plan.n_sim; i++)
            ret->npus = mixed(ret->npus, digest_of_npu(&system->state.npus[i]));
    }
    run_clear(&run);
    return ok;
}

/* ---- random programs ----------------------------------------------------- */

#define MOST_ROLES 4

typedef struct {
    GRand *rand;
    int n_tp, n_roles, n_dp;
    GString *ops[MOST_ROLES];
    /* The operation that the next one of the role waits for, or NULL. */
    const char *last[MOST_ROLES];
    const char *kinds[2]; /* of the collectives */
    int kib[2];
} Draw;

static int below(Draw *draw, int n)
{
    return g_rand_int_range(draw->rand, 0, n);
}

static gboolean with_chance(Draw *draw, int percent)
{
    return below(draw, 100) < percent;
}

#define ONE_OF(draw, array) ((array)[below(draw, (int)G_N_ELEMENTS(array))])

G_GNUC_PRINTF(3, 4)
static void add_op(Draw *draw, int role, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_string_append_printf(draw->ops[role], "%s{%s}",
                           draw->ops[role]->len > 0 ? ", " : "", text);
}

static const char *after_last(const Draw *draw, int role)
{
    return draw->last[role] ? format_text(", after: [%s]", draw->last[role])
                            : "";
}

static void add_kernel(Draw *draw, int role, const char *name)
{
    static const char *const flop[] = { "1000000000", "100000000000" };
    static const int powers[] = { 100000, 3000000, 200000000 };
    static const char *const times[] = { "1.7", "20", "150.3", "400" };

    if (with_chance(draw, 50))
        add_op(draw, role, "kind: kernel, name: %s, time: %s us%s", name,
               ONE_OF(draw, times), after_last(draw, role));
    else
        add_op(draw, role,
               "kind: kernel, name: %s, flop: %s, read: %d B, write: 1 MB%s",
               name, ONE_OF(draw, flop), ONE_OF(draw, powers),
               after_last(draw, role));
}

static void add_collective(Draw *draw, int role, int step)
{
    int x = with_chance(draw, 25);
    const char *name = format_text("c%d", step);
    const char *group = draw->n_dp > 1 && with_chance(draw, 15) ? "dp" : "tp";

    if (with_chance(draw, 60)) {
        const char *kernel = format_text("k%d", step);

        add_kernel(draw, role, kernel);
        draw->last[role] = kernel;
    }
    add_op(draw, role,
           "kind: collective, name: %s, collective: %s, bytes: %d KiB, "
           "group: %s%s",
           name, draw->kinds[x], draw->kib[x], group, after_last(draw, role));
    if (with_chance(draw, 80))
        draw->last[role] = name;
}

static void add_message(Draw *draw, int role, int step)
{
    static const int sizes[] = { 1000, 300000, 6000000 };
    static const char *const times[] = { "0.5", "33.3" };
    int to = (role + 1 + below(draw, draw->n_roles - 1)) % draw->n_roles;
    int n = ONE_OF(draw, sizes);

    add_op(draw, role,
           "kind: send, name: m%d, group: pp, from: %d, to: %d, bytes: %d B%s",
           step, role, to, n, after_last(draw, role));
    add_op(draw, to,
           "kind: receive, name: m%d, group: pp, from: %d, to: %d, bytes: %d B",
           step, role, to, n);
    if (with_chance(draw, 30))
        return;
    add_op(draw, to, "kind: kernel, name: j%d, time: %s us, after: [m%d%s%s]",
           step, ONE_OF(draw, times), step, draw->last[to] ? ", " : "",
           draw->last[to] ?: "");
    draw->last[to] = format_text("j%d", step);
}

static void add_random_ops(Draw *draw, int n_steps)
{
    for (int step = 0; step < n_steps; step++) {
        int role = below(draw, draw->n_roles), what = below(draw, 100);

        if (what < 60) {
            add_collective(draw, role, step);
        } else if (what < 65 || draw->n_roles == 1) {
            add_kernel(draw, role, format_text("k%d", step));
            if (with_chance(draw, 70))
                draw->last[role] = format_text("k%d", step);
        } else {
            add_message(draw, role, step);
        }
    }
}

/* Returns a program of chains of kernels, collectives of each role, and
 * messages between roles.  NPU i has role i / n_tp % n_roles. */
static const char *random_program(Draw *draw)
{
    static const int sizes[] = { 64, 1000, 4096, 8000 };
    static const char *const kinds[] = { "all-reduce", "all-reduce",
                                         "all-gather", "reduce-scatter",
                                         "all-to-all" };
    g_autoptr(GString) text = g_string_new(NULL);
    int n_stage = draw->n_tp * draw->n_roles;

    for (int i = 0; i < 2; i++) {
        draw->kinds[i] = ONE_OF(draw, kinds);
        draw->kib[i] = ONE_OF(draw, sizes);
    }
    for (int r = 0; r < draw->n_roles; r++) {
        draw->ops[r] = g_string_new(NULL);
        draw->last[r] = NULL;
    }
    add_random_ops(draw, 12 + below(draw, 50));
    g_string_append_printf(
        text,
        "{kind: program, name: p, groups: [{name: tp, size: %d}, "
        "{name: pp, size: %d, stride: %d}, "
        "{name: dp, size: %d, stride: %d}], roles: [",
        draw->n_tp, draw->n_roles, draw->n_tp, draw->n_dp, n_stage);
    for (int r = 0; r < draw->n_roles; r++) {
        g_string_append_printf(text, "%s{name: s%d, ranks: {list: [",
                               r > 0 ? ", " : "", r);
        for (int d = 0; d < draw->n_dp; d++)
            for (int i = 0; i < draw->n_tp; i++)
                g_string_append_printf(text, "%s%d", d + i > 0 ? ", " : "",
                                       d * n_stage + r * draw->n_tp + i);
        if (draw->ops[r]->len == 0)
            add_kernel(draw, r, "z");
        g_string_append_printf(text, "]}, ops: [%s]}", draw->ops[r]->str);
        g_string_free(draw->ops[r], TRUE);
    }
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

/* ---- random systems ------------------------------------------------------ */

#define INNER                                                                  \
    "{kind: switch, npus: 8, links: 18, bandwidth: 25 GB/s, latency: 300 ns, " \
    "efficiency: 82 %%, reduces: true, reduce_rate: 263 GB/s}"

static const char *random_machine(Draw *draw, int n_npus)
{
    static const char *const rails[] = { "true", "true", "false" };

    if (n_npus % 8 == 0 && n_npus > 8 && with_chance(draw, 75))
        return format_text(
            "{kind: nested, count: %d, inner: " INNER ", nics: 8, "
            "nic: {bandwidth: 63 GB/s, latency: 250 ns, efficiency: 91 %%}, "
            "rails: %s, outer: {kind: switch, bandwidth: 50 GB/s, "
            "latency: 1 us, efficiency: 96 %%}}",
            n_npus / 8, ONE_OF(draw, rails));
    if (with_chance(draw, 50))
        return format_text("{kind: switch, npus: %d, links: 2, "
                           "bandwidth: 50 GB/s, latency: 700 ns}",
                           n_npus);
    return format_text("{kind: torus, dims: [{size: %d, links: 2, "
                       "bandwidth: 100 GB/s, latency: 72 ns%s}, {size: %d, "
                       "links: 2, bandwidth: 25 GB/s, latency: 400 ns}]}",
                       draw->n_tp,
                       with_chance(draw, 70) ? ", direction: one" : "",
                       n_npus / draw->n_tp);
}

static const char *random_npu(Draw *draw)
{
    return format_text(
        "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, "
        "hbm: {bandwidth: 900 GB/s, policy: %s%s}}",
        with_chance(draw, 60) ? "shared" : "partitioned",
        with_chance(draw, 30) ? ", turnaround: 7 %, write_loss: 3 %" : "");
}

static const char *random_endpoint(Draw *draw)
{
    static const char *const endpoints[] = {
        "{kind: ideal}",
        "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s, "
        "launch_time: 0 ns, step_time: 0 ns}",
        "{kind: baseline, sms: 2, memory_bandwidth: 128 GB/s, "
        "launch_time: 0 ns, step_time: 0 ns}",
        "{kind: baseline, sms: 24, memory_bandwidth: 50 %, "
        "only_while_communicating: true}",
        "{kind: baseline, sms: 100 %, memory_bandwidth: 100 %, "
        "only_while_communicating: true, launch_time: 0 ns, step_time: 0 ns}",
    };

    return ONE_OF(draw, endpoints);
}

static const char *random_cut(Draw *draw)
{
    static const int windows[] = { 1, 2, 4, 8, 8, 16 };
    static const int kib[] = { 512, 1024, 4096, 65536 };

    return format_text("{chunk: %d KiB, message: %d KiB, window: %d}",
                       ONE_OF(draw, kib), ONE_OF(draw, kib),
                       ONE_OF(draw, windows));
}

static Setup random_setup(Draw *draw)
{
    static const int tps[] = { 8, 8, 8, 4, 2 };
    static const int iterations[] = { 3, 5, 8 };
    static const int roles[] = { 1, 2, 2, 3, 4, 4 };
    Setup setup = { 0 };

    draw->n_tp = ONE_OF(draw, tps);
    draw->n_roles = ONE_OF(draw, roles);
    draw->n_dp = draw->n_roles == 1 ? 2 : 1 + below(draw, 2);
    setup.topology =
        random_machine(draw, draw->n_tp * draw->n_roles * draw->n_dp);
    setup.workload = random_program(draw);
    setup.training = format_text("{iterations: %d, compute: measured}",
                                 ONE_OF(draw, iterations));
    setup.npu = random_npu(draw);
    setup.endpoint = random_endpoint(draw);
    setup.collectives = random_cut(draw);
    if (strstr(setup.topology, "nested") && with_chance(draw, 60)) {
        setup.stack = "{kind: nccl}";
        setup.collectives = "{}";
    }
    return setup;
}

/* ---- comparisons --------------------------------------------------------- */

static void assert_outcomes_are_same(const Setup *setup, guint number,
                                     const Outcome *a, const Outcome *b)
{
    if (a->links == b->links && a->npus == b->npus && a->shares == b->shares &&
        a->most_in_flight == b->most_in_flight &&
        a->communicated_ps == b->communicated_ps &&
        a->operations == b->operations)
        return;
    fail_msg("draw %u: links %d, NPUs %d, shares %d, in flight %d, "
             "communicated %d, operations %d are the same; %" G_GUINT64_FORMAT
             " replayed, %" G_GUINT64_FORMAT " taken back\n%s",
             number, a->links == b->links, a->npus == b->npus,
             a->shares == b->shares, a->most_in_flight == b->most_in_flight,
             a->communicated_ps == b->communicated_ps,
             a->operations == b->operations, b->replays.n_replayed,
             b->replays.n_taken_back, setup_text(setup));
}

#define N_DRAWS 40

static void test_replays_change_no_figure(void **state)
{
    const char *seed = g_getenv("ACESIM_SEED");
    Draw draw = { .rand = g_rand_new_with_seed(
                      seed ? (guint32)g_ascii_strtoull(seed, NULL, 10) : 1) };
    guint n = n_random_draws(N_DRAWS), n_run = 0, n_with = 0, n_back = 0;
    guint n_heard = 0;
    uint64_t n_replayed = 0, n_taken_back = 0;

    (void)state;
    for (guint i = 0; i < n; i++) {
        Setup setup = random_setup(&draw);
        FoldMode fold = with_chance(&draw, 70) ? FOLD_AUTO : FOLD_OFF;
        gboolean listens = i % 2 == 1;
        Outcome off, replayed, checked;

        if (!run_setup(&setup, fold, SKIP_OFF, listens, &off))
            continue;
        assert_true(run_setup(&setup, fold, SKIP_AUTO, listens, &replayed));
        assert_outcomes_are_same(&setup, i, &off, &replayed);
        assert_int_equal(off.replays.n_replayed, 0);
        if (i % 4 == 0) {
            assert_true(run_setup(&setup, fold, SKIP_CHECK, listens, &checked));
            assert_outcomes_are_same(&setup, i, &off, &checked);
            assert_int_equal(checked.replays.n_replayed, 0);
        }
        n_run++;
        n_with += replayed.replays.n_replayed > 0;
        n_heard += listens && replayed.replays.n_replayed > 0;
        n_back += replayed.replays.n_taken_back > 0;
        n_replayed += replayed.replays.n_replayed;
        n_taken_back += replayed.replays.n_taken_back;
    }
    print_message("# %u programs, %u refused; %u with replays, %u with replays "
                  "taken back; %" G_GUINT64_FORMAT
                  " replayed, %" G_GUINT64_FORMAT " taken back\n",
                  n, n - n_run, n_with, n_back, n_replayed, n_taken_back);
    assert_true(2 * n_with >= n_run && 8 * n_back >= n_run);
    assert_true(4 * n_heard >= n_run); /* half of them have a listener */
    assert_true(10 * n_run >= 9 * n);
    g_rand_free(draw.rand);
}

/* ---- a pipeline ---------------------------------------------------------- */

#define N_MICRO_BATCHES 12
#define N_LAYERS        6

/* Appends the operations of micro-batch @m on stage @stage of two. */
static void add_micro_batch(GString *ops, int stage, int m)
{
    g_autofree char *after = g_strdup_printf("m%d", m);

    g_string_append(ops, m > 0 ? ", " : "");
    if (stage == 1)
        g_string_append_printf(ops,
                               "{kind: receive, name: m%d, group: pp, from: 0, "
                               "to: 1, bytes: 6 MiB}, ",
                               m);
    for (int l = 0; l < N_LAYERS; l++) {
        gboolean waits = l > 0 || stage == 1;
        g_autofree char *name = g_strdup_printf("%d_%d_%d", stage, m, l);

        g_string_append_printf(
            ops,
            "%s{kind: kernel, name: k%s, after: [%s], time: 300 us}, "
            "{kind: collective, name: c%s, collective: all-reduce, "
            "bytes: 48 MiB, group: tp, after: [k%s]}",
            l > 0 ? ", " : "", name, waits ? after : "", name, name);
        g_free(after);
        after = g_strdup_printf("c%s", name);
    }
    if (stage == 0)
        g_string_append_printf(ops,
                               ", {kind: send, name: m%d, group: pp, from: 0, "
                               "to: 1, bytes: 6 MiB, after: [%s]}",
                               m, after);
}

/* Nearly all all-reduces of two pipeline stages are replayed.  Messages disturb
 * some. */
static void test_most_collectives_of_a_pipeline_are_replayed(void **state)
{
    g_autoptr(GString) first = g_string_new(NULL);
    g_autoptr(GString) second = g_string_new(NULL);
    Outcome off, replayed;
    uint64_t n_all = (uint64_t)2 * 2 * N_MICRO_BATCHES * N_LAYERS;
    Setup setup = { .topology =
                        "{kind: nested, count: 2, inner: {kind: switch, "
                        "npus: 8, links: 18, bandwidth: 25 GB/s, "
                        "latency: 300 ns, efficiency: 82 %, reduces: true, "
                        "reduce_rate: 263 GB/s}, nics: 8, nic: {bandwidth: "
                        "63 GB/s, latency: 250 ns, efficiency: 91 %}, rails: "
                        "true, outer: {kind: switch, bandwidth: 50 GB/s, "
                        "latency: 1 us, efficiency: 96 %}}",
                    .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: "
                                "450 GB/s}",
                    .stack = "{kind: nccl}",
                    .training = "{iterations: 2, compute: measured}",
                    .collectives =
                        "{chunk: 4 MiB, message: 4 MiB, window: 8}" };

    (void)state;
    for (int m = 0; m < N_MICRO_BATCHES; m++) {
        add_micro_batch(first, 0, m);
        add_micro_batch(second, 1, m);
    }
    setup.workload = format_text(
        "{kind: program, name: p, groups: [{name: tp, size: 8}, {name: pp, "
        "size: 2, stride: 8}], roles: [{name: a, ranks: {list: [0, 1, 2, 3, 4, "
        "5, 6, 7]}, ops: [%s]}, {name: b, ranks: {list: [8, 9, 10, 11, 12, 13, "
        "14, 15]}, ops: [%s]}]}",
        first->str, second->str);
    assert_true(run_setup(&setup, FOLD_AUTO, SKIP_OFF, FALSE, &off));
    assert_true(run_setup(&setup, FOLD_AUTO, SKIP_AUTO, FALSE, &replayed));
    assert_outcomes_are_same(&setup, 0, &off, &replayed);
    print_message("# %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  " all-reduces replayed, %" G_GUINT64_FORMAT
                  " of %" G_GUINT64_FORMAT " events\n",
                  replayed.replays.n_replayed, n_all, replayed.n_events,
                  off.n_events);
    assert_true(10 * replayed.replays.n_replayed > 8 * n_all);
    assert_true(3 * replayed.n_events < off.n_events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_most_collectives_of_a_pipeline_are_replayed),
        cmocka_unit_test(test_replays_change_no_figure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
