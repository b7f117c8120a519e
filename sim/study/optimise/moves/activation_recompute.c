/* activation_recompute.c - the move that recomputes activations if memory is
 * limited */
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KEY "training.recompute="

static gboolean is_recompute_applicable(const RunProfile *profile)
{
    return profile->maker->memory_bytes > 0 &&
           ((const LoopOps *)profile->config.workload.kind)->has_micro_batches;
}

static void propose_recompute(const RunProfile *profile, GPtrArray *ret)
{
    if (!is_recompute_applicable(profile))
        return;
    g_ptr_array_add(ret, g_strdup(KEY "true"));
    g_ptr_array_add(ret, g_strdup(KEY "false"));
}

static char *toggle_activation_recompute(const RunProfile *profile,
                                         const char *sets, RandomDraw *draw)
{
    (void)sets;
    if (!is_recompute_applicable(profile))
        return NULL;
    return g_strdup(draw_integer_below(draw, 2) == 0 ? KEY "true"
                                                     : KEY "false");
}

const SearchMove move_recompute = {
    .name = "recompute",
    .summary = "activations are computed twice instead of kept",
    .aspect = ASPECT_RECOMPUTE,
    .saves = SAVES_ANY,
    .seeds = propose_recompute,
    .vary = toggle_activation_recompute,
};
