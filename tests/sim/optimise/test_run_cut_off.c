/* test_run_cut_off.c - tests of sim/study/optimise/cut_off: stopping slow runs
 * early does not change a search */
#include "sim/study/optimise/run_cut_off.h"
#include "tests/sim/optimise/optimise_fixture.h"

static const char *const longer[] = { "training.iterations=3", NULL };
static const char *const uneven[] = { "training.iterations=2",
                                      "perturb.jitter=20 %", "perturb.seed=7",
                                      NULL };
static const char *const overlapped[] = { "training.iterations=4",
                                          "training.synchronise=layer", NULL };

static const Trial *candidate_trial_of_result(const OptimiseResult *result,
                                              guint i)
{
    return g_ptr_array_index(result->trials.trials, i);
}

/* Runs a search with and without cut-offs.  Checks that both make the same
 * choices and that each run that was cut takes longer than its cut-off.
 * Returns the number of runs that were cut. */
static guint compare_searches_with_cut_offs(const char *const *sets,
                                            guint64 seed)
{
    TestRunner m, all;
    OptimiseTask task =
        optimise_task_of_runner(&m, (const SearchMove **)moves, 75);
    OptimiseTask uncut =
        optimise_task_of_runner(&all, (const SearchMove **)moves, 75);
    g_autoptr(OptimiseResult) x = NULL, y = NULL;
    guint n_cut = 0;

    task.maker.sets = uncut.maker.sets = (char *const *)sets;
    task.seed = uncut.seed = seed;
    uncut.maker.is_whole = TRUE;
    x = run_optimise_task(&task);
    y = run_optimise_task(&uncut);
    assert_int_equal(x->trials.trials->len, y->trials.trials->len);
    for (guint i = 0; i < x->trials.trials->len; i++) {
        const Trial *a = candidate_trial_of_result(x, i),
                    *b = candidate_trial_of_result(y, i);

        assert_string_equal(a->text, b->text);
        assert_int_equal(b->cut_off_ps, 0);
        if (a->cut_off_ps > 0)
            assert_true(b->time_ps > a->cut_off_ps);
        else
            assert_int_equal(a->time_ps, b->time_ps);
        n_cut += a->cut_off_ps > 0;
    }
    assert_string_equal(x->best->text, y->best->text);
    assert_int_equal(x->best->time_ps, y->best->time_ps);
    g_hash_table_unref(m.results);
    g_hash_table_unref(all.results);
    return n_cut;
}

static void test_cut_offs_do_not_change_an_optimisation_search(void **state)
{
    guint n_cut = 0;

    (void)state;
    n_cut += compare_searches_with_cut_offs(longer, 1);
    n_cut += compare_searches_with_cut_offs(uneven, 2);
    n_cut += compare_searches_with_cut_offs(overlapped, 3);
    assert_true(n_cut > 30);
}

/* A run is not cut at its own duration, but at half of it. */
static void test_a_run_is_cut_before_its_end_only(void **state)
{
    for (guint less = 0; less < 2; less++) {
        SystemConfig config;
        GError *error = NULL;
        g_autoptr(ConfigDoc) doc = open_config_text(NULL, &error);
        g_autoptr(System) system = NULL;
        g_autoptr(System) uncut = NULL;
        g_autoptr(CutOff) cut_off = NULL;
        SimTime time_ps;
        gboolean is_cut = FALSE;

        assert_no_error(error);
        assert_true(config_doc_read(doc, system_fields, &config, &error));
        uncut = system_new(&config, (RunOptions){ 0 }, &error);
        assert_true(system_run(uncut, &error));
        time_ps = system_result(uncut).iteration_ps;
        system = system_new(&config, (RunOptions){ 0 }, &error);
        cut_off = cut_off_new(system, less ? time_ps / 2 : time_ps);
        assert_int_equal(cut_off_run_until_limit(cut_off, &is_cut, &error),
                         !less);
        assert_no_error(error);
        assert_int_equal(is_cut, less);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_offs_do_not_change_an_optimisation_search),
        cmocka_unit_test(test_a_run_is_cut_before_its_end_only),
    };

    return cmocka_run_group_tests_name("cut-off", tests, NULL, NULL);
}
