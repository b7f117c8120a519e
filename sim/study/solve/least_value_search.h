/*
 * least_value_search.h - finds the least number at which a predicate holds
 *
 * Method
 *   First, the predicate is evaluated at five points of the range.  If it holds
 *   at the end but not at the beginning, the change is found by bisection.  If
 *   it changes more than once or holds at none of the five, the range is
 *   scanned in 32 steps and each change is bisected.  So all changes between
 *   neighbouring points of the scan are found; two changes between the same
 *   neighbours are missed.
 *
 * Points are spaced by ratio over a range of more than a decade, otherwise
 * evenly.  They are rounded to few digits as long as they stay distinct.
 *
 * Range    0 <= from < to
 * Cost     5 or 33 evaluations, plus for each change the logarithm of step /
 *          tolerance
 * Errors   those of .holds, which end the search
 * Owner    the caller owns the result
 */
#ifndef SIM_STUDY_SOLVE_LEAST_VALUE_SEARCH_H
#define SIM_STUDY_SOLVE_LEAST_VALUE_SEARCH_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t from, to;
    uint64_t tolerance_ppm; /* of the bracket, relative to the value; 0:
                             * exact */
    gboolean is_binary;     /* points are rounded in powers of two instead of
                             * ten */
    /* Evaluates the predicate at @value.  It is called at most once for each
     * value. */
    gboolean (*holds)(gpointer self, uint64_t value, gboolean *ret,
                      GError **error);
    gpointer self; /* borrowed */
} LeastValueSearch;

typedef struct {
    uint64_t value;
    gboolean meets_goal;
} SearchPoint;

/* A change between two points; the predicate has the value .above.holds from
 * .above on. */
typedef struct {
    SearchPoint below, above;
} SearchCrossing;

typedef struct {
    GArray *points;    /* owned: of SearchPoint, by ascending value */
    GArray *crossings; /* owned: of SearchCrossing, by ascending value */
    gboolean is_found;
    uint64_t least;
} SearchResult;

/* Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
SearchResult *search_least_value(const LeastValueSearch *search,
                                 GError **error);
void free_search_result(SearchResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SearchResult, free_search_result)

static inline const SearchPoint *search_point(const SearchResult *result,
                                              guint i)
{
    return &g_array_index(result->points, SearchPoint, i);
}

static inline const SearchCrossing *
search_crossing_at(const SearchResult *result, guint i)
{
    return &g_array_index(result->crossings, SearchCrossing, i);
}

#endif
