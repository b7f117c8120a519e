/*
 * algorithm.h - how ranks keep a collective's promise, as pure functions
 *
 * The payload is cut into equal blocks, one a rank unless .n_blocks says else.
 * Given a group, a rank and a step,
 * an algorithm says which blocks that rank sends, to whom, which it receives
 * in the same step, and whether it reduces them.  It knows nothing of time,
 * networks or endpoints, so it can be proved by replay (tests/test_algorithm)
 * and carried out by any model.
 *
 * Where an algorithm goes .via_switch, every rank sends to and receives from
 * itself, by way of a switch that all ranks' messages of a step meet in: what
 * comes back is their sum or, in an all-gather, all of them.  The ranks add
 * nothing then.
 *
 * Where an algorithm is .partial, some ranks have nothing to send, or nothing
 * to receive, in some steps: these send no blocks, or say .recv_none.  Whether
 * a step reduces is the same at all ranks.  Of thousands of steps a rank may
 * have but two or three, so .next says where they are.
 *
 * In an all-gather or a gather "block b" is what rank b holds at the start, in
 * a scatter what rank b gets.  Of an all-to-all blocks change as they go, so
 * they are numbered by places that each rank has: place o holds at first what
 * is for the rank that lies o further on, coordinate by coordinate on the
 * group's grid, and in the end what has come from the rank that lies o before.
 *
 * Of an all-to-allv the block that is for rank b is as large as b's weight
 * says, and where that is nothing none is sent.
 *
 * Order    a rank sends step s after it has received and handled step s - 1,
 *          unless .independent, when all sends may go at once
 * Units    blocks; bytes are the business of plan.h
 * Range    n_ranks >= 2
 */
#ifndef MODELS_COLLECTIVES_ALGORITHM_H
#define MODELS_COLLECTIVES_ALGORITHM_H

#include "models/collectives/group.h"

/* Blocks follow each other, or come in rows; after the last block comes the
 * first. */
typedef struct {
    uint32_t send_to;    /* rank */
    uint32_t recv_from;  /* rank */
    uint32_t send_block; /* first of n_blocks */
    uint32_t recv_block;
    uint32_t n_row, stride; /* blocks of a row, and from row to row; 0: all of
                               them are one row */
    uint32_t n_blocks;      /* 0: it sends nothing in this step */
    uint32_t n_recv_blocks; /* where others than are sent; else 0 */
    gboolean recv_none;     /* it receives nothing in this step */
    gboolean reduces;       /* adds what arrives instead of storing it */
} CollStep;

/* How peers are named: decides which platforms look alike to all ranks. */
typedef enum {
    COLL_BY_ROTATION, /* peer = rank + offset, coordinate by coordinate */
    COLL_BY_XOR,      /* peer = rank xor mask */
} CollSymmetry;

typedef struct {
    const char *name;    /* the value of "algorithm:" in YAML */
    const char *summary; /* one line, with the cost in steps and payloads */
    CollSymmetry symmetry;
    gboolean independent; /* no step waits for another */
    gboolean via_switch;  /* one that adds */
    /* All messages to a rank come from one peer, or from the next only after
     * that was sent what became of them: in the order of its steps. */
    gboolean single_source;
    gboolean partial; /* some rank is idle in some step */
    gboolean (*supports)(const CollGroup *group);
    uint32_t (*n_steps)(const CollGroup *group);
    /* That the payload is cut into; NULL: one a rank. */
    uint32_t (*n_blocks)(const CollGroup *group);
    void (*step)(const CollGroup *group, uint32_t rank, uint32_t step,
                 CollStep *ret);
    /* The first step from @from on in which @rank sends or receives anything,
     * n_steps() where there is none.  NULL: all are looked at. */
    uint32_t (*next)(const CollGroup *group, uint32_t rank, uint32_t from);
} CollAlgorithm;

/* All algorithms, in the order of the table, then NULL. */
extern const CollAlgorithm *const coll_algorithms[];

/* The values of "algorithm:": `auto`, then coll_algorithms[i]->name at i + 1.
 */
#define COLL_AUTO 0
extern const char *const coll_algorithm_names[];

/* Those that are chosen where none is asked for. */
extern const CollAlgorithm coll_ring;
extern const CollAlgorithm coll_halving_doubling;
extern const CollAlgorithm coll_direct;
extern const CollAlgorithm coll_in_switch;
extern const CollAlgorithm coll_bruck;
extern const CollAlgorithm coll_linear;
extern const CollAlgorithm coll_star;
extern const CollAlgorithm coll_chain;
extern const CollAlgorithm coll_pat;
extern const CollAlgorithm coll_binary_tree;
extern const CollAlgorithm coll_double_binary_tree;

/* The other half of a payload's chunks can go along this while one goes along
 * coll_binary_tree: an all-reduce.  It has no name in a file. */
extern const CollAlgorithm coll_binary_tree_beside;

/* What plan.h makes phases by dimension of; itself it supports nothing. */
extern const CollAlgorithm coll_hierarchical;

/* What chain is on a grid of several dimensions, of what each rank gets, or
 * gives, whole; it has no name of its own. */
extern const CollAlgorithm coll_grid_chain;

/* What direct is where blocks are not equal; it has no name of its own. */
extern const CollAlgorithm coll_direct_uneven;

/* Of messages, which have no choice and so no name in a file. */
extern const CollAlgorithm coll_p2p;

static inline uint32_t coll_n_blocks(const CollAlgorithm *algorithm,
                                     const CollGroup *group)
{
    return algorithm->n_blocks ? algorithm->n_blocks(group) : group->n_ranks;
}

static inline uint32_t coll_n_received(const CollStep *step)
{
    if (step->recv_none)
        return 0;
    return step->n_recv_blocks > 0 ? step->n_recv_blocks : step->n_blocks;
}

/* What .next promises, of any algorithm.
 *
 * Cost     of .next, of a .partial algorithm without a look at each step */
uint32_t coll_next_step(const CollAlgorithm *algorithm, const CollGroup *group,
                        uint32_t rank, uint32_t from);

/* Number @i of the blocks that begin with @first, out of @n_blocks. */
static inline uint32_t coll_block_at(const CollStep *step, uint32_t first,
                                     uint32_t i, uint32_t n_blocks)
{
    uint64_t on = i;

    if (step->n_row > 0)
        on = (uint64_t)(i / step->n_row) * step->stride + i % step->n_row;
    return (uint32_t)((first + on) % n_blocks);
}

#endif
