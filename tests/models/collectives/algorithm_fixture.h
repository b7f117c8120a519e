/* algorithm_fixture.h - cases and checks for the tests of collective
 * algorithms */
#ifndef TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H
#define TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "models/collectives/algorithm.h"

#define MAX_RANKS 64

static inline CollGroup group_on_a_line(CollKind kind, uint32_t n)
{
    return (
        CollGroup){ .kind = kind, .n_ranks = n, .n_dims = 1, .dims = { n } };
}

/* Returns a set with one bit for each of @n ranks. */
static inline uint64_t mask_of_all_ranks(uint32_t n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static const CollGroup grids[] = {
    { .n_ranks = 4, .n_dims = 2, .dims = { 2, 2 } },
    { .n_ranks = 6, .n_dims = 2, .dims = { 2, 3 } },
    { .n_ranks = 16, .n_dims = 2, .dims = { 8, 2 } },
    { .n_ranks = 24, .n_dims = 3, .dims = { 3, 4, 2 } },
    { .n_ranks = 5, .n_dims = 3, .dims = { 1, 5, 1 } },
    { .n_ranks = 32, .n_dims = 5, .dims = { 2, 2, 2, 2, 2 } },
};

typedef void (*Check)(const CollAlgorithm *algorithm, const CollGroup *group);

/* Calls @check for both directions, and for all roots of a rooted collective.
 * If there are many ranks, only some of them are roots. */
static inline void for_each_direction_and_root(const CollAlgorithm *a,
                                               CollGroup group, Check check)
{
    uint32_t root_stride = group.n_ranks > 17 ? group.n_ranks / 3 : 1;

    for (guint direction = 0; direction < 2; direction++) {
        group.backwards = direction == 1;
        if (a->supports(&group))
            check(a, &group);
    }
    group.backwards = FALSE;
    for (uint32_t root = 1; root < group.n_ranks; root += root_stride) {
        group.from = group.to = root;
        if (coll_contract(group.kind)->collective_has_root &&
            a->supports(&group))
            check(a, &group);
    }
}

/* Returns whether algorithms implement @kind itself. Other kinds are carried
 * out as another kind. */
static inline gboolean kind_has_algorithms(CollKind kind)
{
    return coll_contract(kind)->done_as == kind;
}

static inline void for_each_algorithm_case(Check check)
{
    for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            for (uint32_t n = 2; n <= MAX_RANKS; n = n == 33 ? 64 : n + 1)
                for_each_direction_and_root(*a, group_on_a_line(kind, n),
                                            check);
            for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
                CollGroup grid = grids[i];

                grid.kind = kind;
                for_each_direction_and_root(*a, grid, check);
            }
        }
}

static inline void check_peers_match(const CollAlgorithm *a, uint32_t rank,
                                     const CollStep *mine,
                                     const CollStep *theirs)
{
    /* A rank sends to itself only to address a switch. */
    if (mine->n_blocks > 0)
        assert_int_equal(mine->send_to == rank, a->via_switch);
    if (mine->recv_none)
        return;
    assert_int_equal(theirs->send_to, rank);
    if (!a->partial)
        assert_int_equal(mine->n_recv_blocks > 0, a->via_switch);
    if (a->via_switch)
        return;
    assert_int_equal(theirs->n_blocks, coll_step_n_received_blocks(mine));
    assert_int_equal(theirs->send_block, mine->recv_block);
    assert_int_equal(theirs->n_row, mine->n_row);
    assert_int_equal(theirs->stride, mine->stride);
}

/* Checks that the message that r expects from p in a step is the message that p
 * sends to r in that step. Equally many ranks send and receive. */
static inline void check_sends_match_receives(const CollAlgorithm *a,
                                              const CollGroup *group)
{
    for (uint32_t s = 0; s < a->n_steps(group); s++) {
        uint32_t n_senders = 0, n_receivers = 0;

        for (uint32_t r = 0; r < group->n_ranks; r++) {
            CollStep mine, theirs;

            a->step(group, r, s, &mine);
            assert_true(mine.send_to < group->n_ranks);
            assert_true(mine.recv_from < group->n_ranks);
            assert_true(a->partial || (mine.n_blocks > 0 && !mine.recv_none));
            assert_true(mine.send_block < coll_n_blocks(a, group));
            assert_true(mine.recv_block < coll_n_blocks(a, group));
            assert_true(mine.n_blocks <= coll_n_blocks(a, group));
            assert_true(coll_step_n_received_blocks(&mine) <=
                        coll_n_blocks(a, group));
            a->step(group, mine.recv_from, s, &theirs);
            check_peers_match(a, r, &mine, &theirs);
            n_senders += mine.n_blocks > 0;
            n_receivers += !mine.recv_none;
        }
        assert_int_equal(n_senders, n_receivers);
    }
}

/*
 * The contributors of each block: bit p of have[r][b] says that rank r's copy
 * of block b contains rank p's data. A step sends the contents from before the
 * step. If steps are independent, all steps send the contents from before the
 * first
 * step. */
typedef uint64_t ContributorSets[MAX_RANKS][MAX_RANKS];

#endif
