/*
 * kernel_times.h - how long the kernels of a graph take
 *
 * Units    ps
 * Owner    the caller owns what it gets
 */
#ifndef MODELS_RUN_PREPARE_KERNEL_TIMES_H
#define MODELS_RUN_PREPARE_KERNEL_TIMES_H

#include "models/npu/compute.h"

/* Of each operation, by what was measured of it or by the total that its pass
 * is scaled to. */
ComputeScale *kernel_scales(const NpuConfig *npu, const OpGraph *graph);

/* As WorkloadSite wants it; @npu is a NpuConfig. */
void kernel_times(gconstpointer npu, const OpGraph *graph, uint64_t *ret_ps);

#endif
