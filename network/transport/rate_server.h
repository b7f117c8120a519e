/*
 * rate_server.h - a server whose rate several messages share
 *
 * A server is a link (all parallel links together) or a limit of several links.
 * It keeps the rate that the active messages use as a piecewise constant
 * function of time.  A message gets its rate when it begins, for its whole
 * duration; later messages use only the residual rate
 *
 *     residual(t) = rate - sum of the rates that messages use at t
 *
 * The next message may begin as soon as the residual rate is at least rate /
 * RATE_SERVER_PARTS.
 *
 * Units    bytes per second, ps
 * Owner    the caller clears the server
 * Cost     per message, linear in the number of active messages
 */
#ifndef NETWORK_TRANSPORT_RATE_SERVER_H
#define NETWORK_TRANSPORT_RATE_SERVER_H

#include "sim/core/time.h"

/* A smaller residual rate than rate / RATE_SERVER_PARTS is not used, so that
 * rounding errors of a full server do not count as free.  Assumed: a link loses
 * less than 1 % by this. */
#define RATE_SERVER_PARTS 128

/* A time span in which the used rate is constant.  It begins at the end of the
 * segment before it; the first one began in the past. */
typedef struct {
    SimTime until_ps;
    uint64_t used_bytes_per_s;
} RateSegment;

typedef struct {
    uint64_t bytes_per_s; /* the full rate; set by the caller */
    /* Owned: the segments in order of time; after the last one, no rate is
     * used. */
    RateSegment *segments;
    uint32_t n, n_allocated;
} RateServer;

/* Frees the segments of @server. */
void rate_server_clear(RateServer *server);

/* Removes the segments that have ended by @now_ps. */
void rate_server_drop_past_segments(RateServer *server, SimTime now_ps);

/* Returns the residual rate at @at_ps and sets *@ret_until_ps to the time until
 * which it is constant, or to SIM_TIME_MAX.  Segments that end after @at_ps
 * must not have been removed. */
uint64_t rate_server_residual_rate(const RateServer *server, SimTime at_ps,
                                   SimTime *ret_until_ps);

/* Reserves @bytes_per_s from @from_ps to @until_ps.  This must not exceed the
 * residual rate (asserted). */
void rate_server_reserve_rate(RateServer *server, SimTime from_ps,
                              SimTime until_ps, uint64_t bytes_per_s);

/* Returns the earliest time, @now_ps or later, at which a message may begin. */
SimTime rate_server_next_begin_ps(const RateServer *server, SimTime now_ps);

#endif
