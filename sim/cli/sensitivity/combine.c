/* combine.c - several assumptions changed at a time */
#include <math.h>

#include "sim/cli/sensitivity/study_impl.h"

#define MAX_PARTNERS 5    /* of which all pairs are run */
#define LITTLE       0.01 /* a change that is not worth a combination */

void combination_free(gpointer data)
{
    Combination *combination = data;

    g_ptr_array_unref(combination->members);
    g_ptr_array_unref(combination->tries);
    outcome_clear(&combination->outcome);
    g_free(combination);
}

static Combination *combination_new(const char *name)
{
    Combination *combination = g_new0(Combination, 1);

    combination->name = name;
    combination->members = g_ptr_array_new();
    combination->tries = g_ptr_array_new();
    return combination;
}

static Combination *combination_copy(const Combination *from)
{
    Combination *copy = combination_new(from->name);

    g_ptr_array_extend(copy->members, from->members, NULL, NULL);
    g_ptr_array_extend(copy->tries, from->tries, NULL, NULL);
    return copy;
}

static void add_member(Combination *combination, gpointer assumption,
                       gpointer attempt)
{
    g_ptr_array_add(combination->members, assumption);
    g_ptr_array_add(combination->tries, attempt);
}

/* The try of the assumption that moves the value most in the direction of
 * @sign; NULL: none does by much. */
static Try *strongest(const Study *study, const Assumption *assumption,
                      int sign)
{
    double most = LITTLE * fabs(study->base.value);
    Try *found = NULL;

    for (guint i = 0; i < assumption->tries->len; i++) {
        Try *attempt = assumption_try(assumption, i);
        double moved = sign * (attempt->outcome.value - study->base.value);

        if (!attempt->outcome.ok || moved <= most)
            continue;
        most = moved;
        found = attempt;
    }
    return found;
}

/* All that move it so, as they are ranked. */
static Combination *movers(const Study *study, int sign)
{
    Combination *all = combination_new("");

    for (guint i = 0; i < study->all->len; i++) {
        Assumption *assumption = assumption_at(study->all, i);
        Try *attempt = strongest(study, assumption, sign);

        if (attempt)
            add_member(all, assumption, attempt);
    }
    return all;
}

static gboolean want_pairs(Running *r, const Combination *all, GError **error)
{
    guint n = MIN(all->tries->len, MAX_PARTNERS);

    for (guint a = 0; a < n; a++) {
        for (guint b = a + 1; b < n; b++) {
            Combination *pair = combination_new(STUDY_PAIR);

            g_ptr_array_add(r->study->combinations, pair);
            add_member(pair, all->members->pdata[a], all->tries->pdata[a]);
            add_member(pair, all->members->pdata[b], all->tries->pdata[b]);
            if (!study_want(r, pair->tries, &pair->outcome, error))
                return FALSE;
        }
    }
    return TRUE;
}

/* Adds those of @all to *@best, one after the other, that move the value
 * further: two that each move it may undo each other. */
static int accumulate(Running *r, const Combination *all, int sign,
                      Combination **best, GError **error)
{
    for (guint i = 0; i < all->tries->len; i++) {
        Combination *next = combination_copy(*best);
        int number = -1;

        add_member(next, all->members->pdata[i], all->tries->pdata[i]);
        if (study_want(r, next->tries, &next->outcome, error))
            number = study_run_wanted(r);
        if (number == 0 && next->outcome.ok &&
            (!(*best)->outcome.ok ||
             sign * (next->outcome.value - (*best)->outcome.value) > 0)) {
            Combination *worse = *best;

            *best = next;
            next = worse;
        }
        combination_free(next);
        if (number != 0)
            return number;
    }
    return 0;
}

/* One alone is in the table already. */
static void keep(Study *study, Combination *combination)
{
    if (combination->tries->len > 1)
        g_ptr_array_add(study->combinations, combination);
    else
        combination_free(combination);
}

static int combine(Running *r, int sign, GError **error)
{
    Combination *all = movers(r->study, sign);
    Combination *best =
        combination_new(sign < 0 ? STUDY_LOWEST : STUDY_HIGHEST);
    int number = 0;

    if (sign < 0)
        number = want_pairs(r, all, error) ? study_run_wanted(r) : -1;
    if (number == 0)
        number = accumulate(r, all, sign, &best, error);
    keep(r->study, best);
    combination_free(all);
    return number;
}

int study_combine(Running *r, GError **error)
{
    int number = combine(r, -1, error);

    return number == 0 ? combine(r, 1, error) : number;
}
