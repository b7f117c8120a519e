/*
 * chunk_time_estimate.h - estimates the time of chunks of a given cut, alone
 * and together
 *
 * chunking.h has the formulas, and chooses by these estimates.
 *
 * Units    ps
 * Cost     follows the route of each step that differs from the others: at most
 *          64 steps of a phase, in both directions on a torus
 */
#ifndef MODELS_COLLECTIVES_COST_CHUNK_TIME_ESTIMATE_H
#define MODELS_COLLECTIVES_COST_CHUNK_TIME_ESTIMATE_H

#include "models/collectives/cost/chunking_task.h"

/* The estimated times of a cut, over chunks of all dimension orders. */
typedef struct {
    SimTime alone_ps;    /* time of one chunk, without contention */
    SimTime period_ps;   /* least time between two chunks */
    SimTime port_ps;     /* time that the busiest port needs for a chunk */
    SimTime together_ps; /* time of all chunks, if all may be in flight
                            simultaneously */
    SimTime apart_ps;    /* least time between two chunks because of limited
                            places, and of fetching and storing */
    /* Messages per chunk in a simulation: those of one NPU, which stands for
     * the others; or those of all NPUs, if ranks send different amounts. */
    uint64_t n_messages;
    gboolean is_whole; /* .n_messages counts all NPUs */
    /* Messages per chunk of all NPUs that a rehearsal simulates. */
    uint64_t n_moved;
    uint64_t most_bytes;       /* bytes of the largest message */
    gboolean holds_few_chunks; /* the endpoint has room for a limited number of
                                  chunks */
    gboolean fits;             /* FALSE: the endpoint cannot take such chunks */
} CutEstimate;

/* Returns the estimate for @cut, whose chunk and message sizes must be set. The
 * window is not used. */
CutEstimate estimate_chunking_time(const CutTask *task, const Cut *cut);

uint64_t count_chunks_of_payload(const CutTask *task, uint64_t chunk_bytes);

#endif
