/*
 * program_ops.h - operations of a program, as its file gives them
 *
 * Owner    params belong to the document
 */
#ifndef WORKLOADS_PROGRAMS_PROGRAM_OPS_H
#define WORKLOADS_PROGRAMS_PROGRAM_OPS_H

#include "workloads/op.h"
#include "workloads/program.h"

#define PROGRAM_MAX_IDS   UINT64_C(16777216) /* most NPUs in a topology */
#define PROGRAM_MAX_AFTER 1000
#define PROGRAM_MAX_TIMES 65536 /* in one operation */

#define PROGRAM_OWN_LAYER "own"

/* The first member of each operation's params struct. */
typedef struct {
    const char *name;
    ConfigList after;  /* of const char *: "name", "name@-1" */
    int pass;          /* OpPass */
    const char *layer; /* PROGRAM_OWN_LAYER: a layer for this operation only */
} ProgramCommon;

/* The time of an operation, which may differ by NPU. */
typedef struct {
    uint64_t time_ps, gap_ps;
    ConfigList times, gaps; /* of uint64_t ps */
} ProgramTimes;

/* Independent matrix products of m x n results, each a sum of k. */
typedef struct {
    uint64_t m, n, k, count; /* m = 0: the kernel is no product */
    gboolean splits_sum;     /* the library may split the sum, as for weights */
} ProgramProduct;

/* Programs repeat kernels: those with equal work share this struct. */
typedef struct {
    ProgramTimes times;
    uint64_t flop, read_bytes, written_bytes;
    ProgramProduct product;
    int precision; /* 0: that of `training`; else Precision + 1 */
    int class;     /* KernelClass */
    int stream;    /* OpStream */
} ProgramKernelWork;

typedef struct {
    ProgramCommon common;
    const ProgramKernelWork *work; /* interned */
} ProgramKernel;

typedef struct {
    ProgramCommon common;
    ProgramTimes times;
    const char *queue;
} ProgramStage;

/* A collective, or either end of a message. */
typedef struct {
    ProgramCommon common;
    int collective; /* CollKind; not used in a message */
    uint64_t from, to, root, priority, bytes, time_ps;
    ConfigList weights; /* of uint64_t; none in a message */
    const char *group, *lane;
    const char *axis; /* PROGRAM_NO_AXIS: the ranks of .group take part */
    gboolean is_star;
} ProgramShared;

#define PROGRAM_NO_AXIS "none"

typedef enum {
    PROGRAM_KERNEL,
    PROGRAM_STAGE,
    PROGRAM_COLLECTIVE,
    PROGRAM_MESSAGE,
} ProgramOpType;

typedef struct {
    ConfigKind base;
    ProgramOpType type;
    gboolean sends; /* TRUE: the operation is the sending end of a message */
    OpStage stage;  /* for PROGRAM_STAGE */
} ProgramOpKind;

static inline const ProgramCommon *program_op_common(const ConfigVariant *op)
{
    return op->params;
}

static inline const ProgramOpKind *program_op_kind(const ConfigVariant *op)
{
    return (const ProgramOpKind *)op->kind;
}

/* Returns whether the operation runs on one NPU, so that roles cannot share
 * it. */
static inline gboolean program_op_is_local(const ConfigVariant *op)
{
    return program_op_kind(op)->type <= PROGRAM_STAGE;
}

#endif
