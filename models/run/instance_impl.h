/*
 * instance_impl.h - collectives under way: one of one iteration, on all NPUs
 *
 * Owner    the system owns its instances
 */
#ifndef MODELS_RUN_INSTANCE_IMPL_H
#define MODELS_RUN_INSTANCE_IMPL_H

#include "models/run/state_impl.h"

/* One NPU's part in a collective. */
typedef struct {
    gboolean issued; /* and launched */
    uint32_t next_chunk, n_chunks_done;
} CollPart;

/* A set's, where NPUs have several programs. */
typedef struct {
    uint32_t n_issued, n_decided; /* NPUs, chunks */
} CollSet;

typedef struct {
    System *system; /* borrowed */
    uint32_t op;
    gboolean has_age; /* .age counts under lifo */
    uint64_t iteration;
    uint64_t age;         /* the iteration of training that it is of */
    uint64_t seq;         /* order of creation; where NPUs have turns, */
    gboolean is_aged;     /* of when the first set was ready, which it was */
    const Scheme *scheme; /* borrowed */
    const CollPlan *plan; /* borrowed: in the order of the platform */
    const Cut *cut;       /* borrowed */
    uint32_t priority;
    uint64_t payload_bytes;
    uint32_t n_chunks;
    uint32_t n_parts_done;
    Chunk **chunks;  /* owned: n_chunks, NULL while not in flight */
    CollPart *parts; /* owned: one for each simulated NPU */
    CollSet *sets;   /* owned: one for each set of the scheme; see turns.c */
    const TraceLoad *load; /* borrowed: that is copied for it; or NULL */
} CollInstance;

/* What @iteration of @op is under way as; NULL: it is not. */
CollInstance *instance_find(const System *system, uint32_t op,
                            uint64_t iteration);
/* That, or a new one. */
CollInstance *instance_get(System *system, uint32_t op, uint64_t iteration);
/* A new one of a buffer: of @load. */
CollInstance *instance_of_load(System *system, const TraceLoad *load);
/* One more NPU is done with its part; the last ends the instance. */
void instance_part_done(System *system, CollInstance *coll);
/* Bytes of the chunk that simulated NPU @npu takes in next. */
uint64_t instance_next_bytes(const CollInstance *coll, uint32_t npu);
/* All that are under way, and their table. */
void instances_free(GPtrArray *instances);

#endif
