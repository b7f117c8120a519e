/* Tests of the critical path of one NPU: rows add up, listening changes
 * nothing, and the scarce resource is named.  The tolerance is 0 if none is
 * given. */
#include "tests/system_fixture.h"

#include "models/observe/critical_path.h"
#include "models/observe/path/cause_chain.h"

#define ROW(Resource) (PATH_RESOURCES + RESOURCE_##Resource)
#define OWN(Endpoint, name)                                                    \
    (PATH_RESOURCES + resource_index_by_name(Endpoint, name))

/* The number of operations whose queueing time is checked. */
#define N_BEHIND 4

typedef struct {
    SimTime rows_ps[PATH_N], own_ps[PATH_N], other_ps[PATH_N];
    SimTime behind_ps[N_BEHIND], all_behind_ps;
    SystemResult r;
} Outcome;

static Outcome follow_critical_path(const Setup *setup, FoldMode fold,
                                    uint32_t npu)
{
    g_autoptr(CriticalPath) path = NULL;
    Outcome outcome = { 0 };
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, npu);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    outcome.r = system_result(run.system);
    critical_path_finish(path, outcome.r.total_ps);
    for (uint32_t row = 0; row < PATH_N; row++) {
        outcome.rows_ps[row] = critical_path_row_time_ps(path, row);
        outcome.own_ps[row] = critical_path_row_queue_time_ps(path, row, FALSE);
        outcome.other_ps[row] =
            critical_path_row_queue_time_ps(path, row, TRUE);
    }
    for (guint op = 0; op < system_graph(run.system)->ops->len; op++) {
        outcome.all_behind_ps += critical_path_time_behind_op_ps(path, op);
        if (op < N_BEHIND)
            outcome.behind_ps[op] = critical_path_time_behind_op_ps(path, op);
    }
    run_clear(&run);
    return outcome;
}

static SimTime sum_of_path_rows(const Outcome *outcome, uint32_t from,
                                uint32_t to)
{
    SimTime sum_ps = 0;

    for (uint32_t row = from; row < to; row++)
        sum_ps += outcome->rows_ps[row];
    return sum_ps;
}

static uint32_t largest_path_row(const Outcome *outcome, uint32_t from,
                                 uint32_t to)
{
    uint32_t best = from;

    for (uint32_t row = from; row < to; row++)
        if (outcome->rows_ps[row] > outcome->rows_ps[best])
            best = row;
    return best;
}

/* ---- sums of critical-path rows ------------------------------------------ */

#define LAYERS                                                                 \
    "{kind: data-parallel, name: k, batch: 4, layers: "                        \
    "[{kind: linear, name: l, in: 1024, out: 1024, repeat: 6}]}"
#define TABLES                                                                 \
    "{kind: dlrm, name: d, batch: 64, embedding: {tables: 8, dimension: 64, "  \
    "lookups: 8}, bottom: [{name: b, in: 256, out: 64}], "                     \
    "top: [{name: t, in: 576, out: 256}, {name: u, in: 256, out: 1}]}"
#define SHARED_NPU                                                             \
    "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, launch_overhead: 2 us, "       \
    "hbm: {bandwidth: 900 GB/s, policy: shared}}"

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ace}",
    "{kind: ace, sram: 512 KiB}",
    "{kind: baseline, sms: 2, memory_bandwidth: 30 GB/s}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, "
     "only_while_communicating: true}"),
    "{kind: copy-engine, sms: 4, memory_bandwidth: 300 GB/s}",
};

static const char *const workloads[] = {
    LAYERS,
    TABLES,
    "{kind: collective, name: c, collective: all-to-all, payload: 1 MiB}",
};

static const Setup bases[] = {
    { .training = "{iterations: 3, drain: false}" },
    { .training = "{iterations: 2, drain: true, optimised: true}" },
    { .npu = SHARED_NPU },
    { .topology = "{kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 1 us}",
      .collectives = "{window: 3, scheduler: fifo}" },
    { .collectives = "{fidelity: packet}" },
    { .perturb = "{jitter: 5 %, npus: [{npu: 1, time_factor: 1.5}]}" },
};

/* Checks that the time in queues is a part of each row, and that all time
 * behind other collectives is assigned to some collective. */
static void check_queue_rows(const Outcome *outcome)
{
    SimTime other_ps = 0;

    for (uint32_t row = 0; row < PATH_N; row++) {
        assert_true(outcome->own_ps[row] + outcome->other_ps[row] <=
                    outcome->rows_ps[row]);
        other_ps += outcome->other_ps[row];
    }
    assert_int_equal(outcome->all_behind_ps, other_ps);
}

static void check_path_adds_up(const Setup *setup)
{
    SystemResult alone = simulate_setup(setup);
    Outcome outcome = follow_critical_path(setup, FOLD_AUTO, alone.last_npu);
    SimTime kernels_ps = sum_of_path_rows(&outcome, 0, PATH_RESOURCES);

    assert_int_equal(sum_of_path_rows(&outcome, 0, PATH_N), alone.total_ps);
    assert_int_equal(outcome.rows_ps[PATH_UNKNOWN], 0);
    check_queue_rows(&outcome);
    if (alone.n_simulated == 1)
        assert_int_equal(kernels_ps / alone.n_iterations, alone.compute_ps);
    /* Listening causes more events but has the same result. */
    outcome.r.n_events = alone.n_events;
    assert_memory_equal(&outcome.r, &alone, sizeof alone);
}

static void path_rows_add_up_and_listening_changes_no_result(void **state)
{
    (void)state;
    for (guint b = 0; b < G_N_ELEMENTS(bases); b++)
        for (guint e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (guint w = 0; w < G_N_ELEMENTS(workloads); w++) {
                Setup setup = bases[b];

                setup.endpoint = endpoints[e];
                setup.workload = workloads[w];
                check_path_adds_up(&setup);
            }
}

static void the_critical_path_is_the_same_folded_and_in_full(void **state)
{
    (void)state;
    for (guint e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        const Setup setup = { .topology = ace_torus_text(4, 2, 2),
                              .endpoint = endpoints[e],
                              .workload = LAYERS,
                              .training = "{iterations: 2, drain: true}" };
        Outcome folded = follow_critical_path(&setup, FOLD_REQUIRE, 0);
        Outcome full = follow_critical_path(&setup, FOLD_OFF, 5);

        assert_memory_equal(folded.rows_ps, full.rows_ps,
                            sizeof folded.rows_ps);
        assert_memory_equal(folded.own_ps, full.own_ps, sizeof folded.own_ps);
        assert_memory_equal(folded.other_ps, full.other_ps,
                            sizeof folded.other_ps);
    }
}

/* ---- the scarce resource on the critical path ---------------------------- */

static void the_scarce_resource_has_the_largest_path_row(void **state)
{
    const struct {
        const char *endpoint, *collectives, *npu, *topology;
        uint32_t row;
    } cases[] = {
        { "{kind: ace, memory_bandwidth: 10 GB/s}", "{}", NULL, NULL,
          ROW(HBM_SHARE) },
        { "{kind: ace, sram: 256 KiB}", "{}", NULL, NULL, OWN("ace", "sram") },
        { "{kind: ace, fsms: 1, chunks_per_fsm: 1}", "{}", NULL, NULL,
          OWN("ace", "fsms") },
        { "{kind: ace, alus: 1, alu_width: 4 B}", "{}", NULL, NULL,
          OWN("ace", "alus") },
        { "{kind: ace}", "{}",
          "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, fabric_bus: 10 GB/s, "
          "hbm: {bandwidth: 900 GB/s}}",
          NULL, ROW(BUS) },
        { "{kind: ideal}", "{window: 1}", NULL, NULL, ROW(WINDOW) },
        { "{kind: ideal, message_cycles: 100000}", "{window: 1000}", NULL, NULL,
          ROW(CYCLES) },
        { "{kind: ideal, step_time: 100 us}", "{window: 1000}", NULL, NULL,
          ROW(STEP) },
        { "{kind: baseline, sms: 40, memory_bandwidth: 450 GB/s, step_time: "
          "100 us}",
          "{window: 1000}", NULL, NULL, ROW(STEP) },
        { "{kind: ace, launch_time: 5 ms}", "{}", NULL, NULL, ROW(LAUNCH) },
        { "{kind: baseline, sms: 40, memory_bandwidth: 10 GB/s}", "{}", NULL,
          NULL, ROW(HBM_SHARE) },
        { "{kind: baseline, sms: 1, memory_bandwidth: 100 GB/s}", "{}",
          "{sms: 80, clock: 100 MHz, flops: 100 TFLOPS, hbm: {bandwidth: 900 "
          "GB/s}}",
          NULL, ROW(SMS) },
        { "{kind: baseline, sms: 80, memory_bandwidth: 100 GB/s}", "{}",
          "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: {bandwidth: 10 "
          "GB/s, policy: shared}}",
          NULL, ROW(HBM) },
        { "{kind: copy-engine, sms: 40, engines: 2, memory_bandwidth: 400 "
          "GB/s}",
          "{}", NULL, NULL, OWN("copy-engine", "copy_engines") },
        { "{kind: copy-engine, sms: 40, copy_launch: 0 ns, memory_bandwidth: "
          "10 GB/s}",
          "{}", NULL, NULL, ROW(HBM_SHARE) },
        { "{kind: copy-engine, sms: 1, reduce_launch: 20 us, "
          "memory_bandwidth: 400 GB/s}",
          "{}", NULL, NULL, ROW(SMS) },
        { "{kind: ideal}", "{}", NULL, NULL, PATH_LINKS },
        { "{kind: ideal}", "{}", NULL,
          "{kind: torus, dims: [{size: 2, links: 2, bandwidth: 100 GB/s, "
          "latency: 100 ns}, {size: 4, links: 2, bandwidth: 5 GB/s, latency: "
          "100 ns}]}",
          PATH_LINKS + 1 },
        { "{kind: ideal}", "{window: 1000}", NULL,
          "{kind: switch, npus: 4, bandwidth: 1000 GB/s, latency: 50 us}",
          PATH_LATENCIES },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Setup setup = { .endpoint = cases[i].endpoint,
                              .collectives = cases[i].collectives,
                              .npu = cases[i].npu,
                              .topology = cases[i].topology,
                              .workload = single_collective_workload(
                                  COLL_ALL_REDUCE, UINT64_C(4) << 20) };
        Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);
        uint32_t row = largest_path_row(&outcome, 0, PATH_N);

        if (row != cases[i].row ||
            2 * outcome.rows_ps[row] < outcome.r.total_ps)
            fail_msg("case %u: row %u has %" G_GUINT64_FORMAT
                     " of %" G_GUINT64_FORMAT " ps, expected row %u",
                     i, row, outcome.rows_ps[row], outcome.r.total_ps,
                     cases[i].row);
    }
}

/* One kernel of 100 us for each pass and layer; NPU 1 takes twice as long. */
static void other_npus_wait_for_a_straggler(void **state)
{
    const Setup setup = {
        .workload =
            "{kind: data-parallel, name: k, batch: 1, "
            "layers: [{kind: measured, name: l, repeat: 3, weights: 1000, "
            "forward_time: 100 us, input_gradient_time: 100 us, "
            "weight_gradient_time: 100 us}]}",
        .training = "{iterations: 2, compute: measured, drain: true}",
        .perturb = "{npus: [{npu: 1, time_factor: 2.0}]}"
    };
    Outcome other = follow_critical_path(&setup, FOLD_AUTO, 0);
    Outcome straggler = follow_critical_path(&setup, FOLD_AUTO, 1);
    SimTime kernels_ps = sum_of_path_rows(&other, 0, PATH_SIDE_SLOWDOWN);

    (void)state;
    assert_int_equal(kernels_ps, SIM_US(1600));
    assert_int_equal(sum_of_path_rows(&straggler, 0, PATH_SIDE_SLOWDOWN),
                     kernels_ps);
    assert_int_equal(straggler.rows_ps[PATH_PERTURBED], kernels_ps);
    assert_int_equal(straggler.rows_ps[PATH_OTHER_NPUS], 0);
    assert_int_equal(other.rows_ps[PATH_PERTURBED], 0);
    assert_near_per_mille(other.rows_ps[PATH_OTHER_NPUS], kernels_ps, 100);
}

/* ---- queueing on the critical path --------------------------------------- */

#define AFTER_LARGE(large)                                                     \
    "{kind: program, name: p, groups: [{name: g, size: 2, stride: 1}, {name: " \
    "h, size: 2, stride: 1}], roles: [{name: r, ops: [" large                  \
    "{kind: kernel, name: k, flop: 1000000000}, {kind: collective, name: b, "  \
    "collective: all-gather, group: h, bytes: 64 KiB, after: [k]}, {kind: "    \
    "kernel, name: z, flop: 1000000, after: [b]}]}]}"
#define LARGE                                                                  \
    "{kind: collective, name: a, collective: all-gather, group: g, bytes: "    \
    "64 MiB}, "

/* While the links carry `a` they do nothing for `b`.  Under FIFO by far most of
 * the time of `b` is spent behind `a`, and none without `a`.  The transfer time
 * of `b` is the same as in a run of `b` alone. */
static void waiting_behind_another_collective_is_not_service(void **state)
{
    static const char *const set_ups[] = { "{kind: ideal}",
                                           "{kind: ace, alus: 1}" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(set_ups); i++) {
        Setup setup = { .endpoint = set_ups[i],
                        .workload = AFTER_LARGE(LARGE),
                        .collectives = "{scheduler: fifo, window: 100000}" };
        Outcome both = follow_critical_path(&setup, FOLD_AUTO, 0), alone;
        SimTime behind_ps;

        setup.workload = AFTER_LARGE("");
        alone = follow_critical_path(&setup, FOLD_AUTO, 0);
        behind_ps = both.r.total_ps - alone.r.total_ps;
        check_queue_rows(&both);
        assert_int_equal(alone.all_behind_ps, 0);
        assert_near_per_mille(both.all_behind_ps, behind_ps, 50);
        assert_int_equal(both.behind_ps[0], both.all_behind_ps);
    }
}

/* A chunk waits for the window while chunks of the other collective occupy
 * it. */
static void
a_wait_for_occupied_capacity_names_the_other_collective(void **state)
{
    const Setup setup = { .workload = AFTER_LARGE(LARGE),
                          .collectives = "{scheduler: fifo, window: 4}" };
    Outcome both = follow_critical_path(&setup, FOLD_AUTO, 0);

    (void)state;
    check_queue_rows(&both);
    assert_true(10 * both.behind_ps[0] > 9 * both.r.total_ps);
    assert_true(both.other_ps[ROW(WINDOW)] > 0);
}

/* Messages are delayed only by the links of their own collective. */
static void a_single_collective_waits_only_behind_itself(void **state)
{
    const Setup setup = { .workload = single_collective_workload(
                              COLL_ALL_TO_ALL, UINT64_C(16) << 20),
                          .collectives = "{window: 1000}" };
    Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);

    (void)state;
    assert_int_equal(outcome.all_behind_ps, 0);
    assert_true(2 * outcome.own_ps[PATH_LINKS] > outcome.rows_ps[PATH_LINKS]);
    assert_true(outcome.own_ps[PATH_LINKS] < outcome.rows_ps[PATH_LINKS]);
}

/* ---- lost time of kernels on the critical path --------------------------- */

/* The time of these kernels on 80 SMs and 900 GB/s is known: half the SMs or
 * half the bandwidth doubles it. */
static void lost_time_of_kernels_is_split_by_cause(void **state)
{
    const struct {
        const char *layer, *endpoint;
        uint32_t bound, lost;
    } cases[] = {
        { "{kind: linear, name: l, in: 4096, out: 4096}",
          "{kind: baseline, sms: 40, memory_bandwidth: 1 MB/s}", PATH_FLOP,
          PATH_LOST_SMS },
        { "{kind: linear, name: l, in: 4096, out: 4096}",
          "{kind: baseline, sms: 1, memory_bandwidth: 450 GB/s}", PATH_MEMORY,
          PATH_LOST_HBM },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Setup setup = {
            .endpoint = cases[i].endpoint,
            .workload = format_text("{kind: data-parallel, name: k, batch: %u, "
                                    "layers: [%s]}",
                                    i == 0 ? 4096 : 1, cases[i].layer),
            .training = "{iterations: 1, drain: false, elementwise: false, "
                        "optimiser: none}"
        };
        Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);

        assert_near_per_mille(outcome.rows_ps[cases[i].bound],
                              outcome.rows_ps[cases[i].lost], 1);
        assert_near_per_mille(outcome.rows_ps[cases[i].bound],
                              outcome.r.compute_ps / 2, 1);
    }
}

static void launch_overhead_has_a_separate_path_row(void **state)
{
    const Setup setup = { .npu = SHARED_NPU,
                          .workload = LAYERS,
                          .training = "{iterations: 1, drain: false}" };
    Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);

    (void)state;
    assert_true(outcome.rows_ps[PATH_LAUNCH] > 0);
    assert_int_equal(outcome.rows_ps[PATH_LAUNCH] % SIM_US(2), 0);
}

/* ---- chains of link waits ------------------------------------------------ */

static void link_chains_share_common_links(void **state)
{
    CauseChainPool pool;
    CauseChain a = { 0 }, b = { 0 };

    (void)state;
    cause_chain_pool_init(&pool, 100);
    cause_chain_start(&pool, &a, 10);
    cause_chain_extend(&pool, &a, 1, 15, 20);
    assert_int_equal(pool.n_links, 2);
    cause_chain_copy(&pool, &b, &a);
    cause_chain_extend(&pool, &b, 2, 0, 30);
    assert_int_equal(pool.n_links, 3);
    assert_int_equal(b.to_ps, 30);
    assert_ptr_equal(b.last->before, a.last);
    cause_chain_clear(&pool, &a);
    assert_int_equal(pool.n_links, 3);
    cause_chain_clear(&pool, &b);
    assert_int_equal(pool.n_links, 0);
    cause_chain_pool_clear(&pool);
}

static void link_chains_drop_early_or_excess_links(void **state)
{
    CauseChainPool pool;
    CauseChain a = { 0 };

    (void)state;
    cause_chain_pool_init(&pool, 2);
    cause_chain_start(&pool, &a, 0);
    pool.keep_from_ps = 10;
    cause_chain_extend(&pool, &a, 1, 0, 10);
    assert_null(a.last);
    cause_chain_extend(&pool, &a, 1, 0, 20);
    cause_chain_extend(&pool, &a, 2, 0, 30);
    assert_int_equal(pool.n_links, 2);
    cause_chain_extend(&pool, &a, 3, 0, 40);
    assert_int_equal(pool.n_links, 0);
    assert_int_equal(a.to_ps, 40);
    cause_chain_extend(&pool, &a, 4, 0, 50);
    assert_int_equal(a.last->from_ps, 40);
    cause_chain_clear(&pool, &a);
    cause_chain_pool_clear(&pool);
}

/* ---- rows of links and input stages -------------------------------------- */

/* A chunk of an all-reduce on rings of two crosses dimension 0 once to scatter
 * and once to gather, and dimension 1 likewise: with half of 1 MiB and with a
 * quarter. */
static void test_each_dimension_has_link_and_latency_rows(void **state)
{
    const Setup setup = {
        .topology =
            "{kind: torus, dims: [{size: 2, direction: one, bandwidth: 64 GB/s, "
            "latency: 1 us}, {size: 2, direction: one, bandwidth: 16 GB/s, "
            "latency: 3 us}]}",
        .collectives = "{chunk: 1 MiB, message: 1 MiB, packet: 1 MiB}",
    };
    const Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);

    (void)state;
    assert_int_equal(outcome.rows_ps[PATH_LATENCIES], SIM_US(2 * 1));
    assert_int_equal(outcome.rows_ps[PATH_LATENCIES + 1], SIM_US(2 * 3));
    /* 2^19 B at 64 B/ns are 8192 ns, 2^18 at 16 are 16384 ns. */
    assert_int_equal(outcome.rows_ps[PATH_LINKS], SIM_NS(2 * 8192));
    assert_int_equal(outcome.rows_ps[PATH_LINKS + 1], SIM_NS(2 * 16384));
    assert_int_equal(sum_of_path_rows(&outcome, 0, PATH_N), outcome.r.total_ps);
    /* A cycle of the endpoint precedes each of the four messages. */
    assert_int_equal(outcome.r.total_ps,
                     SIM_US(8) + SIM_NS(2 * 8192 + 2 * 16384 + 4));
}

/* Without prefetching, an iteration waits for all stages of its batch. */
static void test_each_input_stage_has_a_path_row(void **state)
{
    const Setup setup = {
        .workload = "{kind: data-parallel, name: k, batch: 4, layers: [{kind: "
                    "counted, name: l, forward_flop: 1000, tensors: []}]}",
        .training = "{iterations: 3, input: {read: {time: 100 us}, decode: "
                    "{time: 20 us}, copy: {time: 3 us}, prefetch: none}}",
    };
    const Outcome outcome = follow_critical_path(&setup, FOLD_AUTO, 0);

    (void)state;
    assert_int_equal(outcome.rows_ps[PATH_STAGES + OP_STAGE_READ],
                     3 * SIM_US(100));
    assert_int_equal(outcome.rows_ps[PATH_STAGES + OP_STAGE_DECODE],
                     3 * SIM_US(20));
    assert_int_equal(outcome.rows_ps[PATH_STAGES + OP_STAGE_COPY],
                     3 * SIM_US(3));
    assert_int_equal(outcome.rows_ps[PATH_STAGES + OP_STAGE_HOST], 0);
    assert_int_equal(outcome.rows_ps[PATH_STAGES + OP_STAGE_DEVICE], 0);
}

/* NPU 0 sends @Bytes to NPU 1, and NPU 2 to NPU 3. */
#define SENDERS(Bytes)                                                          \
    "{kind: program, name: p, roles: ["                                         \
    "{name: one, ranks: {list: [0]}, ops: [{kind: send, name: x, group: ab, "   \
    "from: 0, to: 1, bytes: " Bytes "}]}, "                                     \
    "{name: two, ranks: {list: [1]}, ops: [{kind: receive, name: x, group: "    \
    "ab, from: 0, to: 1, bytes: " Bytes "}]}, "                                 \
    "{name: three, ranks: {list: [2]}, ops: [{kind: send, name: y, group: cd, " \
    "from: 0, to: 1, bytes: " Bytes "}]}, "                                     \
    "{name: four, ranks: {list: [3]}, ops: [{kind: receive, name: y, group: "   \
    "cd, from: 0, to: 1, bytes: " Bytes "}]}], groups: [{name: ab, ranks: "     \
    "[[0, 1]]}, {name: cd, ranks: [[2, 3]]}]}"

/* A row of four NPUs; the links of the list have a common limit. */
#define FOUR_NPUS_WITH_LIMIT_ON(links)                                         \
    "{kind: graph, nodes: [{name: a, kind: npu}, {name: b, kind: npu}, "       \
    "{name: c, kind: npu}, {name: d, kind: npu}], links: [{from: a, to: b, "   \
    "bandwidth: 10 GB/s, latency: 1 us}, {from: c, to: d, bandwidth: 10 "      \
    "GB/s, latency: 1 us}, {from: b, to: c, bandwidth: 10 GB/s, latency: 1 "   \
    "us}], limits: [{name: root, bandwidth: 10 GB/s, links: " links "}]}"

/* NPUs 0 and 2 send 1 MB to 1 and 3 over separate links with a common limit of
 * 10 GB/s: 100 us each, one after the other.  The second message waits half of
 * its time behind the first. */
static void test_waiting_for_a_link_limit_counts_as_behind_others(void **state)
{
    const Setup setup = {
        .topology = FOUR_NPUS_WITH_LIMIT_ON("[[a, b], [c, d]]"),
        .workload = SENDERS("1 MB"),
        .collectives =
            "{scheduler: fifo, chunk: 1 MB, message: 1 MB, packet: 1 "
            "MB}",
    };
    SimTime behind_ps[2], links_ps[2];

    (void)state;
    for (guint i = 0; i < 2; i++) {
        const Outcome outcome =
            follow_critical_path(&setup, FOLD_OFF, 2 * i + 1);

        behind_ps[i] = outcome.other_ps[PATH_LINKS];
        links_ps[i] = outcome.rows_ps[PATH_LINKS];
    }
    assert_int_equal(MAX(links_ps[0], links_ps[1]), SIM_US(200));
    assert_int_equal(MAX(behind_ps[0], behind_ps[1]), SIM_US(100));
    assert_int_equal(MIN(behind_ps[0], behind_ps[1]), 0);
}

/* As above, but each NPU sends two messages of 100 us over its link, and the
 * limit is on the links of NPU 2 alone.  A second message waits behind the
 * first of its own collective. */
static void test_a_limit_on_other_links_is_not_waited_for(void **state)
{
    const Setup setup = {
        .topology = FOUR_NPUS_WITH_LIMIT_ON("[[c, d]]"),
        .workload = SENDERS("2 MB"),
        .collectives = "{scheduler: fifo, chunk: 2 MB, message: 1 MB, packet: "
                       "1 MB}",
    };

    (void)state;
    for (guint npu = 1; npu <= 3; npu += 2) {
        const Outcome outcome = follow_critical_path(&setup, FOLD_OFF, npu);

        assert_int_equal(outcome.rows_ps[PATH_LINKS], SIM_US(200));
        assert_int_equal(outcome.own_ps[PATH_LINKS], SIM_US(100));
        assert_int_equal(outcome.other_ps[PATH_LINKS], 0);
    }
}

/* NPU 4 begins to compute when NPU 0 sends its message of 250 kB, which takes
 * 25 us.  After 10 us NPU 4 sends a message of the same operation, which waits
 * 15 us for the common limit of the two links.  Meanwhile another limit, which
 * is listed first, carries messages of another operation. */
static void test_only_limits_on_the_link_of_a_message_delay_it(void **state)
{
    const Setup setup = {
        .topology =
            "{kind: graph, nodes: [{name: a, kind: npu}, {name: b, kind: npu}, "
            "{name: c, kind: npu}, {name: d, kind: npu}, {name: e, kind: npu}, "
            "{name: f, kind: npu}], links: ["
            "{from: a, to: b, bandwidth: 10 GB/s, latency: 1 us}, "
            "{from: b, to: c, bandwidth: 10 GB/s, latency: 1 us}, "
            "{from: c, to: d, bandwidth: 10 GB/s, latency: 1 us}, "
            "{from: d, to: e, bandwidth: 10 GB/s, latency: 1 us}, "
            "{from: e, to: f, bandwidth: 10 GB/s, latency: 1 us}], limits: ["
            "{name: other, bandwidth: 10 GB/s, links: [[c, d]]}, "
            "{name: own, bandwidth: 10 GB/s, links: [[a, b], [e, f]]}]}",
        .workload =
            "{kind: program, name: p, roles: ["
            "{name: one, ranks: {list: [0]}, ops: [{kind: send, name: x, group: "
            "pairs, from: 0, to: 1, bytes: 250 kB}]}, "
            "{name: late, ranks: {list: [4]}, ops: [{kind: kernel, name: k, "
            "flop: 1000000000}, {kind: send, name: x, group: pairs, from: 0, to: 1, "
            "bytes: 250 kB, after: [k]}]}, "
            "{name: two, ranks: {list: [1, 5]}, ops: [{kind: receive, name: x, "
            "group: pairs, from: 0, to: 1, bytes: 250 kB}]}, "
            "{name: three, ranks: {list: [2]}, ops: [{kind: send, name: y, "
            "group: cd, from: 0, to: 1, bytes: 1 MB}]}, "
            "{name: four, ranks: {list: [3]}, ops: [{kind: receive, name: y, "
            "group: cd, from: 0, to: 1, bytes: 1 MB}]}], groups: ["
            "{name: pairs, ranks: [[0, 1], [4, 5]]}, "
            "{name: cd, ranks: [[2, 3]]}]}",
        .collectives =
            "{scheduler: fifo, chunk: 2 MB, message: 250 kB, packet: "
            "250 kB}",
    };
    const Outcome outcome = follow_critical_path(&setup, FOLD_OFF, 5);

    (void)state;
    assert_int_equal(outcome.rows_ps[PATH_LINKS], SIM_US(40));
    assert_int_equal(outcome.own_ps[PATH_LINKS], SIM_US(15));
    assert_int_equal(outcome.other_ps[PATH_LINKS], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_rows_add_up_and_listening_changes_no_result),
        cmocka_unit_test(the_critical_path_is_the_same_folded_and_in_full),
        cmocka_unit_test(the_scarce_resource_has_the_largest_path_row),
        cmocka_unit_test(other_npus_wait_for_a_straggler),
        cmocka_unit_test(waiting_behind_another_collective_is_not_service),
        cmocka_unit_test(
            a_wait_for_occupied_capacity_names_the_other_collective),
        cmocka_unit_test(a_single_collective_waits_only_behind_itself),
        cmocka_unit_test(lost_time_of_kernels_is_split_by_cause),
        cmocka_unit_test(launch_overhead_has_a_separate_path_row),
        cmocka_unit_test(link_chains_share_common_links),
        cmocka_unit_test(link_chains_drop_early_or_excess_links),
        cmocka_unit_test(test_each_dimension_has_link_and_latency_rows),
        cmocka_unit_test(test_each_input_stage_has_a_path_row),
        cmocka_unit_test(test_waiting_for_a_link_limit_counts_as_behind_others),
        cmocka_unit_test(test_a_limit_on_other_links_is_not_waited_for),
        cmocka_unit_test(test_only_limits_on_the_link_of_a_message_delay_it),
    };

    return cmocka_run_group_tests_name("critical_path", tests, NULL, NULL);
}
