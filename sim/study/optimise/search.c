/* search.c - from the default to what is faster, by runs */
#include "sim/study/optimise/search.h"

#include <math.h>

#define MOST_ROUNDS 3
#define BATCH       8      /* proposals, whatever the number of processors */
#define STALE       25     /* batches without a better one until it ends, */
#define ENOUGH      0.1    /* where that part of the time may be saved; */
#define LEAST_STALE 4      /* where less may be, in proportion, and these */
#define RETURN      6      /* and until it goes on from the best */
#define HOT         0.01   /* of the default's time: first a rise by that is */
#define COLD        0.0003 /* taken at one time in e, and at last by this */
#define TRIES       4      /* at a proposal */
#define LEAST_SHARE 0.05   /* of what no part of the critical path asks for */

/* ---- the critical path --------------------------------------------------- */

/* The part of @trial's time that @move can save at most. */
static double most_saved(const Search *s, const Move *move, const Trial *trial)
{
    const TrialPath *path = &trial->path;
    SimTime total_ps = trial_path_total_ps(path), sum_ps = path->gaps_ps;

    if (s->known->is_recorded && !(move->saves & SAVES_KERNELS))
        return 0;
    if (total_ps == 0 || move->saves == SAVES_ANY)
        return 1;
    sum_ps += move->saves & SAVES_KERNELS
                  ? path->kernels_ps + path->hosts_ps + path->idle_ps
                  : 0;
    sum_ps += move->saves & SAVES_MESSAGES ? path->messages_ps : 0;
    sum_ps += move->saves & SAVES_LANES ? path->lanes_ps : 0;
    return (double)sum_ps / (double)total_ps + s->known->slowed;
}

/* ---- first proposals ----------------------------------------------------- */

static GPtrArray *candidates_new(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
}

/* @base with each of @sets (of text) for @aspect. */
static GPtrArray *each_on(const Candidate *base, Aspect aspect,
                          const GPtrArray *sets)
{
    GPtrArray *ret = candidates_new();

    for (guint i = 0; i < sets->len; i++)
        g_ptr_array_add(
            ret, candidate_with(base, aspect, g_ptr_array_index(sets, i)));
    return ret;
}

static gboolean look_at_messages(const Search *s, const Move *move,
                                 GError **error)
{
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) candidates = NULL;
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    const Trial *base = trials_simplest(s->trials);

    known_count_tensors(s->known, base->candidate);
    move->probes(s->known, sets);
    candidates = each_on(base->candidate, move->aspect, sets);
    if (!trials_make(s->trials, candidates, move->name, error))
        return FALSE;
    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial =
            trials_find(s->trials, g_ptr_array_index(candidates, i));

        if (trial)
            g_ptr_array_add(found, (gpointer)trial);
    }
    if (found->len > 0)
        known_take_messages(s->known, g_ptr_array_index(found, 0), found);
    return TRUE;
}

/* What takes longer than what is alike to the best so far, or than @more_ps,
 * changes nothing that is decided. */
static void set_limit(const Search *s, SimTime more_ps)
{
    SimTime alike_ps =
        (SimTime)((double)s->trials->best->time_ps * (1 + OPTIMISE_ALIKE)) + 1;

    s->trials->limit_ps =
        s->trials->maker->is_whole ? 0 : MAX(alike_ps, more_ps);
}

/* One of @candidates takes another time than @base. */
static gboolean changes_time(const Search *s, const Trial *base,
                             const GPtrArray *candidates)
{
    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial =
            trials_find(s->trials, g_ptr_array_index(candidates, i));

        if (trial && (trial->over_ps > 0 ||
                      (trial->time_ps > 0 && trial->time_ps != base->time_ps)))
            return TRUE;
    }
    return FALSE;
}

static gboolean try_first(Search *s, guint i, GError **error)
{
    const Move *move = s->moves[i];
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) candidates = NULL;
    const Trial *base = trials_simplest(s->trials);

    if (most_saved(s, move, base) <= OPTIMISE_ALIKE)
        return TRUE;
    if (move->probes && !look_at_messages(s, move, error))
        return FALSE;
    base = trials_simplest(s->trials);
    move->seeds(s->known, sets);
    candidates = each_on(base->candidate, move->aspect, sets);
    set_limit(s, base->time_ps);
    if (!trials_make(s->trials, candidates, move->name, error))
        return FALSE;
    s->trials->limit_ps = 0;
    if (changes_time(s, base, candidates))
        s->useful |= UINT64_C(1) << i;
    return TRUE;
}

static gboolean make_round(Search *s, GError **error)
{
    gboolean messages_first = s->known->communication >= s->known->fixed;

    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; s->moves[i]; i++)
            if ((s->moves[i]->saves != SAVES_KERNELS) ==
                    (messages_first == (pass == 0)) &&
                !try_first(s, i, error))
                return FALSE;
    return TRUE;
}

/* ---- annealing ----------------------------------------------------------- */

/* What no part of the critical path asks for comes behind the others. */
static double share_of(const Search *s, guint i, const Trial *from)
{
    return s->useful >> i & 1
               ? MAX(most_saved(s, s->moves[i], from), LEAST_SHARE)
               : 0;
}

static const Move *draw_move(const Search *s, const Trial *from, Draw *draw)
{
    const Move *move = NULL;
    double all = 0, at;

    for (guint i = 0; s->moves[i]; i++)
        all += share_of(s, i, from);
    at = draw_share(draw) * all;
    for (guint i = 0; s->moves[i] && (!move || at >= 0); i++) {
        double share = share_of(s, i, from);

        if (share > 0)
            move = s->moves[i];
        at -= share;
    }
    return move;
}

/* NULL: nothing came of it. */
static Candidate *propose(const Search *s, const Trial *at, Draw *draw)
{
    const Candidate *from = at->candidate;

    for (guint i = 0; i < TRIES; i++) {
        const Move *move = draw_move(s, at, draw);
        const char *now = from->sets[move->aspect];
        g_autofree char *sets = NULL;

        if (now && draw_below(draw, BATCH) == 0)
            return candidate_with(from, move->aspect, NULL);
        sets = move->vary(s->known, now, draw);
        if (sets && g_strcmp0(sets, now) != 0)
            return candidate_with(from, move->aspect, sets);
    }
    return NULL;
}

static GPtrArray *propose_some(const Search *s, const Trial *from, guint round)
{
    GPtrArray *ret = candidates_new();

    s->known->at = from;
    for (guint place = 0; place < BATCH; place++) {
        Draw draw = { rng_stream(s->seed, "proposals"), round, place, 0 };
        Candidate *candidate = propose(s, from, &draw);

        if (candidate)
            g_ptr_array_add(ret, candidate);
    }
    return ret;
}

/* The least of @candidates; NULL: none could be run. */
static const Trial *least_of(const Search *s, const GPtrArray *candidates)
{
    const Trial *least = NULL;

    for (guint i = 0; i < candidates->len; i++) {
        const Trial *trial =
            trials_find(s->trials, g_ptr_array_index(candidates, i));

        if (trial_is_less(trial, least))
            least = trial;
    }
    return least;
}

/* Up to which time the next is taken: less than now, or by chance more. */
static double most_taken_ps(const Search *s, const Trial *now, double heat_ps,
                            guint round)
{
    Draw draw = { rng_stream(s->seed, "chances"), round, 0, 0 };

    return (double)now->time_ps - heat_ps * log(1 - draw_share(&draw));
}

static double heat(const Search *s, guint n_first, const Trial *begin)
{
    double done = (double)(s->trials->all->len - n_first) /
                  MAX(s->trials->n_most - n_first, 1);

    return (double)begin->time_ps * HOT * pow(COLD / HOT, done);
}

/* By more than what is alike, since *@least_ps; that is the least now, then.
 */
static gboolean has_gained(const Search *s, SimTime *least_ps)
{
    SimTime now_ps = s->trials->best->time_ps;

    if ((double)now_ps * (1 + OPTIMISE_ALIKE) >= (double)*least_ps)
        return FALSE;
    *least_ps = now_ps;
    return TRUE;
}

/* Batches without a better one until it ends: the more the longer the part of
 * the time is that may be saved at all. */
static guint patience(const Search *s)
{
    const Trial *best = trials_simplest(s->trials);
    double most = 0;

    for (guint i = 0; s->moves[i]; i++)
        if (s->useful >> i & 1)
            most = MAX(most, most_saved(s, s->moves[i], best));
    return MAX(LEAST_STALE, (guint)(STALE * MIN(most / ENOUGH, 1)));
}

static gboolean anneal(const Search *s, GError **error)
{
    const Trial *begin = trials_simplest(s->trials);
    const Trial *now = begin;
    SimTime least_ps = s->trials->best->time_ps;
    guint n_first = s->trials->all->len, n_stale = 0;

    for (guint round = 0; trials_n_left(s->trials) > 0 && n_stale < patience(s);
         round++) {
        g_autoptr(GPtrArray) some = propose_some(s, now, round);
        double most_ps = most_taken_ps(s, now, heat(s, n_first, begin), round);
        const Trial *least;

        set_limit(s, (SimTime)most_ps + 1);
        if (!trials_make(s->trials, some, "annealing", error))
            return FALSE;
        least = least_of(s, some);
        if (least && (double)least->time_ps < most_ps)
            now = least;
        n_stale = has_gained(s, &least_ps) ? 0 : n_stale + 1;
        if (n_stale % RETURN == RETURN - 1)
            now = trials_simplest(s->trials);
    }
    return TRUE;
}

/* ---- all ----------------------------------------------------------------- */

gboolean search_moves(Search *s, GError **error)
{
    SimTime least_ps = SIM_TIME_MAX;

    g_assert(s->trials->best);
    s->useful = 0;
    for (guint i = 0; i < MOST_ROUNDS && has_gained(s, &least_ps); i++)
        if (!make_round(s, error))
            return FALSE;
    if (s->useful != 0 && !anneal(s, error))
        return FALSE;
    s->trials->limit_ps = 0;
    return TRUE;
}
