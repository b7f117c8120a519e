/* test_copy_engine.c - Tests of models/endpoints/copy_engine/ in whole runs. */
#include "tests/system_fixture.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GB     UINT64_C(1000000000)

#define ACE_NPU                                                                \
    "{sms: 80, clock: 1245 MHz, flops: 120 TFLOPS, hbm: {bandwidth: 900 GB/s}}"
#define PAIR                                                                   \
    "{kind: fully-connected, npus: 2, bandwidth: 25 GB/s, latency: 500 ns}"
/* Links that are too fast to limit anything. */
#define FAST                                                                   \
    "{kind: torus, dims: ["                                                    \
    "{size: 4, links: 2, bandwidth: 2 TB/s, latency: 10 ns}, "                 \
    "{size: 2, links: 2, bandwidth: 2 TB/s, latency: 10 ns}]}"
#define FREE "launch_time: 0 ns, message_cycles: 0"
#define COPY "{kind: copy-engine, " FREE ", sms: 2, memory_bandwidth: 450 GB/s}"

/* Returns platform @i, or NULL after the last one. The number of NPUs and the
 * sizes of all phases divide MIB(n). */
static const char *platform_yaml_of_case(gsize i)
{
    switch (i) {
    case 0:
        return RING_4;
    case 1:
        return ace_torus_text(4, 2, 2);
    case 2:
        return "{kind: switch, npus: 16, bandwidth: 100 GB/s, "
               "latency: 500 ns}";
    case 3:
        return "{kind: fully-connected, npus: 8, bandwidth: 25 GB/s, "
               "latency: 500 ns}";
    default:
        return NULL;
    }
}

static SystemResult simulate_one_collective(const char *topology,
                                            const char *endpoint, CollKind kind,
                                            uint64_t payload_bytes)
{
    Setup s = { .topology = topology,
                .npu = ACE_NPU,
                .endpoint = endpoint,
                .workload = single_collective_workload(kind, payload_bytes) };

    return simulate_setup(&s);
}

static void assert_hbm_traffic(const SystemResult *result, uint64_t read_bytes,
                               uint64_t write_bytes)
{
    assert_int_equal(result->hbm_comm_read_bytes, read_bytes);
    assert_int_equal(result->hbm_comm_write_bytes, write_bytes);
}

static void assert_endpoint_refused(const char *endpoint, const char *message)
{
    Setup s = { .npu = ACE_NPU, .endpoint = endpoint };

    assert_setup_refused(&s, FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                         message);
}

static void test_a_copy_engine_reads_reduced_data_again(void **state)
{
    (void)state;
    for (gsize i = 0; platform_yaml_of_case(i); i++) {
        SystemResult scatter = simulate_one_collective(
            platform_yaml_of_case(i), COPY, COLL_REDUCE_SCATTER, MIB(1));
        SystemResult gather = simulate_one_collective(
            platform_yaml_of_case(i), COPY, COLL_ALL_GATHER, MIB(1));
        SystemResult reduce = simulate_one_collective(
            platform_yaml_of_case(i), COPY, COLL_ALL_REDUCE, MIB(1));
        SystemResult exchange = simulate_one_collective(
            platform_yaml_of_case(i), COPY, COLL_ALL_TO_ALL, MIB(1));

        assert_hbm_traffic(&scatter, 3 * scatter.sent_bytes,
                           2 * scatter.sent_bytes);
        assert_hbm_traffic(&gather, gather.sent_bytes, gather.sent_bytes);
        assert_hbm_traffic(&reduce, 2 * reduce.sent_bytes,
                           reduce.sent_bytes / 2 * 3);
        assert_hbm_traffic(&exchange, exchange.sent_bytes, exchange.sent_bytes);
    }
}

/* Returns the time that a message of @bytes takes in addition to the
 * network. */
static SimTime copy_collective_time_ps(CollKind kind, const char *options,
                                       uint64_t bytes)
{
    Setup s = {
        .topology = PAIR,
        .npu = ACE_NPU,
        .endpoint = format_text("{kind: copy-engine, " FREE
                                ", memory_bandwidth: 450 GB/s, %s}",
                                options),
        .workload = single_collective_workload(kind, 2 * bytes),
        .collectives = "{message: 64 KiB}",
    };
    SimTime takes_ps = simulate_setup(&s).total_ps;

    s.endpoint = "{kind: ideal, message_cycles: 0}";
    return takes_ps - simulate_setup(&s).total_ps;
}

/* A copy takes 1 us to launch and then runs at 10 GB/s. */
static void test_a_small_copy_takes_its_launch(void **state)
{
    const uint64_t sizes[] = { 1, 100, 1000, 16000 };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
        assert_int_equal(copy_collective_time_ps(
                             COLL_ALL_GATHER,
                             "copy_launch: 1 us, engine_bandwidth: 10 GB/s",
                             sizes[i]),
                         1000000 + 100 * sizes[i]);
}

/* The reduction takes 3 us to launch, and moves twice the bytes at 2 x 79.68
 * GB/s. */
static void test_a_kernel_reduces_copied_data(void **state)
{
    (void)state;
    assert_int_equal(
        copy_collective_time_ps(
            COLL_REDUCE_SCATTER,
            "copy_launch: 1 us, engine_bandwidth: 10 GB/s, sms: 2, "
            "reduce_launch: 3 us",
            15936),
        1000000 + 1593600 + 3000000 + 200000);
}

/* The bound is engines x message / (launch + message / rate of one engine). */
static void test_copy_engines_limit_the_send_rate(void **state)
{
    const struct {
        int engines, gb_per_s, launch_ns, message_kib;
        uint64_t bound_mb_per_s;
    } points[] = {
        { 4, 10, 0, 16, 40000 },      { 8, 10, 0, 16, 80000 },
        { 1, 50, 0, 1024, 50000 },    { 4, 50, 1000, 16, 49360 },
        { 4, 50, 1000, 512, 182584 }, { 16, 50, 2000, 16, 112634 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(points); i++) {
        Setup s = {
            .topology = FAST,
            .npu = ACE_NPU,
            .endpoint = format_text(
                "{kind: copy-engine, " FREE ", engines: %d, "
                "engine_bandwidth: %d GB/s, copy_launch: %d "
                "ns, memory_bandwidth: 450 GB/s}",
                points[i].engines, points[i].gb_per_s, points[i].launch_ns),
            .workload = single_collective_workload(COLL_ALL_TO_ALL, MIB(256)),
            .collectives =
                format_text("{chunk: %d KiB, message: %d KiB}",
                            8 * points[i].message_kib, points[i].message_kib),
        };
        SystemResult r = simulate_setup(&s);
        uint64_t bound = points[i].bound_mb_per_s * 1000000;

        assert_true(r.net_bytes_per_s <= bound + bound / 1000);
        assert_near_per_mille(r.net_bytes_per_s, bound, 20);
    }
}

/* Per byte sent, a reduce-scatter step reads 3 bytes of a fixed share, and is
 * charged 5 bytes of a shared HBM. A copy reads 1 and is charged 2. */
static void test_memory_bandwidth_limits_copy_engines(void **state)
{
    const struct {
        const char *policy;
        CollKind kind;
        int n_charged;
    } points[] = {
        { "partitioned", COLL_REDUCE_SCATTER, 3 },
        { "partitioned", COLL_ALL_TO_ALL, 1 },
        { "shared", COLL_REDUCE_SCATTER, 5 },
        { "shared", COLL_ALL_TO_ALL, 2 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(points); i++) {
        Setup s = {
            .topology = FAST,
            .npu = format_text("{sms: 80, clock: 1245 MHz, flops: 120 "
                               "TFLOPS, hbm: {bandwidth: 60 GB/s, policy: "
                               "%s}}",
                               points[i].policy),
            .endpoint = "{kind: copy-engine, " FREE ", sms: 40, copy_launch: 0 "
                        "ns, memory_bandwidth: 60 GB/s}",
            .workload = single_collective_workload(points[i].kind, MIB(64))
        };
        uint64_t bound = 60 * GB / (uint64_t)points[i].n_charged;
        SystemResult r = simulate_setup(&s);

        assert_true(r.net_bytes_per_s <= bound);
        assert_near_per_mille(r.net_bytes_per_s, bound, 20);
    }
}

static void test_copy_engine_sms_are_released_without_reduction(void **state)
{
    SystemResult r = simulate_one_collective(platform_yaml_of_case(1), COPY,
                                             COLL_ALL_GATHER, MIB(1));

    (void)state;
    assert_int_equal(r.sm_comm_ns, 0);
    r = simulate_one_collective(platform_yaml_of_case(1), COPY, COLL_ALL_TO_ALL,
                                MIB(1));
    assert_int_equal(r.sm_comm_ns, 0);
    r = simulate_one_collective(platform_yaml_of_case(1), COPY, COLL_ALL_REDUCE,
                                MIB(1));
    assert_int_equal(r.sm_comm_ns, 2 * r.comm_ps / 1000);
    r = simulate_one_collective(platform_yaml_of_case(1),
                                "{kind: copy-engine, " FREE
                                ", sms: 2, memory_bandwidth: 450 GB/s, "
                                "only_while_communicating: false}",
                                COLL_ALL_GATHER, MIB(1));
    assert_int_equal(r.sm_comm_ns, 2 * r.total_ps / 1000);
}

/* The kernels are bound by arithmetic and run in parallel with an all-to-all.
 * They have all SMs if the endpoint gives its SMs back. */
static void test_compute_has_all_sms_while_copy_engines_copy(void **state)
{
    Setup s = {
        .npu = "{sms: 80, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 900 "
               "GB/s}}",
        .workload = "{kind: dlrm, name: r, batch: 64, "
                    "embedding: {tables: 8, dimension: 32, lookups: 4}, "
                    "bottom: [{name: b1, in: 256, out: 32}], "
                    "top: [{name: t1, in: 288, out: 64}]}",
    };
    SystemResult held, given_back;

    (void)state;
    s.endpoint =
        "{kind: copy-engine, " FREE ", sms: 40, memory_bandwidth: 90 GB/s, "
        "only_while_communicating: false}";
    held = simulate_setup(&s);
    s.endpoint =
        "{kind: copy-engine, " FREE ", sms: 40, memory_bandwidth: 90 GB/s}";
    given_back = simulate_setup(&s);
    assert_true(given_back.compute_ps < held.compute_ps);
}

static void test_a_copy_engine_reduction_without_sms_is_refused(void **state)
{
    const char *none =
        "{kind: copy-engine, " FREE ", memory_bandwidth: 450 GB/s}";

    (void)state;
    assert_true(
        simulate_one_collective(PAIR, none, COLL_ALL_GATHER, 1000).total_ps >
        0);
    assert_true(
        simulate_one_collective(PAIR, none, COLL_ALL_TO_ALL, 1000).total_ps >
        0);
    assert_endpoint_refused(
        none, "run.yaml:3:11: sms: 0 cannot reduce, and all-reduce does here; "
              "give SMs for it (sms: 1), let a switch add (reduces: true "
              "there, algorithm: in-switch), or name the endpoint that reduces "
              "(kind: by-collective, reductions: ...)");
    assert_endpoint_refused(
        "{kind: copy-engine, sms: 81, memory_bandwidth: 450 GB/s}",
        "run.yaml:3:36: sms: 81 for reductions, but the NPU has 80");
}

/* The cut of payloads assumes that a copy takes its launch time, and that n
 * engines launch in parallel. Messages thus follow each other at 1/n of the
 * launch time. */
static void test_the_cut_model_assumes_parallel_copy_launches(void **state)
{
    (void)state;
    for (guint n = 1; n <= 16; n *= 4) {
        const Setup s = {
            .npu = ACE_NPU,
            .endpoint =
                format_text("{kind: copy-engine, " FREE
                            ", sms: 2, memory_bandwidth: 450 GB/s, engines: "
                            "%u, engine_bandwidth: 50 GB/s, copy_launch: 4 "
                            "us}",
                            n),
        };
        CutPace pace = { 0 };
        EndpointSite site = { 0 };
        Run run;

        read_run_setup(&run, &s);
        site.npu = &run.config.platform.npu;
        assert_true(endpoint_estimate_chunk_costs(&run.config.endpoint, &site,
                                                  NULL, MIB(1), &pace));
        assert_int_equal(pace.message_ps, SIM_US(4));
        assert_int_equal(pace.message_gap_ps, SIM_US(4) / n);
        assert_int_equal(pace.store_bytes_per_s, MIN(450, 50 * n) * GB);
        run_clear(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_engine_reads_reduced_data_again),
        cmocka_unit_test(test_a_small_copy_takes_its_launch),
        cmocka_unit_test(test_a_kernel_reduces_copied_data),
        cmocka_unit_test(test_copy_engines_limit_the_send_rate),
        cmocka_unit_test(test_memory_bandwidth_limits_copy_engines),
        cmocka_unit_test(test_copy_engine_sms_are_released_without_reduction),
        cmocka_unit_test(test_compute_has_all_sms_while_copy_engines_copy),
        cmocka_unit_test(test_a_copy_engine_reduction_without_sms_is_refused),
        cmocka_unit_test(test_the_cut_model_assumes_parallel_copy_launches),
    };

    return cmocka_run_group_tests_name("copy-engine", tests, NULL, NULL);
}
