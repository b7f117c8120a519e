/*
 * test_fit_model.h - a GPU whose times can be worked out by hand
 */
#ifndef TESTS_TEST_FIT_MODEL_H
#define TESTS_TEST_FIT_MODEL_H

#include <math.h>

#include "tests/test.h"
#include "validate/fit/gpu_model.h"

#define assert_near(value, expected, tolerance)                                \
    assert_true(fabs((value) - (expected)) <= (tolerance))

/* 100 SMs that read 20 GB/s each at 10 KB in flight, 1000 GB/s in all; what
 * they write takes as much of their ports as what they read. */
static inline GpuModel gpu(void)
{
    static const struct {
        GpuParam param;
        double value;
    } values[] = {
        { GPU_MOVE_START, 2 },      { GPU_STREAM_START, 2 },
        { GPU_LIBRARY_START, 2 },   { GPU_OWN_START, 2 },
        { GPU_LOOKUP_START, 2 },    { GPU_HBM, 1000 },
        { GPU_TURNAROUND, 0.1 },    { GPU_PORT, 40 },
        { GPU_PORT_WRITE, 1 },      { GPU_LATENCY, 500 },
        { GPU_QUEUEING, 0 },        { GPU_PORT_QUEUEING, 0 },
        { GPU_OWN_GEMM, 100 },      { GPU_OWN_DEPTH, 0 },
        { GPU_LIBRARY_GEMM, 400 },  { GPU_LIBRARY_DEPTH, 0 },
        { GPU_TILE_LOSS, 0 },       { GPU_VECTOR, 10 },
        { GPU_LOOKUP, 0.5 },        { GPU_ROW_LOSS, 0 },
        { GPU_ROUNDTRIPS, 2 },      { GPU_TO_HOST, 50 },
        { GPU_HOST_SETUP, 5 },      { GPU_WEIGHT, 1 },
        { GPU_ENGINE_WEIGHT, 0.5 }, { GPU_CONFLICT, 0 },
    };
    GpuModel ret;

    gpu_model_init(&ret, 100);
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++)
        ret.values[values[i].param] = values[i].value;
    return ret;
}

static inline Measured row(const char *kernel)
{
    return (Measured){
        .kernel = kernel, .beside = "", .n_sms = 100, .partner = MEASURED_NONE
    };
}

#endif
