/* test_role_set.c - tests of workloads/role_set.h against plain bitmaps */
#include "tests/test.h"

#include "workloads/role_set.h"
#include "workloads/roles_and_groups.h"

#define N_ROLES 200

typedef struct {
    gboolean has[N_ROLES];
} Bitmap;

/* A set and the bitmap that it has to be equal to. */
typedef struct {
    const RoleSet *set;
    Bitmap map;
} Pair;

/* Checks all queries of the set. */
static void assert_pair(const Pair *pair)
{
    uint32_t n = 0, last = ROLE_SET_END;

    for (uint32_t r = 0; r < N_ROLES; r++) {
        assert_int_equal(role_set_has(pair->set, r), pair->map.has[r]);
        assert_int_equal(role_set_index_of_role(pair->set, r), n);
        if (pair->map.has[r]) {
            assert_int_equal(last == ROLE_SET_END
                                 ? role_set_first(pair->set)
                                 : role_set_next(pair->set, last),
                             r);
            last = r;
            n++;
        }
    }
    assert_int_equal(role_set_n_roles(pair->set), n);
    assert_int_equal(role_set_has_one_role(pair->set), n == 1);
    if (n == 0) {
        assert_null(pair->set);
        assert_int_equal(role_set_first(pair->set), ROLE_SET_END);
        return;
    }
    assert_int_equal(role_set_next(pair->set, last), ROLE_SET_END);
    assert_true(role_set_is_equal(pair->set, last) == (n == 1));
    assert_false(role_set_has(pair->set, OP_MAX_ROLES - 1));
    assert_int_equal(role_set_index_of_role(pair->set, OP_MAX_ROLES - 1), n);
}

/* Draws sets of neighbours, of few roles and of half of all. */
static Pair draw_pair_of_role_sets(RoleSets *sets, GRand *rand)
{
    uint32_t first = (uint32_t)g_rand_int_range(rand, 0, N_ROLES);
    uint32_t end = (uint32_t)g_rand_int_range(rand, (gint)first, N_ROLES + 1);
    double share = g_rand_boolean(rand) ? 1 : g_rand_double(rand);
    Pair pair = { .set = NULL };

    for (uint32_t r = first; r < end; r++) {
        if (g_rand_double(rand) >= share)
            continue;
        pair.set = role_sets_add_role(sets, pair.set, r);
        pair.map.has[r] = TRUE;
    }
    return pair;
}

/* The operations on two sets, and on two bits. */
typedef struct {
    const RoleSet *(*of_sets)(RoleSets *, const RoleSet *, const RoleSet *);
    guint8 of_bits[4]; /* by 2 * a + b */
} Operation;

static const Operation operations[] = {
    { role_sets_union, { 0, 1, 1, 1 } },
    { role_sets_difference, { 0, 0, 1, 0 } },
    { role_sets_intersection, { 0, 0, 0, 1 } },
};

static void check_set_operations(RoleSets *sets, const Pair *a, const Pair *b)
{
    gboolean contains = TRUE, reduction_role = FALSE, are_equal = TRUE;

    for (guint i = 0; i < G_N_ELEMENTS(operations); i++) {
        const Operation *operation = &operations[i];
        Pair result = { .set = operation->of_sets(sets, a->set, b->set) };

        for (uint32_t r = 0; r < N_ROLES; r++)
            result.map.has[r] =
                operation->of_bits[2 * a->map.has[r] + b->map.has[r]];
        assert_pair(&result);
    }
    for (uint32_t r = 0; r < N_ROLES; r++) {
        contains &= a->map.has[r] || !b->map.has[r];
        reduction_role |= a->map.has[r] && b->map.has[r];
        are_equal &= a->map.has[r] == b->map.has[r];
    }
    assert_int_equal(role_set_contains(a->set, b->set), contains);
    assert_int_equal(role_set_intersects(a->set, b->set), reduction_role);
    assert_int_equal(a->set == b->set, are_equal);
}

static void check_shifted_role_sets(RoleSets *sets, const Pair *a, uint32_t by)
{
    g_autoptr(RoleSets) others = role_sets_new();
    const RoleSet *shifted = role_sets_shifted(others, a->set, by);

    assert_int_equal(role_set_n_roles(shifted), role_set_n_roles(a->set));
    for (uint32_t r = 0; r < N_ROLES; r++)
        assert_int_equal(role_set_has(shifted, r + by), a->map.has[r]);
    assert_ptr_equal(role_sets_shifted(sets, a->set, 0), a->set);
}

static void test_sets_are_like_bitmaps(void **state)
{
    enum { N_PAIRS = 40 };
    g_autoptr(RoleSets) sets = role_sets_new();
    g_autofree Pair *pairs = g_new(Pair, N_PAIRS);
    GRand *rand = g_rand_new_with_seed(1);

    (void)state;
    for (guint i = 0; i < N_PAIRS; i++) {
        pairs[i] = draw_pair_of_role_sets(sets, rand);
        assert_pair(&pairs[i]);
        check_shifted_role_sets(sets, &pairs[i],
                                (uint32_t)g_rand_int_range(rand, 0, 300));
    }
    for (guint i = 0; i < N_PAIRS; i++)
        for (guint j = 0; j < N_PAIRS; j++)
            check_set_operations(sets, &pairs[i], &pairs[j]);
    g_rand_free(rand);
}

static void test_equal_sets_are_one(void **state)
{
    g_autoptr(RoleSets) sets = role_sets_new();
    const RoleSet *ends =
        role_sets_add_role(sets, role_sets_of_one_role(sets, 0), 130);

    (void)state;
    assert_ptr_equal(
        ends, role_sets_add_role(sets, role_sets_of_one_role(sets, 130), 0));
    assert_ptr_equal(
        role_sets_difference(sets, ends, role_sets_of_one_role(sets, 0)),
        role_sets_of_one_role(sets, 130));
    assert_null(role_sets_difference(sets, ends, ends));
    assert_null(role_sets_intersection(sets, role_sets_of_one_role(sets, 64),
                                       role_sets_of_one_role(sets, 0)));
    assert_null(role_sets_first_n(sets, 0));
    assert_ptr_equal(role_sets_first_n(sets, 1),
                     role_sets_of_one_role(sets, 0));
    assert_int_equal(role_set_n_roles(role_sets_first_n(sets, 64)), 64);
    assert_int_equal(role_sets_first_n(sets, 64)->n_words, 1);
    assert_int_equal(role_sets_first_n(sets, 65)->n_words, 2);
}

static void test_the_last_role_has_a_small_set(void **state)
{
    g_autoptr(RoleSets) sets = role_sets_new();
    const RoleSet *last = role_sets_of_one_role(sets, OP_MAX_ROLES - 1);
    const RoleSet *all = role_sets_first_n(sets, OP_MAX_ROLES);

    (void)state;
    assert_int_equal(last->n_words, 1);
    assert_true(role_set_is_equal(last, OP_MAX_ROLES - 1));
    assert_int_equal(role_set_n_roles(all), OP_MAX_ROLES);
    assert_int_equal(role_set_index_of_role(all, OP_MAX_ROLES - 1),
                     OP_MAX_ROLES - 1);
    assert_true(role_set_contains(all, last));
    assert_ptr_equal(role_sets_shifted(sets, role_sets_of_one_role(sets, 1),
                                       OP_MAX_ROLES - 2),
                     last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_are_like_bitmaps),
        cmocka_unit_test(test_equal_sets_are_one),
        cmocka_unit_test(test_the_last_role_has_a_small_set),
    };

    return cmocka_run_group_tests_name("role sets", tests, NULL, NULL);
}
