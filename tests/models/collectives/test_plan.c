/* test_plan.c - Tests of models/collectives/collective_plan.c: whole plans are
 * replayed on sets of contributors. */
#include "tests/models/collectives/plan_fixture.h"

#define MAX_NPUS 64 /* The number of bits of a contributor set. */

/*
 * A chunk is divided into as many atoms as there are NPUs. have[i][a] is the
 * set of NPUs whose data NPU i's copy of atom a contains.
 *
 * A reduce-scatter narrows the range of atoms that an NPU works on to one block
 * of the range. An all-gather widens the range to that before the
 * reduce-scatter of the same dimension. Block b of an all-gather is the range
 * of rank b, at any place of the
 * payload. */
typedef struct {
    uint32_t first, n; /* The range counts atoms of a chunk. */
} Range;

typedef struct {
    const CollPhase *phase;
    /* The group of the current phase, in one direction. */
    const CollGroup *group;
    uint32_t n, depth;
    uint64_t have[MAX_NPUS][MAX_NPUS];
    uint64_t before[MAX_NPUS][MAX_NPUS];
    /* The ranges of atoms by NPU and depth. */
    Range ranges[MAX_NPUS][TOPOLOGY_MAX_DIMS + 1];
} Replay;

/* Returns the range of atoms that @block represents at @npu. */
static Range byte_range_of_block(const Replay *p, uint32_t npu, uint32_t block)
{
    Range all = p->ranges[npu][p->depth];
    uint32_t n = all.n / p->phase->n_blocks;

    if (p->group->kind == COLL_ALL_GATHER)
        return p->ranges[coll_npu_of_rank(p->phase, npu, block)][p->depth];
    assert_int_equal(all.n % p->phase->n_blocks, 0);
    return (Range){ all.first + block * n, n };
}

/* All ranks send their data to a switch, which returns the sum. */
static void receive_block_from_switch(Replay *p, uint32_t npu,
                                      const CollStep *step)
{
    for (uint32_t b = 0; b < coll_step_n_received_blocks(step); b++) {
        Range range = byte_range_of_block(p, npu, step->recv_block + b);

        for (uint32_t a = range.first; a < range.first + range.n; a++) {
            p->have[npu][a] = 0;
            for (uint32_t other = 0; other < p->n; other++)
                p->have[npu][a] |= p->before[other][a];
        }
    }
}

static void receive_block_from_peer(Replay *p, uint32_t npu,
                                    const CollStep *step)
{
    uint32_t from = coll_npu_of_rank(p->phase, npu, step->recv_from);

    for (uint32_t b = 0; b < coll_step_n_received_blocks(step); b++) {
        Range range =
            byte_range_of_block(p, npu,
                                coll_nth_block_of_step(step, step->recv_block,
                                                       b, p->phase->n_blocks));

        for (uint32_t a = range.first; a < range.first + range.n; a++) {
            uint64_t got = p->before[from][a];
            uint64_t *mine = &p->have[npu][a];

            assert_true(got != 0);
            if (step->reduces)
                assert_true((*mine & got) == 0);
            *mine = step->reduces ? *mine | got : got;
        }
    }
}

/* Returns the block to which all ranks of the group have added. There must be
 * exactly one. */
static Range range_after_phase(const Replay *p, uint32_t npu)
{
    uint64_t n_adders = p->phase->divisor * p->group->n_ranks;
    Range found = { 0, 0 };

    for (uint32_t r = 0; r < p->group->n_ranks; r++) {
        Range block = byte_range_of_block(p, npu, r);

        if (n_adders ==
            (uint64_t)__builtin_popcountll(p->have[npu][block.first])) {
            assert_int_equal(found.n, 0);
            found = block;
        }
    }
    assert_int_not_equal(found.n, 0);
    return found;
}

static void replay_plan_phase(Replay *p)
{
    gboolean narrows = p->group->kind == COLL_REDUCE_SCATTER;
    const CollAlgorithm *algorithm = p->phase->algorithm;

    for (uint32_t s = 0; s < p->phase->n_steps; s++) {
        if (s == 0 || !algorithm->independent)
            memcpy(p->before, p->have, sizeof p->before);
        for (uint32_t npu = 0; npu < p->n; npu++) {
            CollStep step;

            algorithm->step(p->group, coll_rank_of_npu(p->phase, npu), s,
                            &step);
            assert_true(step.n_blocks <= p->phase->max_blocks);
            if (algorithm->via_switch)
                receive_block_from_switch(p, npu, &step);
            else
                receive_block_from_peer(p, npu, &step);
        }
    }
    if (p->group->kind == COLL_ALL_GATHER)
        p->depth--;
    assert_int_equal(p->ranges[0][p->depth].n * p->phase->divisor, p->n);
    for (uint32_t npu = 0; npu < p->n && narrows; npu++)
        p->ranges[npu][p->depth + 1] = range_after_phase(p, npu);
    if (narrows)
        p->depth++;
}

/* Replays all phases. If bit i of @reversed_phases is set, phase i runs
 * backwards if it may. */
static void replay_plan_phases(Replay *p, const CollPlan *plan,
                               uint32_t reversed_phases)
{
    for (uint32_t i = 0; i < plan->n_phases; i++) {
        gboolean reversed =
            plan->phases[i].may_reverse && (reversed_phases >> i & 1);

        p->phase = &plan->phases[i];
        p->group = reversed ? &p->phase->mirrored : &p->phase->group;
        replay_plan_phase(p);
    }
}

static void assert_all_npus_complete(const Replay *p)
{
    for (uint32_t npu = 0; npu < p->n; npu++)
        for (uint32_t a = 0; a < p->n; a++)
            assert_int_equal(p->have[npu][a], p->have[0][0]);
    assert_int_equal(__builtin_popcountll(p->have[0][0]), p->n);
}

static void start_plan_replay(Replay *p, uint32_t n_npus)
{
    *p = (Replay){ .n = n_npus };
    for (uint32_t npu = 0; npu < p->n; npu++) {
        p->ranges[npu][0] = (Range){ 0, p->n };
        for (uint32_t a = 0; a < p->n; a++)
            p->have[npu][a] = UINT64_C(1) << npu;
    }
}

/* Keeps only the atom that a reduce-scatter left at each NPU, with which an
 * all-gather must be able to start. */
static void keep_own_block_only(Replay *p)
{
    for (uint32_t npu = 0; npu < p->n; npu++) {
        assert_int_equal(p->ranges[npu][p->depth].n, 1);
        for (uint32_t a = 0; a < p->n; a++)
            if (a != p->ranges[npu][p->depth].first)
                p->have[npu][a] = 0;
    }
}

/* Checks that @gather, the reverse of @scatter, restores the whole payload on
 * all NPUs. */
static void check_scatter_then_gather(const Fixture *f, const CollPlan *scatter,
                                      const CollPlan *gather,
                                      uint32_t reversed_phases)
{
    g_autofree Replay *p = g_new0(Replay, 1);

    start_plan_replay(p, topology_n_npus(f->topology));
    replay_plan_phases(p, scatter, reversed_phases);
    keep_own_block_only(p);
    replay_plan_phases(p, gather, ~reversed_phases * 7);
    assert_all_npus_complete(p);
}

/* Returns whether the blocks of each phase are whole numbers of atoms. Only
 * such plans can be replayed. */
static gboolean blocks_are_disjoint(const CollPlan *plan, uint32_t n_npus)
{
    for (uint32_t i = 0; i < plan->n_phases; i++)
        if (n_npus % plan->phases[i].n_blocks != 0)
            return FALSE;
    return TRUE;
}

static void check_plan_replay(const Fixture *f, int algorithm,
                              uint32_t reversed_phases)
{
    g_autofree Replay *p = g_new0(Replay, 1);
    CollPlan plan, gather;

    if (plan_for_fixture(&plan, f, COLL_ALL_REDUCE, algorithm, NULL) &&
        blocks_are_disjoint(&plan, topology_n_npus(f->topology))) {
        start_plan_replay(p, topology_n_npus(f->topology));
        replay_plan_phases(p, &plan, reversed_phases);
        assert_all_npus_complete(p);
    }
    if (plan_for_fixture(&plan, f, COLL_REDUCE_SCATTER, algorithm, NULL)) {
        assert_true(
            plan_for_fixture(&gather, f, COLL_ALL_GATHER, algorithm, NULL));
        check_scatter_then_gather(f, &plan, &gather, reversed_phases);
    }
}

static void check_dimension_order(const Fixture *f, const uint32_t *order,
                                  uint32_t n_dims, uint32_t reversed_phases)
{
    g_autofree Replay *p = g_new0(Replay, 1);
    CollPlan plan, gather;

    coll_plan_init_rings(&plan, COLL_ALL_REDUCE, f->topology, order, n_dims);
    start_plan_replay(p, topology_n_npus(f->topology));
    replay_plan_phases(p, &plan, reversed_phases);
    assert_all_npus_complete(p);
    coll_plan_init_rings(&plan, COLL_REDUCE_SCATTER, f->topology, order,
                         n_dims);
    coll_plan_init_rings(&gather, COLL_ALL_GATHER, f->topology, order, n_dims);
    check_scatter_then_gather(f, &plan, &gather, reversed_phases);
}

/* Checks all orders of the three dimensions, and frees @f. */
static void check_all_dimension_orders(Fixture f)
{
    static const uint32_t orders[][3] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
    };

    for (gsize o = 0; o < G_N_ELEMENTS(orders); o++)
        for (uint32_t reversed_phases = 0; reversed_phases < 16;
             reversed_phases++)
            check_dimension_order(&f, orders[o], 3, reversed_phases);
    platform_fixture_free(&f);
}

static void test_plans_of_all_dimension_orders_deliver_data(void **state)
{
    (void)state;
    check_all_dimension_orders(torus_fixture_new(SIZES(3, 4, 2), "both"));
    check_all_dimension_orders(torus_fixture_new(SIZES(4, 4, 4), "both"));
    check_all_dimension_orders(torus_fixture_new(SIZES(2, 3, 5), "one"));
}

/* Checks all algorithms that support the topology, and frees @f. */
static void check_plans_of_all_algorithms(Fixture f)
{
    for (int a = 0; coll_algorithm_names[a]; a++)
        for (uint32_t reversed_phases = 0; reversed_phases < 32;
             reversed_phases++)
            check_plan_replay(&f, a, reversed_phases);
    platform_fixture_free(&f);
}

static void test_plans_on_tori_deliver_data(void **state)
{
    static const uint32_t sizes[][TOPOLOGY_MAX_DIMS] = {
        { 2 },       { 5 },       { 2, 2 },    { 1, 4 },          { 4, 1 },
        { 4, 2, 2 }, { 3, 4, 2 }, { 2, 1, 3 }, { 2, 2, 2, 2, 2 }, { 4, 4, 4 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        check_plans_of_all_algorithms(torus_fixture_new(sizes[i], "both"));
        check_plans_of_all_algorithms(torus_fixture_new(sizes[i], "one"));
    }
}

static void test_plans_on_switches_and_full_meshes_deliver_data(void **state)
{
    (void)state;
    check_plans_of_all_algorithms(platform_fixture_new(GROUP("switch", 2)));
    check_plans_of_all_algorithms(platform_fixture_new(GROUP("switch", 8)));
    check_plans_of_all_algorithms(platform_fixture_new(GROUP("switch", 12)));
    check_plans_of_all_algorithms(platform_fixture_new(ADDING(2, "")));
    check_plans_of_all_algorithms(platform_fixture_new(ADDING(12, "")));
    check_plans_of_all_algorithms(
        platform_fixture_new(GROUP("fully-connected", 7)));
    check_plans_of_all_algorithms(
        platform_fixture_new(GROUP("fully-connected", 16)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_on_tori_deliver_data),
        cmocka_unit_test(test_plans_on_switches_and_full_meshes_deliver_data),
        cmocka_unit_test(test_plans_of_all_dimension_orders_deliver_data),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
