/* npu_fields_that_affect_results.c - the fields of an NPU's configuration,
 * grouped by their effect */
#include "models/npu/npu_fields_that_affect_results.h"

#define FIELD(part, member)                                                    \
    {                                                                          \
        part, offsetof(NpuConfig, member)                                      \
    }

/* The fields of NpuConfig that some runs do not depend on, with the group of
 * each; all are uint64_t. */
static const struct {
    NpuPart part;
    size_t offset;
} parts[] = {
    FIELD(NPU_TIMES, n_sms),
    FIELD(NPU_TIMES, flop_per_s),
    FIELD(NPU_TIMES, efficiency_ppm),
    FIELD(NPU_TIMES, tile_results),
    FIELD(NPU_TIMES, waves.lone_tile_ppm),
    FIELD(NPU_TIMES, launch_ps),
    FIELD(NPU_TIMES, operand_bytes_per_cycle),
    FIELD(NPU_SM_BANDWIDTH, sm_bytes_per_cycle),
    FIELD(NPU_SM_BANDWIDTH, sm_store_bytes_per_cycle),
    FIELD(NPU_SM_BANDWIDTH, port_sharing_ppm),
    FIELD(NPU_SM_BANDWIDTH, port_queueing_ppm),
    FIELD(NPU_SM_BANDWIDTH, sm_in_flight_bytes),
    FIELD(NPU_SM_BANDWIDTH, memory_latency_ps),
    FIELD(NPU_SM_BANDWIDTH, store_latency_ps),
    FIELD(NPU_SM_BANDWIDTH, block_start_ps),
    FIELD(NPU_SM_BANDWIDTH, queueing_ppm),
    FIELD(NPU_SIDE, side_sms),
    FIELD(NPU_SIDE, side_bytes_per_s),
    FIELD(NPU_MEMORY, hbm.bandwidth_bytes_per_s),
    FIELD(NPU_MEMORY, hbm.efficiency_ppm),
    FIELD(NPU_BUS, bus_bytes_per_s),
};

static uint64_t *npu_field_pointer(NpuConfig *config, guint i)
{
    return (uint64_t *)(gpointer)((guint8 *)config + parts[i].offset);
}

static uint64_t npu_field_value(const NpuConfig *config, guint i)
{
    return *(const uint64_t *)(gconstpointer)((const guint8 *)config +
                                              parts[i].offset);
}

void npu_clear_grouped_fields(NpuConfig *config)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        *npu_field_pointer(config, i) = 0;
}

gboolean npu_fields_are_equal_at_path(const NpuConfig *config,
                                      const NpuConfig *other, guint mask)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if ((parts[i].part & mask) &&
            npu_field_value(config, i) != npu_field_value(other, i))
            return FALSE;
    return TRUE;
}

gboolean npu_run_is_same_with_hbm(const NpuConfig *config,
                                  uint64_t needed_bytes_per_s,
                                  const NpuConfig *other)
{
    if (npu_fields_are_equal_at_path(config, other, NPU_MEMORY))
        return TRUE;
    return config->hbm.policy == HBM_PARTITIONED &&
           hbm_usable_bytes_per_s(&config->hbm) >= needed_bytes_per_s &&
           hbm_usable_bytes_per_s(&other->hbm) >= needed_bytes_per_s;
}
