/* test_failed_runs.c - tests of sim/study/failed_runs.h: reports about what-ifs
 * that did not finish */
#include "tests/test.h"

#include <string.h>

#include "sim/study/explain/explain.h"
#include "sim/study/failed_runs.h"
#include "sim/study/load_run_file.h"
#include "sim/view/text/explain/explain_text.h"

#define KILLED "killed by signal 9 (Killed) twice, as where memory is short"

static void one_loss_is_named_and_all_are_counted_in_the_message(void **state)
{
    FailedRuns losses = { 0 };
    GError *error = NULL;

    (void)state;
    failed_runs_count_run(&losses, "a", NULL);
    assert_true(failed_runs_check_none(&losses, "things", &error));
    assert_no_error(error);
    failed_runs_count_run(&losses, "b", KILLED);
    failed_runs_count_run(&losses, "c", "ended with status 70");
    assert_false(failed_runs_check_none(&losses, "things", &error));
    assert_string_equal(error->message,
                        "the answer is not whole: 2 of 3 things did not run "
                        "to the end; b: " KILLED);
    g_clear_error(&error);
}

/* ---- explanations with failed runs --------------------------------------- */

typedef struct {
    guint first, end; /* The range of pieces that give no result. */
} LostPieces;

/* The function run_and_lose_some() reads this variable, since a RunManyFn has
 * no argument for it. */
static LostPieces lost_pieces;

static gboolean run_and_lose_some(const RunMany *many, GError **error)
{
    guint n = many->n;

    (void)error;
    for (guint i = 0; i < n; i++) {
        guint number = many->number ? many->number(many->self, i) : i;
        g_autoptr(GString) out = g_string_new(NULL);

        if (i >= lost_pieces.first && i < lost_pieces.end) {
            many->piece_ended(many->self, i, NULL, KILLED);
        } else {
            many->work(many->self, number, out);
            many->piece_ended(many->self, i, out, NULL);
        }
        while (i + 1 == n && many->find_more_pieces &&
               many->find_more_pieces(many->self, &n) && i + 1 == n)
            ;
    }
    return TRUE;
}

typedef struct {
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
    char *text;
} Explained;

/* Explains ResNet-50 with ACE on 4x4x4 for one iteration. */
static void explain_with_lost_runs(Explained *x)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    char set[] = "training.iterations=1";
    char *sets[] = { set, NULL };
    WhatIfSource source = { .path = path,
                            .sets = sets,
                            .run_many = run_and_lose_some };
    g_autoptr(ExplainTask) explaining = NULL;
    GError *error = NULL;

    x->doc = load_run(path, sets, &x->config, &error);
    assert_no_error(error);
    source.system = x->system =
        system_new(&x->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    explaining = explain_task_new(&source, x->system);
    assert_true(system_run(x->system, &error));
    x->e = explain_task_finish(explaining, TRUE, &error);
    assert_no_error(error);
    x->text = explain_text(x->e);
}

static void explained_clear(Explained *x)
{
    g_free(x->text);
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
}

static guint count_what_ifs_decided_by(const Explanation *explanation,
                                       WhatIfHow method)
{
    guint n = 0;

    for (guint i = 0; i < explanation->what_ifs->len; i++)
        n += g_array_index(explanation->what_ifs, WhatIf, i).method == method;
    return n;
}

static void a_complete_explanation_reports_no_loss(void **state)
{
    GError *error = NULL;
    Explained x;

    (void)state;
    lost_pieces = (LostPieces){ 0, 0 };
    explain_with_lost_runs(&x);
    assert_true(what_ifs_check_none_failed(x.e->what_ifs, &error));
    assert_no_error(error);
    assert_null(strstr(x.text, "not run: "));
    explained_clear(&x);
}

/* A lost what-if is reported as not run, and the results of the others do not
 * change. */
static void a_lost_what_if_is_not_reported_as_impossible(void **state)
{
    g_autofree char *simulated = NULL, *not_run = NULL, *row = NULL;
    g_autofree char *message = NULL, *sets = NULL;
    g_autoptr(GString) rows = g_string_new(NULL);
    GError *error = NULL;
    const WhatIf *what_if = NULL;
    Explained complete, x;

    (void)state;
    lost_pieces = (LostPieces){ 0, 0 };
    explain_with_lost_runs(&complete);
    lost_pieces = (LostPieces){ 1, 2 };
    explain_with_lost_runs(&x);
    assert_int_equal(count_what_ifs_decided_by(x.e, WHAT_IF_CRASHED), 1);
    for (guint i = 0; i < x.e->what_ifs->len; i++)
        if (g_array_index(x.e->what_ifs, WhatIf, i).method == WHAT_IF_CRASHED)
            what_if = &g_array_index(x.e->what_ifs, WhatIf, i);
    simulated = g_strdup_printf("\nwhat-ifs: %u of %u simulated",
                                count_what_ifs_decided_by(x.e, WHAT_IF_RUN),
                                x.e->what_ifs->len);
    not_run = g_strdup_printf("\nnot run: %s: " KILLED "\n", what_if->name);
    assert_non_null(strstr(x.text, simulated));
    assert_non_null(strstr(x.text, not_run));
    assert_null(strstr(x.text, "cannot be"));
    explain_append_what_ifs_csv(rows, x.e);
    sets = g_strjoinv(" ", what_if->sets);
    row = g_strdup_printf("%s,,,\"" KILLED "\"\n", sets);
    assert_non_null(strstr(rows->str, row));
    message = g_strdup_printf("the answer is not whole: 1 of %u what-ifs did "
                              "not run to the end; %s: " KILLED,
                              x.e->what_ifs->len, what_if->name);
    assert_false(what_ifs_check_none_failed(x.e->what_ifs, &error));
    assert_string_equal(error->message, message);
    g_clear_error(&error);
    explained_clear(&x);
    explained_clear(&complete);
}

/* If the representative of a group is lost, nothing is known about its members:
 * another representative is run, or the members are. */
static void members_of_a_lost_group_are_run(void **state)
{
    Explained complete, x;

    (void)state;
    lost_pieces = (LostPieces){ 0, 0 };
    explain_with_lost_runs(&complete);
    assert_true(count_what_ifs_decided_by(complete.e, WHAT_IF_LEFT_OUT) > 0);
    lost_pieces =
        (LostPieces){ 0,
                      count_what_ifs_decided_by(complete.e, WHAT_IF_RUN) + 1 };
    explain_with_lost_runs(&x);
    assert_true(count_what_ifs_decided_by(x.e, WHAT_IF_LEFT_OUT) <
                count_what_ifs_decided_by(complete.e, WHAT_IF_LEFT_OUT));
    assert_true(count_what_ifs_decided_by(x.e, WHAT_IF_RUN) > 0);
    for (guint i = 0; i < x.e->what_ifs->len; i++)
        assert_true(g_array_index(x.e->what_ifs, WhatIf, i).iteration_ps > 0 ||
                    g_array_index(x.e->what_ifs, WhatIf, i).reason);
    explained_clear(&x);
    explained_clear(&complete);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_loss_is_named_and_all_are_counted_in_the_message),
        cmocka_unit_test(a_complete_explanation_reports_no_loss),
        cmocka_unit_test(a_lost_what_if_is_not_reported_as_impossible),
        cmocka_unit_test(members_of_a_lost_group_are_run),
    };

    return cmocka_run_group_tests_name("losses", tests, NULL, NULL);
}
