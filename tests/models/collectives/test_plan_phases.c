/* test_plan_phases.c - Tests of models/collectives/collective_plan.c: the
 * phases of a plan, and the number of bytes of each. */
#include "tests/models/collectives/plan_fixture.h"

#define KIB UINT64_C(1024)

static CollPlan plan_for_kind(const Fixture *f, CollKind kind)
{
    GError *error = NULL;
    CollPlan plan;

    if (!plan_for_fixture(&plan, f, kind, COLL_AUTO, &error))
        fail_msg("%s", error->message);
    return plan;
}

/* Compares the plan of each kind with @expected, and frees @f. "rs0/1 ar1/4
 * ag0/1" gives kind, dimension and divisor of each phase, followed by the
 * algorithm unless it is ring. */
static void assert_plan_texts(Fixture f,
                              const char *const expected[COLL_N_KINDS])
{
    static const char *const kinds[] = { "rs", "ag", "ar", "aa", "bc", "re",
                                         "ga", "sc", "ba", "av", "sh" };

    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        CollPlan plan = plan_for_kind(&f, kind);
        g_autoptr(GString) text = g_string_new(NULL);

        for (uint32_t i = 0; i < plan.n_phases; i++) {
            const CollPhase *phase = &plan.phases[i];
            const char *name = phase->algorithm->name;

            g_string_append_printf(text, " %s%u/%" G_GUINT64_FORMAT "%s%s",
                                   kinds[phase->group.kind], phase->dim,
                                   phase->divisor,
                                   phase->algorithm == &coll_ring ? "" : " ",
                                   phase->algorithm == &coll_ring ? "" : name);
        }
        assert_int_equal(plan.kind, coll_contract(kind)->done_as);
        assert_string_equal(g_strstrip(text->str), expected[kind]);
    }
    platform_fixture_free(&f);
}

/* The plans of rooted collectives, of a barrier, of an all-to-allv without
 * weights, and of a shift, on dimension 0 or on all NPUs. */
#define ALONG_RINGS                                                            \
    "bc0/1 grid-chain", "re0/1 grid-chain", "ga0/1 linear", "sc0/1 linear",    \
        "ag0/1 bruck", "aa0/1 direct", "sh0/1 shift"
#define ALONG_TREES                                                            \
    "bc0/1 double-binary-tree", "re0/1 double-binary-tree", "ga0/1 linear",    \
        "sc0/1 linear", "ag0/1 bruck", "aa0/1 direct", "sh0/1 shift"

static void test_a_torus_plan_has_a_phase_per_dimension(void **state)
{
    static const char *const expected[] = { "rs0/1 rs1/4 rs2/12",
                                            "ag2/12 ag1/4 ag0/1",
                                            "rs0/1 ar1/4 ar2/4 ag0/1",
                                            "aa0/1 direct", ALONG_RINGS };

    (void)state;
    assert_plan_texts(torus_fixture_new(SIZES(4, 3, 2), "both"), expected);
}

static void test_dimensions_of_size_1_have_no_phase(void **state)
{
    static const char *const two[] = { "rs1/1 rs3/4", "ag3/4 ag1/1",
                                       "rs1/1 ar3/4 ag1/1", "aa0/1 direct",
                                       ALONG_RINGS };
    static const char *const none[] = { "", "", "", "", "", "",
                                        "", "", "", "", "" };

    (void)state;
    assert_plan_texts(torus_fixture_new(SIZES(1, 4, 1, 3, 1), "both"), two);
    assert_plan_texts(torus_fixture_new(SIZES(1, 1), "both"), none);
    assert_plan_texts(platform_fixture_new(GROUP("switch", 1)), none);
    assert_plan_texts(platform_fixture_new(GROUP("fully-connected", 1)), none);
}

static void
test_a_switch_plan_uses_halving_doubling_for_powers_of_two(void **state)
{
    static const char *const eight[] = { "rs0/1 halving-doubling",
                                         "ag0/1 halving-doubling",
                                         "ar0/1 halving-doubling",
                                         "aa0/1 direct", ALONG_TREES };
    static const char *const six[] = { "rs0/1", "ag0/1", "ar0/1",
                                       "aa0/1 direct", ALONG_TREES };

    (void)state;
    assert_plan_texts(platform_fixture_new(GROUP("switch", 8)), eight);
    assert_plan_texts(platform_fixture_new(GROUP("switch", 6)), six);
}

static void test_only_bidirectional_rings_may_be_reversed(void **state)
{
    Fixture f =
        platform_fixture_new("{ kind: torus, dims: [{ size: 4, " LINK " }, "
                             "{ size: 3, direction: one, " LINK " }] }");
    CollPlan plan = plan_for_kind(&f, COLL_REDUCE_SCATTER);

    (void)state;
    assert_true(plan.phases[0].may_reverse);
    assert_true(plan.phases[0].mirrored.backwards);
    assert_false(plan.phases[0].group.backwards);
    assert_false(plan.phases[1].may_reverse);
    platform_fixture_free(&f);
}

static void test_ranks_and_peers_follow_the_dimension(void **state)
{
    Fixture f = torus_fixture_new(SIZES(3, 4, 2), "both");
    CollPlan plan = plan_for_kind(&f, COLL_REDUCE_SCATTER);

    (void)state;
    /* The coordinates of NPU 11 are (2, 3, 0). */
    for (uint32_t r = 0; r < 2; r++) {
        assert_int_equal(coll_rank_of_npu(&plan.phases[0], 11 + 12 * r), 2);
        assert_int_equal(coll_rank_of_npu(&plan.phases[1], 11 + 12 * r), 3);
        assert_int_equal(coll_rank_of_npu(&plan.phases[2], 11 + 12 * r), r);
        assert_int_equal(coll_npu_of_rank(&plan.phases[0], 11, r), r + 3 * 3);
        assert_int_equal(coll_npu_of_rank(&plan.phases[1], 11, r), 2 + 3 * r);
        assert_int_equal(coll_npu_of_rank(&plan.phases[2], 11, r), 11 + 12 * r);
    }
    platform_fixture_free(&f);
}

static void
test_plans_for_paper_platforms_send_the_published_bytes(void **state)
{
    static const struct {
        uint32_t sizes[TOPOLOGY_MAX_DIMS];
        /* The expected bytes are sent for a payload of 64 KiB. */
        uint64_t sent_bytes;
    } cases[] = {
        { { 4, 2, 2 }, 128 * KIB },
        { { 4, 4, 2 }, 136 * KIB },
        { { 4, 4, 4 }, 144 * KIB },
        { { 4, 8, 4 }, 148 * KIB },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Fixture f = torus_fixture_new(cases[i].sizes, "both");
        CollPlan plan = plan_for_kind(&f, COLL_ALL_REDUCE);
        uint64_t sent_bytes = 0;

        for (uint32_t p = 0; p < plan.n_phases; p++)
            sent_bytes += coll_sent_bytes(&plan.phases[p], 64 * KIB);
        assert_int_equal(sent_bytes, cases[i].sent_bytes);
        platform_fixture_free(&f);
    }
}

/* Checks a phase. for_each_plan_phase() calls it with sizes that the number of
 * blocks does not divide. */
typedef void (*PhaseCheck)(const CollPhase *phase, uint64_t chunk_bytes);

static void for_each_plan_phase(PhaseCheck check)
{
    static const uint64_t sizes[] = { 1, 7, 63, 64, 65, 64 * KIB, 123456789 };
    Fixture fixtures[] = { torus_fixture_new(SIZES(3, 4, 2), "both"),
                           platform_fixture_new(GROUP("switch", 16)) };

    for (gsize f = 0; f < G_N_ELEMENTS(fixtures); f++) {
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
            CollPlan plan = plan_for_kind(&fixtures[f], kind);

            for (uint32_t i = 0; i < plan.n_phases; i++)
                for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
                    check(&plan.phases[i], sizes[s]);
        }
        platform_fixture_free(&fixtures[f]);
    }
}

static void check_block_padding(const CollPhase *phase, uint64_t chunk_bytes)
{
    uint64_t parts = phase->divisor * phase->n_blocks;
    uint64_t block_bytes = coll_block_bytes(phase, chunk_bytes);
    uint64_t n_sent = 0;
    CollStep step;

    assert_int_equal(coll_phase_bytes(phase, chunk_bytes),
                     (chunk_bytes + phase->divisor - 1) / phase->divisor);
    assert_int_equal(block_bytes, (chunk_bytes + parts - 1) / parts);
    for (uint32_t s = 0; s < phase->n_steps; s++) {
        phase->algorithm->step(&phase->group, phase->sample_rank, s, &step);
        n_sent += step.n_blocks;
    }
    assert_int_equal(coll_sent_bytes(phase, chunk_bytes), n_sent * block_bytes);
}

static void test_blocks_are_padded_to_whole_bytes(void **state)
{
    (void)state;
    for_each_plan_phase(check_block_padding);
}

static void check_message_lanes(const CollPhase *phase, uint64_t chunk_bytes)
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
    for_each_plan_phase(check_message_lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_torus_plan_has_a_phase_per_dimension),
        cmocka_unit_test(test_dimensions_of_size_1_have_no_phase),
        cmocka_unit_test(
            test_a_switch_plan_uses_halving_doubling_for_powers_of_two),
        cmocka_unit_test(test_only_bidirectional_rings_may_be_reversed),
        cmocka_unit_test(test_ranks_and_peers_follow_the_dimension),
        cmocka_unit_test(
            test_plans_for_paper_platforms_send_the_published_bytes),
        cmocka_unit_test(test_blocks_are_padded_to_whole_bytes),
        cmocka_unit_test(test_lanes_keep_messages_within_the_message_size),
    };

    return cmocka_run_group_tests_name("plan_phases", tests, NULL, NULL);
}
