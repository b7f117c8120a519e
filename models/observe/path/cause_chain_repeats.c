/* cause_chain_repeats.c - chains over periods of a run that were skipped */
#include "models/observe/path/cause_chain_repeats.h"

#define NO_CHAIN G_MAXUINT

struct ChainSnapshot {
    CauseChainPool *pool; /* borrowed */
    SimTime at_ps;
    uint64_t n_taken; /* number of links taken from the pool by .at_ps */
    GArray *chains;   /* owned: the chains by number (CauseChain) */
};

struct ChainPeriod {
    ChainSnapshot *from, *to; /* owned: at the start and end of the period */
    /* Owned: maps the last link of a chain in .from to its number + 1. */
    GHashTable *begins;
};

struct ChainRepeats {
    ChainPeriod *period;     /* owned: the period that repeats */
    ChainSnapshot *snapshot; /* owned: the snapshot before the repetitions */
    uint64_t n;
    uint32_t op;
    SimTime issued_ps;
};

/* ---- snapshots --------------------------------------------------------- */

ChainSnapshot *chain_snapshot_new(CauseChainPool *pool, SimTime now_ps)
{
    ChainSnapshot *snapshot = g_rc_box_new0(ChainSnapshot);

    pool->free_repeats = chain_repeats_unref;
    snapshot->pool = pool;
    snapshot->at_ps = now_ps;
    snapshot->n_taken = pool->n_taken;
    snapshot->chains = g_array_new(FALSE, FALSE, sizeof(CauseChain));
    return snapshot;
}

static CauseChain *cause_chain_in_snapshot(const ChainSnapshot *snapshot,
                                           guint number)
{
    return &g_array_index(snapshot->chains, CauseChain, number);
}

void chain_snapshot_add(ChainSnapshot *snapshot, CauseChain *chain)
{
    CauseChain copy = { 0 };

    cause_chain_make_unique(snapshot->pool, chain);
    cause_chain_copy(snapshot->pool, &copy, chain);
    g_array_append_val(snapshot->chains, copy);
}

guint chain_snapshot_n_chains(const ChainSnapshot *snapshot)
{
    return snapshot->chains->len;
}

static void clear_chain_snapshot(gpointer data)
{
    ChainSnapshot *snapshot = data;

    for (guint i = 0; i < snapshot->chains->len; i++)
        cause_chain_clear(snapshot->pool, cause_chain_in_snapshot(snapshot, i));
    g_array_unref(snapshot->chains);
}

ChainSnapshot *chain_snapshot_ref(ChainSnapshot *snapshot)
{
    return g_rc_box_acquire(snapshot);
}

void chain_snapshot_unref(ChainSnapshot *snapshot)
{
    if (snapshot)
        g_rc_box_release_full(snapshot, clear_chain_snapshot);
}

/* ---- periods ----------------------------------------------------------- */

static guint chain_number_at_period_begin(const ChainPeriod *period,
                                          const CauseChainLink *link)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(period->begins, link));

    return number > 0 ? number - 1 : NO_CHAIN;
}

/* Returns whether chain @number of the second snapshot has links and continues
 * a chain of the first one. */
static gboolean chain_continues_snapshot_chain(const ChainPeriod *period,
                                               guint number)
{
    const CauseChainLink *link =
        cause_chain_in_snapshot(period->to, number)->last;

    while (link && chain_number_at_period_begin(period, link) == NO_CHAIN)
        link = link->is_repeated ? NULL : link->before;
    return link != NULL;
}

static void clear_chain_period(gpointer data)
{
    ChainPeriod *period = data;

    chain_snapshot_unref(period->from);
    chain_snapshot_unref(period->to);
    g_hash_table_unref(period->begins);
}

ChainPeriod *chain_period_new(ChainSnapshot *from, ChainSnapshot *to,
                              gboolean is_kept)
{
    ChainPeriod *period = g_rc_box_new0(ChainPeriod);
    gboolean is_whole = TRUE;

    g_assert(chain_snapshot_n_chains(from) == chain_snapshot_n_chains(to) &&
             from->at_ps < to->at_ps);
    period->from = chain_snapshot_ref(from);
    period->to = chain_snapshot_ref(to);
    period->begins = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < chain_snapshot_n_chains(from); i++)
        if (cause_chain_in_snapshot(from, i)->last)
            g_hash_table_insert(period->begins,
                                cause_chain_in_snapshot(from, i)->last,
                                GUINT_TO_POINTER(i + 1));
    for (guint i = 0; is_kept && is_whole && i < chain_snapshot_n_chains(to);
         i++)
        is_whole = chain_continues_snapshot_chain(period, i);
    if (is_whole)
        return period;
    chain_period_unref(period);
    return NULL;
}

uint64_t chain_period_n_links_created(const ChainPeriod *period)
{
    return period->to->n_taken - period->from->n_taken;
}

void chain_period_unref(ChainPeriod *period)
{
    if (period)
        g_rc_box_release_full(period, clear_chain_period);
}

/* ---- repetitions --------------------------------------------------------- */

ChainRepeats *chain_repeats_new(ChainPeriod *period, ChainSnapshot *snapshot,
                                uint64_t n, uint32_t op, SimTime issued_ps)
{
    ChainRepeats *repeats = g_rc_box_new0(ChainRepeats);

    g_assert(n > 0 && chain_snapshot_n_chains(snapshot) ==
                          chain_snapshot_n_chains(period->to));
    repeats->period = g_rc_box_acquire(period);
    repeats->snapshot = chain_snapshot_ref(snapshot);
    repeats->n = n;
    repeats->op = op;
    repeats->issued_ps = issued_ps;
    return repeats;
}

SimTime chain_repeats_end_ps(const ChainRepeats *repeats, guint number)
{
    return cause_chain_in_snapshot(repeats->snapshot, number)->to_ps;
}

static void clear_chain_repeats(gpointer data)
{
    ChainRepeats *repeats = data;

    chain_period_unref(repeats->period);
    chain_snapshot_unref(repeats->snapshot);
}

ChainRepeats *chain_repeats_ref(ChainRepeats *repeats)
{
    return g_rc_box_acquire(repeats);
}

void chain_repeats_unref(ChainRepeats *repeats)
{
    g_rc_box_release_full(repeats, clear_chain_repeats);
}

/* ---- back along a chain ------------------------------------------------ */

ChainWalk chain_walk_start(const CauseChain *chain)
{
    return (ChainWalk){ .link = chain->last };
}

static void continue_walk_in_repeats(ChainWalk *walk)
{
    walk->repeats = walk->link->repeats;
    walk->number = (guint)walk->link->from_ps;
    walk->n_left = walk->repeats->n;
    walk->link =
        cause_chain_in_snapshot(walk->repeats->period->to, walk->number)->last;
}

/* Continues at the start of a period with chain @number of the snapshot before
 * it. */
static void continue_walk_in_earlier_period(ChainWalk *walk, guint number)
{
    const ChainRepeats *repeats = walk->repeats;

    walk->number = number;
    if (--walk->n_left > 0) {
        walk->link = cause_chain_in_snapshot(repeats->period->to, number)->last;
    } else {
        walk->repeats = NULL;
        walk->link = cause_chain_in_snapshot(repeats->snapshot, number)->last;
    }
}

/* Sets *@ret to the current link of the period, shifted to its repetition with
 * .left remaining. */
static void shift_link_to_repetition(const ChainWalk *walk, CauseChainLink *ret)
{
    const ChainRepeats *repeats = walk->repeats;
    const ChainPeriod *period = repeats->period;
    SimTime period_ps = period->to->at_ps - period->from->at_ps;
    /* The shift is negative if the period was observed after the snapshot;
     * unsigned arithmetic wraps around to the right sum. */
    SimTime shift_ps =
        repeats->snapshot->at_ps + walk->n_left * period_ps - period->to->at_ps;

    *ret = *walk->link;
    ret->to_ps += shift_ps;
    if (ret->op != CHAIN_NO_OP)
        ret->op = repeats->op;
    ret->from_ps = ret->is_issue ? repeats->issued_ps : ret->from_ps + shift_ps;
}

gboolean chain_walk_to_previous_link(ChainWalk *walk, CauseChainLink *ret)
{
    guint begin;

    while (walk->link) {
        if (!walk->repeats) {
            if (walk->link->is_repeated) {
                continue_walk_in_repeats(walk);
                continue;
            }
            *ret = *walk->link;
            walk->link = ret->before;
        } else {
            begin =
                chain_number_at_period_begin(walk->repeats->period, walk->link);
            if (begin != NO_CHAIN) {
                continue_walk_in_earlier_period(walk, begin);
                continue;
            }
            if (walk->link->is_repeated) /* the period kept no links */
                return FALSE;
            shift_link_to_repetition(walk, ret);
            walk->link = walk->link->before;
        }
        if (!ret->is_tag)
            return TRUE;
    }
    return FALSE;
}
