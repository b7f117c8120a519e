/*
 * kernel_timing.h - the times of single kernels on an NPU, by the models of
 * runs
 *
 * Units    in the names of the columns
 * Errors   CONFIG_ERROR
 * Owner    the caller owns results
 */
#ifndef SIM_STUDY_KERNEL_TIMING_H
#define SIM_STUDY_KERNEL_TIMING_H

#include "models/npu/kernel_time.h"
#include "workloads/kernel.h"
#include "workloads/layer.h"

typedef struct {
    NpuConfig npu;
    ConfigList kernels; /* of ConfigVariant */
} KernelsFile;

extern const ConfigField kernels_fields[];

/* Returns the document, which owns the contents of *@file; NULL and sets @error
 * on failure. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *kernels_load_file(const char *path, char *const *sets,
                             KernelsFile *file, GError **error);

/* Checks conditions that ranges of values cannot express.  Returns FALSE and
 * sets @error if one is violated. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernels_check_file(const KernelsFile *file, GError **error);

/* Returns kernel @i of .kernels. */
const ConfigVariant *kernels_entry_at(const KernelsFile *file, guint i);

/* The time of a kernel that has the whole NPU. */
typedef struct {
    uint64_t n_sms, flop, bytes, n_kernels;
    /* Bytes in flight per SM; 0: as many as the SM supports. */
    uint64_t in_flight_bytes;
    ComputeAlone time; /* the sum over the works of the kernel */
    const char *bound; /* static: the bound of the work that takes
                        * longest */
} KernelTime;

/* Returns the time of @kernel on an idle NPU. */
KernelTime kernels_time_on_npu(const NpuConfig *npu,
                               const ConfigVariant *kernel);

/* Returns CSV with a header and one line per kernel. */
GString *kernels_to_csv(const KernelsFile *file);

#endif
