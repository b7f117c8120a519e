/*
 * rank_memory.h - bytes that a rank of a workload holds, by kind
 *
 *     weights      the values of the model in the precision of activations
 *     gradients    one value per weight, in the precision of gradients
 *     optimiser    the state per weight, in FP32, and the master copy
 *                  (optimiser.h)
 *     activations  what the forward pass keeps for back-propagation
 *     buffers      values of the layer that runs, and messages
 *
 * memory_check.h says how they are counted.
 *
 * Units    bytes; sums saturate
 */
#ifndef WORKLOADS_RANK_MEMORY_H
#define WORKLOADS_RANK_MEMORY_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    MEMORY_WEIGHTS,
    MEMORY_GRADIENTS,
    MEMORY_OPTIMISER,
    MEMORY_ACTIVATIONS,
    MEMORY_BUFFERS,
    MEMORY_N_KINDS,
} MemoryKind;

extern const char *const memory_kind_names[MEMORY_N_KINDS + 1];

typedef struct {
    uint64_t bytes[MEMORY_N_KINDS];
} RankMemory;

/* Bytes of one weight. */
typedef struct {
    uint64_t weight_bytes, gradient_bytes;
    uint64_t state_bytes; /* of the optimiser */
} WeightBytes;

/* The largest need of a rank of a pipeline stage, and the unit of the schedule
 * during which it occurs first. */
typedef struct {
    RankMemory peak;
    uint32_t stage;
    const char *pass; /* static: of the unit; NULL: there is no schedule */
    uint32_t unit;    /* index in the list of the stage */
    uint32_t chunk, micro_batch;
} StageMemory;

uint64_t rank_memory_sum(const RankMemory *memory);

/* Appends "A GiB (weights B, gradients C, ...)". */
void rank_memory_append(const RankMemory *memory, GString *out);

/* Returns the element of @stages, an array of StageMemory, whose ranks need
 * most, or NULL if there is none. */
const StageMemory *rank_memory_fullest(const GArray *stages);

#endif
