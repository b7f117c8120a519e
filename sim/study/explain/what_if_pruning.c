/* what_if_pruning.c - decides which what-ifs need no run */
#include "sim/study/explain/what_if_pruning.h"

#include "sim/study/explain/minor_factors.h"
#include "sim/study/explain/plan_estimates.h"
#include "sim/study/explain/what_if_bounds.h"

/* How many what-ifs run in parallel with the run that follows the critical
 * path.  That run takes as long as two others. */
#define N_IN_PARALLEL 3
/* With a limit: how many runs an explanation makes, the run itself and the one
 * that follows its critical path included.  The runs of a few layers that
 * estimate plans are not counted; all together take a tenth of a run. */
#define MAX_RUNS 8
/* How many of these are other plans: the best by its estimate. */
#define MAX_PLAN_RUNS 1

void pruning_group_what_ifs_of_pattern(GArray *what_ifs, guint first)
{
    guint last = what_ifs->len - 1;

    if (what_ifs->len == first)
        return; /* a resource of 0, such as no latency, gets no what-if */
    for (guint i = first; i < last; i++)
        what_if_number_in_list(what_ifs, i)->group[GROUP_PATTERN] = 1 + last;
    what_if_number_in_list(what_ifs, last)->is_group = last > first;
}

gboolean pruning_is_gain_significant(SimTime base_ps, SimTime iteration_ps,
                                     double least)
{
    double gain = (double)base_ps / (double)iteration_ps - 1;

    return gain >= least || gain <= -least;
}

/* ---- deciding on members by the runs of their groups --------------------- */

typedef struct {
    GArray *what_ifs;
    SimTime base_ps;
    guint n;         /* number of reported what-ifs; minor groups have higher
                      * numbers */
    GArray *leaders; /* borrowed, of guint: the leader of each minor group */
} PruningState;

/* Defers the members of groups: they count as left out for now. */
static void defer_what_ifs_of_group(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (what_if->method == WHAT_IF_REQUESTED &&
            (what_if->group[GROUP_PATTERN] > 0 ||
             what_if->group[GROUP_MINOR] > 0))
            what_if->method = WHAT_IF_LEFT_OUT;
    }
}

/* A left-out what-if whose time is not known yet is deferred. */
static gboolean is_what_if_deferred(const WhatIf *what_if)
{
    return what_if->method == WHAT_IF_LEFT_OUT && what_if->iteration_ps == 0;
}

/* Returns whether the time of the what-if is still to come. */
static gboolean is_what_if_pending(const WhatIf *what_if)
{
    return what_if->method == WHAT_IF_REQUESTED || is_what_if_deferred(what_if);
}

/* Returns whether the run of group @number has ended, and failed or changed the
 * iteration time enough to run the members. */
static gboolean does_group_change_time(const PruningState *state, guint number)
{
    const WhatIf *all = what_if_number_in_list(state->what_ifs, number);
    double least =
        number < state->n ? PRUNING_WORTHWHILE_GAIN : PRUNING_NOTICEABLE_GAIN;

    return all->method != WHAT_IF_LEFT_OUT &&
           (all->reason || pruning_is_gain_significant(
                               state->base_ps, all->iteration_ps, least));
}

/* A group's decision on one of its members; WAIT if a result is missing. */
typedef enum { LEAVE_OUT, ASK, WAIT } GroupMemberVerdict;

static guint leader_of_minor_group(const PruningState *state, guint group)
{
    g_assert(group >= state->n && group - state->n < state->leaders->len);
    return g_array_index(state->leaders, guint, group - state->n);
}

/* Returns whether minor group @group gains less than PRUNING_WORTHWHILE_GAIN
 * and its leader alone gains as much. */
static gboolean leader_alone_gains_as_much_as_group(const PruningState *state,
                                                    guint group)
{
    const WhatIf *all = what_if_number_in_list(state->what_ifs, group);
    const WhatIf *leader = what_if_number_in_list(
        state->what_ifs, leader_of_minor_group(state, group));

    return !all->reason && leader->iteration_ps > 0 &&
           !pruning_is_gain_significant(state->base_ps, all->iteration_ps,
                                        PRUNING_WORTHWHILE_GAIN) &&
           !pruning_is_gain_significant(leader->iteration_ps, all->iteration_ps,
                                        PRUNING_NOTICEABLE_GAIN);
}

/* Returns what the result of @group means for its member @number. */
static GroupMemberVerdict decide_on_group_member(const PruningState *state,
                                                 guint group, guint number)
{
    if (is_what_if_pending(what_if_number_in_list(state->what_ifs, group)))
        return WAIT;
    if (!does_group_change_time(state, group))
        return LEAVE_OUT;
    if (group < state->n || number == leader_of_minor_group(state, group))
        return ASK;
    if (is_what_if_pending(what_if_number_in_list(
            state->what_ifs, leader_of_minor_group(state, group))))
        return WAIT;
    return leader_alone_gains_as_much_as_group(state, group) ? LEAVE_OUT : ASK;
}

/* Leaves out a deferred what-if if one of its groups says so, and asks for its
 * run if all of its groups agree to that. */
static void decide_on_deferred_what_if(const PruningState *state, guint number)
{
    WhatIf *what_if = what_if_number_in_list(state->what_ifs, number);
    GroupMemberVerdict all = ASK;

    for (guint i = 0; i < G_N_ELEMENTS(what_if->group); i++) {
        guint group = what_if->group[i];
        GroupMemberVerdict one =
            group > 0 ? decide_on_group_member(state, group - 1, number) : ASK;

        if (one != ASK && all != LEAVE_OUT)
            all = one;
    }
    if (all == LEAVE_OUT)
        what_if->iteration_ps = state->base_ps;
    else if (all == ASK)
        what_if->method = WHAT_IF_REQUESTED;
}

/* Decides on deferred what-ifs as far as results allow.  Returns FALSE if no
 * what-if is deferred any more.  The loop repeats because a decision can settle
 * others. */
static gboolean decide_all_deferred_what_ifs(gpointer self)
{
    const PruningState *state = self;
    guint n_left = state->what_ifs->len, n_before;

    do {
        n_before = n_left;
        n_left = 0;
        for (guint i = 0; i < state->what_ifs->len; i++) {
            if (is_what_if_deferred(what_if_number_in_list(state->what_ifs, i)))
                decide_on_deferred_what_if(state, i);
            n_left +=
                is_what_if_deferred(what_if_number_in_list(state->what_ifs, i))
                    ? 1
                    : 0;
        }
    } while (n_left < n_before && n_left > 0);
    return n_left > 0;
}

/* Returns whether more of the resource cannot change anything because the
 * endpoint already claims all HBM bandwidth (configs_with_same_results.c proves
 * that). */
static gboolean endpoint_claims_all_hbm(const SystemConfig *config,
                                        uint32_t row)
{
    return row == PATH_RESOURCES + RESOURCE_HBM_SHARE &&
           endpoint_claim_resources(&config->endpoint).read_bytes_per_s >=
               hbm_usable_bytes_per_s(&config->platform.npu.hbm);
}

/* Returns whether what-if @number is run whatever the critical path is.  It can
 * rarely be proved to change nothing, and its part of the critical path does
 * not tell its gain. */
static gboolean is_what_if_always_run(const GArray *what_ifs,
                                      const SystemConfig *config, guint number)
{
    const WhatIf *what_if = what_if_number_in_list(what_ifs, number);

    return what_if->row == PATH_MEMORY ||
           (takes_resource_from_kernels(what_if->row) &&
            !endpoint_claims_all_hbm(config, what_if->row));
}

/* Returns whether what-if @number is a combination with a member that is always
 * run, such as the SMs of a baseline together with its share of HBM
 * bandwidth. */
static gboolean includes_always_run_member(const GArray *what_ifs,
                                           const SystemConfig *config,
                                           guint number)
{
    char *const *sets = what_if_number_in_list(what_ifs, number)->sets;

    for (guint i = 0;
         i < number && what_if_number_in_list(what_ifs, number)->row == PATH_N;
         i++)
        if (is_what_if_always_run(what_ifs, config, i) &&
            g_strv_contains((const char *const *)sets,
                            what_if_number_in_list(what_ifs, i)->sets[0]))
            return TRUE;
    return FALSE;
}

/* Appends the what-ifs that are run although the number of runs is limited:
 * those of the arithmetic and of the number of SMs, which the critical path
 * bounds least. */
static void choose_first_of_limited_runs(const GArray *what_ifs, GArray *ret)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        uint32_t row = what_if_number_in_list(what_ifs, i)->row;

        if (row == PATH_FLOP || row == PATH_LOST_SMS)
            g_array_append_val(ret, i);
    }
}

void pruning_choose_first_runs(const GArray *what_ifs,
                               const SystemConfig *config, gboolean is_limited,
                               GArray *ret)
{
    if (is_limited) {
        choose_first_of_limited_runs(what_ifs, ret);
        return;
    }
    for (guint i = 0; i < what_ifs->len; i++)
        if (is_what_if_always_run(what_ifs, config, i) ||
            includes_always_run_member(what_ifs, config, i))
            g_array_append_val(ret, i);
    for (guint i = 0; i < what_ifs->len; i++)
        if (what_if_number_in_list(what_ifs, i)->is_group)
            g_array_append_val(ret, i);
}

void pruning_defer_what_ifs(GArray *what_ifs, const SystemConfig *config,
                            gboolean is_limited)
{
    g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(guint));
    guint n = 0;

    pruning_choose_first_runs(what_ifs, config, is_limited, first);
    for (guint i = 0; i < what_ifs->len; i++)
        if (what_if_number_in_list(what_ifs, i)->method == WHAT_IF_REQUESTED)
            what_if_number_in_list(what_ifs, i)->method = WHAT_IF_LEFT_OUT;
    for (guint i = 0; i < first->len && n < N_IN_PARALLEL; i++) {
        WhatIf *what_if =
            what_if_number_in_list(what_ifs, g_array_index(first, guint, i));

        if (what_if->method != WHAT_IF_LEFT_OUT)
            continue;
        what_if->method = WHAT_IF_REQUESTED;
        n++;
    }
}

static void request_deferred_what_ifs(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++)
        if (is_what_if_deferred(what_if_number_in_list(what_ifs, i)))
            what_if_number_in_list(what_ifs, i)->method = WHAT_IF_REQUESTED;
}

/* Marks the what-ifs whose pattern was left out, too: reports name only the
 * pattern. */
static void mark_what_ifs_implied_by_pattern(GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);
        guint group = what_if->group[GROUP_PATTERN];

        what_if->is_implied =
            what_if->method == WHAT_IF_LEFT_OUT && group > 0 &&
            what_if_number_in_list(what_ifs, group - 1)->method ==
                WHAT_IF_LEFT_OUT;
    }
}

gboolean pruning_run_what_ifs(GArray *what_ifs, WhatIfs *runs,
                              const System *system, const SimTime *path_ps,
                              GError **error)
{
    g_autoptr(GArray) leaders = g_array_new(FALSE, FALSE, sizeof(guint));
    SystemResult r = system_result(system);
    PruningState s = { what_ifs, r.iteration_ps, what_ifs->len, leaders };
    const WhatIfExtraWork with = { .more = decide_all_deferred_what_ifs,
                                   .self = &s };

    request_deferred_what_ifs(what_ifs);
    group_minor_what_ifs(what_ifs, path_ps, r.total_ps, leaders);
    defer_what_ifs_of_group(what_ifs);
    if (!what_ifs_run_requested(runs, &with, error))
        return FALSE;
    g_array_set_size(what_ifs, s.n); /* removes the minor groups, which are not
                                      * reported */
    mark_what_ifs_implied_by_pattern(what_ifs);
    return TRUE;
}

/* ---- a limited number of runs -------------------------------------------- */

/* Sorts pointers to what-ifs by the time that a run of them can reach, the
 * least first.  It is 0 if neither the path nor samples tell it. */
static gint compare_expected_times(gconstpointer a, gconstpointer b)
{
    const WhatIf *x = *(const WhatIf *const *)a;
    const WhatIf *y = *(const WhatIf *const *)b;
    SimTime x_ps = what_if_is_plan(x) ? x->estimate_ps : x->predicted_ps;
    SimTime y_ps = what_if_is_plan(y) ? y->estimate_ps : y->predicted_ps;

    if (x_ps != y_ps)
        return x_ps < y_ps ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Keeps the requests of the first @n what-ifs of @sorted, and of those whose
 * time is not known. Returns how many it keeps. */
static guint keep_first_requests(const GPtrArray *sorted, guint n)
{
    guint n_kept = 0;

    for (guint i = 0; i < sorted->len; i++) {
        WhatIf *what_if = g_ptr_array_index(sorted, i);
        gboolean is_plan = what_if_is_plan(what_if);
        SimTime ps = is_plan ? what_if->estimate_ps : what_if->predicted_ps;

        if (ps == 0 || n_kept < n) {
            n_kept++;
            continue;
        }
        what_if->method = is_plan ? WHAT_IF_ESTIMATED : WHAT_IF_BOUNDED;
        what_if->iteration_ps = ps;
    }
    return n_kept;
}

/* Returns the requested what-ifs, either the plans or all others, the most
 * promising first.  The caller owns the array. */
static GPtrArray *sort_requested_what_ifs(const GArray *what_ifs,
                                          gboolean are_plans)
{
    GPtrArray *ret = g_ptr_array_new();

    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (what_if->method == WHAT_IF_REQUESTED &&
            what_if_is_plan(what_if) == are_plans)
            g_ptr_array_add(ret, what_if);
    }
    g_ptr_array_sort(ret, compare_expected_times);
    return ret;
}

/* Cancels the requests of what-ifs whose gain cannot be worthwhile according to
 * the critical path. */
static void cancel_what_ifs_bounded_by_path(GArray *what_ifs, SimTime base_ps)
{
    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (what_if->method != WHAT_IF_REQUESTED ||
            what_if->predicted_ps == 0 ||
            pruning_is_gain_significant(base_ps, what_if->predicted_ps,
                                        PRUNING_WORTHWHILE_GAIN))
            continue;
        what_if->method = WHAT_IF_BOUNDED;
        what_if->iteration_ps = what_if->predicted_ps;
    }
}

/* Returns whether the resource of @what_if has a negligible share of the
 * critical path, although the rows that depend on it have more. */
static gboolean is_group_candidate(const WhatIf *what_if, SimTime base_ps)
{
    return what_if->method == WHAT_IF_REQUESTED && what_if->predicted_ps > 0 &&
           !pruning_is_gain_significant(base_ps,
                                        base_ps - what_if->own_saving_ps,
                                        PRUNING_WORTHWHILE_GAIN);
}

/* Appends a what-if with the settings of all what-ifs whose resources have a
 * negligible share of the critical path, and cancels the requests of these
 * what-ifs. Returns FALSE if there are fewer than two. */
static gboolean add_group_of_negligible_what_ifs(GArray *what_ifs,
                                                 SimTime base_ps)
{
    guint n = what_ifs->len, n_members = 0;
    GPtrArray *sets = g_ptr_array_new();
    WhatIf group = { .row = PATH_N, .is_group = TRUE };

    for (guint i = 0; i < n; i++) {
        const WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (!is_group_candidate(what_if, base_ps))
            continue;
        n_members++;
        for (char **set = what_if->sets; *set; set++)
            if (!g_ptr_array_find_with_equal_func(sets, *set, g_str_equal,
                                                  NULL))
                g_ptr_array_add(sets, g_strdup(*set));
    }
    g_ptr_array_add(sets, NULL);
    group.name = g_strdup("all at once");
    group.sets = (char **)g_ptr_array_free(sets, FALSE);
    if (n_members < 2) {
        what_if_clear(&group);
        return FALSE;
    }
    for (guint i = 0; i < n; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (!is_group_candidate(what_if, base_ps))
            continue;
        what_if->method = WHAT_IF_LEFT_OUT;
        what_if->group[GROUP_MINOR] = 1 + n;
    }
    g_array_append_val(what_ifs, group);
    return TRUE;
}

/* Sets the times of the members of the last what-if, which is a group that was
 * run.  A member gains at most as much as the group, and at most as much as its
 * own bound. */
static void set_times_of_negligible_what_ifs(GArray *what_ifs, SimTime base_ps)
{
    guint last = what_ifs->len - 1;
    const WhatIf *group = what_if_number_in_list(what_ifs, last);
    gboolean is_known = group->method == WHAT_IF_RUN && !group->reason;

    for (guint i = 0; i < last; i++) {
        WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        if (what_if->group[GROUP_MINOR] != 1 + last)
            continue;
        what_if->method = WHAT_IF_BOUNDED;
        what_if->iteration_ps = what_if->predicted_ps;
        if (!is_known)
            continue;
        if (pruning_is_gain_significant(base_ps, group->iteration_ps,
                                        PRUNING_WORTHWHILE_GAIN)) {
            what_if->iteration_ps =
                MAX(what_if->predicted_ps, MIN(group->iteration_ps, base_ps));
        } else {
            what_if->method = WHAT_IF_LEFT_OUT;
            what_if->iteration_ps = base_ps;
        }
    }
    g_array_set_size(what_ifs, last);
}

static guint count_what_ifs_run(const GArray *what_ifs)
{
    guint n = 0;

    for (guint i = 0; i < what_ifs->len; i++) {
        WhatIfHow method = what_if_number_in_list(what_ifs, i)->method;

        n += method == WHAT_IF_RUN || method == WHAT_IF_CRASHED ? 1 : 0;
    }
    return n;
}

gboolean pruning_run_best_what_ifs(GArray *what_ifs, WhatIfs *runs,
                                   const WhatIfSource *source,
                                   const PrunedPath *path, GError **error)
{
    SimTime base_ps = system_result(source->system).iteration_ps;
    g_autoptr(GPtrArray) plans = NULL;
    g_autoptr(GPtrArray) others = NULL;
    guint n_runs = path->n_runs + count_what_ifs_run(what_ifs);
    gboolean has_group;

    request_deferred_what_ifs(what_ifs);
    bound_what_ifs_by_path(what_ifs, source, path->rows_ps,
                           path->other_queue_ps);
    if (!estimate_plan_what_ifs(what_ifs, source, error))
        return FALSE;
    cancel_what_ifs_bounded_by_path(what_ifs, base_ps);
    has_group = add_group_of_negligible_what_ifs(what_ifs, base_ps);
    plans = sort_requested_what_ifs(what_ifs, TRUE);
    n_runs += keep_first_requests(plans, MAX_PLAN_RUNS);
    others = sort_requested_what_ifs(what_ifs, FALSE);
    (void)keep_first_requests(others,
                              MAX_RUNS > n_runs ? MAX_RUNS - n_runs : 0);
    if (!what_ifs_run_requested(runs, NULL, error))
        return FALSE;
    if (has_group)
        set_times_of_negligible_what_ifs(what_ifs, base_ps);
    return TRUE;
}
