/* sm_bandwidth.c - the memory bandwidth that SMs can use: supply by turns of
 * blocks, and its limit by the memory */
#include "models/npu/sm_bandwidth.h"

#include <math.h>

#define MOST (UINT64_C(1) << 60)

/* Returns the square root of @n, rounded down, for @n below 2^126.  The
 * floating root is near it, and whole numbers decide. */
static uint64_t integer_square_root(SimWide n)
{
    /* Below 2^63, so that the conversion is one instruction. */
    SimWide root = (uint64_t)sqrtl((long double)n);

    while (root * root > n)
        root--;
    while ((root + 1) * (root + 1) <= n)
        root++;
    return (uint64_t)root;
}

uint64_t sm_rate_within_both_bounds(uint64_t a, uint64_t b,
                                    uint64_t queueing_ppm)
{
    SimWide sum = (SimWide)a + b;
    SimWide product = (SimWide)a * b;
    uint64_t both;

    if (product == 0 || queueing_ppm == 0)
        return MIN(a, b); /* no rounding */
    both = (uint64_t)(2 * product /
                      (sum + integer_square_root(
                                 sum * sum - 4 * (product / 1000000 *
                                                  (1000000 - queueing_ppm)))));
    return MAX(both, 1); /* a rate above 0 must not round to 0 */
}

uint64_t sm_port_bytes_per_s(uint64_t load_bytes_per_s,
                             uint64_t store_bytes_per_s, uint64_t sharing_ppm,
                             uint64_t read_ppm)
{
    /* The times that a million bytes take, multiplied by both rates.  Rates
     * are below 2^53, so that all products fit into 128 bits. */
    SimWide load = (SimWide)read_ppm * store_bytes_per_s;
    SimWide store = (SimWide)(1000000 - read_ppm) * load_bytes_per_s;
    SimWide time = MAX(load, store) + MIN(load, store) * sharing_ppm / 1000000;

    g_assert(read_ppm <= 1000000 && time > 0);
    return MAX((uint64_t)((SimWide)load_bytes_per_s * store_bytes_per_s *
                          1000000 / time),
               1);
}

/* Returns the supply of @n_sms SMs.  Bytes in flight are below 2^40, the rate
 * of the port below 2^53 and SMs below 10^5, so that all products fit into 128
 * bits. */
uint64_t sm_bandwidth_without_memory_limit(const SmTurn *turn, uint64_t n_sms)
{
    SimWide in_flight_ps = (SimWide)turn->in_flight_bytes * SIM_PS_PER_SEC;
    SimWide supply = (SimWide)turn->total_bytes_per_s_of_port_links * n_sms,
            port_ps;

    g_assert(turn->total_bytes_per_s_of_port_links > 0);
    if (turn->in_flight_bytes > 0 && turn->port_queueing_ppm == 1000000) {
        /* The closed form of both() for a factor of 1, rounded once. */
        port_ps = (in_flight_ps + turn->total_bytes_per_s_of_port_links - 1) /
                  turn->total_bytes_per_s_of_port_links;
        supply = in_flight_ps * n_sms / (turn->turn_ps + port_ps);
    } else if (turn->in_flight_bytes > 0 && turn->turn_ps > 0) {
        SimWide waiting = in_flight_ps * n_sms / turn->turn_ps;

        supply = sm_rate_within_both_bounds((uint64_t)MIN(supply, MOST),
                                            (uint64_t)MIN(waiting, MOST),
                                            turn->port_queueing_ppm);
    }
    if (n_sms > 0 && supply == 0)
        return 1; /* a rate above 0 must not round to 0 */
    return supply > UINT64_MAX ? UINT64_MAX : (uint64_t)supply;
}

uint64_t sm_bandwidth_with_queueing(const SmTurn *turn, uint64_t n_sms,
                                    uint64_t usable_bytes_per_s)
{
    uint64_t supply = sm_bandwidth_without_memory_limit(turn, n_sms);

    return turn->queueing_ppm == 0
               ? supply
               : sm_rate_within_both_bounds(MIN(supply, MOST),
                                            MIN(usable_bytes_per_s, MOST),
                                            turn->queueing_ppm);
}
