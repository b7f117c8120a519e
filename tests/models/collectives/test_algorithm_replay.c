/* test_algorithm_replay.c - every rank has in the end what was promised */
#include "tests/models/collectives/algorithm_fixture.h"

static void receive(const CollStep *step, const uint64_t *theirs,
                    uint64_t *mine, uint64_t all)
{
    for (uint32_t i = 0; i < coll_n_received(step); i++) {
        uint64_t got = theirs[step->recv_block + i];
        uint64_t *to = &mine[step->recv_block + i];

        if (step->reduces)
            assert_true((*to & got) == 0); /* nothing is added twice */
        else
            assert_true(got == all); /* only what is whole is handed on */
        *to = step->reduces ? *to | got : got;
    }
}

/* What all ranks' messages of a step make together, block by block. */
static void meet(const CollAlgorithm *a, const CollGroup *group, uint32_t s,
                 const Sets before, uint64_t *sums)
{
    for (uint32_t r = 0; r < group->n_ranks; r++) {
        CollStep step;

        a->step(group, r, s, &step);
        for (uint32_t i = 0; i < step.n_blocks; i++) {
            uint32_t block = step.send_block + i;

            assert_true((sums[block] & before[r][block]) == 0);
            sums[block] |= before[r][block];
        }
    }
}

static void replay_switch(const CollAlgorithm *a, const CollGroup *group,
                          uint32_t s, Sets have)
{
    uint64_t all = (UINT64_C(1) << group->n_ranks) - 1;
    uint64_t sums[MAX_RANKS] = { 0 };

    meet(a, group, s, have, sums);
    for (uint32_t r = 0; r < group->n_ranks; r++) {
        CollStep step;

        a->step(group, r, s, &step);
        for (uint32_t i = 0; i < coll_n_received(&step); i++) {
            assert_true(sums[step.recv_block + i] == all);
            have[r][step.recv_block + i] = sums[step.recv_block + i];
        }
    }
}

static void replay(const CollAlgorithm *a, const CollGroup *group, Sets have)
{
    uint64_t all = (UINT64_C(1) << group->n_ranks) - 1;
    Sets before;

    memcpy(before, have, sizeof before);
    for (uint32_t s = 0; s < a->n_steps(group); s++) {
        if (!a->independent)
            memcpy(before, have, sizeof before);
        if (a->via_switch)
            replay_switch(a, group, s, have);
        for (uint32_t r = 0; r < group->n_ranks && !a->via_switch; r++) {
            CollStep step;

            a->step(group, r, s, &step);
            if (!step.recv_none)
                receive(&step, before[step.recv_from], have[r], all);
        }
    }
}

/* A reduce-scatter leaves one whole block at each rank, another at each. */
static void assert_one_whole_each(const Sets have, uint32_t n)
{
    uint64_t all = (UINT64_C(1) << n) - 1, owned = 0;

    for (uint32_t r = 0; r < n; r++) {
        uint32_t n_whole = 0;

        for (uint32_t b = 0; b < n; b++)
            if (have[r][b] == all) {
                owned |= UINT64_C(1) << b;
                n_whole++;
            }
        assert_int_equal(n_whole, 1);
    }
    assert_true(owned == all);
}

static void check_replay(const CollAlgorithm *a, const CollGroup *group)
{
    uint32_t n = group->n_ranks;
    uint64_t all = (UINT64_C(1) << n) - 1;
    Sets have;

    if (group->kind == COLL_ALL_TO_ALL)
        return;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t b = 0; b < n; b++)
            if (group->kind == COLL_ALL_GATHER)
                have[r][b] = b == r ? all : 0; /* block r is what r has */
            else
                have[r][b] = UINT64_C(1) << r;
    replay(a, group, have);
    if (group->kind == COLL_REDUCE_SCATTER)
        assert_one_whole_each(have, n);
    for (uint32_t r = 0; r < n && group->kind != COLL_REDUCE_SCATTER; r++)
        for (uint32_t b = 0; b < n; b++)
            assert_true(have[r][b] == all);
}

static void test_replay_gives_every_rank_what_is_promised(void **state)
{
    (void)state;
    for_each_case(check_replay);
}

/* A chain, of which in each step one rank sends and another receives: sums go
 * up to the last rank, and what is whole comes down again. */
static gboolean chain_supports(const CollGroup *group)
{
    return group->kind == COLL_ALL_REDUCE;
}

static uint32_t chain_n_steps(const CollGroup *group)
{
    return 2 * (group->n_ranks - 1);
}

static void chain_step(const CollGroup *group, uint32_t rank, uint32_t step,
                       CollStep *ret)
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
                                  .supports = chain_supports,
                                  .n_steps = chain_n_steps,
                                  .step = chain_step };

    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        CollGroup group = line(COLL_ALL_REDUCE, n);

        check_matched(&chain, &group);
        check_replay(&chain, &group);
    }
}

static void test_a_ring_backwards_sends_to_where_it_received_from(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 17; n++)
        for (uint32_t s = 0; s < 2 * (n - 1); s++) {
            CollGroup group = line(COLL_ALL_REDUCE, n);
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

/* Every rank sends block b, and nothing else, to rank b, once. */
static void check_exchange(const CollAlgorithm *a, const CollGroup *group)
{
    uint32_t n = group->n_ranks;

    if (group->kind != COLL_ALL_TO_ALL)
        return;
    assert_true(a->independent); /* else blocks may go over third ranks */
    for (uint32_t r = 0; r < n; r++) {
        uint64_t receivers = UINT64_C(1) << r, senders = UINT64_C(1) << r;

        for (uint32_t s = 0; s < a->n_steps(group); s++) {
            CollStep step;

            a->step(group, r, s, &step);
            assert_false(step.reduces);
            assert_int_equal(step.n_blocks, 1);
            assert_int_equal(step.send_block, step.send_to);
            assert_int_equal(step.recv_block, r);
            receivers |= UINT64_C(1) << step.send_to;
            senders |= UINT64_C(1) << step.recv_from;
        }
        assert_true(receivers == (UINT64_C(1) << n) - 1);
        assert_true(senders == (UINT64_C(1) << n) - 1);
    }
}

static void test_all_to_all_takes_block_b_of_each_rank_to_rank_b(void **state)
{
    (void)state;
    for_each_case(check_exchange);
}

static void test_sums_of_ranks_wrap_without_overflow(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 9; n++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++) {
                assert_int_equal(coll_ahead(a, b, n), (a + b) % n);
                assert_int_equal(coll_behind(a, b, n), (a + n - b) % n);
            }
    assert_int_equal(coll_ahead(UINT32_MAX - 1, UINT32_MAX - 1, UINT32_MAX),
                     UINT32_MAX - 2);
    assert_int_equal(coll_behind(0, UINT32_MAX - 1, UINT32_MAX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_gives_every_rank_what_is_promised),
        cmocka_unit_test(test_ranks_may_be_idle_in_some_steps),
        cmocka_unit_test(test_a_ring_backwards_sends_to_where_it_received_from),
        cmocka_unit_test(test_all_to_all_takes_block_b_of_each_rank_to_rank_b),
        cmocka_unit_test(test_sums_of_ranks_wrap_without_overflow),
    };

    return cmocka_run_group_tests_name("algorithm", tests, NULL, NULL);
}
