/*
 * kernel_demands.h - remembers the HBM bandwidth that kernels request, and
 * their times
 *
 * A training step repeats few kernels.  Operations with equal works share one
 * (OpGraph.works), so that what depends on the work and on its share of the NPU
 * is computed once.  The demands of a work are remembered for the two numbers
 * of SMs that were asked for last, with and without communication, and its
 * times for the last few shares.
 *
 * Units    bytes per second, ps
 * Owner    the caller owns the KernelDemands, which borrow the configuration
 * Threads  one user at a time
 * Cost     360 bytes for each work; a remembered value takes some ten
 *          instructions, a new time about 2,500
 */
#ifndef MODELS_NPU_KERNEL_DEMANDS_H
#define MODELS_NPU_KERNEL_DEMANDS_H

#include "models/npu/kernel_time.h"

/* Divides the kernels of @graph into tiles (compute_tiles_of_work()).  The
 * graph must be complete. */
void kernel_works_set_tiles(const NpuConfig *config, OpGraph *graph);

typedef struct KernelDemands KernelDemands;

/* The request of a kernel to the HBM; the fields are the results of
 * kernel_demand_bytes_per_s(), npu_supply_of_sms_bytes_per_s() and
 * op_work_read_ppm(). */
typedef struct {
    uint64_t n_sms;
    uint64_t bytes_per_s, supply_bytes_per_s, read_ppm;
} KernelDemand;

/* The .id of each work is below @n_works. */
KernelDemands *kernel_demands_new(const NpuConfig *config, uint32_t n_works);
void kernel_demands_free(KernelDemands *demands);

/* Returns what kernel @work on @n_sms SMs requests.  The result is valid until
 * the next call. */
const KernelDemand *kernel_demands_get(KernelDemands *demands,
                                       const OpWork *work, uint64_t n_sms);
/* Returns the result of kernel_time_ps(). */
SimTime kernel_demands_time_ps(KernelDemands *demands, const OpWork *work,
                               ComputeScale scale, uint64_t n_sms,
                               uint64_t bytes_per_s);

#endif
