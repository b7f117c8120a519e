/*
 * kernel_demands.h - the distinct kernels of a graph, and the HBM bandwidth
 * that they request
 *
 * A training step repeats few kernels: each micro-batch runs the same layers.
 * Kernels with equal works are one class, so that what depends on the work
 * alone is computed once for a class.  The demands of a class are remembered
 * for the two numbers of SMs that were asked for last, with and without
 * communication.
 *
 * Units    bytes per second
 * Owner    the caller owns the KernelDemands, which borrow the configuration
 * and the graph Threads  one user at a time Cost     O(operations) to create; a
 * remembered demand takes a few instructions
 */
#ifndef MODELS_NPU_KERNEL_DEMANDS_H
#define MODELS_NPU_KERNEL_DEMANDS_H

#include "models/npu/kernel_time.h"

/* Divides the kernels of @graph into tiles (compute_tiles_of_work()). Returns
 * the class of each operation, which the caller owns; operations that are no
 * kernels have class 0. */
uint32_t *kernel_classes_divide_into_tiles(const NpuConfig *config,
                                           OpGraph *graph);

typedef struct KernelDemands KernelDemands;

/* The request of a kernel to the HBM; the fields are the results of
 * kernel_demand_bytes_per_s(), npu_supply_of_sms_bytes_per_s() and
 * op_work_read_ppm(). */
typedef struct {
    uint64_t n_sms;
    uint64_t bytes_per_s, supply_bytes_per_s, read_ppm;
} KernelDemand;

/* @classes is borrowed, the result of kernel_classes_divide_into_tiles(). */
KernelDemands *kernel_demands_new(const NpuConfig *config, const OpGraph *graph,
                                  const uint32_t *classes);
void kernel_demands_free(KernelDemands *demands);

/* Returns what kernel @op on @n_sms SMs requests.  The result is valid until
 * the next call. */
const KernelDemand *kernel_demands_get(KernelDemands *demands, uint32_t op,
                                       uint64_t n_sms);

#endif
