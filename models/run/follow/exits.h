/*
 * exits.h - by which links an NPU sends the steps of a phase that none waits
 * for
 *
 * Worked out once for a phase, an NPU and a turn of ways, since who sends only
 * the first of what goes over a link has to find the next.  NPUs that are
 * alike share what they have in common.
 *
 * Owner    the table owns all it gives
 * Cost     a byte a step and turn, on each NPU that is unlike the one before
 */
#ifndef MODELS_RUN_FOLLOW_EXITS_H
#define MODELS_RUN_FOLLOW_EXITS_H

#include "models/run/step_impl.h"

/* With as many, a link has few of the messages: not worth the search. */
#define EXITS_MOST 64
#define EXIT_NONE  255 /* nothing is sent in that step */

/* Exits are numbered in the order in which steps use them first. */
typedef struct {
    guint8 *of_steps;  /* shared: the exit of each step; NULL: there are
                        * EXITS_MOST of them, or more */
    uint32_t n;        /* exits */
    uint32_t n_sent;   /* messages */
    uint32_t last;     /* step that is sent last; undefined without any */
    uint32_t *firsts;  /* of each exit: the first step, */
    uint32_t *befores; /* the last but .last, or UINT32_MAX, */
    uint32_t *links;   /* and its link: see network_first_link() */
} Exits;

typedef struct ExitsTable ExitsTable;

ExitsTable *exits_table_new(void);
void exits_table_free(ExitsTable *table);

/* Those of @npu in phase @p of @chunk, of an .independent algorithm. */
const Exits *exits_of(ExitsTable *table, const Npu *npu, const Chunk *chunk,
                      uint32_t p);

/* The way that @step of @chunk's phase takes, where none waits for another:
 * in turn, where both ways round are equally long. */
static inline uint8_t exits_way(const Chunk *chunk, const CollPhase *phase,
                                uint32_t step)
{
    return (uint8_t)coll_way(phase, chunk->index + step);
}

#endif
