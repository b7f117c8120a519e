/*
 * kernel_times.h - the times of the kernels of a graph
 *
 * Units    ps
 */
#ifndef MODELS_RUN_PREPARE_KERNEL_TIMES_H
#define MODELS_RUN_PREPARE_KERNEL_TIMES_H

#include "models/npu/kernel_time.h"

/* Returns the factor for the roofline time of each operation; the caller owns
 * the array.  The scale yields the measured time of the kernel, or the total to
 * which its pass is calibrated. */
ComputeScale *compute_kernel_time_scales(const NpuConfig *npu,
                                         const OpGraph *graph);

/* Sets @ret_ps[i] to the time of operation i on the whole NPU, or to 0 if it is
 * no kernel.  @npu is a NpuConfig; the signature is that of
 * WorkloadSite.kernel_times. */
void list_kernel_times(gconstpointer npu, const OpGraph *graph,
                       uint64_t *ret_ps);

#endif
