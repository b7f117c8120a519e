/* admission_consensus.c - decides pending requests together: see
 * admission_consensus.h */
#include "models/endpoints/admission_consensus.h"

/* The proposal that goes first, and the NPU that made it; .owner is NULL if
 * there is no proposal. */
typedef struct {
    AdmissionRequester *owner;
    gpointer wish;
} Wish;

static void find_first(AdmissionRequester *askers, uint32_t stage, Wish *best)
{
    for (AdmissionRequester *asker = askers; asker;
         asker = asker->next[stage]) {
        gpointer wish = asker->ops->wish(asker->self, stage);

        if (!wish ||
            (best->owner && (wish == best->wish ||
                             !asker->ops->goes_before(wish, best->wish))))
            continue;
        *best = (Wish){ asker, wish };
    }
}

static void wait_for_decision(AdmissionConsensus *consensus,
                              AdmissionRequester *asker, uint32_t stage)
{
    if (asker->waits_for >> stage & 1)
        return;
    asker->waits_for |= 1U << stage;
    asker->next_waiting[stage] = consensus->waiting[stage];
    consensus->waiting[stage] = asker;
}

/* Handles a request of @asker for which no proposal was made.  With
 * several regions, an NPU that has no room need not be woken by a decision in
 * another region. */
static void handle_undecided(AdmissionConsensus *consensus,
                             AdmissionRequester *asker, uint32_t stage)
{
    if (!consensus->others)
        wait_for_decision(consensus, asker, stage);
    else if (asker->ops->has_room(asker->self, stage))
        consensus->others->cannot(consensus->self);
}

/* Wakes all NPUs that wait for a decision of @stage. */
static void wake_all(AdmissionConsensus *consensus, uint32_t stage)
{
    AdmissionRequester *asker = consensus->waiting[stage], *next;

    consensus->waiting[stage] = NULL;
    for (; asker; asker = next) {
        next = asker->next_waiting[stage];
        asker->waits_for &= ~(1U << stage);
        asker->ops->go_on(asker->self, stage);
    }
}

/* Wakes the NPUs in the list @asker, whose requests have been removed.  New
 * requests meanwhile go into a new list. */
static void release_requests(AdmissionConsensus *consensus,
                             AdmissionRequester *asker, uint32_t stage,
                             gboolean is_decided)
{
    AdmissionRequester *next;

    for (; asker; asker = next) {
        next = asker->next[stage];
        asker->requested &= ~(1U << stage);
        if (!is_decided)
            handle_undecided(consensus, asker, stage);
        asker->ops->go_on(asker->self, stage);
    }
}

static AdmissionRequester *take_askers(AdmissionConsensus *consensus,
                                       uint32_t stage)
{
    AdmissionRequester *askers = consensus->askers[stage];

    consensus->askers[stage] = NULL;
    consensus->asked &= ~(1U << stage);
    return askers;
}

/* Decides all requests for admission to @stage. */
static void decide_stage(AdmissionConsensus *const *consensuses, guint n,
                         uint32_t stage)
{
    Wish best = { NULL, NULL };

    for (guint i = 0; i < n; i++)
        find_first(consensuses[i]->askers[stage], stage, &best);
    if (best.owner)
        best.owner->ops->decide(best.owner->self, stage, best.wish);
    for (guint i = 0; i < n; i++)
        release_requests(consensuses[i], take_askers(consensuses[i], stage),
                         stage, best.owner != NULL);
    for (guint i = 0; i < n && best.owner; i++)
        wake_all(consensuses[i], stage);
}

static uint32_t all_asked(AdmissionConsensus *const *consensuses, guint n)
{
    uint32_t asked = 0;

    for (guint i = 0; i < n; i++)
        asked |= consensuses[i]->asked;
    return asked;
}

void admission_decide(AdmissionConsensus *const *consensuses, guint n)
{
    uint32_t asked;

    while ((asked = all_asked(consensuses, n)))
        decide_stage(consensuses, n, g_bit_storage(asked) - 1);
    for (guint i = 0; i < n; i++)
        consensuses[i]->is_due = FALSE;
}

gboolean admission_is_open(const AdmissionConsensus *consensus)
{
    for (uint32_t s = 0; s < ADMISSION_N_STAGES; s++)
        for (const AdmissionRequester *a = consensus->askers[s]; a;
             a = a->next[s])
            if (a->ops->has_room(a->self, s))
                return TRUE;
    return FALSE;
}

static void on_settled(gpointer self)
{
    AdmissionConsensus *consensus = self;

    if (consensus->others)
        consensus->others->settle(consensus->self);
    else
        admission_decide(&consensus, 1);
}

gboolean admission_catch_up(const AdmissionConsensus *consensus,
                            AdmissionRequester *asker, uint32_t stage)
{
    if (!asker->ops->has_room(asker->self, stage))
        return FALSE;
    consensus->others->catch_up(consensus->self);
    return asker->ops->is_behind(asker->self, stage);
}

void admission_request(AdmissionConsensus *consensus, AdmissionRequester *asker,
                       uint32_t stage)
{
    if (asker->requested >> stage & 1)
        return;
    asker->requested |= 1U << stage;
    asker->next[stage] = consensus->askers[stage];
    consensus->askers[stage] = asker;
    consensus->asked |= 1U << stage;
    if (consensus->is_due)
        return;
    consensus->is_due = TRUE;
    sim_engine_when_settled(consensus->engine, on_settled, consensus);
}
