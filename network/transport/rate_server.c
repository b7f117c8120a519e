/* rate_server.c - a server whose rate several messages share */
#include "network/transport/rate_server.h"

#include <string.h>

#define INITIAL_SEGMENTS 8

void rate_server_clear(RateServer *server)
{
    g_clear_pointer(&server->segments, g_free);
    server->n = server->n_allocated = 0;
}

void rate_server_drop_past_segments(RateServer *server, SimTime now_ps)
{
    uint32_t n_ended = 0;

    while (n_ended < server->n && server->segments[n_ended].until_ps <= now_ps)
        n_ended++;
    if (n_ended == 0)
        return;
    server->n -= n_ended;
    memmove(server->segments, server->segments + n_ended,
            server->n * sizeof *server->segments);
}

/* Returns the first segment that ends after @at_ps, or .n if there is none. */
static uint32_t find_rate_segment_after(const RateServer *server, SimTime at_ps)
{
    uint32_t i = 0;

    while (i < server->n && server->segments[i].until_ps <= at_ps)
        i++;
    return i;
}

uint64_t rate_server_residual_rate(const RateServer *server, SimTime at_ps,
                                   SimTime *ret_until_ps)
{
    uint32_t i = find_rate_segment_after(server, at_ps);

    *ret_until_ps = i < server->n ? server->segments[i].until_ps : SIM_TIME_MAX;
    return i < server->n
               ? server->bytes_per_s - server->segments[i].used_bytes_per_s
               : server->bytes_per_s;
}

static void insert_rate_segment(RateServer *server, uint32_t node,
                                RateSegment segment)
{
    if (server->n == server->n_allocated) {
        server->n_allocated = MAX(INITIAL_SEGMENTS, 2 * server->n_allocated);
        server->segments =
            g_renew(RateSegment, server->segments, server->n_allocated);
    }
    memmove(server->segments + node + 1, server->segments + node,
            (server->n - node) * sizeof segment);
    server->segments[node] = segment;
    server->n++;
}

/* Splits the segment that contains @at_ps, so that @at_ps is the end of a
 * segment.  Returns the index of the next segment. */
static uint32_t split_rate_segment(RateServer *server, SimTime at_ps)
{
    uint32_t i = find_rate_segment_after(server, at_ps);

    if (i > 0 && server->segments[i - 1].until_ps == at_ps)
        return i;
    insert_rate_segment(
        server, i,
        (RateSegment){
            at_ps, i < server->n ? server->segments[i].used_bytes_per_s : 0 });
    return i + 1;
}

void rate_server_reserve_rate(RateServer *server, SimTime from_ps,
                              SimTime until_ps, uint64_t bytes_per_s)
{
    uint32_t first, end;

    g_assert(from_ps < until_ps);
    if (bytes_per_s == 0)
        return;
    first = split_rate_segment(server, from_ps);
    end = split_rate_segment(server, until_ps);
    for (uint32_t i = first; i < end; i++) {
        RateSegment *segment = &server->segments[i];

        g_assert(bytes_per_s <=
                 server->bytes_per_s - segment->used_bytes_per_s);
        segment->used_bytes_per_s += bytes_per_s;
    }
}

SimTime rate_server_next_begin_ps(const RateServer *server, SimTime now_ps)
{
    uint64_t least_bytes_per_s =
        (server->bytes_per_s - 1) / RATE_SERVER_PARTS + 1;
    SimTime until_ps;

    while (rate_server_residual_rate(server, now_ps, &until_ps) <
           least_bytes_per_s)
        now_ps = until_ps;
    return now_ps;
}
