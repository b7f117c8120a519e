/* algorithm_fixture.h - a collective replayed, rank by rank */
#ifndef TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H
#define TESTS_MODELS_COLLECTIVES_ALGORITHM_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "models/collectives/algorithm.h"

#define MAX_RANKS 32

static inline CollGroup line(CollKind kind, uint32_t n)
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

typedef void (*Check)(const CollAlgorithm *algorithm, const CollGroup *group);

static inline void for_each_way(const CollAlgorithm *a, CollGroup group,
                                Check check)
{
    for (guint way = 0; way < 2; way++) {
        group.backwards = way == 1;
        if (a->supports(&group))
            check(a, &group);
    }
}

static inline void for_each_case(Check check)
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

/*
 * Replays the steps on sets of contributors: bit p of have[r][b] says that
 * rank r's copy of block b holds rank p's data.  What is sent is what was
 * there before the step; where no step waits for another, before the first.
 */
typedef uint64_t Sets[MAX_RANKS][MAX_RANKS];

#endif
