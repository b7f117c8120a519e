/*
 * npu_slack.h - what of an NPU's configuration is read for what
 *
 * A run without kernels never asks how fast SMs are, what a launch takes or
 * what the side stream has.  What so many SMs draw of the memory is asked by
 * kernels, and by endpoints whose SMs do the steps.  Of the HBM a run without
 * either asks, under `partitioned`, no more than whether it has what all shares
 * come to: the side stream's, reads and writes get theirs in full from there
 * on, and what is left goes to a main stream on which nothing runs.  Under
 * `shared` every rate hangs on the bandwidth.
 */
#ifndef MODELS_NPU_NPU_SLACK_H
#define MODELS_NPU_NPU_SLACK_H

#include "models/npu/compute.h"

/* Of a configuration, to be put together. */
typedef enum {
    NPU_TIMES = 1,  /* what nothing but the times of kernels hangs on; how many
                     * SMs there are is also the most that can be lent */
    NPU_DRAW = 2,   /* what so many SMs draw of the memory */
    NPU_SIDE = 4,   /* what the side stream has */
    NPU_MEMORY = 8, /* the bandwidth of the HBM */
    NPU_BUS = 16,   /* to the fabric */
    NPU_ALL = 31,
} NpuPart;

/* Sets all of that to 0. */
void npu_forget(NpuConfig *config);

/* @parts, of NpuPart, are equal in both. */
gboolean npu_is_same(const NpuConfig *config, const NpuConfig *other,
                     guint parts);

/* A run on @config without kernels, whose endpoint asks for no more than its
 * shares, in which these came to @needed_bytes_per_s at most, would have been
 * the same on @other, which has another bandwidth. */
gboolean npu_covers(const NpuConfig *config, uint64_t needed_bytes_per_s,
                    const NpuConfig *other);

#endif
