/*
 * collective_instance_impl.h - collectives in flight: one operation in one
 * iteration, on all NPUs
 *
 * Owner    the system owns its instances
 */
#ifndef MODELS_RUN_COLLECTIVE_INSTANCE_IMPL_H
#define MODELS_RUN_COLLECTIVE_INSTANCE_IMPL_H

#include "models/run/run_state_impl.h"

/* The state of one NPU in a collective. */
typedef struct {
    /* The NPU has issued the collective, and its launch is over. */
    gboolean issued;
    uint32_t next_chunk, n_chunks_done;
} CollPart;

/* The state of one set of NPUs, if NPUs have several programs. */
typedef struct {
    /* NPUs of the set that have issued the collective; chunks that were
     * admitted for the set. */
    uint32_t n_issued, n_chunks_decided;
    /* Time of the last of them so far, if waits have causes. */
    SimTime last_issued_ps;
} CollSet;

struct CollInstance {
    System *system;     /* borrowed */
    CollInstance *next; /* owned: the next one in flight of .op, or NULL */
    uint32_t op;
    gboolean has_age; /* .age is valid; only the scheduler lifo uses ages */
    uint64_t iteration;
    uint64_t age; /* the training iteration to which the collective belongs */
    /* Number of the collective in the order of creation.  With several programs
     * or communicators, the order in which a set first had issued it
     * completely. */
    uint64_t seq;
    /* A set has issued the collective completely, so .seq is final. */
    gboolean is_numbered;
    const CollectiveClass *coll_class; /* borrowed */
    /* Borrowed: the plan with the dimensions in the platform's order. */
    const CollPlan *plan;
    const Cut *cut; /* borrowed */
    uint32_t priority;
    uint64_t payload_bytes;
    uint32_t n_chunks;
    uint32_t n_parts_done;
    /* Owned array of .n_chunks; an element is NULL while that chunk is not in
     * flight. */
    Chunk **chunks;
    CollPart *parts; /* owned: the state of each simulated NPU */
    /* Owned: one element per set of the class;
     * see multi_program_scheduler.c. */
    CollSet *sets;
    /* Borrowed: the load of a collective lane for which data is copied; or
     * NULL. */
    const TraceLoad *load;
};

/* Returns the instance of operation @op in @iteration, or NULL if it is not in
 * flight. */
CollInstance *collective_instance_find(const System *system, uint32_t op,
                                       uint64_t iteration);
/* Returns the instance of operation @op in @iteration, or creates it. */
CollInstance *collective_instance_find_or_create(System *system, uint32_t op,
                                                 uint64_t iteration);
/* Creates the collective of a fusion buffer that carries @load. */
CollInstance *collective_instance_new_for_load(System *system,
                                               const TraceLoad *load);
/* Notes that one more NPU has finished its part; the last one frees the
 * instance. */
void collective_instance_count_npu_done(System *system, CollInstance *coll);
/* Returns the bytes of the chunk that simulated NPU @npu starts next. */
uint64_t collective_instance_next_bytes(const CollInstance *coll, uint32_t npu);
/* Frees @coll and all that follow it; @coll may be NULL. */
void collective_instances_free(CollInstance *coll);

#endif
