/*
 * collective_plan.h - a collective on a topology as a sequence of phases
 *
 * A phase is one algorithm on disjoint groups (group_members.h): all NPUs,
 * those that the operation names, or those that differ in one dimension. A ring
 * over whole dimensions that are rings, and `hierarchical`, have one phase per
 * dimension: see dimension_phases.h. All others have one phase. The exception
 * is an all-reduce by an algorithm that has only its two halves (direct): it is
 * a reduce-scatter and an all-gather. A group of one NPU has no phases.
 *
 * algorithm_choice.h chooses the algorithm; planning/ turns the choice into a
 * plan.
 *
 * All blocks of a phase have the same size, rounded up to a whole byte, as real
 * buffers are padded.  All ranks therefore send the same amount.  A message is
 * one block.  In an all-to-allv, a block has exactly the bytes that the weight
 * of its receiver says; all blocks together are the payload of the phase.
 *
 * Units    bytes
 */
#ifndef MODELS_COLLECTIVES_COLLECTIVE_PLAN_H
#define MODELS_COLLECTIVES_COLLECTIVE_PLAN_H

#include "models/collectives/algorithm_choice.h"
#include "models/collectives/collective_recipe.h"
#include "models/collectives/group_members.h"
#include "network/transport/network.h"

#define COLL_MAX_PHASES (2 * COLL_MAX_DIMS)
/* Maximum of parallel messages per step.  If a step needs more, messages
 * grow. */
#define COLL_MAX_LANES 4096

typedef struct {
    const CollAlgorithm *algorithm;
    CollGroup group;
    CollGroup mirrored; /* .group with .backwards set, if .may_reverse */
    CollMembers
        members;  /* borrows the tables of the members from which it was made */
    uint32_t dim; /* of the platform; 0 if the phase has no dimension */
    uint32_t plane;       /* links that it may use: see path_id.h */
    gboolean may_reverse; /* a chunk may go round in either direction */
    uint64_t divisor;     /* the phase works on 1/divisor of the chunk */
    uint32_t n_steps;
    /* Largest number of blocks that one step sends or receives. */
    uint32_t max_blocks;
    /* All steps send one block, and all blocks have one size. */
    gboolean is_even;
    gboolean is_uniform; /* all steps send the same amount, to one peer */
    /* The first .n_reducing steps reduce, the others do not. */
    uint32_t n_reducing;
    uint32_t n_blocks; /* number of blocks of the phase's payload */
    /* A rank that sends as much as any other, and an NPU that has this rank. */
    uint32_t sample_rank, sample_npu;
} CollPhase;

typedef struct {
    CollKind kind;
    gboolean by_dims;     /* each phase works along one dimension */
    uint32_t dims_mask;   /* bit d: dimension d of the platform is used */
    gboolean may_reorder; /* the dimensions are rings, so their order is free */
    uint32_t reduces;     /* 1: ranks add received data in some step; else 0 */
    gboolean via_switch;  /* some phase sends through a switch */
    /* Borrowed: the stack recipe of the plan, with the costs of its protocol;
     * NULL: the plan was made by algorithm_choice.h, without a protocol. */
    const CollRecipe *recipe;
    uint32_t n_phases;
    CollPhase phases[COLL_MAX_PHASES];
} CollPlan;

/* Appends a phase to @plan.  Input fields are algorithm, group, members,
 * dimension, divisor and .may_reverse; the others are derived. */
void coll_plan_add_phase(CollPlan *plan, const CollPhase *phase);

/* Return the bytes of the phase's payload, and of one of its blocks (the
 * largest if they differ), for a chunk of @chunk_bytes.  At least 1. */
uint64_t coll_phase_bytes(const CollPhase *phase, uint64_t chunk_bytes);
uint64_t coll_block_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* Return the number of lanes (parallel messages) that keep each message of the
 * phase within @message_bytes, and the bytes that one lane sends
 * for @n_blocks. */
uint32_t coll_n_lanes(const CollPhase *phase, uint64_t chunk_bytes,
                      uint64_t message_bytes);
uint64_t coll_lane_bytes(const CollPhase *phase, uint64_t chunk_bytes,
                         uint32_t n_blocks, uint32_t n_lanes);

/* For an all-to-allv: return the bytes of the block for @rank, and of one
 * parallel lane of it, which is at least 1. */
uint64_t coll_block_bytes_for_rank(const CollPhase *phase, uint64_t chunk_bytes,
                                   uint32_t rank);
uint64_t coll_lane_bytes_for_rank(const CollPhase *phase, uint64_t chunk_bytes,
                                  uint32_t rank, uint32_t n_lanes);

/* Returns the bytes that the busiest rank sends in the whole phase. */
uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* Returns the first step, from @from on, in which @rank is active, or .n_steps
 * if there is none. */
static inline uint32_t coll_phase_next_active_step(const CollPhase *phase,
                                                   uint32_t rank, uint32_t from)
{
    return coll_next_active_step(phase->algorithm, &phase->group, rank, from);
}

/* Returns the path argument of topology_next_link(): in the plane of the phase,
 * or up to the switch of its dimension. */
static inline uint32_t coll_path_id(const CollPhase *phase, uint32_t turn)
{
    return TOPOLOGY_PATH_ID(phase->plane, turn) |
           (phase->algorithm->via_switch ? TOPOLOGY_PATH_UP(phase->dim) : 0);
}

/* Return the rank of @npu in its group, and the NPU of @rank in that group. */
static inline uint32_t coll_rank_of_npu(const CollPhase *phase, uint32_t npu)
{
    return coll_members_rank_of_npu(&phase->members, npu);
}

static inline uint32_t coll_npu_of_rank(const CollPhase *phase, uint32_t npu,
                                        uint32_t rank)
{
    return coll_members_npu_in_same_group(&phase->members, npu, rank);
}

#endif
