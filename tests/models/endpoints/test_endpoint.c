/* test_endpoint.c - Tests of models/endpoints/endpoint.c and all kinds of
 * endpoints in whole runs. */
#include "tests/models/endpoints/endpoint_fixture.h"

/* ---- launch and step times of endpoints ---------------------------------- */

static SimTime all_reduce_time_on_endpoint(const char *endpoint,
                                           uint64_t payload_bytes)
{
    return simulate_one_collective(ace_torus_text(4, 4, 4), endpoint,
                                   COLL_ALL_REDUCE, payload_bytes)
        .total_ps;
}

static void test_ideal_endpoint_beats_ace_and_ace_a_baseline(void **state)
{
    const uint64_t sizes[] = { 64, MIB(1), MIB(64) };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        SimTime ace_ps = all_reduce_time_on_endpoint("{kind: ace}", sizes[i]);

        assert_true(all_reduce_time_on_endpoint("{kind: ideal}", sizes[i]) <=
                    ace_ps);
        assert_true(ace_ps <=
                    all_reduce_time_on_endpoint(
                        "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
                        sizes[i]));
        assert_true(ace_ps <=
                    all_reduce_time_on_endpoint(
                        "{kind: baseline, sms: 2, memory_bandwidth: 128 GB/s}",
                        sizes[i]));
    }
}

/* An ACE of 128 GB/s and a baseline of 450 GB/s cannot be compared: the DMA of
 * ACE needs 8.2 us for 1 MiB alone, and an ALU 103 ns per message. With the
 * same share as the baseline, ACE is faster. */
static void test_no_endpoint_beats_ideal_without_launch_costs(void **state)
{
    const uint64_t sizes[] = { 64, MIB(1) };
    const char *endpoints[] = { COMM_OPT, COMP_OPT, ACE_128 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
            assert_true(
                all_reduce_time_on_endpoint("{kind: ideal}", sizes[i]) <=
                all_reduce_time_on_endpoint(endpoints[e], sizes[i]));
    assert_true(all_reduce_time_on_endpoint(ACE_128, MIB(1)) <
                all_reduce_time_on_endpoint(COMP_OPT, MIB(1)));
    assert_near_per_mille(all_reduce_time_on_endpoint(ACE_128, 64),
                          all_reduce_time_on_endpoint(COMM_OPT, 64), 2);
}

/* With 64 B, the time grows by the launch time and by 18 sequential steps. */
static void test_launch_and_step_times_add_to_a_small_collective(void **state)
{
    const char *free_text = "{kind: %s, " FREE "%s}";
    const char *paid_text = "{kind: %s, launch_time: 7 us, step_time: 3 us%s}";
    const char *kinds[][2] = {
        { "ideal", "" },
        { "ace", "" },
        { "baseline", ", sms: 6, memory_bandwidth: 450 GB/s" },
    };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
        SimTime free_ps = all_reduce_time_on_endpoint(
            format_text(free_text, kinds[k][0], kinds[k][1]), 64);
        SimTime paid_ps = all_reduce_time_on_endpoint(
            format_text(paid_text, kinds[k][0], kinds[k][1]), 64);

        assert_int_equal(paid_ps - free_ps, SIM_US(7 + 18 * 3));
    }
}

/* ---- memory traffic of endpoints ----------------------------------------- */

static void
test_a_baseline_reads_one_and_a_half_bytes_per_sent_byte(void **state)
{
    const char *endpoints[] = { COMM_OPT, COMP_OPT };

    (void)state;
    for (gsize i = 0; platform_text_at(i); i++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult r = simulate_one_collective(
                platform_text_at(i), endpoints[e], COLL_ALL_REDUCE, MIB(1));

            assert_hbm_traffic(&r, r.sent_bytes / 2 * 3, r.sent_bytes);
        }
}

static void test_a_baseline_rereads_only_reduced_data(void **state)
{
    (void)state;
    for (gsize i = 0; platform_text_at(i); i++) {
        SystemResult scatter = simulate_one_collective(
            platform_text_at(i), COMM_OPT, COLL_REDUCE_SCATTER, MIB(1));
        SystemResult gather = simulate_one_collective(
            platform_text_at(i), COMM_OPT, COLL_ALL_GATHER, MIB(1));
        SystemResult exchange = simulate_one_collective(
            platform_text_at(i), COMM_OPT, COLL_ALL_TO_ALL, MIB(1));

        assert_hbm_traffic(&scatter, 2 * scatter.sent_bytes,
                           scatter.sent_bytes);
        assert_hbm_traffic(&gather, gather.sent_bytes, gather.sent_bytes);
        assert_hbm_traffic(&exchange, exchange.sent_bytes, exchange.sent_bytes);
    }
}

static void test_ace_reads_and_writes_each_payload_byte_once(void **state)
{
    const uint64_t payloads[] = { 1, 100001, MIB(1), MIB(1) + 65537 };

    (void)state;
    for (gsize i = 0; platform_text_at(i); i++)
        for (gsize p = 0; p < G_N_ELEMENTS(payloads); p++) {
            SystemResult r = simulate_one_collective(
                platform_text_at(i), ACE_128, COLL_ALL_REDUCE, payloads[p]);

            assert_hbm_traffic(&r, payloads[p], payloads[p]);
            r = simulate_one_collective(platform_text_at(i), ACE_128,
                                        COLL_ALL_TO_ALL, payloads[p]);
            assert_hbm_traffic(&r, payloads[p], payloads[p]);
        }
}

/* Links and a bus so fast that the HBM is the only limit. */
static void test_no_endpoint_exceeds_its_hbm_bandwidth(void **state)
{
    const char *endpoints[] = {
        "{kind: baseline, sms: 80, memory_bandwidth: 900 GB/s, " FREE "}",
        "{kind: baseline, sms: 80, memory_bandwidth: 2 TB/s, " FREE "}",
        "{kind: baseline, sms: 79, memory_bandwidth: 800 GB/s, " FREE "}",
        "{kind: ace, memory_bandwidth: 900 GB/s, sram: 64 MiB}",
    };

    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            Setup s = {
                .topology = "{kind: torus, dims: [{size: 8, links: 2, "
                            "bandwidth: 4 TB/s, latency: 1 ns}]}",
                .npu = "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, "
                       "fabric_bus: 10 TB/s, hbm: {bandwidth: 900 GB/s}}",
                .endpoint = endpoints[e],
                .workload = single_collective_workload(kind, MIB(64)),
            };
            SystemResult r = simulate_setup(&s);
            double bytes =
                (double)(r.hbm_comm_read_bytes + r.hbm_comm_write_bytes);

            assert_true(bytes / (double)r.iteration_ps * 1000 <= 900.0);
            /* The first three endpoints come close to the limit if all NPUs do
             * equal work. ACE has other limits. */
            if (e < 3 && kind <= COLL_ALL_TO_ALL)
                assert_true(bytes / (double)r.iteration_ps * 1000 > 850.0);
        }
}

/* Reads take 450 of 900 GB/s, which leaves enough for the writes of both
 * collectives. */
static void test_writes_that_fit_the_hbm_cost_no_time(void **state)
{
    const CollKind kinds[] = { COLL_ALL_REDUCE, COLL_ALL_TO_ALL };
    const double read_per_sent[] = { 1.5, 1 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        Setup s = { .topology = "{kind: torus, dims: [{size: 8, links: 2, "
                                "bandwidth: 4 TB/s, latency: 1 ns}]}",
                    .npu = "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, "
                           "fabric_bus: 10 TB/s, hbm: {bandwidth: 900 GB/s}}",
                    .endpoint = COMM_OPT,
                    .workload = single_collective_workload(kinds[i], MIB(64)) };
        SystemResult r = simulate_setup(&s);

        assert_true((double)r.sent_bytes / (double)r.iteration_ps * 1000 >
                    450 / read_per_sent[i] * .98);
    }
}

/* An all-gather begins with one block per rank, and a reduce-scatter ends with
 * one. */
static void test_ace_moves_one_block_if_a_rank_has_only_one(void **state)
{
    const uint64_t n_npus[] = { 8, 16, 64, 16, 8 };

    (void)state;
    for (gsize i = 0; platform_text_at(i); i++) {
        SystemResult scatter = simulate_one_collective(
            platform_text_at(i), ACE_128, COLL_REDUCE_SCATTER, MIB(1));
        SystemResult gather = simulate_one_collective(
            platform_text_at(i), ACE_128, COLL_ALL_GATHER, MIB(1));

        assert_hbm_traffic(&scatter, MIB(1), MIB(1) / n_npus[i]);
        assert_hbm_traffic(&gather, MIB(1) / n_npus[i], MIB(1));
    }
}

static void test_an_ideal_endpoint_uses_no_memory_and_no_sms(void **state)
{
    (void)state;
    for (gsize i = 0; platform_text_at(i); i++) {
        SystemResult r = simulate_one_collective(
            platform_text_at(i), "{kind: ideal}", COLL_ALL_REDUCE, MIB(1));

        assert_hbm_traffic(&r, 0, 0);
        assert_int_equal(r.sm_comm_ns, 0);
        for (guint k = RESOURCE_OWN; k < RESOURCE_MAX; k++)
            assert_int_equal(r.uses[k].capacity, 0);
        assert_int_equal(r.endpoint.hbm_busy_ps, 0);
        assert_true(r.sent_bytes > 0);
    }
}

static void test_only_a_baseline_endpoint_holds_sms(void **state)
{
    SystemResult r = simulate_one_collective(platform_text_at(1), COMM_OPT,
                                             COLL_ALL_REDUCE, MIB(1));

    (void)state;
    assert_int_equal(r.sm_comm_ns, 6 * r.total_ps / 1000);
    r = simulate_one_collective(platform_text_at(1), ACE_128, COLL_ALL_REDUCE,
                                MIB(1));
    assert_int_equal(r.sm_comm_ns, 0);
}

/* ---- upper bounds of endpoint rates -------------------------------------- */

/* Links that are too fast to limit anything. */
#define FAST                                                                   \
    "{kind: torus, dims: ["                                                    \
    "{size: 4, links: 2, bandwidth: 2 TB/s, latency: 10 ns}, "                 \
    "{size: 2, links: 2, bandwidth: 2 TB/s, latency: 10 ns}]}"

/* The bound is min(share, SMs x 64 B x clock) / 1.5. The tolerance of 2 %
 * covers filling the pipeline. */
static void test_a_baseline_is_limited_by_its_share_or_its_sms(void **state)
{
    const struct {
        int n_sms, share_gb_per_s;
        uint64_t read_mb_per_s;
    } points[] = {
        { 80, 128, 128000 }, { 80, 30, 30000 },  { 1, 450, 79680 },
        { 2, 128, 128000 },  { 2, 900, 159360 }, { 6, 450, 450000 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(points); i++) {
        uint64_t bound = points[i].read_mb_per_s * 1000000 / 3 * 2;
        SystemResult r = simulate_one_collective(
            FAST,
            format_text("{kind: baseline, " FREE ", sms: %d, "
                        "memory_bandwidth: %d GB/s}",
                        points[i].n_sms, points[i].share_gb_per_s),
            COLL_ALL_REDUCE, MIB(16));

        assert_true(r.net_bytes_per_s <= bound);
        assert_near_per_mille(r.net_bytes_per_s, bound, 20);
        assert_near_per_mille(r.endpoint.hbm_busy_ps, r.total_ps, 20);
    }
}

/* A small workload with kernels and gradients. */
#define LINEAR(name) "{kind: linear, name: " name ", in: 512, out: 512}"
#define COMPUTES                                                               \
    "{kind: data-parallel, name: c, batch: 64, layers: [" LINEAR(              \
        "a") ", " LINEAR("b") "]}"

/* While no collective runs, kernels are as fast as with an ideal endpoint. */
static void test_a_released_endpoint_share_costs_kernels_nothing(void **state)
{
    static const char *const holding_kinds[] = { "{kind: ace, ",
                                                 "{kind: baseline, sms: 8, " };
    const Setup ideal = { .topology = platform_text_at(1),
                          .npu = ACE_NPU,
                          .endpoint = "{kind: ideal}",
                          .workload = COMPUTES };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(holding_kinds); i++) {
        Setup holding = ideal, releasing = ideal;
        SystemResult while_held, while_released;

        holding.endpoint =
            format_text("%smemory_bandwidth: 300 GB/s}", holding_kinds[i]);
        releasing.endpoint = format_text("%smemory_bandwidth: 300 GB/s, "
                                         "only_while_communicating: true}",
                                         holding_kinds[i]);
        while_held = simulate_setup(&holding);
        while_released = simulate_setup(&releasing);
        assert_int_equal(while_released.roofline_ps,
                         simulate_setup(&ideal).roofline_ps);
        assert_true(while_released.roofline_ps < while_held.roofline_ps);
        assert_true(while_released.iteration_ps < while_held.iteration_ps);
        assert_int_equal(while_released.sent_bytes, while_held.sent_bytes);
    }
}

/* The bound is the DMA rate x bytes sent per payload byte. The tolerance of 5 %
 * covers the first and the last chunk. SRAM and FSMs are ample. */
static void test_the_dma_engine_limits_ace(void **state)
{
    const int rates[] = { 16, 32, 64, 128 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(rates); i++) {
        SystemResult r = simulate_one_collective(
            FAST,
            format_text("{kind: ace, memory_bandwidth: %d GB/s, sram: 64 MiB, "
                        "fsms: 64, alus: 64}",
                        rates[i]),
            COLL_ALL_REDUCE, MIB(64));
        uint64_t bound = (uint64_t)rates[i] * GB * r.sent_bytes / MIB(64);

        assert_true(r.net_bytes_per_s <= bound);
        assert_near_per_mille(r.net_bytes_per_s, bound, 50);
    }
}

/* Four ALUs of 1 B per cycle add 4.98 GB/s. Half of the sent bytes are
 * added. */
static void test_narrow_alus_limit_ace(void **state)
{
    SystemResult r = simulate_one_collective(
        FAST, "{kind: ace, alu_width: 1 B}", COLL_ALL_REDUCE, MIB(4));
    const ResourceUse *alus = &r.uses[resource_index_by_name("ace", "alus")];
    uint64_t bound = 4 * UINT64_C(1245000000) * 2;

    (void)state;
    assert_true(r.net_bytes_per_s <= bound);
    assert_near_per_mille(r.net_bytes_per_s, bound, 50);
    assert_near_per_mille(alus->busy_ps, 4 * r.total_ps, 50);
    assert_int_equal(alus->capacity, 4);
}

static void test_the_npu_bus_limits_the_send_rate(void **state)
{
    Setup s = { .topology = FAST,
                .npu = "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, "
                       "fabric_bus: 10 GB/s, hbm: {bandwidth: 900 GB/s}}",
                .endpoint = COMM_OPT,
                .workload =
                    single_collective_workload(COLL_ALL_REDUCE, MIB(4)) };
    SystemResult r = simulate_setup(&s);

    (void)state;
    assert_true(r.net_bytes_per_s <= 10 * GB);
    assert_near_per_mille(r.net_bytes_per_s, 10 * GB, 50);
    assert_near_per_mille(r.endpoint.bus_busy_ps, r.total_ps, 50);
    /* ACE moves each payload byte over the bus once, no matter how often it is
     * sent. */
    s.endpoint = ACE_128;
    r = simulate_setup(&s);
    assert_true(r.net_bytes_per_s <= 10 * GB * r.sent_bytes / MIB(4));
    assert_near_per_mille(r.net_bytes_per_s, 10 * GB * r.sent_bytes / MIB(4),
                          50);
    /* The DMA engine runs at the rate of the bus, so both are equally busy. */
    assert_int_equal(r.uses[RESOURCE_BUS].busy_ps,
                     sim_time_from_bytes(MIB(4), 10 * GB));
    assert_near_per_mille(r.uses[RESOURCE_BUS].busy_ps, r.endpoint.hbm_busy_ps,
                          1);
    /* An ideal endpoint has no bus. */
    s.endpoint = "{kind: ideal}";
    assert_true(simulate_setup(&s).net_bytes_per_s > 100 * GB);
}

static void test_shared_hbm_charges_a_baseline_its_writes(void **state)
{
    Setup s = { .topology = FAST,
                .npu = "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, "
                       "hbm: {bandwidth: 100 GB/s, policy: shared}}",
                .endpoint = COMM_OPT,
                .workload =
                    single_collective_workload(COLL_ALL_REDUCE, MIB(16)) };
    SystemResult r = simulate_setup(&s);

    (void)state;
    /* The bound is 100 / 2.5 GB/s. */
    assert_true(r.net_bytes_per_s <= 40 * GB);
    assert_near_per_mille(r.net_bytes_per_s, 40 * GB, 20);
}

/* A kernel reads 400 MB while the endpoint holds a share of 300 of 900 GB/s.
 * The kernel gets the bandwidth that reads leave. If writes are charged, they
 * take 2/3 of the share in addition, since an all-reduce reads 1.5 bytes per
 * byte written. */
static void test_kernels_get_the_bandwidth_that_an_endpoint_leaves(void **state)
{
    static const struct {
        const char *npu;
        uint64_t left_bytes_per_s;
    } cases[] = {
        { "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: {bandwidth: 900 "
          "GB/s}}",
          600 * GB },
        { "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: {bandwidth: 900 "
          "GB/s, charge_writes: true}}",
          400 * GB },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Setup s = {
            .npu = cases[i].npu,
            .endpoint = "{kind: baseline, sms: 6, memory_bandwidth: 300 GB/s}",
            .workload = "{kind: program, name: p, roles: [{name: all, ops: "
                        "[{kind: kernel, name: k, flop: 1, read: 400 MB}]}]}",
        };

        assert_int_equal(
            simulate_setup(&s).compute_ps,
            sim_time_from_bytes(400000000, cases[i].left_bytes_per_s));
    }
}

/* ---- a shared memory beside a kernel ------------------------------------- */

/* The time in which the kernel runs, and that of the collective beside it. */
typedef struct {
    SimTime kernel_ps, collective_ps;
} SideBySide;

/* Runs an all-gather of 64 MiB on @endpoint beside a kernel that reads @read_mb
 * MB, with @hbm_gb GB/s and hbm.share_by = @share_by. */
static SideBySide run_kernel_beside_endpoint(const char *endpoint,
                                             unsigned hbm_gb,
                                             const char *share_by,
                                             unsigned read_mb)
{
    Setup s = {
        .topology = FAST,
        .npu = format_text("{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, "
                           "hbm: {bandwidth: %u GB/s, policy: shared, "
                           "share_by: %s}}",
                           hbm_gb, share_by),
        .endpoint = endpoint,
        .workload = format_text("{kind: beside, name: b, collective: "
                                "all-gather, payload: 64 MiB, kernels: "
                                "[{kind: stream, name: k, read: %u MB}]}",
                                read_mb),
    };
    SystemResult r = simulate_setup(&s);

    return (SideBySide){ r.compute_ps, r.comm_ps };
}

/* The 6 SMs of the endpoint request a twelfth of what the 74 others do, and
 * 6/80 of the memory are less than the half that a stream gets. */
static void test_sms_of_a_kernel_outweigh_those_of_a_baseline(void **state)
{
    SideBySide streams =
        run_kernel_beside_endpoint(COMM_OPT, 300, "streams", 20);
    SideBySide sms = run_kernel_beside_endpoint(COMM_OPT, 300, "sms", 20);

    (void)state;
    assert_true(sms.kernel_ps < streams.kernel_ps);
    assert_true(sms.collective_ps > streams.collective_ps);
    /* The kernel has 74/80 of the memory while the endpoint reads, and all of
     * it while the endpoint waits for links. */
    assert_in_range(sms.kernel_ps, sim_time_from_bytes(20000000, 300 * GB),
                    sim_time_from_bytes(20000000, 277 * GB));
}

/* Both DMA engines of ACE request 128 GB/s each, and leave a kernel 44 of 300
 * GB/s. */
static void test_ace_is_not_slowed_by_a_kernel_on_sms(void **state)
{
    SideBySide alone = run_kernel_beside_endpoint(ACE_128, 300, "sms", 1);
    SideBySide streams =
        run_kernel_beside_endpoint(ACE_128, 300, "streams", 10);
    SideBySide sms = run_kernel_beside_endpoint(ACE_128, 300, "sms", 10);

    (void)state;
    assert_int_equal(sms.collective_ps, alone.collective_ps);
    assert_true(streams.collective_ps > alone.collective_ps);
    assert_true(sms.kernel_ps > streams.kernel_ps);
}

static void test_a_copy_engine_is_not_slowed_by_a_kernel_on_sms(void **state)
{
    static const char copy[] =
        "{kind: copy-engine, launch_time: 0 ns, memory_bandwidth: 80 GB/s}";
    SideBySide alone = run_kernel_beside_endpoint(copy, 80, "sms", 1);
    SideBySide streams = run_kernel_beside_endpoint(copy, 80, "streams", 30);
    SideBySide sms = run_kernel_beside_endpoint(copy, 80, "sms", 30);

    (void)state;
    assert_int_equal(sms.collective_ps, alone.collective_ps);
    assert_true(streams.collective_ps > alone.collective_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_endpoint_beats_ace_and_ace_a_baseline),
        cmocka_unit_test(test_no_endpoint_beats_ideal_without_launch_costs),
        cmocka_unit_test(test_launch_and_step_times_add_to_a_small_collective),
        cmocka_unit_test(
            test_a_baseline_reads_one_and_a_half_bytes_per_sent_byte),
        cmocka_unit_test(test_a_baseline_rereads_only_reduced_data),
        cmocka_unit_test(test_ace_reads_and_writes_each_payload_byte_once),
        cmocka_unit_test(test_ace_moves_one_block_if_a_rank_has_only_one),
        cmocka_unit_test(test_an_ideal_endpoint_uses_no_memory_and_no_sms),
        cmocka_unit_test(test_only_a_baseline_endpoint_holds_sms),
        cmocka_unit_test(test_a_baseline_is_limited_by_its_share_or_its_sms),
        cmocka_unit_test(test_a_released_endpoint_share_costs_kernels_nothing),
        cmocka_unit_test(test_the_dma_engine_limits_ace),
        cmocka_unit_test(test_narrow_alus_limit_ace),
        cmocka_unit_test(test_the_npu_bus_limits_the_send_rate),
        cmocka_unit_test(test_shared_hbm_charges_a_baseline_its_writes),
        cmocka_unit_test(test_no_endpoint_exceeds_its_hbm_bandwidth),
        cmocka_unit_test(test_writes_that_fit_the_hbm_cost_no_time),
        cmocka_unit_test(
            test_kernels_get_the_bandwidth_that_an_endpoint_leaves),
        cmocka_unit_test(test_sms_of_a_kernel_outweigh_those_of_a_baseline),
        cmocka_unit_test(test_ace_is_not_slowed_by_a_kernel_on_sms),
        cmocka_unit_test(test_a_copy_engine_is_not_slowed_by_a_kernel_on_sms),
    };

    return cmocka_run_group_tests_name("endpoint", tests, NULL, NULL);
}
