/*
 * plan.h - a collective on a topology as a sequence of phases
 *
 * A phase is one algorithm on one family of groups (members.h): all NPUs, those
 * that the operation names, or those that differ in one dimension.
 * By dimension is a ring over whole dimensions that are rings, and what is
 * `hierarchical`: see levels.h.  All else is one phase, but for an all-reduce
 * by what has none and both halves of it (direct), which is a reduce-scatter
 * and an all-gather.  A group of one NPU has no phases at all.
 *
 * Which algorithm it is, says choice.h; planning/ makes plans of that.
 *
 * Every block of a phase has the same size, rounded up to a whole byte, as
 * real buffers are padded: so all ranks send equally much.  A message is one
 * block.  But of an all-to-allv a block is as large as its receiver's weight
 * says, to the byte: all together are what the phase works on.
 *
 * Units    bytes
 */
#ifndef MODELS_COLLECTIVES_PLAN_H
#define MODELS_COLLECTIVES_PLAN_H

#include "models/collectives/choice.h"
#include "models/collectives/members.h"
#include "models/collectives/recipe.h"
#include "network/transport/network.h"

#define COLL_MAX_PHASES (2 * COLL_MAX_DIMS)
#define COLL_MAX_LANES  4096 /* messages side by side; above, they grow */

typedef struct {
    const CollAlgorithm *algorithm;
    CollGroup group;
    CollGroup mirrored;   /* the same backwards, where .may_reverse */
    CollMembers members;  /* borrows the tables of those it was made of */
    uint32_t dim;         /* of the platform; 0 where by no dimension */
    uint32_t plane;       /* links that it may take: see reach.h */
    gboolean may_reverse; /* a chunk may go round either way */
    uint64_t divisor;     /* the phase works on 1/divisor of the chunk */
    uint32_t n_steps;
    uint32_t max_blocks; /* the most that one step sends or receives */
    gboolean is_even;    /* all steps send one block, and all are as large */
    gboolean is_uniform; /* all steps send as much, to one peer */
    uint32_t n_reducing; /* the first steps reduce, the others do not */
    uint32_t n_blocks;   /* that what it works on is cut into */
    /* A rank that sends as much as any, and an NPU that is of that rank. */
    uint32_t sample_rank, sample_npu;
} CollPhase;

typedef struct {
    CollKind kind;
    gboolean by_dims;     /* each phase is of one dimension: */
    uint32_t dims_mask;   /* these; bit d stands for dimension d */
    gboolean may_reorder; /* they are rings, which can be taken in any order */
    uint32_t reduces;     /* 1: ranks add what comes in some step; else 0 */
    gboolean via_switch;  /* some phase is */
    /* Borrowed: what it was made of, with what its protocol costs; NULL: of a
     * choice, and costs nothing. */
    const CollRecipe *recipe;
    uint32_t n_phases;
    CollPhase phases[COLL_MAX_PHASES];
} CollPlan;

/* One more phase, as far as algorithm, group, members, dimension, divisor and
 * whether it may reverse say; the rest is worked out. */
void coll_plan_add(CollPlan *plan, const CollPhase *phase);

/* Bytes that the phase works on, and bytes of one of its blocks, of the largest
 * where they differ, for a chunk of @chunk_bytes.  At least 1. */
uint64_t coll_phase_bytes(const CollPhase *phase, uint64_t chunk_bytes);
uint64_t coll_block_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* How many lanes (messages side by side) keep each message of the phase
 * within @message_bytes, and the bytes one lane sends for @n_blocks. */
uint32_t coll_n_lanes(const CollPhase *phase, uint64_t chunk_bytes,
                      uint64_t message_bytes);
uint64_t coll_lane_bytes(const CollPhase *phase, uint64_t chunk_bytes,
                         uint32_t n_blocks, uint32_t n_lanes);

/* Of an all-to-allv: bytes of what is for @rank, and of a lane of it, which is
 * at least 1. */
uint64_t coll_bytes_for(const CollPhase *phase, uint64_t chunk_bytes,
                        uint32_t rank);
uint64_t coll_lane_bytes_for(const CollPhase *phase, uint64_t chunk_bytes,
                             uint32_t rank, uint32_t n_lanes);

/* What a rank sends in the whole phase, of those that send most. */
uint64_t coll_sent_bytes(const CollPhase *phase, uint64_t chunk_bytes);

/* The first step from @from on in which @rank has anything to do; .n_steps
 * where there is none. */
static inline uint32_t coll_phase_next(const CollPhase *phase, uint32_t rank,
                                       uint32_t from)
{
    return coll_next_step(phase->algorithm, &phase->group, rank, from);
}

/* What topology_next() is to be asked for: in that plane, or up to the switch
 * of the phase's dimension. */
static inline uint32_t coll_way(const CollPhase *phase, uint32_t turn)
{
    return TOPOLOGY_WAY(phase->plane, turn) |
           (phase->algorithm->via_switch ? TOPOLOGY_WAY_UP(phase->dim) : 0);
}

/* The rank of @npu in its group, and the NPU of another rank of it. */
static inline uint32_t coll_rank(const CollPhase *phase, uint32_t npu)
{
    return coll_members_rank(&phase->members, npu);
}

static inline uint32_t coll_peer(const CollPhase *phase, uint32_t npu,
                                 uint32_t rank)
{
    return coll_members_id(&phase->members, npu, rank);
}

#endif
