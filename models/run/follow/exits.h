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
#define STEP_LINKS_MAX 64
#define STEP_LINK_NONE 255 /* nothing is sent in that step */

/* StepLinks are numbered in the order in which steps use them first. */
typedef struct {
    guint8 *link_of_step;  /* shared: the exit of each step; NULL: there are
                            * STEP_LINKS_MAX of them, or more */
    uint32_t n;            /* exits */
    uint32_t n_sent;       /* messages */
    uint32_t last;         /* step that is sent last; undefined without any */
    uint32_t *first_steps; /* of each exit: the first step, */
    uint32_t *last_steps;  /* the last but .last, or UINT32_MAX, */
    uint32_t *links;       /* and its link: see network_first_link() */
} StepLinks;

typedef struct StepLinksTable StepLinksTable;

StepLinksTable *step_links_table_new(void);
void step_links_table_free(StepLinksTable *table);

/* Those of @npu in phase @p of @chunk, of an .independent algorithm. */
const StepLinks *step_links_of(StepLinksTable *table, const Npu *npu,
                               const Chunk *chunk, uint32_t p);

/* The way that @step of @chunk's phase takes, where none waits for another:
 * in turn, where both ways round are equally long. */
static inline uint8_t step_links_path(const Chunk *chunk,
                                      const CollPhase *phase, uint32_t step)
{
    return (uint8_t)coll_way(phase, chunk->index + step);
}

#endif
