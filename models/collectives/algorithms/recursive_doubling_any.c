/*
 * recursive_doubling_any.c - recursive doubling for any number of ranks
 *
 * Let p be the largest power of two in n.  The first 2 (n - p) ranks form
 * pairs.  The even rank of a pair sends its payload to the odd one first, and
 * gets the sum from it at the end.  In between, the p other ranks do recursive
 * doubling.
 *
 * Cost     log2 p steps of a payload each, and 2 more if n is not p
 * Sources  [THAKUR]
 */
#include "models/collectives/algorithm.h"

static gboolean recursive_doubling_any_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE && group->n_ranks >= 2;
}

static uint32_t floor_log2(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

/* Returns the number of ranks that do not take part in the doubling. */
static uint32_t count_ranks_outside_doubling(uint32_t n)
{
    return n - (1U << floor_log2(n));
}

static uint32_t recursive_doubling_any_n_steps(const CollGroup *group)
{
    return floor_log2(group->n_ranks) +
           (count_ranks_outside_doubling(group->n_ranks) > 0 ? 2 : 0);
}

static uint32_t recursive_doubling_any_n_blocks(const CollGroup *group)
{
    (void)group;
    return 1;
}

/* Sets *@ret to the step within pairs of ranks: to the odd rank before the
 * doubling, to the even rank after it. */
static void set_step_within_rank_pair(uint32_t n, uint32_t rank,
                                      gboolean is_before, CollStep *ret)
{
    gboolean is_pair = rank < 2 * count_ranks_outside_doubling(n);
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

static void recursive_doubling_any_step(const CollGroup *group, uint32_t rank,
                                        uint32_t step, CollStep *ret)
{
    uint32_t n = group->n_ranks, n_outside = count_ranks_outside_doubling(n),
             partner;
    gboolean idle = rank < 2 * n_outside && rank % 2 == 0;

    if (n_outside > 0 && (step == 0 || step == floor_log2(n) + 1)) {
        set_step_within_rank_pair(n, rank, step == 0, ret);
        return;
    }
    step -= n_outside > 0 ? 1 : 0;
    partner = rank < 2 * n_outside ? rank / 2 : rank - n_outside;
    partner ^= 1U << step;
    partner = partner < n_outside ? 2 * partner + 1 : partner + n_outside;
    *ret = (CollStep){
        .send_to = idle ? rank : partner,
        .recv_from = idle ? rank : partner,
        .n_blocks = idle ? 0 : 1,
        .n_recv_blocks = idle ? 0 : 1,
        .recv_none = idle,
        .reduces = TRUE,
    };
}

/* A rank outside the doubling has only the first and the last step.  The ranks
 * without a pair have neither of these. */
static uint32_t recursive_doubling_any_next_active_step(const CollGroup *group,
                                                        uint32_t rank,
                                                        uint32_t first_step)
{
    uint32_t n = group->n_ranks, n_outside = count_ranks_outside_doubling(n);
    uint32_t n_steps = recursive_doubling_any_n_steps(group),
             last = n_steps - 1;

    if (n_outside == 0 || first_step >= n_steps)
        return MIN(first_step, n_steps);
    if (rank >= 2 * n_outside)
        return first_step < last ? MAX(first_step, 1) : n_steps;
    return rank % 2 == 0 && first_step > 0 ? last : first_step;
}

const CollAlgorithm coll_recursive_doubling_any = {
    .name = "recursive-doubling-any",
    .summary = "log2 n steps of a payload each, and 2 more where n is no power "
               "of two",
    .symmetry = COLL_BY_ROTATION,
    .partial = TRUE,
    .supports = recursive_doubling_any_supports,
    .n_steps = recursive_doubling_any_n_steps,
    .n_blocks = recursive_doubling_any_n_blocks,
    .step = recursive_doubling_any_step,
    .next_active_step = recursive_doubling_any_next_active_step,
};
