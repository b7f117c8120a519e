/* Tests of models/observe/verify_collectives.c: whole runs with data end
 * without an error, and errors that a test makes are found. */
#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"

/* ---- verified data of whole runs ----------------------------------------- */

static void check_collective_result(const Setup *setup)
{
    GError *error = NULL;
    Verify *verify;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    /* The algorithm does not fit the topology, so the run is refused. */
    if (error && error->domain == CONFIG_ERROR) {
        g_clear_error(&error);
        run_clear(&run);
        return;
    }
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_non_null(verify);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    collective_verifier_free(verify);
    run_clear(&run);
}

static const char *const topologies[] = {
    RING_4,
    "{kind: torus, dims: [{size: 3, direction: one, bandwidth: 25 GB/s, "
    "latency: 500 ns}]}",
    "{kind: torus, dims: [{size: 2, " LINK_LOCAL "}, {size: 3, " LINK_GLOBAL
    "}, {size: 4, " LINK_GLOBAL "}]}",
    "{kind: switch, npus: 8, bandwidth: 25 GB/s, latency: 500 ns}",
    "{kind: fully-connected, npus: 5, bandwidth: 25 GB/s, latency: 500 ns}",
    "{kind: switch, npus: 6, bandwidth: 25 GB/s, latency: 500 ns, reduces: "
    "true, reduce_rate: 20 GB/s}",
};

static void
test_every_collective_ends_with_the_data_of_its_contract(void **state)
{
    static const char *const endpoints[] = {
        "{kind: ideal}",
        "{kind: ace, sram: 1 MiB, fsms: 8, chunks_per_fsm: 1}",
        "{kind: baseline, sms: 6, memory_bandwidth: 40 GB/s}",
        "{kind: copy-engine, sms: 6, engines: 3, memory_bandwidth: 40 GB/s}",
    };

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
            for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
                check_collective_result(&(Setup){
                    .topology = topologies[t],
                    .endpoint = endpoints[e],
                    .workload = single_collective_workload(kind, 200001),
                    .collectives = "{chunk: 16 KiB, message: 1 KiB}" });
}

static void test_every_algorithm_that_fits_moves_the_right_data(void **state)
{
    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (int a = 0; coll_algorithm_names[a]; a++)
            check_collective_result(&(Setup){
                .topology = topologies[t],
                .collectives = format_text("{algorithm: %s, message: 4 KiB}",
                                           coll_algorithm_names[a]) });
}

/* NPUs are not synchronised, so messages arrive before their receivers are
 * ready. */
static void
test_verified_data_are_right_out_of_step_and_by_packets(void **state)
{
    Setup s = {
        .topology = ace_torus_text(4, 2, 2),
        .workload = "{kind: data-parallel, name: d, batch: 4, layers: "
                    "[{kind: linear, name: a, in: 300, out: 300, repeat: 3}]}",
        .training = "{iterations: 2}",
        .collectives = "{chunk: 16 KiB, message: 2 KiB}",
        .perturb = "{jitter: 30 %, npus: [{npu: 3, time_factor: 2}]}",
    };

    (void)state;
    check_collective_result(&s);
    s.endpoint = "{kind: ace, sram: 1 MiB, fsms: 8, chunks_per_fsm: 1}";
    check_collective_result(&s);
    s.perturb = NULL;
    s.collectives = "{chunk: 16 KiB, fidelity: packet, buffer: 1 KiB}";
    check_collective_result(&s);
}

static void test_verification_refuses_too_many_npus(void **state)
{
    const Setup s = { .topology = "{kind: switch, npus: 513, bandwidth: "
                                  "25 GB/s, latency: 500 ns}" };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    assert_null(verify_listen_to_system(run.system, &error));
    assert_gerror(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                  "data can be carried along for 512 NPUs at most, not 513");
    run_clear(&run);
}

static void test_verification_refuses_to_exceed_memory(void **state)
{
    const SystemSize most = { .memory_bytes = 128 << 20 };
    const Setup s = { .topology = "{kind: switch, npus: 64, bandwidth: "
                                  "25 GB/s, latency: 500 ns}",
                      .collectives = "{message: 64 B}" };
    GError *error = NULL;
    Run run;

    (void)state;
    read_run_setup(&run, &s);
    run.system = system_new(
        &run.config, (RunOptions){ .fold = FOLD_OFF, .limits = most }, &error);
    assert_no_error(error);
    assert_null(verify_listen_to_system(run.system, &error));
    assert_gerror(
        error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
        "the run and the data carried along would take some 0.596 GiB of "
        "memory, more than the 0.125 GiB that they may have; a smaller "
        "collectives.window or a larger collectives.message take less");
    run_clear(&run);
}

/* ---- faults in the messages of one chunk --------------------------------- */

#define N_NPUS      3
#define BLOCK_BYTES 100

typedef struct {
    OpGraph *graph;
    CollPlan plan;
    Chunk chunk;
    Verify *verify;
} VerifiedCollective;

/* An all-reduce on a ring of three in one lane: two steps that add and two that
 * store. */
static VerifiedCollective *verified_collective_new(void)
{
    VerifiedCollective *hand = g_new0(VerifiedCollective, 1);
    CollPhase *phase = &hand->plan.phases[0];

    hand->plan = (CollPlan){ .kind = COLL_ALL_REDUCE, .n_phases = 1 };
    *phase = (CollPhase){ .algorithm = &coll_ring,
                          .group = { .kind = COLL_ALL_REDUCE,
                                     .n_ranks = N_NPUS,
                                     .n_dims = 1,
                                     .dims = { N_NPUS } },
                          .members = coll_members_all_npus(N_NPUS),
                          .n_blocks = N_NPUS,
                          .divisor = 1,
                          .n_steps = 4 };
    hand->graph = op_graph_new();
    (void)op_graph_add_layer(hand->graph, "layer");
    (void)op_graph_add_collective(hand->graph, 0, OP_FORWARD, COLL_ALL_REDUCE,
                                  N_NPUS * BLOCK_BYTES, 0);
    hand->chunk.plan = &hand->plan;
    hand->chunk.bytes = N_NPUS * BLOCK_BYTES;
    hand->chunk.first_lane[1] = 1;
    hand->verify = collective_verifier_new(hand->graph, N_NPUS);
    verify_begin_chunk(hand->verify, &hand->chunk);
    return hand;
}

typedef enum { NOTHING, LOSE, TWICE, EARLY, SWAP, STORE, SHORT, LATE } Fault;

static TraceStep trace_step_of_npu(const VerifiedCollective *hand, uint32_t npu,
                                   uint32_t step)
{
    return (TraceStep){ .chunk = &hand->chunk, .npu = npu, .step = step };
}

/* Does step @step of all NPUs, with message i from NPU i to the next. */
static void report_step_with_fault(VerifiedCollective *hand, uint32_t step,
                                   Fault fault)
{
    for (uint32_t i = 0; i < N_NPUS; i++) {
        TraceStep from = trace_step_of_npu(hand, i, step);

        verify_message_sent(hand->verify, &from, i,
                            fault == SHORT && i == 1 ? BLOCK_BYTES - 1
                                                     : BLOCK_BYTES);
    }
    for (uint32_t i = 0; i < N_NPUS; i++) {
        TraceStep to =
            trace_step_of_npu(hand, (i + 1) % N_NPUS, step + (fault == LATE));

        if (fault == EARLY && i == 0)
            verify_process_message(hand->verify, &to, step < N_NPUS - 1);
        if (fault == LOSE && i == 0)
            continue;
        verify_message_arrives(hand->verify, &to,
                               fault == SWAP ? (i + 1) % N_NPUS : i,
                               BLOCK_BYTES);
        if (fault == TWICE && i == 0)
            verify_message_arrives(hand->verify, &to, i, BLOCK_BYTES);
    }
    for (uint32_t i = 0; i < N_NPUS; i++) {
        TraceStep to = trace_step_of_npu(hand, (i + 1) % N_NPUS, step);

        verify_process_message(hand->verify, &to,
                               step < N_NPUS - 1 && fault != STORE);
    }
}

/* Returns the error of the verifier, which the caller frees, or NULL. */
static char *verified_collective_free(VerifiedCollective *hand)
{
    char *error = g_strdup(verify_first_error(hand->verify));

    collective_verifier_free(hand->verify);
    op_graph_free(hand->graph);
    g_free(hand);
    return error;
}

/* Makes step 1 go wrong, or leaves step @skipped out, and returns the error. */
static char *verify_error_with_fault(Fault fault, int skipped)
{
    VerifiedCollective *hand = verified_collective_new();

    for (int s = 0; s < 4; s++)
        if (s != skipped)
            report_step_with_fault(hand, (uint32_t)s, s == 1 ? fault : NOTHING);
    for (uint32_t i = 0; i < N_NPUS; i++) {
        verify_leave_phase(hand->verify, &hand->chunk, i, 0);
        verify_finish_chunk(hand->verify, &hand->chunk, i);
    }
    verify_end_chunk(hand->verify, &hand->chunk);
    return verified_collective_free(hand);
}

#define AT                                                                     \
    "NPU 1, all-reduce of layer (forward), iteration 0, chunk 0, phase 0, "    \
    "step 1, lane 0: "

static void assert_fault_found(Fault fault, const char *expected)
{
    g_autofree char *error = verify_error_with_fault(fault, -1);

    if (expected)
        assert_string_equal(error, expected);
    else
        assert_null(error);
}

static void test_verification_finds_wrong_messages(void **state)
{
    (void)state;
    assert_fault_found(NOTHING, NULL);
    assert_fault_found(LOSE, AT "was handled before it came, or twice");
    assert_fault_found(EARLY, AT "was handled before it came, or twice");
    assert_fault_found(TWICE, AT "a message arrived that no NPU sent");
    assert_fault_found(SWAP, AT "came from NPU 1, is due from NPU 0");
    assert_fault_found(SHORT,
                       AT "sends 99 bytes in 1 lanes for 1 of 3 parts of 300 "
                          "bytes");
    assert_fault_found(
        LATE, "NPU 1, all-reduce of layer (forward), iteration 0, chunk 0, "
              "phase 0, step 2, lane 0: came what NPU 0 sent for phase 0, "
              "step 1, lane 0 of the chunk");
    assert_fault_found(
        STORE, "NPU 0, all-reduce of layer (forward), iteration 0, chunk 0, "
               "phase 1, step 0, lane 0: part 0 of the result is wrong");
}

static void test_verification_finds_a_sum_with_a_missing_step(void **state)
{
    (void)state;
    for (int s = 0; s < 4; s++) {
        g_autofree char *error = verify_error_with_fault(NOTHING, s);

        assert_non_null(error);
        assert_non_null(strstr(error, "of the result is wrong"));
    }
}

/* Sends step 0.  It arrives at all NPUs but @missing, and is given to the
 * endpoints of all but @waiting.  Then the run stops. */
static char *stall_error_text(uint32_t missing, uint32_t waiting,
                              gboolean may_be_lost)
{
    VerifiedCollective *hand = verified_collective_new();

    for (uint32_t i = 0; i < N_NPUS; i++) {
        TraceStep from = trace_step_of_npu(hand, i, 0);

        verify_message_sent(hand->verify, &from, i, BLOCK_BYTES);
    }
    for (uint32_t i = 0; i < N_NPUS; i++) {
        TraceStep to = trace_step_of_npu(hand, (i + 1) % N_NPUS, 0);

        if (to.npu != missing)
            verify_message_arrives(hand->verify, &to, i, BLOCK_BYTES);
        if (to.npu != missing && to.npu != waiting)
            verify_give_message_to_endpoint(hand->verify, &to);
    }
    verify_close_stopped_run(hand->verify, may_be_lost);
    return verified_collective_free(hand);
}

static void test_verification_reports_a_stall_with_a_lost_message(void **state)
{
    g_autofree char *fine = stall_error_text(1, N_NPUS, FALSE);
    g_autofree char *lost = stall_error_text(1, N_NPUS, TRUE);
    g_autofree char *forgotten = stall_error_text(N_NPUS, 1, FALSE);

    (void)state;
    assert_null(fine);
    assert_string_equal(lost, "what NPU 0 sent in phase 0, step 0, lane 0 of a "
                              "chunk never came");
    assert_string_equal(forgotten, "NPU 1, phase 0, step 0, lane 0 of a chunk: "
                                   "what came was never handed on");
}

static void
test_verification_accepts_a_message_before_its_receiver(void **state)
{
    VerifiedCollective *hand = verified_collective_new();
    TraceStep from = trace_step_of_npu(hand, 0, 0),
              to = trace_step_of_npu(hand, 1, 0);
    g_autofree char *error = NULL;

    (void)state;
    verify_message_sent(hand->verify, &from, 0, BLOCK_BYTES);
    /* The receiver, NPU 1, has not begun the collective. */
    verify_message_arrives(hand->verify, &to, 0, BLOCK_BYTES);
    verify_close_stopped_run(hand->verify, FALSE);
    error = verified_collective_free(hand);
    assert_null(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_every_collective_ends_with_the_data_of_its_contract),
        cmocka_unit_test(test_every_algorithm_that_fits_moves_the_right_data),
        cmocka_unit_test(
            test_verified_data_are_right_out_of_step_and_by_packets),
        cmocka_unit_test(test_verification_refuses_too_many_npus),
        cmocka_unit_test(test_verification_refuses_to_exceed_memory),
        cmocka_unit_test(test_verification_finds_wrong_messages),
        cmocka_unit_test(test_verification_finds_a_sum_with_a_missing_step),
        cmocka_unit_test(test_verification_reports_a_stall_with_a_lost_message),
        cmocka_unit_test(
            test_verification_accepts_a_message_before_its_receiver),
    };

    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
