/*
 * measured_on.h - the batch, precision and NPU that measured times belong to
 *
 * Times of layers and totals of passes were measured with one batch, in one
 * precision, on one NPU.  `measured_on` of a workload says which.  Times of
 * another batch are rescaled in proportion to the samples (assumed), which is
 * noted; times of another NPU are an error; a single key of the NPU that is
 * set apart from its file, a what-if, is noted, and so is another precision.
 *
 * Units    as the keys of the NPU: SMs, Hz, FLOP/s, bytes/s; 0: not stated
 */
#ifndef WORKLOADS_MEASURED_ON_H
#define WORKLOADS_MEASURED_ON_H

#include "sim/config/config.h"

typedef struct {
    gboolean is_used; /* some kernel takes a measured time */
    uint64_t batch;   /* samples of one NPU */
    int precision;    /* 0: not stated, else 1 + Precision */
    uint64_t n_sms, clock_hz, flop_per_s, hbm_bytes_per_s;
    const ConfigNode *node; /* borrowed: the section, for complaints */
} MeasuredOn;

extern const ConfigField measured_on_fields[];
/* By .precision: "unstated", "fp16", ...; ends with NULL. */
extern const char *const measured_on_precisions[];

/* The row of a workload's field table; @Struct.measured_on is it. */
#define MEASURED_ON_FIELD(Struct)                                              \
    {                                                                          \
        .key = "measured_on",                                                  \
        .help = "the batch, precision and NPU that measured times belong to",  \
        .source = "not stated", .type = CONFIG_SECTION,                        \
        .offset = offsetof(Struct, measured_on),                               \
        .node_offset = offsetof(Struct, measured_on.node),                     \
        .fields = measured_on_fields, .fallback = "{}"                         \
    }

/* Whether any key of the NPU is stated. */
gboolean measured_on_has_npu(const MeasuredOn *on);

/* @ps of @batch samples, measured with as many as @on says, or else with
 * @workload_batch; rounded up, at most 2^60. */
uint64_t measured_on_scale(const MeasuredOn *on, uint64_t ps, uint64_t batch,
                           uint64_t workload_batch);

#endif
