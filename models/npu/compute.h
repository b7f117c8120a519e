/*
 * compute.h - kernels on the SMs and the HBM bandwidth that they really have
 *
 *     roofline(s, b) = max(flop / (peak x efficiency x s / S) x waves,
 *                          bytes / min(b, draw(s)))
 *     time(s, b)     = launches x overhead + roofline(s, b) x scale
 *
 * with s of S SMs and b bytes/s of HBM.  draw(s) is what s of them draw of it
 * with what the kernel has in flight, by its mix of reads and writes (draw.h);
 * where the mix matters at all, no more than the HBM gives that mix.
 * A kernel whose results are cut into t tiles works them off s at a time:
 * waves = ceil(t / s) s / t and what waves.h makes of it, 1 where tiles are not
 * known.  A product with a section for its precision is cut into tiles by
 * products.h in place of that; what that moves and launches beside the product
 * counts.
 * Kernels alike in a row are one roofline, as each is bound by the same, with a
 * launch each.  scale is 1 for a kernel known by its shape alone; for one with
 * a measured time it is measured / roofline(S, B), so that the roofline says
 * only how the kernel slows down with less.
 *
 * Units    FLOP, bytes, ps
 * Rounding up to a whole ps per conversion
 * Assumes  FLOPs and bytes of a kernel are spread evenly over its time
 * Sources  roofline: [ROOFLINE]; waves: derived above; draw: draw.h
 */
#ifndef MODELS_NPU_COMPUTE_H
#define MODELS_NPU_COMPUTE_H

#include "models/npu/hbm.h"
#include "models/npu/precision.h"
#include "models/npu/waves.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t n_sms;
    uint64_t clock_hz;
    uint64_t flop_per_s;
    uint64_t efficiency_ppm;     /* of the peak that kernels reach */
    uint64_t sm_bytes_per_cycle; /* between one SM and memory */
    uint64_t sm_in_flight_bytes; /* that one SM waits for; 0: no limit */
    uint64_t memory_latency_ps;  /* of a load */
    uint64_t store_latency_ps, block_start_ps;
    uint64_t queueing_ppm; /* q, draw.h */
    uint64_t tile_results; /* of one SM at a time; 0: no waves */
    WaveConfig waves;
    uint64_t launch_ps; /* per kernel */
    uint64_t side_sms;  /* lent to the side stream, when in use */
    uint64_t side_bytes_per_s;
    uint64_t bus_bytes_per_s;         /* NPU to fabric, each direction */
    uint64_t operand_bytes_per_cycle; /* to the tiles of one SM */
    PrecisionsConfig precisions;
    HbmConfig hbm;
} NpuConfig;

extern const ConfigField npu_fields[];

/* HBM bandwidth that @n_sms SMs can draw: with loads, as many as they can; and
 * with @work. */
uint64_t npu_sm_bytes_per_s(const NpuConfig *config, uint64_t n_sms);
uint64_t npu_draw_bytes_per_s(const NpuConfig *config, const OpWork *work,
                              uint64_t n_sms);

/* How the NPU cuts @work; no tiles: freely.  Who times a work often keeps it in
 * there; it depends on no share. */
OpCut compute_cut(const NpuConfig *config, const OpWork *work);

/* SIM_TIME_MAX when there is work and nothing to do it with. */
SimTime compute_roofline_ps(const NpuConfig *config, const OpWork *work,
                            uint64_t n_sms, uint64_t bytes_per_s);

/* A scale as a fraction; { 1, 1 } for none.  A measured time has the launch
 * overhead in it. */
typedef struct {
    uint64_t num, den; /* den == 0: num is the time, whatever the share */
    gboolean is_measured;
} ComputeScale;

/* What launching @work takes of its time, whatever the share. */
SimTime compute_launch_ps(const NpuConfig *config, const OpWork *work,
                          ComputeScale scale);
SimTime compute_time_ps(const NpuConfig *config, const OpWork *work,
                        ComputeScale scale, uint64_t n_sms,
                        uint64_t bytes_per_s);

/* @work with @n_sms and all of the HBM to itself.  The three parts overlap
 * but for the launch: what is left of .total_ps is the largest of the others.
 */
typedef struct {
    SimTime total_ps, launch_ps, arithmetic_ps, memory_ps;
} ComputeAlone;

ComputeAlone compute_alone(const NpuConfig *config, const OpWork *work,
                           uint64_t n_sms);

/* Bytes per second that the kernel would use if it had them all. */
uint64_t compute_demand_bytes_per_s(const NpuConfig *config, const OpWork *work,
                                    uint64_t n_sms);

#endif
