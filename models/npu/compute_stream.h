/*
 * compute_stream.h - one kernel at a time on one stream of an NPU
 *
 * When the SMs s or the bandwidth b change while a kernel runs, what is left of
 * it takes the new time:
 *
 *     left' = ceil(left x time(s', b') / time(s, b))
 *
 * Units    ps, bytes per second
 * Owner    the caller owns the stream
 */
#ifndef MODELS_NPU_COMPUTE_STREAM_H
#define MODELS_NPU_COMPUTE_STREAM_H

#include "models/npu/compute.h"
#include "sim/core/server.h"

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
/* As it is now, to go back to: for a look ahead.  The caller frees the copy. */
gpointer compute_stream_copy(const ComputeStream *stream);
void compute_stream_go_back(ComputeStream *stream, gconstpointer copy);
/* See sim/core/steady.h; a kernel that is on it began now. */
void compute_stream_steady(ComputeStream *stream, SteadyWalk *walk);
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

/* @ran is told of every part, without a gap, and of one of no length when a
 * kernel comes to stand still, and when it goes on. */
void compute_stream_listen(ComputeStream *stream, ComputePieceFn ran,
                           gpointer self);
/* Time with a kernel on the stream, SM-time held meanwhile, HBM traffic. */
SimTime compute_stream_busy_ps(const ComputeStream *stream);
uint64_t compute_stream_sm_ns(const ComputeStream *stream);
uint64_t compute_stream_bytes(const ComputeStream *stream);

#endif
