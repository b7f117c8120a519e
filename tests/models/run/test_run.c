/* test_run.c - Tests of models/run/run.h and sim/cli/run_progress.h: the
 * progress of a run. */
#include "models/run/run.h"
#include "models/run/steady/skip_mode.h"
#include "sim/cli/run_progress.h"
#include "tests/system_fixture.h"

#define N_ITERATIONS 3000

typedef struct {
    uint64_t n_calls, n_events, n_done;
    SimTime now_ps;
    /* The number of calls after which the run is ended; 0 for never. */
    uint64_t n_most;
} Progress;

/* Asserts that no number decreases. */
static gboolean on_progress(gpointer self, const System *system,
                            uint64_t n_events, GError **error)
{
    Progress *progress = self;

    assert_true(n_events >= progress->n_events);
    assert_true(system_now_ps(system) >= progress->now_ps);
    assert_true(system_n_iterations_done(system) >= progress->n_done);
    assert_true(n_events <= (progress->n_calls + 1) * SYSTEM_SLICE_EVENTS);
    progress->n_calls++;
    progress->n_events = n_events;
    progress->n_done = system_n_iterations_done(system);
    progress->now_ps = system_now_ps(system);
    if (progress->n_most == 0 || progress->n_calls < progress->n_most)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
    return FALSE;
}

/* Skipping of iterations is off, since the run would have only one slice. */
static void begin_run_in_slices(Run *run)
{
    const Setup s = { .training = "{iterations: 3000}" };
    GError *error = NULL;

    read_run_setup(run, &s);
    run->system =
        system_new(&run->config, (RunOptions){ .skip = SKIP_OFF }, &error);
    assert_no_error(error);
}

static void test_a_run_in_slices_gives_the_same_result(void **state)
{
    SystemResult whole, r;
    GError *error = NULL;
    Progress progress = { 0 };
    Run run;

    (void)state;
    begin_run_in_slices(&run);
    assert_true(system_run(run.system, &error));
    whole = system_result(run.system);
    run_clear(&run);
    begin_run_in_slices(&run);
    assert_true(
        system_run_with_progress(run.system, on_progress, &progress, &error));
    r = system_result(run.system);
    assert_memory_equal(&r, &whole, sizeof r);
    assert_true(progress.n_calls > 1);
    assert_int_equal(progress.n_events, r.n_events);
    assert_int_equal(progress.now_ps, r.total_ps);
    assert_int_equal(progress.n_done, N_ITERATIONS);
    assert_int_equal(system_n_iterations(run.system), N_ITERATIONS);
    run_clear(&run);
}

static void test_a_listener_may_end_a_run(void **state)
{
    GError *error = NULL;
    Progress progress = { .n_most = 2 };
    Run run;

    (void)state;
    begin_run_in_slices(&run);
    assert_false(
        system_run_with_progress(run.system, on_progress, &progress, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_INTR, "enough");
    assert_int_equal(progress.n_calls, 2);
    run_clear(&run);
}

static void test_the_progress_line_shows_what_is_done(void **state)
{
    const RunProgressState pace = { 3, 10, SIM_US(1234), 98765432 };
    g_autofree char *text = run_progress_text(&pace, 75);

    (void)state;
    assert_string_equal(text, "3 of 10 iterations, 1.234 ms simulated, 98.8 "
                              "million events, 1:15 elapsed");
}

/* A line is due once per 10 s, even if the test is seldom made. */
static void test_a_progress_line_is_due_every_ten_seconds(void **state)
{
    static const double asked_s[] = { 0, 9.9, 10, 10.1, 19, 41, 49.9, 50 };
    static const gboolean is_due[] = { FALSE, FALSE, TRUE,  FALSE,
                                       FALSE, TRUE,  FALSE, TRUE };
    double due_s = 10;

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(asked_s); i++)
        assert_int_equal(run_progress_is_due(asked_s[i], &due_s), is_due[i]);
    assert_true(due_s > 59.9 && due_s < 60.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_in_slices_gives_the_same_result),
        cmocka_unit_test(test_a_listener_may_end_a_run),
        cmocka_unit_test(test_the_progress_line_shows_what_is_done),
        cmocka_unit_test(test_a_progress_line_is_due_every_ten_seconds),
    };

    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
