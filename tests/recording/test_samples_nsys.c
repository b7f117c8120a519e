/*
 * The sample of what Nsight Systems recorded: every figure of
 * samples-expected.json is held exactly
 */
#include "tests/recording/samples.h"

static int setup(void **state)
{
    *state = samples_new();
    return 0;
}

static int teardown(void **state)
{
    samples_free(*state);
    return 0;
}

#define NSYS "nsys-2gpu-sendrecv.sqlite.gz"

/* What is copied has to be left out: its figures are of kernels alone. */
static void hide_copies(Recording *recording, uint64_t *n, uint64_t *bytes)
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

static void hold_nsys(Samples *s, const FoundRank *found, guint device)
{
    g_autofree char *of = g_strdup_printf(NSYS "/device_%u", device);

    assert_int_equal(found->rank->rank, device);
    samples_hold(s, samples_n_kernels(found), "%s/kernels", of);
    samples_hold(s, found->n_by[FOUND_ON_DEVICE][RECORD_COLLECTIVE],
                 "%s/nccl_kernels", of);
    samples_hold_streams(s, found->rank, of);
    samples_hold(s, found->span_ps / 1000, "%s/span_ns", of);
    samples_hold(s, found->compute_busy_ps / 1000, "%s/compute_busy_ns", of);
    samples_hold(s, found->comm_busy_ps / 1000, "%s/comm_busy_ns", of);
    samples_hold(s, found->overlap_ps / 1000, "%s/overlap_ns", of);
    for (guint i = 0; i < found->blocks->len; i++)
        samples_hold(s, g_array_index(found->blocks, FoundBlocks, i).n_blocks,
                     "%s/nccl_grid/%u", of, i);
}

/* Numbers of calls are those of a process: all that has a launch has one of
 * its own process, which began before. */
static gboolean are_launched_by_their_own(const Recording *recording)
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

static void test_nsys_has_what_is_expected(void **state)
{
    g_autoptr(Recording) recording = samples_read(NSYS);
    g_autoptr(Found) found = NULL;
    uint64_t n = 0, bytes = 0;

    samples_hold_text(*state, recording->version, NSYS "/export_schema");
    samples_hold_text(*state,
                      are_launched_by_their_own(recording) ? "true" : "",
                      NSYS "/correlation_ids_shared_by_processes");
    hide_copies(recording, &n, &bytes);
    samples_hold(*state, n, NSYS "/memcpys");
    samples_hold(*state, bytes, NSYS "/memcpy_bytes");
    found = found_of(recording);
    assert_int_equal(found->ranks->len, 2);
    for (guint i = 0; i < 2; i++)
        hold_nsys(*state, found_rank(found, i), i);
}

static void test_no_figure_of_nsys_is_left(void **state)
{
    g_autofree char *first = NULL;

    samples_left(*state, "nsys-", &first);
    assert_string_equal(first ? first : "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nsys_has_what_is_expected),
        cmocka_unit_test(test_no_figure_of_nsys_is_left),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
