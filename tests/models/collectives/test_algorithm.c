/*
 * Properties that every collective algorithm must have.  The table is walked,
 * so that a new algorithm is covered on the day it is listed.
 */
#include "tests/test.h"

#include <string.h>

#include "models/collectives/algorithm.h"

#define MAX_RANKS 32

typedef void (*Check)(const CollAlgorithm *algorithm, const CollGroup *group);

static CollGroup line(CollKind kind, uint32_t n)
{
    return (
        CollGroup){ .kind = kind, .n_ranks = n, .n_dims = 1, .dims = { n } };
}

static const CollGroup grids[] = {
    { .n_ranks = 4, .n_dims = 2, .dims = { 2, 2 } },
    { .n_ranks = 6, .n_dims = 2, .dims = { 2, 3 } },
    { .n_ranks = 16, .n_dims = 2, .dims = { 8, 2 } },
    { .n_ranks = 24, .n_dims = 3, .dims = { 3, 4, 2 } },
    { .n_ranks = 5, .n_dims = 3, .dims = { 1, 5, 1 } },
    { .n_ranks = 32, .n_dims = 5, .dims = { 2, 2, 2, 2, 2 } },
};

static void for_each_way(const CollAlgorithm *a, CollGroup group, Check check)
{
    for (guint way = 0; way < 2; way++) {
        group.backwards = way == 1;
        if (a->supports(&group))
            check(a, &group);
    }
}

static void for_each_case(Check check)
{
    for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            for (uint32_t n = 2; n <= MAX_RANKS; n = n == 17 ? 32 : n + 1)
                for_each_way(*a, line(kind, n), check);
            for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
                CollGroup grid = grids[i];

                grid.kind = kind;
                for_each_way(*a, grid, check);
            }
        }
}

static void test_each_kind_has_an_algorithm_for_every_size(void **state)
{
    (void)state;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
        for (uint32_t n = 2; n <= MAX_RANKS; n++) {
            CollGroup group = line(kind, n);
            guint n_found = 0;

            for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
                n_found += (*a)->supports(&group) ? 1 : 0;
            assert_true(n_found > 0);
        }
}

static void test_the_names_are_auto_and_those_of_the_table(void **state)
{
    guint i = 0;

    (void)state;
    assert_string_equal(coll_algorithm_names[COLL_AUTO], "auto");
    for (; coll_algorithms[i]; i++)
        assert_string_equal(coll_algorithm_names[i + 1],
                            coll_algorithms[i]->name);
    assert_null(coll_algorithm_names[i + 1]);
}

/* What each summary says, and the names that users write. */
static void test_the_table_supports_what_its_summaries_say(void **state)
{
    static const struct {
        const char *name;
        uint32_t n;
        gboolean supports[COLL_N_KINDS]; /* rs, ag, ar, a2a */
        uint32_t n_steps[COLL_N_KINDS];
    } cases[] = {
        { "ring", 6, { 1, 1, 1, 0 }, { 5, 5, 10, 0 } },
        { "halving-doubling", 16, { 1, 1, 1, 0 }, { 4, 4, 8, 0 } },
        { "halving-doubling", 6, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
        { "direct", 6, { 1, 1, 0, 1 }, { 5, 5, 0, 5 } },
        { "in-switch", 6, { 1, 1, 1, 0 }, { 1, 1, 1, 0 } },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            CollGroup group = line(kind, cases[i].n);
            const CollAlgorithm *const *a = coll_algorithms;

            while (*a && strcmp((*a)->name, cases[i].name) != 0)
                a++;
            assert_non_null(*a);
            assert_int_equal((*a)->supports(&group), cases[i].supports[kind]);
            if (cases[i].supports[kind])
                assert_int_equal((*a)->n_steps(&group), cases[i].n_steps[kind]);
        }
}

/* What r expects from p in a step is what p sends to r in that step. */
static void check_matched(const CollAlgorithm *a, const CollGroup *group)
{
    for (uint32_t s = 0; s < a->n_steps(group); s++)
        for (uint32_t r = 0; r < group->n_ranks; r++) {
            CollStep mine, theirs;

            a->step(group, r, s, &mine);
            assert_true(mine.send_to < group->n_ranks);
            assert_true(mine.recv_from < group->n_ranks);
            assert_true(mine.n_blocks > 0);
            assert_true(mine.send_block + mine.n_blocks <= group->n_ranks);
            assert_true(mine.recv_block + coll_n_received(&mine) <=
                        group->n_ranks);
            a->step(group, mine.recv_from, s, &theirs);
            assert_int_equal(theirs.send_to, r);
            /* over a switch, and else nobody sends to itself */
            assert_int_equal(mine.send_to == r, a->via_switch);
            assert_int_equal(mine.n_recv_blocks > 0, a->via_switch);
            if (a->via_switch)
                continue;
            assert_int_equal(theirs.n_blocks, mine.n_blocks);
            assert_int_equal(theirs.send_block, mine.recv_block);
        }
}

static void test_every_send_has_its_receive(void **state)
{
    (void)state;
    for_each_case(check_matched);
}

/* The coordinates of @to less those of @from, mod the sizes, as one number. */
static uint32_t offset(const CollGroup *group, uint32_t from, uint32_t to)
{
    uint32_t sum = 0, stride = 1;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t n = group->dims[d];
        uint32_t a = from / stride % n, b = to / stride % n;

        sum += coll_behind(b, a, n) * stride;
        stride *= n;
    }
    return sum;
}

static void check_symmetry(const CollAlgorithm *a, const CollGroup *group)
{
    for (uint32_t s = 0; s < a->n_steps(group); s++) {
        CollStep first, step;

        a->step(group, 0, s, &first);
        for (uint32_t r = 1; r < group->n_ranks; r++) {
            a->step(group, r, s, &step);
            assert_int_equal(step.n_blocks, first.n_blocks);
            assert_int_equal(step.reduces, first.reduces);
            if (a->symmetry == COLL_BY_XOR)
                assert_int_equal(step.send_to ^ r, first.send_to);
            else
                assert_int_equal(offset(group, r, step.send_to), first.send_to);
        }
    }
}

static void test_peers_are_named_alike_at_all_ranks(void **state)
{
    (void)state;
    for_each_case(check_symmetry);
}

static void check_single_source(const CollAlgorithm *a, const CollGroup *group)
{
    for (uint32_t r = 0; r < group->n_ranks && a->single_source; r++) {
        CollStep first, step;

        a->step(group, r, 0, &first);
        for (uint32_t s = 1; s < a->n_steps(group); s++) {
            a->step(group, r, s, &step);
            assert_int_equal(step.recv_from, first.recv_from);
        }
    }
}

static void test_a_single_source_is_the_only_one(void **state)
{
    (void)state;
    assert_true(coll_ring.single_source);
    for_each_case(check_single_source);
}

/* [NCCLPERF]: (n-1)/n payloads per rank and half of an all-reduce. */
static void check_blocks_sent(const CollAlgorithm *a, const CollGroup *group)
{
    uint32_t halves = group->kind == COLL_ALL_REDUCE ? 2 : 1;

    if (a->via_switch)
        return; /* see check_switch() */
    for (uint32_t r = 0; r < group->n_ranks; r++) {
        uint32_t n_sent = 0;
        CollStep step;

        for (uint32_t s = 0; s < a->n_steps(group); s++) {
            a->step(group, r, s, &step);
            n_sent += step.n_blocks;
        }
        assert_int_equal(n_sent, halves * (group->n_ranks - 1));
    }
}

static void test_no_more_is_sent_than_has_to_be(void **state)
{
    (void)state;
    for_each_case(check_blocks_sent);
}

/* All of a payload once at most, each way; nothing is added at a rank. */
static void check_switch(const CollAlgorithm *a, const CollGroup *group)
{
    uint32_t n = group->n_ranks;

    for (uint32_t r = 0; r < n && a->via_switch; r++) {
        CollStep step;

        assert_int_equal(a->n_steps(group), 1);
        a->step(group, r, 0, &step);
        assert_false(step.reduces);
        assert_int_equal(step.n_blocks, group->kind == COLL_ALL_GATHER ? 1 : n);
        assert_int_equal(coll_n_received(&step),
                         group->kind == COLL_REDUCE_SCATTER ? 1 : n);
    }
}

static void test_a_switch_is_sent_a_payload_once(void **state)
{
    (void)state;
    assert_true(coll_in_switch.via_switch);
    for_each_case(check_switch);
}

/*
 * Replays the steps on sets of contributors: bit p of have[r][b] says that
 * rank r's copy of block b holds rank p's data.  What is sent is what was
 * there before the step; where no step waits for another, before the first.
 */
typedef uint64_t Sets[MAX_RANKS][MAX_RANKS];

static void receive(const CollStep *step, const uint64_t *theirs,
                    uint64_t *mine, uint64_t all)
{
    for (uint32_t i = 0; i < step->n_blocks; i++) {
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
        cmocka_unit_test(test_each_kind_has_an_algorithm_for_every_size),
        cmocka_unit_test(test_the_names_are_auto_and_those_of_the_table),
        cmocka_unit_test(test_the_table_supports_what_its_summaries_say),
        cmocka_unit_test(test_every_send_has_its_receive),
        cmocka_unit_test(test_peers_are_named_alike_at_all_ranks),
        cmocka_unit_test(test_a_single_source_is_the_only_one),
        cmocka_unit_test(test_no_more_is_sent_than_has_to_be),
        cmocka_unit_test(test_a_switch_is_sent_a_payload_once),
        cmocka_unit_test(test_replay_gives_every_rank_what_is_promised),
        cmocka_unit_test(test_a_ring_backwards_sends_to_where_it_received_from),
        cmocka_unit_test(test_all_to_all_takes_block_b_of_each_rank_to_rank_b),
        cmocka_unit_test(test_sums_of_ranks_wrap_without_overflow),
    };

    return cmocka_run_group_tests_name("algorithm", tests, NULL, NULL);
}
