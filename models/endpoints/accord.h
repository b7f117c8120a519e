/*
 * accord.h - one admission order for all NPUs, decided at the end of an instant
 *
 * All NPUs admit chunks in the same order: into the pipeline
 * (models/run/admit/scheduler.c), and into each phase of an endpoint that
 * holds chunks between phases (ace_chunks.c).  One common order rules out
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
#ifndef MODELS_ENDPOINTS_ACCORD_H
#define MODELS_ENDPOINTS_ACCORD_H

#include "models/collectives/chunk.h"
#include "sim/core/engine.h"

#define ACCORD_INTAKE       0
#define ACCORD_PHASE(phase) ((phase) + 1)
#define ACCORD_N_STAGES     ACCORD_PHASE(COLL_MAX_PHASES)

typedef struct Accord Accord;

/* Callbacks of an NPU for one stage; @self is AccordAsker.self. */
typedef struct {
    /* Returns the chunk that the NPU would admit next if the choice were its
     * own; NULL if it has none that it can admit. */
    gpointer (*wish)(gpointer self, uint32_t stage);
    /* Returns whether proposal @a precedes proposal @b. */
    gboolean (*goes_before)(gconstpointer a, gconstpointer b);
    /* Records that @wish, which this NPU proposed, is the next chunk. */
    void (*decide)(gpointer self, uint32_t stage, gpointer wish);
    /* Admits the decided chunks as far as possible. */
    void (*go_on)(gpointer self, uint32_t stage);
    /* Returns whether there is room for some chunk that is present at the NPU,
     * whatever is decided.  Chunks that have not arrived do not count. */
    gboolean (*has_room)(gpointer self, uint32_t stage);
    /* Returns whether some decided chunk has not been admitted here. */
    gboolean (*is_behind)(gpointer self, uint32_t stage);
} AccordOps;

/* Callbacks for a run in parallel regions, whose other NPUs request decisions
 * under another clock. */
typedef struct {
    /* Returns when the other regions have reached the current time, so that all
     * earlier decisions are known. */
    void (*catch_up)(gpointer self);
    /* Arranges that accord_decide() is called with the accords of all regions
     * at the end of this instant. */
    void (*settle)(gpointer self);
    /* An NPU has to wait for a decision, which may be made in another region.
     */
    void (*cannot)(gpointer self);
} AccordOthers;

typedef struct AccordAsker AccordAsker;
struct AccordAsker {
    const AccordOps *ops; /* static */
    gpointer self;        /* borrowed */
    uint32_t requested;   /* bit s: a request for stage s is pending */
    AccordAsker
        *next[ACCORD_N_STAGES]; /* borrowed: the request before this one */
    uint32_t waits_for;         /* bit s: waits for a decision of stage s */
    AccordAsker *next_waiting[ACCORD_N_STAGES]; /* borrowed: the waiting NPU
                                                   before this one */
};

struct Accord {
    SimEngine *engine; /* borrowed */
    AccordAsker
        *askers[ACCORD_N_STAGES]; /* borrowed: the latest request; NULL: none */
    AccordAsker *waiting[ACCORD_N_STAGES]; /* borrowed: the latest NPU that
                                              waits; NULL: none */
    uint32_t asked;                        /* bit s: .askers[s] is not NULL */
    gboolean
        is_due; /* a decision is in progress or scheduled for this instant */
    const AccordOthers *others; /* static; NULL: the run has one region */
    gpointer self;              /* borrowed: the argument of .others */
};

/* Requests a decision of @stage for @asker, which has admitted all decided
 * chunks and may have another.  Once the decision is made, the asker may
 * request the next. */
void accord_ask(Accord *accord, AccordAsker *asker, uint32_t stage);

gboolean accord_learns(const Accord *accord, AccordAsker *asker,
                       uint32_t stage);
/* Must be called before accord_ask() in a run with several regions.  Returns
 * TRUE if other regions have decided something earlier, which @asker has to
 * admit first. */
static inline gboolean accord_is_late(const Accord *accord, AccordAsker *asker,
                                      uint32_t stage)
{
    return G_UNLIKELY(accord->others) && accord_learns(accord, asker, stage);
}

/* Returns whether some pending request comes from an NPU with room. */
gboolean accord_is_open(const Accord *accord);
/* Decides all pending requests of the @n @accords, at the current instant. */
void accord_decide(Accord *const *accords, guint n);

#endif
