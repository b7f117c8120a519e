/* minor_factors.c - groups what-ifs that hardly matter; see minor_factors.h */
#include "sim/study/explain/minor_factors.h"

/* The share of the critical path below which a what-if is minor.  The share
 * decides only what is run together: all reported times come from runs.  With
 * 1 %, three workloads with five endpoints on five platforms need the fewest
 * runs: 487, against 510 with 0.2 %.  A wait that is removed is often replaced
 * by another one, so resources with more than 0.2 % can still gain nothing. */
#define MINOR_SHARE 0.01
/* The largest number of nested groups: with two, the cases above need 487 runs,
 * with one 512 and with three 489. */
#define MAX_GROUPS 2

/* The state of grouping minor what-ifs.  The candidates are sorted by
 * descending time on the critical path. */
typedef struct {
    GArray *what_ifs;
    const SimTime *path_ps; /* borrowed: over the whole run, by row */
    SimTime limit_ps;       /* a minor what-if has less path time than this */
    GArray *candidates;     /* borrowed: of MinorCandidate */
} WhatIfGrouping;

typedef struct {
    guint number;
    SimTime path_ps;
} MinorCandidate;

static const MinorCandidate *minor_candidate_at(const WhatIfGrouping *grouping,
                                                guint i)
{
    return &g_array_index(grouping->candidates, MinorCandidate, i);
}

/* Returns the time on the critical path of what-if @number; that of a group is
 * the sum over its members.  Members have lower numbers than their group, so
 * the recursion ends. */
static SimTime what_if_path_time_ps(const WhatIfGrouping *grouping,
                                    guint number)
{
    const WhatIf *what_if = what_if_number_in_list(grouping->what_ifs, number);
    SimTime sum_ps =
        what_if->row < PATH_N ? grouping->path_ps[what_if->row] : 0;

    for (guint i = 0; i < number && what_if->is_group; i++)
        if (what_if_number_in_list(grouping->what_ifs, i)
                ->group[GROUP_PATTERN] == 1 + number)
            sum_ps += what_if_path_time_ps(grouping, i);
    return sum_ps;
}

/* Returns whether the critical path tells how much the what-if can gain.  It
 * does not if communication takes the resource from kernels. */
static gboolean has_known_path_time(const WhatIf *what_if)
{
    return what_if->row < PATH_N
               ? path_row_is_communication_wait(what_if->row) &&
                     !takes_resource_from_kernels(what_if->row)
               : what_if->is_group;
}

/* Returns FALSE if the what-if has too much of the critical path, or if its
 * part of the critical path is unknown. */
static gboolean is_minor_what_if(const WhatIfGrouping *grouping, guint number)
{
    const WhatIf *what_if = what_if_number_in_list(grouping->what_ifs, number);

    return what_if->method == WHAT_IF_REQUESTED &&
           has_known_path_time(what_if) &&
           what_if_path_time_ps(grouping, number) < grouping->limit_ps;
}

/* Appends the minor what-ifs as candidates for one common what-if.  If a
 * what-if for a pattern of keys is minor, those for its single keys are left
 * out. */
static void add_minor_candidates(WhatIfGrouping *grouping)
{
    for (guint i = 0; i < grouping->what_ifs->len; i++) {
        guint pattern =
            what_if_number_in_list(grouping->what_ifs, i)->group[GROUP_PATTERN];
        const MinorCandidate candidate = { i,
                                           what_if_path_time_ps(grouping, i) };

        if (is_minor_what_if(grouping, i) &&
            (pattern == 0 || !is_minor_what_if(grouping, pattern - 1)))
            g_array_append_val(grouping->candidates, candidate);
    }
}

static gboolean contains_setting(const GPtrArray *sets, const char *set)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)sets, set, g_str_equal,
                                            NULL);
}

/* Returns the union of the settings of the candidates from @first on, without
 * duplicates.  The caller owns the array; its texts are borrowed. */
static GPtrArray *settings_of_candidates_from(const WhatIfGrouping *grouping,
                                              guint first)
{
    GPtrArray *sets = g_ptr_array_new();

    for (guint i = first; i < grouping->candidates->len; i++) {
        char **set =
            what_if_number_in_list(grouping->what_ifs,
                                   minor_candidate_at(grouping, i)->number)
                ->sets;

        for (; *set; set++)
            if (!contains_setting(sets, *set))
                g_ptr_array_add(sets, *set);
    }
    return sets;
}

static gboolean contains_all_settings(const GPtrArray *sets, char *const *some)
{
    for (; *some; some++)
        if (!contains_setting(sets, *some))
            return FALSE;
    return TRUE;
}

/* Appends the what-ifs that combine several resources, such as two that limit
 * each other, if the candidates have all of their settings.  They get no path
 * time, so they come last and are members of every group. */
static void add_combined_candidates(WhatIfGrouping *grouping)
{
    g_autoptr(GPtrArray) sets = settings_of_candidates_from(grouping, 0);

    for (guint i = 0; i < grouping->what_ifs->len; i++) {
        const WhatIf *what_if = what_if_number_in_list(grouping->what_ifs, i);
        const MinorCandidate candidate = { i, 0 };

        if (what_if->method == WHAT_IF_REQUESTED && what_if->row == PATH_N &&
            !what_if->is_group && contains_all_settings(sets, what_if->sets))
            g_array_append_val(grouping->candidates, candidate);
    }
}

/* Sorts by descending path time, then by number. */
static gint compare_candidates(gconstpointer a, gconstpointer b)
{
    const MinorCandidate *candidate = a, *y = b;

    if (candidate->path_ps != y->path_ps)
        return candidate->path_ps > y->path_ps ? -1 : 1;
    return candidate->number < y->number ? -1 : candidate->number > y->number;
}

/* Appends a group that sets all of @sets.  @outer is 1 + the number of the
 * group that contains it, or 0. */
static void add_what_if_group(const WhatIfGrouping *grouping,
                              const GPtrArray *sets, guint outer)
{
    WhatIf group = { .row = PATH_N,
                     .name = g_strdup("all at once"),
                     .sets = g_new0(char *, sets->len + 1),
                     .group = { 0, outer },
                     .is_group = TRUE };

    g_assert(outer <= grouping->what_ifs->len);
    for (guint i = 0; i < sets->len; i++)
        group.sets[i] = g_strdup(g_ptr_array_index(sets, i));
    g_array_append_val(grouping->what_ifs, group);
}

/* Makes the nested groups; each consists of a leader and all candidates after
 * it.  A candidate leads no group if it is the last one, or if the candidates
 * after it already have all of its settings (a combination may have them). */
static void add_nested_groups(const WhatIfGrouping *grouping, GArray *leaders)
{
    guint outer = 0, n = grouping->candidates->len, n_sets = G_MAXUINT;

    for (guint i = 0; i < n; i++) {
        g_autoptr(GPtrArray) sets = settings_of_candidates_from(grouping, i);

        if (leaders->len < MAX_GROUPS && n - i > 1 && sets->len < n_sets) {
            add_what_if_group(grouping, sets, outer);
            outer = grouping->what_ifs->len;
            n_sets = sets->len;
            g_array_append_val(leaders,
                               minor_candidate_at(grouping, i)->number);
        }
        what_if_number_in_list(grouping->what_ifs,
                               minor_candidate_at(grouping, i)->number)
            ->group[GROUP_MINOR] = outer;
    }
}

void group_minor_what_ifs(GArray *what_ifs, const SimTime *path_ps,
                          SimTime total_ps, GArray *leaders)
{
    g_autoptr(GArray) candidates =
        g_array_new(FALSE, FALSE, sizeof(MinorCandidate));
    WhatIfGrouping grouping = { what_ifs, path_ps,
                                (SimTime)(MINOR_SHARE * (double)total_ps),
                                candidates };

    g_assert(leaders->len == 0);
    add_minor_candidates(&grouping);
    add_combined_candidates(&grouping);
    g_array_sort(candidates, compare_candidates);
    add_nested_groups(&grouping, leaders);
    g_assert(leaders->len <= MAX_GROUPS);
}
