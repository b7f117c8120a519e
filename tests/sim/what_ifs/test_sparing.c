/* test_sparing.c - what-ifs that are not run one by one, and what they would be
 */
#include "tests/test.h"

#include <string.h>

#include "sim/study/explain/explain.h"
#include "sim/study/explain/sparing.h"
#include "sim/study/load.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/explain/explain_text.h"

static const WhatIf *what_if_called(const Explanation *e, const char *name)
{
    for (guint i = 0; i < e->what_ifs->len; i++)
        if (g_str_equal(g_array_index(e->what_ifs, WhatIf, i).name, name))
            return &g_array_index(e->what_ifs, WhatIf, i);
    fail_msg("%s is missing", name);
    return NULL;
}

static void check_left_out(const Explanation *all, const Explanation *few,
                           guint n_left_out)
{
    SimTime base_ps = all->r.iteration_ps;
    guint n = 0;

    assert_int_equal(few->what_ifs->len, all->what_ifs->len);
    for (guint i = 0; i < few->what_ifs->len; i++) {
        const WhatIf *w = &g_array_index(few->what_ifs, WhatIf, i);
        SimTime ps = what_if_called(all, w->name)->iteration_ps;

        assert_true(w->how != WHAT_IF_ASKED);
        if (w->how != WHAT_IF_LEFT_OUT)
            assert_int_equal(w->iteration_ps, ps);
        else
            assert_false(sparing_matters(base_ps, ps, SPARING_WORTH));
        n += w->how == WHAT_IF_LEFT_OUT;
    }
    assert_int_equal(n, n_left_out);
}

typedef struct {
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
} Explained;

/* ResNet-50 on 4x4x4; @ahead may be NULL. */
static void explain_by(Explained *x, const char *endpoint, gboolean sparingly,
                       const RunAhead *ahead, RunManyFn run_many)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    g_autofree char *set = g_strdup_printf("endpoint=%s/configs/endpoints/%s",
                                           g_getenv("SRCDIR"), endpoint);
    char *sets[] = { set, NULL };
    WhatIfSource source = { path, sets, FOLD_AUTO, NULL, run_many, ahead };
    g_autoptr(Explaining) explaining = NULL;
    GError *error = NULL;

    x->doc = load_run(path, sets, &x->config, &error);
    assert_no_error(error);
    source.system = x->system = system_new(&x->config, FOLD_AUTO, &error);
    assert_no_error(error);
    explaining = explaining_new(&source, sparingly ? x->system : NULL);
    assert_true(system_run(x->system, &error) || error);
    x->e = explaining_end(explaining, sparingly, &error);
    assert_no_error(error);
}

static void explain(Explained *x, const char *endpoint, gboolean sparingly,
                    const RunAhead *ahead)
{
    explain_by(x, endpoint, sparingly, ahead, run_many_pool);
}

static void clear(Explained *x)
{
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
}

/* Whatever had begun when the run ended, the same is told. */
static void check_same(const Explanation *a, const Explanation *b)
{
    g_autofree char *text = explain_text(a);
    g_autofree char *other = explain_text(b);

    assert_string_equal(text, other);
}

/* The path is that of one more run, and what is not left out is the same. */
static void check_sparing(const char *endpoint, guint n_left_out,
                          const char *line)
{
    g_autofree char *text = NULL;
    Explained all, few, late;

    explain(&all, endpoint, FALSE, NULL);
    explain(&few, endpoint, TRUE, &run_ahead_child);
    explain(&late, endpoint, TRUE, NULL);
    check_same(few.e, late.e);
    assert_memory_equal(few.e->rows_ps, all.e->rows_ps, sizeof few.e->rows_ps);
    check_left_out(all.e, few.e, n_left_out);
    text = explain_text(few.e);
    assert_non_null(strstr(text, line));
    clear(&all);
    clear(&few);
    clear(&late);
}

/* ---- what goes wrong ---------------------------------------------------- */

/* All had begun, and nothing came of it. */
static gpointer begin_nothing(const RunMany *many)
{
    return GUINT_TO_POINTER(many->n);
}

static guint stop_nothing(gpointer ahead)
{
    return GPOINTER_TO_UINT(ahead);
}

static gboolean run_after_nothing(gpointer ahead, RunAheadFn done_ahead,
                                  const RunMany *many, GError **error)
{
    (void)ahead;
    done_ahead(many->self, 0, NULL);
    return run_many_pool(many, error);
}

static void free_nothing(gpointer ahead)
{
    (void)ahead;
}

static void what_is_lost_ahead_is_run_again(void **state)
{
    const RunAhead nothing = { begin_nothing, stop_nothing, run_after_nothing,
                               free_nothing };
    Explained lost, late;

    (void)state;
    explain(&lost, "ace.yaml", TRUE, &nothing);
    explain(&late, "ace.yaml", TRUE, NULL);
    check_same(lost.e, late.e);
    clear(&lost);
    clear(&late);
}

/* A RunMany of which all pieces from .from on are lost. */
typedef struct {
    const RunMany *many;
    guint from, n_done;
} Losing;

static Losing losing; /* of the run that loses, one at a time */

static void lose(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    gboolean is_lost = losing.n_done++ >= losing.from;

    losing.many->done(self, i, is_lost ? NULL : text,
                      is_lost ? "lost" : reason);
}

static gboolean run_losing(const RunMany *many, GError **error)
{
    RunMany inner = *many;

    losing.many = many;
    losing.n_done = 0;
    inner.done = lose;
    return run_many_here(&inner, error);
}

/* Whichever it is that stands for others. */
static void what_is_lost_leaves_nothing_undecided(void **state)
{
    (void)state;
    for (guint from = 0; from < 5; from++) {
        Explained x;

        losing.from = from;
        explain_by(&x, "ace.yaml", TRUE, NULL, run_losing);
        assert_int_equal(x.e->what_ifs->len, 20);
        for (guint i = 0; i < x.e->what_ifs->len; i++) {
            const WhatIf *w = &g_array_index(x.e->what_ifs, WhatIf, i);

            assert_true(w->how != WHAT_IF_ASKED);
            assert_true(w->iteration_ps > 0 || w->reason);
        }
        clear(&x);
    }
}

static void what_changes_next_to_nothing_all_at_once_is_left_out(void **state)
{
    (void)state;
    check_sparing("ace.yaml", 12,
                  "\nsimulated: 4 of 20; 4 provably would be the same run; "
                  "12 not one by one (");
    check_sparing("comp-opt.yaml", 10, "\nsimulated: 7 of 18; 1 provably");
}

/* Links and latencies matter there, each dimension's; and the HBM, of which the
 * endpoint has a share. */
static void what_matters_all_at_once_is_taken_apart(void **state)
{
    (void)state;
    check_sparing("no-overlap.yaml", 2, "\nsimulated: 14 of 18; 2 provably");
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(what_changes_next_to_nothing_all_at_once_is_left_out),
        cmocka_unit_test(what_matters_all_at_once_is_taken_apart),
        cmocka_unit_test(what_is_lost_ahead_is_run_again),
        cmocka_unit_test(what_is_lost_leaves_nothing_undecided),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
