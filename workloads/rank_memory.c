/* rank_memory.c - kinds of memory, and sums over them */
#include "workloads/rank_memory.h"

#define GIB (1024.0 * 1024 * 1024)

const char *const memory_kind_names[MEMORY_N_KINDS + 1] = {
    [MEMORY_WEIGHTS] = "weights",     [MEMORY_GRADIENTS] = "gradients",
    [MEMORY_OPTIMISER] = "optimiser", [MEMORY_ACTIVATIONS] = "activations",
    [MEMORY_BUFFERS] = "buffers",     [MEMORY_N_KINDS] = NULL,
};

uint64_t rank_memory_sum(const RankMemory *memory)
{
    uint64_t sum = 0;

    for (guint k = 0; k < MEMORY_N_KINDS; k++)
        if (__builtin_add_overflow(sum, memory->bytes[k], &sum))
            return UINT64_MAX;
    return sum;
}

void rank_memory_append(const RankMemory *memory, GString *out)
{
    g_string_append_printf(out, "%.4g GiB (",
                           (double)rank_memory_sum(memory) / GIB);
    for (guint k = 0; k < MEMORY_N_KINDS; k++)
        g_string_append_printf(out, "%s%s %.4g", k > 0 ? ", " : "",
                               memory_kind_names[k],
                               (double)memory->bytes[k] / GIB);
    g_string_append_c(out, ')');
}

const StageMemory *rank_memory_fullest(const GArray *stages)
{
    const StageMemory *fullest = NULL;

    for (guint i = 0; i < stages->len; i++) {
        const StageMemory *one = &g_array_index(stages, StageMemory, i);

        if (!fullest ||
            rank_memory_sum(&one->peak) > rank_memory_sum(&fullest->peak))
            fullest = one;
    }
    return fullest;
}
