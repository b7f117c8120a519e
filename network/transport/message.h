/*
 * message.h - what a network keeps of each message, and which of two goes first
 *
 * Units    bytes, ps
 * Owner    the network: see network.h
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_H
#define NETWORK_TRANSPORT_MESSAGE_H

#include "sim/core/heap.h"
#include "sim/core/time.h"

/* What becomes of a message in a switch that adds: see meeting.h. */
enum { NET_MEETS_NOT, NET_MEETS_ADDING, NET_MEETS_GATHERING, NET_HAS_MET };

/* A line of the cache, and in an array that begins with one. */
typedef struct {
    /* set by the sender */
    uint64_t order_hi, order_lo; /* the same at every NPU; least first */
    uint64_t bytes;              /* > 0 */
    uint32_t cookie;             /* the sender's, handed over untouched */
    uint32_t dst;                /* NPU, as seen by the sender; its place
                                  * among those simulated, once it is there */
    uint8_t flags;               /* the sender's as well */
    uint8_t way;                 /* see topology_next() */
    uint8_t meets; /* NET_MEETS_NOT ...; else .dst is the sender, .way
                    * leads up, and */
    uint8_t leads; /* others follow: see network_let_follow() */
    union {
        uint32_t other_bytes; /* > 0 come down for it (once it is down: went
                               * up); undefined elsewhere */
        uint32_t sender;      /* of one that leads: the sender's, untouched */
    };
    /* the network's own */
    uint32_t n_hops;
    union {
        uint32_t first_link; /* to take, until it is sent: see
                              * network_first_link() */
        uint32_t at;         /* the node its head is on the way to */
        uint32_t feed;       /* while it waits there: how long its bytes take
                              * to come in, see shares.c */
    };
    SimHeapLink link; /* his who has it: once it is there, the receiver's */
    SimTime tail_ps;
} NetMessage;

G_STATIC_ASSERT(sizeof(NetMessage) == 64);

/* The order of two messages that wait for a link. */
static inline gboolean network_before(const NetMessage *a, const NetMessage *b)
{
    return a->order_hi < b->order_hi ||
           (a->order_hi == b->order_hi &&
            (a->order_lo < b->order_lo ||
             (a->order_lo == b->order_lo && a->n_hops < b->n_hops)));
}

/* What comes in for each @m that is sent; of what came, the reverse. */
static inline uint64_t network_bytes_back(const NetMessage *m)
{
    return m->meets == NET_MEETS_NOT ? m->bytes : m->other_bytes;
}

#endif
