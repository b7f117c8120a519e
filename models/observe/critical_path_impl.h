/* critical_path_impl.h - the chains of causes that critical_path*.c maintain */
#ifndef MODELS_OBSERVE_CRITICAL_PATH_IMPL_H
#define MODELS_OBSERVE_CRITICAL_PATH_IMPL_H

#include "models/collectives/collective_message.h"
#include "models/endpoints/admission_consensus.h"
#include "models/observe/critical_path.h"
#include "models/observe/path/cause_chain_repeats.h"
#include "models/observe/path/server_service_history.h"

/* The state of a chunk on an NPU. */
typedef struct {
    /* The chain of causes while a DMA engine has the chunk, or since the chunk
     * requested to continue. */
    CauseChain chain;
    gboolean is_waiting;
    gboolean is_issue;    /* .since_ps is the issue of its collective */
    gboolean has_phases;  /* a phase of the chunk has begun */
    uint32_t awaited_row; /* the limited room that it waits for, a PathRow */
    SimTime since_ps;
} PathChunk;

/* The state of a message at the endpoints. */
typedef enum {
    PATH_MESSAGE_SENT,
    PATH_MESSAGE_ARRIVED,
    PATH_MESSAGE_RECEIVED,
} PathMessageState;

/* A chunk or a message in the last snapshot of the path. */
typedef struct {
    gboolean is_message; /* FALSE: the entry is a chunk */
    gboolean has_chain;  /* the entry has chain number .chain */
    uint32_t index;
    guint chain;
} PathSnapshotEntry;

/* The time of each row of the critical path (critical_path_rows.h), and
 * the parts of it that were spent in queues. */
typedef struct {
    SimTime rows_ps[PATH_N];
    SimTime own_ps[PATH_N]; /* time in queues behind the same collective */
    /* The time in queues behind other collectives, by row.  The sum equals that
     * of .behind_ps. */
    SimTime other_ps[PATH_N];
    /* Owned: the time in queues behind other collectives, by the operation that
     * was in front. */
    SimTime *behind_ps;
} PathTimeAccount;

/* The end of an iteration as if it were the last one of the run.  The next
 * iteration may already have begun.  So this state is kept separately, from the
 * end of the last kernel of .npu until a collective of the next iteration
 * begins. */
typedef struct {
    gboolean is_kept, has_been;
    uint32_t last_op; /* the last kernel of an iteration, as an operation id */
    uint64_t iteration;
    SimTime since_ps; /* end of the last kernel */
    CauseChain chain; /* causes of the last operation of .npu since .since_ps */
    PathTimeAccount times; /* the times by row at .since_ps */
} PathIterationEnd;

struct CriticalPath {
    System *system; /* borrowed */
    uint32_t npu;
    PathTimeAccount times;
    gboolean runs;    /* a kernel runs on the main stream of .npu */
    SimTime since_ps; /* start of the current wait, if no kernel runs */
    CauseChainPool pool;
    CauseChain base; /* causes of the latest reported end of an event */
    /* The causes of the current wait: those in .base, and its own. */
    CauseChain wait_chain;
    CauseChain last; /* causes of the last operation of .npu that has ended */
    PathIterationEnd tail;
    SimTime skipped_ps; /* time of skipped iterations at the end */
    /* Owned: the causes of the kernel on each stream of each simulated NPU. */
    CauseChain *kernels;
    /* Owned: the causes of the last admission request of each NPU and stage. */
    CauseChain *admission;
    /* Owned: for each NPU, the room (PathRow) that its next chunk waits for. */
    uint32_t *rooms;
    /* Owned: the earliest start of each operation on each NPU. */
    SimTime *issued_ps;
    /* Owned: the causes of the launch in progress, by NPU and operation. */
    CauseChain *launches;
    /* Owned: the causes of the stage in each queue of each simulated NPU. */
    CauseChain *stages;
    /* Owned: the causes of the last NPU's submission of each operation to its
     * lane. */
    CauseChain *submitted;
    CauseChain
        *freed;    /* owned: for each lane, the causes of the last load's end */
    GArray *loads; /* owned: for each slot, the causes of a load (CauseChain) */
    /* Owned: the causes of copies in progress (CauseChain), by slot and NPU. */
    GArray *copies;
    GArray *messages; /* owned: the causes of each message (CauseChain) */
    GArray
        *message_states; /* owned: PathMessageState of each message (guint8) */
    GArray *slot_ops; /* owned: the collective of each chunk slot (uint32_t) */
    ServerHistory *server_history; /* owned: the work of each server */
    /* The collective for which .others_ps is the latest time at which a server
     * worked for another collective. */
    uint32_t others_op;
    SimTime others_ps;
    GArray *chunks;       /* owned: chunks (PathChunk) by slot and NPU */
    GArray *last_entries; /* owned: the last snapshot (PathSnapshotEntry) */
    ChainSnapshot
        *last_chains; /* owned: chains of the last snapshot, or NULL */
    /* An upper bound of the links that were not created because periods were
     * skipped in the wait since .wait_ps. */
    uint64_t n_skipped_links;
    SimTime wait_ps; /* start of the wait that .n_skipped_links counts */
};

/* Lets chains drop intervals that ended before the current wait began, because
 * they cannot be part of a wait. */
static inline void path_drop_intervals_before_wait(CriticalPath *path,
                                                   SimTime now_ps)
{
    if (!path->tail.is_kept)
        path->pool.keep_from_ps = path->runs ? now_ps : path->since_ps;
}

/* Drops past intervals as path_drop_intervals_before_wait() does, then extends
 * @chain as cause_chain_extend() does. */
static inline void path_extend_cause_chain(CriticalPath *path,
                                           CauseChain *chain, uint32_t row,
                                           SimTime served_ps, SimTime to_ps,
                                           SimTime now_ps)
{
    path_drop_intervals_before_wait(path, now_ps);
    cause_chain_extend(&path->pool, chain, row, served_ps, to_ps);
}

/* Extends @chain to @to_ps by a delay of collective @op during which no other
 * work could have been done. */
static inline void path_extend_cause_chain_by_delay(CriticalPath *path,
                                                    CauseChain *chain,
                                                    uint32_t row, uint32_t op,
                                                    SimTime to_ps,
                                                    SimTime now_ps)
{
    path_drop_intervals_before_wait(path, now_ps);
    cause_chain_extend_in_queue(&path->pool, chain, row, op, NULL, 0, 0, 0,
                                to_ps);
}

/* Makes @chain the cause of the events that follow at this time. */
static inline void path_set_cause(CriticalPath *path, const CauseChain *chain)
{
    cause_chain_copy(&path->pool, &path->base, chain);
    cause_chain_copy(&path->pool, &path->wait_chain, chain);
}

/* Returns the index of @npu among the simulated NPUs. */
static inline gsize path_npu_index(const CriticalPath *path, uint32_t npu)
{
    return system_representative_npu(path->system, npu);
}

static inline gsize path_op_index(const CriticalPath *path, uint32_t npu,
                                  uint32_t op)
{
    return path_npu_index(path, npu) * system_graph(path->system)->ops->len +
           op;
}

static inline SimTime *path_issue_time_of_op(const CriticalPath *path,
                                             uint32_t npu, uint32_t op)
{
    return &path->issued_ps[path_op_index(path, npu, op)];
}

static inline CauseChain *path_launch_chain_of_op(const CriticalPath *path,
                                                  uint32_t npu, uint32_t op)
{
    return &path->launches[path_op_index(path, npu, op)];
}

static inline uint32_t *path_collective_of_slot(CriticalPath *path,
                                                uint32_t slot)
{
    if (slot >= path->slot_ops->len)
        g_array_set_size(path->slot_ops, 2 * slot + 64);
    return &g_array_index(path->slot_ops, uint32_t, slot);
}

/* Returns the collective of @message, which is in flight. */
static inline uint32_t path_collective_of_message(CriticalPath *path,
                                                  uint32_t message)
{
    return *path_collective_of_slot(
        path, message_chunk_slot(
                  system_get_message_in_flight(path->system, message)));
}

/* Visits nothing, because only the first listener of a critical path visits its
 * state. */
static inline void path_visit_no_state(gpointer self, SteadyWalk *walk)
{
    (void)self;
    (void)walk;
}

/* Listeners for chunks and messages, for collective lanes, and for stages;
 * @self is a CriticalPath. */
extern const TracePeriodOps path_repeats;
extern const TraceOps critical_path_comm, critical_path_lanes;
extern const TraceOps critical_path_stages;

#endif
