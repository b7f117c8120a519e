/*
 * rank_memory.h - how much memory a rank of a run needs
 *
 *     weights      the values of the model in the precision of activations, and
 *                  in FP32, too, if the optimiser keeps master copies
 *     gradients    one value per weight, in the precision of gradients
 *     optimiser    the state per weight, in FP32: one value for momentum, two
 *                  for Adam
 *     activations  everything that forward kernels write, because
 *                  back-propagation reads it
 *
 * With recomputation, only the activations between segments of layers are kept,
 * and all of the largest segment; the number of layers in a segment is the one
 * that needs the least memory [CHECKPOINTS].  With gradient accumulation, only
 * the activations of one micro-batch are kept.
 *
 * Left out are message buffers, workspaces and fragmentation.  A layer without
 * a shape (only a time or counts) has no activations that could be counted, and
 * adds none.
 *
 * Units    bytes
 */
#ifndef SIM_STUDY_OPTIMISE_RANK_MEMORY_H
#define SIM_STUDY_OPTIMISE_RANK_MEMORY_H

#include "models/run/system.h"

typedef struct {
    uint64_t weight_bytes, gradient_bytes, optimiser_bytes, activation_bytes;
} MemoryParts;

/* Returns the needs of the rank whose role needs most activations. */
MemoryParts memory_parts_of_rank(const System *system);

/* Returns the sum of all parts of the memory. */
uint64_t memory_bytes_of_rank(const System *system);

#endif
