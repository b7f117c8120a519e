/*
 * stripe.h - how a message takes the parallel links of a port
 *
 * Its packets go one after another over whichever link is free first, so that
 * n links act like one of n times the rate, but for whole packets and for the
 * first one, which comes at one link's rate.  With P packets of t() each, and
 * links free at f_0 <= f_1 <= ...,
 *
 *     begins             s = when it is its turn and a link is free, >= f_0
 *     link r ends        max(s, f_r) + k_r t(packet), the k_r adding up to P
 *                        such that no packet could have gone earlier; the
 *                        last may be short
 *     the message ends   with the last of its links
 *
 * and no link is taken by a message of fewer packets than links.  One link is
 * taken for t(message).  A message whose packets come more slowly than the
 * links could send them takes as few links as can keep up with them, and one
 * to the end.
 *
 * Differs  from packet.h on a way whose ports have different numbers of links:
 *          what comes over n of them comes n packets at a time, so that over
 *          fewer links the last packets wait for each other.  Here only the
 * very last one is waited for: a message ends early by less than n times
 *          t(packet) of the next port.  Of 2,000 messages of 16 to 400 packets,
 *          each alone on 4 hops of 1 to 6 links of 5 to 40 GB/s, 12 are more
 *          than 1 % early; the mean is 0.06 %, the worst 2.0 %.
 * Order    free times ascend: parallel links are all alike
 * Units    bytes, ps
 * Sources  derived: what packet.h does, packet by packet
 */
#ifndef NETWORK_TRANSPORT_STRIPE_H
#define NETWORK_TRANSPORT_STRIPE_H

#include "sim/core/time.h"

#define STRIPE_MAX_LINKS 64 /* of a port: no topology has more */

/* What a message of one length takes on a port's links.  Capped so that no
 * sum of a few times overflows. */
typedef struct {
    SimTime message_ps; /* on one link alone */
    SimTime packet_ps;  /* the first, no longer than the message */
    /* the rest where there are several links */
    uint64_t n_packets;
    /* taking turns: the first .n_more links carry one packet more */
    SimTime more_ps, less_ps;
    SimTime fewer_ps; /* taking turns on all links but one; one has none */
    SimTime short_ps; /* that the last packet is shorter */
    SimTime all_ps;   /* taking turns: summed over all links */
    uint32_t n_more;
} StripeTimes;

StripeTimes stripe_times(uint64_t bytes, uint64_t packet_bytes,
                         uint64_t bytes_per_s, uint32_t n_links);

typedef struct {
    SimTime end_ps;  /* of its last link */
    SimTime busy_ps; /* summed over its links */
} Stripe;

/* Puts a message on @n_links links, the first of which is free now; it ends
 * at @least_ps or later, when its last packet has come and gone. */
Stripe stripe_take(SimTime *free_ps, uint32_t n_links, const StripeTimes *times,
                   SimTime now_ps, SimTime least_ps);

#endif
