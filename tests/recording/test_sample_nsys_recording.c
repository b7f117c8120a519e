/*
 * test_sample_nsys_recording.c - figures of a recording of Nsight Systems
 *
 * Every figure of samples-expected.json for the sample is compared exactly.
 */
#include "tests/recording/sample_recordings.h"

static int setup(void **state)
{
    *state = sample_figures_load();
    return 0;
}

static int teardown(void **state)
{
    sample_figures_free(*state);
    return 0;
}

#define NSYS "nsys-2gpu-sendrecv.sqlite.gz"

/* Changes copies into RECORD_OTHER, because expected busy times are those of
 * kernels alone.  Adds up their number in *@n and their bytes in *@bytes. */
static void remove_memory_copies_from_recording(Recording *recording,
                                                uint64_t *n, uint64_t *bytes)
{
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++) {
            RecordNode *node = record_node(rank, i);
            const RecordWork *work;

            if (node->kind != RECORD_COPY)
                continue;
            node->kind = RECORD_OTHER;
            work = &g_array_index(rank->works, RecordWork, node->work - 1);
            *n += work->read_bytes > 0;
            *bytes += work->read_bytes;
        }
    }
}

static void check_nsys_figures(Samples *s, const InventoryRank *found,
                               guint device)
{
    g_autofree char *prefix = g_strdup_printf(NSYS "/device_%u", device);

    assert_int_equal(found->rank->rank, device);
    samples_expect_number(s, samples_count_kernels(found), "%s/kernels",
                          prefix);
    samples_expect_number(s,
                          found->n_by[INVENTORY_ON_DEVICE][RECORD_COLLECTIVE],
                          "%s/nccl_kernels", prefix);
    samples_expect_streams(s, found->rank, prefix);
    samples_expect_number(s, found->span_ps / 1000, "%s/span_ns", prefix);
    samples_expect_number(s, found->compute_busy_ps / 1000,
                          "%s/compute_busy_ns", prefix);
    samples_expect_number(s, found->comm_busy_ps / 1000, "%s/comm_busy_ns",
                          prefix);
    samples_expect_number(s, found->overlap_ps / 1000, "%s/overlap_ns", prefix);
    for (guint i = 0; i < found->blocks->len; i++)
        samples_expect_number(
            s, g_array_index(found->blocks, InventoryBlocks, i).n_blocks,
            "%s/nccl_grid/%u", prefix, i);
}

/* Checks that each device operation with a launch begins after its launch.
 * Correlation ids are unique within a process only, so a launch of another
 * process would violate this.  Returns FALSE if there are few launches. */
static gboolean launches_precede_operations(const Recording *recording)
{
    guint n = 0;

    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);

            if (node->launch == RECORD_NONE)
                continue;
            assert_true(record_node(rank, node->launch)->begin_ps <=
                        node->begin_ps);
            n++;
        }
    }
    return n > 5000;
}

static void test_nsys_has_the_expected_figures(void **state)
{
    g_autoptr(Recording) recording = samples_read_file(NSYS);
    g_autoptr(Inventory) found = NULL;
    uint64_t n = 0, bytes = 0;

    samples_expect_text(*state, recording->version, NSYS "/export_schema");
    samples_expect_text(*state,
                        launches_precede_operations(recording) ? "true" : "",
                        NSYS "/correlation_ids_shared_by_processes");
    remove_memory_copies_from_recording(recording, &n, &bytes);
    samples_expect_number(*state, n, NSYS "/memcpys");
    samples_expect_number(*state, bytes, NSYS "/memcpy_bytes");
    found = inventory_new(recording);
    assert_int_equal(found->ranks->len, 2);
    for (guint i = 0; i < 2; i++)
        check_nsys_figures(*state, inventory_rank(found, i), i);
}

static void test_all_figures_of_nsys_were_compared(void **state)
{
    g_autofree char *first = NULL;

    sample_recordings_n_remaining(*state, "nsys-", &first);
    assert_string_equal(first ? first : "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nsys_has_the_expected_figures),
        cmocka_unit_test(test_all_figures_of_nsys_were_compared),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
