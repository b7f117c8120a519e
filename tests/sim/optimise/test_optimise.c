/* test_optimise.c - tests of sim/study/optimise/: searches over whole runs */
#include "sim/study/optimise/gradient_messages.h"
#include "tests/sim/optimise/optimise_fixture.h"

/* Returns the result as CSV, which the caller frees.  The rows do not depend on
 * whether results were reused. */
static char *trial_rows_text(const OptimiseResult *result)
{
    return g_string_free(optimise_result_to_csv(result), FALSE);
}

/* ---- results of a search ------------------------------------------------- */

/* Returns the shortest time over all ways to divide five tensors into
 * groups. */
static SimTime best_time_of_all_groupings(const OptimiseTask *task)
{
    g_auto(Trials) trials = { 0 };
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
    g_autoptr(Candidate) plain = candidate_new();

    for (guint cuts = 0; cuts < 1 << (N_TENSORS - 1); cuts++) {
        g_autoptr(GString) sets =
            g_string_new("training.exchange={kind: groups, groups: [");
        guint count = 0;

        for (guint i = 0; i < N_TENSORS; i++) {
            count++;
            if (i + 1 < N_TENSORS && !(cuts >> i & 1))
                continue;
            g_string_append_printf(sets, "%u%s", count,
                                   i + 1 < N_TENSORS ? ", " : "");
            count = 0;
        }
        g_string_append(sets, "]}");
        g_ptr_array_add(all, candidate_with_setting_changed(
                                 plain, ASPECT_EXCHANGE, sets->str));
    }
    init_candidate_trials(&trials, &task->maker, all->len);
    assert_true(run_new_candidate_trials(&trials, all, "all", NULL));
    assert_int_equal(trials.trials->len, 1 << (N_TENSORS - 1));
    return trials.best->time_ps;
}

static void test_the_search_finds_the_best_of_all_groups(void **state)
{
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "groups"), 200);
    g_autoptr(OptimiseResult) o = run_optimise_task(&task);

    (void)state;
    assert_int_equal(o->trials.best->time_ps,
                     best_time_of_all_groupings(&task));
    assert_true((double)o->best->time_ps <= (double)o->trials.best->time_ps *
                                                (1 + OPTIMISE_TIME_TOLERANCE));
    assert_true(o->best->time_ps < o->default_trial->time_ps);
    assert_int_equal(o->contributions->len, 1);
    assert_int_equal(
        g_array_index(o->contributions, OptimiseContribution, 0).alone->time_ps,
        o->best->time_ps);
    assert_int_equal(g_array_index(o->contributions, OptimiseContribution, 0)
                         .without->time_ps,
                     o->default_trial->time_ps);
    g_hash_table_unref(m.results);
}

static void test_no_optimisation_move_is_slower_than_the_default(void **state)
{
    (void)state;
    for (guint i = 0; moves[i]; i++) {
        const SearchMove *list[2];
        TestRunner m;
        OptimiseTask task = optimise_task_of_runner(
            &m, single_move_list(list, moves[i]->name), 40);
        g_autoptr(OptimiseResult) o = run_optimise_task(&task);

        assert_true(o->trials.trials->len >= 1);
        g_hash_table_unref(m.results);
    }
}

static void test_the_written_optimised_file_takes_the_found_time(void **state)
{
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, (const SearchMove **)moves, 120);
    g_autoptr(OptimiseResult) o = run_optimise_task(&task);
    GError *error = NULL;
    g_autoptr(GString) text =
        optimise_result_run_file(o, ".", "one\ntwo", &error);
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(System) system = NULL;
    SystemConfig config;

    (void)state;
    assert_no_error(error);
    assert_true(g_str_has_prefix(text->str, "# one\n# two\nplatform:\n"));
    doc = config_doc_parse("best.yaml", text->str, text->len, &error);
    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error));
    assert_int_equal(system_result(system).iteration_ps, o->best->time_ps);
    g_hash_table_unref(m.results);
}

/* ---- critical paths of trials -------------------------------------------- */

static void
test_moves_that_cannot_shorten_the_critical_path_are_not_tried(void **state)
{
    const char *fast[] = { "platform.topology.bandwidth=900 TB/s",
                           "platform.topology.latency=1 ps", NULL };
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "groups"), 200);
    g_autoptr(OptimiseResult) slow = run_optimise_task(&task), o = NULL;

    (void)state;
    g_hash_table_remove_all(m.results);
    task.maker.sets = (char *const *)fast;
    o = run_optimise_task(&task);
    assert_true(slow->trials.trials->len > 8);
    assert_true(o->profile->n_tensors == N_TENSORS);
    assert_int_equal(o->trials.trials->len, 1);
    g_hash_table_unref(m.results);
}

/* The parts of each trial's critical path add up to its duration, and those of
 * single messages to the part of all messages. */
static void test_the_parts_of_a_critical_path_add_up(void **state)
{
    const SearchMove *list[2];
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, single_move_list(list, "groups"), 60);
    g_autoptr(OptimiseResult) o = run_optimise_task(&task);

    (void)state;
    for (guint i = 0; i < o->trials.trials->len; i++) {
        const Trial *trial = g_ptr_array_index(o->trials.trials, i);
        SimTime sum_ps = 0;

        for (guint k = 0; k < trial->messages->len; k++)
            sum_ps +=
                g_array_index(trial->messages, GradientMessage, k).path_ps;
        assert_int_equal(trial_path_total_ps(&trial->path), trial->time_ps);
        assert_int_equal(sum_ps,
                         trial->path.messages_ps + trial->path.lanes_ps);
    }
    g_hash_table_unref(m.results);
}

/* ---- order of completion and interruption -------------------------------- */

static void test_the_order_of_trial_completion_does_not_matter(void **state)
{
    TestRunner forwards, backwards;
    OptimiseTask a =
        optimise_task_of_runner(&forwards, (const SearchMove **)moves, 150);
    OptimiseTask b =
        optimise_task_of_runner(&backwards, (const SearchMove **)moves, 150);
    g_autoptr(OptimiseResult) x = run_optimise_task(&a);
    g_autoptr(OptimiseResult) y = NULL;
    g_autofree char *first = trial_rows_text(x);
    g_autofree char *second = NULL;

    (void)state;
    backwards.backwards = TRUE;
    y = run_optimise_task(&b);
    second = trial_rows_text(y);
    assert_string_equal(first, second);
    g_hash_table_unref(forwards.results);
    g_hash_table_unref(backwards.results);
}

static void
test_a_resumed_optimisation_ends_like_an_uninterrupted_one(void **state)
{
    TestRunner whole, parts;
    OptimiseTask a =
        optimise_task_of_runner(&whole, (const SearchMove **)moves, 150);
    OptimiseTask b =
        optimise_task_of_runner(&parts, (const SearchMove **)moves, 150);
    g_autoptr(OptimiseResult) x = run_optimise_task(&a);
    g_autofree char *first = trial_rows_text(x);
    guint n_run = 0;

    (void)state;
    for (guint n = 7;; n += 31) {
        g_autoptr(OptimiseResult) y = NULL;
        g_autofree char *second = NULL;

        parts.max_runs = n;
        parts.n_run = 0;
        y = run_optimise_task(&b);
        n_run += parts.n_run;
        if (y->interrupted)
            continue;
        second = trial_rows_text(y);
        assert_string_equal(first, second);
        break;
    }
    /* The resumed search has repeated no run. */
    assert_int_equal(n_run, whole.n_run);
    g_hash_table_unref(whole.results);
    g_hash_table_unref(parts.results);
}

static void test_an_interrupted_search_keeps_its_results(void **state)
{
    TestRunner m;
    OptimiseTask task =
        optimise_task_of_runner(&m, (const SearchMove **)moves, 150);
    g_autoptr(OptimiseResult) o = NULL;
    g_autofree char *csv = NULL;
    g_auto(GStrv) lines = NULL;

    (void)state;
    m.max_runs = 20;
    o = run_optimise_task(&task);
    csv = trial_rows_text(o);
    assert_non_null(o->interrupted);
    assert_string_equal(o->interrupted->message, "enough");
    assert_true(o->best->time_ps < o->default_trial->time_ps);
    lines = g_strsplit(csv, "\n", -1);
    assert_int_equal(g_strv_length(lines), 20 + 2);
    g_hash_table_unref(m.results);
}

/* ---- faulty moves -------------------------------------------------------- */

/* Proposes a run without most layers, an unknown key, and invalid YAML. */
static void seed_faulty_move(const RunProfile *profile, GPtrArray *ret)
{
    (void)profile;
    g_ptr_array_add(ret, g_strdup("workload.layers=[{kind: counted, name: a, "
                                  "tensors: [10], forward_flop: 10, "
                                  "activations: 10}]"));
    g_ptr_array_add(ret, g_strdup("collectives.chunks=1 MB"));
    g_ptr_array_add(ret, g_strdup("training.exchange={kind"));
}

static char *vary_faulty_move(const RunProfile *profile, const char *sets,
                              RandomDraw *draw)
{
    (void)profile;
    (void)sets;
    return g_strdup_printf("workload.batch=%u", draw_integer_below(draw, 2));
}

static void test_a_faulty_optimisation_move_is_detected(void **state)
{
    static const SearchMove bad = {
        .name = "bad",
        .summary = "leaves out what is to be done",
        .aspect = ASPECT_CHUNK,
        .saves = SAVES_ANY,
        .seeds = seed_faulty_move,
        .vary = vary_faulty_move,
    };
    const SearchMove *list[] = { &bad, NULL };
    TestRunner m;
    OptimiseTask task = optimise_task_of_runner(&m, list, 20);
    g_autoptr(OptimiseResult) o = run_optimise_task(&task);
    const Trial *less = g_ptr_array_index(o->trials.trials, 1);

    (void)state;
    assert_true(o->best == o->default_trial ||
                o->best->time_ps == o->default_trial->time_ps);
    assert_string_equal(less->reason, "it does less work than the default: an "
                                      "error of the move that proposed it");
    for (guint i = 2; i < 4; i++)
        assert_non_null(
            ((const Trial *)g_ptr_array_index(o->trials.trials, i))->reason);
    g_hash_table_unref(m.results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_search_finds_the_best_of_all_groups),
        cmocka_unit_test(test_no_optimisation_move_is_slower_than_the_default),
        cmocka_unit_test(test_the_written_optimised_file_takes_the_found_time),
        cmocka_unit_test(
            test_moves_that_cannot_shorten_the_critical_path_are_not_tried),
        cmocka_unit_test(test_the_parts_of_a_critical_path_add_up),
        cmocka_unit_test(test_the_order_of_trial_completion_does_not_matter),
        cmocka_unit_test(
            test_a_resumed_optimisation_ends_like_an_uninterrupted_one),
        cmocka_unit_test(test_an_interrupted_search_keeps_its_results),
        cmocka_unit_test(test_a_faulty_optimisation_move_is_detected),
    };

    return cmocka_run_group_tests_name("optimise", tests, NULL, NULL);
}
