/* contribution_sets.c - bit sets of the GPUs that have contributed to a
 * chunk */
#include "models/stacks/msccl/contribution_sets_impl.h"

#include <string.h>

#define WORD_BITS 64

MscclContributionSets *msccl_contributions_new(uint32_t n, uint32_t n_gpus)
{
    MscclContributionSets *sets = g_new0(MscclContributionSets, 1);

    sets->n = n;
    sets->n_gpus = n_gpus;
    sets->n_words = (n_gpus + WORD_BITS - 1) / WORD_BITS;
    sets->chunks = g_new(uint32_t, n);
    sets->bits = g_new0(uint64_t, (gsize)n * sets->n_words);
    for (uint32_t i = 0; i < n; i++)
        sets->chunks[i] = MSCCL_UNWRITTEN;
    return sets;
}

void msccl_contributions_free(MscclContributionSets *sets)
{
    g_free(sets->chunks);
    g_free(sets->bits);
    g_free(sets);
}

static uint64_t *bit_words_of_set(const MscclContributionSets *sets, uint32_t i)
{
    g_assert(i < sets->n);
    return sets->bits + (gsize)i * sets->n_words;
}

void msccl_contributions_set_single_gpu(MscclContributionSets *sets, uint32_t i,
                                        uint32_t chunk, uint32_t gpu)
{
    uint64_t *bits = bit_words_of_set(sets, i);

    g_assert(gpu < sets->n_gpus);
    memset(bits, 0, sets->n_words * sizeof(*bits));
    bits[gpu / WORD_BITS] = UINT64_C(1) << gpu % WORD_BITS;
    sets->chunks[i] = chunk;
}

void msccl_contributions_copy(MscclContributionSets *to, uint32_t i,
                              const MscclContributionSets *from, uint32_t j)
{
    g_assert(to->n_words == from->n_words);
    to->chunks[i] = from->chunks[j];
    memcpy(bit_words_of_set(to, i), bit_words_of_set(from, j),
           to->n_words * sizeof(uint64_t));
}

void msccl_contributions_add(MscclContributionSets *to, uint32_t i,
                             const MscclContributionSets *from, uint32_t j)
{
    uint64_t *a = bit_words_of_set(to, i);
    const uint64_t *b = bit_words_of_set(from, j);

    g_assert(to->chunks[i] == from->chunks[j]);
    for (uint32_t w = 0; w < to->n_words; w++)
        a[w] |= b[w];
}

gboolean msccl_contributions_is_subset(const MscclContributionSets *a,
                                       uint32_t i,
                                       const MscclContributionSets *b,
                                       uint32_t j)
{
    for (uint32_t w = 0; w < a->n_words; w++)
        if (bit_words_of_set(a, i)[w] & ~bit_words_of_set(b, j)[w])
            return FALSE;
    return a->chunks[i] == b->chunks[j];
}

int64_t msccl_contributions_find_common_gpu(const MscclContributionSets *a,
                                            uint32_t i,
                                            const MscclContributionSets *b,
                                            uint32_t j)
{
    for (uint32_t w = 0; w < a->n_words; w++) {
        uint64_t both = bit_words_of_set(a, i)[w] & bit_words_of_set(b, j)[w];

        if (both)
            return (int64_t)w * WORD_BITS + __builtin_ctzll(both);
    }
    return -1;
}

int64_t msccl_contributions_find_missing_gpu(const MscclContributionSets *sets,
                                             uint32_t i)
{
    for (uint32_t g = 0; g < sets->n_gpus; g++)
        if (!(bit_words_of_set(sets, i)[g / WORD_BITS] >> g % WORD_BITS & 1))
            return g;
    return -1;
}
