/* shardings.c - the table of shardings, and what the kinds share */
#include "workloads/sharding/sharding.h"

/* To add a sharding, add a file, and a line with its ShardingOps here. */
/* clang-format off */
#define SHARDINGS(Add)      \
    Add(sharding_replicated) \
    Add(sharding_zero_1)
/* clang-format on */

#define DECLARE(Sharding) extern const ShardingOps Sharding;
#define KIND(Sharding)    &Sharding.base,

SHARDINGS(DECLARE)

static const ConfigKind *const sharding_kinds[] = { SHARDINGS(KIND) NULL };

const ConfigRegistry sharding_registry = { .what = "sharding",
                                           .kinds = sharding_kinds };

uint32_t sharding_add_reduction(SegmentBuilder *update,
                                const ShardedWeights *weights, CollKind kind)
{
    uint64_t bytes = weights->n_weights * weights->step.gradient_bytes;
    uint32_t op;

    if (weights->n_ranks == 1 || bytes == 0)
        return SEGMENT_NONE;
    op = segment_builder_collective(update, weights->part, "gradients", kind,
                                    weights->axes, bytes);
    segment_add_dep(update->segment, op, &weights->ready);
    return op;
}

uint32_t sharding_add_step(SegmentBuilder *update,
                           const ShardedWeights *weights, uint64_t n_weights,
                           uint32_t after)
{
    OptimiserStep step = weights->step;
    OpWork works[OPTIMISER_MAX_WORKS] = { 0 };
    uint32_t op = SEGMENT_NONE;

    step.n_weights = MAX(n_weights, 1);
    if (weights->optimiser > OPTIMISER_NONE)
        optimiser_list_kernels(weights->optimiser, &step, works);
    else
        works[0].flop = 1; /* the end of an iteration without a step */
    for (guint i = 0; i < OPTIMISER_MAX_WORKS; i++) {
        uint32_t before = op;

        if (works[i].flop == 0 && works[i].bytes == 0)
            continue;
        op = segment_builder_kernel(
            update, weights->part, "step", KERNEL_CLASS_OTHER, works[i].flop,
            works[i].bytes - works[i].written_bytes, works[i].written_bytes);
        if (before != SEGMENT_NONE)
            segment_builder_after(update, op, before);
        else if (after != SEGMENT_NONE)
            segment_builder_after(update, op, after);
        else
            segment_add_dep(update->segment, op, &weights->ready);
    }
    return op;
}
