/*
 * precision.h - what an NPU and its libraries reach in one precision
 *
 * An NPU has a section for each precision: `fp16`, which also applies to bf16,
 * and `fp32`.  A section that is absent has no `flops`; products are then timed
 * like all kernels, by the NPU's own `flops`.  products.h explains the fields.
 *
 * Units    FLOP/s, ps, parts per million
 */
#ifndef MODELS_NPU_PRECISION_H
#define MODELS_NPU_PRECISION_H

#include "sim/config/config.h"
#include "sim/core/time.h"
#include "workloads/work.h"

typedef struct {
    SimTime overhead_ps;   /* of a pass, in addition to its launch */
    uint64_t winograd_ppm; /* share of the efficiency; 0: the library has no
                              Winograd */
    uint64_t strided_ppm;  /* share of the efficiency, as are the next two */
    uint64_t weight_tile;  /* as least_tile, for the gradient of a weight */
    uint64_t weight_gradient_ppm;
    uint64_t few_channels_ppm;
} ConvolutionConfig;

typedef struct {
    SimTime pass_ps; /* time to start a pass */
    SimTime step_ps; /* of a step, in addition to its launch and product */
} RecurrentConfig;

typedef struct {
    uint64_t flop_per_s;     /* 0: the section is absent */
    uint64_t efficiency_ppm; /* of .flop_per_s, with operands available */
    uint64_t memory_ppm;     /* share of the bandwidth that streams reach */
    uint64_t narrow_ppm;     /* of the peak; 0: narrow products are as others */
    uint64_t least_tile;     /* smallest side of a tile, in results */
    uint64_t granule;        /* channels are padded to a multiple of it */
    SimTime overhead_ps;     /* of a product, in addition to its launch */
    SimTime parts_ps; /* of adding parts of sums, in addition to the launch */
    ConvolutionConfig convolution;
    RecurrentConfig recurrent;
} PrecisionConfig;

typedef struct {
    PrecisionConfig fp16, fp32;
} PrecisionsConfig;

extern const ConfigField precision_fields[];

/* Returns the section for @precision; NULL if the NPU has none. */
const PrecisionConfig *precision_of(const PrecisionsConfig *all,
                                    Precision precision);

#endif
