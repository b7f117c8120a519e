/*
 * step_link_load.h - the load of a step's messages on links and endpoints
 *
 * If messages meet in a switch, the path leads up to it and down again, with
 * different bytes on each half.  The adder of the switch (TopologySwitchAdder)
 * counts as one more link on the way up.  A sum that is scattered goes down
 * when it is complete.
 *
 * Units    ps, bytes
 * Cost     visits each link of the path
 */
#ifndef MODELS_COLLECTIVES_COST_STEP_LINK_LOAD_H
#define MODELS_COLLECTIVES_COST_STEP_LINK_LOAD_H

#include "models/collectives/cost/chunking_task.h"

/* Some equivalent steps of a phase. */
typedef struct {
    const CollPhase *phase;
    const CollGroup *group;
    const CollRecipe *recipe; /* NULL: no protocol costs */
    uint32_t step;            /* the first of the steps */
    /* Number of steps, as the fraction n / of, because several directions can
     * share the steps. */
    uint64_t n, divisor;
    /* Number of the path that decides ties: see topology_next_link(). */
    uint32_t path_id;
} CutSteps;

/* The times of one message of a step that sends n_lanes in parallel. */
typedef struct {
    uint64_t bytes, n_lanes;
    /* Time at the endpoints: to prepare a message, and to add a received
     * one. */
    SimTime prepare_ps, add_ps;
    /* Time on the bus of the sender, and of the receiver. */
    SimTime out_ps, in_ps;
    SimTime step_ps; /* step time of the stack's protocol */
    SimTime send_ps; /* time on the slowest link of the path */
    /* Waiting time at the switch in which messages meet. */
    SimTime wait_ps;
    /* Latency, and the time of one packet on each link but one. */
    SimTime way_ps;
    /* The sample rank of the phase sends nothing, and waits. */
    gboolean is_others;
} CutLoad;

/* Returns the load of the first of @steps, for chunks of @cut.  @load_ps has
 * one entry per port of the topology, to which the time of the sample rank's
 * messages in all @steps is added. */
CutLoad compute_step_load(const CutTask *task, const CutSteps *steps,
                          const Cut *cut, const CutPace *pace,
                          SimTime *load_ps);

#endif
