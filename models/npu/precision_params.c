/* precision_params.c - the sections `fp16` and `fp32` as field tables */
#include "models/npu/precision_params.h"

#define MAX_PS UINT64_C(1000000000000)

/* The configuration row of the fraction of the efficiency that one class of
 * kernels reaches. */
#define PART_FIELD(Key, member, Least, Default, Help, Source)                  \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_FRACTION,                 \
        .offset = offsetof(PrecisionConfig, member) - SECTION, .min = (Least), \
        .max = 1000000, .fallback = (Default), .source = (Source)              \
    }

#define TIME_FIELD(Key, member, Help)                                          \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_TIME,                     \
        .offset = offsetof(PrecisionConfig, member) - SECTION, .max = MAX_PS,  \
        .fallback = "0 ns", .source = "assumed: a launch is all"               \
    }

#define SECTION offsetof(PrecisionConfig, convolution)
static const ConfigField convolution_fields[] = {
    TIME_FIELD("overhead", convolution.overhead_ps,
               "of one pass, in addition to its launch"),
    PART_FIELD("winograd", convolution.winograd_ppm, 0, "0 %",
               "of the efficiency that Winograd's algorithm reaches for 3 x 3; "
               "0 %: the library has none",
               "assumed: products as they stand"),
    PART_FIELD("strided_gradient", convolution.strided_ppm, 10000, "100 %",
               "of the efficiency, of an input's gradient through strides, "
               "where windows do not overlap",
               "assumed: as any product"),
    PART_FIELD("overlap_gradient", convolution.overlapping_ppm, 10000, "100 %",
               "as strided_gradient, where windows overlap",
               "assumed: as any product"),
    PART_FIELD("weight_gradient", convolution.weight_gradient_ppm, 10000,
               "100 %", "of the efficiency, of a weight's gradient",
               "assumed: as any product"),
    { .key = "weight_tile",
      .help = "as least_tile, of a weight's gradient",
      .type = CONFIG_COUNT,
      .offset = offsetof(PrecisionConfig, convolution.weight_tile) - SECTION,
      .min = 1,
      .max = 256,
      .fallback = "1",
      .source = "assumed: as any product" },
    PART_FIELD("few_channels", convolution.few_channels_ppm, 10000, "100 %",
               "of the efficiency, where channels do not fill a granule",
               "assumed: as any product"),
    CONFIG_END,
};
#undef SECTION

#define SECTION offsetof(PrecisionConfig, recurrent)
static const ConfigField recurrent_fields[] = {
    TIME_FIELD("pass", recurrent.pass_ps, "that a pass takes to start"),
    TIME_FIELD("step", recurrent.step_ps,
               "of a step, in addition to its launch and its product"),
    PART_FIELD("products", recurrent.products_ppm, 10000, "100 %",
               "of the efficiency, of the products of steps",
               "assumed: as any product"),
    CONFIG_END,
};
#undef SECTION

#define SECTION 0
const ConfigField precision_fields[] = {
    { .key = "flops",
      .help = "peak of all SMs; 0 FLOPS: not known",
      .type = CONFIG_FLOPS,
      .offset = offsetof(PrecisionConfig, flop_per_s),
      .max = UINT64_C(1000000000000000000),
      .fallback = "0 FLOPS",
      .source = "assumed: the NPU's own flops hold" },
    PART_FIELD("efficiency", efficiency_ppm, 1000, "100 %",
               "of the peak that a tile reaches with its operands at hand",
               "the data sheet's own bound"),
    PART_FIELD("memory", memory_ppm, 10000, "100 %",
               "of the usable bandwidth, that operands in tiles reach",
               "assumed: as streams"),
    PART_FIELD("narrow", narrow_ppm, 0, "0 %",
               "of the peak, of products at most 16 wide; 0 %: as others",
               "assumed: as any product"),
    { .key = "least_tile",
      .help = "results on a side of the smallest tile that a library has",
      .type = CONFIG_COUNT,
      .offset = offsetof(PrecisionConfig, least_tile),
      .min = 1,
      .max = 256,
      .fallback = "32",
      .source = "assumed: cuBLAS's names of kernels, from 32x32 for fp32" },
    { .key = "operand_overlap",
      .help = "matrix units compute while operands of their tile arrive",
      .type = CONFIG_BOOL,
      .offset = offsetof(PrecisionConfig, operands_overlap),
      .fallback = "false",
      .source = "assumed: one after the other, as up to NVIDIA's Ampere" },
    { .key = "granule",
      .help = "channels that go together; a convolution is filled up to it",
      .type = CONFIG_COUNT,
      .offset = offsetof(PrecisionConfig, granule),
      .min = 1,
      .max = 1024,
      .fallback = "1",
      .source = "assumed: any number" },
    PART_FIELD("unaligned", unaligned_ppm, 10000, "100 %",
               "of the efficiency, of products whose sides are no multiples of "
               "the granule",
               "assumed: as any product"),
    TIME_FIELD("overhead", overhead_ps,
               "of a product, in addition to its "
               "launch"),
    TIME_FIELD("parts_overhead", parts_ps,
               "of adding up parts of sums, in addition to its launch"),
    { .key = "convolution",
      .help = "how a library convolves",
      .type = CONFIG_SECTION,
      .offset = offsetof(PrecisionConfig, convolution),
      .fields = convolution_fields,
      .fallback = "{}" },
    { .key = "recurrent",
      .help = "how a library does recurrent layers",
      .type = CONFIG_SECTION,
      .offset = offsetof(PrecisionConfig, recurrent),
      .fields = recurrent_fields,
      .fallback = "{}" },
    CONFIG_END,
};
#undef SECTION

#define SECTION_FIELD(Key, member, Help)                                       \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_SECTION,                  \
        .offset = offsetof(LanguageKernels, member), .is_optional = TRUE,      \
        .fields = precision_fields, .fallback = "{}"                           \
    }

#define SHARE_FIELD(Key, member, Help)                                         \
    {                                                                          \
        .key = (Key), .help = (Help), .type = CONFIG_FRACTION,                 \
        .offset = offsetof(LanguageKernels, member), .min = 10000,             \
        .max = 1000000, .fallback = "100 %",                                   \
        .source = "the data sheet's own bound"                                 \
    }

const ConfigField language_kernel_fields[] = {
    SECTION_FIELD("bf16", bf16, "products of bf16; absent: as fp16"),
    SECTION_FIELD("fp8", fp8, "products of fp8"),
    SECTION_FIELD("mxfp8", mxfp8, "products of fp8 with scales of 32 values"),
    SECTION_FIELD("nvfp4", nvfp4, "products of fp4 with scales of 16 values"),
    SHARE_FIELD("attention", attention_forward_ppm,
                "of the peak of 16 bits, that attention reaches forward"),
    SHARE_FIELD("attention_gradient", attention_backward_ppm,
                "of the peak of 16 bits, that attention reaches backward"),
    SHARE_FIELD("elementwise", elementwise_ppm,
                "of the usable bandwidth, that norms, activations and casts "
                "reach"),
    CONFIG_END,
};

const PrecisionConfig *
precision_section_of_path(const PrecisionsConfig *precisions,
                          Precision precision)
{
    const LanguageKernels *language = &precisions->language;
    const PrecisionConfig *sections[PRECISION_N] = {
        [PRECISION_FP16] = &precisions->fp16,
        [PRECISION_BF16] =
            language->bf16.flop_per_s > 0 ? &language->bf16 : &precisions->fp16,
        [PRECISION_FP32] = &precisions->fp32,
        [PRECISION_FP8] = &language->fp8,
        [PRECISION_MXFP8] = &language->mxfp8,
        [PRECISION_NVFP4] = &language->nvfp4,
    };

    return sections[precision]->flop_per_s > 0 ? sections[precision] : NULL;
}
