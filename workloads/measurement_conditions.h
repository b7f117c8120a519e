/*
 * measurement_conditions.h - the batch, precision and NPU that measured times
 * belong to
 *
 * Times of layers and totals of passes are measured with one batch size and
 * precision on one NPU; the section `measured_on` of a workload states them.
 * For another batch size, times are rescaled in proportion to the samples
 * (assumed), with a note.  Another NPU is an error.  Another precision, or a
 * single key of the NPU that is overridden as a what-if, only causes a note.
 *
 * Units    as the keys of the NPU: SMs, Hz, FLOP/s, bytes/s; 0: not stated
 */
#ifndef WORKLOADS_MEASUREMENT_CONDITIONS_H
#define WORKLOADS_MEASUREMENT_CONDITIONS_H

#include "sim/config/config.h"

typedef struct {
    gboolean is_used; /* some kernel uses a measured time */
    uint64_t batch;   /* samples per NPU in the measurement */
    /* Precision in the measurement: 1 + a Precision; 0: not stated. */
    int precision;
    uint64_t n_sms, clock_hz, flop_per_s, hbm_bytes_per_s;
    const ConfigNode *node; /* borrowed: the section, for error messages */
} MeasuredOn;

extern const ConfigField measured_on_fields[];
/* Names by .precision: "unstated", "fp16", ...; ends with NULL. */
extern const char *const measured_on_precisions[];

/* The field of a workload; the struct has a member .measured_on. */
#define MEASURED_ON_FIELD(Struct)                                              \
    {                                                                          \
        .key = "measured_on",                                                  \
        .help = "the batch, precision and NPU that measured times belong to",  \
        .source = "not stated", .type = CONFIG_SECTION,                        \
        .offset = offsetof(Struct, measured_on),                               \
        .node_offset = offsetof(Struct, measured_on.node),                     \
        .fields = measured_on_fields, .fallback = "{}"                         \
    }

/* Returns whether some key of the NPU is stated. */
gboolean measured_on_has_npu(const MeasuredOn *measured_on);

/* Returns the time for @batch samples if @ps was measured with
 * @measured_on->batch samples, or with @workload_batch if @measured_on states
 * none.  Rounds up; at most 2^60. */
uint64_t measured_on_rescale_time(const MeasuredOn *measured_on, uint64_t ps,
                                  uint64_t batch, uint64_t workload_batch);

#endif
