/*
 * fusion_buffer.c - the move that changes the buffer and the cycle of run-time
 * fusion
 *
 * Cycles are at least LEAST_CYCLE_PS, because each poll of the ready tensors
 * costs time on a host thread, and no source says here how much.
 */
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/config_value.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KIND         "fusion"
#define MIB          (UINT64_C(1) << 20)
#define LEAST_BUFFER (UINT64_C(64) << 10)
#define MOST_BUFFER  (UINT64_C(1) << 30)
#define PS_PER_US    UINT64_C(1000000)
/* The shortest cycle that is proposed (assumed). */
#define LEAST_CYCLE_PS (100 * PS_PER_US)
#define MOST_CYCLE_PS  (100000 * PS_PER_US)

static char *make_fusion_settings(const RunProfile *profile,
                                  uint64_t buffer_bytes, uint64_t cycle_ps)
{
    g_autofree char *buffer = quantity_format(buffer_bytes, CONFIG_BYTES);
    g_autofree char *cycle = quantity_format(cycle_ps, CONFIG_TIME);
    g_autofree char *more =
        g_strdup_printf(", buffer: %s, cycle: %s", buffer, cycle);

    return run_profile_exchange_sets(profile, KIND, more);
}

/* Returns the setting of the default's exchange, or @fallback if that has
 * another kind. */
static uint64_t current_fusion_buffer_value(const RunProfile *profile,
                                            const char *key, uint64_t fallback)
{
    g_autofree char *path = g_strconcat("training.exchange.", key, NULL);
    uint64_t value;
    ConfigType type;

    if (strcmp(run_profile_exchange_kind(profile), KIND) == 0 &&
        config_value_read_at_path(&profile->config, path, &value, &type))
        return value;
    return fallback;
}

static gboolean is_fusion_applicable(const RunProfile *profile)
{
    return profile->n_tensors > 1 && run_profile_may_group_gradients(profile);
}

static void propose_first_fusions(const RunProfile *profile, GPtrArray *ret)
{
    static const uint64_t buffers[] = { 1, 4, 8, 16, 32, 64, 128, 256 };
    static const uint64_t cycles[] = { 100, 500, 1000, 2500, 5000, 10000 };
    uint64_t buffer_bytes =
        current_fusion_buffer_value(profile, "buffer", 64 * MIB);
    uint64_t cycle_ps =
        current_fusion_buffer_value(profile, "cycle", 1000 * PS_PER_US);

    if (!is_fusion_applicable(profile))
        return;
    for (guint i = 0; i < G_N_ELEMENTS(buffers); i++)
        g_ptr_array_add(
            ret, make_fusion_settings(profile, buffers[i] * MIB, cycle_ps));
    for (guint i = 0; i < G_N_ELEMENTS(cycles); i++)
        g_ptr_array_add(ret, make_fusion_settings(profile, buffer_bytes,
                                                  cycles[i] * PS_PER_US));
}

static char *vary_fusion(const RunProfile *profile, const char *sets,
                         RandomDraw *draw)
{
    uint64_t buffer_bytes, cycle_ps;

    if (!candidate_settings_use_exchange(sets, KIND) ||
        !read_setting_value(sets, "buffer", CONFIG_BYTES, &buffer_bytes) ||
        !read_setting_value(sets, "cycle", CONFIG_TIME, &cycle_ps))
        return NULL;
    if (draw_integer_below(draw, 2) == 0)
        buffer_bytes = draw_value_near_current(buffer_bytes, LEAST_BUFFER,
                                               MOST_BUFFER, draw);
    else
        cycle_ps = draw_value_near_current(cycle_ps, LEAST_CYCLE_PS,
                                           MOST_CYCLE_PS, draw);
    return make_fusion_settings(profile, buffer_bytes, cycle_ps);
}

const SearchMove move_fusion = {
    .name = "fusion",
    .summary = "buffer and cycle of fused tensors",
    .aspect = ASPECT_EXCHANGE,
    .saves = SAVES_EXCHANGE,
    .seeds = propose_first_fusions,
    .vary = vary_fusion,
};
