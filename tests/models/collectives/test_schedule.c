/* test_schedule.c - Tests of models/collectives/schedule.h: steps that are
 * given as data, and schedules of trees. */
#include "tests/models/collectives/algorithm_fixture.h"

#include "models/collectives/schedule.h"

/* A tree: the parent of each rank, and the number of steps in one direction. */
typedef struct {
    const char *name;
    uint32_t n_ranks;
    uint32_t parents[8];
    uint32_t n_steps;
} Shape;

static const Shape shapes[] = {
    { "two", 2, { 1, 1 }, 1 },
    { "chain", 5, { 0, 0, 1, 2, 3 }, 4 },
    { "chain from the middle", 5, { 1, 2, 2, 2, 3 }, 3 },
    { "star", 6, { 3, 3, 3, 3, 3, 3 }, 5 },
    { "binomial", 8, { 0, 0, 0, 2, 0, 4, 4, 6 }, 3 },
    /* The deepest child is served first: 1 -> 2 -> 3, then the two leaves. */
    { "deep first", 6, { 0, 0, 1, 2, 0, 0 }, 3 },
};

static CollGroup group_of_schedule(const CollSchedule *schedule)
{
    CollGroup group = group_on_a_line(schedule->kind, schedule->n_ranks);

    group.schedule = schedule;
    return group;
}

static void test_the_steps_of_a_new_schedule_are_idle(void **state)
{
    g_autoptr(CollSchedule) schedule =
        coll_schedule_new(COLL_ALL_REDUCE, 3, 2, 7);
    CollGroup group = group_of_schedule(schedule);

    (void)state;
    assert_true(coll_scheduled.supports(&group));
    assert_int_equal(coll_scheduled.n_steps(&group), 2);
    assert_int_equal(coll_n_blocks(&coll_scheduled, &group), 7);
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t s = 0; s < 2; s++) {
            CollStep step;

            coll_scheduled.step(&group, r, s, &step);
            assert_int_equal(step.n_blocks, 0);
            assert_true(step.recv_none);
        }
}

static void test_a_schedule_supports_only_its_kind_and_size(void **state)
{
    g_autoptr(CollSchedule) schedule =
        coll_schedule_new(COLL_ALL_REDUCE, 3, 2, 1);
    CollGroup group = group_of_schedule(schedule);

    (void)state;
    group.kind = COLL_ALL_GATHER;
    assert_false(coll_scheduled.supports(&group));
    group = group_of_schedule(schedule);
    group.n_ranks = 4;
    assert_false(coll_scheduled.supports(&group));
    group.schedule = NULL;
    assert_false(coll_scheduled.supports(&group));
}

/* Replays the schedule of one block. @have holds the contributors of each
 * rank's copy. */
static void replay_schedule(const CollSchedule *schedule, uint64_t *have)
{
    uint64_t before[8];

    for (uint32_t s = 0; s < schedule->n_steps; s++) {
        memcpy(before, have, sizeof before);
        for (uint32_t r = 0; r < schedule->n_ranks; r++) {
            const CollStep *step = coll_schedule_step_at(schedule, r, s);

            if (step->recv_none)
                continue;
            if (step->reduces)
                assert_true((have[r] & before[step->recv_from]) == 0);
            have[r] = before[step->recv_from] | (step->reduces ? have[r] : 0);
        }
    }
}

static uint32_t root_of_tree_shape(const Shape *shape)
{
    uint32_t root = 0;

    while (shape->parents[root] != root)
        root++;
    return root;
}

static void test_tree_schedules_reduce_and_broadcast_all_data(void **state)
{
    static const struct {
        CollKind kind;
        uint32_t n_ways;
        gboolean from_root, to_root;
    } cases[] = {
        { COLL_BROADCAST, 1, TRUE, FALSE },
        { COLL_REDUCE, 1, FALSE, TRUE },
        { COLL_ALL_REDUCE, 2, FALSE, FALSE },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
            const Shape *shape = &shapes[i];
            uint64_t all = (UINT64_C(1) << shape->n_ranks) - 1, have[8] = { 0 };
            uint32_t root = root_of_tree_shape(shape);
            g_autoptr(CollSchedule) schedule = coll_schedule_of_tree(
                cases[c].kind, shape->parents, shape->n_ranks);
            CollGroup group = group_of_schedule(schedule);

            assert_int_equal(schedule->n_steps,
                             cases[c].n_ways * shape->n_steps);
            check_sends_match_receives(&coll_scheduled, &group);
            for (uint32_t r = 0; r < shape->n_ranks; r++)
                have[r] = !cases[c].from_root ? UINT64_C(1) << r
                          : r == root         ? all
                                              : 0;
            replay_schedule(schedule, have);
            for (uint32_t r = 0; r < shape->n_ranks; r++)
                if (r == root || !cases[c].to_root)
                    assert_true(have[r] == all);
        }
}

/* Rank 1 of a chain of 80 ranks sends in one of 79 steps and receives in
 * another. */
static void test_a_finished_schedule_returns_the_same_steps(void **state)
{
    enum { N = 80 };
    uint32_t parents[N];
    CollGroup group = { .kind = COLL_ALL_REDUCE, .n_ranks = N };
    g_autoptr(CollSchedule) schedule = NULL;

    (void)state;
    for (uint32_t r = 0; r < N; r++)
        parents[r] = r == 0 ? 0 : r - 1;
    schedule = coll_schedule_of_tree(COLL_ALL_REDUCE, parents, N);
    assert_true(schedule->n_words > 1);
    group.schedule = schedule;
    for (uint32_t r = 0; r < N; r++)
        for (uint32_t s = 0; s < schedule->n_steps; s++) {
            const CollStep *step = coll_schedule_step_at(schedule, r, s);
            gboolean is_busy = step->n_blocks > 0 || !step->recv_none;
            CollStep returned;

            coll_scheduled.step(&group, r, s, &returned);
            assert_memory_equal(&returned, step, sizeof returned);
            uint32_t next = coll_scheduled.next_active_step(&group, r, s);
            assert_true(is_busy ? next == s : next > s);
            for (uint32_t k = s; k < next; k++)
                assert_true(coll_schedule_step_at(schedule, r, k)->n_blocks ==
                                0 &&
                            coll_schedule_step_at(schedule, r, k)->recv_none);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_finished_schedule_returns_the_same_steps),
        cmocka_unit_test(test_the_steps_of_a_new_schedule_are_idle),
        cmocka_unit_test(test_a_schedule_supports_only_its_kind_and_size),
        cmocka_unit_test(test_tree_schedules_reduce_and_broadcast_all_data),
    };

    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
