/*
 * collective_precedence.c - the order in which competing collectives are served
 *
 *   lifo      the newest.  If a rank may receive nothing (the root of a
 *             broadcast) and starts the next iteration before the others end
 *             the last one, a collective of an older iteration precedes;
 *             otherwise the next iteration would overtake the last
 *   fifo      the oldest
 *   priority  the highest priority given by the loop, then the oldest
 *   fair      between communicators by the bytes they have sent, and within
 *             each as fifo: see communicators.h
 *
 * An all-to-all precedes all others under lifo and fifo, because the training
 * loop stands still until it ends [ASTRASIM].
 *
 * Links, the bus, data movers and the units of an endpoint serve chunks in
 * flight in this order, too.  Service in the order of intake would let an
 * urgent chunk wait behind all of a large window: on 4x2x2 comp-opt took 1406
 * us for an iteration of ResNet-50 with a window of 16, and 1584 us with 256.
 * Without preemption the order of intake is the order.
 */
#include "models/run/admit/collective_precedence.h"

gboolean collective_has_precedence(const CollInstance *a, const CollInstance *b,
                                   SchedulerKind kind)
{
    gboolean a_urgent = coll_is_any_all_to_all(a->plan->kind);
    gboolean b_urgent = coll_is_any_all_to_all(b->plan->kind);

    if (kind == SCHEDULER_PRIORITY && a->priority != b->priority)
        return a->priority > b->priority;
    if (kind != SCHEDULER_PRIORITY && a_urgent != b_urgent)
        return a_urgent;
    if (kind == SCHEDULER_LIFO && a->has_age && a->age != b->age)
        return a->age < b->age;
    return kind == SCHEDULER_LIFO ? a->seq > b->seq : a->seq < b->seq;
}

#define AGE_BITS 11
#define SEQ_BITS 20

/* Returns 31 bits that order collectives under lifo: the oldest iteration
 * first, and within an iteration the newest collective. */
static uint64_t lifo_order_bits(const CollInstance *coll)
{
    const uint64_t ages = (1 << AGE_BITS) - 1, seqs = (1 << SEQ_BITS) - 1;

    if (!coll->has_age)
        return INT32_MAX - (coll->seq & INT32_MAX);
    return (coll->age & ages) << SEQ_BITS | (seqs - (coll->seq & seqs));
}

/* Returns 56 bits, which the key of a message has room for: a rank of 32 bits
 * and the index of the chunk.  Ranks wrap around after 2^31 collectives (2^16
 * of one priority; with ages, 2^20 collectives and 2^11 iterations).  The few
 * collectives in flight at that moment are then served in a different order. */
uint64_t priority_of_chunk(const CollInstance *coll, uint32_t index,
                           uint64_t seq)
{
    SchedulerKind kind = coll->system->plan.scheduler;
    uint64_t rank;

    if (!coll->system->plan.config->collectives.preempt ||
        kind == SCHEDULER_FAIR)
        /* With communicators, each NPU has its own order (Chunk.orders). */
        return seq;
    if (kind == SCHEDULER_PRIORITY) {
        rank = UINT16_MAX - MIN(coll->priority, UINT16_MAX);
        rank = rank << 16 | (coll->seq & UINT16_MAX);
    } else {
        rank = coll->seq & INT32_MAX;
        if (kind == SCHEDULER_LIFO)
            rank = lifo_order_bits(coll);
        if (!coll_is_any_all_to_all(coll->plan->kind))
            rank |= UINT64_C(1) << 31;
    }
    return rank << 24 | index;
}

/* Bits of an order for the communicator: up to 1,024 communicators have
 * distinct orders.  The other 46 bits count units of 256 B, up to 16 PiB. */
#define COMMUNICATOR_BITS 10

uint64_t chunk_priority_from_tag(uint64_t tag, uint32_t communicator)
{
    const uint64_t mask = (1 << COMMUNICATOR_BITS) - 1;

    return tag << COMMUNICATOR_BITS | (communicator & mask);
}

uint64_t tag_in_chunk_priority(uint64_t order)
{
    return order >> COMMUNICATOR_BITS;
}
