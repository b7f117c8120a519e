/*
 * flow.h - what chunks of some size do on their way: how long one takes alone,
 * how far apart they come, and how long all take that set out at once
 *
 * The formulas stand in cut.h, which chooses by them.
 *
 * Units    ps
 * Cost     a walk along the route of each step that is not like another, 64
 *          steps of a phase at most, both ways round a torus
 */
#ifndef MODELS_COLLECTIVES_COST_FLOW_H
#define MODELS_COLLECTIVES_COST_FLOW_H

#include "models/collectives/cost/cut_task.h"

/* Of chunks of all orders. */
typedef struct {
    SimTime alone_ps;    /* one, with nothing in the way */
    SimTime period_ps;   /* the least time between two */
    SimTime together_ps; /* all, if they may be in flight at once; */
    SimTime apart_ps;    /* but two are that far apart for want of places and
                            for being fetched and stored */
    /* Of a chunk, that a simulation moves: those of one NPU, which stands for
     * the others; or those of all, where ranks differ in what they send. */
    uint64_t n_messages;
    gboolean is_whole;   /* of all */
    uint64_t most_bytes; /* of a message */
    gboolean fits;       /* else the endpoint cannot take such chunks */
} Flow;

/* @cut's numbers are given; its window is not looked at. */
Flow cut_flow(const CutTask *task, const Cut *cut);

uint64_t cut_n_chunks(const CutTask *task, uint64_t chunk_bytes);

#endif
