/*
 * rate_server.h - a server whose rate several messages share
 *
 * A link, all parallel ones together, or a limit of several links.  The server
 * keeps how much of its rate the messages in progress use from now on, as a
 * piecewise constant function of time.  What they leave is the residual rate.
 * A message is given its rate when it begins, for all of its time, and keeps
 * it: later messages use the residual.
 *
 *     residual(t) = rate - sum of what messages use at t
 *
 * The next message may begin as soon as the residual is worth using: a part in
 * RATE_SERVER_PARTS of the rate.
 *
 * Units    bytes per second, ps
 * Owner    the caller clears the server
 * Cost     linear in the number of messages in progress, for each message
 */
#ifndef NETWORK_TRANSPORT_RATE_SERVER_H
#define NETWORK_TRANSPORT_RATE_SERVER_H

#include "sim/core/time.h"

/* A smaller residual than rate / RATE_SERVER_PARTS is left unused, so that what
 * rounding leaves of a full server is not taken for free.  Assumed: a link
 * loses less than 1 % by it. */
#define RATE_SERVER_PARTS 128

/* From the end of the segment before it, or from the past. */
typedef struct {
    SimTime until_ps;
    uint64_t used_bytes_per_s;
} RateSegment;

typedef struct {
    uint64_t bytes_per_s;  /* the rate; set by the caller */
    RateSegment *segments; /* owned: by time; after the last none is used */
    uint32_t n, n_allocated;
} RateServer;

void rate_server_clear(RateServer *server);

/* Drops the segments that are over at @now_ps. */
void rate_server_forget(RateServer *server, SimTime now_ps);

/* The residual rate at @at_ps, and until when it stays so; SIM_TIME_MAX: for
 * ever.  No segment that ends after @at_ps has been dropped. */
uint64_t rate_server_residual(const RateServer *server, SimTime at_ps,
                              SimTime *ret_until_ps);

/* Uses @bytes_per_s more between @from_ps and @until_ps, at most the residual
 * rate (asserted). */
void rate_server_use(RateServer *server, SimTime from_ps, SimTime until_ps,
                     uint64_t bytes_per_s);

/* When, at @now_ps or later, a message may begin. */
SimTime rate_server_free_ps(const RateServer *server, SimTime now_ps);

#endif
