/*
 * compute.h - kernels on the SMs and the HBM bandwidth that they really have
 *
 *     roofline(s, b) = max(flop / (peak x efficiency x s / S) x waves,
 *                          bytes / min(b, draw(s)))
 *     time(s, b)     = launches x overhead + roofline(s, b) x scale
 *
 * with s of S SMs and b bytes/s of HBM.  One SM draws what its bytes in
 * flight allow by Little's law, and no more than its port; s of them
 *
 *     supply = s x min(port x clock, in flight / latency)
 *     draw(s) = 2 U supply / (U + supply + sqrt((U + supply)^2
 *                                               - 4 (1 - q) U supply))
 *
 * U being the usable HBM bandwidth: for queueing q = 0 the lesser of the two,
 * for q = 1 U supply / (U + supply), as if latency grew with 1 / (1 - load).
 * A kernel whose results are cut into t tiles works them off s at a time:
 * waves = ceil(t / s) s / t, 1 where tiles are not known.
 * A product with a section for its precision is cut into tiles by products.h
 * in place of that; what that moves and launches beside the product counts.
 * Kernels alike in a row are one roofline, as each is bound by the same, with a
 * launch each.  scale is 1 for a kernel known by its shape alone; for one with
 * a measured time it is measured / roofline(S, B), so that the roofline says
 * only how the kernel slows down with less.  When s or b change while a kernel
 * runs, what is left of it takes the new time:
 *
 *     left' = ceil(left x time(s', b') / time(s, b))
 *
 * Units    FLOP, bytes, ps
 * Rounding up to a whole ps per conversion
 * Assumes  FLOPs and bytes of a kernel are spread evenly over its time
 * Sources  roofline: [ROOFLINE]; draw, waves: derived above
 */
#ifndef MODELS_COMPUTE_H
#define MODELS_COMPUTE_H

#include "models/hbm.h"
#include "models/precision.h"
#include "workloads/graph.h"

typedef struct {
    uint64_t n_sms;
    uint64_t clock_hz;
    uint64_t flop_per_s;
    uint64_t efficiency_ppm;     /* of the peak that kernels reach */
    uint64_t sm_bytes_per_cycle; /* between one SM and memory */
    uint64_t sm_in_flight_bytes; /* that one SM waits for; 0: no limit */
    uint64_t memory_latency_ps;
    uint64_t queueing_ppm; /* q */
    uint64_t tile_results; /* of one SM at a time; 0: no waves */
    uint64_t launch_ps;    /* per kernel */
    uint64_t side_sms;     /* lent to the side stream, when in use */
    uint64_t side_bytes_per_s;
    uint64_t bus_bytes_per_s;         /* NPU to fabric, each direction */
    uint64_t operand_bytes_per_cycle; /* to the tiles of one SM */
    PrecisionsConfig precisions;
    HbmConfig hbm;
} NpuConfig;

extern const ConfigField npu_fields[];

/* HBM bandwidth that @n_sms SMs can draw, draw() above. */
uint64_t npu_sm_bytes_per_s(const NpuConfig *config, uint64_t n_sms);

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

/* ---- one kernel at a time on one stream ------------------------------- */

typedef struct ComputeStream ComputeStream;

ComputeStream *compute_stream_new(SimEngine *engine, const NpuConfig *config,
                                  SimEventFn done, gpointer self);
void compute_stream_free(ComputeStream *stream);

/* Starts @work, which must outlive it, on an idle stream; its time on any
 * share is multiplied by @factor_ppm.  done(@self, @arg) comes at its end. */
void compute_stream_start(ComputeStream *stream, const OpWork *work,
                          ComputeScale scale, uint64_t factor_ppm,
                          uint32_t arg);
void compute_stream_set_share(ComputeStream *stream, uint64_t n_sms,
                              uint64_t bytes_per_s);
gboolean compute_stream_is_idle(const ComputeStream *stream);
/* A part of a kernel's time that is over: from then until now, on this share,
 * with which all of it takes .total_ps; 0: it stood still. */
typedef struct {
    uint32_t arg;
    SimTime from_ps, total_ps;
    uint64_t n_sms, bytes_per_s;
    ComputeScale scale;
} ComputePiece;

typedef void (*ComputePieceFn)(gpointer self, const ComputePiece *piece);

/* @ran is told of every part, without a gap, and when a kernel comes to stand
 * still of a part of no length. */
void compute_stream_listen(ComputeStream *stream, ComputePieceFn ran,
                           gpointer self);
/* Time with a kernel on the stream, SM-time held meanwhile, HBM traffic. */
SimTime compute_stream_busy_ps(const ComputeStream *stream);
uint64_t compute_stream_sm_ns(const ComputeStream *stream);
uint64_t compute_stream_bytes(const ComputeStream *stream);

#endif
