/* test_role_classes.c - Tests of NPUs with several programs: each class is
 * represented by one NPU, and no NPU waits for ever. */
#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"

#define LINK   "links: 2, bandwidth: 25 GB/s, latency: 500 ns"
#define TORUS  "{kind: torus, dims: [{size: 4, " LINK "}, {size: 2, " LINK "}]}"
#define SQUARE "{kind: torus, dims: [{size: 4, " LINK "}, {size: 4, " LINK "}]}"
#define RING   "{kind: torus, dims: [{size: 8, " LINK "}]}"
#define SWITCH "{kind: switch, npus: 8, " LINK "}"
#define FULL   "{kind: fully-connected, npus: 8, " LINK "}"
#define LINE   "{kind: mesh, dims: [{size: 4, " LINK "}, {size: 2, " LINK "}]}"

/* Four nodes of four NPUs, each NPU with a NIC. */
#define NODES                                                                  \
    "{kind: nested, count: 4, inner: {kind: switch, npus: 4, " LINK            \
    "}, nics: 4, nic: {bandwidth: 25 GB/s, latency: 250 ns}, outer: {kind: "   \
    "switch, npus: 16, " LINK "}}"
/* Every second NPU of each node forms a group. */
#define HALF_OF_EACH_NODE "size: 8, stride: 2"

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: ace, sram: 256 KiB, fsms: 6, memory_bandwidth: 128 GB/s}",
    ("{kind: ace, sram: 64 KiB, fsms: 4, chunks_per_fsm: 1, "
     "memory_bandwidth: 128 GB/s}"),
    "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
    ("{kind: baseline, sms: 80, memory_bandwidth: 450 GB/s, "
     "only_while_communicating: true}"),
    "{kind: copy-engine, sms: 2, memory_bandwidth: 450 GB/s}",
};

static const char *const cuts[] = {
    "{chunk: 16 KiB, message: 4 KiB, window: 8, scheduler: lifo}",
    "{chunk: 16 KiB, message: 4 KiB, window: 1, scheduler: fifo}",
    "{chunk: 8 KiB, message: 8 KiB, window: 3, preempt: false}",
    "{chunk: 16 KiB, message: 4 KiB, window: 4, scheduler: fair}",
};

/* ---- programs with several roles ----------------------------------------- */

static const char *kernel_op_text(const char *name, int us, const char *after)
{
    return format_text("{kind: kernel, name: %s, flop: %d00000000, read: 1 MB, "
                       "write: 1 MB, after: [%s]}",
                       name, us, after);
}

static const char *message_op_text(const char *kind, const char *name, int from,
                                   const char *after)
{
    return format_text("{kind: %s, name: %s, group: pair, from: %d, to: %d, "
                       "bytes: 300 KiB, after: [%s]}",
                       kind, name, from, 1 - from, after);
}

static const char *all_reduce_op_text(const char *name, const char *after)
{
    return format_text("{kind: collective, name: %s, collective: all-reduce, "
                       "bytes: 1 MiB, group: dp, after: [%s]}",
                       name, after);
}

static const char *role_text(const char *name, const char *ranks,
                             const char *ops)
{
    return format_text("{name: %s, ranks: %s, ops: [%s]}", name, ranks, ops);
}

/* Returns a program of two stages. Each stage reduces its own gradients. */
static const char *pipeline_program_text(const char *dp, const char *pair,
                                         const char *first, const char *last)
{
    const char *front = format_text(
        "%s, %s, %s, %s, %s", kernel_op_text("f0", 20, "dp0@-1"),
        message_op_text("send", "act", 0, "f0"),
        message_op_text("receive", "grad", 1, ""),
        kernel_op_text("b0", 20, "grad"), all_reduce_op_text("dp0", "b0"));
    const char *back = format_text(
        "%s, %s, %s, %s, %s", message_op_text("receive", "act", 0, ""),
        kernel_op_text("f1", 30, "act, dp1@-1"), kernel_op_text("b1", 35, "f1"),
        message_op_text("send", "grad", 1, "b1"),
        all_reduce_op_text("dp1", "b1"));

    return format_text("{kind: program, name: p, groups: [{name: dp, %s}, "
                       "{name: pair, %s}], roles: [%s, %s]}",
                       dp, pair, role_text("first", first, front),
                       role_text("last", last, back));
}

/* Returns a program in which workers push gradients to their server, and the
 * servers add them up among themselves. */
static const char *parameter_server_workload(void)
{
    const char *worker =
        format_text("%s, %s, %s", kernel_op_text("f", 20, "pull@-1"),
                    message_op_text("send", "push", 0, "f"),
                    message_op_text("receive", "pull", 1, ""));
    const char *server = format_text(
        "%s, %s, %s, %s", message_op_text("receive", "push", 0, ""),
        kernel_op_text("u", 5, "push"), all_reduce_op_text("sum", "u"),
        message_op_text("send", "pull", 1, "sum"));

    return format_text(
        "{kind: program, name: ps, groups: [{name: dp, size: 4, "
        "stride: 2}, {name: pair, size: 2, stride: 1}], "
        "roles: [%s, %s]}",
        role_text("worker", "{size: 2, stride: 1, at: 0}", worker),
        role_text("server", "{size: 2, stride: 1, at: 1}", server));
}

/* Returns one program with two parallel collectives on groups that cross. */
static const char *crossing_groups_program(const char *one, const char *other)
{
    return format_text(
        "{kind: program, name: c, groups: [{name: dp, %s}, {name: other, %s}], "
        "roles: [{name: all, ranks: {size: 1, stride: 1, at: 0}, ops: [%s, %s, "
        "{kind: collective, name: b, collective: all-gather, bytes: 2 MiB, "
        "group: other, after: [k]}]}]}",
        one, other, kernel_op_text("k", 20, "a@-1, b@-1"),
        all_reduce_op_text("a", "k"));
}

#define BY_DIM                                                                 \
    pipeline_program_text("dims: [0]", "dims: [1]", "{dim: 1, at: 0}",         \
                          "{dim: 1, at: 1}")
#define BY_STRIDE                                                              \
    pipeline_program_text("size: 4, stride: 1", "size: 2, stride: 4",          \
                          "{size: 2, stride: 4, at: 0}",                       \
                          "{size: 2, stride: 4, at: 1}")
#define BY_LIST                                                                \
    pipeline_program_text("ranks: [[0, 1, 2, 3], [4, 5, 6, 7]]",               \
                          "ranks: [[0, 4], [1, 5], [2, 6], [3, 7]]",           \
                          "{list: [0, 1, 2, 3]}", "{list: [4, 5, 6, 7]}")

#define ODD                                                                    \
    "{npus: [{npu: 1, time_factor: 1.5}, {npu: 3, time_factor: 1.5}, "         \
    "{npu: 5, time_factor: 1.5}, {npu: 7, time_factor: 1.5}]}"

/* ---- symmetry reduction equals a full run -------------------------------- */

static SystemResult simulate_setup_once(const Setup *setup, FoldMode fold)
{
    Run run;
    SystemResult result = run_to_result(&run, setup, fold);

    run_clear(&run);
    return result;
}

/* Asserts that @n NPUs are simulated for each endpoint and cut, with the result
 * of a full run. */
static void assert_n_classes(const char *topology, const char *workload,
                             const char *perturb, uint32_t n)
{
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
        for (gsize c = 0; c < G_N_ELEMENTS(cuts); c++) {
            Setup s = { .topology = topology,
                        .workload = workload,
                        .perturb = perturb,
                        .endpoint = endpoints[e],
                        .collectives = cuts[c],
                        .training = "{iterations: 2}" };
            SystemResult folded = simulate_setup_once(&s, FOLD_AUTO);
            SystemResult full = simulate_setup_once(&s, FOLD_OFF);

            assert_int_equal(folded.n_simulated, n);
            assert_int_equal(full.n_simulated, full.n_npus);
            full.n_simulated = folded.n_simulated;
            full.n_hops = folded.n_hops;
            full.n_events = folded.n_events;
            if (memcmp(&folded, &full, sizeof full) != 0)
                fail_msg("%s%" G_GUINT64_FORMAT " ps folded, %" G_GUINT64_FORMAT
                         " in full",
                         setup_text(&s), folded.total_ps, full.total_ps);
        }
}

static void test_two_pipeline_stages_are_two_npu_classes(void **state)
{
    (void)state;
    assert_n_classes(TORUS, BY_DIM, NULL, 2);
    assert_n_classes(SWITCH, BY_STRIDE, NULL, 2);
    assert_n_classes(SWITCH, BY_LIST, NULL, 2);
    assert_n_classes(TORUS, BY_LIST, NULL, 2);
}

static void test_less_symmetry_needs_more_simulated_npus(void **state)
{
    (void)state;
    assert_n_classes(FULL, BY_STRIDE, NULL, 8);
    assert_n_classes(LINE, BY_DIM, NULL, 8);
    assert_n_classes(TORUS, BY_DIM, ODD, 4);
}

static void test_workers_and_servers_are_two_npu_classes(void **state)
{
    (void)state;
    assert_n_classes(SWITCH, parameter_server_workload(), NULL, 2);
    assert_n_classes(RING, parameter_server_workload(), NULL, 2);
}

static void test_collectives_of_crossing_groups_run_in_parallel(void **state)
{
    (void)state;
    assert_n_classes(SQUARE, crossing_groups_program("dims: [0]", "dims: [1]"),
                     NULL, 1);
    assert_n_classes(
        RING,
        crossing_groups_program("size: 4, stride: 2", "size: 2, stride: 4"),
        NULL, 1);
    assert_n_classes(
        RING,
        crossing_groups_program("size: 4, stride: 2", "size: 2, stride: 4"),
        ODD, 2);
}

static void test_groups_with_half_of_each_node_fold(void **state)
{
    (void)state;
    assert_n_classes(
        NODES, crossing_groups_program(HALF_OF_EACH_NODE, "size: 4"), NULL, 1);
}

static const char *collective_op_text(const char *kind, const char *group)
{
    return format_text("{kind: collective, name: %s, collective: %s, "
                       "bytes: 40 KiB, group: %s, after: [k]}",
                       group, kind, group);
}

/* Returns a program of stages with 24 NPUs. Pairs split each layer, 4 pairs
 * have different experts, and 3 such groups have the same experts. */
static const char *expert_parallel_program(void)
{
    return format_text(
        "{kind: program, name: e, groups: [{name: tp, size: 2}, "
        "{name: ep, size: 4, stride: 2}, {name: same, size: 3, stride: 8}, "
        "{name: dp, size: 12, stride: 2}], roles: [{name: all, ops: "
        "[%s, %s, %s, %s, %s]}]}",
        kernel_op_text("k", 20, "dp@-1"),
        collective_op_text("all-reduce", "tp"),
        collective_op_text("all-to-all", "ep"),
        collective_op_text("reduce-scatter", "same"),
        collective_op_text("all-gather", "dp"));
}

static void test_experts_of_all_stages_are_one_npu_class(void **state)
{
    (void)state;
    assert_n_classes("{kind: switch, npus: 48, " LINK "}",
                     expert_parallel_program(), NULL, 1);
}

/* ---- the reason for the number of classes -------------------------------- */

static const char *unfolded_reason_of(const Setup *s)
{
    Run run;
    const char *reason;

    (void)run_to_result(&run, s, FOLD_AUTO);
    reason = keep_text_until_exit(system_unfolded_reason(run.system));
    run_clear(&run);
    return reason;
}

static void
test_the_reason_for_the_number_of_npu_classes_is_reported(void **state)
{
    (void)state;
    assert_string_equal(
        unfolded_reason_of(&(Setup){ .topology = TORUS, .workload = BY_DIM }),
        "role `first` is only on NPUs 0 to 3");
    assert_string_equal(
        unfolded_reason_of(&(Setup){ .topology = SWITCH,
                                     .workload = parameter_server_workload() }),
        "role `worker` is only on NPUs 0, 2, 4 and others");
    assert_string_equal(unfolded_reason_of(&(Setup){ .topology = LINE }),
                        "dimension 0 of the mesh is no ring, and what has "
                        "ends cannot be moved along");
}

/* ---- verified data of groups and messages -------------------------------- */

static void verify_folded_and_full(const char *topology, const char *workload)
{
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        Setup s = { .topology = topology,
                    .workload = workload,
                    .endpoint = endpoints[e],
                    .collectives = cuts[0] };
        GError *error = NULL;
        Verify *data;
        Run run;

        read_run_setup(&run, &s);
        run.system =
            system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
        assert_no_error(error);
        data = verify_listen_to_system(run.system, &error);
        assert_no_error(error);
        assert_true(system_run(run.system, &error) || error);
        assert_no_error(error);
        assert_true(verify_n_finished_chunks(data) > 0);
        collective_verifier_free(data);
        run_clear(&run);
    }
}

static void test_groups_and_messages_carry_the_right_data(void **state)
{
    (void)state;
    verify_folded_and_full(TORUS, BY_DIM);
    verify_folded_and_full(SWITCH, BY_LIST);
    verify_folded_and_full(RING, parameter_server_workload());
    verify_folded_and_full(SQUARE,
                           crossing_groups_program("dims: [0]", "dims: [1]"));
    verify_folded_and_full(
        NODES, crossing_groups_program(HALF_OF_EACH_NODE, "size: 4"));
}

/* ---- the time of one message --------------------------------------------- */

/* One hop takes 2.5 us for 62,500 bytes at 25 GB/s, and 500 ns. The sender
 * proceeds when the message has left, so the run ends with the receiver. */
static void test_a_message_takes_the_time_of_its_links(void **state)
{
    const char *ops = "{kind: %s, name: m, group: pair, from: 0, to: 1, "
                      "bytes: 62500 B}";
    const char *workload = format_text(
        "{kind: program, name: m, groups: [{name: pair, size: 2, stride: 1}], "
        "roles: [%s, %s]}",
        role_text("a", "{list: [0]}", format_text(ops, "send")),
        role_text("b", "{list: [1]}", format_text(ops, "receive")));
    Setup s = { .topology = "{kind: torus, dims: [{size: 2, direction: one, "
                            "bandwidth: 25 GB/s, latency: 500 ns}]}",
                .workload = workload,
                .endpoint = "{kind: ideal, message_cycles: 0}",
                .collectives = "{chunk: 64 KiB, message: 64 KiB}" };
    SystemResult r = simulate_setup_once(&s, FOLD_AUTO);

    (void)state;
    assert_int_equal(r.total_ps, 2500000 + 500000);
    assert_int_equal(r.last_npu, 1);
    assert_int_equal(r.n_simulated, 2);
    /* The expected value is the mean of both NPUs. */
    assert_int_equal(r.sent_bytes, 62500 / 2);
}

/* ---- more roles than the bits of a word ------------------------------- */

#define N_STAGES 128

/* Returns a pipeline in which each of 128 stages receives a message from the
 * stage before and sends one to the next.  Each stage ends with the operation
 * @last, unless it is NULL. */
static const char *setup_of_long_pipeline(const char *last)
{
    static const char protobuf_copy_text[] =
        "{kind: %s, name: m%d, group: all, from: %d, to: %d, bytes: 62500 B, "
        "after: [%s]}, ";
    g_autoptr(GString) roles = g_string_new(NULL);

    for (int i = 0; i < N_STAGES; i++) {
        const char *before = i > 0 ? format_text("m%d", i - 1) : "";
        const char *after = i < N_STAGES - 1 ? format_text("m%d", i) : before;

        g_string_append_printf(roles, "{name: s%d, ranks: {list: [%d]}, ops: [",
                               i, i);
        if (i > 0)
            g_string_append_printf(roles, protobuf_copy_text, "receive", i - 1,
                                   i - 1, i, "");
        if (i < N_STAGES - 1)
            g_string_append_printf(roles, protobuf_copy_text, "send", i, i,
                                   i + 1, before);
        if (last)
            g_string_append_printf(roles, "{%s, after: [%s]}", last, after);
        g_string_append(roles, "]}, ");
    }
    return format_text("{kind: program, name: p, roles: [%s]}", roles->str);
}

/* As in test_a_message_takes_the_time_of_its_links(), for 127 hops. */
static void test_a_program_may_have_many_roles(void **state)
{
    Setup s = { .topology = "{kind: torus, dims: [{size: 128, direction: one, "
                            "bandwidth: 25 GB/s, latency: 500 ns}]}",
                .workload = setup_of_long_pipeline(NULL),
                .endpoint = "{kind: ideal, message_cycles: 0}",
                .collectives = "{chunk: 64 KiB, message: 64 KiB}" };
    SystemResult r = simulate_setup_once(&s, FOLD_AUTO);

    (void)state;
    assert_int_equal(r.n_simulated, N_STAGES);
    assert_int_equal(r.last_npu, N_STAGES - 1);
    assert_int_equal(r.total_ps, (N_STAGES - 1) * UINT64_C(3000000));
    assert_int_equal(r.sent_bytes, 62500 * (N_STAGES - 1) / N_STAGES);
}

static void test_many_roles_share_a_collective(void **state)
{
    (void)state;
    verify_folded_and_full(
        "{kind: torus, dims: [{size: 128, " LINK "}]}",
        setup_of_long_pipeline(
            "kind: collective, name: c, group: all, collective: "
            "all-reduce, bytes: 32 KiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_pipeline_stages_are_two_npu_classes),
        cmocka_unit_test(test_less_symmetry_needs_more_simulated_npus),
        cmocka_unit_test(test_workers_and_servers_are_two_npu_classes),
        cmocka_unit_test(test_collectives_of_crossing_groups_run_in_parallel),
        cmocka_unit_test(test_groups_with_half_of_each_node_fold),
        cmocka_unit_test(test_experts_of_all_stages_are_one_npu_class),
        cmocka_unit_test(
            test_the_reason_for_the_number_of_npu_classes_is_reported),
        cmocka_unit_test(test_groups_and_messages_carry_the_right_data),
        cmocka_unit_test(test_a_message_takes_the_time_of_its_links),
        cmocka_unit_test(test_a_program_may_have_many_roles),
        cmocka_unit_test(test_many_roles_share_a_collective),
    };

    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
