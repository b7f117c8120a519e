/* algorithm_fixture.h - a collective replayed, rank by rank */
#ifndef TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H
#define TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "models/collectives/algorithm.h"

#define MAX_RANKS 64

static inline CollGroup line(CollKind kind, uint32_t n)
{
    return (
        CollGroup){ .kind = kind, .n_ranks = n, .n_dims = 1, .dims = { n } };
}

/* Bit p of each of @n ranks. */
static inline uint64_t all_of(uint32_t n)
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

/* Forth and back, or from all roots: of many ranks, some. */
static inline void for_each_way(const CollAlgorithm *a, CollGroup group,
                                Check check)
{
    uint32_t on = group.n_ranks > 17 ? group.n_ranks / 3 : 1;

    for (guint way = 0; way < 2; way++) {
        group.backwards = way == 1;
        if (a->supports(&group))
            check(a, &group);
    }
    group.backwards = FALSE;
    for (uint32_t root = 1; root < group.n_ranks; root += on) {
        group.from = group.to = root;
        if (coll_promise(group.kind)->has_root && a->supports(&group))
            check(a, &group);
    }
}

/* Kinds that algorithms know: not those that are done as another. */
static inline gboolean is_done(CollKind kind)
{
    return coll_promise(kind)->done_as == kind;
}

static inline void for_each_case(Check check)
{
    for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            for (uint32_t n = 2; n <= MAX_RANKS; n = n == 33 ? 64 : n + 1)
                for_each_way(*a, line(kind, n), check);
            for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
                CollGroup grid = grids[i];

                grid.kind = kind;
                for_each_way(*a, grid, check);
            }
        }
}

static inline void check_peers(const CollAlgorithm *a, uint32_t rank,
                               const CollStep *mine, const CollStep *theirs)
{
    /* over a switch, and else nobody sends to itself */
    if (mine->n_blocks > 0)
        assert_int_equal(mine->send_to == rank, a->via_switch);
    if (mine->recv_none)
        return;
    assert_int_equal(theirs->send_to, rank);
    if (!a->partial)
        assert_int_equal(mine->n_recv_blocks > 0, a->via_switch);
    if (a->via_switch)
        return;
    assert_int_equal(theirs->n_blocks, coll_n_received(mine));
    assert_int_equal(theirs->send_block, mine->recv_block);
    assert_int_equal(theirs->n_row, mine->n_row);
    assert_int_equal(theirs->stride, mine->stride);
}

/* What r expects from p in a step is what p sends to r in that step, and as
 * many receive as send. */
static inline void check_matched(const CollAlgorithm *a, const CollGroup *group)
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
            assert_true(coll_n_received(&mine) <= coll_n_blocks(a, group));
            a->step(group, mine.recv_from, s, &theirs);
            check_peers(a, r, &mine, &theirs);
            n_senders += mine.n_blocks > 0;
            n_receivers += !mine.recv_none;
        }
        assert_int_equal(n_senders, n_receivers);
    }
}

/*
 * Replays the steps on sets of contributors: bit p of have[r][b] says that
 * rank r's copy of block b holds rank p's data.  What is sent is what was
 * there before the step; where no step waits for another, before the first.
 */
typedef uint64_t Sets[MAX_RANKS][MAX_RANKS];

#endif
