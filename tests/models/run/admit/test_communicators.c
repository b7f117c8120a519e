/* test_communicators.c - Tests of communicators that share an NPU and its
 * links.
 *
 * A message does not wait for another group's collective, and groups get equal
 * shares. For random programs, symmetry reduction does not change the result,
 * all data arrive, and an ideal endpoint is not slower than one with costs. */
#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"
#include "models/run/stack_costs.h"

#define LINK  "bandwidth: 50 GB/s, latency: 1 us"
#define WIDE  "{kind: switch, npus: 8, links: 1, " LINK "}"
#define TRAIN "{iterations: 1, compute: measured}"

static SimTime measure_iteration_time(const char *workload,
                                      const char *collectives)
{
    const Setup s = { .topology = WIDE,
                      .workload = workload,
                      .training = TRAIN,
                      .collectives = collectives };

    return simulate_setup(&s).iteration_ps;
}

/* ---- a message in parallel with a collective ----------------------------- */

/* NPUs 0 to 3 gather 64 MiB. NPU 0 sends 1 MiB to NPU 4 after 100 us, on which
 * NPU 4 computes for 2 ms. Alone, the collective takes 650 us and the message
 * 21 us. */
#define BESIDE                                                                 \
    "{kind: program, name: p, groups: [{name: dp, size: 4}, "                  \
    "{name: pp, size: 2, stride: 4}], roles: ["                                \
    "{name: a, ranks: {list: [0, 1, 2, 3]}, ops: ["                            \
    "{kind: collective, name: g, collective: all-gather, bytes: 64 MiB, "      \
    "group: dp}, "                                                             \
    "{kind: kernel, name: k, time: 100 us}, "                                  \
    "{kind: send, name: m, group: pp, from: 0, to: 1, bytes: 1 MiB, "          \
    "after: [k]}]}, "                                                          \
    "{name: b, ranks: {list: [4, 5, 6, 7]}, ops: ["                            \
    "{kind: receive, name: m, group: pp, from: 0, to: 1, bytes: 1 MiB}, "      \
    "{kind: kernel, name: u, time: 2 ms, after: [m]}]}]}"

static void test_a_message_does_not_wait_for_another_group(void **state)
{
    static const char *const cuts[] = {
        "{chunk: 1 MiB, message: 256 KiB, window: 8}",
        /* The payload is a single chunk, which fills the window. */
        "{chunk: 64 MiB, message: 256 KiB, window: 1}",
    };

    (void)state;
    for (gsize c = 0; c < G_N_ELEMENTS(cuts); c++) {
        const char *fifo = format_text("%.*s, scheduler: fifo}",
                                       (int)strlen(cuts[c]) - 1, cuts[c]);
        SimTime least_ps = 2100 * (SimTime)1000000;

        assert_true(measure_iteration_time(BESIDE, cuts[c]) <
                    least_ps + 60 * (SimTime)1000000);
        /* With the fifo scheduler, the message is last, so the test can detect
         * it. */
        assert_true(measure_iteration_time(BESIDE, fifo) >
                    least_ps + 500 * (SimTime)1000000);
    }
}

/* NPUs 0 to 3 gather @sender_mib, and NPUs 4 to 7 @receiver_mib.  After 10 ms,
 * NPUs 0 to 3 gather 512 MiB in another group, and NPU 0 sends 1 MiB to NPU 4
 * beside that, on which NPU 4 computes for 20 ms. */
static const char *workload_after_unequal_traffic(int sender_mib,
                                                  int receiver_mib)
{
    return format_text(
        "{kind: program, name: p, groups: [{name: dp, size: 4}, "
        "{name: tp, size: 4}, {name: pp, size: 2, stride: 4}], roles: ["
        "{name: a, ranks: {list: [0, 1, 2, 3]}, ops: ["
        "{kind: collective, name: v, collective: all-gather, bytes: %d MiB, "
        "group: tp}, "
        "{kind: kernel, name: w, time: 10 ms}, "
        "{kind: collective, name: g, collective: all-gather, bytes: 512 MiB, "
        "group: dp, after: [v, w]}, "
        "{kind: kernel, name: k, time: 100 us, after: [v, w]}, "
        "{kind: send, name: m, group: pp, from: 0, to: 1, bytes: 1 MiB, "
        "after: [k]}]}, "
        "{name: b, ranks: {list: [4, 5, 6, 7]}, ops: ["
        "{kind: collective, name: x, collective: all-gather, bytes: %d MiB, "
        "group: tp}, "
        "{kind: receive, name: m, group: pp, from: 0, to: 1, bytes: 1 MiB}, "
        "{kind: kernel, name: u, time: 20 ms, after: [m]}]}]}",
        sender_mib, receiver_mib);
}

/* The share of a communicator does not depend on the bytes that its NPUs have
 * sent before.  The message waits for one step of each chunk in flight, which
 * takes up to 330 us.  If it waited until its sender has sent as much as its
 * receiver, it would wait for several ms. */
static void test_earlier_traffic_does_not_change_shares(void **state)
{
    static const int mib[][2] = { { 1, 1 }, { 1, 512 }, { 512, 1 } };
    static const char cut[] =
        "{algorithm: ring, chunk: 8 MiB, message: 2 MiB, window: 8}";

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(mib); i++)
        assert_true(measure_iteration_time(
                        workload_after_unequal_traffic(mib[i][0], mib[i][1]),
                        cut) < (30100 + 500) * (SimTime)1000000);
}

/* ---- equal shares of two collectives ------------------------------------- */

/* Returns a program in which all NPUs gather in two groups of the same ranks.
 * The second gather begins later. */
static const char *two_all_gathers_workload(int first_mib, int second_mib,
                                            int later_us)
{
    return format_text(
        "{kind: program, name: p, groups: [{name: x, size: 8}, "
        "{name: y, size: 8}], roles: [{name: a, ranks: {size: 1, "
        "stride: 1, at: 0}, ops: [{kind: collective, name: g, "
        "collective: all-gather, bytes: %d MiB, group: x}, "
        "{kind: kernel, name: k, time: %d us}, "
        "{kind: collective, name: h, collective: all-gather, "
        "bytes: %d MiB, group: y, after: [k]}, "
        "{kind: kernel, name: u, time: 10 ms, after: [h]}]}]}",
        first_mib, later_us, second_mib);
}

/* The second gather gets half of the links from its issue on. */
static void test_a_second_collective_gets_half_of_the_links(void **state)
{
    static const char *const cuts[] = {
        "{chunk: 1 MiB, message: 64 KiB, window: 8}",
        "{chunk: 64 MiB, message: 64 KiB, window: 8}",
        "{chunk: 256 KiB, message: 64 KiB, window: 64}",
    };

    (void)state;
    for (gsize c = 0; c < G_N_ELEMENTS(cuts); c++) {
        SimTime base_ps = measure_iteration_time(
            two_all_gathers_workload(64, 0 + 8, 5000), cuts[c]);
        SimTime alone_ps = base_ps - 15000 * (SimTime)1000000;
        SimTime half_ps = measure_iteration_time(
                              two_all_gathers_workload(64, 8, 300), cuts[c]) -
                          10300 * (SimTime)1000000;

        assert_near_per_mille(half_ps, 2 * alone_ps, 150);
    }
}

/* Two gathers that begin at the same time end at the same time. */
static void test_collectives_of_equal_shares_end_together(void **state)
{
    static const char cut[] = "{chunk: 1 MiB, message: 64 KiB, window: 8}";
    SimTime both_ps, one_ps;

    (void)state;
    one_ps = measure_iteration_time(two_all_gathers_workload(1, 64, 1), cut);
    both_ps = measure_iteration_time(two_all_gathers_workload(64, 64, 1), cut);
    assert_near_per_mille(both_ps - 10001 * (SimTime)1000000,
                          2 * (one_ps - 10001 * (SimTime)1000000), 60);
}

/* ---- random programs with several communicators -------------------------- */

typedef struct {
    GRand *rand;
    GString *ops; /* The text of the operations of the current role. */
    int n_stages, n_tp, n_dp, n_micro;
    int has_tp, has_experts, has_late; /* Each of these numbers is 0 or 1. */
    int act_kib, tp_kib, grad_kib, expert_kib;
} Draw;

static int draw_number_below(Draw *draw, int n)
{
    return g_rand_int_range(draw->rand, 0, n);
}

static int draw_size_kib(Draw *draw)
{
    return 1 << g_rand_int_range(draw->rand, 2, 13);
}

static void add_random_operation(Draw *draw, const char *op)
{
    g_string_append_printf(draw->ops, "%s%s", draw->ops->len > 0 ? ", " : "",
                           op);
}

static const char *add_random_kernel(Draw *draw, const char *name,
                                     const char *after)
{
    add_random_operation(
        draw,
        format_text("{kind: kernel, name: %s, flop: %d00000000, read: %d KiB, "
                    "write: %d KiB, after: [%s]}",
                    name, 1 + draw_number_below(draw, 100), draw_size_kib(draw),
                    draw_size_kib(draw), after));
    return name;
}

static const char *add_random_collective(Draw *draw, const char *name,
                                         const char *kind, int n_kib,
                                         const char *group, const char *after)
{
    add_random_operation(
        draw, format_text(
                  "{kind: collective, name: %s, collective: %s, bytes: %d KiB, "
                  "group: %s, after: [%s]}",
                  name, kind, n_kib, group, after));
    return name;
}

static void add_random_message(Draw *draw, const char *kind, const char *name,
                               int from, int to, const char *after)
{
    add_random_operation(
        draw, format_text("{kind: %s, name: %s, group: pp, from: %d, to: %d, "
                          "bytes: %d KiB, after: [%s]}",
                          kind, name, from, to, draw->act_kib, after));
}

/* Adds a pass of micro-batch @m in stage @s, forward (@way = 1) or backward
 * (@way = -1). */
static const char *add_pipeline_pass(Draw *draw, const char *pass, int s, int m,
                                     int way, const char *after)
{
    int from = s - way, to = s + way;
    const char *last = after;

    if (from >= 0 && from < draw->n_stages) {
        last = format_text("%sm%d_%d", pass, from, m);
        add_random_message(draw, "receive", last, from, s, "");
    }
    last = add_random_kernel(draw, format_text("%sk%d_%d", pass, s, m), last);
    if (draw->has_tp)
        last = add_random_collective(draw, format_text("%st%d_%d", pass, s, m),
                                     "all-reduce", draw->tp_kib, "tp", last);
    if (draw->has_experts)
        last =
            add_random_collective(draw, format_text("%se%d_%d", pass, s, m),
                                  "all-to-all", draw->expert_kib, "ep", last);
    if (draw->has_tp || draw->has_experts)
        last =
            add_random_kernel(draw, format_text("%sl%d_%d", pass, s, m), last);
    if (to >= 0 && to < draw->n_stages)
        add_random_message(draw, "send", format_text("%sm%d_%d", pass, s, m), s,
                           to, last);
    return last;
}

static const char *draw_pipeline_role(Draw *draw, int s)
{
    static const char *const kinds[] = { "all-reduce", "reduce-scatter",
                                         "all-gather" };
    const char *kind = kinds[g_rand_int_range(draw->rand, 0, 3)];
    const char *ops, *grads = format_text("d%d", s),
                     *last = format_text("%s@-1", grads);

    draw->ops = g_string_new(NULL);
    for (int m = 0; m < draw->n_micro; m++)
        last = add_pipeline_pass(draw, "f", s, m, 1, last);
    for (int m = 0; m < draw->n_micro; m++) {
        last = add_pipeline_pass(draw, "b", s, m, -1, last);
        if (m == 0 && draw->has_late)
            add_random_collective(draw, format_text("x%d", s), "all-gather",
                                  draw->grad_kib / 2 + 1, "dp", last);
    }
    add_random_collective(draw, grads, kind, draw->grad_kib, "dp", last);
    ops = keep_text_until_exit(draw->ops->str);
    g_string_free(draw->ops, TRUE);
    return ops;
}

static const char *draw_pipeline_program(Draw *draw)
{
    int n = draw->n_tp * draw->n_dp;
    g_autoptr(GString) roles = g_string_new(NULL);

    for (int s = 0; s < draw->n_stages; s++)
        g_string_append_printf(
            roles,
            "%s{name: s%d, ranks: {size: %d, stride: %d, at: %d}, ops: [%s]}",
            s > 0 ? ", " : "", s, draw->n_stages, n, s,
            draw_pipeline_role(draw, s));
    return format_text(
        "{kind: program, name: drawn, groups: [{name: tp, size: %d}, "
        "{name: dp, size: %d, stride: %d}, {name: pp, size: %d, "
        "stride: %d}, {name: ep, size: %d}], roles: [%s]}",
        draw->n_tp, draw->n_dp, draw->n_tp, draw->n_stages, n, n, roles->str);
}

static const char *draw_topology_text(Draw *draw, int n)
{
    int gb_per_s = 1 << g_rand_int_range(draw->rand, 4, 8);

    switch (draw_number_below(draw, 4)) {
    case 0:
        return format_text(
            "{kind: switch, npus: %d, links: 1, bandwidth: %d GB/s, "
            "latency: 700 ns}",
            n, gb_per_s);
    case 1:
        return format_text(
            "{kind: torus, dims: [{size: %d, links: 2, bandwidth: "
            "%d GB/s, latency: 500 ns}, {size: %d, links: 2, "
            "bandwidth: 25 GB/s, latency: 500 ns}]}",
            n / 2, gb_per_s, 2);
    default: /* The default topology is one that all software stacks support. */
        return format_text(
            "{kind: nested, count: %d, inner: {kind: switch, npus: 4, links: 4, "
            "bandwidth: 50 GB/s, latency: 300 ns}, nics: 4, nic: {bandwidth: "
            "%d GB/s, latency: 300 ns}, rails: true, outer: {kind: switch, "
            "npus: %d, bandwidth: %d GB/s, latency: 1 us}}",
            n / 4, gb_per_s, n / 4, gb_per_s);
    }
}

typedef struct {
    Setup setup;
    const char *baseline;
    gboolean is_ace;
} Case;

static Case draw_random_case(uint32_t seed)
{
    static const char *const endpoints[] = {
        "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
        "{kind: baseline, sms: 20, memory_bandwidth: 300 GB/s, "
        "only_while_communicating: true}",
        "{kind: copy-engine, sms: 2, memory_bandwidth: 450 GB/s}",
        "{kind: ace, sram: 4 MiB, fsms: 16, memory_bandwidth: 128 GB/s}",
        "{kind: ace, sram: 1 MiB, fsms: 4, chunks_per_fsm: 2, "
        "memory_bandwidth: 128 GB/s}",
    };
    Draw draw = { .rand = g_rand_new_with_seed(random_seed(seed)) };
    Case ret = { .setup = { .training = "{iterations: 2}" } };
    int n, e, has_stack;

    draw.n_stages = 1 << draw_number_below(&draw, 3);
    draw.n_tp = 1 << draw_number_below(&draw, 3);
    draw.n_dp = MAX(2, 8 / draw.n_stages / draw.n_tp);
    draw.n_micro = 1 + draw_number_below(&draw, 3);
    draw.has_tp = draw.n_tp > 1 && draw_number_below(&draw, 4) > 0;
    draw.has_experts = draw_number_below(&draw, 3) == 0;
    draw.has_late = draw_number_below(&draw, 2);
    draw.act_kib = draw_size_kib(&draw);
    draw.tp_kib = draw_size_kib(&draw);
    draw.grad_kib = 4 * draw_size_kib(&draw);
    draw.expert_kib = draw_size_kib(&draw);
    n = draw.n_stages * draw.n_tp * draw.n_dp;
    ret.setup.topology = draw_topology_text(&draw, n);
    ret.setup.workload = draw_pipeline_program(&draw);
    e = draw_number_below(&draw, G_N_ELEMENTS(endpoints));
    ret.baseline = endpoints[e];
    ret.is_ace = e >= 3;
    has_stack = strstr(ret.setup.topology, "nested") && !ret.is_ace &&
                draw_number_below(&draw, 2);
    ret.setup.stack = has_stack ? "{kind: nccl}" : NULL;
    ret.setup.collectives =
        has_stack || draw_number_below(&draw, 2)
            ? "{chunk: auto, message: auto, window: auto}"
            : format_text("{chunk: %d KiB, message: %d KiB, window: %d}",
                          16 << draw_number_below(&draw, 5),
                          8 << draw_number_below(&draw, 4),
                          1 << draw_number_below(&draw, 6));
    g_rand_free(draw.rand);
    return ret;
}

static SimTime simulate_time_ps(const Setup *setup, FoldMode fold,
                                gboolean is_verified)
{
    Run run;
    GError *error = NULL;
    Verify *data = NULL;
    SimTime ps;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    if (is_verified)
        data = verify_listen_to_system(run.system, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    collective_verifier_free(data);
    ps = system_result(run.system).iteration_ps;
    run_clear(&run);
    return ps;
}

/* Returns by how many per mille the ideal endpoint is slower than the other
 * endpoint, and sets the time of the latter. */
static double slowdown_against_default(const Case *c, const char *collectives,
                                       SimTime *ret_ps)
{
    Setup ideal = c->setup, other = c->setup;
    SimTime ideal_ps;

    ideal.endpoint = "{kind: ideal}";
    other.endpoint = c->baseline;
    ideal.collectives = other.collectives = collectives;
    ideal_ps = simulate_time_ps(&ideal, FOLD_AUTO, FALSE);
    *ret_ps = simulate_time_ps(&other, FOLD_AUTO, FALSE);
    return 1000. * ((double)ideal_ps / (double)*ret_ps - 1);
}

/* Messages that are created on demand have the tags that they would have if all
 * were created at the begin of the phase, as for a listener. */
static void test_tags_of_messages_do_not_depend_on_listeners(void **state)
{
    Case c = draw_random_case(38);
    Setup setup = c.setup;

    (void)state;
    setup.endpoint = c.baseline;
    assert_int_equal(simulate_time_ps(&setup, FOLD_OFF, TRUE),
                     simulate_time_ps(&setup, FOLD_OFF, FALSE));
}

/* The ideal endpoint is never slower by more than 1 % than an endpoint with SMs
 * or copy engines. Compared with ACE, it is slower in none of the first 500
 * seeds, and in 5 of the first 1,486: 909 (6 %), 1181 (1.6 %), 1392 (13 %),
 * 1401 (7 %) and 1485 (19 %). The cut is chosen for each endpoint, and the SRAM
 * of ACE only has capacity for small chunks. With the same cut, the ideal
 * endpoint is faster. */
static void test_random_programs_do_not_deadlock(void **state)
{
    const char *first = g_getenv("ACESIM_FIRST_DRAW");
    uint32_t from = first ? (uint32_t)g_ascii_strtoull(first, NULL, 10) : 0;
    uint32_t n_slower = 0, n = n_random_draws(10);

    (void)state;
    for (uint32_t seed = from; seed < from + n; seed++) {
        Case c = draw_random_case(seed);
        Setup full = c.setup;
        SimTime ps, other_ps;
        double per_mille =
                   slowdown_against_default(&c, c.setup.collectives, &ps),
               same_cut;

        full.endpoint = c.baseline;
        if (simulate_time_ps(&full, FOLD_OFF, TRUE) != ps) {
            /* The message of a cmocka assertion would be truncated. */
            g_printerr("%s", setup_text(&full));
            fail_msg("seed %u: folded is not full", seed);
        }
        if (per_mille <= 10)
            continue;
        same_cut = slowdown_against_default(
            &c, "{chunk: 64 KiB, message: 8 KiB, window: 64}", &other_ps);
        print_message("seed %u: ideal takes %.1f per mille longer, and %.1f "
                      "cut alike\n",
                      seed, per_mille, same_cut);
        if (first) /* The message of a cmocka assertion would be truncated. */
            g_printerr("%s", setup_text(&full));
        n_slower += same_cut > 10 || !c.is_ace;
    }
    assert_int_equal(n_slower, 0);
}

/* With jitter and small buffers, all data arrive and no NPU waits for ever. */
static void test_random_programs_with_jitter_do_not_deadlock(void **state)
{
    static const char *const endpoints[] = {
        "{kind: ace, sram: 256 KiB, fsms: 4, chunks_per_fsm: 1, "
        "memory_bandwidth: 128 GB/s}",
        "{kind: ace, sram: 384 KiB, fsms: 8, memory_bandwidth: 64 GB/s}",
        "{kind: baseline, sms: 80, memory_bandwidth: 450 GB/s, "
        "only_while_communicating: true}",
    };
    guint n = n_random_draws(10);

    (void)state;
    for (uint32_t seed = 0; seed < n; seed++) {
        Setup s = draw_random_case(seed).setup;

        s.endpoint = endpoints[seed % G_N_ELEMENTS(endpoints)];
        s.stack = NULL;
        s.perturb = format_text("{seed: %u, jitter: 20 %%}", seed + 1);
        s.collectives = format_text(
            "{chunk: 16 KiB, message: 8 KiB, window: %u}", 1 + seed / 3 % 3);
        (void)simulate_time_ps(&s, FOLD_AUTO, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_does_not_wait_for_another_group),
        cmocka_unit_test(test_earlier_traffic_does_not_change_shares),
        cmocka_unit_test(test_a_second_collective_gets_half_of_the_links),
        cmocka_unit_test(test_collectives_of_equal_shares_end_together),
        cmocka_unit_test(test_tags_of_messages_do_not_depend_on_listeners),
        cmocka_unit_test(test_random_programs_do_not_deadlock),
        cmocka_unit_test(test_random_programs_with_jitter_do_not_deadlock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
