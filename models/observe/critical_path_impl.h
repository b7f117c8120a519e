/* critical_path_impl.h - the chains of causes that critical_path*.c maintain */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_IMPL_H
#define MODELS_OBSERVE_CRITICAL_PATH_IMPL_H

#include "models/collectives/message.h"
#include "models/endpoints/admission_consensus.h"
#include "models/observe/critical_path.h"
#include "models/observe/path/chain_repeats.h"
#include "models/observe/path/server_history.h"

/* A chunk on an NPU. */
typedef struct {
    /* while a DMA engine has it, or since it requested to continue */
    Chain chain;
    gboolean waits;
    gboolean is_issue;   /* .since_ps is the issue of its collective */
    gboolean has_phases; /* a phase of the chunk has begun */
    uint32_t room;       /* PathRow that it waits for */
    SimTime since_ps;
} PathChunk;

/* State of a message at the endpoints. */
typedef enum {
    PATH_MESSAGE_SENT,
    PATH_MESSAGE_ARRIVED,
    PATH_MESSAGE_RECEIVED,
} PathMessageState;

/* An entry of the last snapshot, in its order: a chunk or a message. */
typedef struct {
    gboolean is_message; /* otherwise a chunk */
    gboolean has_chain;  /* chain .chain of the snapshot */
    uint32_t at;
    guint chain;
} PathSnapshotEntry;

/* Time by row, and the parts of it that were spent in queues. */
typedef struct {
    SimTime rows_ps[PATH_N];
    SimTime own_ps[PATH_N]; /* behind the same collective */
    /* behind other collectives; the sum equals that of .behind_ps */
    SimTime other_ps[PATH_N];
    SimTime *behind_ps; /* owned: by operation that was in front */
} PathBook;

/* The end of an iteration as if it were the last one of the run.  The next
 * iteration may already have begun.  So this state is kept separately, from the
 * end of the last kernel of .npu until a collective of the next iteration
 * begins. */
typedef struct {
    gboolean is_kept, has_been;
    uint32_t after; /* last kernel of an iteration */
    uint64_t iteration;
    SimTime since_ps; /* end of that kernel */
    Chain chain;      /* of the last operation of .npu since then */
    PathBook book;    /* at the end of that kernel */
} PathIterationEnd;

struct CriticalPath {
    System *system; /* borrowed */
    uint32_t npu;
    PathBook book;
    gboolean runs;    /* a kernel runs on the main stream of .npu */
    SimTime since_ps; /* start of the current wait, if none runs */
    ChainPool pool;
    Chain base; /* of the latest reported end */
    Chain now;  /* same, followed by the cause of the wait */
    Chain last; /* of the last operation of .npu that has ended */
    PathIterationEnd tail;
    SimTime skipped_ps; /* time of skipped iterations at the end */
    Chain *kernels;     /* owned: for each stream of each simulated NPU */
    Chain *admission;   /* owned: by NPU and stage, at its last request */
    uint32_t *rooms; /* owned: by NPU: PathRow that its next chunk waits for */
    SimTime *issued_ps; /* owned: by NPU and operation: earliest start */
    Chain *launches;    /* owned: by NPU and operation, during the launch */
    Chain *stages;      /* owned: for each queue of each simulated NPU */
    /* owned: by operation: submission to its lane by the last NPU */
    Chain *submitted;
    Chain *freed;     /* owned: by lane: latest end of a load */
    GArray *loads;    /* owned, of Chain, by slot: start of a load */
    GArray *copies;   /* owned, of Chain, by slot and NPU: copies in progress */
    GArray *messages; /* owned, of Chain, by message */
    GArray *where;    /* owned, of guint8: PathMessageState, by message */
    GArray *slot_ops; /* owned, of uint32_t: operation of a chunk, by slot */
    ServerHistory *served; /* owned */
    /* of this collective, until .others_ps servers worked for others */
    uint32_t others_op;
    SimTime others_ps;
    GArray *places;      /* owned, of PathChunk, by slot and NPU */
    GArray *seen;        /* owned, of PathSnapshotEntry: the last snapshot */
    ChainSnapshot *look; /* owned; may be NULL */
    /* upper bound of links that skipped periods saved in this wait */
    uint64_t n_skipped_links;
    SimTime wait_ps; /* start of that wait */
};

/* Lets chains drop intervals that ended before the current wait began, because
 * they cannot be part of a wait. */
static inline void path_drop_past(CriticalPath *path, SimTime now_ps)
{
    if (!path->tail.is_kept)
        path->pool.keep_from_ps = path->runs ? now_ps : path->since_ps;
}

/* Same as chain_extend(), after path_drop_past(). */
static inline void path_extend(CriticalPath *path, Chain *chain, uint32_t what,
                               SimTime served_ps, SimTime to_ps, SimTime now_ps)
{
    path_drop_past(path, now_ps);
    chain_extend(&path->pool, chain, what, served_ps, to_ps);
}

/* Extends @chain to @to_ps by a delay of collective @op during which no other
 * work could have been done. */
static inline void path_extend_delay(CriticalPath *path, Chain *chain,
                                     uint32_t what, uint32_t op, SimTime to_ps,
                                     SimTime now_ps)
{
    path_drop_past(path, now_ps);
    chain_extend_behind(&path->pool, chain, what, op, NULL, 0, 0, 0, to_ps);
}

/* Makes @chain the cause of what happens now. */
static inline void path_set_cause(CriticalPath *path, const Chain *chain)
{
    chain_copy(&path->pool, &path->base, chain);
    chain_copy(&path->pool, &path->now, chain);
}

/* Returns the index of @npu among the simulated NPUs. */
static inline gsize path_npu_index(const CriticalPath *path, uint32_t npu)
{
    return system_sim_index(path->system, npu);
}

static inline gsize path_op_index(const CriticalPath *path, uint32_t npu,
                                  uint32_t op)
{
    return path_npu_index(path, npu) * system_graph(path->system)->ops->len +
           op;
}

static inline SimTime *path_issue_at(const CriticalPath *path, uint32_t npu,
                                     uint32_t op)
{
    return &path->issued_ps[path_op_index(path, npu, op)];
}

static inline Chain *path_launch_at(const CriticalPath *path, uint32_t npu,
                                    uint32_t op)
{
    return &path->launches[path_op_index(path, npu, op)];
}

static inline uint32_t *path_slot_op_at(CriticalPath *path, uint32_t slot)
{
    if (slot >= path->slot_ops->len)
        g_array_set_size(path->slot_ops, 2 * slot + 64);
    return &g_array_index(path->slot_ops, uint32_t, slot);
}

/* Returns the collective of @message, which is in flight. */
static inline uint32_t path_message_op(CriticalPath *path, uint32_t message)
{
    return *path_slot_op_at(
        path, message_chunk(system_message(path->system, message)));
}

/* For all but the first listener of a path, which visits the state of the
 * path. */
static inline void path_steady(gpointer self, SteadyWalk *walk)
{
    (void)self;
    (void)walk;
}

/* Listeners for chunks and messages, for lanes, and for stages; @self is a
 * CriticalPath. */
extern const TracePeriodOps path_repeats;
extern const TraceOps critical_path_comm, critical_path_lanes;
extern const TraceOps critical_path_stages;

#endif
