/*
 * optimiser.h - work of the optimiser's step, from the weights of a layer
 *
 * Each optimiser is one row of the table in optimiser.c.  A step is
 * elementwise, so HBM traffic dominates.  A weight has p bytes, a gradient
 * value g bytes, and the optimiser keeps s FP32 states per weight.  Traffic per
 * weight:
 *
 *     weight   p + p                read and written; with a master copy:
 *              4 + 4 + p            the copy read and written, weight written
 *     one kernel     g + weight + 8 s
 *     two kernels    g + (weight read) + 8 s + 4, then 4 + weight
 *
 * LAMB has two kernels, because its step needs the norms of the weights and of
 * the update of a layer: the first kernel writes the update in FP32, the second
 * reads it.
 *
 *              s   FLOP a weight    g = p = 2, master copies
 *     sgd      0   2                12 B
 *     momentum 1   4                20 B: 510 MB for ResNet-50
 *     adam     2   12               28 B
 *     lamb     2   16 + 2           40 B
 *
 * Square roots and divisions count as one FLOP. Only 16-bit weights have master
 * copies.
 *
 * Not modelled: loss scaling, clipping by the norm of all gradients, and weight
 * decay except LAMB's, which has no additional traffic.
 *
 * Units    bytes, FLOP; saturate as layer.h
 * Assumes  the work of one layer is one kernel (LAMB: two)
 */
#ifndef WORKLOADS_OPTIMISER_H
#define WORKLOADS_OPTIMISER_H

#include "workloads/graph.h"

#define OPTIMISER_MAX_WORKS 2

/* Names for `training.optimiser`; the first one, "auto", leaves the choice to
 * the workload.  Workloads use the list from "none" on. */
extern const char *const optimiser_names[];
#define OPTIMISER_AUTO     0
#define OPTIMISER_NONE     1
#define optimiser_names_of (optimiser_names + 1)

typedef struct {
    uint64_t n_weights;
    /* Bytes of one weight, and of one gradient value. */
    uint64_t weight_bytes, gradient_bytes;
    /* FP32 copies are kept of weights of less than 4 bytes */
    gboolean master_copies;
} OptimiserStep;

/* Returns the bytes that @optimiser, an index into optimiser_names, keeps for
 * each weight of @weight_bytes, with its master copy. */
uint64_t optimiser_state_bytes(int optimiser, uint64_t weight_bytes,
                               gboolean master_copies);

/* Returns the kernels of a step of @optimiser, an index into optimiser_names
 * above OPTIMISER_NONE. Entries after the last kernel have no work. */
void optimiser_list_kernels(int optimiser, const OptimiserStep *step,
                            OpWork ret[OPTIMISER_MAX_WORKS]);

#endif
