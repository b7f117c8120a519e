/* Which NPUs cannot be told apart, given what is on them. */
#include "tests/network/topology_fixture.h"

#include "models/run/prepare/alike.h"

#define LINK         "links: 2, bandwidth: 25 GB/s, latency: 500 ns"
#define RING(n)      "{size: " #n ", " LINK "}"
#define TORUS(dims)  "{kind: torus, dims: [" dims "]}"
#define SWITCH(n)    "{kind: switch, npus: " #n ", " LINK "}"
#define CONNECTED(n) "{kind: fully-connected, npus: " #n ", " LINK "}"
#define MAX_NPUS     64

typedef struct {
    Topology *topology;
    Alike *alike;
    uint32_t n;
} Case;

static Case begin(const char *text)
{
    Case c = { .topology = topology_built(text) };

    c.alike = alike_new(c.topology);
    c.n = topology_n_npus(c.topology);
    assert_true(c.n <= MAX_NPUS);
    return c;
}

/* How many are simulated; @why is what is said of it, NULL for nothing. */
static void expect(Case *c, uint32_t n, const char *why)
{
    g_autofree char *said = NULL;
    g_autoptr(Fold) fold = alike_fold(c->alike, &said);

    assert_int_equal(fold_n(fold), n);
    if (why)
        assert_string_equal(said, why);
    else
        assert_null(said);
    alike_free(c->alike);
    topology_free(c->topology);
}

static CollGroup row(uint32_t n)
{
    return (CollGroup){ .n_ranks = n, .n_dims = 1, .dims = { n } };
}

static void test_nothing_on_it_leaves_one_npu(void **state)
{
    Case torus = begin(TORUS(RING(4) ", " RING(2)));
    Case star = begin(SWITCH(6));

    (void)state;
    expect(&torus, 1, NULL);
    expect(&star, 1, NULL);
}

static void test_two_stages_of_a_torus_are_two(void **state)
{
    static const uint32_t stages[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    Case c = begin(TORUS(RING(4) ", " RING(2)));
    CollMembers rows = coll_members_of_stride(8, 4, 1);
    CollMembers pairs = coll_members_of_stride(8, 2, 4);
    CollGroup grid = row(4);

    (void)state;
    alike_add_colours(c.alike, stages, "stages differ");
    alike_add_groups(c.alike, &rows, &grid, ALIKE_ROTATED, "rows differ");
    alike_add_message(c.alike, &pairs, 0, 1, "a message goes one way");
    expect(&c, 2, "stages differ");
}

static void test_two_stages_on_a_switch_are_two(void **state)
{
    static const uint32_t stages[] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    Case c = begin(SWITCH(8));
    CollMembers rows = coll_members_of_stride(8, 4, 1);
    CollMembers pairs = coll_members_of_stride(8, 2, 4);
    CollGroup grid = row(4);

    (void)state;
    alike_add_colours(c.alike, stages, "stages differ");
    alike_add_groups(c.alike, &rows, &grid, ALIKE_XORED, "rows differ");
    alike_add_message(c.alike, &pairs, 0, 1, "a message goes one way");
    expect(&c, 2, "stages differ");
}

static void test_workers_and_servers_interleaved_are_two(void **state)
{
    static const uint32_t roles[] = { 0, 1, 0, 1, 0, 1, 0, 1 };
    Case star = begin(SWITCH(8));
    Case ring = begin(TORUS(RING(8)));

    (void)state;
    alike_add_colours(star.alike, roles, "roles");
    expect(&star, 2, "roles");
    alike_add_colours(ring.alike, roles, "roles");
    expect(&ring, 2, "roles");
}

static void test_one_that_differs_leaves_none_alike(void **state)
{
    static const uint32_t slow[] = { 0, 0, 0, 1, 0, 0, 0, 0 };
    Case c = begin(TORUS(RING(8)));

    (void)state;
    alike_add_colours(c.alike, slow, "NPU 3 is slow");
    expect(&c, 8, "NPU 3 is slow");
}

static void test_groups_in_a_ring_move_as_groups(void **state)
{
    Case parts = begin(TORUS(RING(8)));
    Case every = begin(TORUS(RING(8)));
    CollMembers quarters = coll_members_of_stride(8, 4, 1);
    CollMembers alternate = coll_members_of_stride(8, 4, 2);
    CollGroup grid = row(4);

    (void)state;
    alike_add_groups(parts.alike, &quarters, &grid, ALIKE_ROTATED, "quarters");
    expect(&parts, 4, "quarters");
    alike_add_groups(every.alike, &alternate, &grid, ALIKE_ROTATED, "odd");
    expect(&every, 1, NULL);
}

static void test_ranks_that_are_told_apart_stay(void **state)
{
    Case c = begin(TORUS(RING(8)));
    Case x = begin(TORUS(RING(8)));
    CollMembers alternate = coll_members_of_stride(8, 4, 2);
    CollGroup grid = row(4);

    (void)state;
    alike_add_groups(c.alike, &alternate, &grid, ALIKE_SAME, "odd");
    expect(&c, 8, "odd");
    alike_add_groups(x.alike, &alternate, &grid, ALIKE_XORED, "odd");
    expect(&x, 4, "odd");
}

static void test_a_message_needs_its_two_ranks_only(void **state)
{
    Case c = begin(SWITCH(8));
    CollMembers fours = coll_members_of_stride(8, 4, 1);

    (void)state;
    /* 0 to 1, 4 to 5: the others have no part in it */
    alike_add_message(c.alike, &fours, 0, 1, "messages");
    expect(&c, 4, "messages");
}

static void test_crossing_dimensions_bear_all(void **state)
{
    Case c = begin(TORUS(RING(4) ", " RING(4)));
    CollMembers rows = coll_members_of_stride(16, 4, 1);
    CollMembers columns = coll_members_of_stride(16, 4, 4);
    CollGroup grid = row(4);

    (void)state;
    alike_add_groups(c.alike, &rows, &grid, ALIKE_ROTATED, "rows");
    alike_add_groups(c.alike, &columns, &grid, ALIKE_ROTATED, "columns");
    expect(&c, 1, NULL);
}

static void test_between_links_of_their_own_peers_have_names(void **state)
{
    Case c = begin(CONNECTED(8));
    CollMembers all = coll_members_of_all(8);
    CollGroup grid = row(8);

    (void)state;
    alike_add_groups(c.alike, &all, &grid, ALIKE_XORED, "XOR");
    expect(&c, 4, "XOR");
}

#define NODES(count, n)                                                        \
    "{kind: nested, count: " #count ", inner: " SWITCH(                        \
        n) ", nics: " #n                                                       \
           ", nic: {bandwidth: 50 GB/s}, rails: true, outer: " SWITCH(         \
               count) "}"

/* By XOR between nodes whoever is of one number: any order of nodes will do. */
static void test_nodes_on_a_switch_may_be_in_any_order(void **state)
{
    CollMembers across = coll_members_of_stride(32, 8, 4);
    CollMembers within = coll_members_of_stride(32, 4, 1);
    CollMembers all = coll_members_of_all(32);
    CollGroup of_8 = row(8), of_4 = row(4), of_32 = row(32);
    Case c = begin(NODES(8, 4)), slow = begin(NODES(8, 4)),
         whole = begin(NODES(8, 4));
    uint32_t colours[32] = { 0 };

    (void)state;
    alike_add_groups(c.alike, &across, &of_8, ALIKE_XORED, "across");
    alike_add_groups(c.alike, &within, &of_4, ALIKE_XORED, "within");
    expect(&c, 4,
           "a nested has 4 NPUs that are each joined in a way of their own");
    /* Not where a node is none of the others, */
    colours[4] = 1;
    alike_add_groups(slow.alike, &across, &of_8, ALIKE_XORED, "across");
    alike_add_colours(slow.alike, colours, "one is slow");
    expect(&slow, 32, "one is slow");
    /* nor where peers are of other numbers: then by XOR of nodes. */
    alike_add_groups(whole.alike, &all, &of_32, ALIKE_XORED, "whole");
    expect(&whole, 4,
           "a nested has 4 NPUs that are each joined in a way of their own");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_on_it_leaves_one_npu),
        cmocka_unit_test(test_nodes_on_a_switch_may_be_in_any_order),
        cmocka_unit_test(test_two_stages_of_a_torus_are_two),
        cmocka_unit_test(test_two_stages_on_a_switch_are_two),
        cmocka_unit_test(test_workers_and_servers_interleaved_are_two),
        cmocka_unit_test(test_one_that_differs_leaves_none_alike),
        cmocka_unit_test(test_groups_in_a_ring_move_as_groups),
        cmocka_unit_test(test_ranks_that_are_told_apart_stay),
        cmocka_unit_test(test_a_message_needs_its_two_ranks_only),
        cmocka_unit_test(test_crossing_dimensions_bear_all),
        cmocka_unit_test(test_between_links_of_their_own_peers_have_names),
    };

    return cmocka_run_group_tests_name("alike", tests, NULL, NULL);
}
