/*
 * algorithm.h - how ranks carry out a collective, as pure functions
 *
 * The payload is cut into equal blocks, one per rank unless .n_blocks says
 * otherwise.  Given a group, a rank and a step, an algorithm says which blocks
 * the rank sends and to which rank, which blocks it receives in the same step,
 * and whether it reduces them.  An algorithm knows nothing of time, networks or
 * endpoints, so tests can prove it by replay (tests/test_algorithm), and any
 * model can carry it out.
 *
 * .via_switch   Every rank sends to itself and receives from itself, through a
 *               switch in which the messages of all ranks meet in each step.
 *               The switch returns their sum or, in an all-gather, all of them.
 *               The ranks add nothing.
 * .partial      Some ranks send nothing, or receive nothing, in some steps:
 *               they send no blocks, or set .recv_none.  Whether a step reduces
 *               is the same at all ranks.  A rank may be active in two or three
 *               of thousands of steps, so .next finds its active steps.
 *
 * Block numbers
 *   all-gather, gather  block b is what rank b holds at the start
 *   scatter             block b is what rank b gets
 *   all-to-all          Blocks move in several steps, so they are numbered by
 *                       offsets o that are relative to each rank.  At the
 *                       start, block o of a rank is for the rank at distance o
 *                       ahead, coordinate by coordinate on the grid of the
 *                       group.  At the end, it comes from the rank
 *                       at distance o behind.
 *   all-to-allv         The block for rank b has the size that the weight of b
 *                       says; with weight 0 no block is sent.
 *
 * Order    a rank sends step s after it has received and handled step s - 1,
 *          unless .independent, when all sends may start at once
 * Units    blocks; collective_plan.h converts them to bytes
 * Range    n_ranks >= 2
 */
#ifndef MODELS_COLLECTIVES_ALGORITHM_H
#define MODELS_COLLECTIVES_ALGORITHM_H

#include "models/collectives/group.h"

/* The data that a rank sends and receives in one step.  Blocks are consecutive,
 * or form rows at a stride.  Block 0 follows the last block. */
typedef struct {
    uint32_t send_to;    /* rank to which this rank sends */
    uint32_t recv_from;  /* rank from which this rank receives */
    uint32_t send_block; /* the first of the .n_blocks blocks that it sends */
    uint32_t recv_block;
    /* Consecutive blocks, and the distance from one row of them to the next; 0:
     * a single row. */
    uint32_t n_row, stride;
    /* Number of sent blocks; 0: the rank sends nothing in this step. */
    uint32_t n_blocks;
    /* Number of received blocks if it differs from .n_blocks; else 0. */
    uint32_t n_recv_blocks;
    gboolean recv_none; /* the rank receives nothing in this step */
    gboolean reduces;   /* received data is added instead of stored */
} CollStep;

/* How peers are computed from ranks.  This determines which symmetries of a
 * platform the ranks can have. */
typedef enum {
    COLL_BY_ROTATION, /* peer = rank + offset, coordinate by coordinate */
    COLL_BY_XOR,      /* peer = rank xor mask */
} CollSymmetry;

typedef struct {
    const char *name; /* the value of "algorithm:" in YAML */
    /* Description in one line, with the number of steps and of payloads
     * sent. */
    const char *summary;
    CollSymmetry symmetry;
    /* No step waits for another, so all sends may start simultaneously. */
    gboolean independent;
    gboolean via_switch; /* the collective needs a switch that adds */
    /* The messages to a rank arrive in the order of its steps: all come from
     * one peer, or a further peer sends only after it has received the result
     * of the earlier messages. */
    gboolean single_source;
    gboolean partial; /* some rank is idle in some step */
    gboolean (*supports)(const CollGroup *group);
    uint32_t (*n_steps)(const CollGroup *group);
    /* Returns the number of blocks of the payload.  NULL: one block per
     * rank. */
    uint32_t (*n_blocks)(const CollGroup *group);
    void (*step)(const CollGroup *group, uint32_t rank, uint32_t step,
                 CollStep *ret);
    /* Returns the first step, from @first_step on, in which @rank sends or
     * receives; n_steps() if there is none.  NULL: all steps are searched. */
    uint32_t (*next_active_step)(const CollGroup *group, uint32_t rank,
                                 uint32_t first_step);
} CollAlgorithm;

/* All algorithms in the order of the table, and NULL at the end. */
extern const CollAlgorithm *const coll_algorithms[];

/* Values of "algorithm:": `auto`, then coll_algorithms[i]->name at i + 1. */
#define COLL_AUTO 0
extern const char *const coll_algorithm_names[];

/* The algorithms that `auto` chooses from. */
extern const CollAlgorithm coll_ring;
extern const CollAlgorithm coll_halving_doubling;
extern const CollAlgorithm coll_direct;
extern const CollAlgorithm coll_in_switch;
extern const CollAlgorithm coll_bruck;
extern const CollAlgorithm coll_shift;
extern const CollAlgorithm coll_linear;
extern const CollAlgorithm coll_star;
extern const CollAlgorithm coll_chain;
extern const CollAlgorithm coll_pat;
extern const CollAlgorithm coll_binary_tree;
extern const CollAlgorithm coll_double_binary_tree;

/* For an all-reduce: if half of the chunks use coll_binary_tree, the other half
 * can use this tree, in which the leaves of the former are inner nodes.  It
 * cannot be named in YAML. */
extern const CollAlgorithm coll_binary_tree_complement;

/* One algorithm for each dimension.  It supports no group itself: planning/
 * turns it into phases by dimension. */
extern const CollAlgorithm coll_hierarchical;

/* A chain on a grid of several dimensions, for a broadcast, a reduce and an
 * all-reduce.  It cannot be named in YAML. */
extern const CollAlgorithm coll_grid_chain;

/* The direct algorithm for blocks of different sizes.  It cannot be named in
 * YAML. */
extern const CollAlgorithm coll_direct_uneven;

/* The algorithm of point-to-point messages, for which there is no other.  It
 * cannot be named in YAML. */
extern const CollAlgorithm coll_p2p;

static inline uint32_t coll_n_blocks(const CollAlgorithm *algorithm,
                                     const CollGroup *group)
{
    return algorithm->n_blocks ? algorithm->n_blocks(group) : group->n_ranks;
}

static inline uint32_t coll_step_n_received_blocks(const CollStep *step)
{
    if (step->recv_none)
        return 0;
    return step->n_recv_blocks > 0 ? step->n_recv_blocks : step->n_blocks;
}

/* Returns the first step, from @from on, in which @rank is active.  Searches
 * all steps if the algorithm is .partial and has no .next. */
uint32_t coll_next_active_step(const CollAlgorithm *algorithm,
                               const CollGroup *group, uint32_t rank,
                               uint32_t from);

/* Returns the number of the @i-th block in a row of blocks that starts with
 * block @first, of @n_blocks blocks in total. */
static inline uint32_t coll_nth_block_of_step(const CollStep *step,
                                              uint32_t first, uint32_t i,
                                              uint32_t n_blocks)
{
    uint64_t on = i;

    if (step->n_row > 0)
        on = (uint64_t)(i / step->n_row) * step->stride + i % step->n_row;
    return (uint32_t)((first + on) % n_blocks);
}

#endif
