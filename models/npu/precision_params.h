/*
 * precision_params.h - what an NPU and its libraries reach in one precision
 *
 * An NPU has a section for each precision: `fp16` and `fp32`, and in `language`
 * those that language models use: bf16, fp8, mxfp8, nvfp4.  bf16 without a
 * section takes that of fp16.  Products whose section is absent are timed
 * like all kernels, by the NPU's own `flops`; those of fp8 and below are
 * refused.  matrix_products.h explains the fields.
 *
 * Units    FLOP/s, ps, parts per million
 */
#ifndef MODELS_NPU_PRECISION_PARAMS_H
#define MODELS_NPU_PRECISION_PARAMS_H

#include "sim/config/config.h"
#include "sim/core/time.h"
#include "workloads/kernel_work.h"

typedef struct {
    SimTime overhead_ps; /* time of a pass in addition to its launch */
    /* The share of the efficiency that Winograd's algorithm reaches; 0: the
     * library does not use it. */
    uint64_t winograd_ppm;
    /* The shares of the efficiency with strides, without and with windows that
     * overlap; the fields below are shares of the efficiency, too. */
    uint64_t strided_ppm, overlapping_ppm;
    uint64_t weight_tile; /* smallest side of a tile for weight gradients */
    uint64_t weight_gradient_ppm;
    uint64_t few_channels_ppm;
} ConvolutionConfig;

typedef struct {
    SimTime pass_ps; /* time to start a pass */
    SimTime step_ps; /* time of a step beside its launch and product */
    /* The share of the efficiency that the products of steps reach. */
    uint64_t products_ppm;
} RecurrentConfig;

typedef struct {
    uint64_t flop_per_s; /* 0: the section is absent */
    /* The share of .flop_per_s that is reached with operands available. */
    uint64_t efficiency_ppm;
    uint64_t memory_ppm; /* share of the bandwidth that streams reach */
    /* The share of the peak that narrow products reach; 0: they are timed like
     * other products. */
    uint64_t narrow_ppm;
    uint64_t least_tile;       /* smallest side of a tile, in results */
    gboolean operands_overlap; /* tiles compute while their operands arrive */
    /* Channels are padded to a multiple of it; other products whose sides are
     * not such multiples reach .unaligned_ppm of the efficiency. */
    uint64_t granule;
    uint64_t unaligned_ppm;
    SimTime overhead_ps; /* time of a product in addition to its launch */
    /* The time to add parts of sums, in addition to the launch. */
    SimTime parts_ps;
    ConvolutionConfig convolution;
    RecurrentConfig recurrent;
} PrecisionConfig;

/* The speeds that kernels of language models reach in training.  Sustained
 * training lowers clocks and shares caches, so products reach less
 * than alone. */
typedef struct {
    PrecisionConfig bf16, fp8, mxfp8, nvfp4;
    /* Shares of the peak of 16 bits that attention with scores on
     * chip reaches. */
    uint64_t attention_forward_ppm, attention_backward_ppm;
    /* The share of the usable bandwidth that elementwise kernels reach. */
    uint64_t elementwise_ppm;
} LanguageKernels;

typedef struct {
    PrecisionConfig fp16, fp32;
    LanguageKernels language;
} PrecisionsConfig;

extern const ConfigField precision_fields[];
extern const ConfigField language_kernel_fields[];

/* Returns the section for @precision; NULL if the NPU has none. */
const PrecisionConfig *
precision_section_of_path(const PrecisionsConfig *precisions,
                          Precision precision);

#endif
