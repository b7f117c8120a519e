/*
 * message_heap.h - the first of many messages: a heap of four, keys and all
 *
 * What is compared lies in the heap itself, four entries beside each other, and
 * no message is looked at: where hundreds wait for each of thousands of links
 * they are nowhere near the processor.  A pairing heap through the messages
 * took two fifths of such a run.
 *
 * Order    by .hi, .lo, then as they came; of two whose .lo are equal and end
 *          in MESSAGE_HEAP_MOST_HOPS, the one that made fewer hops first
 * Assumes  fewer than 2^32 come to one that is never empty; .order_lo < 2^48,
 *          which steps and lanes fill (asserted)
 * Owner    the caller, who gives all back by message_heap_free()
 * Cost     24 bytes an entry, and as much again at most; nothing of one that
 *          was never needed
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_HEAP_H
#define NETWORK_TRANSPORT_MESSAGE_HEAP_H

#include "network/transport/message.h"

typedef struct {
    uint64_t hi, lo;
    uint32_t age;     /* how many came before it */
    uint32_t message; /* its number */
} MessageEntry;

typedef struct {
    uint32_t n_allocated;
    uint32_t next_age; /* 0 again when nothing is left */
    MessageEntry entries[];
} MessageHeap;

/* Hops that an entry tells apart by itself. */
#define MESSAGE_HEAP_MOST_HOPS 0xffff

/* .hi and .lo of what goes by network_before(). */
static inline MessageEntry message_entry_by_key(const NetMessage *m)
{
    g_assert(m->order_lo >> 48 == 0);
    return (MessageEntry){
        .hi = m->order_hi,
        .lo = m->order_lo << 16 | MIN(m->n_hops, MESSAGE_HEAP_MOST_HOPS),
    };
}

/* Adds @entry, all but its .age, to the *@n of *@heap, which is NULL at
 * first. */
void message_heap_push(MessageHeap **heap, uint32_t *n,
                       const NetMessage *messages, MessageEntry entry);

/* Takes the first out of *@n > 0. */
uint32_t message_heap_pop(MessageHeap *heap, uint32_t *n,
                          const NetMessage *messages);

void message_heap_free(MessageHeap *heap);

#endif
