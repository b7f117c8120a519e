/*
 * kernel_impl.h - declarations shared by kernel.c and kernels/
 *
 * Units    as kernel.h
 */
#ifndef WORKLOADS_KERNEL_IMPL_H
#define WORKLOADS_KERNEL_IMPL_H

#include "workloads/kernel.h"
#include "workloads/layer_impl.h"
#include "workloads/workload.h"

extern const KernelOps kernel_stream;
extern const KernelOps kernel_matrix_product;
extern const KernelOps kernel_conv;
extern const KernelOps kernel_recurrent;

/* Fields of KernelCommon for the field table of a kind; the struct has a member
 * .common. */
#define KERNEL_COMMON_FIELDS(Struct)                                           \
    { .key = "name",                                                           \
      .help = "what rows call the kernel",                                     \
      .type = CONFIG_NAME,                                                     \
      .offset = offsetof(Struct, common.name),                                 \
      .fallback = "-" },                                                       \
        { .key = "precision",                                                  \
          .help = "of its values",                                             \
          .type = CONFIG_ENUM,                                                 \
          .offset = offsetof(Struct, common.precision),                        \
          .names = precision_names,                                            \
          .fallback = "fp16" },                                                \
    {                                                                          \
        .key = "sms", .help = "SMs that it has; 0: all", .type = CONFIG_COUNT, \
        .offset = offsetof(Struct, common.n_sms), .max = 100000,               \
        .fallback = "0"                                                        \
    }

/* Names of the passes below OP_UPDATE, by OpPass. */
extern const char *const kernel_pass_names[];

#endif
