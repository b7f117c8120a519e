/*
 * op_gaps.c - times of operations, and the gaps before them
 *
 * An operation may begin when all its dependencies have ended; the time from
 * then until its begin is its gap.  If it began earlier, because clocks have
 * steps of 1 us, its begin is moved to that time and its end stays.
 */
#include "workloads/recording/trace_to_program/replay.h"

/* Minimum time of an operation that ran, because coarse clocks may show 0. */
#define MIN_PS 1000

static int64_t end_ps_of_op(const Replay *replay, const ReplayOp *op)
{
    if (op->instance == RECORD_NONE)
        return op->end_ps;
    return record_instance(replay->match, op->instance)->end_ps;
}

static int64_t first_begin_of_window(const Replay *replay)
{
    int64_t first_ps = G_MAXINT64;

    for (guint r = 0; r < replay->window->spans->len; r++) {
        const RecordSpan *span = record_span_of_rank(replay->window, r);

        if (span->begin_ps != RECORD_NO_TIME)
            first_ps = MIN(first_ps, span->begin_ps);
    }
    return first_ps;
}

/* Returns the earliest begin of operation @i with the dependencies of
 * @reference. */
static int64_t op_ready_ps(const Replay *replay, const ReplayRank *rank,
                           const ReplayRank *reference, uint32_t i)
{
    const ReplayOp *op = replay_op(reference, i);
    int64_t ready = replay_op(rank, i)->floor_ps;

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const ReplayDep *dep = replay_dep(reference, op, d);

        if (!dep->is_before)
            ready = MAX(ready, end_ps_of_op(replay, replay_op(rank, dep->op)));
    }
    return ready;
}

static void set_op_times(Replay *replay, ReplayOp *op, int64_t ready)
{
    int64_t begin_ps = MAX(op->begin_ps, ready);
    int64_t late_ps = begin_ps - op->begin_ps;

    op->gap_ps = (uint64_t)(begin_ps - ready);
    if (op->kind == REPLAY_HOST) {
        replay->report.n[REPORT_HOST_WAIT_PS] += (uint64_t)late_ps;
    } else if (late_ps > 0) {
        replay->report.n[REPORT_OVERLAPS]++;
        replay->report.n[REPORT_OVERLAP_PS] += (uint64_t)late_ps;
    }
    if (op->kind == REPLAY_SHARED)
        op->time_ps =
            record_instance_ps(replay->recording, replay->match,
                               record_instance(replay->match, op->instance));
    else
        op->time_ps = (uint64_t)MAX(op->end_ps - begin_ps,
                                    op->kind == REPLAY_HOST ? 0 : MIN_PS);
}

static void set_planned_op_time(Replay *replay, ReplayOp *op)
{
    if (op->kind == REPLAY_SHARED)
        op->time_ps =
            record_instance_ps(replay->recording, replay->match,
                               record_instance(replay->match, op->instance));
}

void replay_set_times(Replay *replay, guint r, const ReplayRank *reference)
{
    ReplayRank *rank = replay_rank(replay, r);
    int64_t first_ps = first_begin_of_window(replay);

    g_assert(reference->ops->len == rank->ops->len);
    for (uint32_t i = 0; i < rank->ops->len; i++) {
        ReplayOp *op = replay_op(rank, i);

        if (op->is_empty)
            continue;
        if (replay->is_plan || op->begin_ps == RECORD_NO_TIME)
            set_planned_op_time(replay, op);
        else
            set_op_times(
                replay, op,
                MAX(op_ready_ps(replay, rank, reference, i), first_ps));
    }
}
