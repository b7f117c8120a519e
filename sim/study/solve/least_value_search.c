/* least_value_search.c - finds the least number at which a predicate holds */
#include "sim/study/solve/least_value_search.h"

#include <math.h>

/* Coarse halvings give three points between the ends of the range, fine ones
 * give 31. */
#define COARSE_HALVINGS 2
#define FINE_HALVINGS   5
#define DECADE          10
#define PPM             1000000

typedef struct {
    const LeastValueSearch *search;
    SearchResult *result;
} LeastValueRun;

/* Returns the index at which @value is or would be inserted among the
 * points. */
static guint index_of_evaluated_point(const LeastValueRun *run, uint64_t value)
{
    guint i = 0;

    while (i < run->result->points->len &&
           search_point(run->result, i)->value < value)
        i++;
    return i;
}

static gboolean evaluate_predicate_at(LeastValueRun *run, uint64_t value,
                                      gboolean *ret, GError **error)
{
    guint i = index_of_evaluated_point(run, value);
    SearchPoint point = { .value = value };

    if (i < run->result->points->len &&
        search_point(run->result, i)->value == value) {
        *ret = search_point(run->result, i)->meets_goal;
        return TRUE;
    }
    if (!run->search->holds(run->search->self, value, &point.meets_goal, error))
        return FALSE;
    g_array_insert_val(run->result->points, i, point);
    *ret = point.meets_goal;
    return TRUE;
}

/* ---- choosing and evaluating points in between --------------------------- */

/* Returns the largest power of the base (2 or 10) that is at most @limit. */
static uint64_t largest_power_up_to(const LeastValueSearch *search,
                                    uint64_t limit)
{
    uint64_t base = search->is_binary ? 2 : 10;
    uint64_t power = 1;

    while (power <= limit / base)
        power *= base;
    return power;
}

/* Returns a round number near the middle, by ratio or evenly, strictly between
 * @low and @high. */
static uint64_t round_value_between(const LeastValueSearch *search,
                                    uint64_t low, uint64_t high,
                                    gboolean by_ratio)
{
    uint64_t middle = low + (high - low) / 2;
    uint64_t step;

    if (by_ratio)
        middle = (uint64_t)sqrt((double)low * (double)high);
    middle = CLAMP(middle, low + 1, high - 1);
    step = largest_power_up_to(search, MIN(middle - low, high - middle) / 4);
    return middle - middle % step;
}

/* Evaluates the points of @n_halvings successive halvings of @low to @high. */
static gboolean scan_value_range_for_crossings(LeastValueRun *run, uint64_t low,
                                               uint64_t high, guint n_halvings,
                                               GError **error)
{
    const LeastValueSearch *search = run->search;
    gboolean by_ratio = search->from > 0 && search->to / DECADE > search->from;
    gboolean holds;
    uint64_t middle;

    if (n_halvings == 0 || high - low < 2)
        return TRUE;
    middle = round_value_between(search, low, high, by_ratio);
    return evaluate_predicate_at(run, middle, &holds, error) &&
           scan_value_range_for_crossings(run, low, middle, n_halvings - 1,
                                          error) &&
           scan_value_range_for_crossings(run, middle, high, n_halvings - 1,
                                          error);
}

/* ---- finding where the predicate changes --------------------------------- */

static guint count_predicate_changes(const SearchResult *result)
{
    guint n = 0;

    for (guint i = 1; i < result->points->len; i++)
        n += search_point(result, i)->meets_goal !=
             search_point(result, i - 1)->meets_goal;
    return n;
}

/* Narrows a change until its bracket is within the tolerance. */
static gboolean bisect_predicate_crossing(LeastValueRun *run,
                                          SearchCrossing *crossing,
                                          GError **error)
{
    uint64_t ppm = run->search->tolerance_ppm;
    SearchPoint *low = &crossing->below, *high = &crossing->above;

    while (high->value - low->value >
           MAX(1, (uint64_t)((double)high->value * (double)ppm / PPM))) {
        gboolean by_ratio = low->value > 0 && high->value / 4 > low->value;
        SearchPoint middle = { .value =
                                   round_value_between(run->search, low->value,
                                                       high->value, by_ratio) };

        if (!evaluate_predicate_at(run, middle.value, &middle.meets_goal,
                                   error))
            return FALSE;
        *(middle.meets_goal == high->meets_goal ? high : low) = middle;
    }
    return TRUE;
}

/* Finds all changes before it bisects them, because bisection adds points. */
static gboolean find_predicate_crossings(LeastValueRun *run, GError **error)
{
    SearchResult *result = run->result;

    for (guint i = 1; i < result->points->len; i++) {
        SearchCrossing crossing = { *search_point(result, i - 1),
                                    *search_point(result, i) };

        if (crossing.below.meets_goal != crossing.above.meets_goal)
            g_array_append_val(result->crossings, crossing);
    }
    for (guint i = 0; i < result->crossings->len; i++)
        if (!bisect_predicate_crossing(
                run, &g_array_index(result->crossings, SearchCrossing, i),
                error))
            return FALSE;
    return TRUE;
}

static void find_least_holding_value(SearchResult *result)
{
    result->is_found = search_point(result, 0)->meets_goal;
    result->least = search_point(result, 0)->value;
    for (guint i = 0; i < result->crossings->len && !result->is_found; i++) {
        result->is_found = search_crossing_at(result, i)->above.meets_goal;
        result->least = search_crossing_at(result, i)->above.value;
    }
}

SearchResult *search_least_value(const LeastValueSearch *search, GError **error)
{
    g_autoptr(SearchResult) result = g_new0(SearchResult, 1);
    LeastValueRun run = { search, result };
    gboolean first, last;

    g_return_val_if_fail(search->from < search->to, NULL);

    result->points = g_array_new(FALSE, FALSE, sizeof(SearchPoint));
    result->crossings = g_array_new(FALSE, FALSE, sizeof(SearchCrossing));
    if (!evaluate_predicate_at(&run, search->from, &first, error) ||
        !evaluate_predicate_at(&run, search->to, &last, error) ||
        !scan_value_range_for_crossings(&run, search->from, search->to,
                                        COARSE_HALVINGS, error))
        return NULL;
    if ((count_predicate_changes(result) > 1 ||
         (count_predicate_changes(result) == 0 && !first)) &&
        !scan_value_range_for_crossings(&run, search->from, search->to,
                                        FINE_HALVINGS, error))
        return NULL;
    if (!find_predicate_crossings(&run, error))
        return NULL;
    find_least_holding_value(result);
    return g_steal_pointer(&result);
}

void free_search_result(SearchResult *result)
{
    if (!result)
        return;
    g_array_unref(result->points);
    g_array_unref(result->crossings);
    g_free(result);
}
