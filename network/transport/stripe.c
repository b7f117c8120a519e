/* stripe.c - packets over parallel links, without looking at each packet */
#include "network/transport/stripe.h"

#include "sim/core/engine.h"

static SimTime capped_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return MIN(sim_time_from_bytes(bytes, bytes_per_s), SIM_ENGINE_MAX_PS);
}

/* @n packets of @packet_bytes, which may be more than there are bytes. */
static SimTime packets_ps(uint64_t n, uint64_t packet_bytes,
                          uint64_t bytes_per_s)
{
    SimWide bytes = (SimWide)n * packet_bytes;

    return capped_ps((uint64_t)MIN(bytes, UINT64_MAX), bytes_per_s);
}

StripeTimes stripe_times(uint64_t bytes, uint64_t packet_bytes,
                         uint64_t bytes_per_s, uint32_t n_links)
{
    uint64_t size = MIN(bytes, packet_bytes), n;
    StripeTimes times = {
        .message_ps = capped_ps(bytes, bytes_per_s),
        .packet_ps = capped_ps(size, bytes_per_s),
    };

    if (n_links == 1)
        return times;
    n = times.n_packets = (bytes - 1) / size + 1;
    times.n_more = (uint32_t)(n % n_links);
    times.less_ps = packets_ps(n / n_links, size, bytes_per_s);
    times.more_ps = packets_ps(n / n_links + 1, size, bytes_per_s);
    times.fewer_ps = packets_ps((n - 1) / (n_links - 1) + 1, size, bytes_per_s);
    times.short_ps =
        times.packet_ps - capped_ps(bytes - (n - 1) * size, bytes_per_s);
    return times;
}

/* Only the few that were taken are out of their order. */
static void sort(SimTime *free_ps, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        SimTime moved_ps = free_ps[i];
        uint32_t at = i;

        for (; at > 0 && free_ps[at - 1] > moved_ps; at--)
            free_ps[at] = free_ps[at - 1];
        free_ps[at] = moved_ps;
    }
}

/* Of the first @n links. */
static uint32_t find_last(const SimTime *free_ps, uint32_t n)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i < n; i++)
        if (free_ps[i] > free_ps[last])
            last = i;
    return last;
}

/* As many links as keep up with packets that come until @least_ps. */
static uint32_t n_needed(const StripeTimes *times, uint32_t n_links,
                         SimTime now_ps, SimTime least_ps)
{
    uint64_t n;

    if (n_links == 1 || now_ps + times->fewer_ps >= least_ps)
        return n_links;
    n = (times->message_ps - 1) / (least_ps - now_ps) + 1;
    return (uint32_t)MIN(n, n_links);
}

/* Whether all packets go over the first @n links before the next is free. */
static gboolean are_enough(const SimTime *free_ps, uint32_t n,
                           const StripeTimes *times)
{
    uint64_t n_packets = 0;

    for (uint32_t i = 0; i < n; i++)
        if (free_ps[n] > free_ps[i])
            n_packets += (free_ps[n] - free_ps[i] - 1) / times->packet_ps + 1;
    return n_packets >= times->n_packets;
}

/* Raises all links that a message takes to one level, in whole packets: the
 * first @n at most.  Returns how many it takes. */
static uint32_t fill(SimTime *free_ps, uint32_t n, const StripeTimes *times)
{
    SimWide work_ps = (SimWide)times->n_packets * times->packet_ps;
    SimWide sum_ps = work_ps + free_ps[0];
    uint64_t n_left = times->n_packets;
    uint32_t n_taken = 1;

    if (work_ps > SIM_ENGINE_MAX_PS) {
        free_ps[0] += SIM_ENGINE_MAX_PS; /* it never arrives */
        return 1;
    }
    while (n_taken < n && (SimWide)free_ps[n_taken] * n_taken < sum_ps)
        sum_ps += free_ps[n_taken++];
    while (n_taken > 1 && are_enough(free_ps, n_taken - 1, times))
        sum_ps -= free_ps[--n_taken];
    for (uint32_t i = 0; i < n_taken; i++) {
        SimTime below_ps = (SimTime)(sum_ps / n_taken) - free_ps[i];
        uint64_t n_here = below_ps / times->packet_ps;

        free_ps[i] += n_here * times->packet_ps;
        n_left -= n_here;
    }
    g_assert(n_left <= n_taken);
    /* Each of what is left goes where it can go first. */
    for (; n_left > 0; n_left--) {
        sort(free_ps, n_taken);
        free_ps[0] += times->packet_ps;
    }
    return n_taken;
}

/* All links are taken in turn: they are free within a packet's time. */
static uint32_t take_turns(SimTime *free_ps, uint32_t n,
                           const StripeTimes *times)
{
    n = (uint32_t)MIN(n, times->n_packets);
    for (uint32_t i = 0; i < n; i++)
        free_ps[i] += i < times->n_more ? times->more_ps : times->less_ps;
    return n;
}

static G_GNUC_NO_INLINE Stripe take_many(SimTime *free_ps, uint32_t n_links,
                                         const StripeTimes *times,
                                         SimTime now_ps, SimTime least_ps)
{
    uint32_t n = n_needed(times, n_links, now_ps, least_ps), last;
    Stripe stripe = { 0, 0 };

    for (uint32_t i = 0; i < n_links; i++) {
        free_ps[i] = MAX(free_ps[i], now_ps);
        stripe.busy_ps -= free_ps[i];
    }
    if (n == n_links &&
        (times->n_packets == 1 || free_ps[n - 1] - now_ps <= times->packet_ps))
        n = take_turns(free_ps, n, times);
    else
        n = fill(free_ps, n, times);
    last = find_last(free_ps, n);
    free_ps[last] -= times->short_ps;
    last = find_last(free_ps, n);
    free_ps[last] = stripe.end_ps = MAX(free_ps[last], least_ps);
    for (uint32_t i = 0; i < n_links; i++)
        stripe.busy_ps += free_ps[i];
    sort(free_ps, n_links);
    return stripe;
}

Stripe stripe_take(SimTime *free_ps, uint32_t n_links, const StripeTimes *times,
                   SimTime now_ps, SimTime least_ps)
{
    SimTime end_ps;

    g_assert(free_ps[0] <= now_ps);
    if (n_links > 1)
        return take_many(free_ps, n_links, times, now_ps, least_ps);
    end_ps = MAX(now_ps + times->message_ps, least_ps);
    free_ps[0] = end_ps;
    return (Stripe){ end_ps, end_ps - now_ps };
}
