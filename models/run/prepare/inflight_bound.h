/*
 * inflight_bound.h - bounds the messages in flight, before the run
 *
 * If no message of a phase waits for another, an NPU can send all of them at
 * the start of the phase.  If messages are created on demand
 * (on_demand_messages.h), only two kinds exist: the first on each link, and
 * those that have begun.  The latter are either on links, whose capacity is
 * known, or wait in the middle of their path.  The share of waiting ones was
 * measured for networks whose links are equally fast.  In all other cases every
 * message is counted.
 *
 * Units    messages of one NPU
 * Range    saturated at UINT64_MAX
 * Assumes  NPUs are similar: messages held up by a straggler are not counted
 */
#ifndef MODELS_RUN_PREPARE_INFLIGHT_BOUND_H
#define MODELS_RUN_PREPARE_INFLIGHT_BOUND_H

#include "models/run/run_state_impl.h"

/* The messages that one NPU may have in flight; each field is the maximum over
 * all phases of a chunk. */
typedef struct {
    uint64_t n_all;      /* messages of a chunk if all exist at the same time */
    uint64_t n_first;    /* messages of the first chunk in flight */
    uint64_t n_behind;   /* messages of each later chunk in flight */
    uint64_t n_on_links; /* messages on links, of all chunks together */
} InflightBound;

/* Raises @bound to the number of messages that @phase has in @n_lanes lanes,
 * for a chunk of @chunk_bytes. */
void inflight_bound_add_phase(InflightBound *bound, const System *system,
                              const CollPlan *plan, const CollPhase *phase,
                              uint64_t chunk_bytes, uint64_t n_lanes);
/* Raises each field of @bound to that of @other, if the latter is larger. */
void inflight_bound_take_maximum(InflightBound *bound,
                                 const InflightBound *other);
/* Returns the largest number of messages for @n_chunks chunks in flight, each
 * of which has at most @bound. */
uint64_t inflight_bound_n_messages(const InflightBound *bound,
                                   uint64_t n_chunks);

#endif
