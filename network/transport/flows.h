/*
 * flows.h - a link that several flows want is shared by them evenly
 *
 * A message's key says which of one workload's goes first.  Of several that
 * know nothing of each other none does: what waits of each flow is served in
 * its own order, and of the flows the one that has had least, counted from
 * when it last had something waiting (start-time fair queueing).
 * Messages, or packets where those are moved, are not cut for it.
 *
 * Order    by what each flow has had, then by its number
 * Units    bytes
 * Owner    who has called flow_share_init() clears
 * Sources  Goyal, Vin, Cheng: Start-time Fair Queueing, SIGCOMM 1996, recalled
 * Assumes  limits that links have together (limits.c) are still taken in the
 *          order of keys
 */
#ifndef NETWORK_TRANSPORT_FLOWS_H
#define NETWORK_TRANSPORT_FLOWS_H

#include <glib.h>
#include <stdint.h>

/* Of one link. */
typedef struct {
    uint64_t now_bytes;   /* where the flow stood that was served last */
    uint64_t *ends_bytes; /* owned, by flow: where what it has waiting begins */
} FlowShare;

static inline void flow_share_init(FlowShare *share, uint32_t n_flows)
{
    *share = (FlowShare){ .ends_bytes = g_new0(uint64_t, n_flows) };
}

static inline void flow_share_clear(FlowShare *share)
{
    g_clear_pointer(&share->ends_bytes, g_free);
}

/* Where @flow would be served, the least first. */
static inline uint64_t flow_share_start(const FlowShare *share, uint32_t flow)
{
    return MAX(share->now_bytes, share->ends_bytes[flow]);
}

#endif
