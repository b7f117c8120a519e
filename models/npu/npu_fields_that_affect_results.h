/*
 * npu_fields_that_affect_results.h - the fields of an NPU's configuration,
 * grouped by their effect
 *
 * Each group of fields affects only some runs:
 *
 * NPU_TIMES         A run without kernels does not read the speed of SMs, the
 *                   launch time, or the side stream's resources.
 * NPU_SM_BANDWIDTH  The memory bandwidth that SMs can use is read by kernels,
 *                   and by endpoints whose SMs carry out the steps.
 * NPU_MEMORY        Under `partitioned`, a run without either of these needs
 *                   the HBM bandwidth only to be at least the sum of all
 *                   shares.  From there on, the side stream, reads and writes
 *                   get their full shares, and the remainder goes to a main
 *                   stream that is idle.  Under `shared` every rate depends on
 *                   the bandwidth.
 */
#ifndef MODELS_NPU_NPU_FIELDS_THAT_AFFECT_RESULTS_H
#define MODELS_NPU_NPU_FIELDS_THAT_AFFECT_RESULTS_H

#include "models/npu/kernel_time.h"

/* Groups of fields, which can be combined. */
typedef enum {
    /* Fields that affect only the times of kernels.  The number of SMs also
     * limits how many can be lent. */
    NPU_TIMES = 1,
    NPU_SM_BANDWIDTH = 2, /* memory bandwidth that SMs can use */
    NPU_SIDE = 4,         /* resources of the side stream */
    NPU_MEMORY = 8,       /* bandwidth of the HBM */
    NPU_BUS = 16,         /* bus to the fabric */
    NPU_ALL = 31,
} NpuPart;

/* Sets all fields that belong to a group of NpuPart to 0, so that only the
 * other fields are compared. */
void npu_clear_grouped_fields(NpuConfig *config);

/* Returns whether all fields in the groups @parts (NpuPart) are equal in both
 * configurations. */
gboolean npu_fields_are_equal_at_path(const NpuConfig *config,
                                      const NpuConfig *other, guint parts);

/* Returns whether a run on @config would have been the same on @other, which
 * has another HBM bandwidth.  The run must have no kernels, and an endpoint
 * that uses only its shares; @needed_bytes_per_s is the largest sum of the
 * shares in the run. */
gboolean npu_run_is_same_with_hbm(const NpuConfig *config,
                                  uint64_t needed_bytes_per_s,
                                  const NpuConfig *other);

#endif
