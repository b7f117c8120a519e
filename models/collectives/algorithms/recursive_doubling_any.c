/*
 * recursive_doubling_any.c - recursive doubling, of any number of ranks
 *
 * Of n ranks p take part, the largest power of two.  The first 2 (n - p) ranks
 * are pairs, of which the even one hands its payload to the odd one before, and
 * gets the sum from it afterwards; in between those that are left double.
 *
 * Cost     log2 p steps of a payload each, and 2 more where n is not p
 * Sources  [THAKUR]
 */
#include "models/collectives/algorithm.h"

static gboolean any_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE && group->n_ranks >= 2;
}

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

/* Those that stand aside. */
static uint32_t n_aside(uint32_t n)
{
    return n - (1U << log2_of(n));
}

static uint32_t any_n_steps(const CollGroup *group)
{
    return log2_of(group->n_ranks) + (n_aside(group->n_ranks) > 0 ? 2 : 0);
}

static uint32_t any_n_blocks(const CollGroup *group)
{
    (void)group;
    return 1;
}

/* Between the ranks of a pair: one way before, the other afterwards. */
static void step_of_pair(uint32_t n, uint32_t rank, gboolean is_before,
                         CollStep *ret)
{
    gboolean is_pair = rank < 2 * n_aside(n);
    gboolean sends = is_pair && rank % 2 == (is_before ? 0 : 1);
    gboolean gets = is_pair && !sends;

    *ret = (CollStep){
        .send_to = sends ? rank ^ 1 : rank,
        .recv_from = gets ? rank ^ 1 : rank,
        .n_blocks = sends ? 1 : 0,
        .n_recv_blocks = gets ? 1 : 0,
        .recv_none = !gets,
        .reduces = is_before,
    };
}

static void any_step(const CollGroup *group, uint32_t rank, uint32_t step,
                     CollStep *ret)
{
    uint32_t n = group->n_ranks, aside = n_aside(n), partner;
    gboolean idle = rank < 2 * aside && rank % 2 == 0;

    if (aside > 0 && (step == 0 || step == log2_of(n) + 1)) {
        step_of_pair(n, rank, step == 0, ret);
        return;
    }
    step -= aside > 0 ? 1 : 0;
    partner = rank < 2 * aside ? rank / 2 : rank - aside;
    partner ^= 1U << step;
    partner = partner < aside ? 2 * partner + 1 : partner + aside;
    *ret = (CollStep){
        .send_to = idle ? rank : partner,
        .recv_from = idle ? rank : partner,
        .n_blocks = idle ? 0 : 1,
        .n_recv_blocks = idle ? 0 : 1,
        .recv_none = idle,
        .reduces = TRUE,
    };
}

/* Who stands aside has the first and the last step, who has nobody aside has
 * neither. */
static uint32_t any_next(const CollGroup *group, uint32_t rank, uint32_t from)
{
    uint32_t n = group->n_ranks, aside = n_aside(n);
    uint32_t n_steps = any_n_steps(group), last = n_steps - 1;

    if (aside == 0 || from >= n_steps)
        return MIN(from, n_steps);
    if (rank >= 2 * aside)
        return from < last ? MAX(from, 1) : n_steps;
    return rank % 2 == 0 && from > 0 ? last : from;
}

const CollAlgorithm coll_recursive_doubling_any = {
    .name = "recursive-doubling-any",
    .summary = "log2 n steps of a payload each, and 2 more where n is no power "
               "of two",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = any_supports,
    .n_steps = any_n_steps,
    .n_blocks = any_n_blocks,
    .step = any_step,
    .next = any_next,
};
