/*
 * chunking_task.h - the inputs for the choice of a cut: see chunking.h
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_COLLECTIVES_COST_CHUNKING_TASK_H
#define MODELS_COLLECTIVES_COST_CHUNKING_TASK_H

#include "models/collectives/collective_plan.h"

#define CUT_MAX_WINDOW 4096 /* largest window that is chosen, in chunks */

/* The time that an endpoint adds to a chunk of a given size under a given
 * plan. */
typedef struct {
    /* Rates at which the endpoint prepares messages of steps that reduce, and
     * of other steps; 0: this takes no time. */
    uint64_t reduce_bytes_per_s, store_bytes_per_s;
    /* Rate at which each of .n_adders adds a received message; 0: this takes no
     * time, or the rates above include it. */
    uint64_t add_bytes_per_s, n_adders;
    /* Bytes/s of the bus between NPU and fabric, in each direction; 0: no
     * limit. */
    uint64_t bus_bytes_per_s;
    SimTime message_ps;     /* latency before each message */
    SimTime message_gap_ps; /* least time from one message to the next */
    /* Time to fetch a chunk before its phases, and to store it after them.
     * Chunks are fetched one after the other, and stored one after
     * the other. */
    SimTime fetch_ps, store_ps;
    /* Largest number of chunks in a phase at the same time, and number of
     * chunks that fit into its memory; 0: no limit.  In the first phase, a
     * chunk needs the memory from the beginning of its fetch. */
    uint64_t n_slots[COLL_MAX_PHASES], n_rooms[COLL_MAX_PHASES];
} CutPace;

/* Sets *@ret to the times of the endpoint for @plan.  Returns FALSE if the
 * endpoint cannot take chunks of @chunk_bytes. */
typedef gboolean (*CutPaceFn)(gconstpointer self, const CollPlan *plan,
                              uint64_t chunk_bytes, CutPace *ret);

/* Chunk size, message size and window.  A number may be CONFIG_AUTO: it is to
 * be chosen. */
typedef struct {
    uint64_t chunk_bytes, message_bytes, window;
} Cut;

/* Simulates the collective of a CutTask alone, with @payload_bytes.  All
 * numbers of @cut must be set.  Returns the time of the collective, or
 * SIM_TIME_MAX if it cannot be simulated. */
typedef SimTime (*CutRehearseFn)(gconstpointer self, uint64_t payload_bytes,
                                 const Cut *cut);

typedef struct {
    /* Borrowed, as are all pointers of the struct: one plan per dimension
     * order. */
    const CollPlan *plans;
    const uint32_t *shares; /* share of the chunks that uses each order */
    uint32_t n_plans;
    gboolean are_channels; /* the plans are channels, which share even a small
                              payload */
    const Topology *topology; /* the topology for which the plans were made */
    uint64_t payload_bytes;
    gboolean has_others;   /* other collectives may overtake this one, or be
                              overtaken */
    gboolean shares_links; /* collectives of other communicators may be in
                              flight at the same time */
    /* By how many per cent a choice may be slower than the best if many
     * collectives overlap anyway; 0: the default of chunking.h, also for the
     * next two values. */
    uint64_t tolerance_percent;
    /* A message size up to which other collectives may have to wait in any
     * case. */
    uint64_t max_blocking_bytes;
    uint64_t least_bytes; /* the smallest payload of all collectives */
    uint64_t packet_bytes;
    CutPaceFn pace;
    gconstpointer self; /* first argument of .pace */
    /* Simulates a candidate.  NULL: the cost model decides alone. */
    CutRehearseFn rehearse;
    gconstpointer rehearsal; /* first argument of .rehearse */
    /* Limit of messages for one rehearsal, summed over the .n_sim NPUs that a
     * rehearsal simulates. */
    uint64_t most_messages;
    uint32_t n_sim;
} CutTask;

#endif
