/*
 * test_algorithm_next_step.c - Tests of the search for a rank's next busy step.
 *
 * The step that an algorithm computes must be the step that a walk over all
 * steps finds. This is tested for all kinds, sizes, roots, ranks and first
 * steps.
 */
#include "tests/models/collectives/algorithm_fixture.h"

#include "models/collectives/schedule.h"

static gboolean is_idle_step_of_rank(const CollAlgorithm *a,
                                     const CollGroup *group, uint32_t rank,
                                     uint32_t step)
{
    CollStep description;

    a->step(group, rank, step, &description);
    return description.n_blocks == 0 && description.recv_none;
}

static void check_next_step_of_rank(const CollAlgorithm *a,
                                    const CollGroup *group, uint32_t rank)
{
    uint32_t n_steps = a->n_steps(group), next = n_steps;

    assert_int_equal(coll_next_active_step(a, group, rank, n_steps), n_steps);
    for (uint32_t s = n_steps; s-- > 0;) {
        next = is_idle_step_of_rank(a, group, rank, s) ? next : s;
        assert_int_equal(coll_next_active_step(a, group, rank, s), next);
    }
}

static void check_next_steps_of_group(const CollAlgorithm *a,
                                      const CollGroup *group)
{
    for (uint32_t r = 0; r < group->n_ranks; r++)
        check_next_step_of_rank(a, group, r);
}

static void test_the_computed_next_step_equals_that_of_a_walk(void **state)
{
    (void)state;
    for_each_algorithm_case(check_next_steps_of_group);
}

/* Checks a group that is too large to test all its ranks and roots. */
static void check_next_steps_of_large_group(const CollAlgorithm *a, uint32_t n)
{
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        CollGroup group = group_on_a_line(kind, n);
        uint32_t roots[] = { 0, 1, n / 2, n - 1 };

        for (gsize i = 0; i < G_N_ELEMENTS(roots); i++) {
            group.from = group.to = roots[i];
            if (i > 0 && !coll_contract(kind)->collective_has_root)
                break;
            for (uint32_t r = 0; r < 40 && a->supports(&group); r++)
                check_next_step_of_rank(a, &group,
                                        r < 20 ? r : (n - 1) / (r - 19));
        }
    }
}

static void test_the_next_step_is_right_in_large_groups(void **state)
{
    static const uint32_t sizes[] = { 127, 128, 129, 500, 1024, 1025 };

    (void)state;
    for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
        for (gsize i = 0; i < G_N_ELEMENTS(sizes) && (*a)->partial; i++)
            check_next_steps_of_large_group(*a, sizes[i]);
}

/* Partial algorithms can have thousands of steps, so they compute the next busy
 * step without a walk. */
static void test_all_partial_algorithms_compute_the_next_step(void **state)
{
    (void)state;
    for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
        assert_int_equal((*a)->partial, (*a)->next_active_step != NULL);
}

/* ---- test algorithms that a configuration cannot name -------------------- */

static void test_the_second_tree_computes_its_next_step(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= MAX_RANKS; n++) {
        CollGroup group = group_on_a_line(COLL_ALL_REDUCE, n);

        for (group.from = 0; group.from < n; group.from += n / 4 + 1)
            check_next_steps_of_group(&coll_binary_tree_complement, &group);
    }
}

static void test_grid_chains_compute_their_next_step(void **state)
{
    static const CollKind kinds[] = { COLL_BROADCAST, COLL_REDUCE,
                                      COLL_ALL_REDUCE };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(grids); i++)
        for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
            CollGroup grid = grids[i];

            grid.kind = kinds[k];
            for (grid.from = 0; grid.from < grid.n_ranks; grid.from++)
                check_next_steps_of_group(&coll_grid_chain, &grid);
        }
}

static void test_only_two_ranks_of_a_message_have_a_step(void **state)
{
    CollGroup group = group_on_a_line(COLL_SEND, 5);

    (void)state;
    for (group.from = 0; group.from < 5; group.from++)
        for (group.to = 0; group.to < 5; group.to++)
            if (group.from != group.to)
                check_next_steps_of_group(&coll_p2p, &group);
}

static void test_schedules_compute_their_next_step(void **state)
{
    static const uint32_t parents[] = { 2, 0, 2, 2, 3, 3, 0 };
    static const CollKind kinds[] = { COLL_BROADCAST, COLL_REDUCE,
                                      COLL_ALL_REDUCE };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autoptr(CollSchedule) schedule =
            coll_schedule_of_tree(kinds[i], parents, G_N_ELEMENTS(parents));
        CollGroup group = group_on_a_line(kinds[i], G_N_ELEMENTS(parents));

        group.schedule = schedule;
        check_next_steps_of_group(&coll_scheduled, &group);
    }
}

static void test_a_rank_without_weight_only_sends(void **state)
{
    static const CollWeights weights = { .n = 6,
                                         .sums = { 0, 3, 3, 3, 5, 5, 6 } };
    CollGroup group = group_on_a_line(COLL_ALL_TO_ALLV, 6);

    (void)state;
    group.weights = &weights;
    check_next_steps_of_group(&coll_direct_uneven, &group);
    assert_int_equal(coll_next_active_step(&coll_direct_uneven, &group, 1, 0),
                     1);
    assert_int_equal(coll_next_active_step(&coll_direct_uneven, &group, 1, 2),
                     3);
    assert_int_equal(coll_next_active_step(&coll_direct_uneven, &group, 0, 0),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_computed_next_step_equals_that_of_a_walk),
        cmocka_unit_test(test_the_next_step_is_right_in_large_groups),
        cmocka_unit_test(test_all_partial_algorithms_compute_the_next_step),
        cmocka_unit_test(test_the_second_tree_computes_its_next_step),
        cmocka_unit_test(test_grid_chains_compute_their_next_step),
        cmocka_unit_test(test_only_two_ranks_of_a_message_have_a_step),
        cmocka_unit_test(test_schedules_compute_their_next_step),
        cmocka_unit_test(test_a_rank_without_weight_only_sends),
    };

    return cmocka_run_group_tests_name("algorithm-next", tests, NULL, NULL);
}
