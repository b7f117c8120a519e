/*
 * kernel_time.h - times of kernels on the SMs and HBM bandwidth available to
 * them
 *
 *     roofline(s, b) = max(flop / (peak x efficiency x s / S) x waves,
 *                          bytes / min(b, draw(s)))
 *     time(s, b)     = launches x overhead + roofline(s, b) x scale
 *
 * for s of S SMs and b bytes/s of HBM bandwidth.
 *
 * draw    The bandwidth that s SMs can use with the bytes that the kernel has
 *         in flight, for its mix of reads and writes (sm_bandwidth.h).  If the
 *         mix affects the bandwidth of the HBM, draw is at most that bandwidth.
 * waves   A kernel whose results are cut into t tiles processes s of them at a
 *         time: waves = ceil(t / s) s / t, refined by tile_waves.h.  If
 *         tiles are unknown, waves = 1.  If the NPU has a section for the
 *         precision of a product, matrix_products.h cuts the product into
 *         tiles instead, and adds the bytes and launches beside the product.
 * scale   1 for a kernel that is known by its shape alone.  For a kernel with a
 *         measured time it is measured / roofline(S, B): the roofline then says
 *         only how much slower the kernel is with fewer resources.
 *
 * A row of equal kernels has one roofline, since all have the same bound, and
 * one launch per kernel.
 *
 * Units    FLOP, bytes, ps
 * Rounding up to a whole ps per conversion
 * Assumes  FLOPs and bytes of a kernel are spread evenly over its time
 * Sources  roofline: [ROOFLINE]; waves: derived above; draw: sm_bandwidth.h
 */
#ifndef MODELS_NPU_KERNEL_TIME_H
#define MODELS_NPU_KERNEL_TIME_H

#include "models/npu/hbm_bandwidth.h"
#include "models/npu/precision_params.h"
#include "models/npu/tile_waves.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t n_sms;
    uint64_t clock_hz;
    uint64_t flop_per_s;
    uint64_t efficiency_ppm; /* share of the peak that kernels reach */
    /* Rates of the port between one SM and memory: of loads, and of stores,
     * where 0 is the rate of loads. */
    uint64_t sm_bytes_per_cycle, sm_store_bytes_per_cycle;
    uint64_t port_sharing_ppm;   /* the factor s of sm_bandwidth.h */
    uint64_t port_queueing_ppm;  /* the factor p of sm_bandwidth.h */
    uint64_t sm_in_flight_bytes; /* outstanding bytes of one SM; 0: no limit */
    uint64_t memory_latency_ps;  /* latency of a load */
    uint64_t store_latency_ps, block_start_ps;
    uint64_t queueing_ppm; /* the queueing factor q of sm_bandwidth.h */
    uint64_t
        tile_results; /* results that an SM computes at a time; 0: no waves */
    WaveConfig waves;
    uint64_t launch_ps; /* launch overhead of each kernel */
    uint64_t side_sms;  /* SMs lent to the side stream while it is in use */
    uint64_t side_bytes_per_s;
    uint64_t bus_bytes_per_s; /* bus from NPU to fabric, each direction */
    uint64_t
        operand_bytes_per_cycle; /* rate of operands to the tiles of one SM */
    PrecisionsConfig precisions;
    HbmConfig hbm;
} NpuConfig;

extern const ConfigField npu_fields[];

/* The next two functions return the HBM bandwidth that @n_sms SMs can use: the
 * first with loads and as many bytes in flight as possible, the second with
 * @work. */
uint64_t npu_sms_max_bytes_per_s(const NpuConfig *config, uint64_t n_sms);
uint64_t npu_kernel_max_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                    uint64_t n_sms);
/* Returns the bandwidth that @n_sms SMs with @work could request from an idle
 * memory; @work may be NULL, as for npu_sms_max_bytes_per_s(). */
uint64_t npu_supply_of_sms_bytes_per_s(const NpuConfig *config,
                                       const OpWork *work, uint64_t n_sms);

/* Returns how the NPU cuts @work into tiles; no tiles if the work divides
 * freely.  The result does not depend on the share of the NPU, so a caller that
 * times a work often stores it in OpWork.cut. */
ProductTiles compute_tiles_of_work(const NpuConfig *config, const OpWork *work);

/* Returns the time of @work by the roofline on @n_sms SMs and @bytes_per_s of
 * HBM bandwidth, or SIM_TIME_MAX if there is work but no SMs or bandwidth. */
SimTime kernel_roofline_time_ps(const NpuConfig *config, const OpWork *work,
                                uint64_t n_sms, uint64_t bytes_per_s);

/* The factor from the roofline time to the time of a kernel, as a fraction; 1 /
 * 1 means no scaling.  A measured time includes the launch overhead. */
typedef struct {
    uint64_t num, den; /* den == 0: num is the time with any resources */
    gboolean is_measured;
} ComputeScale;

/* Returns the launch part of the time of @work, which does not depend on SMs
 * and bandwidth. */
SimTime kernel_launch_time_ps(const NpuConfig *config, const OpWork *work,
                              ComputeScale scale);
SimTime kernel_time_ps(const NpuConfig *config, const OpWork *work,
                       ComputeScale scale, uint64_t n_sms,
                       uint64_t bytes_per_s);

/* The times of @work with @n_sms and the whole HBM.  Arithmetic and memory
 * overlap each other, but not the launch: .total_ps is .launch_ps plus the
 * larger of the others. */
typedef struct {
    SimTime total_ps, launch_ps, arithmetic_ps, memory_ps;
} ComputeAlone;

ComputeAlone compute_times_on_whole_hbm(const NpuConfig *config,
                                        const OpWork *work, uint64_t n_sms);

/* Returns the HBM bandwidth that the kernel @work on @n_sms SMs would use if it
 * were available. */
uint64_t kernel_demand_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                   uint64_t n_sms);

#endif
