/*
 * npu_slack.h - what of an NPU's configuration kernels alone read
 *
 * A run without kernels never asks how fast SMs are, how they draw memory, what
 * a launch takes or what the side stream has.  Of the HBM it then asks, under
 * `partitioned`, no more than whether it has what all shares come to: the side
 * stream's, reads and writes get theirs in full from there on, and what is left
 * goes to a main stream on which nothing runs.  Under `shared` every rate hangs
 * on the bandwidth.
 */
#ifndef MODELS_NPU_NPU_SLACK_H
#define MODELS_NPU_NPU_SLACK_H

#include "models/npu/compute.h"

/* Sets what kernels alone read, and the bandwidth of the HBM, to 0. */
void npu_forget(NpuConfig *config);

/* What npu_forget() forgets is equal in both. */
gboolean npu_is_same(const NpuConfig *config, const NpuConfig *other);

/* A run on @config without kernels, in which shares of the HBM came to
 * @needed_bytes_per_s at most, would have been the same on @other, which
 * differs in what npu_forget() forgets. */
gboolean npu_covers(const NpuConfig *config, uint64_t needed_bytes_per_s,
                    const NpuConfig *other);

#endif
