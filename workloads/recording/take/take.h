/*
 * take.h - one iteration of a recording, prepared as operations for a replay
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
 * Owner    the caller owns the Take, which borrows the recording, the window
 *          and the match
 */
#ifndef WORKLOADS_RECORDING_TAKE_TAKE_H
#define WORKLOADS_RECORDING_TAKE_TAKE_H

#include "workloads/recording/match.h"
#include "workloads/recording/report.h"

typedef enum {
    TAKE_KERNEL, /* on the main stream */
    TAKE_DEVICE, /* on another stream, and copies */
    TAKE_HOST,
    TAKE_SHARED, /* collective or message: has an instance of the match */
} TakeKind;

typedef struct {
    uint32_t op;
    gboolean is_before; /* the operation of the previous iteration */
} TakeDep;

typedef struct {
    TakeKind kind;
    /* Takes no time and is not written; operations that depend on it inherit
     * its dependencies. */
    gboolean is_empty;
    /* For host operations, the call that ends it; RECORD_NONE: the end of the
     * iteration. */
    uint32_t node;
    /* The operations of a chain run in the order of the list; RECORD_NONE: only
     * dependencies order it. */
    uint32_t chain;
    uint32_t instance;        /* of the match; RECORD_NONE */
    int64_t begin_ps, end_ps; /* RECORD_NO_TIME: never ran */
    /* Earliest begin due to the previous iteration; RECORD_NO_TIME. */
    int64_t floor_ps;
    uint64_t time_ps, gap_ps;
    uint32_t first_dep, n_deps; /* range of TakeRank.deps */
} TakeOp;

typedef struct {
    GArray *ops;  /* TakeOp, each after its dependencies */
    GArray *deps; /* TakeDep */
    uint32_t
        main_stream; /* the stream with the most computation; RECORD_NONE */
    uint32_t role;   /* index of the role, once roles are known */
} TakeRank;

typedef struct {
    const Recording *recording;
    const RecordWindow *window;
    const RecordMatch *match;
    gboolean is_plan; /* the recording never ran: it has no begins */
    GArray *ranks;    /* TakeRank, by rank of the recording */
    RecordReport report;
} Take;

/* Prepares the replay of the nodes of @recording in @window. */
Take *take_new(const Recording *recording, const RecordWindow *window,
               const RecordMatch *match);
void take_free(Take *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Take, take_free)

static inline TakeRank *take_rank(const Take *replay, guint r)
{
    return &g_array_index(replay->ranks, TakeRank, r);
}

static inline TakeOp *take_op(const TakeRank *rank, uint32_t i)
{
    return &g_array_index(rank->ops, TakeOp, i);
}

static inline const TakeDep *take_dep(const TakeRank *rank, const TakeOp *op,
                                      uint32_t i)
{
    return &g_array_index(rank->deps, TakeDep, op->first_dep + i);
}

/* Sets the times and gaps of rank @r for the dependencies of @reference.
 * @reference has the same operations, and may be rank @r itself. */
void take_settle(Take *replay, guint r, const TakeRank *reference);

#endif
