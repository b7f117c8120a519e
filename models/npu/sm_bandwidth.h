/*
 * sm_bandwidth.h - the memory bandwidth that a number of SMs can use
 *
 * Work passes through an SM in turns.  In a turn, the blocks of the SM start,
 * their loads wait for the memory, their stores are accepted, and all bytes
 * pass through the port of the SM:
 *
 *     turn   = start of blocks + latency of loads + latency of stores
 *     supply = SMs x in flight / (turn + in flight / port)
 *
 * Without a limit on bytes in flight, the supply of an SM is the rate of its
 * port.  All SMs together get at most U, the bandwidth that the memory has for
 * a kernel of that mix:
 *
 *     draw = 2 U supply / (U + supply + sqrt((U + supply)^2
 *                                            - 4 (1 - q) U supply))
 *
 * For queueing q = 0 this is the smaller of the two.  For q = 1 it is U supply
 * / (U + supply), as if a turn grew with 1 / (1 - load).  Stores do not wait
 * for data, so a kernel without loads has q = 0.
 *
 * Units    bytes per second, ps
 * Range    rates are limited to 2^60
 * Sources  Little's law; waiting time of M/M/1; [GPUBENCHES] has the turns
 */
#ifndef MODELS_NPU_SM_BANDWIDTH_H
#define MODELS_NPU_SM_BANDWIDTH_H

#include "sim/core/time.h"

typedef struct {
    uint64_t port_bytes_per_s; /* rate of the port of one SM; at least 1 */
    uint64_t in_flight_bytes;  /* bytes in flight of one SM; 0: no limit */
    SimTime turn_ps;           /* time of a turn without that of the port */
    uint64_t queueing_ppm;     /* the queueing factor q of the formula */
} SmTurn;

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
