/* test_roles.c - Tests of NPUs with several programs: each class is represented
 * by one NPU, and no NPU waits for ever. */
#include "tests/system_fixture.h"

#include "models/observe/verify.h"

#define LINK   "links: 2, bandwidth: 25 GB/s, latency: 500 ns"
#define TORUS  "{kind: torus, dims: [{size: 4, " LINK "}, {size: 2, " LINK "}]}"
#define SQUARE "{kind: torus, dims: [{size: 4, " LINK "}, {size: 4, " LINK "}]}"
#define RING   "{kind: torus, dims: [{size: 8, " LINK "}]}"
#define SWITCH "{kind: switch, npus: 8, " LINK "}"
#define FULL   "{kind: fully-connected, npus: 8, " LINK "}"
#define LINE   "{kind: mesh, dims: [{size: 4, " LINK "}, {size: 2, " LINK "}]}"

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

static const char *kernel(const char *name, int us, const char *after)
{
    return text_of("{kind: kernel, name: %s, flop: %d00000000, read: 1 MB, "
                   "write: 1 MB, after: [%s]}",
                   name, us, after);
}

static const char *message(const char *kind, const char *name, int from,
                           const char *after)
{
    return text_of("{kind: %s, name: %s, group: pair, from: %d, to: %d, "
                   "bytes: 300 KiB, after: [%s]}",
                   kind, name, from, 1 - from, after);
}

static const char *all_reduce(const char *name, const char *after)
{
    return text_of("{kind: collective, name: %s, collective: all-reduce, "
                   "bytes: 1 MiB, group: dp, after: [%s]}",
                   name, after);
}

static const char *role(const char *name, const char *ranks, const char *ops)
{
    return text_of("{name: %s, ranks: %s, ops: [%s]}", name, ranks, ops);
}

/* Returns a program of two stages. Each stage reduces its own gradients. */
static const char *pipeline(const char *dp, const char *pair, const char *first,
                            const char *last)
{
    const char *front = text_of(
        "%s, %s, %s, %s, %s", kernel("f0", 20, "dp0@-1"),
        message("send", "act", 0, "f0"), message("receive", "grad", 1, ""),
        kernel("b0", 20, "grad"), all_reduce("dp0", "b0"));
    const char *back =
        text_of("%s, %s, %s, %s, %s", message("receive", "act", 0, ""),
                kernel("f1", 30, "act, dp1@-1"), kernel("b1", 35, "f1"),
                message("send", "grad", 1, "b1"), all_reduce("dp1", "b1"));

    return text_of("{kind: program, name: p, groups: [{name: dp, %s}, "
                   "{name: pair, %s}], roles: [%s, %s]}",
                   dp, pair, role("first", first, front),
                   role("last", last, back));
}

/* Returns a program in which workers push gradients to their server, and the
 * servers add them up among themselves. */
static const char *servers(void)
{
    const char *worker = text_of("%s, %s, %s", kernel("f", 20, "pull@-1"),
                                 message("send", "push", 0, "f"),
                                 message("receive", "pull", 1, ""));
    const char *server =
        text_of("%s, %s, %s, %s", message("receive", "push", 0, ""),
                kernel("u", 5, "push"), all_reduce("sum", "u"),
                message("send", "pull", 1, "sum"));

    return text_of("{kind: program, name: ps, groups: [{name: dp, size: 4, "
                   "stride: 2}, {name: pair, size: 2, stride: 1}], "
                   "roles: [%s, %s]}",
                   role("worker", "{size: 2, stride: 1, at: 0}", worker),
                   role("server", "{size: 2, stride: 1, at: 1}", server));
}

/* Returns one program with two parallel collectives on groups that cross. */
static const char *crossing(const char *one, const char *other)
{
    return text_of(
        "{kind: program, name: c, groups: [{name: dp, %s}, {name: other, %s}], "
        "roles: [{name: all, ranks: {size: 1, stride: 1, at: 0}, ops: [%s, %s, "
        "{kind: collective, name: b, collective: all-gather, bytes: 2 MiB, "
        "group: other, after: [k]}]}]}",
        one, other, kernel("k", 20, "a@-1, b@-1"), all_reduce("a", "k"));
}

#define BY_DIM                                                                 \
    pipeline("dims: [0]", "dims: [1]", "{dim: 1, at: 0}", "{dim: 1, at: 1}")
#define BY_STRIDE                                                              \
    pipeline("size: 4, stride: 1", "size: 2, stride: 4",                       \
             "{size: 2, stride: 4, at: 0}", "{size: 2, stride: 4, at: 1}")
#define BY_LIST                                                                \
    pipeline("ranks: [[0, 1, 2, 3], [4, 5, 6, 7]]",                            \
             "ranks: [[0, 4], [1, 5], [2, 6], [3, 7]]",                        \
             "{list: [0, 1, 2, 3]}", "{list: [4, 5, 6, 7]}")

#define ODD                                                                    \
    "{npus: [{npu: 1, time_factor: 1.5}, {npu: 3, time_factor: 1.5}, "         \
    "{npu: 5, time_factor: 1.5}, {npu: 7, time_factor: 1.5}]}"

/* ---- symmetry reduction equals a full run -------------------------------- */

static SystemResult run_once(const Setup *setup, FoldMode fold)
{
    Run run;
    SystemResult result = run_setup(&run, setup, fold);

    run_clear(&run);
    return result;
}

/* Asserts that @n NPUs are simulated for each endpoint and cut, with the result
 * of a full run. */
static void expect_classes(const char *topology, const char *workload,
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
            SystemResult folded = run_once(&s, FOLD_AUTO);
            SystemResult full = run_once(&s, FOLD_OFF);

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

static void test_two_stages_are_two_classes(void **state)
{
    (void)state;
    expect_classes(TORUS, BY_DIM, NULL, 2);
    expect_classes(SWITCH, BY_STRIDE, NULL, 2);
    expect_classes(SWITCH, BY_LIST, NULL, 2);
    expect_classes(TORUS, BY_LIST, NULL, 2);
}

static void test_less_symmetry_needs_more_simulated_npus(void **state)
{
    (void)state;
    expect_classes(FULL, BY_STRIDE, NULL, 8);
    expect_classes(LINE, BY_DIM, NULL, 8);
    expect_classes(TORUS, BY_DIM, ODD, 4);
}

static void test_workers_and_servers_are_two_classes(void **state)
{
    (void)state;
    expect_classes(SWITCH, servers(), NULL, 2);
    expect_classes(RING, servers(), NULL, 2);
}

static void test_groups_that_cross_run_in_parallel(void **state)
{
    (void)state;
    expect_classes(SQUARE, crossing("dims: [0]", "dims: [1]"), NULL, 1);
    expect_classes(RING, crossing("size: 4, stride: 2", "size: 2, stride: 4"),
                   NULL, 1);
    expect_classes(RING, crossing("size: 4, stride: 2", "size: 2, stride: 4"),
                   ODD, 2);
}

static const char *collective(const char *kind, const char *group)
{
    return text_of("{kind: collective, name: %s, collective: %s, "
                   "bytes: 40 KiB, group: %s, after: [k]}",
                   group, kind, group);
}

/* Returns a program of stages with 24 NPUs. Pairs split each layer, 4 pairs
 * have different experts, and 3 such groups have the same experts. */
static const char *experts(void)
{
    return text_of(
        "{kind: program, name: e, groups: [{name: tp, size: 2}, "
        "{name: ep, size: 4, stride: 2}, {name: same, size: 3, stride: 8}, "
        "{name: dp, size: 12, stride: 2}], roles: [{name: all, ops: "
        "[%s, %s, %s, %s, %s]}]}",
        kernel("k", 20, "dp@-1"), collective("all-reduce", "tp"),
        collective("all-to-all", "ep"), collective("reduce-scatter", "same"),
        collective("all-gather", "dp"));
}

static void test_experts_of_all_stages_are_one_class(void **state)
{
    (void)state;
    expect_classes("{kind: switch, npus: 48, " LINK "}", experts(), NULL, 1);
}

/* ---- the reason for the number of classes -------------------------------- */

static const char *reason_of(const Setup *s)
{
    Run run;
    const char *reason;

    (void)run_setup(&run, s, FOLD_AUTO);
    reason = kept_text(system_unfolded_reason(run.system));
    run_clear(&run);
    return reason;
}

static void test_the_reason_for_the_number_of_classes_is_reported(void **state)
{
    (void)state;
    assert_string_equal(
        reason_of(&(Setup){ .topology = TORUS, .workload = BY_DIM }),
        "role `first` is only on NPUs 0 to 3");
    assert_string_equal(
        reason_of(&(Setup){ .topology = SWITCH, .workload = servers() }),
        "role `worker` is only on NPUs 0, 2, 4 and others");
    assert_string_equal(reason_of(&(Setup){ .topology = LINE }),
                        "dimension 0 of the mesh is no ring, and what has "
                        "ends cannot be moved along");
}

/* ---- verified data of groups and messages -------------------------------- */

static void verify(const char *topology, const char *workload)
{
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        Setup s = { .topology = topology,
                    .workload = workload,
                    .endpoint = endpoints[e],
                    .collectives = cuts[0] };
        GError *error = NULL;
        Verify *data;
        Run run;

        run_read(&run, &s);
        run.system = system_new(&run.config, FOLD_OFF, &error);
        assert_no_error(error);
        data = verify_listen(run.system, &error);
        assert_no_error(error);
        assert_true(system_run(run.system, &error) || error);
        assert_no_error(error);
        assert_true(verify_n_chunks(data) > 0);
        verify_free(data);
        run_clear(&run);
    }
}

static void test_groups_and_messages_carry_the_right_data(void **state)
{
    (void)state;
    verify(TORUS, BY_DIM);
    verify(SWITCH, BY_LIST);
    verify(RING, servers());
    verify(SQUARE, crossing("dims: [0]", "dims: [1]"));
}

/* ---- the time of one message --------------------------------------------- */

/* One hop takes 2.5 us for 62,500 bytes at 25 GB/s, and 500 ns. The sender
 * proceeds when the message has left, so the run ends with the receiver. */
static void test_a_message_takes_the_time_of_its_links(void **state)
{
    const char *ops = "{kind: %s, name: m, group: pair, from: 0, to: 1, "
                      "bytes: 62500 B}";
    const char *workload = text_of(
        "{kind: program, name: m, groups: [{name: pair, size: 2, stride: 1}], "
        "roles: [%s, %s]}",
        role("a", "{list: [0]}", text_of(ops, "send")),
        role("b", "{list: [1]}", text_of(ops, "receive")));
    Setup s = { .topology = "{kind: torus, dims: [{size: 2, direction: one, "
                            "bandwidth: 25 GB/s, latency: 500 ns}]}",
                .workload = workload,
                .endpoint = "{kind: ideal, message_cycles: 0}",
                .collectives = "{chunk: 64 KiB, message: 64 KiB}" };
    SystemResult r = run_once(&s, FOLD_AUTO);

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
static const char *long_pipeline(const char *last)
{
    static const char message_text[] =
        "{kind: %s, name: m%d, group: all, from: %d, to: %d, bytes: 62500 B, "
        "after: [%s]}, ";
    g_autoptr(GString) roles = g_string_new(NULL);

    for (int i = 0; i < N_STAGES; i++) {
        const char *before = i > 0 ? text_of("m%d", i - 1) : "";
        const char *after = i < N_STAGES - 1 ? text_of("m%d", i) : before;

        g_string_append_printf(roles, "{name: s%d, ranks: {list: [%d]}, ops: [",
                               i, i);
        if (i > 0)
            g_string_append_printf(roles, message_text, "receive", i - 1, i - 1,
                                   i, "");
        if (i < N_STAGES - 1)
            g_string_append_printf(roles, message_text, "send", i, i, i + 1,
                                   before);
        if (last)
            g_string_append_printf(roles, "{%s, after: [%s]}", last, after);
        g_string_append(roles, "]}, ");
    }
    return text_of("{kind: program, name: p, roles: [%s]}", roles->str);
}

/* As in test_a_message_takes_the_time_of_its_links(), for 127 hops. */
static void test_a_program_may_have_many_roles(void **state)
{
    Setup s = { .topology = "{kind: torus, dims: [{size: 128, direction: one, "
                            "bandwidth: 25 GB/s, latency: 500 ns}]}",
                .workload = long_pipeline(NULL),
                .endpoint = "{kind: ideal, message_cycles: 0}",
                .collectives = "{chunk: 64 KiB, message: 64 KiB}" };
    SystemResult r = run_once(&s, FOLD_AUTO);

    (void)state;
    assert_int_equal(r.n_simulated, N_STAGES);
    assert_int_equal(r.last_npu, N_STAGES - 1);
    assert_int_equal(r.total_ps, (N_STAGES - 1) * UINT64_C(3000000));
    assert_int_equal(r.sent_bytes, 62500 * (N_STAGES - 1) / N_STAGES);
}

static void test_many_roles_share_a_collective(void **state)
{
    (void)state;
    verify("{kind: torus, dims: [{size: 128, " LINK "}]}",
           long_pipeline("kind: collective, name: c, group: all, collective: "
                         "all-reduce, bytes: 32 KiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_stages_are_two_classes),
        cmocka_unit_test(test_less_symmetry_needs_more_simulated_npus),
        cmocka_unit_test(test_workers_and_servers_are_two_classes),
        cmocka_unit_test(test_groups_that_cross_run_in_parallel),
        cmocka_unit_test(test_experts_of_all_stages_are_one_class),
        cmocka_unit_test(test_the_reason_for_the_number_of_classes_is_reported),
        cmocka_unit_test(test_groups_and_messages_carry_the_right_data),
        cmocka_unit_test(test_a_message_takes_the_time_of_its_links),
        cmocka_unit_test(test_a_program_may_have_many_roles),
        cmocka_unit_test(test_many_roles_share_a_collective),
    };

    return cmocka_run_group_tests_name("roles", tests, NULL, NULL);
}
