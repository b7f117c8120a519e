/*
 * case.h - one thing to measure: which kernel, on what, beside what
 *
 * A case says how a kernel is launched and on how much data, nothing about
 * how long it takes.  What does not apply is zero.  Kinds of kernels stand in
 * a table; nothing else compares names.
 *
 * Units    bytes, FLOP; a multiply-add is two FLOP
 */
#ifndef VALIDATE_GPU_HOST_CASE_H
#define VALIDATE_GPU_HOST_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/gpu/host/how.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    FAMILY_LAUNCH,
    FAMILY_CEILING,
    FAMILY_REDUCE,
    FAMILY_COPY,
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
    KERNEL_EMPTY_ENQUEUED, /* back to back, as fast as the host enqueues */
    KERNEL_EMPTY_QUEUED,   /* back to back, all enqueued before the first */
    KERNEL_EMPTY_SINGLE,   /* one between two events */
    KERNEL_EMPTY_GRAPH,    /* back to back inside a CUDA graph */
    KERNEL_REDUCE,
    KERNEL_COPY,
    KERNEL_FMA,
    KERNEL_READ,
    KERNEL_WRITE,
    KERNEL_MIX, /* reads `ways` arrays, writes their sum; a normal grid */
    KERNEL_GEMM_OWN,
    KERNEL_GEMM_CUBLAS,
    KERNEL_GEMM_CUBLAS_TOLD, /* how many SMs a partner leaves it */
    KERNEL_LOOKUP,
    KERNEL_MEMCPY_D2H,
    KERNEL_MEMCPY_H2D,
    KERNEL_MEMCPY_D2D,
    KERNEL_BATCH_D2H, /* with the wish to run beside compute */
    KERNEL_BATCH_H2D,
    KERNEL_BATCH_D2D,
    KERNEL_MEMSET,
    KERNEL_IDLE, /* holds its SMs and moves nothing */
    N_KERNELS,
} Kernel;

typedef struct {
    Family family;
    Kernel kernel;
    Dtype dtype;
    uint64_t bytes; /* of each input; of a copy in one piece */
    uint32_t n_sms; /* that the kernel can use */
    uint32_t ways;  /* inputs of a sum */
    uint32_t m, n, k;
    uint64_t batch, rows; /* bags, rows of the table */
    uint32_t dim, pooling;
    uint32_t n_fma;   /* per element of fma */
    uint32_t n_loads; /* of 16 bytes that a thread keeps in flight */
    uint32_t n_threads;
    uint32_t pair;         /* rows of one experiment have the same, from 1 */
    Kernel beside;         /* what runs at the same time */
    uint32_t beside_n_sms; /* that it can use */
    uint64_t beside_bytes; /* as `bytes` of it, or what it moves */
    Loads loads;
    Shared shared;
    Place place;
    First first;
    Priority priority;
    uint32_t seconds; /* it goes on for so long, again and again */
} MeasureCase;

/* What one launch moves and computes at the least, each byte once. */
typedef struct {
    uint64_t read_bytes, write_bytes, flop;
} Traffic;

const char *family_name(Family family);
/* False when @name is none. */
bool family_find(const char *name, size_t length, Family *ret);

const char *dtype_name(Dtype dtype); /* "" for DTYPE_NONE */
uint32_t dtype_bytes(Dtype dtype);

const char *kernel_name(Kernel kernel);
/* What it is to the one beside it: "gemm", "reduce", "engine-d2h". */
const char *kernel_kind(Kernel kernel);
/* Moved by the copy engine, if the driver will, and by no kernel of ours. */
bool kernel_is_copy_engine(Kernel kernel);

Traffic case_traffic(const MeasureCase *c);
/* The same kernel on so little that the CPU can check all of it; of sizes
 * that leave a remainder wherever the kernel has one. */
MeasureCase case_small(const MeasureCase *c);

#ifdef __cplusplus
}
#endif

#endif
