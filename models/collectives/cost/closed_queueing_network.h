/*
 * closed_queueing_network.h - the period of a closed queueing system with one
 * server
 *
 * Each of n customers is served for D, then spends Z elsewhere, and returns.
 * Mean value analysis, which is exact for exponential service times, gives
 *
 *     R(i) = D + D x Q(i - 1)              time at the server, with waiting
 *     Q(i) = i x R(i) / (Z + R(i))         mean number at the server
 *     period = (Z + R(n)) / n              from one departure to the next
 *
 * for i customers.  The period is at least (Z + D) / n, and at least D.  If n
 * is little more than the number that keeps the server busy, customers queue at
 * some times, and the server idles at others.
 *
 * Units    ps
 * Cost     one division per customer, at most CLOSED_QUEUE_MAX
 * Sources  Reiser and Lavenberg 1980
 */
#ifndef MODELS_COLLECTIVES_COST_CLOSED_QUEUEING_NETWORK_H
#define MODELS_COLLECTIVES_COST_CLOSED_QUEUEING_NETWORK_H

#include "sim/core/time.h"

/* Largest number of customers; further ones are ignored. */
#define CLOSED_QUEUE_MAX 4096

/* Returns the mean time between two departures with @n > 0 customers, the
 * inverse of the throughput.  @served_ps is D, @elsewhere_ps is Z. */
SimTime closed_queue_period_ps(SimTime served_ps, SimTime elsewhere_ps,
                               uint64_t n);

#endif
