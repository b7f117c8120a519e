/* verify_reduction.c - sums of the numbers that reach a switch */
#include "models/observe/verify_reduction.h"

struct VerifyReduction {
    uint32_t n_ranks, n_up, n_down;
    uint64_t *sums;    /* owned: the sum of each atom */
    uint32_t *n_added; /* owned: number of terms of each sum */
};

VerifyReduction *verify_reduction_new(uint32_t n_ranks, uint32_t n_atoms)
{
    VerifyReduction *reduction = g_new0(VerifyReduction, 1);

    reduction->n_ranks = n_ranks;
    reduction->sums = g_new0(uint64_t, n_atoms);
    reduction->n_added = g_new0(uint32_t, n_atoms);
    return reduction;
}

void verify_reduction_free(VerifyReduction *reduction)
{
    if (!reduction)
        return;
    g_free(reduction->sums);
    g_free(reduction->n_added);
    g_free(reduction);
}

void verify_reduction_add_message(VerifyReduction *reduction,
                                  const VerifyNumbers *up)
{
    reduction->n_up++;
    for (uint32_t i = 0; i < up->n; i++) {
        reduction->sums[up->items[i].atom] += up->items[i].value;
        reduction->n_added[up->items[i].atom]++;
    }
}

char *verify_reduction_set_result(VerifyReduction *reduction,
                                  VerifyNumbers *down)
{
    reduction->n_down++;
    if (reduction->n_up != reduction->n_ranks)
        return g_strdup_printf("came down when %u of %u NPUs had sent theirs",
                               reduction->n_up, reduction->n_ranks);
    for (uint32_t i = 0; i < down->n; i++) {
        uint32_t atom = down->items[i].atom;

        if (reduction->n_added[atom] == 0)
            return g_strdup_printf("part %u came down and never went up", atom);
        down->items[i].value = reduction->sums[atom];
    }
    return NULL;
}

gboolean verify_reduction_is_received_by_all(const VerifyReduction *reduction)
{
    return reduction->n_down == reduction->n_ranks;
}
