/* npu_slack.c - what of an NPU's configuration kernels alone read */
#include "models/npu/npu_slack.h"

#define FIELD(member) offsetof(NpuConfig, member)

/* All of them uint64_t. */
static const size_t of_kernels[] = {
    FIELD(flop_per_s),         FIELD(efficiency_ppm),
    FIELD(sm_bytes_per_cycle), FIELD(sm_in_flight_bytes),
    FIELD(memory_latency_ps),  FIELD(store_latency_ps),
    FIELD(block_start_ps),     FIELD(queueing_ppm),
    FIELD(tile_results),       FIELD(waves.lone_tile_ppm),
    FIELD(launch_ps),          FIELD(side_sms),
    FIELD(side_bytes_per_s),   FIELD(operand_bytes_per_cycle),
};

static const size_t of_memory[] = {
    FIELD(hbm.bandwidth_bytes_per_s),
    FIELD(hbm.efficiency_ppm),
};

static uint64_t value_of(const NpuConfig *config, size_t offset)
{
    return *(const uint64_t *)(gconstpointer)((const guint8 *)config + offset);
}

static void forget(NpuConfig *config, const size_t *offsets, guint n)
{
    for (guint i = 0; i < n; i++)
        *(uint64_t *)(gpointer)((guint8 *)config + offsets[i]) = 0;
}

static gboolean is_same(const NpuConfig *config, const NpuConfig *other,
                        const size_t *offsets, guint n)
{
    for (guint i = 0; i < n; i++)
        if (value_of(config, offsets[i]) != value_of(other, offsets[i]))
            return FALSE;
    return TRUE;
}

void npu_forget(NpuConfig *config)
{
    forget(config, of_kernels, G_N_ELEMENTS(of_kernels));
    forget(config, of_memory, G_N_ELEMENTS(of_memory));
}

gboolean npu_is_same(const NpuConfig *config, const NpuConfig *other)
{
    return is_same(config, other, of_kernels, G_N_ELEMENTS(of_kernels)) &&
           is_same(config, other, of_memory, G_N_ELEMENTS(of_memory));
}

gboolean npu_covers(const NpuConfig *config, uint64_t needed_bytes_per_s,
                    const NpuConfig *other)
{
    if (is_same(config, other, of_memory, G_N_ELEMENTS(of_memory)))
        return TRUE;
    return config->hbm.policy == HBM_PARTITIONED &&
           hbm_usable_bytes_per_s(&config->hbm) >= needed_bytes_per_s &&
           hbm_usable_bytes_per_s(&other->hbm) >= needed_bytes_per_s;
}
