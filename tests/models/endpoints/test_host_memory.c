/* test_host_memory.c - Tests of models/endpoints/host_memory in whole runs. */
#include "tests/system_fixture.h"

#include "models/observe/critical_path.h"
#include "models/observe/verify_collectives.h"

/* A byte takes 1000 ps on a link, and a link has a latency of 1 us. The switch
 * forwards a message when its first packet has arrived. */
#define BYTE_PS UINT64_C(1000)
#define US      UINT64_C(1000000)
#define HOSTS   "{kind: switch, npus: 4, bandwidth: 1 GB/s, latency: 1 us}"
#define FREE    "message_cycles: 0"
#define ALL                                                                    \
    "staging_bandwidth: 10 GB/s, staging_launch: 7 us, copies_back: 2, "       \
    "buffer_bandwidth: 4 GB/s, reduce_bandwidth: 2 GB/s, scale_bandwidth: 5 "  \
    "GB/s"
/* The payload is one chunk, sent as one message per step. */
#define WHOLE                                                                  \
    "{kind: library, rules: [{collective: all-reduce, algorithm: ring}, "      \
    "{collective: reduce-scatter, algorithm: ring}, {collective: all-gather, " \
    "algorithm: ring}, {collective: broadcast, algorithm: linear}, "           \
    "{collective: reduce, algorithm: linear}]%s}"
#define BYTES   UINT64_C(400000)
#define RING_PS (6 * host_hop_time_ps(BYTES / 4))

static SimTime host_hop_time_ps(uint64_t bytes)
{
    return 2 * US + BYTE_PS * (bytes + 256);
}

/* Returns the setup of a collective of BYTES. A ring all-reduce has 6 steps of
 * a quarter each, of which 3 add. */
static Setup host_memory_setup(CollKind kind, const char *keys,
                               const char *stack)
{
    return (Setup){ .topology = HOSTS,
                    .endpoint = format_text("{kind: host, " FREE "%s%s}",
                                            *keys ? ", " : "", keys),
                    .workload = single_collective_workload(kind, BYTES),
                    .collectives = "{chunk: auto, message: auto, window: auto}",
                    .stack = stack };
}

static SystemResult run_verified_with_path(const Setup *setup,
                                           const char *resource,
                                           SimTime *ret_path_ps)
{
    g_autoptr(Verify) verify = NULL;
    g_autoptr(CriticalPath) path = NULL;
    g_autoptr(GError) error = NULL;
    SystemResult result;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_no_error(error);
    path = critical_path_new(run.system, 0);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    result = system_result(run.system);
    critical_path_finish(path, result.iteration_ps);
    if (resource)
        *ret_path_ps = critical_path_row_time_ps(
            path, PATH_RESOURCES + resource_index_by_name("host", resource));
    run_clear(&run);
    return result;
}

static SimTime host_collective_time_ps(CollKind kind, const char *keys)
{
    const Setup setup = host_memory_setup(kind, keys, format_text(WHOLE, ""));

    return run_verified_with_path(&setup, NULL, NULL).iteration_ps;
}

static void test_a_host_without_rates_is_as_fast_as_the_link(void **state)
{
    (void)state;
    assert_int_equal(host_collective_time_ps(COLL_ALL_REDUCE, ""), RING_PS);
}

static void test_each_host_rate_costs_the_time_of_its_bytes(void **state)
{
    (void)state;
    assert_int_equal(
        host_collective_time_ps(COLL_ALL_REDUCE, "reduce_bandwidth: 2 GB/s"),
        RING_PS + 3 * (BYTES / 4) * 500);
    assert_int_equal(
        host_collective_time_ps(COLL_ALL_REDUCE, "buffer_bandwidth: 4 GB/s"),
        RING_PS + BYTES * 250);
    assert_int_equal(
        host_collective_time_ps(COLL_ALL_REDUCE, "scale_bandwidth: 5 GB/s"),
        RING_PS + BYTES * 200);
    assert_int_equal(
        host_collective_time_ps(COLL_ALL_REDUCE,
                                "staging_bandwidth: 10 GB/s, staging_launch: 7 "
                                "us, copies_back: 3"),
        RING_PS + 4 * (7 * US + BYTES * 100));
    assert_int_equal(host_collective_time_ps(COLL_ALL_REDUCE, ALL),
                     RING_PS + 3 * (7 * US + BYTES * 100) + BYTES * 250 +
                         BYTES * 200 + 3 * (BYTES / 4) * 500);
}

/* A step of a ring takes its message out of the sender's process and into that
 * of the receiver, whatever the rate of the link. */
static void test_each_message_passes_a_thread_on_either_side(void **state)
{
    Setup setup = host_memory_setup(COLL_ALL_REDUCE,
                                    "message_bandwidth: 500 MB/s, "
                                    "reduce_bandwidth: 2 GB/s",
                                    format_text(WHOLE, ""));
    guint threads = resource_index_by_name("host", "host_messages");
    SimTime threads_ps = 6 * 2 * (BYTES / 4) * 2000, path_ps = 0, link_ps;
    SystemResult result;

    (void)state;
    result = run_verified_with_path(&setup, "host_messages", &path_ps);
    assert_int_equal(result.iteration_ps,
                     RING_PS + threads_ps + 3 * (BYTES / 4) * 500);
    assert_int_equal(path_ps, threads_ps);
    assert_int_equal(result.uses[threads].busy_ps, threads_ps);
    assert_int_equal(result.uses[threads].capacity, 2);
    assert_int_equal(simulate_setup(&setup).iteration_ps, result.iteration_ps);
    link_ps = 6 * (BYTES / 4) * BYTE_PS / 2;
    setup.topology =
        "{kind: switch, npus: 4, bandwidth: 2 GB/s, latency: 1 us}";
    assert_true(result.iteration_ps -
                    run_verified_with_path(&setup, NULL, NULL).iteration_ps <=
                link_ps + 6 * 256 * BYTE_PS);
}

/* A reduce-scatter copies all bytes in and a quarter out, an all-gather the
 * reverse. Only sums are scaled. */
static void test_a_host_stages_only_data_that_a_rank_has(void **state)
{
    const char *staging = "staging_bandwidth: 10 GB/s, scale_bandwidth: 5 GB/s";

    (void)state;
    assert_int_equal(host_collective_time_ps(COLL_REDUCE_SCATTER, staging),
                     RING_PS / 2 + BYTES * 100 + BYTES / 4 * 300);
    assert_int_equal(host_collective_time_ps(COLL_ALL_GATHER, staging),
                     RING_PS / 2 + BYTES / 4 * 100 + BYTES * 100);
}

static void test_a_host_collective_pays_launch_and_step_costs(void **state)
{
    const Setup setup = host_memory_setup(
        COLL_ALL_REDUCE, "launch_time: 9 us, step_time: 9 us",
        format_text(WHOLE, ", launch_time: 5 us, step_time: 3 us"));

    (void)state;
    assert_int_equal(run_verified_with_path(&setup, NULL, NULL).iteration_ps,
                     RING_PS + 5 * US + 6 * 3 * US);
}

/* If the payload is cut into chunks, copies run in parallel with steps. */
static void test_host_chunks_are_staged_in_parallel_with_steps(void **state)
{
    Setup setup =
        host_memory_setup(COLL_ALL_REDUCE, "staging_bandwidth: 1 GB/s", NULL);
    SimTime pieces_ps;

    (void)state;
    setup.collectives = "{algorithm: ring, chunk: 20000 B, message: auto, "
                        "window: auto}";
    pieces_ps = run_verified_with_path(&setup, NULL, NULL).iteration_ps;
    assert_true(pieces_ps < host_collective_time_ps(
                                COLL_ALL_REDUCE, "staging_bandwidth: 1 GB/s") -
                                BYTES * BYTE_PS);
}

/* Returns a setup in which two hosts reduce-scatter three chunks of 16 KB. */
static Setup three_chunk_setup(const char *keys, gboolean in_two)
{
    Setup setup = host_memory_setup(
        COLL_REDUCE_SCATTER,
        format_text("staging_bandwidth: 4 GB/s, copies_back: 64, %s", keys),
        NULL);

    setup.topology =
        "{kind: switch, npus: 2, bandwidth: 1 GB/s, latency: 1 us}";
    setup.workload = single_collective_workload(COLL_REDUCE_SCATTER, 3 * 16000);
    setup.collectives = in_two ? "{algorithm: ring, chunk: 16000 B, message: "
                                 "4000 B, window: auto, scheduler: fifo}"
                               : "{algorithm: ring, chunk: 16000 B, message: "
                                 "8000 B, window: auto, scheduler: fifo}";
    return setup;
}

/* Each of three chunks is copied out in 4 us, into a buffer in 80 us and back
 * in 128 us. Half of each chunk is added, in 80 us. At 164 us two chunks are in
 * their buffers. The message for the first chunk came at 94 us and is served
 * before the third chunk. The first chunk can thus be copied back from 244 us
 * on, and the other two after it. */
static void test_host_cores_serve_older_chunks_first(void **state)
{
    const Setup setup = three_chunk_setup(
        "buffer_bandwidth: 200 MB/s, reduce_bandwidth: 100 MB/s", FALSE);

    (void)state;
    assert_int_equal(run_verified_with_path(&setup, NULL, NULL).iteration_ps,
                     4 * US + 3 * 80 * US + 3 * 128 * US);
}

/* Each of three chunks has two messages. Adding a message takes 40 us, as does
 * scaling a chunk. When the first chunk is complete, the cores have begun to
 * add to the second. The first chunk is scaled before all other waiting work,
 * so that it can be copied back. */
static void test_host_cores_scale_older_sums_first(void **state)
{
    const Setup setup = three_chunk_setup(
        "scale_bandwidth: 200 MB/s, reduce_bandwidth: 100 MB/s", TRUE);

    (void)state;
    assert_int_equal(run_verified_with_path(&setup, NULL, NULL).iteration_ps,
                     4 * US + host_hop_time_ps(4000) + 4 * 40 * US +
                         3 * 128 * US);
}

static void test_waiting_for_a_host_is_attributed_to_the_host(void **state)
{
    const Setup setup =
        host_memory_setup(COLL_ALL_REDUCE, ALL, format_text(WHOLE, ""));
    SystemResult result;
    SimTime path_ps = 0;
    guint cores = resource_index_by_name("host", "host_cores");
    guint staging = resource_index_by_name("host", "staging");
    SimTime cores_ps = BYTES * 250 + BYTES * 200 + 3 * (BYTES / 4) * 500;

    (void)state;
    result = run_verified_with_path(&setup, "host_cores", &path_ps);
    assert_int_equal(path_ps, cores_ps);
    assert_int_equal(result.uses[cores].busy_ps, cores_ps);
    assert_int_equal(result.uses[cores].capacity, 1);
    (void)run_verified_with_path(&setup, "staging", &path_ps);
    assert_int_equal(path_ps, 3 * (7 * US + BYTES * 100));
    assert_int_equal(result.uses[staging].busy_ps, 3 * (7 * US + BYTES * 100));
    assert_int_equal(result.hbm_comm_read_bytes, BYTES);
    assert_int_equal(result.hbm_comm_write_bytes, 2 * BYTES);
    assert_int_equal(result.sm_comm_ns, 0);
}

static void test_one_simulated_host_represents_all(void **state)
{
    const Setup setup = host_memory_setup(
        COLL_ALL_REDUCE, ALL, format_text(WHOLE, ", step_time: 3 us"));

    (void)state;
    assert_int_equal(simulate_setup(&setup).iteration_ps,
                     run_verified_with_path(&setup, NULL, NULL).iteration_ps);
}

/* Two workers and a server use links of 1 GB/s. The workers copy gradients out
 * and weights back. The server adds and copies nothing. The second gradient
 * arrives while the server adds the first. */
static void test_a_parameter_server_adds_and_stages_nothing(void **state)
{
    const Setup setup = {
        .topology = "{kind: switch, npus: 3, bandwidth: 1 GB/s, latency: 1 us}",
        .endpoint = "{kind: host, " FREE ", staging_bandwidth: 10 GB/s, "
                    "staging_launch: 7 us, reduce_bandwidth: 250 MB/s}",
        .workload = "{kind: data-parallel, name: w, batch: 1, layers: [{kind: "
                    "measured, name: l, forward_time: 1 us, "
                    "input_gradient_time: 1 us, weight_gradient_time: 1 us, "
                    "weights: 100000}]}",
        .training = "{iterations: 1, compute: measured, gradient: fp32, "
                    "optimiser: none, exchange: {kind: parameter-server, "
                    "servers: {list: [2]}}}",
        .collectives = "{chunk: auto, message: auto, window: auto}",
        .stack = "{kind: library, rules: [], launch_time: 5 us, step_time: 3 "
                 "us}",
    };
    SimTime push_ps = 8 * US + 7 * US + BYTES * 100 + host_hop_time_ps(BYTES) +
                      2 * BYTES * 4000;
    SimTime pull_ps =
        8 * US + host_hop_time_ps(2 * BYTES) + 7 * US + BYTES * 100;

    (void)state;
    assert_int_equal(run_verified_with_path(&setup, NULL, NULL).iteration_ps,
                     2 * US + push_ps + pull_ps);
}

/* The server takes the gradients of both workers in with one thread, and gives
 * the weights to each of them with another. */
static void test_a_server_passes_messages_one_after_the_other(void **state)
{
    const Setup setup = {
        .topology = "{kind: switch, npus: 3, bandwidth: 1 GB/s, latency: 1 us}",
        .endpoint = "{kind: host, " FREE ", message_bandwidth: 100 MB/s}",
        .workload = "{kind: data-parallel, name: w, batch: 1, layers: [{kind: "
                    "measured, name: l, forward_time: 1 us, "
                    "input_gradient_time: 1 us, weight_gradient_time: 1 us, "
                    "weights: 100000}]}",
        .training = "{iterations: 1, compute: measured, gradient: fp32, "
                    "optimiser: none, exchange: {kind: parameter-server, "
                    "servers: {list: [2]}}}",
        .collectives = "{chunk: auto, message: auto, window: auto}",
        .stack = "{kind: library, rules: []}",
    };
    SimTime thread_ps = BYTES * 10000;

    (void)state;
    assert_int_equal(run_verified_with_path(&setup, NULL, NULL).iteration_ps,
                     2 * US + 2 * (host_hop_time_ps(BYTES) + 3 * thread_ps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_host_without_rates_is_as_fast_as_the_link),
        cmocka_unit_test(test_each_host_rate_costs_the_time_of_its_bytes),
        cmocka_unit_test(test_each_message_passes_a_thread_on_either_side),
        cmocka_unit_test(test_a_host_stages_only_data_that_a_rank_has),
        cmocka_unit_test(test_a_host_collective_pays_launch_and_step_costs),
        cmocka_unit_test(test_host_chunks_are_staged_in_parallel_with_steps),
        cmocka_unit_test(test_host_cores_serve_older_chunks_first),
        cmocka_unit_test(test_host_cores_scale_older_sums_first),
        cmocka_unit_test(test_waiting_for_a_host_is_attributed_to_the_host),
        cmocka_unit_test(test_one_simulated_host_represents_all),
        cmocka_unit_test(test_a_server_passes_messages_one_after_the_other),
        cmocka_unit_test(test_a_parameter_server_adds_and_stages_nothing),
    };

    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
