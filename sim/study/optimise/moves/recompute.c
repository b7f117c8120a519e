/* recompute.c - the move that recomputes activations if memory is limited */
#include "sim/study/optimise/moves/value_impl.h"

#define KEY "training.recompute="

static gboolean applies(const RunProfile *known)
{
    return known->maker->memory_bytes > 0 &&
           ((const LoopOps *)known->config.workload.kind)->has_micro_batches;
}

static void seed(const RunProfile *known, GPtrArray *ret)
{
    if (!applies(known))
        return;
    g_ptr_array_add(ret, g_strdup(KEY "true"));
    g_ptr_array_add(ret, g_strdup(KEY "false"));
}

static char *vary(const RunProfile *known, const char *sets, Draw *draw)
{
    (void)sets;
    if (!applies(known))
        return NULL;
    return g_strdup(draw_below(draw, 2) == 0 ? KEY "true" : KEY "false");
}

const Move move_recompute = {
    .name = "recompute",
    .summary = "activations are computed twice instead of kept",
    .aspect = ASPECT_RECOMPUTE,
    .saves = SAVES_ANY,
    .seeds = seed,
    .vary = vary,
};
