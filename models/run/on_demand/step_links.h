/*
 * step_links.h - the first link of each step's message, for phases without
 * waits
 *
 * The table is computed once for each phase, NPU and parity of the chunk,
 * because on_demand_next() has to find the next message on the same link.  NPUs
 * whose steps use their links in the same pattern share it.
 *
 * Owner    the table owns all that it returns
 * Cost     one byte per step and parity, for each NPU unlike the last
 */
#ifndef MODELS_RUN_ON_DEMAND_STEP_LINKS_H
#define MODELS_RUN_ON_DEMAND_STEP_LINKS_H

#include "models/run/step_impl.h"

/* With this many links each has only a few messages, so that the search does
 * not pay. */
#define STEP_LINKS_MAX 64
#define STEP_LINK_NONE 255 /* the step sends nothing */

/* Links are numbered in the order in which steps first use them. */
typedef struct {
    guint8 *link_of_step; /* shared: the link number of each step; NULL: there
                             are STEP_LINKS_MAX links or more */
    uint32_t n;           /* links */
    uint32_t n_sent;      /* messages */
    uint32_t last;        /* the last step that sends; undefined if none does */
    uint32_t *first_steps; /* the first step on each link */
    /* The last step on each link before .last, or UINT32_MAX. */
    uint32_t *last_steps;
    uint32_t *links; /* by link: see network_first_link() */
} StepLinks;

typedef struct StepLinksTable StepLinksTable;

StepLinksTable *step_links_table_new(void);
void step_links_table_free(StepLinksTable *table);

/* Returns the links of @npu in phase @p of @chunk, of an .independent
 * algorithm. */
const StepLinks *step_links_of(StepLinksTable *table, const Npu *npu,
                               const Chunk *chunk, uint32_t p);

/* Returns the path that the message of @step takes in a phase without waits:
 * the directions alternate if both are equally long. */
static inline uint8_t step_links_path(const Chunk *chunk,
                                      const CollPhase *phase, uint32_t step)
{
    return (uint8_t)coll_path_id(phase, chunk->index + step);
}

#endif
