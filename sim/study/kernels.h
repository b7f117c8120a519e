/*
 * kernels.h - what single kernels take on an NPU, by the models that runs have
 *
 * Units    in the names of the columns
 * Errors   CONFIG_ERROR
 * Owner    the caller owns what is returned
 */
#ifndef SIM_STUDY_KERNELS_H
#define SIM_STUDY_KERNELS_H

#include "models/npu/compute.h"
#include "workloads/kernel.h"
#include "workloads/layer.h"

typedef struct {
    NpuConfig npu;
    ConfigList kernels; /* of ConfigVariant */
} KernelsFile;

extern const ConfigField kernels_fields[];

/* The document owns what *@file points to. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *kernels_load(const char *path, char *const *sets, KernelsFile *file,
                        GError **error);

/* What ranges cannot say. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernels_check(const KernelsFile *file, GError **error);

/* Of @file's .kernels. */
const ConfigVariant *kernels_at(const KernelsFile *file, guint i);

/* A kernel with the NPU to itself. */
typedef struct {
    uint64_t n_sms, flop, bytes, n_kernels;
    uint64_t in_flight_bytes; /* on an SM; 0: as many as it can */
    ComputeAlone time;        /* sums over the works of the entry */
    const char *bound;        /* static: of the work that takes longest */
} KernelTime;

KernelTime kernels_time(const NpuConfig *npu, const ConfigVariant *kernel);

/* A line each, with a header. */
GString *kernels_csv(const KernelsFile *file);

#endif
