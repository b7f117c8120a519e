/*
 * load.h - what the messages of a step are to the links and to the endpoints
 *
 * Where messages meet in a switch the way is up to it and down again, with
 * other bytes on either half.  What adds them there (TopologyAdder) is one more
 * link of the way up, and a sum that is scattered goes down when it is whole.
 *
 * Units    ps, bytes
 * Cost     a look at each link of the way
 */
#ifndef MODELS_COLLECTIVES_COST_LOAD_H
#define MODELS_COLLECTIVES_COST_LOAD_H

#include "models/collectives/cost/cut_task.h"

/* Some steps of a phase that are alike. */
typedef struct {
    const CollPhase *phase;
    const CollGroup *group;
    const CollRecipe *recipe; /* NULL: costs nothing */
    uint32_t step;            /* the first of them */
    uint64_t n, of;           /* n / of of them */
    uint32_t way;             /* settles ties, as topology_next() has it */
} CutSteps;

/* A message of a step, of n_lanes side by side. */
typedef struct {
    uint64_t bytes, n_lanes;
    SimTime prepare_ps, add_ps; /* at the endpoints */
    SimTime out_ps, in_ps;      /* on the bus of who sends, of who receives */
    SimTime step_ps;            /* of the protocol */
    SimTime send_ps;            /* on the slowest link of its way */
    SimTime wait_ps;            /* at the node where messages meet */
    SimTime way_ps;     /* latency, and a packet for each link but one */
    gboolean is_others; /* the phase's sample has nothing to send, and waits */
} CutLoad;

/* The first of @steps, of chunks cut as @cut says.  @load_ps, a time for each
 * port of the topology, grows by what the sample's messages take in all
 * @steps. */
CutLoad cut_load(const CutTask *task, const CutSteps *steps, const Cut *cut,
                 const CutPace *pace, SimTime *load_ps);

#endif
