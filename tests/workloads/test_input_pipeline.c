/* test_input_pipeline.c - tests of workloads/input/: durations and dependencies
 * of input stages */
#include "tests/workloads/loops_fixture.h"

static const char one[] =
    "workload:\n"
    "  kind: data-parallel\n"
    "  name: one\n"
    "  batch: 3\n"
    "  layers: [{kind: linear, name: a, in: 3, out: 5}]\n";

static const char tables[] =
    "workload:\n"
    "  kind: dlrm\n"
    "  name: tables\n"
    "  batch: 2\n"
    "  embedding: {tables: 2, dimension: 4, lookups: 1}\n"
    "  bottom: [{name: b, in: 2, out: 4}]\n"
    "  top: [{name: t, in: 12, out: 1}]\n";

/* Read: 3 samples of 7 B at 3 B/ns.  Decode: 3 samples on 2 cores that decode
 * 500,000 a second each.  Copy: a given time. */
#define THREE                                                                  \
    "read: {bytes: 7 B, bandwidth: 3 GB/s}, "                                  \
    "decode: {cores: 2, samples_per_s: 500000}, copy: {time: 9 ns}"

static void without_stages_no_input_is_read(void **state)
{
    (void)state;
    assert_graph_text(one, "input: {}",
                      "0 a forward < 2@1\n"
                      "1 a weight-gradient\n"
                      "2 a all-reduce 30 B p1 < 1\n");
}

static void
without_prefetch_reading_waits_for_the_previous_iteration(void **state)
{
    (void)state;
    assert_graph_text(one, "input: {" THREE "}",
                      "0 input read 7000 ps < 5@1 < 4@1\n"
                      "1 input decode 3000000 ps < 0\n"
                      "2 input copy 9000 ps < 1\n"
                      "3 a forward < 2 < 5@1\n"
                      "4 a weight-gradient\n"
                      "5 a all-reduce 30 B p1 < 4\n");
}

static void prefetch_to_the_host_does_not_prefetch_the_copy(void **state)
{
    (void)state;
    assert_graph_text(one, "input: {" THREE ", prefetch: host, depth: 4}",
                      "0 input read 7000 ps < 2@4\n"
                      "1 input decode 3000000 ps < 0\n"
                      "2 input copy 9000 ps < 1 < 5@1 < 4@1\n"
                      "3 a forward < 2 < 5@1\n"
                      "4 a weight-gradient\n"
                      "5 a all-reduce 30 B p1 < 4\n");
}

static void prefetch_to_the_device_waits_for_a_free_buffer(void **state)
{
    (void)state;
    assert_graph_text(one, "input: {" THREE ", prefetch: device, depth: 2}",
                      "0 input read 7000 ps < 2@2\n"
                      "1 input decode 3000000 ps < 0\n"
                      "2 input copy 9000 ps < 1 < 4@3\n"
                      "3 a forward < 2 < 5@1\n"
                      "4 a weight-gradient\n"
                      "5 a all-reduce 30 B p1 < 4\n");
}

/* The optimiser step belongs to the previous iteration, so it needs no
 * samples. */
static void the_optimiser_does_not_wait_for_samples(void **state)
{
    (void)state;
    assert_graph_text(
        one,
        "optimiser: sgd, synchronise: step, input: {read: {time: 1 "
        "ns}, prefetch: host}",
        "0 input read 1000 ps < 3@2\n"
        "1 a update < 4@1\n"
        "2 a forward < 0\n"
        "3 a weight-gradient\n"
        "4 a all-reduce 30 B p1 < 3\n");
}

static void table_lookups_wait_for_the_copy(void **state)
{
    (void)state;
    assert_graph_text(tables, "input: {copy: {time: 1 ns}, prefetch: device}",
                      "0 input copy 1000 ps < 11@2\n"
                      "1 embedding forward < 0\n"
                      "2 embedding all-to-all 32 B p4294967295 < 1\n"
                      "3 b forward < 10@1\n"
                      "4 t forward < 2 < 6@1\n"
                      "5 t weight-gradient\n"
                      "6 t all-reduce 24 B p1 < 5\n"
                      "7 t input-gradient\n"
                      "8 embedding all-to-all 32 B p4294967295 < 7\n"
                      "9 b weight-gradient\n"
                      "10 b all-reduce 16 B p3 < 9\n"
                      "11 embedding update < 8\n");
    assert_graph_text(tables,
                      "optimised: true, input: {copy: {time: 1 ns}, prefetch: "
                      "device}",
                      "0 input copy 1000 ps < 10@2\n"
                      "1 embedding update beside < 9@1\n"
                      "2 embedding forward beside < 0\n"
                      "3 embedding all-to-all 32 B p4294967295 < 2\n"
                      "4 b forward < 0@1 < 11@1\n"
                      "5 t forward < 3@1 < 7@1\n"
                      "6 t weight-gradient\n"
                      "7 t all-reduce 24 B p1 < 6\n"
                      "8 t input-gradient\n"
                      "9 embedding all-to-all 32 B p4294967295 < 8\n"
                      "10 b weight-gradient\n"
                      "11 b all-reduce 16 B p3 < 10\n");
}

static void assert_workload_refused(const char *workload, const char *training,
                                    int code, const char *message)
{
    GError *error = NULL;

    assert_null(build_operation_graph(workload, training, &error));
    assert_config_error(error, code, message);
}

static void inconsistent_settings_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        one, "input: {read: {bytes: 1 B}}", CONFIG_ERROR_CONFLICT,
        "t.yaml:6:52: bytes: give the 'bandwidth' that moves them");
    assert_workload_refused(
        one, "input: {copy: {bandwidth: 1 GB/s}}", CONFIG_ERROR_CONFLICT,
        "t.yaml:6:56: bandwidth: there is nothing to move; give "
        "'bytes' of a sample");
    assert_workload_refused(one, "input: {decode: {cores: 2}}",
                            CONFIG_ERROR_CONFLICT,
                            "t.yaml:6:54: cores: give 'samples_per_s' of one");
    assert_workload_refused(
        one, "input: {read: {time: 1 ns}, depth: 2}", CONFIG_ERROR_CONFLICT,
        "t.yaml:6:65: depth: nothing runs ahead without 'prefetch'");
    assert_workload_refused(
        one, "input: {prefetch: host}", CONFIG_ERROR_CONFLICT,
        "t.yaml:6:48: prefetch: no stage takes any time; give "
        "'read', 'decode' or 'copy', or leave 'training.input' out");
    assert_workload_refused(
        one, "input: {read: {bytes: 1 TiB, bandwidth: 1 MB/s}}",
        CONFIG_ERROR_RANGE,
        "t.yaml:6:44: a batch of 3 samples takes longer than an "
        "hour");
}

static void an_input_without_training_is_an_error(void **state)
{
    static const char alone[] =
        "workload: {kind: collective, name: x, collective: all-reduce, "
        "payload: 1 KiB}\n";
    static const char jobs[] =
        "workload: {kind: jobs, name: x, jobs: [{name: j, workload: "
        "{kind: collective, name: x, collective: all-reduce, "
        "payload: 1 KiB}}]}\n";

    (void)state;
    assert_workload_refused(
        alone, "input: {read: {time: 1 ns}}", CONFIG_ERROR_CONFLICT,
        "t.yaml:2:37: a workload of kind 'collective' has no "
        "forward pass that could wait for samples; leave "
        "'training.input' out");
    assert_workload_refused(
        jobs, "input: {read: {time: 1 ns}}", CONFIG_ERROR_CONFLICT,
        "t.yaml:2:37: no job has a forward pass that could wait for "
        "samples; leave 'training.input' out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_stages_no_input_is_read),
        cmocka_unit_test(
            without_prefetch_reading_waits_for_the_previous_iteration),
        cmocka_unit_test(prefetch_to_the_host_does_not_prefetch_the_copy),
        cmocka_unit_test(prefetch_to_the_device_waits_for_a_free_buffer),
        cmocka_unit_test(the_optimiser_does_not_wait_for_samples),
        cmocka_unit_test(table_lookups_wait_for_the_copy),
        cmocka_unit_test(inconsistent_settings_are_errors),
        cmocka_unit_test(an_input_without_training_is_an_error),
    };

    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
