/*
 * precision.h - what an NPU and its libraries reach with values of one kind
 *
 * A section of the NPU for each precision, `fp16` (which is bf16's, too) and
 * `fp32`.  One that is absent has no `flops`: products are then timed as all
 * kernels are, by the NPU's own `flops`.  products.h says what the rest does.
 *
 * Units    FLOP/s, ps, parts per million
 */
#ifndef MODELS_NPU_PRECISION_H
#define MODELS_NPU_PRECISION_H

#include "sim/config/config.h"
#include "sim/core/time.h"
#include "workloads/work.h"

typedef struct {
    SimTime overhead_ps;   /* of a pass, beside its launch */
    uint64_t winograd_ppm; /* of efficiency; 0: the library has none */
    uint64_t strided_ppm;  /* of efficiency, as the next two */
    uint64_t weight_tile;  /* as least_tile, of a weight's gradient */
    uint64_t weight_gradient_ppm;
    uint64_t few_channels_ppm;
} ConvolutionConfig;

typedef struct {
    SimTime pass_ps; /* that a library takes to start one */
    SimTime step_ps; /* beside its launch and its product */
} RecurrentConfig;

typedef struct {
    uint64_t flop_per_s;     /* 0: the section is absent */
    uint64_t efficiency_ppm; /* of it, with operands at hand */
    uint64_t memory_ppm;     /* of the bandwidth that streams reach */
    uint64_t narrow_ppm;     /* of the peak; 0: narrow ones are as others */
    uint64_t least_tile;     /* results of a tile's side, at least */
    uint64_t granule;        /* values of channels that go together */
    SimTime overhead_ps;     /* of a product, beside its launch */
    SimTime parts_ps;        /* likewise, of adding parts of sums */
    ConvolutionConfig convolution;
    RecurrentConfig recurrent;
} PrecisionConfig;

typedef struct {
    PrecisionConfig fp16, fp32;
} PrecisionsConfig;

extern const ConfigField precision_fields[];

/* Of what @precision is calculated with; NULL: the NPU does not say. */
const PrecisionConfig *precision_of(const PrecisionsConfig *all,
                                    Precision precision);

#endif
