/*
 * scheduler.c - which collective's next chunk goes first
 *
 *   lifo      the newest collective
 *   fifo      the oldest
 *   priority  the highest priority that the loop gave, then the oldest
 *
 * An all-to-all goes before everything else under lifo and fifo, because the
 * loop stands still until it is through [ASTRASIM].  With preemption the
 * choice is made anew for every chunk, without it a collective that has begun
 * is finished first.
 */
#include "models/endpoint_impl.h"

static gboolean before(const CollInstance *a, const CollInstance *b,
                       SchedulerKind kind)
{
    gboolean a_urgent = a->plan->kind == COLL_ALL_TO_ALL;
    gboolean b_urgent = b->plan->kind == COLL_ALL_TO_ALL;

    if (kind == SCHEDULER_PRIORITY && a->priority != b->priority)
        return a->priority > b->priority;
    if (kind != SCHEDULER_PRIORITY && a_urgent != b_urgent)
        return a_urgent;
    return kind == SCHEDULER_LIFO ? a->seq > b->seq : a->seq < b->seq;
}

static CollInstance *choose(Npu *npu)
{
    const CollectiveConfig *config = &npu->system->config->collectives;
    CollInstance *best = NULL;

    if (npu->favoured)
        return npu->favoured;
    for (guint i = 0; i < npu->pending->len; i++) {
        CollInstance *coll = g_ptr_array_index(npu->pending, i);

        if (!best || before(coll, best, (SchedulerKind)config->scheduler))
            best = coll;
    }
    if (!config->preempt)
        npu->favoured = best;
    return best;
}

static uint64_t next_chunk_bytes(const Npu *npu, const CollInstance *coll)
{
    uint64_t chunk_bytes = npu->system->config->collectives.chunk_bytes;

    return MIN(chunk_bytes, coll->payload_bytes -
                                coll->parts[npu->id].next_chunk * chunk_bytes);
}

void scheduler_pump(Npu *npu)
{
    const CollectiveConfig *config = &npu->system->config->collectives;

    while (npu->pending->len > 0 && npu->n_in_flight < config->window) {
        CollInstance *coll = choose(npu);

        if (!npu->endpoint->ops->may_start(npu->endpoint,
                                           next_chunk_bytes(npu, coll)))
            return;
        if (coll->parts[npu->id].next_chunk + 1 == coll->n_chunks) {
            g_ptr_array_remove(npu->pending, coll);
            npu->favoured = NULL;
        }
        pipeline_start(npu, coll);
    }
}

void scheduler_add(Npu *npu, CollInstance *coll)
{
    g_ptr_array_add(npu->pending, coll);
    scheduler_pump(npu);
}
