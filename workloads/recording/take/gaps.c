/*
 * gaps.c - times of operations, and the gaps before them
 *
 * An operation may begin when all its dependencies have ended; the time from
 * then until its begin is its gap.  If it began earlier, because clocks have
 * steps of 1 us, its begin is moved to that time and its end stays.
 */
#include "workloads/recording/take/take.h"

/* The minimum time of operations that ran, as clocks are too coarse for less.
 */
#define MIN_PS 1000

static int64_t end_of(const Take *replay, const TakeOp *op)
{
    if (op->instance == RECORD_NONE)
        return op->end_ps;
    return record_instance(replay->match, op->instance)->end_ps;
}

static int64_t first_begin(const Take *replay)
{
    int64_t first_ps = G_MAXINT64;

    for (guint r = 0; r < replay->window->spans->len; r++) {
        const RecordSpan *span = record_span(replay->window, r);

        if (span->begin_ps != RECORD_NO_TIME)
            first_ps = MIN(first_ps, span->begin_ps);
    }
    return first_ps;
}

/* Returns the earliest begin of operation @i with the dependencies of
 * @reference. */
static int64_t ready_ps(const Take *replay, const TakeRank *rank,
                        const TakeRank *reference, uint32_t i)
{
    const TakeOp *op = take_op(reference, i);
    int64_t ready = take_op(rank, i)->floor_ps;

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const TakeDep *dep = take_dep(reference, op, d);

        if (!dep->is_before)
            ready = MAX(ready, end_of(replay, take_op(rank, dep->op)));
    }
    return ready;
}

static void set_op_times(Take *replay, TakeOp *op, int64_t ready)
{
    int64_t begin_ps = MAX(op->begin_ps, ready);
    int64_t late_ps = begin_ps - op->begin_ps;

    op->gap_ps = (uint64_t)(begin_ps - ready);
    if (op->kind == TAKE_HOST) {
        replay->report.n[REPORT_HOST_WAIT_PS] += (uint64_t)late_ps;
    } else if (late_ps > 0) {
        replay->report.n[REPORT_OVERLAPS]++;
        replay->report.n[REPORT_OVERLAP_PS] += (uint64_t)late_ps;
    }
    if (op->kind == TAKE_SHARED)
        op->time_ps =
            record_instance_ps(replay->recording, replay->match,
                               record_instance(replay->match, op->instance));
    else
        op->time_ps = (uint64_t)MAX(op->end_ps - begin_ps,
                                    op->kind == TAKE_HOST ? 0 : MIN_PS);
}

static void set_plan_time(Take *replay, TakeOp *op)
{
    if (op->kind == TAKE_SHARED)
        op->time_ps =
            record_instance_ps(replay->recording, replay->match,
                               record_instance(replay->match, op->instance));
}

void take_settle(Take *replay, guint r, const TakeRank *reference)
{
    TakeRank *rank = take_rank(replay, r);
    int64_t first_ps = first_begin(replay);

    g_assert(reference->ops->len == rank->ops->len);
    for (uint32_t i = 0; i < rank->ops->len; i++) {
        TakeOp *op = take_op(rank, i);

        if (op->is_empty)
            continue;
        if (replay->is_plan || op->begin_ps == RECORD_NO_TIME)
            set_plan_time(replay, op);
        else
            set_op_times(replay, op,
                         MAX(ready_ps(replay, rank, reference, i), first_ps));
    }
}
