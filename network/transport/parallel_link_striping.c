/* parallel_link_striping.c - packets over parallel links, computed without a
 * loop over packets */
#include "network/transport/parallel_link_striping.h"

#include <string.h>

#include "sim/core/engine.h"

typedef SimTime TwoTimes
    __attribute__((vector_size(2 * sizeof(SimTime)), aligned(sizeof(SimTime))));

static SimTime transfer_time_up_to_max_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return MIN(sim_time_from_bytes(bytes, bytes_per_s), SIM_ENGINE_MAX_PS);
}

/* Returns the time of @n packets of @packet_bytes. */
static SimTime time_of_packets_ps(uint64_t n, uint64_t packet_bytes,
                                  uint64_t bytes_per_s)
{
    SimWide bytes = (SimWide)n * packet_bytes;

    return transfer_time_up_to_max_ps((uint64_t)MIN(bytes, UINT64_MAX),
                                      bytes_per_s);
}

StripeTimes stripe_compute_times(uint64_t bytes, uint64_t packet_bytes,
                                 uint64_t bytes_per_s, uint32_t n_links)
{
    uint64_t size = MIN(bytes, packet_bytes), n;
    StripeTimes times = {
        .message_ps = transfer_time_up_to_max_ps(bytes, bytes_per_s),
        .packet_ps = transfer_time_up_to_max_ps(size, bytes_per_s),
    };

    g_assert(n_links <= STRIPE_MAX_LINKS);
    if (n_links == 1)
        return times;
    n = times.n_packets = (bytes - 1) / size + 1;
    times.n_more = (uint32_t)(n % n_links);
    times.less_ps = time_of_packets_ps(n / n_links, size, bytes_per_s);
    times.more_ps = time_of_packets_ps(n / n_links + 1, size, bytes_per_s);
    times.fewer_ps =
        time_of_packets_ps((n - 1) / (n_links - 1) + 1, size, bytes_per_s);
    times.short_ps = times.packet_ps - transfer_time_up_to_max_ps(
                                           bytes - (n - 1) * size, bytes_per_s);
    times.all_ps = times.n_more * times.more_ps +
                   (n_links - times.n_more) * times.less_ps - times.short_ps;
    return times;
}

/* Merges the two ascending runs of an array of @n times: the first @n_first,
 * and the others. */
static void merge_sorted_link_times(SimTime *free_ps, uint32_t n_first,
                                    uint32_t n)
{
    SimTime first_ps[STRIPE_MAX_LINKS];
    uint32_t i = 0, j = n_first, at = 0;

    if (n_first == n || free_ps[n_first - 1] <= free_ps[n_first])
        return;
    while (free_ps[i] <= free_ps[n_first])
        i++;
    at = i;
    memcpy(first_ps + i, free_ps + i, (n_first - i) * sizeof *free_ps);
    while (i < n_first && j < n)
        free_ps[at++] = free_ps[j] < first_ps[i] ? free_ps[j++] : first_ps[i++];
    memcpy(free_ps + at, first_ps + i, (n_first - i) * sizeof *free_ps);
}

/* Moves the time at index @node down to its place in the ascending order. */
static void move_time_to_sorted_place(SimTime *free_ps, uint32_t node)
{
    SimTime value_ps = free_ps[node];

    for (; node > 0 && free_ps[node - 1] > value_ps; node--)
        free_ps[node] = free_ps[node - 1];
    free_ps[node] = value_ps;
}

static void sort_link_times(SimTime *free_ps, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        move_time_to_sorted_place(free_ps, i);
}

/* Adds @more_ps to the first @n_more of @n times and @less_ps to the others.
 * If all times differ by less than more_ps - less_ps, the result is a rotation,
 * except for rounding. */
static void add_and_rotate_times(SimTime *free_ps, uint32_t n, uint32_t n_more,
                                 SimTime more_ps, SimTime less_ps)
{
    SimTime first_ps[STRIPE_MAX_LINKS];
    uint32_t n_less = n - n_more;

    for (uint32_t i = 0; i < n_more; i++)
        first_ps[i] = free_ps[i] + more_ps;
    for (uint32_t i = 0; i < n_less; i++)
        free_ps[i] = free_ps[n_more + i] + less_ps;
    if (n_more == 0)
        return;
    memcpy(free_ps + n_less, first_ps, n_more * sizeof *free_ps);
    if (n_less > 0 && free_ps[n_less - 1] > free_ps[n_less])
        merge_sorted_link_times(free_ps, n_less, n);
}

/* Returns the number of links that keep up with packets that arrive until
 * @least_ps. */
static uint32_t n_links_needed_to_keep_up(const StripeTimes *times,
                                          uint32_t n_links, SimTime now_ps,
                                          SimTime least_ps)
{
    uint64_t n;

    if (n_links == 1 || now_ps + times->fewer_ps >= least_ps)
        return n_links;
    n = (times->message_ps - 1) / (least_ps - now_ps) + 1;
    return (uint32_t)MIN(n, n_links);
}

/* Returns whether the first @n links can take all packets before link @n is
 * free. */
static gboolean packets_fit_before_next_link(const SimTime *free_ps, uint32_t n,
                                             const StripeTimes *times)
{
    uint64_t n_packets = 0;

    for (uint32_t i = 0; i < n; i++)
        if (free_ps[n] > free_ps[i])
            n_packets += (free_ps[n] - free_ps[i] - 1) / times->packet_ps + 1;
    return n_packets >= times->n_packets;
}

/* Raises the times of the links that a message uses, at most the first @n, to
 * one level, in whole packets.  Returns the number of links. */
static uint32_t
spread_packets_until_links_end_together(SimTime *free_ps, uint32_t n,
                                        const StripeTimes *times)
{
    SimWide work_ps = (SimWide)times->n_packets * times->packet_ps;
    SimWide sum_ps = work_ps + free_ps[0];
    uint64_t n_left = times->n_packets;
    uint32_t n_taken = 1;

    if (work_ps > SIM_ENGINE_MAX_PS) {
        free_ps[0] += SIM_ENGINE_MAX_PS; /* a message this long never ends */
        return 1;
    }
    while (n_taken < n && (SimWide)free_ps[n_taken] * n_taken < sum_ps)
        sum_ps += free_ps[n_taken++];
    while (n_taken > 1 &&
           packets_fit_before_next_link(free_ps, n_taken - 1, times))
        sum_ps -= free_ps[--n_taken];
    for (uint32_t i = 0; i < n_taken; i++) {
        SimTime below_ps = (SimTime)(sum_ps / n_taken) - free_ps[i];
        uint64_t n_here = below_ps / times->packet_ps;

        free_ps[i] += n_here * times->packet_ps;
        n_left -= n_here;
    }
    g_assert(n_left <= n_taken);
    sort_link_times(free_ps, n_taken);
    /* Assigns the remaining packets to the links that are free first.  All
     * links are free within the time of one packet, so each link takes at most
     * one. */
    add_and_rotate_times(free_ps, n_taken, (uint32_t)n_left, times->packet_ps,
                         0);
    return n_taken;
}

/* Subtracts the time by which the last packet of the message, which is on the
 * first @n links, is short. */
static void subtract_short_packet_time(SimTime *free_ps, uint32_t n,
                                       const StripeTimes *times)
{
    if (times->short_ps == 0)
        return;
    free_ps[n - 1] -= times->short_ps;
    move_time_to_sorted_place(free_ps, n - 1);
}

static SimTime sum_link_times(const SimTime *free_ps, uint32_t n)
{
    SimTime sum_ps = 0;

    for (uint32_t i = 0; i < n; i++)
        sum_ps += free_ps[i];
    return sum_ps;
}

/* Transmits a message of one packet. */
static Stripe stripe_one_packet(SimTime *free_ps, uint32_t n_links,
                                const StripeTimes *times, SimTime least_ps)
{
    SimTime begin_ps = free_ps[0];
    SimTime end_ps = MAX(begin_ps + times->packet_ps, least_ps);
    uint32_t node = 0;

    for (; node + 1 < n_links && free_ps[node + 1] < end_ps; node++)
        free_ps[node] = free_ps[node + 1];
    free_ps[node] = end_ps;
    return (Stripe){ end_ps, end_ps - begin_ps };
}

/* Transmits a message over as many of the first @n links as it needs. */
static G_GNUC_NO_INLINE Stripe
stripe_over_fewest_links(SimTime *free_ps, uint32_t n_links, uint32_t n,
                         const StripeTimes *times, SimTime least_ps)
{
    Stripe stripe = { 0, 0 - sum_link_times(free_ps, n_links) };
    uint32_t n_taken =
        spread_packets_until_links_end_together(free_ps, n, times);

    subtract_short_packet_time(free_ps, n_taken, times);
    stripe.end_ps = MAX(free_ps[n_taken - 1], least_ps);
    free_ps[n_taken - 1] = stripe.end_ps;
    merge_sorted_link_times(free_ps, n_taken, n_links);
    stripe.busy_ps += sum_link_times(free_ps, n_links);
    return stripe;
}

/* Computes the result for a message whose packets went over all @n links in
 * turn. */
static inline Stripe finish_round_robin_message(SimTime *free_ps, uint32_t n,
                                                const StripeTimes *times,
                                                SimTime least_ps)
{
    SimTime last_ps = free_ps[n - 1], end_ps = MAX(last_ps, least_ps);

    free_ps[n - 1] = end_ps;
    return (Stripe){ end_ps, times->all_ps + (end_ps - last_ps) };
}

/* Transmits a message over all @n links in turn, which are free within the time
 * of one packet; with fewer packets than links, each packet uses one link. */
static Stripe stripe_round_robin(SimTime *free_ps, uint32_t n,
                                 const StripeTimes *times, SimTime least_ps)
{
    add_and_rotate_times(free_ps, n, times->n_more, times->more_ps,
                         times->less_ps);
    subtract_short_packet_time(free_ps, n, times);
    return finish_round_robin_message(free_ps, n, times, least_ps);
}

static inline void set_times_of_striped_links(SimTime *free_ps, uint32_t n,
                                              SimTime to_ps)
{
    TwoTimes two_ps = { to_ps, to_ps };

    for (; n > 1; n -= 2, free_ps += 2)
        *(TwoTimes *)free_ps = two_ps;
    if (n > 0)
        *free_ps = to_ps;
}

/* Same as stripe_round_robin() if all links are idle.  The links then end at
 * one of two times, except for the short packet. */
static Stripe stripe_over_idle_links(SimTime *free_ps, uint32_t n,
                                     const StripeTimes *times, SimTime now_ps,
                                     SimTime least_ps)
{
    uint32_t n_less = n - times->n_more;
    SimTime less_ps = now_ps + times->less_ps, short_ps;

    set_times_of_striped_links(free_ps, n_less, less_ps);
    set_times_of_striped_links(free_ps + n_less, times->n_more,
                               now_ps + times->more_ps);
    if (times->short_ps > 0) {
        short_ps = free_ps[n - 1] - times->short_ps;
        if (n_less < n && short_ps >= less_ps) {
            free_ps[n_less] = short_ps;
        } else {
            if (n_less < n)
                free_ps[n_less] = less_ps;
            free_ps[0] = short_ps;
        }
    }
    return finish_round_robin_message(free_ps, n, times, least_ps);
}

static G_GNUC_NO_INLINE Stripe stripe_over_parallel_links(
    SimTime *free_ps, uint32_t n_links, const StripeTimes *times,
    SimTime now_ps, SimTime least_ps)
{
    uint32_t n = n_links_needed_to_keep_up(times, n_links, now_ps, least_ps);

    if (n == n_links && free_ps[n - 1] <= now_ps)
        return stripe_over_idle_links(free_ps, n, times, now_ps, least_ps);
    for (uint32_t i = 0; i < n_links && free_ps[i] < now_ps; i++)
        free_ps[i] = now_ps;
    if (times->n_packets == 1)
        return stripe_one_packet(free_ps, n_links, times, least_ps);
    if (n < n_links || free_ps[n - 1] - now_ps > times->packet_ps)
        return stripe_over_fewest_links(free_ps, n_links, n, times, least_ps);
    return stripe_round_robin(free_ps, n_links, times, least_ps);
}

Stripe stripe_message_over_links(SimTime *free_ps, uint32_t n_links,
                                 const StripeTimes *times, SimTime now_ps,
                                 SimTime least_ps)
{
    SimTime end_ps;

    g_assert(free_ps[0] <= now_ps);
    if (n_links > 1)
        return stripe_over_parallel_links(free_ps, n_links, times, now_ps,
                                          least_ps);
    end_ps = MAX(now_ps + times->message_ps, least_ps);
    free_ps[0] = end_ps;
    return (Stripe){ end_ps, end_ps - now_ps };
}
