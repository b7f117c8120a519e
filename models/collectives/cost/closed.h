/*
 * closed.h - a server that a fixed number of customers come back to
 *
 * Each of n customers is served for D, then is elsewhere for Z, and comes back.
 * With what i of them find when they come (mean value analysis, exact for
 * exponential times of service),
 *
 *     R(i) = D + D x Q(i - 1)              served, with those before it
 *     Q(i) = i x R(i) / (Z + R(i))         of them at the server
 *     period = (Z + R(n)) / n              from one that leaves to the next
 *
 * which is (Z + D) / n at least, and D at least: where few more customers are
 * there than keep the server busy, they queue and it idles in turns.
 *
 * Units    ps
 * Cost     one division a customer, CLOSED_MOST at most
 * Sources  Reiser and Lavenberg 1980
 */
#ifndef MODELS_COLLECTIVES_COST_CLOSED_H
#define MODELS_COLLECTIVES_COST_CLOSED_H

#include "sim/core/time.h"

#define CLOSED_MOST 4096 /* what comes above is left out of account */

/* @n > 0.  @served_ps is D, @elsewhere_ps is Z. */
SimTime closed_period_ps(SimTime served_ps, SimTime elsewhere_ps, uint64_t n);

#endif
