/*
 * replay.h - one iteration of a recording, prepared as operations for a replay
 *
 * For each rank, it holds the operations to replay, with their dependencies,
 * their times, and the gap before each that no dependency explains.  In a
 * replay with these values, each operation begins and ends as recorded: it
 * begins when all its dependencies have ended, plus its gap.
 *
 * The calls of the host form one sequence, whatever their threads.  A host
 * operation is the time from one relevant call to the next, without the time
 * spent waiting for the device.  A call is relevant if it launches something or
 * waits.
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Owner    the caller owns the Replay, which borrows the recording, the window
 *          and the match
 */
#ifndef WORKLOADS_RECORDING_TRACE_TO_PROGRAM_REPLAY_H
#define WORKLOADS_RECORDING_TRACE_TO_PROGRAM_REPLAY_H

#include "workloads/recording/cross_rank_match.h"
#include "workloads/recording/import_report.h"

typedef enum {
    REPLAY_KERNEL, /* a kernel on the main stream */
    REPLAY_DEVICE, /* a kernel on another stream, or a copy */
    REPLAY_HOST,
    /* A collective or message, which has an instance of the match. */
    REPLAY_SHARED,
} ReplayKind;

typedef struct {
    uint32_t op;
    /* The dependency is on the operation of the previous iteration. */
    gboolean is_before;
} ReplayDep;

typedef struct {
    ReplayKind kind;
    /* The operation takes no time and is not written; operations that depend on
     * it inherit its dependencies. */
    gboolean is_empty;
    /* For host operations, the call that ends it; RECORD_NONE: the end of the
     * iteration. */
    uint32_t node;
    /* The operations of a chain run in the order of the list; RECORD_NONE: only
     * dependencies order it. */
    uint32_t chain;
    /* Instance of the match of a shared operation; RECORD_NONE: not shared. */
    uint32_t instance;
    /* Begin and end in the recording; RECORD_NO_TIME: the operation never
     * ran. */
    int64_t begin_ps, end_ps;
    /* The previous iteration prevents an earlier begin than this;
     * RECORD_NO_TIME: no limit. */
    int64_t floor_ps;
    uint64_t time_ps, gap_ps;
    /* Range of the operation's dependencies in ReplayRank.deps. */
    uint32_t first_dep, n_deps;
} ReplayOp;

typedef struct {
    /* Operations, each after its dependencies; the elements are ReplayOp. */
    GArray *ops;
    /* Dependencies of all operations; the elements are ReplayDep. */
    GArray *deps;
    /* The stream with the most computation; RECORD_NONE: none. */
    uint32_t main_stream;
    uint32_t role; /* index of the rank's role, once roles are known */
} ReplayRank;

typedef struct {
    const Recording *recording;
    const RecordWindow *window;
    const RecordMatch *match;
    gboolean is_plan; /* the recording never ran: it has no begins */
    /* Operations of each rank of the recording; the elements are ReplayRank. */
    GArray *ranks;
    RecordReport report;
} Replay;

/* Prepares a replay of the nodes of @recording in @window. */
Replay *replay_new(const Recording *recording, const RecordWindow *window,
                   const RecordMatch *match);
void replay_free(Replay *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Replay, replay_free)

static inline ReplayRank *replay_rank(const Replay *replay, guint r)
{
    return &g_array_index(replay->ranks, ReplayRank, r);
}

static inline ReplayOp *replay_op(const ReplayRank *rank, uint32_t i)
{
    return &g_array_index(rank->ops, ReplayOp, i);
}

static inline const ReplayDep *replay_dep(const ReplayRank *rank,
                                          const ReplayOp *op, uint32_t i)
{
    return &g_array_index(rank->deps, ReplayDep, op->first_dep + i);
}

/* Sets the times and gaps of rank @r for the dependencies of @reference.
 * @reference has the same operations, and may be rank @r itself. */
void replay_set_times(Replay *replay, guint r, const ReplayRank *reference);

#endif
