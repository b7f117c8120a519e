/* test_group_members.c - Tests of models/collectives/group_members.h against
 * brute force. */
#include "tests/models/collectives/plan_fixture.h"

#include "models/collectives/group_members.h"

/* Checks the properties that all ways to divide NPUs into groups must have. */
static void check_group_partition(const CollMembers *members)
{
    g_autofree gboolean *seen = g_new0(gboolean, members->n_npus);
    uint32_t n = 0;

    for (uint32_t g = 0; g < members->n_groups; g++)
        for (uint32_t r = 0; r < members->n_ranks; r++) {
            uint32_t id = coll_members_npu_of_rank(members, g, r);

            assert_true(id < members->n_npus && !seen[id]);
            seen[id] = TRUE;
            n++;
            assert_true(coll_members_contain(members, id));
            assert_int_equal(coll_members_group_of_npu(members, id), g);
            assert_int_equal(coll_members_rank_of_npu(members, id), r);
            for (uint32_t q = 0; q < members->n_ranks; q++)
                assert_int_equal(coll_members_npu_in_same_group(members, id, q),
                                 coll_members_npu_of_rank(members, g, q));
        }
    for (uint32_t id = 0; id < members->n_npus; id++)
        assert_int_equal(coll_members_contain(members, id), seen[id]);
    assert_int_equal(n, members->n_ranks * members->n_groups);
}

static CollMembers members_of_group(const Fixture *f, const OpGroup *group)
{
    GError *error = NULL;
    CollMembers m;

    if (!coll_members_init(&m, group, f->topology, &error))
        fail_msg("%s", error->message);
    return m;
}

static uint32_t coordinate_of_npu_in_dimension(const uint32_t *sizes,
                                               uint32_t dim, uint32_t id)
{
    for (uint32_t d = 0; d < dim; d++)
        id /= sizes[d];
    return id % sizes[dim];
}

/* NPUs are in the same group exactly if they agree in all dimensions outside
 * @mask. Ranks count the coordinates inside @mask, the first dimension
 * fastest. */
static void check_groups_of_dimensions(const CollMembers *members,
                                       const uint32_t *sizes, uint32_t n_dims,
                                       uint32_t mask)
{
    for (uint32_t a = 0; a < members->n_npus; a++) {
        uint32_t rank = 0, n = 1;

        for (uint32_t d = 0; d < n_dims; d++) {
            if (!(mask >> d & 1))
                continue;
            rank += coordinate_of_npu_in_dimension(sizes, d, a) * n;
            n *= sizes[d];
        }
        assert_int_equal(members->n_ranks, n);
        assert_int_equal(coll_members_rank_of_npu(members, a), rank);
        for (uint32_t b = 0; b < members->n_npus; b++) {
            gboolean in_same_group = TRUE;

            for (uint32_t d = 0; d < n_dims; d++)
                in_same_group &=
                    mask >> d & 1 ||
                    coordinate_of_npu_in_dimension(sizes, d, a) ==
                        coordinate_of_npu_in_dimension(sizes, d, b);
            assert_int_equal(coll_members_group_of_npu(members, a) ==
                                 coll_members_group_of_npu(members, b),
                             in_same_group);
        }
    }
}

static void test_ranks_along_dimensions_are_coordinates(void **state)
{
    static const uint32_t shapes[][5] = {
        { 8 }, { 4, 3 }, { 2, 3, 4 }, { 2, 1, 3, 2 }, { 2, 3, 2, 2, 3 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(shapes); i++) {
        Fixture f = torus_fixture_new(shapes[i], "both");
        uint32_t n_dims = topology_n_dims(f.topology);

        for (uint32_t mask = 1; mask < 1U << n_dims; mask++) {
            OpGroup group = { .grouped_by = GROUP_DIMS, .dims_mask = mask };
            CollMembers m = members_of_group(&f, &group);
            uint32_t found;

            check_group_partition(&m);
            check_groups_of_dimensions(&m, shapes[i], n_dims, mask);
            assert_true(
                coll_members_fill_whole_dims(&m, shapes[i], n_dims, &found));
            for (uint32_t d = 0; d < n_dims; d++)
                assert_int_equal(found >> d & 1,
                                 (mask >> d & 1) && shapes[i][d] > 1);
        }
        platform_fixture_free(&f);
    }
}

static void test_a_strided_group_is_one_digit_of_the_npu_id(void **state)
{
    Fixture f = platform_fixture_new(GROUP("switch", 24));

    (void)state;
    for (uint32_t size = 1; size <= 24; size++)
        for (uint32_t stride = 1; stride <= 24; stride++) {
            OpGroup group = { .grouped_by = GROUP_STRIDE,
                              .size = size,
                              .stride = stride,
                              .node = config_doc_root(f.doc) };
            CollMembers m;

            if (24 % (size * stride) != 0) {
                assert_false(coll_members_init(&m, &group, f.topology, NULL));
                continue;
            }
            m = members_of_group(&f, &group);
            check_group_partition(&m);
            for (uint32_t id = 0; id < 24; id++) {
                uint32_t rank = coll_members_rank_of_npu(&m, id);

                assert_int_equal(rank, id / stride % size);
                if (rank + 1 < size)
                    assert_int_equal(
                        coll_members_npu_in_same_group(&m, id, rank + 1),
                        id + stride);
            }
        }
    platform_fixture_free(&f);
}

static void test_group_lists_may_leave_npus_out(void **state)
{
    uint32_t ids[] = { 7, 0, 3, 2, 5, 1 };
    OpGroup group = {
        .grouped_by = GROUP_LISTS, .size = 3, .n_lists = 2, .ids = ids
    };
    Fixture f = platform_fixture_new(GROUP("switch", 8));
    CollMembers m = members_of_group(&f, &group);

    (void)state;
    check_group_partition(&m);
    assert_false(coll_members_contain(&m, 4));
    assert_int_equal(coll_members_rank_of_npu(&m, 3), 2);
    assert_int_equal(coll_members_npu_in_same_group(&m, 3, 0), 7);
    assert_int_equal(coll_members_group_of_npu(&m, 1), 1);
    coll_members_clear(&m);
    platform_fixture_free(&f);
}

static void test_all_npus_are_one_group(void **state)
{
    Fixture f = torus_fixture_new(SIZES(2, 3), "both");
    OpGroup group = { .grouped_by = GROUP_ALL };
    CollMembers m = members_of_group(&f, &group);

    (void)state;
    check_group_partition(&m);
    for (uint32_t id = 0; id < 6; id++)
        assert_int_equal(coll_members_rank_of_npu(&m, id), id);
    platform_fixture_free(&f);
}

static void test_part_of_a_dimension_is_not_a_dimension_group(void **state)
{
    static const struct {
        uint32_t size, stride, are_dims, mask;
    } cases[] = {
        { 2, 1, 0, 0 },  { 4, 1, 1, 1 }, { 8, 1, 0, 0 },
        { 16, 1, 1, 3 }, { 2, 4, 0, 0 }, { 4, 4, 1, 2 },
        { 4, 2, 0, 0 },  { 2, 8, 0, 0 }, { 1, 1, 1, 0 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        CollMembers m =
            coll_members_by_stride(16, cases[i].size, cases[i].stride);
        uint32_t mask;

        assert_int_equal(
            coll_members_fill_whole_dims(&m, SIZES(4, 4), 2, &mask),
            cases[i].are_dims);
        if (cases[i].are_dims)
            assert_int_equal(mask, cases[i].mask);
    }
}

static void assert_group_refused(const char *topology, OpGroup group,
                                 const char *message)
{
    Fixture f = platform_fixture_new(topology);
    GError *error = NULL;
    CollMembers m;

    group.node = config_doc_root(f.doc);
    assert_false(coll_members_init(&m, &group, f.topology, &error));
    assert_non_null(strstr(error->message, message));
    g_error_free(error);
    platform_fixture_free(&f);
}

static void test_groups_outside_the_platform_are_refused(void **state)
{
    uint32_t twice[] = { 0, 1, 1, 2 }, far[] = { 0, 8 };

    (void)state;
    assert_group_refused(
        GROUP("switch", 8),
        (OpGroup){ .grouped_by = GROUP_DIMS, .dims_mask = 6 },
        "t.yaml:1:1: dims: the platform has 1 dimension, counted from 0");
    assert_group_refused(
        GROUP("switch", 8),
        (OpGroup){ .grouped_by = GROUP_STRIDE, .size = 3, .stride = 2 },
        "size: 3 NPUs at a stride of 2 do not divide the platform's 8");
    assert_group_refused(
        GROUP("switch", 8),
        (OpGroup){
            .grouped_by = GROUP_LISTS, .size = 2, .n_lists = 2, .ids = twice },
        "ranks: NPU 1 is listed twice");
    assert_group_refused(
        GROUP("switch", 8),
        (OpGroup){
            .grouped_by = GROUP_LISTS, .size = 2, .n_lists = 1, .ids = far },
        "ranks: there is no NPU 8 on a platform of 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_along_dimensions_are_coordinates),
        cmocka_unit_test(test_a_strided_group_is_one_digit_of_the_npu_id),
        cmocka_unit_test(test_group_lists_may_leave_npus_out),
        cmocka_unit_test(test_all_npus_are_one_group),
        cmocka_unit_test(test_part_of_a_dimension_is_not_a_dimension_group),
        cmocka_unit_test(test_groups_outside_the_platform_are_refused),
    };

    return cmocka_run_group_tests_name("members", tests, NULL, NULL);
}
