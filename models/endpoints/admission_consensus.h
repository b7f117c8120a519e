/*
 * admission_consensus.h - one admission order for all NPUs, decided at the end
 * of an instant
 *
 * All NPUs admit chunks in the same order: into the pipeline
 * (models/run/admit/chunk_scheduler.c), and into each phase of an endpoint that
 * holds chunks between phases (chunk_admission.c).  One common order rules out
 * deadlock.
 *
 * An NPU that may have a chunk to admit requests a decision.  When all events
 * of the instant have been processed, all requests are decided together: each
 * NPU that has admitted everything decided so far proposes the chunk that it
 * wants and is able to admit next.  The proposal that goes first becomes the
 * next decision for all NPUs.  The result therefore does not depend on the
 * order of events within an instant.  NPUs that are behind admit decided chunks
 * at once.
 *
 * An NPU without a proposal waits until something is decided.  The decision
 * need not be a chunk that the NPU would have proposed: the NPU may still have
 * room for it.  Waiting for an event of its own would not be enough, because
 * its chunks may be waiting for exactly that decision.
 *
 * A stage is the intake or a phase.  The last stage is decided first, because
 * admission to a stage frees room in the stage before it.  Requests that arrive
 * during the decisions are decided as well, until there are none.
 *
 * Owner    the run has one for all its NPUs; zeroed except for .engine
 */
#ifndef MODELS_ENDPOINTS_ADMISSION_CONSENSUS_H
#define MODELS_ENDPOINTS_ADMISSION_CONSENSUS_H

#include "models/collectives/chunk.h"
#include "sim/core/engine.h"
#include "sim/core/state_walk.h"

#define ADMISSION_INTAKE       0
#define ADMISSION_PHASE(phase) ((phase) + 1)
#define ADMISSION_N_STAGES     ADMISSION_PHASE(COLL_MAX_PHASES)

typedef struct AdmissionConsensus AdmissionConsensus;

/* Callbacks of an NPU for one stage; @self is AdmissionRequester.self. */
typedef struct {
    /* Returns the chunk that the NPU would admit next if the choice were its
     * own; NULL if it has none that it can admit. */
    gpointer (*proposal)(gpointer self, uint32_t stage);
    /* Returns whether proposal @a precedes proposal @b. */
    gboolean (*proposal_precedes)(gconstpointer a, gconstpointer b);
    /* Records that @proposal, which this NPU proposed, is the next chunk. */
    void (*decide)(gpointer self, uint32_t stage, gpointer proposal);
    /* Admits the decided chunks as far as possible. */
    void (*admit_decided_chunks)(gpointer self, uint32_t stage);
    /* Returns whether there is room for some chunk that is present at the NPU,
     * whatever is decided.  Chunks that have not arrived do not count. */
    gboolean (*has_room)(gpointer self, uint32_t stage);
    /* Returns whether some decided chunk has not been admitted here. */
    gboolean (*is_behind)(gpointer self, uint32_t stage);
} AdmissionRequesterOps;

/* Callbacks for a run in parallel regions, whose other NPUs request decisions
 * under another clock. */
typedef struct {
    /* Returns when the other regions have reached the current time, so that all
     * earlier decisions are known. */
    void (*catch_up)(gpointer self);
    /* Arranges that admission_decide_all_requests() is called with the
     * consensuses of all regions at the end of this instant. */
    void (*schedule_decision)(gpointer self);
    /* An NPU must wait for a decision, which may be made in another region. */
    void (*on_waits_for_decision)(gpointer self);
} AdmissionRegionsOps;

typedef struct AdmissionRequester AdmissionRequester;
struct AdmissionRequester {
    const AdmissionRequesterOps *ops; /* static */
    gpointer self;                    /* borrowed */
    uint32_t requested; /* bit s: a request for stage s is pending */
    AdmissionRequester
        *next[ADMISSION_N_STAGES]; /* borrowed: the previous request */
    uint32_t waits_for; /* bit s: the NPU waits for a decision of stage s */
    AdmissionRequester
        *next_waiting[ADMISSION_N_STAGES]; /* borrowed: previous waiting NPU */
};

struct AdmissionConsensus {
    SimEngine *engine; /* borrowed */
    /* Borrowed: the latest request for each stage; NULL: none. */
    AdmissionRequester *requesters[ADMISSION_N_STAGES];
    /* Borrowed: the latest NPU that waits for each stage; NULL: none. */
    AdmissionRequester *waiting[ADMISSION_N_STAGES];
    uint32_t asked; /* bit s: stage s has a pending request */
    gboolean
        is_due; /* a decision is in progress or scheduled for this instant */
    /* Static: how the consensuses of the other regions are reached; NULL: the
     * run has one region. */
    const AdmissionRegionsOps *others;
    gpointer self; /* borrowed: the argument of .others */
};

/* Requests a decision of @stage for @asker, which has admitted all decided
 * chunks and may have another.  Once the decision is made, the asker may
 * request the next. */
void admission_request_decision(AdmissionConsensus *consensus,
                                AdmissionRequester *asker, uint32_t stage);

gboolean
admission_process_earlier_decisions(const AdmissionConsensus *consensus,
                                    AdmissionRequester *asker, uint32_t stage);
/* Returns TRUE if other regions have decided earlier admissions, which @asker
 * has to follow first. Must be called before admission_request_decision() in a
 * run with several regions. */
static inline gboolean
admission_is_behind_other_regions(const AdmissionConsensus *consensus,
                                  AdmissionRequester *asker, uint32_t stage)
{
    return G_UNLIKELY(consensus->others) &&
           admission_process_earlier_decisions(consensus, asker, stage);
}

/* Visits the state of @asker, see sim/core/state_walk.h.  A pending request
 * cannot be recorded: there is none at the end of an instant.  The order of the
 * NPUs that wait has no effect, since all of them are woken together. */
static inline void
admission_requester_visit_state(const AdmissionRequester *asker,
                                SteadyWalk *walk)
{
    walk->is_lost |= asker->requested != 0;
    steady_visit_constant(walk, asker->waits_for);
}

/* Returns whether a pending request comes from an NPU that has room. */
gboolean admission_has_request_with_room(const AdmissionConsensus *consensus);
/* Decides all pending requests of the @n @consensuses at the current time. */
void admission_decide_all_requests(AdmissionConsensus *const *consensuses,
                                   guint n);

#endif
