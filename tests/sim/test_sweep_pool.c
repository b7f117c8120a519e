/* Tests of the child processes of a sweep, progress.h and sweep_info.h */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/config/config.h"
#include "sim/config/config_node.h"
#include "sim/host/process_pool.h"
#include "sim/host/progress.h"
#include "sim/sweep/sweep_info.h"
#include "sim/sweep/sweep_plan.h"
#include "tests/test.h"

/* ---- worker pool of a sweep ---------------------------------------------- */

#define N_POINTS 20

typedef struct {
    char *texts[N_POINTS];
    char *reasons[N_POINTS];
    guint n_done;
} Results;

static void clear_point_results(Results *results)
{
    for (guint i = 0; i < N_POINTS; i++) {
        g_free(results->texts[i]);
        g_free(results->reasons[i]);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Results, clear_point_results)

static void silence_stderr(void)
{
    int fd = open("/dev/null", O_WRONLY);

    dup2(fd, STDERR_FILENO);
}

static void write_point_result(gpointer self, guint point, GString *out)
{
    (void)self;
    if (point == 3) {
        silence_stderr();
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (point == 5)
        _exit(70);
    /* The output is larger than the buffer of a pipe. */
    for (guint i = 0; i < 50000; i++)
        g_string_append_printf(out, "%u ", point);
}

static void record_point_result(gpointer self, guint point, const GString *text,
                                const char *reason)
{
    Results *results = self;

    results->texts[point] = g_strdup(text ? text->str : NULL);
    results->reasons[point] = g_strdup(reason);
    results->n_done++;
}

static void test_a_child_that_dies_loses_only_its_point(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 3,
                               .work = write_point_result,
                               .point_ended = record_point_result,
                               .self = &results };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(results.n_done, N_POINTS);
    for (guint i = 0; i < N_POINTS; i++) {
        if (i == 3)
            assert_string_equal(results.reasons[i],
                                "killed by signal 6 (Aborted)");
        else if (i == 5)
            assert_string_equal(results.reasons[i], "ended with status 70");
        else
            assert_null(results.reasons[i]);
        if (i != 3 && i != 5)
            assert_int_equal(strlen(results.texts[i]),
                             i < 10 ? 100000 : 150000);
    }
}

/* The first point ends; the second one tells the parent to stop. */
static void signal_parent_at_point(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)out;
    if (point == 1)
        kill(getppid(), SIGINT);
    if (point > 0)
        sleep(60);
}

static void test_a_signal_ends_the_pool_and_its_children(void **state)
{
    g_auto(Results) results = { 0 };
    const ProcessPool pool = { .n_points = N_POINTS,
                               .n_jobs = 1,
                               .work = signal_parent_at_point,
                               .point_ended = record_point_result,
                               .self = &results };
    gint64 start_us = g_get_monotonic_time();

    (void)state;
    assert_int_equal(pool_run(&pool), SIGINT);
    assert_int_equal(results.n_done, 1);
    assert_true(g_get_monotonic_time() - start_us < 30 * G_USEC_PER_SEC);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* ---- progress line and info.json of a sweep ------------------------------ */

static void test_progress_shows_the_remaining_time(void **state)
{
    Progress progress = { .n_total = 60, .n_done = 12, .n_failed = 1 };
    g_autofree char *some = progress_line_text(&progress, 4.0);
    g_autofree char *none = NULL, *all = NULL, *hours = NULL;

    (void)state;
    assert_string_equal(some,
                        "12/60, 1 failed, 3.0/s, 0:04 elapsed, 0:16 left");
    progress.n_done = 0;
    none = progress_line_text(&progress, 0);
    assert_string_equal(none, "0/60, 1 failed, 0.0/s, 0:00 elapsed");
    progress.n_done = 60;
    all = progress_line_text(&progress, 60);
    assert_string_equal(all, "60/60, 1 failed, 1.0/s, 1:00 elapsed");
    progress.n_total = 7320;
    hours = progress_line_text(&progress, 60);
    assert_string_equal(hours,
                        "60/7320, 1 failed, 1.0/s, 1:00 elapsed, 2:01:00 left");
}

static void test_info_json_reads_back_its_names(void **state)
{
    char odd[] = "a \"b\" \\ \n\t:{}[],#", plain[] = "plain";
    char *const baselines[] = { odd, plain, NULL };
    char *const none[] = { NULL };
    const SweepInfo info = { .sweep = "s.yaml",
                             .path = "/s.yaml",
                             .command = none,
                             .baselines = baselines,
                             .best = none,
                             .offload = none,
                             .fastest_over = none };
    g_autofree char *folder = g_dir_make_tmp("acesim-info-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "info.json", NULL);
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) names = NULL, empty = NULL, absent = NULL;
    g_autoptr(GString) text = info_json_text(&info);

    (void)state;
    assert_true(g_file_set_contents(path, text->str, -1, NULL));
    names = sweep_info_read_list(path, "compare.baselines", &error);
    assert_no_error(error);
    assert_string_equal(names[0], odd);
    assert_string_equal(names[1], plain);
    assert_null(names[2]);
    empty = sweep_info_read_list(path, "compare.offload", &error);
    assert_null(empty[0]);
    absent = sweep_info_read_list(path, "compare.nothing", &error);
    assert_null(absent[0]);
    g_unlink(path);
    g_rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_child_that_dies_loses_only_its_point),
        cmocka_unit_test(test_a_signal_ends_the_pool_and_its_children),
        cmocka_unit_test(test_progress_shows_the_remaining_time),
        cmocka_unit_test(test_info_json_reads_back_its_names),
    };

    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
