/*
 * gradient_accumulation.c - the move that splits an iteration into
 * micro-batches
 *
 * The gradients of the micro-batches are sent as one.  The number of samples
 * per iteration does not change.  Micro-batches save memory, not time, so the
 * move proposes them only if memory is limited.
 */
#include <string.h>

#include "sim/study/config_value.h"
#include "sim/study/optimise/moves/setting_values_impl.h"

#define KEY               "training.micro_batches"
#define MAX_MICRO_BATCHES 64

static gboolean is_batch_divisible(const RunProfile *profile, uint64_t n)
{
    uint64_t batch;
    ConfigType type;

    return ((const LoopOps *)profile->config.workload.kind)
               ->has_micro_batches &&
           config_value_read_at_path(&profile->config, "workload.batch", &batch,
                                     &type) &&
           batch % n == 0;
}

static void propose_first_micro_batches(const RunProfile *profile,
                                        GPtrArray *ret)
{
    if (profile->maker->memory_bytes == 0)
        return;
    for (uint64_t n = 1; n <= MAX_MICRO_BATCHES; n *= 2)
        if (is_batch_divisible(profile, n))
            g_ptr_array_add(ret, make_candidate_setting(KEY, n, CONFIG_COUNT));
}

static char *vary_micro_batches(const RunProfile *profile, const char *sets,
                                RandomDraw *draw)
{
    uint64_t n = UINT64_C(1) << draw_integer_below(draw, 7);

    (void)sets;
    if (profile->maker->memory_bytes == 0 || !is_batch_divisible(profile, n))
        return NULL;
    return make_candidate_setting(KEY, n, CONFIG_COUNT);
}

const SearchMove move_accumulate = {
    .name = "accumulate",
    .summary = "micro-batches, whose gradients are sent as one",
    .aspect = ASPECT_ACCUMULATE,
    .saves = SAVES_ANY,
    .seeds = propose_first_micro_batches,
    .vary = vary_micro_batches,
};
