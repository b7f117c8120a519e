/*
 * blink_impl.h - what the parts of the stack `blink` share
 *
 * A draft is what one collective is going to be: its channels, and how fast
 * they are, from which the chunk and the share of the host follow.
 *
 * Units    bytes, ps; rates in bytes of payload a second
 * Owner    who made a draft clears it, or makes a recipe of it
 */
#ifndef MODELS_STACKS_BLINK_IMPL_H
#define MODELS_STACKS_BLINK_IMPL_H

#include "models/packing/trees.h"
#include "models/stacks/near.h"
#include "models/stacks/params.h"
#include "models/stacks/stack.h"

enum {
    BLINK_PACKED,
    BLINK_CHAIN,
};

/* Trees of more ranks without a switch are too many for the integer program:
 * minutes. */
#define BLINK_MOST_MESHED 32

typedef struct {
    StackCommon common;
    int trees; /* BLINK_PACKED or BLINK_CHAIN */
    gboolean hybrid;
    uint64_t launch_ps;
    uint64_t near_step_ps, host_step_ps, network_step_ps;
    uint64_t peer_access_ps;
    uint64_t direct_ppm, broadcast_ppm, all_reduce_ppm; /* of a link's rate */
    uint64_t chunk_bytes; /* CONFIG_AUTO: by the rule: */
    uint64_t chunk_cost_ps, most_chunk_bytes;
} BlinkParams;

typedef struct {
    /* what is asked */
    const Topology *topology;
    const BlinkParams *params;
    CollKind kind;
    uint32_t n, root; /* ranks; the root's */
    uint64_t payload_bytes;
    const uint32_t *npus; /* borrowed: of each rank */
    GPtrArray *packings;  /* borrowed: what is known, see blink_pack() */
    /* what becomes of it */
    GArray *channels;     /* of CollChannel */
    GPtrArray *schedules; /* of owned CollSchedule, which channels borrow */
    uint64_t bytes_per_s; /* of all near channels together */
    uint64_t link_bytes_per_s; /* what a chunk goes at */
    uint64_t n_chunks, chunk_bytes;
    uint32_t n_steps; /* the most of any channel */
    double narrow;    /* see blink_note_hop(): the mean of all hops */
    uint32_t n_hops;  /* of which it is that */
    uint32_t ppm;     /* of a near link's rate: that costs */
    SimTime late_ps;  /* what each step of a host channel is later */
} BlinkDraft;

/* An empty list of packings; each graph is packed once for each use. */
GPtrArray *blink_packings_new(void);
/* Trees on @graph, borrowed from the draft's packings. */
const PackTrees *blink_pack(const BlinkDraft *draft, const PackGraph *graph,
                            PackUse use, uint32_t root);

/* One hop of a channel @n_own links wide over @n_links in parallel.  A channel
 * is so many thread blocks, each of which copies no faster than a link carries,
 * so a chunk takes 1 / n_own of what it takes on one link, where the links
 * would carry it in 1 / n_links. */
void blink_note_hop(BlinkDraft *draft, uint32_t n_own, uint32_t n_links);

/* What a step over near links takes for that, beside the links; after
 * blink_cut(). */
SimTime blink_narrow_ps(const BlinkDraft *draft);

/* @schedule, which is taken over, as a channel on @plane. */
void blink_add(BlinkDraft *draft, CollSchedule *schedule, uint32_t plane,
               uint32_t share);

/* Trees over near links, or over the host where these do not join all.  FALSE:
 * there is no such way, or links are not alike. */
gboolean blink_add_server(BlinkDraft *draft);

/* Parents of the tree in which each of @order[0 .. n-1] has the one before it
 * as its parent; to be freed. */
uint32_t *blink_chain(const uint32_t *order, uint32_t n);

/* What trees over the host reach, one chain through all; 0: nothing. */
uint64_t blink_host_rate(const BlinkDraft *draft);
CollSchedule *blink_host_schedule(const BlinkDraft *draft);

/* Up in each server, across, down again.  @server is the server of each rank,
 * of @n_servers.  FALSE: some server's links cannot be packed. */
gboolean blink_add_servers(BlinkDraft *draft, const uint32_t *server,
                           uint32_t n_servers);

/* Cuts the payload in chunks: as many as channels can share as they should. */
void blink_cut(BlinkDraft *draft);

/* Lets the host carry its part beside near channels; after blink_cut(). */
void blink_add_host(BlinkDraft *draft);

#endif
