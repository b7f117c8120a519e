/*
 * ace_split.h - how ACE divides its SRAM and FSMs among the phases
 *
 * A chunk period is the time between two chunks when the busiest phase never
 * stops; a phase's stay is how long a chunk is in it with nothing in the way:
 *
 *     period = max over phases of (bytes sent / bandwidth of its links)
 *     stay   = n_steps x (latency + block / rate of a link)
 *
 * Every partition first gets room for one chunk, every phase one FSM.  The
 * rest of the SRAM is divided in proportion to
 *
 *     equal              1
 *     bandwidth          bandwidth of the phase's links
 *     bandwidth-x-chunk  that times the bytes of a chunk in the phase: the
 *                        rule of [ISCA21] to the letter
 *     latency            bytes of a chunk in the phase x stay / period:
 *                        Little's law, the bytes that are there at once
 *
 * and further FSMs go, one by one, to the phase with the largest weight per
 * FSM that it has (1 for equal, stay for latency); so one FSM more never
 * takes one away from a phase.  `equal` is the default: all others divide anew
 * when a link, the DMA or a latency changes, so that more can starve a phase.
 * With 1 MiB on 4x4x4 it is 14 % faster than `latency` too.  Where chunks take
 * their dimensions in several orders, a phase is of another dimension for each:
 * then it counts as the mean of them, by the chunks that take each.  The
 * terminal partition counts as a phase whose links are the RX DMA.
 */
#ifndef MODELS_ENDPOINTS_ACE_SPLIT_H
#define MODELS_ENDPOINTS_ACE_SPLIT_H

#include "models/collectives/orders.h"
#include "sim/core/time.h"

typedef enum {
    ACE_SPLIT_EQUAL,
    ACE_SPLIT_BANDWIDTH,
    ACE_SPLIT_BANDWIDTH_X_CHUNK,
    ACE_SPLIT_LATENCY,
} AceSramSplit;

typedef enum {
    ACE_FSMS_EQUAL,
    ACE_FSMS_LATENCY,
} AceFsmSplit;

/* One entry a phase, then the terminal one. */
typedef struct {
    uint32_t n_phases;
    uint64_t least_bytes[COLL_MAX_PHASES + 1]; /* for one chunk */
    uint64_t chunk_bytes[COLL_MAX_PHASES + 1]; /* of a chunk in the phase */
    uint64_t bandwidth_bytes_per_s[COLL_MAX_PHASES + 1];
    SimTime stay_ps[COLL_MAX_PHASES + 1];
    SimTime period_ps;
} AceDemand;

/* What @plan asks for with chunks of @chunk_bytes.  .least_bytes is set from
 * this plan alone. */
void ace_demand(const CollPlan *plan, const Topology *topology,
                uint64_t chunk_bytes, uint64_t dma_bytes_per_s, AceDemand *ret);

/* The mean over @orders, by the shares of their chunks. */
void ace_demand_of_orders(const CollOrders *orders, const Topology *topology,
                          uint64_t chunk_bytes, uint64_t dma_bytes_per_s,
                          AceDemand *ret);
/* Widens .least_bytes to what a chunk of @plan needs in its phases. */
void ace_demand_at_least(const CollPlan *plan, uint64_t chunk_bytes,
                         AceDemand *demand);

/* FALSE when @sram_bytes is less than one chunk in every partition needs. */
gboolean ace_split_sram(const AceDemand *demand, AceSramSplit rule,
                        uint64_t sram_bytes, uint64_t *ret_bytes);
uint64_t ace_least_sram_bytes(const AceDemand *demand);

/* Needs @n_fsms >= the number of phases. */
void ace_split_fsms(const AceDemand *demand, AceFsmSplit rule, uint64_t n_fsms,
                    uint64_t *ret_n);

#endif
