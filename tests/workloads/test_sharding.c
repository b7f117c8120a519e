/*
 * test_sharding.c - which weights are communicated together, what the step and
 * the next forward pass wait for, and which sharding divides more
 */
#include "tests/test.h"
#include "workloads/programs/program_ops.h"
#include "workloads/sharding/segment_shards.h"
#include "workloads/sharding/sharding.h"

#define FIRST_READY 100 /* the operation that completes the first group */

/* An update segment with the operations that a sharding adds. */
typedef struct {
    Segment *segment;   /* owned */
    GPtrArray *owned;   /* owned: parameters of the operations */
    GArray *gathers;    /* owned: of ShardedGather */
    GArray *reductions; /* owned: indices of collectives before the step */
    uint32_t step;      /* index of the step, the only kernel */
    uint32_t end;       /* operation with which the update ends */
} UpdateFixture;

static const ProgramShared *collective_at(const UpdateFixture *f, uint32_t op)
{
    return g_array_index(f->segment->ops, SegmentOp, op).op.params;
}

/* Adds the update of @n_groups groups of @n_weights weights each, on @n_ranks
 * ranks. */
static void update_fixture_init(UpdateFixture *f, const Sharding *sharding,
                                guint n_groups, uint64_t n_weights,
                                uint32_t n_ranks)
{
    g_autofree ShardedGroup *groups = g_new0(ShardedGroup, n_groups);
    static const uint32_t backward[] = { 0 };
    SegmentBuilder b = { 0 };
    const SegmentShards shards = segment_shards(&b, "update", backward);
    ShardedUpdate added;
    ShardedWeights weights = {
        .ranks = { .axes = "dp", .n_ranks = n_ranks, .n_copies = 1 },
        .groups = groups,
        .n_groups = n_groups,
        .n_backward = 1,
        .backward_exit = { FIRST_READY + n_groups },
        .step = { .weight_bytes = 2, .gradient_bytes = 4 },
        .optimiser = OPTIMISER_NONE,
    };

    f->segment = segment_new("update", NULL);
    f->owned = g_ptr_array_new_with_free_func(g_free);
    f->gathers = g_array_new(FALSE, FALSE, sizeof(ShardedGather));
    f->reductions = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    b.segment = f->segment;
    b.owned = f->owned;
    for (guint g = 0; g < n_groups; g++)
        groups[g] = (ShardedGroup){ .n_weights = n_weights,
                                    .ready = { FIRST_READY + g } };
    added = sharding_add_update(sharding, &shards.base, &weights, f->gathers);
    f->end = added.end;
    for (f->step = 0; f->step < f->segment->ops->len; f->step++) {
        const SegmentOp *op =
            &g_array_index(f->segment->ops, SegmentOp, f->step);

        if (g_str_equal(op->op.kind->name, "kernel"))
            break;
        g_array_append_val(f->reductions, f->step);
    }
}

static void update_fixture_clear(UpdateFixture *f)
{
    segment_free(f->segment);
    g_ptr_array_unref(f->owned);
    g_array_unref(f->gathers);
    g_array_unref(f->reductions);
}

/* Checks that reduction number @i has the gradients of @n_weights weights and
 * waits for operation @ready of the backward pass alone. */
static void assert_reduction(const UpdateFixture *f, guint i,
                             uint64_t n_weights, uint32_t ready)
{
    uint32_t at = g_array_index(f->reductions, uint32_t, i);
    const SegmentOp *op = &g_array_index(f->segment->ops, SegmentOp, at);

    assert_int_equal(collective_at(f, at)->collective, COLL_REDUCE_SCATTER);
    assert_int_equal(collective_at(f, at)->bytes, 4 * n_weights);
    assert_int_equal(op->deps->len, 1);
    assert_int_equal(g_array_index(op->deps, SegmentDep, 0).op, ready);
}

/* Checks that gather number @i begins with group @group and has @n_weights. */
static void assert_gather(const UpdateFixture *f, guint i, guint group,
                          uint64_t n_weights)
{
    const ShardedGather *gather = &g_array_index(f->gathers, ShardedGather, i);

    assert_int_equal(gather->group, group);
    assert_int_equal(collective_at(f, gather->op)->collective, COLL_ALL_GATHER);
    assert_int_equal(collective_at(f, gather->op)->bytes, 2 * n_weights);
}

static const Sharding overlapped = { .states = TRUE,
                                     .overlaps = TRUE,
                                     .bucket_weights = 20 };

static void test_buckets_are_filled_from_both_ends(void **state)
{
    UpdateFixture f;

    (void)state;
    update_fixture_init(&f, &overlapped, 5, 10, 4);
    assert_int_equal(f.reductions->len, 3);
    assert_reduction(&f, 0, 20, FIRST_READY + 3);
    assert_reduction(&f, 1, 20, FIRST_READY + 1);
    assert_reduction(&f, 2, 10, FIRST_READY);
    assert_int_equal(f.gathers->len, 3);
    assert_gather(&f, 0, 0, 20);
    assert_gather(&f, 1, 2, 20);
    assert_gather(&f, 2, 4, 10);
    update_fixture_clear(&f);
}

/* The next iteration would otherwise wait for the gathers. */
static void test_an_update_ends_with_its_step_if_gathers_overlap(void **state)
{
    static const Sharding plain = { .states = TRUE,
                                    .bucket_weights = CONFIG_AUTO };
    UpdateFixture f;

    (void)state;
    update_fixture_init(&f, &overlapped, 5, 10, 4);
    assert_int_equal(f.end, f.step);
    update_fixture_clear(&f);
    update_fixture_init(&f, &plain, 5, 10, 4);
    assert_int_equal(f.reductions->len, 1);
    assert_reduction(&f, 0, 50, FIRST_READY + 5);
    assert_int_equal(f.gathers->len, 0);
    assert_int_equal(f.end, f.step + 1);
    assert_int_equal(collective_at(&f, f.step + 1)->bytes, 2 * 50);
    update_fixture_clear(&f);
}

/* MEGATRONDDP: 40 million weights, or a million for each rank. */
static void test_automatic_buckets_grow_with_the_ranks(void **state)
{
    static const Sharding automatic = { .states = TRUE,
                                        .overlaps = TRUE,
                                        .bucket_weights = CONFIG_AUTO };
    static const struct {
        uint32_t n_ranks;
        guint n_buckets;
    } cases[] = { { 8, 4 }, { 40, 4 }, { 41, 2 }, { 80, 2 }, { 81, 2 } };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        UpdateFixture f;

        update_fixture_init(&f, &automatic, 4, 40000000, cases[i].n_ranks);
        assert_int_equal(f.reductions->len, cases[i].n_buckets);
        assert_int_equal(f.gathers->len, cases[i].n_buckets);
        update_fixture_clear(&f);
    }
}

static void test_a_single_rank_communicates_nothing(void **state)
{
    UpdateFixture f;

    (void)state;
    update_fixture_init(&f, &overlapped, 5, 10, 1);
    assert_int_equal(f.segment->ops->len, 1);
    assert_int_equal(f.gathers->len, 0);
    update_fixture_clear(&f);
}

/* Only divided gradients are reduced in each micro-batch, so only those need
 * overlap. */
static void test_the_next_sharding_divides_more(void **state)
{
    static const char *const names[] = { "replicated", "zero-1", "zero-2",
                                         "fsdp" };
    const ConfigKind *kind = config_find_kind(&sharding_registry, names[0]);
    ConfigVariant shard = sharding_of_kind(kind, FALSE, NULL);

    (void)state;
    for (gsize i = 1; i < G_N_ELEMENTS(names); i++) {
        Sharding sharding;

        shard = sharding_divide_more(&shard);
        assert_string_equal(shard.kind->name, names[i]);
        sharding = sharding_of_variant(&shard);
        assert_true(sharding.states);
        assert_int_equal(sharding.gradients, i >= 2);
        assert_int_equal(sharding.weights, i >= 3);
        assert_int_equal(sharding.overlaps, i >= 2);
    }
    shard = sharding_divide_more(&shard);
    assert_null(shard.kind);
    shard.kind = config_find_kind(&sharding_registry, "hsdp");
    shard = sharding_divide_more(&shard);
    assert_string_equal(shard.kind->name, "fsdp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets_are_filled_from_both_ends),
        cmocka_unit_test(test_an_update_ends_with_its_step_if_gathers_overlap),
        cmocka_unit_test(test_automatic_buckets_grow_with_the_ranks),
        cmocka_unit_test(test_a_single_rank_communicates_nothing),
        cmocka_unit_test(test_the_next_sharding_divides_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
