/*
 * measured_case.h - one case to measure: a kernel, its data and its partner
 *
 * A case says how a kernel is launched and on how much data.  It contains no
 * times.  A field that does not apply is zero.  The kernels are listed in one
 * table in measured_case.c; no other code compares their names.
 *
 * Units    bytes, FLOP; a multiply-add is two
 * FLOP */
#ifndef VALIDATE_GPU_HOST_MEASURED_CASE_H
#define VALIDATE_GPU_HOST_MEASURED_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/gpu/host/launch_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    FAMILY_LAUNCH,
    FAMILY_CEILING,
    FAMILY_REDUCE,
    FAMILY_COPY,
    FAMILY_READ,
    FAMILY_WRITE,
    FAMILY_STREAM,
    FAMILY_GEMM,
    FAMILY_LOOKUP,
    FAMILY_ENGINE,
    FAMILY_OVERLAP,
    FAMILY_SAME_SM,
    FAMILY_ORDER,
    FAMILY_LONG,
    N_FAMILIES,
} Family;

typedef enum { DTYPE_NONE, DTYPE_FP32, DTYPE_FP16, DTYPE_BF16 } Dtype;

typedef enum {
    KERNEL_NONE,
    /* Empty kernels run back to back, as fast as the host enqueues them. */
    KERNEL_EMPTY_ENQUEUED,
    /* Empty kernels run back to back, all enqueued before the first one
     * runs. */
    KERNEL_EMPTY_QUEUED,
    KERNEL_EMPTY_SINGLE, /* A single empty kernel runs between two events. */
    /* Empty kernels run back to back inside a CUDA graph. */
    KERNEL_EMPTY_GRAPH,
    KERNEL_REDUCE,
    KERNEL_COPY,
    /* Reductions and copies whose tiles are dealt to the SMs in rotation. */
    KERNEL_REDUCE_TILES,
    KERNEL_COPY_TILES,
    /* Reads alone and writes alone, with the blocks and slices of a copy. */
    KERNEL_READ_SLICES,
    KERNEL_WRITE_SLICES,
    KERNEL_FMA,
    KERNEL_READ,
    KERNEL_WRITE,
    /* The kernel reads `ways` arrays and writes their sum, on a normal grid. */
    KERNEL_MIX,
    KERNEL_GEMM_OWN,
    KERNEL_GEMM_CUBLAS,
    /* The product uses cuBLAS, limited to the SMs that the partner leaves. */
    KERNEL_GEMM_CUBLAS_LIMITED,
    KERNEL_LOOKUP,
    KERNEL_MEMCPY_D2H,
    KERNEL_MEMCPY_H2D,
    KERNEL_MEMCPY_D2D,
    /* The copy is batched, with the flag to overlap with compute. */
    KERNEL_BATCH_D2H,
    KERNEL_BATCH_H2D,
    KERNEL_BATCH_D2D,
    KERNEL_MEMSET,
    KERNEL_IDLE, /* The partner occupies its SMs and moves no data. */
    N_KERNELS,
} Kernel;

typedef struct {
    Family family;
    Kernel kernel;
    Dtype dtype;
    /* The bytes of each input, or of one copy of a copy engine. */
    uint64_t bytes;
    uint32_t n_sms; /* The number of SMs that the kernel can use. */
    uint32_t ways;  /* The number of inputs of a sum. */
    uint32_t m, n, k;
    /* An embedding lookup: the number of bags, and of rows of the table. */
    uint64_t batch, rows;
    uint32_t dim, pooling;
    uint32_t n_fma; /* The number of multiply-adds per element. */
    /* The number of loads of 16 bytes that a thread keeps in flight. */
    uint32_t n_loads;
    uint32_t n_threads;
    /* The number of the experiment, from 1, which its rows share. */
    uint32_t pair;
    Kernel beside; /* The kernel that runs at the same time. */
    /* The number of SMs that the other kernel can use. */
    uint32_t beside_n_sms;
    /* The member `bytes` of the partner, or the traffic of the compute
     * kernel. */
    uint64_t beside_bytes;
    LoadKind loads;
    SharedMemoryUse shared;
    PartnerPlacement place;
    ReleaseOrder first;
    StreamPriority priority;
    /* The duration of a sustained run; 0 if the case is not one. */
    uint32_t seconds;
} MeasureCase;

/* The minimum traffic and work of one launch: each byte counts once. */
typedef struct {
    uint64_t read_bytes, write_bytes, flop;
} Traffic;

/* Returns the name of the kernel family in the CSV table. */
const char *kernel_family_name(Family family);
/* Sets *@ret to the kernel family called @name. Returns false if there
 * is none. */
bool kernel_family_find(const char *name, size_t length, Family *ret);

/* Returns the name of the type in the CSV table, or "" for DTYPE_NONE. */
const char *dtype_name(Dtype dtype);
uint32_t dtype_bytes(Dtype dtype);

const char *kernel_name(Kernel kernel);
/* Returns the kind of @kernel, as the column `beside` shows it: "gemm",
 * "reduce", "engine-d2h". */
const char *kernel_kind(Kernel kernel);
/* Returns whether the copy engine executes @kernel.  The driver may use SMs
 * instead. */
bool kernel_is_copy_engine(Kernel kernel);

/* Returns the minimum traffic of one launch of @measure_case. */
Traffic traffic_of_case(const MeasureCase *measure_case);
/* Returns the same kernel on little data, so that the CPU can check every
 * element.  The sizes leave a remainder wherever the kernel handles one. */
MeasureCase case_reduced_for_check(const MeasureCase *measure_case);

#ifdef __cplusplus
}
#endif

#endif
