/* test_optimise_program.c - tests of searches in imported programs */
#include "sim/view/text/optimise_text.h"
#include "tests/sim/optimise/optimise_fixture.h"

#define US UINT64_C(1000000)

/* Returns a recorded program in which the host launches five kernels.  Kernel d
 * also waits for a copy, and the host waits before it launches e. */
static ConfigDoc *open_launches_config(gpointer self, GError **error)
{
    static const char text[] =
        "platform:\n"
        "  topology: {kind: switch, npus: 2, bandwidth: 1 GB/s, latency: 2 us}\n"
        "  npu: {sms: 8, clock: 1 GHz, flops: 1 TFLOPS,\n"
        "        hbm: {bandwidth: 900 GB/s}}\n"
        "endpoint: {kind: ideal, name: i}\n"
        "workload:\n"
        "  kind: program\n"
        "  name: p\n"
        "  roles:\n"
        "    - name: all\n"
        "      ops:\n"
        "        - {kind: host, name: l1, times: 30 40 us}\n"
        "        - {kind: kernel, name: a, time: 1 us, after: [l1]}\n"
        "        - {kind: host, name: l2, times: 12 8 us}\n"
        "        - {kind: kernel, name: b, time: 1 us, gaps: 3 2 us, "
        "after: [l2]}\n"
        "        - {kind: host, name: l3, time: 50 us}\n"
        "        - {kind: kernel, name: c, time: 1 us, gap: 3 us, "
        "after: [b, l3]}\n"
        "        - {kind: device, name: copy, time: 1 us, queue: s}\n"
        "        - {kind: host, name: l4, time: 20 us}\n"
        "        - {kind: kernel, name: d, time: 1 us, after: [copy, l4]}\n"
        "        - {kind: host, name: wait, time: 1 us, after: [d]}\n"
        "        - {kind: host, name: l5, time: 20 us}\n"
        "        - {kind: kernel, name: e, time: 1 us, after: [l5]}\n"
        "        - {kind: collective, name: s, collective: all-reduce, "
        "bytes: 1 kB, time: 5 us, after: [e]}\n"
        "training: {compute: measured, iterations: 1,\n"
        "           communication: recorded}\n";

    (void)self;
    return config_doc_parse("run.yaml", text, strlen(text), error);
}

/* Kernels b and c are merged with a, so their launches l2 and l3 are shortened
 * by the time of a launch call.  That time is the upper median of their mean
 * durations, 10 and 50 us, so nothing is left of either. */
static void test_fused_kernels_are_launched_once(void **state)
{
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "operators"), 40);
    g_autoptr(OptimiseResult) o = NULL;
    const char *sets;

    (void)state;
    task.maker.open = open_launches_config;
    o = run_optimise_task(&task);
    sets = o->best->candidate->sets[ASPECT_OPERATORS];
    assert_non_null(sets);
    assert_non_null(strstr(sets, "workload.roles.0.ops.3.gaps=0 ps"));
    assert_non_null(strstr(sets, "workload.roles.0.ops.2.times=0 0 ps"));
    assert_non_null(strstr(sets, "workload.roles.0.ops.3.after=[]"));
    assert_non_null(strstr(sets, "workload.roles.0.ops.5.after=[b]"));
    assert_non_null(strstr(sets, "workload.roles.0.ops.4.time=0 ps"));
    assert_null(strstr(sets, "ops.8."));
    assert_null(strstr(sets, "ops.11."));
    assert_int_equal(o->default_trial->time_ps - o->best->time_ps,
                     (8 + 50) * US);
    g_hash_table_unref(m.results);
}

/* Moves that change communication are not tried, and the answer says so. */
static void test_recorded_communication_is_not_changed(void **state)
{
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, (const SearchMove **)moves, 40);
    g_autoptr(OptimiseResult) o = NULL;
    g_autofree char *text = NULL;

    (void)state;
    task.maker.open = open_launches_config;
    o = run_optimise_task(&task);
    for (guint i = 1; i < o->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(o->trials.trials, i);

        for (CandidateAspect a = 0; a < N_ASPECTS; a++)
            assert_true(a == ASPECT_OPERATORS || !trial->candidate->sets[a]);
    }
    text = optimise_text(o, 100);
    assert_non_null(strstr(text, "% hosts and copies"));
    assert_non_null(strstr(text, "left out communication, which is as "
                                 "recorded (--set "
                                 "training.communication=simulated)\n"));
    assert_non_null(strstr(text, "2 kernels become one with that before\n"));
    g_hash_table_unref(m.results);
}

static void test_moves_that_save_memory_are_left_out_with_a_note(void **state)
{
    TestRunner m, bound;
    const SearchMove *list[2];
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "accumulate"), 5);
    OptimiseTask bounded = optimise_task_of_runner(
        &bound, single_move_list(list, "accumulate"), 5);
    g_autoptr(OptimiseResult) o = run_optimise_task(&task), x = NULL;
    g_autofree char *text = optimise_text(o, 100), *other = NULL;

    (void)state;
    assert_non_null(strstr(text, "left out accumulate and recompute, which "
                                 "save memory: a rank needs 0.00"));
    bounded.maker.memory_bytes = UINT64_C(1) << 40;
    x = run_optimise_task(&bounded);
    other = optimise_text(x, 100);
    assert_null(strstr(other, "left out"));
    g_hash_table_unref(m.results);
    g_hash_table_unref(bound.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fused_kernels_are_launched_once),
        cmocka_unit_test(test_recorded_communication_is_not_changed),
        cmocka_unit_test(test_moves_that_save_memory_are_left_out_with_a_note),
    };

    return cmocka_run_group_tests_name("optimise_program", tests, NULL, NULL);
}
