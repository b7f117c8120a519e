/* admission_consensus.c - decides pending requests together: see
 * admission_consensus.h */
#include "models/endpoints/admission_consensus.h"

/* The proposal that goes first, and the NPU that made it; .owner is NULL if
 * there is no proposal. */
typedef struct {
    AdmissionRequester *owner;
    gpointer proposal;
} OwnedProposal;

static void find_best_admission_proposal(AdmissionRequester *askers,
                                         uint32_t stage, OwnedProposal *best)
{
    for (AdmissionRequester *asker = askers; asker;
         asker = asker->next[stage]) {
        gpointer proposal = asker->ops->proposal(asker->self, stage);

        if (!proposal || (best->owner && (proposal == best->proposal ||
                                          !asker->ops->proposal_precedes(
                                              proposal, best->proposal))))
            continue;
        *best = (OwnedProposal){ asker, proposal };
    }
}

static void add_to_waiting_npus(AdmissionConsensus *consensus,
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
static void handle_request_without_proposal(AdmissionConsensus *consensus,
                                            AdmissionRequester *asker,
                                            uint32_t stage)
{
    if (!consensus->others)
        add_to_waiting_npus(consensus, asker, stage);
    else if (asker->ops->has_room(asker->self, stage))
        consensus->others->on_waits_for_decision(consensus->self);
}

/* Wakes all NPUs that wait for a decision of @stage. */
static void wake_all_waiting_npus(AdmissionConsensus *consensus, uint32_t stage)
{
    AdmissionRequester *asker = consensus->waiting[stage], *next;

    consensus->waiting[stage] = NULL;
    for (; asker; asker = next) {
        next = asker->next_waiting[stage];
        asker->waits_for &= ~(1U << stage);
        asker->ops->admit_decided_chunks(asker->self, stage);
    }
}

/* Wakes the NPUs in the list @askers, whose requests have been removed.  New
 * requests meanwhile go into a new list. */
static void wake_requesting_npus(AdmissionConsensus *consensus,
                                 AdmissionRequester *askers, uint32_t stage,
                                 gboolean is_decided)
{
    AdmissionRequester *next;

    for (AdmissionRequester *asker = askers; asker; asker = next) {
        next = asker->next[stage];
        asker->requested &= ~(1U << stage);
        if (!is_decided)
            handle_request_without_proposal(consensus, asker, stage);
        asker->ops->admit_decided_chunks(asker->self, stage);
    }
}

static AdmissionRequester *take_requests_of_stage(AdmissionConsensus *consensus,
                                                  uint32_t stage)
{
    AdmissionRequester *askers = consensus->requesters[stage];

    consensus->requesters[stage] = NULL;
    consensus->asked &= ~(1U << stage);
    return askers;
}

/* Decides all requests for admission to @stage. */
static void decide_requests_of_stage(AdmissionConsensus *const *consensuses,
                                     guint n, uint32_t stage)
{
    OwnedProposal best = { NULL, NULL };

    for (guint i = 0; i < n; i++)
        find_best_admission_proposal(consensuses[i]->requesters[stage], stage,
                                     &best);
    if (best.owner)
        best.owner->ops->decide(best.owner->self, stage, best.proposal);
    for (guint i = 0; i < n; i++)
        wake_requesting_npus(consensuses[i],
                             take_requests_of_stage(consensuses[i], stage),
                             stage, best.owner != NULL);
    for (guint i = 0; i < n && best.owner; i++)
        wake_all_waiting_npus(consensuses[i], stage);
}

static uint32_t mask_of_requested_stages(AdmissionConsensus *const *consensuses,
                                         guint n)
{
    uint32_t asked = 0;

    for (guint i = 0; i < n; i++)
        asked |= consensuses[i]->asked;
    return asked;
}

void admission_decide_all_requests(AdmissionConsensus *const *consensuses,
                                   guint n)
{
    uint32_t asked;

    while ((asked = mask_of_requested_stages(consensuses, n)))
        decide_requests_of_stage(consensuses, n, g_bit_storage(asked) - 1);
    for (guint i = 0; i < n; i++)
        consensuses[i]->is_due = FALSE;
}

gboolean admission_has_request_with_room(const AdmissionConsensus *consensus)
{
    for (uint32_t s = 0; s < ADMISSION_N_STAGES; s++)
        for (const AdmissionRequester *requester = consensus->requesters[s];
             requester; requester = requester->next[s])
            if (requester->ops->has_room(requester->self, s))
                return TRUE;
    return FALSE;
}

static void on_decision_due(gpointer self)
{
    AdmissionConsensus *consensus = self;

    if (consensus->others)
        consensus->others->schedule_decision(consensus->self);
    else
        admission_decide_all_requests(&consensus, 1);
}

gboolean
admission_process_earlier_decisions(const AdmissionConsensus *consensus,
                                    AdmissionRequester *asker, uint32_t stage)
{
    if (!asker->ops->has_room(asker->self, stage))
        return FALSE;
    consensus->others->catch_up(consensus->self);
    return asker->ops->is_behind(asker->self, stage);
}

void admission_request_decision(AdmissionConsensus *consensus,
                                AdmissionRequester *asker, uint32_t stage)
{
    if (asker->requested >> stage & 1)
        return;
    asker->requested |= 1U << stage;
    asker->next[stage] = consensus->requesters[stage];
    consensus->requesters[stage] = asker;
    consensus->asked |= 1U << stage;
    if (consensus->is_due)
        return;
    consensus->is_due = TRUE;
    sim_engine_call_when_instant_settles(consensus->engine, on_decision_due,
                                         consensus);
}
