/* recompute.c - what is not kept is calculated twice, where memory is bounded
 */
#include "sim/study/optimise/moves/value_impl.h"

#define KEY "training.recompute="

static gboolean has_something(const Known *known)
{
    return known->maker->memory_bytes > 0 &&
           ((const LoopOps *)known->config.workload.kind)->has_micro_batches;
}

static void seed(const Known *known, GPtrArray *ret)
{
    if (!has_something(known))
        return;
    g_ptr_array_add(ret, g_strdup(KEY "true"));
    g_ptr_array_add(ret, g_strdup(KEY "false"));
}

static char *vary(const Known *known, const char *sets, Draw *draw)
{
    (void)sets;
    if (!has_something(known))
        return NULL;
    return g_strdup(draw_below(draw, 2) == 0 ? KEY "true" : KEY "false");
}

const Move move_recompute = {
    .name = "recompute",
    .summary = "what is not kept is calculated twice",
    .aspect = ASPECT_RECOMPUTE,
    .saves = SAVES_ANY,
    .seeds = seed,
    .vary = vary,
};
