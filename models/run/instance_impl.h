/*
 * instance_impl.h - collectives in flight: one operation in one iteration, on
 * all NPUs
 *
 * Owner    the system owns its instances
 */
#ifndef MODELS_RUN_INSTANCE_IMPL_H
#define MODELS_RUN_INSTANCE_IMPL_H

#include "models/run/state_impl.h"

/* The part of one NPU in a collective. */
typedef struct {
    gboolean issued; /* issued and launched */
    uint32_t next_chunk, n_chunks_done;
} CollPart;

/* The part of one set, if NPUs have several programs. */
typedef struct {
    /* NPUs that have issued it, chunks that were admitted. */
    uint32_t n_issued, n_chunks_decided;
} CollSet;

typedef struct {
    System *system; /* borrowed */
    uint32_t op;
    gboolean has_age; /* .age is used by lifo */
    uint64_t iteration;
    uint64_t age; /* the iteration of training that it belongs to */
    /* Order of creation.  With several programs or communicators, the order in
     * which a set first had issued the collective completely. */
    uint64_t seq;
    gboolean is_numbered; /* a set has issued it completely: .seq is final */
    const CollectiveClass *scheme; /* borrowed */
    const CollPlan *plan; /* borrowed: in the platform's order of dimensions */
    const Cut *cut;       /* borrowed */
    uint32_t priority;
    uint64_t payload_bytes;
    uint32_t n_chunks;
    uint32_t n_parts_done;
    Chunk **chunks;  /* owned: .n_chunks; NULL while not in flight */
    CollPart *parts; /* owned: one per simulated NPU */
    CollSet *sets;   /* owned: one per set of the scheme; see multi_program.c */
    /* Borrowed: the load that is copied for it; or NULL. */
    const TraceLoad *load;
} CollInstance;

/* Returns the instance of @iteration of @op, or NULL if it is not in flight. */
CollInstance *instance_find(const System *system, uint32_t op,
                            uint64_t iteration);
/* Returns that instance, or creates it. */
CollInstance *instance_get(System *system, uint32_t op, uint64_t iteration);
/* Creates the instance of a buffer that carries @load. */
CollInstance *instance_of_load(System *system, const TraceLoad *load);
/* Notes that one more NPU is done with its part; the last one frees the
 * instance. */
void instance_part_done(System *system, CollInstance *coll);
/* Returns the bytes of the chunk that simulated NPU @npu takes in next. */
uint64_t instance_next_bytes(const CollInstance *coll, uint32_t npu);
/* Frees all instances in flight and their table. */
void instances_free(GPtrArray *instances);

#endif
