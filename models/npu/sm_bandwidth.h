/*
 * sm_bandwidth.h - the memory bandwidth that a number of SMs can use
 *
 * Work passes through an SM in turns.  In a turn, the blocks of the SM start,
 * their loads wait for the memory, and their stores are accepted:
 *
 *     turn = start of blocks + latency of loads + latency of stores
 *
 * The blocks of a persistent kernel start once and go on while the memory
 * accepts their stores, so that its turn is the latency of its loads.
 *
 * All bytes pass through the port of the SM, which has separate rates for loads
 * and stores. If a fraction r of the bytes is loaded, a byte takes
 *
 *     1 / port = max(r / load, (1 - r) / store)
 *                + s min(r / load, (1 - r) / store)
 *
 * For sharing s = 1 the port does one after the other; for s = 0 it does both
 * at once.  The supply of the SMs is bounded by the bytes in flight in a turn
 * and by the port.  Where both bounds are close, work waits for either:
 *
 *     supply = SMs x both(in flight / turn, port, p)
 *     both(a, b, q) = 2 a b / (a + b + sqrt((a + b)^2 - 4 (1 - q) a b))
 *
 * both(a, b, 0) is the smaller of the two.  both(a, b, 1) is a b / (a + b): a
 * turn then ends with the time of the port, in flight / port, because all
 * warps of an SM load at the same time.  Warps that run freely are close to 0.
 * Without a limit on bytes in flight, the supply of an SM is the rate of its
 * port.  All SMs together get at most U, the bandwidth that the memory has for
 * a kernel of that mix:
 *
 *     draw = both(U, supply, q)
 *
 * For queueing q = 1 it is as if a turn grew with 1 / (1 - load).  Stores do
 * not wait for data, so a kernel without loads has q = 0.
 *
 * Units    bytes per second, ps
 * Range    rates are limited to 2^60
 * Sources  Little's law; waiting time of M/M/1; [GPUBENCHES] has the turns
 */
#ifndef MODELS_NPU_SM_BANDWIDTH_H
#define MODELS_NPU_SM_BANDWIDTH_H

#include "sim/core/time.h"

typedef struct {
    uint64_t total_bytes_per_s_of_port_links; /* rate of the port of one SM; at
                                                 least 1 */
    uint64_t in_flight_bytes;   /* bytes in flight of one SM; 0: no limit */
    SimTime turn_ps;            /* time of a turn without that of the port */
    uint64_t port_queueing_ppm; /* the factor p of the formula */
    uint64_t queueing_ppm;      /* the queueing factor q of the formula */
} SmTurn;

/* Returns the rate of the port of an SM for work of which @read_ppm of the
 * bytes are loaded: at least 1 if both rates are at least 1.  @sharing_ppm is
 * the factor s of the formula. */
uint64_t sm_port_bytes_per_s(uint64_t load_bytes_per_s,
                             uint64_t store_bytes_per_s, uint64_t sharing_ppm,
                             uint64_t read_ppm);

/* Returns both(@a, @b, @queueing_ppm) of the formula for two rates below 2^60
 * bytes per second.  A rate below 1 byte per second becomes 1. */
uint64_t sm_rate_within_both_bounds(uint64_t a, uint64_t b,
                                    uint64_t queueing_ppm);

/* Returns the supply of @n_sms SMs, without the limit of the memory; at least 1
 * for at least one SM. */
uint64_t sm_bandwidth_without_memory_limit(const SmTurn *turn, uint64_t n_sms);

/* Returns the memory bandwidth that @n_sms SMs draw, by the formula above. With
 * q = 0 the result is the supply: the module that divides the memory's
 * bandwidth limits it later.  The result is at least 1, unless there are no SMs
 * or no memory bandwidth. */
uint64_t sm_bandwidth_with_queueing(const SmTurn *turn, uint64_t n_sms,
                                    uint64_t usable_bytes_per_s);

#endif
