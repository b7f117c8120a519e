/*
 * first_link_of_steps.h - the first link of each step's message, for phases
 * without waits
 *
 * The table is computed once for each phase, NPU and parity of the chunk,
 * because on_demand_send_next_message() has to find the next message on the
 * same link.  NPUs whose steps use their links in the same pattern share it.
 *
 * Owner    the table owns all that it returns
 * Cost     one byte per step and parity, for each NPU unlike the last
 */
#ifndef MODELS_RUN_ON_DEMAND_FIRST_LINK_OF_STEPS_H
#define MODELS_RUN_ON_DEMAND_FIRST_LINK_OF_STEPS_H

#include "models/run/step_messages_impl.h"

/* With this number of links, each has only a few messages, so that searching by
 * link does not pay. */
#define STEP_LINKS_MAX 64
/* Value of .link_of_step for a step that sends nothing. */
#define STEP_LINK_NONE 255

/* Links are numbered in the order in which steps first use them. */
typedef struct {
    /* Reference counted: the link number of each step; NULL: there are
     * STEP_LINKS_MAX links or more. */
    guint8 *link_of_step;
    uint32_t n;      /* number of distinct first links */
    uint32_t n_sent; /* number of messages that the steps send */
    /* The last step that sends; undefined if no step sends. */
    uint32_t last;
    uint32_t *first_steps; /* the first step that uses each link */
    /* The last step that uses each link before step .last, or UINT32_MAX. */
    uint32_t *last_steps;
    /* The simulated link of each number, as network_first_link_of_path()
     * returns it. */
    uint32_t *links;
} StepLinks;

typedef struct StepLinksTable StepLinksTable;

StepLinksTable *step_links_table_new(void);
void step_links_table_free(StepLinksTable *table);

/* Returns the first links of @npu in phase @phase of @chunk.  The algorithm
 * must be .independent. */
const StepLinks *step_links_for_phase(StepLinksTable *table, const Npu *npu,
                                      const Chunk *chunk, uint32_t phase);

/* Returns the number of the path that the message of @step takes in a phase
 * without waits.  If both directions are equally long, they alternate. */
static inline uint8_t
step_links_first_link(const Chunk *chunk, const CollPhase *phase, uint32_t step)
{
    return (uint8_t)coll_path_id(phase, chunk->index + step);
}

#endif
