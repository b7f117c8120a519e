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
        const PlacedTensorPart *part =
            &g_array_index(parts, PlacedTensorPart, i);

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

/* Pieces of at most 100 B have the keys 65536 x tensor + piece, with tensors in
 * the order of the network: 0, 65536, 131072, 196608, 262144 to 262147, 327680.
 * 33 and 48 are 1 and 0 modulo 8, so that for 8 servers the hash djb2 is 5381,
 * or 5, plus the sum of the digits. */
static void test_tensor_pieces_are_spread_by_a_hash_of_their_key(void **state)
{
    (void)state;
    assert_placement("partition", tensors, 6, 8,
                     "7 0/100 of 1 1/100 of 1 2/100 of 1 3/100 of 1 3 3 6 5");
    assert_placement("partition", (const uint64_t[]){ 250 }, 1, 2,
                     "1/100 of 0 0/100 of 0 1/50 of 0");
}

/* Weights that alternate with biases are on all servers, as numbers of pieces
 * modulo an even number of servers would not be. */
static void test_alternating_sizes_are_spread_over_all_servers(void **state)
{
    enum { N_TENSORS = 200, N_SERVERS = 8, LARGE = 2400000 };
    uint64_t bytes[N_TENSORS], loads[N_SERVERS] = { 0 };
    const PlacementTask task = { .bytes = bytes,
                                 .n = N_TENSORS,
                                 .n_servers = N_SERVERS,
                                 .partition_bytes = 4096000 };
    g_autoptr(GArray) parts = NULL;

    (void)state;
    for (guint i = 0; i < N_TENSORS; i++)
        bytes[i] = i % 2 ? LARGE : 4;
    parts = placement_place_tensors(PLACEMENT_PARTITION, &task);
    for (guint i = 0; i < parts->len; i++) {
        const PlacedTensorPart *part =
            &g_array_index(parts, PlacedTensorPart, i);

        loads[part->server] += part->bytes;
    }
    for (guint i = 0; i < N_SERVERS; i++) {
        assert_true(loads[i] > N_TENSORS / 2 * LARGE / N_SERVERS / 2);
        assert_true(loads[i] < N_TENSORS / 2 * LARGE / N_SERVERS * 2);
    }
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
        cmocka_unit_test(test_tensor_pieces_are_spread_by_a_hash_of_their_key),
        cmocka_unit_test(test_alternating_sizes_are_spread_over_all_servers),
        cmocka_unit_test(test_tensor_pieces_may_be_balanced_by_load),
    };

    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
