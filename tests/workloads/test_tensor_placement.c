/* test_tensor_placement.c - assignments of tensors to parameter servers against
 * hand calculations */
#include "tests/test.h"

#include "workloads/exchange/servers/placement.h"

/* Returns the server of each tensor, as "0 1 0"; pieces are "SERVER/BYTES of
 * TENSOR".  The caller frees the text. */
static char *placement_text_of(int placement, const uint64_t *bytes, guint n,
                               uint32_t n_servers, uint64_t partition_bytes)
{
    const PlacementTask task = { bytes, n, n_servers, partition_bytes };
    g_autoptr(GArray) parts = placement_place_tensors(placement, &task);
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < parts->len; i++) {
        const PlacedPart *part = &g_array_index(parts, PlacedPart, i);

        g_string_append_printf(text, "%s%u", i > 0 ? " " : "", part->server);
        if (part->bytes != bytes[part->tensor])
            g_string_append_printf(text, "/%u of %u", (guint)part->bytes,
                                   part->tensor);
    }
    return g_string_free(text, FALSE);
}

static int placement_index_by_name(const char *name)
{
    int i = 0;

    while (!g_str_equal(placement_names[i], name))
        i++;
    return i;
}

static void assert_placement(const char *placement, const uint64_t *bytes,
                             guint n, uint32_t n_servers, const char *expected)
{
    g_autofree char *text = placement_text_of(
        placement_index_by_name(placement), bytes, n, n_servers, 100);

    assert_string_equal(text, expected);
}

/* The tensors are in the order of gradients, so the last tensor of the network
 * is the first here. */
static const uint64_t tensors[] = { 40, 400, 30, 20, 100, 10 };

static void test_greedy_placement_takes_the_largest_tensor_first(void **state)
{
    (void)state;
    /* Each tensor goes to the least loaded server, as size -> server (load
     * before): 400 -> 0, 100 -> 1, 40 -> 2, 30 -> 2 (40), 20 -> 2 (70), 10 -> 2
     * (90). */
    assert_placement("greedy", tensors, 6, 3, "2 0 2 2 1 2");
    assert_placement("greedy", tensors, 6, 1, "0 0 0 0 0 0");
}

static void test_in_order_placement_takes_network_order(void **state)
{
    (void)state;
    /* Each tensor goes to the least loaded server, as size -> server (load
     * before): 10 -> 0, 100 -> 1, 20 -> 2, 30 -> 0 (10), 400 -> 2 (20), 40 -> 0
     * (40). */
    assert_placement("in-order", tensors, 6, 3, "0 2 0 2 1 0");
}

static void test_round_robin_placement_alternates_servers(void **state)
{
    (void)state;
    assert_placement("round-robin", tensors, 6, 3, "2 1 0 2 1 0");
}

/* Pieces of 100 B are numbered from the first tensor of the network: 0, 1, 2,
 * 3, 4 to 7, 8.  The server is the number times 9973, modulo the number of
 * servers. 9973 is 1 modulo 3 and modulo 4, and 3 modulo 5. */
static void test_tensor_pieces_are_spread_by_their_number(void **state)
{
    (void)state;
    assert_placement("partition", tensors, 6, 3,
                     "2 1/100 of 1 2/100 of 1 0/100 of 1 1/100 of 1 0 2 1 0");
    assert_placement("partition", tensors, 6, 5,
                     "4 2/100 of 1 0/100 of 1 3/100 of 1 1/100 of 1 4 1 3 0");
    assert_placement("partition", (const uint64_t[]){ 250 }, 1, 2,
                     "0/100 of 0 1/100 of 0 0/50 of 0");
}

static void test_tensor_pieces_may_be_balanced_by_load(void **state)
{
    (void)state;
    /* The sizes in order are 40, four pieces of 100, 30, 20, 100 and 10. Each
     * goes to the less loaded of servers 0 and 1. */
    assert_placement("balanced", tensors, 6, 2,
                     "0 1/100 of 1 0/100 of 1 1/100 of 1 0/100 of 1 1 1 0 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_placement_takes_the_largest_tensor_first),
        cmocka_unit_test(test_in_order_placement_takes_network_order),
        cmocka_unit_test(test_round_robin_placement_alternates_servers),
        cmocka_unit_test(test_tensor_pieces_are_spread_by_their_number),
        cmocka_unit_test(test_tensor_pieces_may_be_balanced_by_load),
    };

    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
