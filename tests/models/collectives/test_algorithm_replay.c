/* test_algorithm_replay.c - Replays algorithms and checks that every rank ends
 * with the data that its collective promises. */
#include "tests/models/collectives/algorithm_fixture.h"

typedef struct {
    const CollAlgorithm *algorithm;
    const CollGroup *group;
    uint32_t n_blocks;
    uint64_t all;
} Replay;

/* Returns whether each rank ends with data of other ranks and none of its own,
 * so that data is named by the rank where it begins. */
static gboolean collective_exchanges_data(CollKind kind)
{
    return coll_is_any_all_to_all(kind) || kind == COLL_SHIFT;
}

static void apply_received_blocks(const Replay *replay, const CollStep *step,
                                  const uint64_t *theirs, uint64_t *mine)
{
    for (uint32_t i = 0; i < coll_step_n_received_blocks(step); i++) {
        uint32_t b =
            coll_nth_block_of_step(step, step->recv_block, i, replay->n_blocks);

        if (step->reduces)
            assert_true((mine[b] & theirs[b]) ==
                        0); /* No contribution may be added twice. */
        else if (!collective_exchanges_data(replay->group->kind))
            assert_true(
                theirs[b] ==
                replay->all); /* A rank passes on only complete blocks. */
        mine[b] = theirs[b] | (step->reduces ? mine[b] : 0);
    }
}

/* Computes the sum of all ranks' messages of step @s, block by block. */
static void apply_messages_of_step(const Replay *replay, uint32_t s,
                                   const ContributorSets before, uint64_t *sums)
{
    for (uint32_t rank = 0; rank < replay->group->n_ranks; rank++) {
        CollStep step;

        replay->algorithm->step(replay->group, rank, s, &step);
        for (uint32_t i = 0; i < step.n_blocks; i++) {
            uint32_t b = coll_nth_block_of_step(&step, step.send_block, i,
                                                replay->n_blocks);

            assert_true((sums[b] & before[rank][b]) == 0);
            sums[b] |= before[rank][b];
        }
    }
}

static void replay_step_on_switch(const Replay *replay, uint32_t s,
                                  ContributorSets have)
{
    uint64_t sums[MAX_RANKS] = { 0 };

    apply_messages_of_step(replay, s, have, sums);
    for (uint32_t rank = 0; rank < replay->group->n_ranks; rank++) {
        CollStep step;

        replay->algorithm->step(replay->group, rank, s, &step);
        for (uint32_t i = 0; i < coll_step_n_received_blocks(&step); i++) {
            uint32_t b = coll_nth_block_of_step(&step, step.recv_block, i,
                                                replay->n_blocks);

            assert_true(sums[b] == replay->all);
            have[rank][b] = sums[b];
        }
    }
}

static void replay_algorithm_steps(const Replay *replay, ContributorSets have)
{
    const CollAlgorithm *a = replay->algorithm;
    static ContributorSets before;

    memcpy(before, have, sizeof before);
    for (uint32_t s = 0; s < a->n_steps(replay->group); s++) {
        if (!a->independent)
            memcpy(before, have, sizeof before);
        if (a->via_switch)
            replay_step_on_switch(replay, s, have);
        for (uint32_t rank = 0; rank < replay->group->n_ranks && !a->via_switch;
             rank++) {
            CollStep step;

            a->step(replay->group, rank, s, &step);
            if (!step.recv_none)
                apply_received_blocks(replay, &step, before[step.recv_from],
                                      have[rank]);
        }
    }
}

/* ---- initial and final data of a collective ------------------------------ */

/* Returns the initial contributors of block @b at @rank: its own part of a sum,
 * all contributors, or none if the block is still undefined. */
static uint64_t initial_contributors_of_block(const Replay *replay,
                                              uint32_t rank, uint32_t b)
{
    const CollContract *contract = coll_contract(replay->group->kind);
    CollShare share = coll_weight_share_before_rank(replay->group, rank);
    uint32_t n_own = replay->n_blocks / replay->group->n_ranks;

    if (contract->adds)
        return UINT64_C(1) << rank;
    /* The value encodes the source rank and the place of the block. */
    if (collective_exchanges_data(replay->group->kind))
        return 1 + rank * replay->n_blocks + b;
    return share == COLL_PAYLOAD || (share == COLL_BLOCK && b / n_own == rank)
               ? replay->all
               : 0;
}

/* A reduce-scatter leaves one complete block at each rank, a different one at
 * each. */
static void assert_one_complete_block_per_rank(const Replay *replay,
                                               const ContributorSets have)
{
    uint64_t owned = 0;

    for (uint32_t rank = 0; rank < replay->group->n_ranks; rank++) {
        uint32_t n_complete = 0;

        for (uint32_t b = 0; b < replay->n_blocks; b++)
            if (have[rank][b] == replay->all) {
                owned |= UINT64_C(1) << b;
                n_complete++;
            }
        assert_int_equal(n_complete, 1);
    }
    assert_true(owned == replay->all);
}

static gboolean rank_receives_data(const CollGroup *group, uint32_t rank)
{
    return !group->weights || coll_has_weight(group->weights, rank);
}

/* Place o of a rank comes from place o of the rank that is o before it. A rank
 * to which nothing is sent keeps its own data. */
static void assert_blocks_exchanged(const Replay *replay,
                                    const ContributorSets have)
{
    for (uint32_t rank = 0; rank < replay->group->n_ranks; rank++)
        for (uint32_t o = 1; o < replay->n_blocks; o++)
            assert_int_equal(
                have[rank][o],
                initial_contributors_of_block(
                    replay,
                    rank_receives_data(replay->group, rank)
                        ? translate_rank_on_grid(replay->group, rank, o, TRUE)
                        : rank,
                    o));
}

static void assert_payloads_shifted(const Replay *replay,
                                    const ContributorSets have)
{
    uint32_t n = replay->group->n_ranks;

    for (uint32_t rank = 0; rank < n; rank++)
        for (uint32_t b = 0; b < replay->n_blocks; b++)
            assert_int_equal(have[rank][b], initial_contributors_of_block(
                                                replay, (rank + n - 1) % n, b));
}

static void assert_promised_result(const Replay *replay,
                                   const ContributorSets have)
{
    uint32_t n_own = MAX(1, replay->n_blocks / replay->group->n_ranks);

    for (uint32_t rank = 0; rank < replay->group->n_ranks; rank++) {
        CollShare share = coll_weight_share_through_rank(replay->group, rank);

        for (uint32_t b = 0; b < replay->n_blocks; b++)
            if (share == COLL_PAYLOAD ||
                (share == COLL_BLOCK && b / n_own == rank))
                assert_true(have[rank][b] == replay->all);
    }
}

static void check_algorithm_replay(const CollAlgorithm *a,
                                   const CollGroup *group)
{
    const Replay r = { a, group, coll_n_blocks(a, group),
                       mask_of_all_ranks(group->n_ranks) };
    static ContributorSets have;

    assert_true(r.n_blocks <= MAX_RANKS);
    for (uint32_t rank = 0; rank < group->n_ranks; rank++)
        for (uint32_t b = 0; b < r.n_blocks; b++)
            have[rank][b] = initial_contributors_of_block(&r, rank, b);
    replay_algorithm_steps(&r, have);
    if (group->kind == COLL_REDUCE_SCATTER)
        assert_one_complete_block_per_rank(&r, have);
    else if (coll_is_any_all_to_all(group->kind))
        assert_blocks_exchanged(&r, have);
    else if (group->kind == COLL_SHIFT)
        assert_payloads_shifted(&r, have);
    else
        assert_promised_result(&r, have);
}

static void test_every_rank_ends_with_the_promised_data(void **state)
{
    (void)state;
    for_each_algorithm_case(check_algorithm_replay);
}

/* Returns weights 0, 1, 2, 0, 1, 2, ..., starting with @first mod 3. */
static CollWeights *uneven_weights_new(uint32_t n, uint32_t first)
{
    CollWeights *weights =
        g_malloc0(sizeof *weights + (n + 1) * sizeof weights->sums[0]);

    weights->n = n;
    for (uint32_t r = 0; r < n; r++)
        weights->sums[r + 1] = weights->sums[r] + (first + r) % 3;
    return weights;
}

static void replay_uneven_all_to_all(CollGroup group)
{
    for (uint32_t first = 0; first < 3; first++) {
        g_autofree CollWeights *weights =
            uneven_weights_new(group.n_ranks, first);

        group.weights = weights;
        assert_true(coll_direct_uneven.supports(&group));
        assert_false(coll_direct.supports(&group));
        assert_false(coll_bruck.supports(&group));
        check_sends_match_receives(&coll_direct_uneven, &group);
        check_algorithm_replay(&coll_direct_uneven, &group);
    }
}

static void test_uneven_blocks_reach_their_destinations(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 17; n++)
        replay_uneven_all_to_all(group_on_a_line(COLL_ALL_TO_ALLV, n));
    for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
        CollGroup grid = grids[i];

        grid.kind = COLL_ALL_TO_ALLV;
        replay_uneven_all_to_all(grid);
    }
}

/* A grid chain is a chain on several dimensions. All roots are tested. */
static void test_grid_chains_reach_all_ranks(void **state)
{
    static const CollKind kinds[] = { COLL_BROADCAST, COLL_REDUCE,
                                      COLL_ALL_REDUCE };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(grids); i++)
        for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
            CollGroup grid = grids[i];

            grid.kind = kinds[k];
            for (grid.from = 0; grid.from < grid.n_ranks; grid.from++) {
                grid.to = grid.from;
                assert_true(coll_grid_chain.supports(&grid));
                check_sends_match_receives(&coll_grid_chain, &grid);
                check_algorithm_replay(&coll_grid_chain, &grid);
            }
        }
}

/* In each step of this chain, one rank sends and another receives. Sums move up
 * to the last rank, and complete blocks move down again. */
static gboolean sequential_chain_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE;
}

static uint32_t sequential_chain_n_steps(const CollGroup *group)
{
    return 2 * (group->n_ranks - 1);
}

static void sequential_chain_step(const CollGroup *group, uint32_t rank,
                                  uint32_t step, CollStep *ret)
{
    uint32_t n = group->n_ranks;
    gboolean down = step >= n - 1;
    uint32_t from = down ? 2 * (n - 1) - step : step;
    uint32_t to = down ? from - 1 : from + 1;

    *ret = (CollStep){ .send_to = rank == from ? to : rank,
                       .recv_from = rank == to ? from : rank,
                       .n_blocks = rank == from ? n : 0,
                       .n_recv_blocks = rank == to ? n : 0,
                       .recv_none = rank != to,
                       .reduces = !down };
}

static void test_ranks_may_be_idle_in_some_steps(void **state)
{
    const CollAlgorithm chain = { .name = "chain",
                                  .partial = TRUE,
                                  .supports = sequential_chain_supports,
                                  .n_steps = sequential_chain_n_steps,
                                  .step = sequential_chain_step };

    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        CollGroup group = group_on_a_line(COLL_ALL_REDUCE, n);

        check_sends_match_receives(&chain, &group);
        check_algorithm_replay(&chain, &group);
    }
}

static void test_a_reversed_ring_swaps_its_peers(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 17; n++)
        for (uint32_t s = 0; s < 2 * (n - 1); s++) {
            CollGroup group = group_on_a_line(COLL_ALL_REDUCE, n);
            CollGroup mirrored = group;
            CollStep there, back;

            mirrored.backwards = TRUE;
            coll_ring.step(&group, 1, s, &there);
            coll_ring.step(&mirrored, 1, s, &back);
            assert_int_equal(there.send_to, back.recv_from);
            assert_int_equal(there.recv_from, back.send_to);
            assert_int_equal(there.send_to, 2 % n);
            assert_int_equal(there.reduces, s < n - 1);
        }
}

static void test_large_block_sums_wrap_without_overflow(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 9; n++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                assert_int_equal(add_modulo_n(a, b, n), (a + b) % n);
                assert_int_equal(subtract_modulo_n(a, b, n), (a + n - b) % n);
            }
    assert_int_equal(add_modulo_n(UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX),
                     UINT32_MAX - 2);
    assert_int_equal(subtract_modulo_n(0, UINT32_MAX - 1, UINT32_MAX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_rank_ends_with_the_promised_data),
        cmocka_unit_test(test_grid_chains_reach_all_ranks),
        cmocka_unit_test(test_uneven_blocks_reach_their_destinations),
        cmocka_unit_test(test_ranks_may_be_idle_in_some_steps),
        cmocka_unit_test(test_a_reversed_ring_swaps_its_peers),
        cmocka_unit_test(test_large_block_sums_wrap_without_overflow),
    };

    return cmocka_run_group_tests_name("algorithm", tests, NULL, NULL);
}
