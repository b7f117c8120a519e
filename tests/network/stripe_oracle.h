/* stripe_oracle.h - a slow model of network/transport/parallel_link_striping.h
 * that sends packet by packet */
#ifndef TESTS_NETWORK_STRIPE_ORACLE_H
#define TESTS_NETWORK_STRIPE_ORACLE_H

#include <stdlib.h>

#include "network/transport/parallel_link_striping.h"

static inline int stripe_oracle_compare_times(const void *a, const void *b)
{
    SimTime x = *(const SimTime *)a, y = *(const SimTime *)b;

    return x < y ? -1 : x > y;
}

/* Returns the number of links that packets keep busy if they arrive until
 * @least_ps. */
static inline uint32_t stripe_oracle_n_links(uint32_t n, uint64_t bytes,
                                             uint64_t packet_bytes,
                                             uint64_t rate, SimTime s_ps,
                                             SimTime least_ps)
{
    uint64_t n_packets = (bytes - 1) / packet_bytes + 1;
    SimTime packet_ps = sim_time_from_bytes(MIN(bytes, packet_bytes), rate);
    uint32_t needed = 1;

    if (n == 1 ||
        s_ps + ((n_packets - 1) / (n - 1) + 1) * packet_ps >= least_ps)
        return n;
    while (sim_time_from_bytes(bytes, rate) > needed * (least_ps - s_ps))
        needed++;
    return needed;
}

/* Sends each packet over the link that is free first, among the links that the
 * message needs. */
static inline Stripe stripe_oracle(SimTime *free_ps, uint32_t n_links,
                                   uint64_t bytes, uint64_t packet_bytes,
                                   uint64_t rate, SimTime s_ps,
                                   SimTime least_ps)
{
    uint32_t n = stripe_oracle_n_links(n_links, bytes, packet_bytes, rate, s_ps,
                                       least_ps);
    Stripe stripe = { 0, 0 };
    SimTime *last = NULL;

    for (uint32_t l = 0; l < n_links; l++)
        free_ps[l] = MAX(free_ps[l], s_ps);
    qsort(free_ps, n_links, sizeof *free_ps, stripe_oracle_compare_times);
    for (uint32_t l = 0; l < n_links; l++)
        stripe.busy_ps -= free_ps[l];
    while (bytes > 0) {
        uint64_t packet = n_links == 1 ? bytes : MIN(bytes, packet_bytes);
        SimTime *first = free_ps;

        for (uint32_t l = 1; l < n; l++)
            if (free_ps[l] < *first)
                first = &free_ps[l];
        *first += sim_time_from_bytes(packet, rate);
        if (!last || *first > *last)
            last = first;
        bytes -= packet;
    }
    *last = stripe.end_ps = MAX(*last, least_ps);
    for (uint32_t l = 0; l < n_links; l++)
        stripe.busy_ps += free_ps[l];
    return stripe;
}

#endif
