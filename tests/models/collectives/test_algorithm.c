/*
 * test_algorithm.c - Properties that every collective algorithm must have.
 *
 * The tests walk the table of algorithms, so that a new algorithm is covered as
 * soon as it is
 * listed. */
#include "tests/models/collectives/algorithm_fixture.h"

static void test_each_collective_has_an_algorithm_for_every_size(void **state)
{
    (void)state;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
        for (uint32_t n = 2; n <= MAX_RANKS; n++) {
            CollGroup group = group_on_a_line(kind, n);
            guint n_found = 0;

            for (const CollAlgorithm *const *a = coll_algorithms; *a; a++)
                n_found += (*a)->supports(&group) ? 1 : 0;
            assert_int_equal(n_found > 0, kind_has_algorithms(kind));
        }
}

static void test_algorithm_names_are_auto_and_those_of_the_table(void **state)
{
    guint i = 0;

    (void)state;
    assert_string_equal(coll_algorithm_names[COLL_AUTO], "auto");
    for (; coll_algorithms[i]; i++)
        assert_string_equal(coll_algorithm_names[i + 1],
                            coll_algorithms[i]->name);
    assert_null(coll_algorithm_names[i + 1]);
}

/* The names are those that users write in a configuration. */
static void test_algorithms_support_the_kinds_of_their_summaries(void **state)
{
    static const struct {
        const char *name;
        uint32_t n;
        /* Steps of reduce-scatter, all-gather, all-reduce, all-to-all,
         * broadcast, reduce, gather, scatter, barrier, all-to-allv and shift.
         * 0: not supported. */
        uint32_t n_steps[COLL_N_KINDS];
    } cases[] = {
        { "ring", 6, { 5, 5, 10, 0 } },
        { "halving-doubling", 16, { 4, 4, 8, 0 } },
        { "halving-doubling", 6, { 0 } },
        { "direct", 6, { 5, 5, 0, 5 } },
        { "in-switch", 6, { 1, 1, 1, 0 } },
        { "recursive-doubling", 16, { 0, 4, 4, 0 } },
        { "recursive-doubling", 6, { 0 } },
        { "recursive-doubling-any", 16, { 0, 0, 4, 0 } },
        { "recursive-doubling-any", 6, { 0, 0, 4, 0 } },
        { "bruck", 16, { 0, 4, 0, 4 } },
        { "bruck", 6, { 0, 3, 0, 3 } },
        { "pat", 6, { 3, 3, 6, 0 } },
        { "shift", 6, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } },
        { "linear", 6, { 0, 0, 10, 0, 5, 5, 5, 5 } },
        { "star", 6, { 0, 0, 0, 0, 5, 5, 5, 5 } },
        { "chain", 6, { 0, 0, 10, 0, 5, 5, 5, 5 } },
        { "binomial-tree", 8, { 0, 0, 6, 0, 3, 3, 3, 3 } },
        { "binomial-tree", 9, { 0, 0, 8, 0, 4, 4, 4, 4 } },
        { "binary-tree", 16, { 0, 0, 14, 0, 7, 7 } },
        { "double-binary-tree", 16, { 0, 0, 28, 0, 14, 14 } },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            CollGroup group = group_on_a_line(kind, cases[i].n);
            const CollAlgorithm *const *a = coll_algorithms;

            while (*a && strcmp((*a)->name, cases[i].name) != 0)
                a++;
            assert_non_null(*a);
            assert_int_equal((*a)->supports(&group),
                             cases[i].n_steps[kind] > 0);
            if (cases[i].n_steps[kind] > 0)
                assert_int_equal((*a)->n_steps(&group), cases[i].n_steps[kind]);
        }
}

static void test_every_send_of_an_algorithm_has_its_receive(void **state)
{
    (void)state;
    for_each_algorithm_case(check_sends_match_receives);
}

/* Returns the coordinates of @to minus those of @from, each modulo its size, as
 * one number. */
static uint32_t rank_distance_in_group(const CollGroup *group, uint32_t from,
                                       uint32_t to)
{
    uint32_t sum = 0, stride = 1;

    for (uint32_t d = 0; d < group->n_dims; d++) {
        uint32_t n = group->dims[d];
        uint32_t a = from / stride % n, b = to / stride % n;

        sum += subtract_modulo_n(b, a, n) * stride;
        stride *= n;
    }
    return sum;
}

static void check_rotation_symmetry(const CollAlgorithm *a,
                                    const CollGroup *group)
{
    for (uint32_t s = 0; s < a->n_steps(group); s++) {
        CollStep first, step;

        a->step(group, 0, s, &first);
        for (uint32_t r = 1; r < group->n_ranks; r++) {
            a->step(group, r, s, &step);
            assert_int_equal(step.reduces, first.reduces);
            if (a->partial)
                continue; /* An idle rank has no peer. */
            assert_int_equal(step.n_blocks, first.n_blocks);
            if (a->symmetry == COLL_BY_XOR)
                assert_int_equal(step.send_to ^ r, first.send_to);
            else
                assert_int_equal(rank_distance_in_group(group, r, step.send_to),
                                 first.send_to);
        }
    }
}

static void test_algorithm_peers_are_relative_to_the_rank(void **state)
{
    (void)state;
    for_each_algorithm_case(check_rotation_symmetry);
}

/* A step may receive from another peer only after something was sent to that
 * peer since the last receive. The step then waits for that message. */
static void check_single_source_rank(const CollAlgorithm *a,
                                     const CollGroup *group)
{
    for (uint32_t r = 0; r < group->n_ranks && a->single_source; r++) {
        uint32_t from = UINT32_MAX, to = UINT32_MAX;
        CollStep step;

        for (uint32_t s = 0; s < a->n_steps(group); s++) {
            a->step(group, r, s, &step);
            if (!step.recv_none) {
                assert_true(from == UINT32_MAX || step.recv_from == from ||
                            step.recv_from == to);
                from = step.recv_from;
                to = UINT32_MAX; /* sends data from before its receive */
            } else if (step.n_blocks > 0) {
                to = step.send_to;
            }
        }
    }
}

static void test_a_rank_receives_from_a_single_source(void **state)
{
    (void)state;
    assert_true(coll_ring.single_source);
    for_each_algorithm_case(check_single_source_rank);
}

static uint32_t count_blocks_sent_by_rank(const CollAlgorithm *a,
                                          const CollGroup *group, uint32_t rank)
{
    uint32_t n = 0;
    CollStep step;

    for (uint32_t s = 0; s < a->n_steps(group); s++) {
        a->step(group, rank, s, &step);
        n += step.n_blocks;
    }
    return n;
}

/* Each rank sends (n-1)/n of the payload per half of an all-reduce
 * [NCCLPERF]. */
static void check_minimum_blocks_sent(const CollAlgorithm *a,
                                      const CollGroup *group)
{
    uint32_t halves = group->kind == COLL_ALL_REDUCE ? 2 : 1;

    if (a->via_switch || coll_n_blocks(a, group) != group->n_ranks)
        /* The tests check_switch_payload_sent_once() and
         * check_tree_delivers_once() cover these kinds. */
        return;
    if (!coll_kind_has_halves(group->kind))
        return;
    for (uint32_t r = 0; r < group->n_ranks; r++)
        assert_int_equal(count_blocks_sent_by_rank(a, group, r),
                         halves * (group->n_ranks - 1));
}

static void test_ranks_send_the_minimum_number_of_blocks(void **state)
{
    (void)state;
    for_each_algorithm_case(check_minimum_blocks_sent);
}

/* In a broadcast, each rank except the root receives each block once. */
static void check_tree_delivers_once(const CollAlgorithm *a,
                                     const CollGroup *group)
{
    uint32_t sum = 0, most = 0;

    if (group->kind != COLL_BROADCAST && group->kind != COLL_REDUCE)
        return;
    for (uint32_t r = 0; r < group->n_ranks; r++) {
        uint32_t n = count_blocks_sent_by_rank(a, group, r);

        sum += n;
        most = MAX(most, n);
    }
    assert_int_equal(sum, (group->n_ranks - 1) * coll_n_blocks(a, group));
    if (a == &coll_double_binary_tree || a == &coll_chain)
        assert_true(most <= coll_n_blocks(a, group));
}

static void test_a_tree_delivers_each_block_to_each_rank_once(void **state)
{
    (void)state;
    for_each_algorithm_case(check_tree_delivers_once);
}

/* Each rank sends and receives the payload once at most. Ranks do not add. */
static void check_switch_payload_sent_once(const CollAlgorithm *a,
                                           const CollGroup *group)
{
    uint32_t n = group->n_ranks;

    for (uint32_t r = 0; r < n && a->via_switch; r++) {
        CollStep step;

        assert_int_equal(a->n_steps(group), 1);
        a->step(group, r, 0, &step);
        assert_false(step.reduces);
        assert_int_equal(step.n_blocks, group->kind == COLL_ALL_GATHER ? 1 : n);
        assert_int_equal(coll_step_n_received_blocks(&step),
                         group->kind == COLL_REDUCE_SCATTER ? 1 : n);
    }
}

static void test_ranks_send_the_payload_to_a_switch_once(void **state)
{
    (void)state;
    assert_true(coll_in_switch.via_switch);
    for_each_algorithm_case(check_switch_payload_sent_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_collective_has_an_algorithm_for_every_size),
        cmocka_unit_test(test_algorithm_names_are_auto_and_those_of_the_table),
        cmocka_unit_test(test_algorithms_support_the_kinds_of_their_summaries),
        cmocka_unit_test(test_every_send_of_an_algorithm_has_its_receive),
        cmocka_unit_test(test_algorithm_peers_are_relative_to_the_rank),
        cmocka_unit_test(test_a_rank_receives_from_a_single_source),
        cmocka_unit_test(test_ranks_send_the_minimum_number_of_blocks),
        cmocka_unit_test(test_a_tree_delivers_each_block_to_each_rank_once),
        cmocka_unit_test(test_ranks_send_the_payload_to_a_switch_once),
    };

    return cmocka_run_group_tests_name("algorithm", tests, NULL, NULL);
}
