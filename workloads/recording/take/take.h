/*
 * take.h - one iteration of a recording, made ready to be a program
 *
 * Of each rank the operations that are replayed, what each waits for, how long
 * it takes, and the gap before it that nothing explains.  Replayed as it
 * stands, each begins and ends as recorded: an operation begins when all that
 * it waits for has ended, and its gap later.
 *
 * Of the host, calls are one sequence, whatever threads made them: an operation
 * is the time from one call that matters to the next, less what was waited for
 * the device.  A call matters if it launches something or waits.
 *
 * Units    ps since the earliest RecordRank.base_ns
 * Owner    the caller owns the take, which borrows the recording, the window
 *          and the match
 */
#ifndef WORKLOADS_RECORDING_TAKE_TAKE_H
#define WORKLOADS_RECORDING_TAKE_TAKE_H

#include "workloads/recording/match.h"
#include "workloads/recording/report.h"

typedef enum {
    TAKE_KERNEL, /* on the stream that computes most */
    TAKE_DEVICE, /* on another, and copies */
    TAKE_HOST,
    TAKE_SHARED, /* collective or message: has an instance */
} TakeKind;

typedef struct {
    uint32_t op;
    gboolean is_before; /* of the iteration before */
} TakeDep;

typedef struct {
    TakeKind kind;
    gboolean is_empty; /* takes no time and is not written: what waits for it
                        * waits for what it waits for */
    uint32_t node;     /* of a host's, the call up to which it is;
                        * RECORD_NONE: to the end of the iteration */
    uint32_t chain;    /* those of one go one after the other, in the order of
                        * the list; RECORD_NONE: only as it says */
    uint32_t instance; /* of the match; RECORD_NONE */
    int64_t begin_ps, end_ps; /* RECORD_NO_TIME: never ran */
    int64_t floor_ps; /* not before, for reasons that are no operation's: the
                       * iteration before; RECORD_NO_TIME */
    uint64_t time_ps, gap_ps;
    uint32_t first_dep, n_deps; /* of TakeRank.deps */
} TakeOp;

typedef struct {
    GArray *ops;   /* of TakeOp, none before what it waits for */
    GArray *deps;  /* of TakeDep */
    uint32_t main; /* stream, which computes most; RECORD_NONE */
    uint32_t role; /* of Take.roles, once they are made */
} TakeRank;

typedef struct {
    const Recording *recording;
    const RecordWindow *window;
    const RecordMatch *match;
    gboolean is_plan; /* never ran: there are no begins */
    GArray *ranks;    /* of TakeRank, by rank of the recording */
    RecordReport report;
} Take;

Take *take_new(const Recording *recording, const RecordWindow *window,
               const RecordMatch *match);
void take_free(Take *take);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Take, take_free)

static inline TakeRank *take_rank(const Take *take, guint r)
{
    return &g_array_index(take->ranks, TakeRank, r);
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

/* Gaps and times of one rank, when operations wait as @like says, which has
 * the same; it may be @rank. */
void take_settle(Take *take, guint r, const TakeRank *like);

#endif
