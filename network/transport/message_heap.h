/*
 * message_heap.h - a 4-ary heap of messages with their keys
 *
 * The heap contains the keys, so that comparisons do not touch the messages.
 * If hundreds of messages wait for each of thousands of links, the messages are
 * not in the caches; a pairing heap through the messages took 40 % of such a
 * run.
 *
 * Order    by .hi, .lo, then in order of arrival.  If .lo are equal and end in
 *          MESSAGE_HEAP_MOST_HOPS, the message with fewer hops precedes.
 * Assumes  A heap gets fewer than 2^32 messages before it is empty again.
 *          .order_lo < 2^48, for the step and lane (asserted).
 * Owner    the caller frees the heap by message_heap_free()
 * Cost     at most 48 bytes per entry; none until the first use
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_HEAP_H
#define NETWORK_TRANSPORT_MESSAGE_HEAP_H

#include "network/transport/message.h"

typedef struct {
    uint64_t hi, lo;
    uint32_t age;     /* number of messages that arrived before */
    uint32_t message; /* index of the message in the network */
} MessageEntry;

typedef struct {
    uint32_t n_allocated;
    uint32_t next_age; /* age of the next entry; reset when the heap is empty */
    MessageEntry entries[];
} MessageHeap;

/* A hop count of this or more is not stored in an entry; comparisons then read
 * it from the message. */
#define MESSAGE_HEAP_MOST_HOPS 0xffff

/* Returns the entry of @message for the order of network_message_before(),
 * without .message and .age. */
static inline MessageEntry message_heap_entry_by_key(const NetMessage *message)
{
    g_assert(message->order_lo >> 48 == 0);
    return (MessageEntry){
        .hi = message->order_hi,
        .lo = message->order_lo << 16 |
              MIN(message->n_hops, MESSAGE_HEAP_MOST_HOPS),
    };
}

/* Adds @entry to the heap and sets its .age.  *@n is the number of entries.
 * *@heap is NULL at first. */
void message_heap_push(MessageHeap **heap, uint32_t *n,
                       const NetMessage *messages, MessageEntry entry);

/* Removes the first of the *@n > 0 entries, and returns its message. */
uint32_t message_heap_pop(MessageHeap *heap, uint32_t *n,
                          const NetMessage *messages);

void message_heap_free(MessageHeap *heap);

#endif
