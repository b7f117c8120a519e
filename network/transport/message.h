/*
 * message.h - the record of a message in a network, and the order of messages
 *
 * Units    bytes, ps
 * Owner    the network: see network.h
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_H
#define NETWORK_TRANSPORT_MESSAGE_H

#include "sim/core/pairing_heap.h"
#include "sim/core/time.h"

/* Role of a message in an in-switch reduction: see in_switch_reduction.h. */
enum {
    NET_REDUCTION_NONE,
    NET_REDUCTION_ADDS,
    NET_REDUCTION_GATHERS,
    NET_REDUCTION_DONE
};

/* One record fills one cache line, in an array that is aligned to cache
 * lines. */
typedef struct {
    /* The sender sets the fields from here to .sender.  A link serves the
     * message with the smallest (order_hi, order_lo) first. */
    uint64_t order_hi, order_lo;
    uint64_t bytes;  /* size of the message, > 0 */
    uint32_t cookie; /* private value of the sender, passed on unchanged */
    /* An NPU as seen by the sender; after arrival, its index among the
     * simulated NPUs. */
    uint32_t dst;
    uint8_t flags;   /* private value of the sender, passed on unchanged */
    uint8_t path_id; /* the path id, see topology_next_link() */
    /* The role in an in-switch reduction.  Unless it is NET_REDUCTION_NONE,
     * .dst is the sender itself, .path_id leads up to the switch, and
     * .other_bytes is set. */
    uint8_t reduction_role;
    /* When the message begins, the sender creates the next one: see
     * network_set_on_demand_sender(). */
    uint8_t sends_next_on_demand;
    union {
        /* Bytes > 0 that come down from the switch; once it has come down, the
         * bytes that went up; undefined for NET_REDUCTION_NONE. */
        uint32_t other_bytes;
        uint32_t
            sender; /* if .sends_next_on_demand: private value of the sender */
    };
    /* The network sets the fields from here on. */
    uint32_t n_hops;
    union {
        /* Before sending: the first link, see network_first_link_of_path(). */
        uint32_t first_link;
        /* While the message is in flight: the node that its head will reach. */
        uint32_t next_node;
        /* While the message waits at a node: the encoded time from the arrival
         * of its head to that of its tail, see shared_links.c. */
        uint32_t feed;
    };
    /* A link for the list or heap that contains the message; after the arrival
     * it is for use by the receiver. */
    SimHeapLink link;
    SimTime tail_ps;
} NetMessage;

G_STATIC_ASSERT(sizeof(NetMessage) == 64);

/* Returns whether @first precedes @second if both wait for the same link. */
static inline gboolean network_message_before(const NetMessage *first,
                                              const NetMessage *second)
{
    return first->order_hi < second->order_hi ||
           (first->order_hi == second->order_hi &&
            (first->order_lo < second->order_lo ||
             (first->order_lo == second->order_lo &&
              first->n_hops < second->n_hops)));
}

/* For a message to be sent, returns the number of bytes that arrive in return;
 * for a message that has arrived, the number of bytes that were sent. */
static inline uint64_t
message_bytes_of_opposite_direction(const NetMessage *message)
{
    return message->reduction_role == NET_REDUCTION_NONE ? message->bytes
                                                         : message->other_bytes;
}

#endif
