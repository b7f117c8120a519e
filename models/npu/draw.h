/*
 * draw.h - how many bytes a second SMs draw of the memory
 *
 * Work goes through an SM in turns.  In a turn its blocks start, their loads
 * wait for the memory, their stores are taken off their hands, and all of it
 * goes through the SM's port:
 *
 *     turn   = start of blocks + latency of loads + latency of stores
 *     supply = SMs x in flight / (turn + in flight / port)
 *
 * which is the port's own rate where what is under way has no limit.  All SMs
 * together get no more than the memory gives a kernel of that mix, U:
 *
 *     draw = 2 U supply / (U + supply + sqrt((U + supply)^2
 *                                            - 4 (1 - q) U supply))
 *
 * For queueing q = 0 that is the lesser of the two; for q = 1 it is
 * U supply / (U + supply), as if a turn grew with 1 / (1 - load).  Stores wait
 * for nobody: a kernel that does not load has q = 0.
 *
 * Units    bytes per second, ps
 * Range    rates count up to 2^60
 * Sources  Little's law; M/M/1's waiting time; [GPUBENCHES] has the turns
 */
#ifndef MODELS_NPU_DRAW_H
#define MODELS_NPU_DRAW_H

#include "sim/core/time.h"

typedef struct {
    uint64_t port_bytes_per_s; /* of an SM; at least 1 */
    uint64_t in_flight_bytes;  /* on an SM; 0: no limit */
    SimTime turn_ps;           /* without the port */
    uint64_t queueing_ppm;     /* q */
} DrawTurn;

/* What @n_sms SMs would have if the memory gave it; at least 1, but for none.
 */
uint64_t draw_supply_bytes_per_s(const DrawTurn *turn, uint64_t n_sms);

/* draw() above; with q = 0 the supply, as whoever shares out the memory binds
 * it by then.  What is little is still something: at least 1, but for no SMs
 * or no memory. */
uint64_t draw_bytes_per_s(const DrawTurn *turn, uint64_t n_sms,
                          uint64_t usable_bytes_per_s);

#endif
