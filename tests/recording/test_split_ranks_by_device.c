/* test_split_ranks_by_device.c - tests of
 * workloads/recording/split_ranks_by_device.c */
#include "tests/recording/recording_fixture.h"

#include "workloads/recording/split_ranks_by_device.h"

/* Sets the device of the stream of @node. */
static void set_device_by_hand(RecordRank *rank, uint32_t node, uint32_t device)
{
    g_array_index(rank->streams, RecordStream, record_node(rank, node)->stream)
        .device = 1 + device;
}

/* Adds a host wait for node number @on. */
static void add_wait_by_hand(Recording *recording, RecordRank *rank,
                             const char *name, uint32_t on)
{
    add_node_by_hand(recording, rank, RECORD_WAIT,
                     RECORD_ON_HOST | RECORD_WAITS_FOR_DEPS, 1, name, 40, 9);
    record_add_dep(rank, record_node(rank, on)->id, FALSE);
}

/* Returns a recording of thread 1, which launches a kernel on device 3 and a
 * collective on device 5 and waits for both. */
static Recording *recording_of_two_devices(void)
{
    Recording *recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, RECORD_NO_RANK);
    uint32_t launch, kernel, collective;
    RecordComm *comm;

    launch = add_call_by_hand(recording, rank, "launch k", 0, 5);
    kernel = add_kernel_by_hand(recording, rank, 7, "k", 10, 20, launch);
    launch = add_call_by_hand(recording, rank, "launch c", 5, 5);
    collective =
        add_node_by_hand(recording, rank, RECORD_COLLECTIVE, 0, 8, "c", 15, 20);
    record_node(rank, collective)->launch = launch;
    comm = record_add_comm(rank, collective, COLL_ALL_TO_ALL);
    comm->in_split = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    set_device_by_hand(rank, kernel, 3);
    set_device_by_hand(rank, collective, 5);
    add_wait_by_hand(recording, rank, "wait k", kernel);
    add_wait_by_hand(recording, rank, "wait c", collective);
    rank->n_found = 6;
    return recording;
}

static void test_each_device_has_its_nodes_and_the_threads(void **state)
{
    static const char *const names[2][5] = {
        { "launch k", "k", "launch c", "wait k", "wait c" },
        { "launch k", "launch c", "c", "wait k", "wait c" },
    };
    g_autoptr(Recording) recording = recording_of_two_devices();

    (void)state;
    record_split_rank_by_device(recording, record_rank(recording, 0));
    assert_int_equal(recording->ranks->len, 2);
    assert_int_equal(recording->n_device_ranks, 2);
    assert_int_equal(recording->n_numbered, 2);
    assert_int_equal(recording->n_world, 2);
    for (guint r = 0; r < 2; r++) {
        const RecordRank *rank = record_rank(recording, r);

        assert_int_equal(rank->rank, r);
        assert_int_equal(rank->device_id, r == 0 ? 3 : 5);
        assert_int_equal(rank->n_found, r == 0 ? 6 : 0);
        assert_int_equal(rank->nodes->len, 5);
        for (uint32_t i = 0; i < 5; i++)
            assert_string_equal(record_node(rank, i)->name, names[r][i]);
        assert_int_equal(record_node(rank, r == 0 ? 1 : 2)->launch,
                         r == 0 ? 0 : 1);
    }
    assert_non_null(
        record_node_communication(record_rank(recording, 1),
                                  record_node(record_rank(recording, 1), 2))
            ->in_split);
}

/* The host was busy for that time, whichever device it waited for. */
static void test_a_wait_for_another_device_is_work_of_the_host(void **state)
{
    g_autoptr(Recording) recording = recording_of_two_devices();

    (void)state;
    record_split_rank_by_device(recording, record_rank(recording, 0));
    for (guint r = 0; r < 2; r++) {
        const RecordRank *rank = record_rank(recording, r);
        const RecordNode *own = record_node(rank, 3 + r);
        const RecordNode *other = record_node(rank, 4 - r);

        assert_int_equal(own->kind, RECORD_WAIT);
        assert_int_equal(own->n_deps, 1);
        assert_int_equal(g_array_index(rank->deps, uint64_t, own->first_dep),
                         record_node(rank, r == 0 ? 1 : 2)->id);
        assert_int_equal(other->kind, RECORD_HOST);
        assert_int_equal(other->n_deps, 0);
        assert_int_equal(other->duration_ps, 9 * US);
    }
}

static void test_one_device_stays_one_rank(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, RECORD_NO_RANK);

    (void)state;
    add_kernel_by_hand(recording, rank, 7, "k", 10, 20, RECORD_NONE);
    set_device_by_hand(rank, 0, 3);
    record_split_rank_by_device(recording, rank);
    assert_int_equal(recording->ranks->len, 1);
    assert_ptr_equal(record_rank(recording, 0), rank);
    assert_int_equal(recording->n_device_ranks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_device_has_its_nodes_and_the_threads),
        cmocka_unit_test(test_a_wait_for_another_device_is_work_of_the_host),
        cmocka_unit_test(test_one_device_stays_one_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
