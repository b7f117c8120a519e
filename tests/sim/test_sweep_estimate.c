/* Tests of sim/sweep/sweep_estimate.h, and of a pool with a deadline */
#include <string.h>

#include "sim/host/process_pool.h"
#include "sim/sweep/sweep_estimate.h"
#include "tests/test.h"

static void sleep_without_end(gpointer self, guint point, GString *out)
{
    (void)self;
    (void)point;
    (void)out;
    for (;;)
        g_usleep(G_USEC_PER_SEC);
}

static void count_finished_point(gpointer self, guint point,
                                 const GString *text, const char *reason)
{
    (void)point;
    (void)text;
    (void)reason;
    ++*(guint *)self;
}

static void test_a_pool_does_not_wait_after_its_deadline(void **state)
{
    guint n_done = 0;
    const ProcessPool pool = { .n_points = 8,
                               .n_jobs = 3,
                               .work = sleep_without_end,
                               .point_ended = count_finished_point,
                               /* The deadline of the pool lies in the past. */
                               .until_us = 1,
                               .self = &n_done };

    (void)state;
    assert_int_equal(pool_run(&pool), 0);
    assert_int_equal(n_done, 0);
}

/* Asserts that the estimate of @n points on @n_jobs matches @pattern. */
static void assert_estimate_matches(guint n, guint n_jobs, const char *pattern)
{
    g_autoptr(GString) text = g_string_new("base: {");
    g_autoptr(SweepPlan) plan = NULL;
    g_autofree char *estimate = NULL;
    GError *error = NULL;
    ConfigDoc *doc;
    int number;

    /* Without a workload the points fail immediately, which is a cost as
     * well. */
    g_string_append(text, "}\naxes: [{training.iterations: [1");
    for (guint i = 2; i <= n; i++)
        g_string_append_printf(text, ", %u", i);
    g_string_append(text, "]}]\n");
    doc = config_doc_parse("s.yaml", text->str, text->len, &error);
    assert_no_error(error);
    plan = sweep_plan_new(doc, NULL, &error);
    assert_no_error(error);
    estimate = sweep_estimate(plan, (RunOptions){ 0 }, n_jobs, &number);
    assert_int_equal(number, 0);
    if (!g_regex_match_simple(pattern, estimate, 0, 0))
        fail_msg("'%s' is not %s", estimate, pattern);
}

static void test_an_estimate_names_its_sample(void **state)
{
    (void)state;
    assert_estimate_matches(1, 8,
                            "^about 0:0[01] with 1 job, by 1 point that took "
                            "[0-9]+\\.[0-9] s$");
    assert_estimate_matches(
        9, 2, "^about 0:0[0-9] with 2 jobs, by 9 points that took ");
    assert_estimate_matches(100, 2, " by 16 points that took ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pool_does_not_wait_after_its_deadline),
        cmocka_unit_test(test_an_estimate_names_its_sample),
    };

    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
