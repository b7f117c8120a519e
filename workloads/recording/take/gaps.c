/*
 * gaps.c - how long operations take, and what of the time before them nothing
 * explains
 *
 * An operation may begin when all that it waits for has ended; what is then
 * left until it did is its gap.  One that began before, as clocks of 1 us have
 * it, is taken to have begun then, and ends when it did.
 */
#include "workloads/recording/take/take.h"

#define LEAST_PS 1000 /* of what ran: clocks are too coarse for less */

static int64_t end_of(const Take *take, const TakeOp *op)
{
    if (op->instance == RECORD_NONE)
        return op->end_ps;
    return record_instance(take->match, op->instance)->end_ps;
}

static int64_t first_begin(const Take *take)
{
    int64_t first_ps = G_MAXINT64;

    for (guint r = 0; r < take->window->spans->len; r++) {
        const RecordSpan *span = record_span(take->window, r);

        if (span->begin_ps != RECORD_NO_TIME)
            first_ps = MIN(first_ps, span->begin_ps);
    }
    return first_ps;
}

/* Since when operation @i could have begun, as @like waits. */
static int64_t ready_ps(const Take *take, const TakeRank *rank,
                        const TakeRank *like, uint32_t i)
{
    const TakeOp *op = take_op(like, i);
    int64_t ready = take_op(rank, i)->floor_ps;

    for (uint32_t d = 0; d < op->n_deps; d++) {
        const TakeDep *dep = take_dep(like, op, d);

        if (!dep->is_before)
            ready = MAX(ready, end_of(take, take_op(rank, dep->op)));
    }
    return ready;
}

static void settle_op(Take *take, TakeOp *op, int64_t ready)
{
    int64_t begin_ps = MAX(op->begin_ps, ready);
    int64_t late_ps = begin_ps - op->begin_ps;

    op->gap_ps = (uint64_t)(begin_ps - ready);
    if (op->kind == TAKE_HOST) {
        take->report.n[REPORT_HOST_WAIT_PS] += (uint64_t)late_ps;
    } else if (late_ps > 0) {
        take->report.n[REPORT_OVERLAPS]++;
        take->report.n[REPORT_OVERLAP_PS] += (uint64_t)late_ps;
    }
    if (op->kind == TAKE_SHARED)
        op->time_ps =
            record_instance_ps(take->recording, take->match,
                               record_instance(take->match, op->instance));
    else
        op->time_ps = (uint64_t)MAX(op->end_ps - begin_ps,
                                    op->kind == TAKE_HOST ? 0 : LEAST_PS);
}

static void settle_plan(Take *take, TakeOp *op)
{
    if (op->kind == TAKE_SHARED)
        op->time_ps =
            record_instance_ps(take->recording, take->match,
                               record_instance(take->match, op->instance));
}

void take_settle(Take *take, guint r, const TakeRank *like)
{
    TakeRank *rank = take_rank(take, r);
    int64_t first_ps = first_begin(take);

    g_assert(like->ops->len == rank->ops->len);
    for (uint32_t i = 0; i < rank->ops->len; i++) {
        TakeOp *op = take_op(rank, i);

        if (op->is_empty)
            continue;
        if (take->is_plan || op->begin_ps == RECORD_NO_TIME)
            settle_plan(take, op);
        else
            settle_op(take, op, MAX(ready_ps(take, rank, like, i), first_ps));
    }
}
