/*
 * packet_impl.h - what packets, and what waits for a link, are; for packet.c,
 * packet_order.c and packet_limits.c
 */
#ifndef NETWORK_TRANSPORT_PACKET_IMPL_H
#define NETWORK_TRANSPORT_PACKET_IMPL_H

#include "network/deadlock.h"
#include "network/transport/fair_share.h"
#include "network/transport/packet.h"

#define NONE       SIM_HEAP_EMPTY
#define N_CHANNELS TOPOLOGY_N_CHANNELS

/* A message that has not arrived. */
typedef struct {
    uint64_t order_hi, order_lo;
    uint64_t bytes, unsent_bytes, missing_bytes;
    uint32_t dst, src;
    uint32_t place;   /* of the source, seen from the destination, */
    uint32_t end;     /* and which of those that differ that is */
    SimHeapLink link; /* among those that set out */
    uint8_t way, flow;
} Message;

/* The room at a link's far end that a packet occupies. */
typedef struct {
    uint32_t link; /* NONE: where it set out */
    uint32_t channel;
} Place;

typedef struct {
    uint32_t message;
    uint32_t n_hops;
    uint64_t index, bytes; /* in its message */
    SimTime arrival_ps;    /* at this node */
    uint64_t start_bytes;  /* of its flow, here; 0 where there is one */
    Place here, there;     /* there: on the way to, or waiting for */
    SimHeapLink link;      /* among those that pass, or that are free */
} Packet;

typedef struct {
    uint32_t passing[N_CHANNELS]; /* heaps of packets; NONE: empty */
    uint32_t begun;         /* the message that sets out; NONE: between two */
    uint32_t setting_out;   /* others, a heap by key; NONE: none */
    uint32_t n_idle;        /* links */
    uint32_t far;           /* the node where it leads */
    uint32_t start_channel; /* of what sets out over it */
    gboolean is_armed;      /* a service event is due in this instant */
    uint64_t bytes_per_s;
    uint64_t room_bytes[N_CHANNELS];
    NetPortStats stats;
    FairShare share; /* of several flows */
} Link;

typedef struct PacketLimits PacketLimits; /* packet_limits.c */

struct PacketNetwork {
    SimEngine *engine;        /* borrowed */
    const Topology *topology; /* borrowed */
    uint64_t packet_bytes, buffer_bytes;
    PacketDeliverFn deliver;
    gpointer self;         /* borrowed */
    Fold *alike;           /* owned: all that cannot be told apart */
    uint32_t n_ports;      /* of a unit */
    uint32_t n_flows;      /* 0: one */
    NetworkFlowFn flow_of; /* with several */
    gpointer flow_self;    /* borrowed: of .flow_of */
    Link *links;           /* owned: by the topology's numbers */
    PacketLimits *limits;  /* owned; NULL: there are none */
    Message *messages;     /* owned, by the caller's numbers */
    Packet *packets;       /* owned */
    uint32_t n_message_slots, n_packets, n_packet_slots, free_list, n_live;
    uint64_t n_hops;
};

/* ---- packet_order.c --------------------------------------------------- */

/* Takes the first packet that waits for @link and finds room, makes it if its
 * message sets out, and returns it; NONE: there is none. */
uint32_t packet_take_first(PacketNetwork *net, Link *link);
/* Its message; or NONE. */
uint32_t packet_first_message(PacketNetwork *net, Link *link);
/* Which of two messages goes first where they wait for different links. */
gboolean packet_message_before(const PacketNetwork *net, uint32_t a,
                               uint32_t b);
/* @packet waits for @link, to pass. */
void packet_pass(PacketNetwork *net, Link *link, uint32_t packet);
/* @message sets out over @link. */
void packet_set_out(PacketNetwork *net, Link *link, uint32_t message);
/* Done with it. */
void packet_free(PacketNetwork *net, uint32_t packet);

/* ---- packet_limits.c -------------------------------------------------- */

/* Puts the first packet that waits for @link on one of its links. */
typedef void (*PacketTransmitFn)(PacketNetwork *net, Link *link,
                                 SimTime now_ps);

/* NULL where @net's topology has no limits. */
PacketLimits *packet_limits_new(PacketNetwork *net,
                                PacketTransmitFn transmit_first);
void packet_limits_free(PacketLimits *limits);
/* TRUE: link number @link has limits, and what waits for it will be served when
 * they and the link are free. */
gboolean packet_limits_serve(PacketNetwork *net, uint32_t link);
/* A packet of @bytes takes the limits of link number @link. */
void packet_limits_take(PacketNetwork *net, uint32_t link, uint64_t bytes,
                        SimTime now_ps);

#endif
