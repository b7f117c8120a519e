/*
 * cut_task.h - what is known of a collective when it is cut: see cut.h
 *
 * Units    bytes, bytes per second, ps
 */
#ifndef MODELS_COLLECTIVES_COST_CUT_TASK_H
#define MODELS_COLLECTIVES_COST_CUT_TASK_H

#include "models/collectives/plan.h"

#define CUT_MAX_WINDOW 4096 /* chunks */

/* What an endpoint adds to a chunk of a given size on its way through @plan. */
typedef struct {
    /* Rates at which it prepares messages of steps that reduce, and of others;
     * 0: at once. */
    uint64_t reduce_bytes_per_s, store_bytes_per_s;
    /* Rate at which one of .n_adders adds a message that has come; 0: at once,
     * or within the above. */
    uint64_t add_bytes_per_s, n_adders;
    uint64_t bus_bytes_per_s; /* between NPU and fabric, each way; 0: at once */
    SimTime message_ps;       /* before each message */
    SimTime message_gap_ps;   /* at least from one message to the next */
    /* A chunk is fetched before its phases and stored after them, one after
     * the other. */
    SimTime fetch_ps, store_ps;
    /* Chunks that may be in a phase at once, and that there is room for: in the
     * first they have it from when they are fetched on; 0: any number. */
    uint64_t n_slots[COLL_MAX_PHASES], n_rooms[COLL_MAX_PHASES];
} CutPace;

/* FALSE: it cannot take chunks of @chunk_bytes. */
typedef gboolean (*CutPaceFn)(gconstpointer self, const CollPlan *plan,
                              uint64_t chunk_bytes, CutPace *ret);

/* Of the numbers, CONFIG_AUTO is to be chosen. */
typedef struct {
    uint64_t chunk_bytes, message_bytes, window;
} Cut;

/* Simulates the collective of a CutTask with nothing beside it, of
 * @payload_bytes and cut as @cut says, all of whose numbers are given.
 * @n_messages is what the simulation moves: of one NPU, or of all of them
 * (@is_whole).  Returns the time of the collective, or SIM_TIME_MAX where it is
 * not simulated. */
typedef SimTime (*CutRehearseFn)(gconstpointer self, uint64_t payload_bytes,
                                 const Cut *cut, uint64_t n_messages,
                                 gboolean is_whole);

typedef struct {
    const CollPlan *plans;  /* borrowed, as all of it: one an order */
    const uint32_t *shares; /* of the chunks that each order has */
    uint32_t n_plans;
    gboolean are_channels;    /* which share the payload, however small it is */
    const Topology *topology; /* on which they were made */
    uint64_t payload_bytes;
    gboolean has_others; /* that may overtake it, or it them, */
    /* What the choice may cost where many of them overlap anyhow; 0: as cut.h
     * has it, as are the next two. */
    uint64_t slack_percent;
    /* A message that they may wait for all the same. */
    uint64_t may_hold_bytes;
    uint64_t least_bytes; /* and the least payload of all of them */
    uint64_t packet_bytes;
    CutPaceFn pace;
    gconstpointer self; /* for .pace */
    /* NULL: the cost model decides alone. */
    CutRehearseFn rehearse;
    gconstpointer rehearsal; /* for .rehearse */
    uint64_t most_messages;  /* of one rehearsal */
} CutTask;

#endif
