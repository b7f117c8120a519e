/*
 * sram_split_rules.h - rules by which ACE divides its SRAM and FSMs among the
 * phases
 *
 * The period is the time between two chunks when the busiest phase never idles.
 * The stay of a phase is the time that a chunk spends in it without contention:
 *
 *     period = max over phases of (bytes sent / bandwidth of its links)
 *     stay   = n_steps x (latency + block / rate of a link)
 *
 * Every partition first gets room for one chunk, and every phase one FSM.  The
 * rest of the SRAM is divided in proportion to
 *
 *     equal              1
 *     bandwidth          bandwidth of the phase's links
 *     bandwidth-x-chunk  that times the bytes of a chunk in the phase: the
 *                        literal rule of [ISCA21]
 *     latency            bytes of a chunk in the phase x stay / period:
 *                        Little's law, the bytes present at any time
 *
 * Further FSMs go, one by one, to the phase with the largest weight per FSM
 * (weight 1 for equal, stay for latency).  One more FSM therefore never takes
 * one away from a phase.
 *
 * `equal` is the default.  All other rules change the division when a link, the
 * DMA or a latency changes, so that more of something can starve a phase.
 * With 1 MiB on 4x4x4 `equal` is also 14 % faster than `latency`.
 *
 * If chunks use the dimensions in several orders, the same phase has a
 * different dimension for each order.  Its demand is then the mean over the
 * orders, weighted by their shares of the chunks.  The terminal partition
 * counts as a phase whose links are the RX DMA.
 */
#ifndef MODELS_ENDPOINTS_ACE_SRAM_SPLIT_RULES_H
#define MODELS_ENDPOINTS_ACE_SRAM_SPLIT_RULES_H

#include "models/collectives/dimension_orders.h"
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

/* The demand of each phase, and of the terminal partition after the last
 * phase. */
typedef struct {
    uint32_t n_phases;
    uint64_t least_bytes[COLL_MAX_PHASES + 1]; /* room for one chunk */
    uint64_t
        chunk_bytes[COLL_MAX_PHASES + 1]; /* bytes of a chunk in the phase */
    uint64_t bandwidth_bytes_per_s[COLL_MAX_PHASES + 1];
    SimTime stay_ps[COLL_MAX_PHASES + 1];
    SimTime period_ps;
} AceDemand;

/* Sets *@ret to the demand of @plan with chunks of @chunk_bytes.  .least_bytes
 * is computed from this plan alone. */
void ace_demand_of_plan(const CollPlan *plan, const Topology *topology,
                        uint64_t chunk_bytes, uint64_t dma_bytes_per_s,
                        AceDemand *ret);

/* Sets *@ret to the mean demand over @orders, weighted by their shares. */
void ace_demand_of_orders(const CollOrders *orders, const Topology *topology,
                          uint64_t chunk_bytes, uint64_t dma_bytes_per_s,
                          AceDemand *ret);
/* Increases the minimum room of each phase so that a chunk of @plan fits. */
void ace_demand_fit_chunk_of_plan(const CollPlan *plan, uint64_t chunk_bytes,
                                  AceDemand *demand);

/* Returns FALSE if @sram_bytes is less than one chunk in every partition. */
gboolean ace_split_sram(const AceDemand *demand, AceSramSplit rule,
                        uint64_t sram_bytes, uint64_t *ret_bytes);
uint64_t ace_min_sram_bytes(const AceDemand *demand);

/* Sets @ret_n to the number of FSMs of each phase.  @n_fsms must be at least
 * the number of phases. */
void ace_split_fsms(const AceDemand *demand, AceFsmSplit rule, uint64_t n_fsms,
                    uint64_t *ret_n);

#endif
