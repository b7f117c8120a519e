/* Tests of models/collectives/plan.c: whole plans are replayed on sets of
 * contributors, then the arithmetic of bytes. */
#include "tests/test.h"

#include <string.h>

#include "models/collectives/plan.h"

#define MAX_NPUS 64 /* the bits of a set */
#define KIB      UINT64_C(1024)

static const ConfigField fields[] = {
    { .key = "topology", .type = CONFIG_KIND, .registry = &topology_registry },
    CONFIG_END,
};

typedef struct {
    ConfigDoc *doc;
    ConfigVariant config;
    Topology *topology;
} Fixture;

#define LINK       "links: 2, bandwidth: 25 GB/s, latency: 10 ns"
#define SIZES(...) ((const uint32_t[TOPOLOGY_MAX_DIMS]){ __VA_ARGS__ })
#define ADDING(npus, what)                                                     \
    "{ kind: switch, npus: " #npus ", " LINK ", reduces: true" what " }"
#define GROUP(kind, npus) "{ kind: " kind ", npus: " #npus ", " LINK " }"

static Fixture fixture_new(const char *text)
{
    g_autofree char *yaml = g_strdup_printf("topology: %s\n", text);
    Fixture f = { 0 };
    GError *error = NULL;

    f.doc = config_doc_parse("t.yaml", yaml, strlen(yaml), &error);
    if (f.doc && config_doc_read(f.doc, fields, &f.config, &error))
        f.topology = topology_new(&f.config, &error);
    if (!f.topology)
        fail_msg("%s", error->message);
    return f;
}

static Fixture torus_new(const uint32_t *sizes, const char *direction)
{
    g_autoptr(GString) text = g_string_new("{ kind: torus, dims: [");

    for (guint d = 0; d < TOPOLOGY_MAX_DIMS && sizes[d]; d++)
        g_string_append_printf(text, "%s{ size: %u, direction: %s, " LINK " }",
                               d ? ", " : "", sizes[d], direction);
    g_string_append(text, "] }");
    return fixture_new(text->str);
}

static void fixture_free(Fixture *f)
{
    topology_free(f->topology);
    config_doc_free(f->doc);
}

static gboolean plan_init(CollPlan *plan, const Fixture *f, CollKind kind,
                          int algorithm, GError **error)
{
    return coll_plan_init(plan, kind, algorithm, f->topology, f->config.node,
                          error);
}

/*
 * The chunk is cut into as many atoms as there are NPUs.  have[i][a] is the
 * set of NPUs whose data NPU i's copy of atom a holds.  A reduce-scatter
 * narrows the range of atoms that an NPU works on to a block of it, an
 * all-gather widens it to what the reduce-scatter of its dimension began
 * with.  Block b of an all-gather is what rank b has, wherever that lies in
 * the payload.
 */
typedef struct {
    uint32_t first, n; /* atoms */
} Range;

typedef struct {
    const CollPhase *phase;
    const CollGroup *group; /* of the phase, one way round */
    uint32_t n, depth;
    uint64_t have[MAX_NPUS][MAX_NPUS];
    uint64_t before[MAX_NPUS][MAX_NPUS];
    Range ranges[MAX_NPUS][TOPOLOGY_MAX_DIMS + 1]; /* of NPUs, by depth */
} Replay;

/* What @block stands for at @npu. */
static Range block_range(const Replay *p, uint32_t npu, uint32_t block)
{
    Range all = p->ranges[npu][p->depth];
    uint32_t n = all.n / p->group->n_ranks;

    if (p->group->kind == COLL_ALL_GATHER)
        return p->ranges[coll_peer(p->phase, npu, block)][p->depth];
    assert_int_equal(all.n % p->group->n_ranks, 0);
    return (Range){ all.first + block * n, n };
}

/* All send themselves a message, by way of a switch that adds them. */
static void receive_from_switch(Replay *p, uint32_t npu, const CollStep *step)
{
    for (uint32_t b = 0; b < coll_n_received(step); b++) {
        Range range = block_range(p, npu, step->recv_block + b);

        for (uint32_t a = range.first; a < range.first + range.n; a++) {
            p->have[npu][a] = 0;
            for (uint32_t other = 0; other < p->n; other++)
                p->have[npu][a] |= p->before[other][a];
        }
    }
}

static void receive(Replay *p, uint32_t npu, const CollStep *step)
{
    uint32_t from = coll_peer(p->phase, npu, step->recv_from);

    for (uint32_t b = 0; b < step->n_blocks; b++) {
        Range range = block_range(p, npu, step->recv_block + b);

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

/* The one block to which all ranks of the group have added. */
static Range narrowed(const Replay *p, uint32_t npu)
{
    uint64_t n_adders = p->phase->divisor * p->group->n_ranks;
    Range found = { 0, 0 };

    for (uint32_t r = 0; r < p->group->n_ranks; r++) {
        Range block = block_range(p, npu, r);

        if (n_adders ==
            (uint64_t)__builtin_popcountll(p->have[npu][block.first])) {
            assert_int_equal(found.n, 0);
            found = block;
        }
    }
    assert_int_not_equal(found.n, 0);
    return found;
}

static void replay_phase(Replay *p)
{
    gboolean narrows = p->group->kind == COLL_REDUCE_SCATTER;
    const CollAlgorithm *algorithm = p->phase->algorithm;

    for (uint32_t s = 0; s < p->phase->n_steps; s++) {
        if (s == 0 || !algorithm->independent)
            memcpy(p->before, p->have, sizeof p->before);
        for (uint32_t npu = 0; npu < p->n; npu++) {
            CollStep step;

            algorithm->step(p->group, coll_rank(p->phase, npu), s, &step);
            assert_true(step.n_blocks <= p->phase->max_blocks);
            if (algorithm->via_switch)
                receive_from_switch(p, npu, &step);
            else
                receive(p, npu, &step);
        }
    }
    if (p->group->kind == COLL_ALL_GATHER)
        p->depth--;
    assert_int_equal(p->ranges[0][p->depth].n * p->phase->divisor, p->n);
    for (uint32_t npu = 0; npu < p->n && narrows; npu++)
        p->ranges[npu][p->depth + 1] = narrowed(p, npu);
    if (narrows)
        p->depth++;
}

/* Bit i of @ways: phase i goes backwards, if it may. */
static void replay_plan(Replay *p, const CollPlan *plan, uint32_t ways)
{
    for (uint32_t i = 0; i < plan->n_phases; i++) {
        gboolean reversed = plan->phases[i].may_reverse && (ways >> i & 1);

        p->phase = &plan->phases[i];
        p->group = reversed ? &p->phase->mirrored : &p->phase->group;
        replay_phase(p);
    }
}

static void assert_all_whole(const Replay *p)
{
    for (uint32_t npu = 0; npu < p->n; npu++)
        for (uint32_t a = 0; a < p->n; a++)
            assert_int_equal(p->have[npu][a], p->have[0][0]);
    assert_int_equal(__builtin_popcountll(p->have[0][0]), p->n);
}

static void start(Replay *p, uint32_t n_npus)
{
    *p = (Replay){ .n = n_npus };
    for (uint32_t npu = 0; npu < p->n; npu++) {
        p->ranges[npu][0] = (Range){ 0, p->n };
        for (uint32_t a = 0; a < p->n; a++)
            p->have[npu][a] = UINT64_C(1) << npu;
    }
}

/* An all-gather takes up the one atom that a reduce-scatter has left at each
 * NPU, and nothing else. */
static void forget(Replay *p)
{
    for (uint32_t npu = 0; npu < p->n; npu++) {
        assert_int_equal(p->ranges[npu][p->depth].n, 1);
        for (uint32_t a = 0; a < p->n; a++)
            if (a != p->ranges[npu][p->depth].first)
                p->have[npu][a] = 0;
    }
}

/* @gather mirrors @scatter. */
static void check_scatter_and_gather(const Fixture *f, const CollPlan *scatter,
                                     const CollPlan *gather, uint32_t ways)
{
    g_autofree Replay *p = g_new0(Replay, 1);

    start(p, topology_n_npus(f->topology));
    replay_plan(p, scatter, ways);
    forget(p);
    replay_plan(p, gather, ~ways * 7);
    assert_all_whole(p);
}

static void check_plan(const Fixture *f, int algorithm, uint32_t ways)
{
    g_autofree Replay *p = g_new0(Replay, 1);
    CollPlan plan, gather;

    if (plan_init(&plan, f, COLL_ALL_REDUCE, algorithm, NULL)) {
        start(p, topology_n_npus(f->topology));
        replay_plan(p, &plan, ways);
        assert_all_whole(p);
    }
    if (plan_init(&plan, f, COLL_REDUCE_SCATTER, algorithm, NULL)) {
        assert_true(plan_init(&gather, f, COLL_ALL_GATHER, algorithm, NULL));
        check_scatter_and_gather(f, &plan, &gather, ways);
    }
}

static void check_order(const Fixture *f, const uint32_t *order,
                        uint32_t n_dims, uint32_t ways)
{
    g_autofree Replay *p = g_new0(Replay, 1);
    CollPlan plan, gather;

    coll_plan_init_in_order(&plan, COLL_ALL_REDUCE, f->topology, order, n_dims);
    start(p, topology_n_npus(f->topology));
    replay_plan(p, &plan, ways);
    assert_all_whole(p);
    coll_plan_init_in_order(&plan, COLL_REDUCE_SCATTER, f->topology, order,
                            n_dims);
    coll_plan_init_in_order(&gather, COLL_ALL_GATHER, f->topology, order,
                            n_dims);
    check_scatter_and_gather(f, &plan, &gather, ways);
}

/* Takes @f, of three dimensions. */
static void check_orders(Fixture f)
{
    static const uint32_t orders[][3] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
    };

    for (gsize o = 0; o < G_N_ELEMENTS(orders); o++)
        for (uint32_t ways = 0; ways < 16; ways++)
            check_order(&f, orders[o], 3, ways);
    fixture_free(&f);
}

static void test_replay_of_every_order_of_three_dimensions(void **state)
{
    (void)state;
    check_orders(torus_new(SIZES(3, 4, 2), "both"));
    check_orders(torus_new(SIZES(4, 4, 4), "both"));
    check_orders(torus_new(SIZES(2, 3, 5), "one"));
}

/* With all algorithms that fit.  Takes @f. */
static void check_plans(Fixture f)
{
    for (int a = 0; coll_algorithm_names[a]; a++)
        for (uint32_t ways = 0; ways < 32; ways++)
            check_plan(&f, a, ways);
    fixture_free(&f);
}

static void test_replay_of_whole_plans_on_tori(void **state)
{
    static const uint32_t sizes[][TOPOLOGY_MAX_DIMS] = {
        { 2 },       { 5 },       { 2, 2 },    { 1, 4 },          { 4, 1 },
        { 4, 2, 2 }, { 3, 4, 2 }, { 2, 1, 3 }, { 2, 2, 2, 2, 2 }, { 4, 4, 4 },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
        check_plans(torus_new(sizes[i], "both"));
        check_plans(torus_new(sizes[i], "one"));
    }
}

static void test_replay_of_plans_on_groups_of_all(void **state)
{
    (void)state;
    check_plans(fixture_new(GROUP("switch", 2)));
    check_plans(fixture_new(GROUP("switch", 8)));
    check_plans(fixture_new(GROUP("switch", 12)));
    check_plans(fixture_new(ADDING(2, "")));
    check_plans(fixture_new(ADDING(12, "")));
    check_plans(fixture_new(GROUP("fully-connected", 7)));
    check_plans(fixture_new(GROUP("fully-connected", 16)));
}

static CollPlan planned(const Fixture *f, CollKind kind)
{
    GError *error = NULL;
    CollPlan plan;

    if (!plan_init(&plan, f, kind, COLL_AUTO, &error))
        fail_msg("%s", error->message);
    return plan;
}

/* @expected, by kind: "rs0/1 ar1/4 ag0/1" is kind, dimension, divisor; then
 * the algorithm where it is no ring.  Takes @f. */
static void assert_plans(Fixture f, const char *const expected[COLL_N_KINDS])
{
    static const char *const kinds[] = { "rs", "ag", "ar", "aa" };

    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        CollPlan plan = planned(&f, kind);
        g_autoptr(GString) text = g_string_new(NULL);

        for (uint32_t i = 0; i < plan.n_phases; i++) {
            const CollPhase *p = &plan.phases[i];
            const char *name = p->algorithm->name;

            g_string_append_printf(text, " %s%u/%" G_GUINT64_FORMAT "%s%s",
                                   kinds[p->group.kind], p->dim, p->divisor,
                                   p->algorithm == &coll_ring ? "" : " ",
                                   p->algorithm == &coll_ring ? "" : name);
        }
        assert_int_equal(plan.kind, kind);
        assert_string_equal(g_strstrip(text->str), expected[kind]);
    }
    fixture_free(&f);
}

static void test_a_torus_is_planned_dimension_by_dimension(void **state)
{
    static const char *const expected[] = { "rs0/1 rs1/4 rs2/12",
                                            "ag2/12 ag1/4 ag0/1",
                                            "rs0/1 ar1/4 ar2/4 ag0/1",
                                            "aa0/1 direct" };

    (void)state;
    assert_plans(torus_new(SIZES(4, 3, 2), "both"), expected);
}

static void test_neither_size_1_nor_one_npu_has_a_phase(void **state)
{
    static const char *const two[] = { "rs1/1 rs3/4", "ag3/4 ag1/1",
                                       "rs1/1 ar3/4 ag1/1", "aa0/1 direct" };
    static const char *const none[] = { "", "", "", "" };

    (void)state;
    assert_plans(torus_new(SIZES(1, 4, 1, 3, 1), "both"), two);
    assert_plans(torus_new(SIZES(1, 1), "both"), none);
    assert_plans(fixture_new(GROUP("switch", 1)), none);
    assert_plans(fixture_new(GROUP("fully-connected", 1)), none);
}

static void test_a_switch_halves_and_doubles_powers_of_two(void **state)
{
    static const char *const eight[] = { "rs0/1 halving-doubling",
                                         "ag0/1 halving-doubling",
                                         "ar0/1 halving-doubling",
                                         "aa0/1 direct" };
    static const char *const six[] = { "rs0/1", "ag0/1", "ar0/1",
                                       "aa0/1 direct" };

    (void)state;
    assert_plans(fixture_new(GROUP("switch", 8)), eight);
    assert_plans(fixture_new(GROUP("switch", 6)), six);
}

static void test_only_rings_of_two_directions_may_be_reversed(void **state)
{
    Fixture f = fixture_new("{ kind: torus, dims: [{ size: 4, " LINK " }, "
                            "{ size: 3, direction: one, " LINK " }] }");
    CollPlan plan = planned(&f, COLL_REDUCE_SCATTER);

    (void)state;
    assert_true(plan.phases[0].may_reverse);
    assert_true(plan.phases[0].mirrored.backwards);
    assert_false(plan.phases[0].group.backwards);
    assert_false(plan.phases[1].may_reverse);
    fixture_free(&f);
}

static void test_ranks_and_peers_are_those_along_the_dimension(void **state)
{
    Fixture f = torus_new(SIZES(3, 4, 2), "both");
    CollPlan plan = planned(&f, COLL_REDUCE_SCATTER);

    (void)state;
    for (uint32_t r = 0; r < 2; r++) { /* NPU 11 is (2, 3, 0) */
        assert_int_equal(coll_rank(&plan.phases[0], 11 + 12 * r), 2);
        assert_int_equal(coll_rank(&plan.phases[1], 11 + 12 * r), 3);
        assert_int_equal(coll_rank(&plan.phases[2], 11 + 12 * r), r);
        assert_int_equal(coll_peer(&plan.phases[0], 11, r), r + 3 * 3);
        assert_int_equal(coll_peer(&plan.phases[1], 11, r), 2 + 3 * r);
        assert_int_equal(coll_peer(&plan.phases[2], 11, r), 11 + 12 * r);
    }
    fixture_free(&f);
}

static void test_the_platforms_of_the_paper_send_what_it_says(void **state)
{
    static const struct {
        uint32_t sizes[TOPOLOGY_MAX_DIMS];
        uint64_t sent_bytes; /* of 64 KiB */
    } cases[] = {
        { { 4, 2, 2 }, 128 * KIB },
        { { 4, 4, 2 }, 136 * KIB },
        { { 4, 4, 4 }, 144 * KIB },
        { { 4, 8, 4 }, 148 * KIB },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Fixture f = torus_new(cases[i].sizes, "both");
        CollPlan plan = planned(&f, COLL_ALL_REDUCE);
        uint64_t sent_bytes = 0;

        for (uint32_t p = 0; p < plan.n_phases; p++)
            sent_bytes += coll_sent_bytes(&plan.phases[p], 64 * KIB);
        assert_int_equal(sent_bytes, cases[i].sent_bytes);
        fixture_free(&f);
    }
}

/* Calls @check for each phase of some plans with sizes that do not divide. */
typedef void (*PhaseCheck)(const CollPhase *phase, uint64_t chunk_bytes);

static void for_each_phase(PhaseCheck check)
{
    static const uint64_t sizes[] = { 1, 7, 63, 64, 65, 64 * KIB, 123456789 };
    Fixture fixtures[] = { torus_new(SIZES(3, 4, 2), "both"),
                           fixture_new(GROUP("switch", 16)) };

    for (gsize f = 0; f < G_N_ELEMENTS(fixtures); f++) {
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            CollPlan plan = planned(&fixtures[f], kind);

            for (uint32_t i = 0; i < plan.n_phases; i++)
                for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
                    check(&plan.phases[i], sizes[s]);
        }
        fixture_free(&fixtures[f]);
    }
}

static void check_padding(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t parts = phase->divisor * phase->group.n_ranks;
    uint64_t block_bytes = coll_block_bytes(phase, chunk_bytes);
    uint64_t n_sent = 0;
    CollStep step;

    assert_int_equal(coll_phase_bytes(phase, chunk_bytes),
                     (chunk_bytes + phase->divisor - 1) / phase->divisor);
    assert_int_equal(block_bytes, (chunk_bytes + parts - 1) / parts);
    for (uint32_t s = 0; s < phase->n_steps; s++) {
        phase->algorithm->step(&phase->group, 0, s, &step);
        n_sent += step.n_blocks;
    }
    assert_int_equal(coll_sent_bytes(phase, chunk_bytes), n_sent * block_bytes);
}

static void test_blocks_are_padded_to_whole_bytes(void **state)
{
    (void)state;
    for_each_phase(check_padding);
}

static void check_lanes(const CollPhase *phase, uint64_t chunk_bytes)
{
    static const uint64_t limits[] = { 1, 100, 8 * KIB, 1 << 30 };
    uint64_t most = coll_block_bytes(phase, chunk_bytes) * phase->max_blocks;

    for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
        uint64_t n = (most + limits[i] - 1) / limits[i];
        uint64_t n_lanes = MIN(n, COLL_MAX_LANES);

        assert_int_equal(coll_n_lanes(phase, chunk_bytes, limits[i]), n_lanes);
        assert_int_equal(coll_lane_bytes(phase, chunk_bytes, phase->max_blocks,
                                         (uint32_t)n_lanes),
                         (most + n_lanes - 1) / n_lanes);
    }
}

static void test_lanes_keep_messages_within_the_message_size(void **state)
{
    (void)state;
    for_each_phase(check_lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_of_whole_plans_on_tori),
        cmocka_unit_test(test_replay_of_plans_on_groups_of_all),
        cmocka_unit_test(test_replay_of_every_order_of_three_dimensions),
        cmocka_unit_test(test_a_torus_is_planned_dimension_by_dimension),
        cmocka_unit_test(test_neither_size_1_nor_one_npu_has_a_phase),
        cmocka_unit_test(test_a_switch_halves_and_doubles_powers_of_two),
        cmocka_unit_test(test_only_rings_of_two_directions_may_be_reversed),
        cmocka_unit_test(test_ranks_and_peers_are_those_along_the_dimension),
        cmocka_unit_test(test_the_platforms_of_the_paper_send_what_it_says),
        cmocka_unit_test(test_blocks_are_padded_to_whole_bytes),
        cmocka_unit_test(test_lanes_keep_messages_within_the_message_size),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
