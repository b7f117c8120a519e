/*
 * search.h - the least number at which something holds
 *
 * Five points over the range come first.  What holds at the end and not at the
 * beginning is bisected.  What changes more than once, or holds at none of the
 * five, is looked at in 32 steps, and each change is bisected: so all
 * crossings between neighbours of the scan are found, and none that begins and
 * ends between two of them.
 *
 * Points are spread by ratio over a range of more than a decade, else evenly,
 * and rounded to few digits as long as they stay apart.
 *
 * Range    0 <= from < to
 * Cost     5 points, or 33, and the logarithm of a step over the tolerance for
 *          each crossing
 * Errors   those of .holds, which end the search
 * Owner    the caller owns the result
 */
#ifndef SIM_STUDY_SOLVE_SEARCH_H
#define SIM_STUDY_SOLVE_SEARCH_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t from, to;
    uint64_t tolerance_ppm; /* of the value, for the bracket; 0: exact */
    gboolean is_binary;     /* round points in powers of two, not of ten */
    /* Asked once for each value. */
    gboolean (*holds)(gpointer self, uint64_t value, gboolean *ret,
                      GError **error);
    gpointer self; /* borrowed */
} Search;

typedef struct {
    uint64_t value;
    gboolean holds;
} SearchPoint;

/* Between two neighbours: .above.holds is what begins there. */
typedef struct {
    SearchPoint below, above;
} SearchCrossing;

typedef struct {
    GArray *points;    /* owned, of SearchPoint, by rising value */
    GArray *crossings; /* owned, of SearchCrossing, likewise */
    gboolean is_found;
    uint64_t least;
} SearchResult;

/* NULL on error. */
G_GNUC_WARN_UNUSED_RESULT
SearchResult *search_run(const Search *search, GError **error);
void search_result_free(SearchResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SearchResult, search_result_free)

static inline const SearchPoint *search_point(const SearchResult *result,
                                              guint i)
{
    return &g_array_index(result->points, SearchPoint, i);
}

static inline const SearchCrossing *search_crossing(const SearchResult *result,
                                                    guint i)
{
    return &g_array_index(result->crossings, SearchCrossing, i);
}

#endif
