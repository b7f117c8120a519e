/*
 * accumulate.c - micro-batches, whose gradients are sent as one
 *
 * The samples of an iteration stay.  They save memory, not time; so that they
 * matter where memory is bounded.
 */
#include <string.h>

#include "sim/study/optimise/moves/value_impl.h"
#include "sim/study/value.h"

#define KEY  "training.micro_batches"
#define MOST 64

static gboolean is_number_of(const Known *known, uint64_t n)
{
    uint64_t batch;
    ConfigType type;

    return ((const LoopOps *)known->config.workload.kind)->has_micro_batches &&
           value_at(&known->config, "workload.batch", &batch, &type) &&
           batch % n == 0;
}

static void seed(const Known *known, GPtrArray *ret)
{
    if (known->maker->memory_bytes == 0)
        return;
    for (uint64_t n = 1; n <= MOST; n *= 2)
        if (is_number_of(known, n))
            g_ptr_array_add(ret, value_set(KEY, n, CONFIG_COUNT));
}

static char *vary(const Known *known, const char *sets, Draw *draw)
{
    uint64_t n = UINT64_C(1) << draw_below(draw, 7);

    (void)sets;
    if (known->maker->memory_bytes == 0 || !is_number_of(known, n))
        return NULL;
    return value_set(KEY, n, CONFIG_COUNT);
}

const Move move_accumulate = {
    .name = "accumulate",
    .summary = "micro-batches, whose gradients are sent as one",
    .aspect = ASPECT_ACCUMULATE,
    .saves = SAVES_ANY,
    .seeds = seed,
    .vary = vary,
};
