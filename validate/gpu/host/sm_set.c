/* sm_set.c - the set of SMs on which the blocks of a kernel ran */
#include "validate/gpu/host/sm_set.h"

#include <stdbool.h>

void sm_set_add(SmSet *set, uint32_t sm)
{
    if (sm < SM_SET_SIZE)
        set->words[sm / 64] |= UINT64_C(1) << (sm % 64);
}

static unsigned hex_digit_of_sm_set(const SmSet *set, unsigned nth)
{
    return (unsigned)(set->words[nth / 16] >> (4 * (nth % 16))) & 15;
}

void sm_set_text(const SmSet *set, char ret[SM_SET_TEXT])
{
    size_t n = 0;

    for (unsigned left = SM_SET_SIZE / 4; left > 0; left--) {
        unsigned digit = hex_digit_of_sm_set(set, left - 1);

        if (n > 0 || digit > 0)
            ret[n++] = "0123456789abcdef"[digit];
    }
    ret[n] = '\0';
}

/* ---- sets of SMs that belong together ------------------------------------ */

#define N_WORDS (SM_SET_SIZE / 64)

static bool sets_have_common_sm(const SmSet *a, const SmSet *b)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

void sm_groups_add(SmGroups *groups, SmSet together)
{
    size_t n = 0;

    for (size_t i = 0; i < groups->n; i++) {
        SmSet set = groups->sets[i];

        if (!sets_have_common_sm(&set, &together)) {
            groups->sets[n++] = set;
            continue;
        }
        for (size_t w = 0; w < N_WORDS; w++)
            together.words[w] |= set.words[w];
    }
    if (n < MAX_SM_GROUPS)
        groups->sets[n++] = together;
    groups->n = n;
}
