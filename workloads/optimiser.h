/*
 * optimiser.h - from a layer's weights to the work of the optimiser's step
 *
 * One optimiser is one row of the table in optimiser.c.  A step is elementwise,
 * so bytes decide; with p bytes a weight, g a gradient value and s states of
 * the optimiser, which are FP32, a weight takes
 *
 *     weight   p + p                read and written, or, with a master copy,
 *              4 + 4 + p            that, and the weight written
 *     one      g + weight + 8 s     where one kernel does it all
 *     two      g + its read + 8 s + 4, then 4 + weight
 *
 * the two of LAMB, whose step waits for the norms of a layer's weights and
 * update: the first writes the update in FP32, the second reads it.
 *
 *              s   FLOP a weight    g = p = 2, master copies
 *     sgd      0   2                12 B
 *     momentum 1   4                20 B: 510 MB for ResNet-50
 *     adam     2   12               28 B
 *     lamb     2   16 + 2           40 B
 *
 * Square roots and divisions count as one FLOP.  Master copies are kept of
 * weights of 16 bits alone.
 *
 * Leaves out scaling of the loss, clipping by the norm of all gradients, and
 * weight decay but LAMB's, which reads nothing more.
 *
 * Units    bytes, FLOP; saturate as layer.h
 * Assumes  the work of one layer is one kernel (LAMB: two)
 */
#ifndef WORKLOADS_OPTIMISER_H
#define WORKLOADS_OPTIMISER_H

#include "workloads/graph.h"

#define OPTIMISER_MAX_WORKS 2

/* Names for `training`, the first of which leaves it to the workload; and
 * without that one, for workloads.  "none" is the first of these. */
extern const char *const optimiser_names[];
#define OPTIMISER_AUTO     0
#define OPTIMISER_NONE     1
#define optimiser_names_of (optimiser_names + 1)

typedef struct {
    uint64_t n_weights;
    uint64_t weight_bytes, gradient_bytes; /* of one value */
    gboolean master_copies;                /* of weights below 4 bytes */
} OptimiserStep;

/* The kernels of a step of @optimiser, an index of optimiser_names but the
 * first two; those past the last have nothing to do. */
void optimiser_work(int optimiser, const OptimiserStep *step,
                    OpWork ret[OPTIMISER_MAX_WORKS]);

#endif
