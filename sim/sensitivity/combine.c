/* combine.c - several assumptions changed at a time */
#include "sim/sensitivity/combine.h"

#include <math.h>

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

/* A try, and how far it alone moves the value to where it shall go. */
typedef struct {
    Assumption *assumption; /* borrowed, as is the try */
    Try *attempt;
    double moved;
} Candidate;

static const Candidate *candidate_at(const GArray *all, guint i)
{
    return &g_array_index(all, Candidate, i);
}

/* The farthest first; GLib's sort of arrays is stable. */
static gint by_moved(gconstpointer a, gconstpointer b)
{
    double x = ((const Candidate *)a)->moved;
    double y = ((const Candidate *)b)->moved;

    return x > y ? -1 : x < y;
}

/* Of an assumption the try that moves the value so the farthest, if any does
 * by more than a little. */
static void add_candidate_of(GArray *all, const Study *study,
                             Assumption *assumption, int sign)
{
    Candidate best = { assumption, NULL, LITTLE * fabs(study->base.value) };

    for (guint i = 0; i < assumption->tries->len; i++) {
        Try *attempt = assumption_try(assumption, i);
        double moved = sign * (attempt->outcome.value - study->base.value);

        if (attempt->outcome.ok && moved > best.moved)
            best = (Candidate){ assumption, attempt, moved };
    }
    if (best.attempt)
        g_array_append_val(all, best);
}

static GArray *candidates(const Study *study, int sign)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Candidate));

    for (guint i = 0; i < study->all->len; i++)
        add_candidate_of(all, study, assumption_at(study->all, i), sign);
    g_array_sort(all, by_moved);
    return all;
}

static void add_candidate(Combination *combination, const Candidate *candidate)
{
    g_ptr_array_add(combination->members, candidate->assumption);
    g_ptr_array_add(combination->tries, candidate->attempt);
}

static gboolean want_pairs(Running *r, const GArray *all, GError **error)
{
    guint n = MIN(all->len, MAX_PARTNERS);

    for (guint a = 0; a < n; a++) {
        for (guint b = a + 1; b < n; b++) {
            Combination *pair = combination_new(STUDY_PAIR);

            g_ptr_array_add(r->study->combinations, pair);
            add_candidate(pair, candidate_at(all, a));
            add_candidate(pair, candidate_at(all, b));
            if (!study_want(r, pair->tries, &pair->outcome, error))
                return FALSE;
        }
    }
    return TRUE;
}

static gboolean is_farther(const Combination *a, const Combination *b, int sign)
{
    return a->outcome.ok &&
           (!b->outcome.ok || sign * (a->outcome.value - b->outcome.value) > 0);
}

/* Adds those of @all to *@best, one after the other, that move the value
 * further: two that each move it may undo each other. */
static int accumulate(Running *r, const GArray *all, int sign,
                      Combination **best, GError **error)
{
    int number = 0;

    for (guint i = 0; i < all->len && number == 0; i++) {
        Combination *next = combination_copy(*best);

        add_candidate(next, candidate_at(all, i));
        number = study_want(r, next->tries, &next->outcome, error)
                     ? study_run_wanted(r)
                     : -1;
        if (number == 0 && is_farther(next, *best, sign)) {
            Combination *worse = *best;

            *best = next;
            next = worse;
        }
        combination_free(next);
    }
    return number;
}

static void keep(Study *study, Combination *combination)
{
    if (combination->tries->len > 0)
        g_ptr_array_add(study->combinations, combination);
    else
        combination_free(combination);
}

static int combine(Running *r, int sign, GError **error)
{
    g_autoptr(GArray) all = candidates(r->study, sign);
    Combination *best =
        combination_new(sign < 0 ? STUDY_LOWEST : STUDY_HIGHEST);
    int number = 0;

    if (sign < 0)
        number = want_pairs(r, all, error) ? study_run_wanted(r) : -1;
    if (number == 0)
        number = accumulate(r, all, sign, &best, error);
    keep(r->study, best);
    return number;
}

int study_combine(Running *r, GError **error)
{
    int number = combine(r, -1, error);

    return number == 0 ? combine(r, 1, error) : number;
}
