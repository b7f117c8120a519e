/*
 * order.c - which collective goes first
 *
 *   lifo      the newest collective; but where some rank gets nothing
 *             (a root that broadcasts) and so begins the next iteration
 *             while the others are at the last, that of an older
 *             iteration: else the next would overtake the last
 *   fifo      the oldest
 *   priority  the highest priority that the loop gave, then the oldest
 *   fair      between communicators by what they have had, and within each as
 *             fifo: see communicators.h
 *
 * An all-to-all goes before everything else under lifo and fifo, because the
 * loop stands still until it is through [ASTRASIM].
 *
 * What is in flight is served in the same order wherever it waits: for links,
 * the bus, movers, the units of an endpoint.  Served in the order of intake
 * instead, what is urgent waited behind all of a large window: on 4x2x2
 * comp-opt took 1406 us an iteration of ResNet-50 with a window of 16, and 1584
 * with 256.  Without preemption the order of intake is the order.
 */
#include "models/run/admit/order.h"

gboolean order_before(const CollInstance *a, const CollInstance *b,
                      SchedulerKind kind)
{
    gboolean a_urgent = coll_is_exchange(a->plan->kind);
    gboolean b_urgent = coll_is_exchange(b->plan->kind);

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

/* Of 31 bits.  The oldest first, and of those as old the newest. */
static uint64_t lifo_rank(const CollInstance *coll)
{
    const uint64_t ages = (1 << AGE_BITS) - 1, seqs = (1 << SEQ_BITS) - 1;

    if (!coll->has_age)
        return INT32_MAX - (coll->seq & INT32_MAX);
    return (coll->age & ages) << SEQ_BITS | (seqs - (coll->seq & seqs));
}

/*
 * The 56 bits that a message's key has room for: a rank of 32, the chunk within
 * its collective.  Where ranks wrap, after 2^31 collectives (2^16 of a
 * priority; where they have ages, 2^20 and 2^11 iterations), the few that are
 * under way then go in another order.
 */
uint64_t order_of_chunk(const CollInstance *coll, uint32_t index, uint64_t seq)
{
    SchedulerKind kind = coll->system->scheduler;
    uint64_t rank;

    if (!coll->system->config->collectives.preempt || kind == SCHEDULER_FAIR)
        return seq; /* under the latter, NPUs have orders of their own */
    if (kind == SCHEDULER_PRIORITY) {
        rank = UINT16_MAX - MIN(coll->priority, UINT16_MAX);
        rank = rank << 16 | (coll->seq & UINT16_MAX);
    } else {
        rank = coll->seq & INT32_MAX;
        if (kind == SCHEDULER_LIFO)
            rank = lifo_rank(coll);
        if (!coll_is_exchange(coll->plan->kind))
            rank |= UINT64_C(1) << 31;
    }
    return rank << 24 | index;
}

/* Of 1,024 communicators each has its own; 2^46 of 256 B are 16 PiB. */
#define COMMUNICATOR_BITS 10

uint64_t order_of_tag(uint64_t tag, uint32_t communicator)
{
    const uint64_t mask = (1 << COMMUNICATOR_BITS) - 1;

    return tag << COMMUNICATOR_BITS | (communicator & mask);
}

uint64_t tag_of_order(uint64_t order)
{
    return order >> COMMUNICATOR_BITS;
}
