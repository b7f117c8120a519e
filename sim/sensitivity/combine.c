/* combine.c - changes several assumptions together */
#include "sim/sensitivity/combine.h"

#include <math.h>

#define MAX_PARTNERS 5 /* number of assumptions of which all pairs are run */
/* The smallest relative change of the metric that makes an assumption a member
 * of a combination. */
#define MIN_CHANGE 0.01

void combination_free(gpointer data)
{
    Combination *combination = data;

    g_ptr_array_unref(combination->members);
    g_ptr_array_unref(combination->alternatives);
    outcome_clear(&combination->outcome);
    g_free(combination);
}

static Combination *combination_new(const char *name)
{
    Combination *combination = g_new0(Combination, 1);

    combination->name = name;
    combination->members = g_ptr_array_new();
    combination->alternatives = g_ptr_array_new();
    return combination;
}

static Combination *combination_copy(const Combination *from)
{
    Combination *copy = combination_new(from->name);

    g_ptr_array_extend(copy->members, from->members, NULL, NULL);
    g_ptr_array_extend(copy->alternatives, from->alternatives, NULL, NULL);
    return copy;
}

/* An alternative and how far it moves the value alone, in the wanted
 * direction. */
typedef struct {
    Assumption *assumption; /* borrowed, as is .alternative */
    Alternative *alternative;
    double moved;
} Candidate;

static const Candidate *candidate_at(const GArray *all, guint i)
{
    return &g_array_index(all, Candidate, i);
}

/* Sorts by descending distance; g_array_sort() is stable. */
static gint compare_moved(gconstpointer a, gconstpointer b)
{
    double x = ((const Candidate *)a)->moved;
    double y = ((const Candidate *)b)->moved;

    return x > y ? -1 : x < y;
}

/* Adds the alternative of @assumption that moves the value farthest in the
 * direction @sign, if it exceeds MIN_CHANGE. */
static void add_best_alternative(GArray *all, const Study *study,
                                 Assumption *assumption, int sign)
{
    Candidate best = { assumption, NULL, MIN_CHANGE * fabs(study->base.value) };

    for (guint i = 0; i < assumption->alternatives->len; i++) {
        Alternative *alternative = assumption_alternative(assumption, i);
        double moved = sign * (alternative->outcome.value - study->base.value);

        if (alternative->outcome.ok && moved > best.moved)
            best = (Candidate){ assumption, alternative, moved };
    }
    if (best.alternative)
        g_array_append_val(all, best);
}

static GArray *find_candidates(const Study *study, int sign)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Candidate));

    for (guint i = 0; i < study->all->len; i++)
        add_best_alternative(all, study, assumption_at(study->all, i), sign);
    g_array_sort(all, compare_moved);
    return all;
}

static void add_candidate(Combination *combination, const Candidate *candidate)
{
    g_ptr_array_add(combination->members, candidate->assumption);
    g_ptr_array_add(combination->alternatives, candidate->alternative);
}

static gboolean add_pairs(Experiment *r, const GArray *all, GError **error)
{
    guint n = MIN(all->len, MAX_PARTNERS);

    for (guint a = 0; a < n; a++) {
        for (guint b = a + 1; b < n; b++) {
            Combination *pair = combination_new(STUDY_PAIR);

            g_ptr_array_add(r->study->combinations, pair);
            add_candidate(pair, candidate_at(all, a));
            add_candidate(pair, candidate_at(all, b));
            if (!experiment_add(r, pair->alternatives, &pair->outcome, error))
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

/* Adds to *@best, one after another, those of @all that move the value further.
 * Each step is run, because two alternatives that each move the value can
 * cancel each other. */
static int accumulate(Experiment *r, const GArray *all, int sign,
                      Combination **best, GError **error)
{
    int number = 0;

    for (guint i = 0; i < all->len && number == 0; i++) {
        Combination *next = combination_copy(*best);

        add_candidate(next, candidate_at(all, i));
        number = experiment_add(r, next->alternatives, &next->outcome, error)
                     ? experiment_run(r)
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

static void keep_or_free(Study *study, Combination *combination)
{
    if (combination->alternatives->len > 0)
        g_ptr_array_add(study->combinations, combination);
    else
        combination_free(combination);
}

static int combine(Experiment *r, int sign, GError **error)
{
    g_autoptr(GArray) all = find_candidates(r->study, sign);
    Combination *best =
        combination_new(sign < 0 ? STUDY_LOWEST : STUDY_HIGHEST);
    int number = 0;

    if (sign < 0)
        number = add_pairs(r, all, error) ? experiment_run(r) : -1;
    if (number == 0)
        number = accumulate(r, all, sign, &best, error);
    keep_or_free(r->study, best);
    return number;
}

int experiment_combine(Experiment *r, GError **error)
{
    int number = combine(r, -1, error);

    return number == 0 ? combine(r, 1, error) : number;
}
