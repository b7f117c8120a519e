/*
 * packet_network_impl.h - the representation of packets and links, for
 * packet_network.c, packet_order.c and packet_limits.c
 */
#ifndef NETWORK_TRANSPORT_PACKET_NETWORK_IMPL_H
#define NETWORK_TRANSPORT_PACKET_NETWORK_IMPL_H

#include "network/deadlock_check.h"
#include "network/transport/fair_share.h"
#include "network/transport/packet_network.h"

#define NONE       SIM_HEAP_EMPTY
#define N_CHANNELS TOPOLOGY_N_CHANNELS

/* A message that has not been delivered. */
typedef struct {
    uint64_t order_hi, order_lo;
    uint64_t bytes, unsent_bytes, missing_bytes;
    uint32_t dst, src;
    /* Position of the source relative to the destination. */
    uint32_t position;
    uint32_t end;     /* symmetry class of the destination */
    SimHeapLink link; /* link in the heap of starting messages */
    uint8_t path_id, flow;
} Message;

/* A part of a buffer that a packet occupies, at the far end of a link. */
typedef struct {
    uint32_t link; /* NONE: at the source of the message */
    uint32_t channel;
} BufferSlot;

typedef struct {
    uint32_t message;
    uint32_t n_hops;
    uint64_t index;     /* number of the packet within its message */
    uint64_t bytes;     /* size of the packet */
    SimTime arrival_ps; /* arrival at the current node */
    /* The start tag that the flow had when the packet was queued for this link;
     * 0 with a single flow. */
    uint64_t start_bytes;
    BufferSlot buffer, next_buffer; /* buffer occupied now, and the next one */
    /* Link in the heap of passing packets or in the free list. */
    SimHeapLink link;
} Packet;

typedef struct {
    uint32_t passing[N_CHANNELS]; /* heaps of packets by channel; NONE: empty */
    /* The message that started here and has unsent packets; NONE: none. */
    uint32_t started_message;
    /* The heap, by key, of messages that have sent no packet; NONE: none. */
    uint32_t starting_messages;
    uint32_t n_idle;        /* number of idle parallel links */
    uint32_t far_node;      /* node at the far end of the link */
    uint32_t start_channel; /* virtual channel of packets that start here */
    gboolean is_armed;      /* a service event is due at this instant */
    uint64_t bytes_per_s;
    uint64_t room_bytes[N_CHANNELS];
    NetPortStats stats;
    FairShare share; /* fair queueing; used only if there are several flows */
} Link;

typedef struct PacketLimits PacketLimits; /* packet_limits.c */

struct PacketNetwork {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes, buffer_bytes;
    PacketDeliverFn deliver;
    gpointer self; /* borrowed: argument of .deliver */
    /* Owned: the classes of NPUs that cannot be distinguished. */
    SymmetryFold *fold;
    uint32_t n_ports;      /* number of ports of a unit */
    uint32_t n_flows;      /* number of flows; 0: a single flow */
    NetworkFlowFn flow_of; /* returns the flow of a message, if several */
    gpointer flow_self;    /* borrowed: argument of .flow_of */
    Link *links;           /* owned: by link number of the topology */
    PacketLimits *limits;  /* owned; NULL: there are no limits */
    Message *messages;     /* owned: by the caller's message number */
    Packet *packets;       /* owned: the records of all packets */
    uint32_t n_message_slots, n_packets, n_packet_slots, free_list, n_live;
    uint64_t n_hops;
};

/* ---- packet_order.c --------------------------------------------------- */

/* Removes and returns the first packet that waits for @link and fits into the
 * next buffer.  Creates the packet if its message starts here.  Returns NONE if
 * there is none. */
uint32_t packet_take_next_of_link(PacketNetwork *net, Link *link);
/* Returns the message of the packet that packet_take_next_of_link() would
 * return, or NONE. */
uint32_t packet_next_message_for_link(PacketNetwork *net, Link *link);
/* Returns whether message @a precedes @b if they wait for different links. */
gboolean packet_message_precedes(const PacketNetwork *net, uint32_t a,
                                 uint32_t b);
/* Queues the passing packet @packet for @link. */
void packet_enqueue_passing(PacketNetwork *net, Link *link, uint32_t packet);
/* Queues the starting message @message for @link. */
void packet_start_message(PacketNetwork *net, Link *link, uint32_t message);
/* Returns the record of @packet to the list of free records. */
void packet_free(PacketNetwork *net, uint32_t packet);

/* ---- packet_limits.c -------------------------------------------------- */

/* Sends the first packet that waits for @link. */
typedef void (*PacketTransmitFn)(PacketNetwork *net, Link *link,
                                 SimTime now_ps);

/* Returns the limits of @net, or NULL if its topology has none. */
PacketLimits *packet_limits_new(PacketNetwork *net,
                                PacketTransmitFn transmit_first);
void packet_limits_free(PacketLimits *limits);
/* Returns whether link number @link has limits.  If so, its packets will be
 * sent when the limits and the link are free. */
gboolean packet_limits_serve_link(PacketNetwork *net, uint32_t link);
/* Occupies the limits of link number @link with a packet of @bytes. */
void packet_limits_occupy(PacketNetwork *net, uint32_t link, uint64_t bytes,
                          SimTime now_ps);

#endif
