/*
 * memory.h - what a rank of a run has to hold in its memory
 *
 *     weights      values of the model in the precision of activations, and in
 *                  FP32, too, where the optimiser keeps master copies
 *     gradients    as many, in the gradients' precision
 *     optimiser    what it remembers of a weight, in FP32: momentum one value,
 *                  Adam two
 *     activations  what forward kernels write, which back-propagation reads:
 *                  all of it, or where it is recomputed what goes from one
 *                  segment of layers to the next, and all of the largest
 * segment, with as many layers in a segment as take least [CHECKPOINTS]; of one
 * micro-batch where gradients are accumulated
 *
 * Leaves out what frameworks hold beside that: buffers of messages, workspaces,
 * fragments.  A layer without a shape (a time or counts alone) has no
 * activations that could be counted, and adds none.
 *
 * Units    bytes
 */
#ifndef SIM_STUDY_OPTIMISE_MEMORY_H
#define SIM_STUDY_OPTIMISE_MEMORY_H

#include "models/run/system.h"

typedef struct {
    uint64_t weight_bytes, gradient_bytes, optimiser_bytes, activation_bytes;
} MemoryParts;

MemoryParts memory_parts(const System *system);

/* Their sum. */
uint64_t memory_of_rank(const System *system);

#endif
