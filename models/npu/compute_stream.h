/*
 * compute_stream.h - runs one kernel at a time on one stream of an NPU
 *
 * If the SMs s or the bandwidth b change while a kernel runs, the remaining
 * time is scaled:
 *
 *     left' = ceil(left x time(s', b') / time(s, b))
 *
 * Units    ps, bytes per second
 * Owner    the caller owns the stream
 */
#ifndef MODELS_NPU_COMPUTE_STREAM_H
#define MODELS_NPU_COMPUTE_STREAM_H

#include "models/npu/kernel_demands.h"
#include "sim/core/job_server.h"

typedef struct ComputeStream ComputeStream;

/* Borrows @engine and @demands, which know the works of all kernels. */
ComputeStream *compute_stream_new(SimEngine *engine, KernelDemands *demands,
                                  SimEventFn done, gpointer self);
void compute_stream_free(ComputeStream *stream);

/* Starts @work, which must outlive its run, on an idle stream.  Its time on any
 * share is multiplied by @factor_ppm.  The end is reported by done(@self,
 * @arg). */
void compute_stream_start_kernel(ComputeStream *stream, const OpWork *work,
                                 ComputeScale scale, uint64_t factor_ppm,
                                 uint32_t arg);
void compute_stream_set_share(ComputeStream *stream, uint64_t n_sms,
                              uint64_t bytes_per_s);
/* The next two functions copy the state of a stream and restore it, for a
 * speculative simulation that is undone.  The caller frees the copy. */
gpointer compute_stream_copy_state(const ComputeStream *stream);
void compute_stream_restore_state(ComputeStream *stream, gconstpointer copy);
/* Visits the state of the stream, see sim/core/state_walk.h.  A kernel on the
 * stream must have begun now. */
void compute_stream_visit_state(ComputeStream *stream, SteadyWalk *walk);
gboolean compute_stream_is_idle(const ComputeStream *stream);
/* A finished part of a kernel's run time, from .from_ps until now, with one
 * share of the NPU.  With this share the whole kernel takes .total_ps; 0 means
 * that it stalled. */
typedef struct {
    uint32_t arg;
    SimTime from_ps, total_ps;
    uint64_t n_sms, bytes_per_s;
    ComputeScale scale;
} ComputePiece;

typedef void (*ComputePieceFn)(gpointer self, const ComputePiece *piece);

/* Sets @ran as the listener of all parts of kernels.  The parts have no gaps. A
 * part of length 0 is reported when a kernel stalls, and when it resumes. */
void compute_stream_set_listener(ComputeStream *stream, ComputePieceFn ran,
                                 gpointer self);
/* The functions below return the time with a kernel on the stream, the product
 * of SMs and time that it held, and its HBM traffic. */
SimTime compute_stream_busy_ps(const ComputeStream *stream);
uint64_t compute_stream_busy_sm_ns(const ComputeStream *stream);
uint64_t compute_stream_bytes_moved(const ComputeStream *stream);

#endif
