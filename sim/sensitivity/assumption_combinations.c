/* assumption_combinations.c - changes several assumptions together */
#include "sim/sensitivity/assumption_combinations.h"

#include <math.h>

#define MAX_PARTNERS 5 /* number of assumptions of which all pairs are run */
/* The smallest relative change of the metric that makes an assumption a member
 * of a combination. */
#define MIN_CHANGE 0.01

void free_combination(gpointer data)
{
    AssumptionCombination *combination = data;

    g_ptr_array_unref(combination->members);
    g_ptr_array_unref(combination->alternatives);
    clear_assumption_outcome(&combination->outcome);
    g_free(combination);
}

static AssumptionCombination *new_combination(const char *name)
{
    AssumptionCombination *combination = g_new0(AssumptionCombination, 1);

    combination->name = name;
    combination->members = g_ptr_array_new();
    combination->alternatives = g_ptr_array_new();
    return combination;
}

static AssumptionCombination *
copy_combination(const AssumptionCombination *from)
{
    AssumptionCombination *copy = new_combination(from->name);

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
} CombinationCandidate;

static const CombinationCandidate *combination_candidate_at(const GArray *all,
                                                            guint i)
{
    return &g_array_index(all, CombinationCandidate, i);
}

/* Sorts by descending distance; g_array_sort() is stable. */
static gint compare_candidate_distance(gconstpointer a, gconstpointer b)
{
    double x = ((const CombinationCandidate *)a)->moved;
    double y = ((const CombinationCandidate *)b)->moved;

    return x > y ? -1 : x < y;
}

/* Adds the alternative of @assumption that moves the value farthest in the
 * direction @sign, if it exceeds MIN_CHANGE. */
static void add_best_alternative(GArray *all, const SensitivityStudy *study,
                                 Assumption *assumption, int sign)
{
    CombinationCandidate best = { assumption, NULL,
                                  MIN_CHANGE * fabs(study->base.value) };

    for (guint i = 0; i < assumption->alternatives->len; i++) {
        Alternative *alternative = assumption_alternative(assumption, i);
        double moved = sign * (alternative->outcome.value - study->base.value);

        if (alternative->outcome.ok && moved > best.moved)
            best = (CombinationCandidate){ assumption, alternative, moved };
    }
    if (best.alternative)
        g_array_append_val(all, best);
}

static GArray *find_combination_candidates(const SensitivityStudy *study,
                                           int sign)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(CombinationCandidate));

    for (guint i = 0; i < study->assumption_list->len; i++)
        add_best_alternative(all, study,
                             assumption_at(study->assumption_list, i), sign);
    g_array_sort(all, compare_candidate_distance);
    return all;
}

static void add_assumption_to_combination(AssumptionCombination *combination,
                                          const CombinationCandidate *candidate)
{
    g_ptr_array_add(combination->members, candidate->assumption);
    g_ptr_array_add(combination->alternatives, candidate->alternative);
}

static gboolean add_candidate_pairs(SensitivityExperiment *experiment,
                                    const GArray *all, GError **error)
{
    guint n = MIN(all->len, MAX_PARTNERS);

    for (guint a = 0; a < n; a++) {
        for (guint b = a + 1; b < n; b++) {
            AssumptionCombination *pair = new_combination(STUDY_PAIR);

            g_ptr_array_add(experiment->study->combinations, pair);
            add_assumption_to_combination(pair,
                                          combination_candidate_at(all, a));
            add_assumption_to_combination(pair,
                                          combination_candidate_at(all, b));
            if (!sensitivity_experiment_add_trial(
                    experiment, pair->alternatives, &pair->outcome, error))
                return FALSE;
        }
    }
    return TRUE;
}

static gboolean assumption_moves_value_farther(const AssumptionCombination *a,
                                               const AssumptionCombination *b,
                                               int sign)
{
    return a->outcome.ok &&
           (!b->outcome.ok || sign * (a->outcome.value - b->outcome.value) > 0);
}

/* Adds to *@best, one after another, those of @all that move the value further.
 * Each step is run, because two alternatives that each move the value can
 * cancel each other. */
static int extend_best_combination(SensitivityExperiment *experiment,
                                   const GArray *all, int sign,
                                   AssumptionCombination **best, GError **error)
{
    int number = 0;

    for (guint i = 0; i < all->len && number == 0; i++) {
        AssumptionCombination *next = copy_combination(*best);

        add_assumption_to_combination(next, combination_candidate_at(all, i));
        number = sensitivity_experiment_add_trial(
                     experiment, next->alternatives, &next->outcome, error)
                     ? sensitivity_experiment_run(experiment)
                     : -1;
        if (number == 0 && assumption_moves_value_farther(next, *best, sign)) {
            AssumptionCombination *worse = *best;

            *best = next;
            next = worse;
        }
        free_combination(next);
    }
    return number;
}

static void
keep_combination_of_successful_run(SensitivityStudy *study,
                                   AssumptionCombination *combination)
{
    if (combination->alternatives->len > 0)
        g_ptr_array_add(study->combinations, combination);
    else
        free_combination(combination);
}

static int combine_assumptions_in_direction(SensitivityExperiment *experiment,
                                            int sign, GError **error)
{
    g_autoptr(GArray) all =
        find_combination_candidates(experiment->study, sign);
    AssumptionCombination *best =
        new_combination(sign < 0 ? STUDY_LOWEST : STUDY_HIGHEST);
    int number = 0;

    if (sign < 0)
        number = add_candidate_pairs(experiment, all, error)
                     ? sensitivity_experiment_run(experiment)
                     : -1;
    if (number == 0)
        number = extend_best_combination(experiment, all, sign, &best, error);
    keep_combination_of_successful_run(experiment->study, best);
    return number;
}

int sensitivity_experiment_run_combinations(SensitivityExperiment *experiment,
                                            GError **error)
{
    int number = combine_assumptions_in_direction(experiment, -1, error);

    return number == 0 ? combine_assumptions_in_direction(experiment, 1, error)
                       : number;
}
