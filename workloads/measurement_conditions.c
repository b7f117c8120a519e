/* measurement_conditions.c - rescaling of measured times; see
 * measurement_conditions.h */
#include "workloads/measurement_conditions.h"

/* Largest rescaled time in ps, far above the longest simulated time of 53 days;
 * sums of a few do not overflow. */
#define MAX_SCALED (UINT64_C(1) << 60)

const char *const measured_on_precisions[] = { "unstated", "fp16", "bf16",
                                               "fp32", NULL };

const ConfigField measured_on_fields[] = {
    { .key = "batch",
      .help = "samples of one NPU; other batches are rescaled in proportion; "
              "0: that of the workload",
      .source = "not stated",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeasuredOn, batch),
      .max = 1000000000,
      .fallback = "0" },
    { .key = "precision",
      .help = "of activations and weights",
      .source = "not stated",
      .type = CONFIG_ENUM,
      .offset = offsetof(MeasuredOn, precision),
      .names = measured_on_precisions,
      .fallback = "unstated" },
    { .key = "sms",
      .help = "platform.npu.sms; 0: not stated",
      .source = "not stated",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeasuredOn, n_sms),
      .max = 100000,
      .fallback = "0" },
    { .key = "clock",
      .help = "platform.npu.clock; 0 Hz: not stated",
      .source = "not stated",
      .type = CONFIG_FREQUENCY,
      .offset = offsetof(MeasuredOn, clock_hz),
      .max = UINT64_C(100000000000),
      .fallback = "0 Hz" },
    { .key = "flops",
      .help = "platform.npu.flops; 0 FLOPS: not stated",
      .source = "not stated",
      .type = CONFIG_FLOPS,
      .offset = offsetof(MeasuredOn, flop_per_s),
      .fallback = "0 FLOPS" },
    { .key = "memory_bandwidth",
      .help = "platform.npu.hbm.bandwidth; 0 B/s: not stated",
      .source = "not stated",
      .type = CONFIG_BANDWIDTH,
      .offset = offsetof(MeasuredOn, hbm_bytes_per_s),
      .fallback = "0 B/s" },
    CONFIG_END,
};

gboolean measured_on_has_npu(const MeasuredOn *measured_on)
{
    return measured_on->n_sms > 0 || measured_on->clock_hz > 0 ||
           measured_on->flop_per_s > 0 || measured_on->hbm_bytes_per_s > 0;
}

uint64_t measured_on_rescale_time(const MeasuredOn *measured_on, uint64_t ps,
                                  uint64_t batch, uint64_t workload_batch)
{
    uint64_t measured_batch =
        measured_on->batch > 0 ? measured_on->batch : workload_batch;
    unsigned __int128 scaled = (unsigned __int128)ps * batch;

    g_assert(measured_batch > 0);
    scaled = (scaled + measured_batch - 1) / measured_batch;
    return scaled > MAX_SCALED ? MAX_SCALED : (uint64_t)scaled;
}
