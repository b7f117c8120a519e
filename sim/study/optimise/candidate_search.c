/* candidate_search.c - the search for a faster candidate */
#include "sim/study/optimise/candidate_search.h"

#include <math.h>

#define MAX_ROUNDS 3
/* Number of proposals that are run together, whatever the number of
 * processors. */
#define BATCH 8
/* The search ends after this many batches without improvement if at least
 * FULL_SHARE of the time can be saved. */
#define MAX_STALE  25
#define FULL_SHARE 0.1
/* The minimum of that number, which is proportionally smaller if less can be
 * saved. */
#define MIN_STALE 4
/* The search returns to the best candidate after this many batches without
 * improvement. */
#define RETURN_STALE 6
/* Temperature at the beginning and at the end, as a share of the default's
 * time. */
#define HOT_SHARE  0.01
#define COLD_SHARE 0.0003
#define MAX_TRIES  4    /* attempts to make one proposal */
#define MIN_WEIGHT 0.05 /* smallest weight of a useful move */

/* ---- what a move can save of the critical path --------------------------- */

/* Returns the largest share of @trial's time that @move can save. */
static double max_share_saved_by_move(const CandidateSearch *search,
                                      const SearchMove *move,
                                      const Trial *trial)
{
    const TrialPath *path = &trial->path;
    SimTime total_ps = trial_path_total_ps(path), sum_ps = path->gaps_ps;

    if (search->profile->is_recorded && !(move->saves & SAVES_KERNELS))
        return 0;
    if (total_ps == 0 || move->saves == SAVES_ANY)
        return 1;
    sum_ps += move->saves & SAVES_KERNELS
                  ? path->kernels_ps + path->hosts_ps + path->idle_ps
                  : 0;
    sum_ps += move->saves & SAVES_MESSAGES ? path->messages_ps : 0;
    sum_ps += move->saves & SAVES_LANES ? path->lanes_ps : 0;
    return (double)sum_ps / (double)total_ps + search->profile->kernel_slowdown;
}

/* ---- trying the first proposals of each move ----------------------------- */

static GPtrArray *new_candidate_list(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
}

/* Returns @base with each of @sets (of text) as settings of @aspect. */
static GPtrArray *make_candidates_of_aspect(const Candidate *base,
                                            CandidateAspect aspect,
                                            const GPtrArray *sets)
{
    GPtrArray *ret = new_candidate_list();

    for (guint i = 0; i < sets->len; i++)
        g_ptr_array_add(ret, candidate_with_setting_changed(
                                 base, aspect, g_ptr_array_index(sets, i)));
    return ret;
}

static gboolean measure_message_times(const CandidateSearch *search,
                                      const SearchMove *move, GError **error)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) candidates = NULL;
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    const Trial *base = find_simplest_best_trial(search->trials);

    run_profile_count_tensors(search->profile, base->candidate);
    move->probes(search->profile, sets);
    candidates = make_candidates_of_aspect(base->candidate, move->aspect, sets);
    if (!run_new_candidate_trials(search->trials, candidates, move->name,
                                  error))
        return FALSE;
    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial = find_candidate_trial(
            search->trials, g_ptr_array_index(candidates, i));

        if (trial)
            g_ptr_array_add(found, (gpointer)trial);
    }
    if (found->len > 0)
        run_profile_set_messages(search->profile, g_ptr_array_index(found, 0),
                                 found);
    return TRUE;
}

/* Sets the time above which trials may be cut off because they change no
 * decision: @more_ps, but at least what counts as equal to the best. */
static void set_cut_off_limit(const CandidateSearch *search, SimTime more_ps)
{
    SimTime alike_ps = (SimTime)((double)search->trials->best->time_ps *
                                 (1 + OPTIMISE_TIME_TOLERANCE)) +
                       1;

    search->trials->limit_ps =
        search->trials->maker->is_whole ? 0 : MAX(alike_ps, more_ps);
}

/* Returns whether one of @candidates takes another time than @base. */
static gboolean do_candidates_change_time(const CandidateSearch *search,
                                          const Trial *base,
                                          const GPtrArray *candidates)
{
    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial = find_candidate_trial(
            search->trials, g_ptr_array_index(candidates, i));

        if (trial && (trial->cut_off_ps > 0 ||
                      (trial->time_ps > 0 && trial->time_ps != base->time_ps)))
            return TRUE;
    }
    return FALSE;
}

static gboolean try_first_proposals(CandidateSearch *search, guint i,
                                    GError **error)
{
    const SearchMove *move = search->moves[i];
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) candidates = NULL;
    const Trial *base = find_simplest_best_trial(search->trials);

    if (max_share_saved_by_move(search, move, base) <= OPTIMISE_TIME_TOLERANCE)
        return TRUE;
    if (move->probes && !measure_message_times(search, move, error))
        return FALSE;
    base = find_simplest_best_trial(search->trials);
    move->seeds(search->profile, sets);
    candidates = make_candidates_of_aspect(base->candidate, move->aspect, sets);
    set_cut_off_limit(search, base->time_ps);
    if (!run_new_candidate_trials(search->trials, candidates, move->name,
                                  error))
        return FALSE;
    search->trials->limit_ps = 0;
    if (do_candidates_change_time(search, base, candidates))
        search->useful |= UINT64_C(1) << i;
    return TRUE;
}

static gboolean try_all_first_proposals(CandidateSearch *search, GError **error)
{
    gboolean messages_first =
        search->profile->communication >= search->profile->fixed;

    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; search->moves[i]; i++)
            if ((search->moves[i]->saves != SAVES_KERNELS) ==
                    (messages_first == (pass == 0)) &&
                !try_first_proposals(search, i, error))
                return FALSE;
    return TRUE;
}

/* ---- simulated annealing ------------------------------------------------- */

/* Returns the weight of move @i in the draw: 0 if it is useless, and at least
 * MIN_WEIGHT if it is not on the critical path. */
static double draw_weight_of_search_move(const CandidateSearch *search, guint i,
                                         const Trial *from)
{
    return search->useful >> i & 1
               ? MAX(max_share_saved_by_move(search, search->moves[i], from),
                     MIN_WEIGHT)
               : 0;
}

static const SearchMove *draw_weighted_move(const CandidateSearch *search,
                                            const Trial *from, RandomDraw *draw)
{
    const SearchMove *move = NULL;
    double all = 0, at;

    for (guint i = 0; search->moves[i]; i++)
        all += draw_weight_of_search_move(search, i, from);
    at = draw_unit_fraction(draw) * all;
    for (guint i = 0; search->moves[i] && (!move || at >= 0); i++) {
        double share = draw_weight_of_search_move(search, i, from);

        if (share > 0)
            move = search->moves[i];
        at -= share;
    }
    return move;
}

/* Returns a neighbour of @at, which the caller owns, or NULL if no move makes
 * one. */
static Candidate *propose_neighbour_of_candidate(const CandidateSearch *search,
                                                 const Trial *at,
                                                 RandomDraw *draw)
{
    const Candidate *from = at->candidate;

    for (guint i = 0; i < MAX_TRIES; i++) {
        const SearchMove *move = draw_weighted_move(search, at, draw);
        const char *now = from->sets[move->aspect];
        g_autofree char *sets = NULL;

        if (now && draw_integer_below(draw, BATCH) == 0)
            return candidate_with_setting_changed(from, move->aspect, NULL);
        sets = move->vary(search->profile, now, draw);
        if (sets && g_strcmp0(sets, now) != 0)
            return candidate_with_setting_changed(from, move->aspect, sets);
    }
    return NULL;
}

static GPtrArray *propose_neighbour_batch(const CandidateSearch *search,
                                          const Trial *from, guint round)
{
    GPtrArray *ret = new_candidate_list();

    search->profile->current = from;
    for (guint place = 0; place < BATCH; place++) {
        RandomDraw draw = { rng_new_stream(search->seed, "proposals"), round,
                            place, 0 };
        Candidate *candidate =
            propose_neighbour_of_candidate(search, from, &draw);

        if (candidate)
            g_ptr_array_add(ret, candidate);
    }
    return ret;
}

/* Returns the fastest of @candidates, or NULL if none could be run. */
static const Trial *find_fastest_trial(const CandidateSearch *search,
                                       const GPtrArray *candidates)
{
    const Trial *least = NULL;

    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial = find_candidate_trial(
            search->trials, g_ptr_array_index(candidates, i));

        if (candidate_trial_is_faster(trial, least))
            least = trial;
    }
    return least;
}

/* Returns the time below which a candidate is accepted: t_now - T ln(1 - u)
 * with the temperature T and u uniform in [0, 1).  So a candidate that is
 * slower by d is accepted with the probability exp(-d / T). */
static double annealing_acceptance_limit_ps(const CandidateSearch *search,
                                            const Trial *now, double t_ps,
                                            guint round)
{
    RandomDraw draw = { rng_new_stream(search->seed, "chances"), round, 0, 0 };

    return (double)now->time_ps - t_ps * log(1 - draw_unit_fraction(&draw));
}

/* Returns the temperature in ps.  It falls geometrically from HOT_SHARE to
 * COLD_SHARE of the start time while the trials are used up. */
static double annealing_temperature_ps(const CandidateSearch *search,
                                       guint n_first, const Trial *begin)
{
    double done = (double)(search->trials->trials->len - n_first) /
                  MAX(search->trials->n_most - n_first, 1);

    return (double)begin->time_ps * HOT_SHARE *
           pow(COLD_SHARE / HOT_SHARE, done);
}

/* Returns whether the best time has fallen by more than the tolerance below
 * *@least_ps, which it then replaces. */
static gboolean has_best_time_improved(const CandidateSearch *search,
                                       SimTime *least_ps)
{
    SimTime now_ps = search->trials->best->time_ps;

    if ((double)now_ps * (1 + OPTIMISE_TIME_TOLERANCE) >= (double)*least_ps)
        return FALSE;
    *least_ps = now_ps;
    return TRUE;
}

/* Returns the number of batches without improvement after which the search
 * ends: MAX_STALE x min(share that can be saved / FULL_SHARE, 1), but at least
 * MIN_STALE. */
static guint max_batches_without_gain(const CandidateSearch *search)
{
    const Trial *best = find_simplest_best_trial(search->trials);
    double most = 0;

    for (guint i = 0; search->moves[i]; i++)
        if (search->useful >> i & 1)
            most = MAX(most,
                       max_share_saved_by_move(search, search->moves[i], best));
    return MAX(MIN_STALE, (guint)(MAX_STALE * MIN(most / FULL_SHARE, 1)));
}

static gboolean run_simulated_annealing(const CandidateSearch *search,
                                        GError **error)
{
    const Trial *begin = find_simplest_best_trial(search->trials);
    const Trial *now = begin;
    SimTime least_ps = search->trials->best->time_ps;
    guint n_first = search->trials->trials->len, n_stale = 0;

    for (guint round = 0; trials_count_remaining_runs(search->trials) > 0 &&
                          n_stale < max_batches_without_gain(search);
         round++) {
        g_autoptr(GPtrArray) proposals =
            propose_neighbour_batch(search, now, round);
        double most_ps = annealing_acceptance_limit_ps(
            search, now, annealing_temperature_ps(search, n_first, begin),
            round);
        const Trial *least;

        set_cut_off_limit(search, (SimTime)most_ps + 1);
        if (!run_new_candidate_trials(search->trials, proposals, "annealing",
                                      error))
            return FALSE;
        least = find_fastest_trial(search, proposals);
        if (least && (double)least->time_ps < most_ps)
            now = least;
        n_stale = has_best_time_improved(search, &least_ps) ? 0 : n_stale + 1;
        if (n_stale % RETURN_STALE == RETURN_STALE - 1)
            now = find_simplest_best_trial(search->trials);
    }
    return TRUE;
}

/* ---- the whole search for a faster candidate ----------------------------- */

gboolean search_moves(CandidateSearch *search, GError **error)
{
    SimTime least_ps = SIM_TIME_MAX;

    g_assert(search->trials->best);
    search->useful = 0;
    for (guint i = 0;
         i < MAX_ROUNDS && has_best_time_improved(search, &least_ps); i++)
        if (!try_all_first_proposals(search, error))
            return FALSE;
    if (search->useful != 0 && !run_simulated_annealing(search, error))
        return FALSE;
    search->trials->limit_ps = 0;
    return TRUE;
}
