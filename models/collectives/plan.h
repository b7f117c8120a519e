/*
 * plan.h - a collective on a topology as a sequence of phases
 *
 * A phase is one algorithm on one group: all NPUs, or those that differ in
 * one dimension of a torus.  On a torus an all-reduce is hierarchical:
 *
 *   reduce-scatter over dimension 0, all-reduce over each further dimension
 *   on what is left, all-gather over dimension 0
 *
 * a reduce-scatter is one over each dimension in turn, an all-gather the same
 * backwards.  That is the order of the platform; the dimensions can be taken
 * in any other, and orders.h chooses.  All-to-all is one phase of all NPUs.
 * Dimensions of size 1 have no phase; a group of one NPU has no phases at all.
 *
 * `auto` takes that on a torus, direct where every pair has a link of its own,
 * and on a switch halving-doubling where n is a power of two, else a ring; but
 * an all-reduce in the switch where that adds, at half the links' rate or so at
 * least.  A direct all-reduce has two phases, reduce-scatter and all-gather.
 * All-to-all is direct whatever is asked for.
 *
 * Every block of a phase has the same size, rounded up to a whole byte, as
 * real buffers are padded: so all ranks send equally much.
 *
 * Units    bytes
 * Errors   CONFIG_ERROR where an algorithm does not fit
 */
#ifndef MODELS_COLLECTIVES_PLAN_H
#define MODELS_COLLECTIVES_PLAN_H

#include "models/collectives/algorithm.h"
#include "network/transport/network.h"

#define COLL_MAX_PHASES (2 * COLL_MAX_DIMS)
#define COLL_MAX_LANES  4096 /* messages side by side; above, they grow */

typedef struct {
    const CollAlgorithm *algorithm;
    CollGroup group;
    CollGroup mirrored;   /* the same backwards, where .may_reverse */
    uint32_t dim;         /* of the torus; 0 for a group of all */
    uint32_t stride;      /* NPU ids between consecutive ranks */
    gboolean may_reverse; /* a chunk may go round either way */
    uint64_t divisor;     /* the phase works on 1/divisor of the chunk */
    uint32_t n_steps;
    uint32_t max_blocks; /* the most that one step sends or receives */
    gboolean is_uniform; /* all steps send as much, to one peer */
    uint32_t n_reducing; /* the first steps reduce, the others do not */
} CollPhase;

typedef struct {
    CollKind kind;
    gboolean by_dims;    /* each phase is of one dimension of a torus */
    uint32_t reduces;    /* 1: ranks add what comes in some step; else 0 */
    gboolean via_switch; /* some phase is */
    uint32_t n_phases;
    CollPhase phases[COLL_MAX_PHASES];
} CollPlan;

/* @algorithm is an index into coll_algorithm_names.  Complaints go to @where.
 */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_plan_init(CollPlan *plan, CollKind kind, int algorithm,
                        const Topology *topology, const ConfigNode *where,
                        GError **error);

/* The dimensions of a torus that have phases, those of size 1 left out; as many
 * as are returned.  @ret_dims has room for COLL_MAX_DIMS. */
uint32_t coll_plan_dims(const Topology *topology, uint32_t *ret_dims);

/* On a torus: dimension by dimension, @order[0] first (of an all-gather last).
 * @order is of all @n_dims > 0 that coll_plan_dims() gives. */
void coll_plan_init_in_order(CollPlan *plan, CollKind kind,
                             const Topology *topology, const uint32_t *order,
                             uint32_t n_dims);

/* Bytes that the phase works on, and bytes of one of its blocks, for a chunk
 * of @chunk_bytes.  At least 1. */
uint64_t coll_phase_bytes(const CollPhase *phase, uint64_t chunk_bytes);
uint64_t coll_block_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* How many lanes (messages side by side) keep each message of the phase
 * within @message_bytes, and the bytes one lane sends for @n_blocks. */
uint32_t coll_n_lanes(const CollPhase *phase, uint64_t chunk_bytes,
                      uint64_t message_bytes);
uint64_t coll_lane_bytes(const CollPhase *phase, uint64_t chunk_bytes,
                         uint32_t n_blocks, uint32_t n_lanes);

/* What a rank sends in the whole phase. */
uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* The rank of @npu in its group, and the NPU of another rank of it. */
uint32_t coll_rank(const CollPhase *phase, uint32_t npu);
uint32_t coll_peer(const CollPhase *phase, uint32_t npu, uint32_t rank);

#endif
