/* test_what_if_pruning.c - tests of sim/study/explain/what_if_pruning.h:
 * what-ifs whose effect is bounded by a group run are not run one by one */
#include "tests/sim/what_ifs/what_if_fixture.h"

#include <string.h>

#include "sim/study/explain/explain.h"
#include "sim/study/explain/minor_factors.h"
#include "sim/study/explain/what_if_pruning.h"
#include "sim/study/load_run_file.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/explain/explain_text.h"

static void check_pruned_explanation(const Explanation *all,
                                     const Explanation *pruned,
                                     guint n_left_out)
{
    SimTime base_ps = all->r.iteration_ps;
    guint n = 0;

    assert_int_equal(pruned->what_ifs->len, all->what_ifs->len);
    for (guint i = 0; i < pruned->what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(pruned->what_ifs, WhatIf, i);
        SimTime ps = find_what_if(all, what_if->name)->iteration_ps;

        assert_true(what_if->method != WHAT_IF_REQUESTED);
        if (what_if->method != WHAT_IF_LEFT_OUT)
            assert_int_equal(what_if->iteration_ps, ps);
        else
            assert_false(pruning_is_gain_significant(base_ps, ps,
                                                     PRUNING_WORTHWHILE_GAIN));
        n += what_if->method == WHAT_IF_LEFT_OUT;
    }
    assert_int_equal(n, n_left_out);
}

typedef struct {
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
} Explained;

/* Explains ResNet-50 on 4x4x4.  @ahead may be NULL. */
static void explain_with_worker(Explained *x, const char *endpoint,
                                gboolean sparingly, const RunAhead *ahead,
                                RunManyFn run_many)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    g_autofree char *set = g_strdup_printf("endpoint=%s/configs/endpoints/%s",
                                           g_getenv("SRCDIR"), endpoint);
    char *sets[] = { set, NULL };
    WhatIfSource source = {
        .path = path, .sets = sets, .run_many = run_many, .ahead = ahead
    };
    g_autoptr(ExplainTask) explaining = NULL;
    GError *error = NULL;

    x->doc = load_run(path, sets, &x->config, &error);
    assert_no_error(error);
    source.system = x->system =
        system_new(&x->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    explaining = explain_task_new(&source, sparingly ? x->system : NULL);
    assert_true(system_run(x->system, &error) || error);
    x->e = explain_task_finish(explaining, sparingly, &error);
    assert_no_error(error);
}

static void explain_config_of_endpoint(Explained *x, const char *endpoint,
                                       gboolean sparingly,
                                       const RunAhead *ahead)
{
    explain_with_worker(x, endpoint, sparingly, ahead, run_many_pool);
}

static void explained_clear(Explained *x)
{
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
}

/* Checks that both explanations have the same text, whatever had begun when the
 * run ended. */
static void check_equal_explanations(const Explanation *a, const Explanation *b)
{
    g_autofree char *text = explain_text(a);
    g_autofree char *second = explain_text(b);

    assert_string_equal(text, second);
}

/* Explains all what-ifs, and then only those that may matter, with and without
 * runs ahead.  Checks that @n_left_out are left out, that the others have the
 * same times, and that the text contains @line. */
static void check_pruning_of_endpoint(const char *endpoint, guint n_left_out,
                                      const char *line)
{
    g_autofree char *text = NULL;
    Explained all, pruned, without_ahead;

    explain_config_of_endpoint(&all, endpoint, FALSE, NULL);
    explain_config_of_endpoint(&pruned, endpoint, TRUE, &run_ahead_child);
    explain_config_of_endpoint(&without_ahead, endpoint, TRUE, NULL);
    check_equal_explanations(pruned.e, without_ahead.e);
    assert_memory_equal(pruned.e->rows_ps, all.e->rows_ps,
                        sizeof pruned.e->rows_ps);
    check_pruned_explanation(all.e, pruned.e, n_left_out);
    text = explain_text(pruned.e);
    assert_non_null(strstr(text, line));
    explained_clear(&all);
    explained_clear(&pruned);
    explained_clear(&without_ahead);
}

/* ---- what-if runs without a result --------------------------------------- */

/* Pretends to have begun all runs, of which none gives a result. */
static gpointer begin_worker_without_results(const RunMany *many)
{
    return GUINT_TO_POINTER(many->n);
}

static guint stop_worker_without_results(gpointer ahead)
{
    return GPOINTER_TO_UINT(ahead);
}

static gboolean idle_worker_run_many(gpointer ahead, RunAheadFn done_ahead,
                                     const RunMany *many, GError **error)
{
    (void)ahead;
    done_ahead(many->self, 0, NULL);
    return run_many_pool(many, error);
}

static void idle_worker_free(gpointer ahead)
{
    (void)ahead;
}

static void lost_background_runs_are_repeated(void **state)
{
    const RunAhead nothing = { begin_worker_without_results,
                               stop_worker_without_results,
                               idle_worker_run_many, idle_worker_free };
    Explained lost_ahead, without_ahead;

    (void)state;
    explain_config_of_endpoint(&lost_ahead, "ace.yaml", TRUE, &nothing);
    explain_config_of_endpoint(&without_ahead, "ace.yaml", TRUE, NULL);
    check_equal_explanations(lost_ahead.e, without_ahead.e);
    explained_clear(&lost_ahead);
    explained_clear(&without_ahead);
}

/* A RunMany that loses the results of all pieces from number .from on. */
typedef struct {
    const RunMany *many;
    guint from, n_done;
} LossyRun;

/* The state of the active run; only one is active at a time. */
static LossyRun lossy_run;

static void report_done_or_lost(gpointer self, guint i, const GString *text,
                                const char *reason)
{
    gboolean is_lost = lossy_run.n_done++ >= lossy_run.from;

    lossy_run.many->piece_ended(self, i, is_lost ? NULL : text,
                                is_lost ? "lost" : reason);
}

static gboolean run_many_with_losses(const RunMany *many, GError **error)
{
    RunMany inner = *many;

    lossy_run.many = many;
    lossy_run.n_done = 0;
    inner.piece_ended = report_done_or_lost;
    return run_many_in_process(&inner, error);
}

/* A group is decided even if the run of its representative is lost. */
static void every_what_if_is_decided_in_spite_of_losses(void **state)
{
    (void)state;
    for (guint from = 0; from < 5; from++) {
        Explained x;

        lossy_run.from = from;
        explain_with_worker(&x, "ace.yaml", TRUE, NULL, run_many_with_losses);
        assert_int_equal(x.e->what_ifs->len, 21);
        for (guint i = 0; i < x.e->what_ifs->len; i++) {
            const WhatIf *what_if = &g_array_index(x.e->what_ifs, WhatIf, i);

            assert_true(what_if->method != WHAT_IF_REQUESTED);
            assert_true(what_if->iteration_ps > 0 || what_if->reason);
        }
        explained_clear(&x);
    }
}

static void what_if_groups_with_little_effect_are_left_out(void **state)
{
    (void)state;
    check_pruning_of_endpoint(
        "ace.yaml", 12,
        "\nwhat-ifs: 5 of 21 simulated; 4 identical to this run by "
        "proof; 12 simulated only as a group");
    check_pruning_of_endpoint("comp-opt.yaml", 10,
                              "\nwhat-ifs: 8 of 19 simulated; 1 identical");
}

/* With no-overlap three things matter: the links and the latencies of each
 * dimension, and the HBM, of which the endpoint has a share. */
static void what_if_groups_with_effect_are_split(void **state)
{
    (void)state;
    check_pruning_of_endpoint("no-overlap.yaml", 2,
                              "\nwhat-ifs: 15 of 19 simulated; 2 identical");
}

static void test_a_pattern_without_what_ifs_changes_no_other_group(void **state)
{
    g_autoptr(GArray) what_ifs = g_array_new(FALSE, TRUE, sizeof(WhatIf));

    (void)state;
    g_array_set_size(what_ifs, 3);
    pruning_group_what_ifs_of_pattern(what_ifs, 0);
    /* The pattern is the same as after latencies that are all 0. */
    pruning_group_what_ifs_of_pattern(what_ifs, 3);
    assert_true(g_array_index(what_ifs, WhatIf, 2).is_group);
    assert_int_equal(g_array_index(what_ifs, WhatIf, 0).group[GROUP_PATTERN],
                     3);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(
            test_a_pattern_without_what_ifs_changes_no_other_group),
        cmocka_unit_test(what_if_groups_with_little_effect_are_left_out),
        cmocka_unit_test(what_if_groups_with_effect_are_split),
        cmocka_unit_test(lost_background_runs_are_repeated),
        cmocka_unit_test(every_what_if_is_decided_in_spite_of_losses),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
