/*
 * test_sample_device_recordings.c - figures of recordings of devices and of
 * host execution traces
 *
 * Every figure of samples-expected.json for these samples is compared exactly.
 * test_sample_plans.c has plans, test_sample_nsys_recording.c a recording of
 * Nsight Systems. */
#include "tests/recording/rounded_busy_times.h"
#include "tests/recording/sample_recordings.h"

#include <math.h>
#include <string.h>

#include "workloads/recording/cross_rank_match.h"

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

/* ---- figures of Kineto samples ------------------------------------------- */

static void check_known_number(Samples *s, uint32_t n, uint32_t unknown,
                               const char *prefix, const char *key)
{
    if (n == unknown)
        samples_expect_text(s, "null", "%s/%s", prefix, key);
    else
        samples_expect_number(s, n, "%s/%s", prefix, key);
}

static void check_kernel_times(Samples *s, const InventoryRank *found,
                               const char *prefix)
{
    samples_expect_us(s, found->span_ps, "%s/span_us", prefix);
    samples_expect_us(s, found->compute_busy_ps, "%s/compute_busy_us", prefix);
    samples_expect_us(s, found->comm_busy_ps, "%s/comm_busy_us", prefix);
    samples_expect_us(s, found->comm_busy_ps - found->overlap_ps,
                      "%s/exposed_comm_us", prefix);
}

/* Compares @us, calculated with the rounding errors of the reference program,
 * with the expected figure, and checks that the exact time @ps differs by less
 * than 0.1 us. */
static void check_rounded_us(Samples *s, double us, uint64_t ps,
                             const char *prefix, const char *key)
{
    assert_true(fabs(us - (double)ps / 1e6) < 0.1);
    samples_expect_us(s, (uint64_t)llround(us * 1000) * 1000, "%s/%s", prefix,
                      key);
}

static void check_rounded_busy_times(Samples *s, const InventoryRank *found,
                                     __int128 zero_ps, const char *prefix)
{
    RoundedTimes r = rounded_busy_times(found->rank, zero_ps);

    check_rounded_us(s, r.span_us, found->span_ps, prefix, "span_us");
    check_rounded_us(s, r.busy_us, found->busy_ps, prefix, "busy_us");
    check_rounded_us(s, r.comm_busy_us, found->comm_busy_ps, prefix,
                     "comm_busy_us");
    check_rounded_us(s, r.compute_busy_us, found->compute_busy_ps, prefix,
                     "compute_busy_us");
    check_rounded_us(s, r.overlap_us, found->overlap_ps, prefix, "overlap_us");
    check_rounded_us(s, r.comm_busy_us - r.overlap_us,
                     found->comm_busy_ps - found->overlap_ps, prefix,
                     "exposed_comm_us");
}

/* Returns the earliest begin of a node of the device. */
static int64_t first_time_of_rank_ps(const RecordRank *rank)
{
    int64_t first = INT64_MAX;

    for (guint i = 0; i < rank->nodes->len; i++)
        if (inventory_is_device(record_node(rank, i)))
            first = MIN(first, record_node(rank, i)->begin_ps);
    return first;
}

/* Compares the figures of a Kineto trace.  @first_at_ps is the begin of the
 * device's first node by the trace's clock. */
static void check_kineto_figures(Samples *s, const char *prefix,
                                 __int128 first_at_ps)
{
    g_autoptr(Recording) recording = samples_read_file(prefix);
    g_autoptr(Inventory) all = inventory_new(recording);
    const InventoryRank *found = inventory_rank(all, 0);

    samples_expect_number(s, found->n_found, "%s/events", prefix);
    check_known_number(s, found->rank->rank, RECORD_NO_RANK, prefix, "rank");
    check_known_number(s, recording->n_world, 0, prefix, "world_size");
    samples_expect_text(s, found->rank->device, "%s/gpu", prefix);
    samples_expect_number(s, found->rank->n_sms, "%s/sms", prefix);
    samples_expect_number(s, samples_count_kernels(found), "%s/kernels",
                          prefix);
    samples_expect_number(s,
                          samples_count_kernels(found) +
                              found->n_by[INVENTORY_ON_DEVICE][RECORD_COPY],
                          "%s/gpu_operations", prefix);
    samples_expect_number(s,
                          found->n_by[INVENTORY_ON_DEVICE][RECORD_COLLECTIVE],
                          "%s/comm_kernels", prefix);
    samples_expect_streams(s, found->rank, prefix);
    check_rounded_busy_times(
        s, found, first_at_ps - first_time_of_rank_ps(found->rank), prefix);
    for (guint i = 0; i < found->blocks->len; i++) {
        const InventoryBlocks *b =
            &g_array_index(found->blocks, InventoryBlocks, i);

        samples_expect_number(s, b->n, "%s/comm_blocks/%u", prefix,
                              b->n_blocks);
    }
    for (guint i = 0; i < found->comms->len; i++) {
        const InventoryComm *comm =
            &g_array_index(found->comms, InventoryComm, i);
        const char *name =
            comm->kind == COLL_ALL_REDUCE ? "allreduce" : "broadcast";

        samples_expect_number(s, comm->n, "%s/collectives/%s", prefix, name);
        samples_expect_number(s, comm->bytes, "%s/in_bytes/%s", prefix, name);
    }
    samples_expect_number(s, found->n_without_launch,
                          "%s/gpu_ops_without_launch", prefix);
}

static void test_kineto_with_metadata_has_the_expected_figures(void **state)
{
    check_kineto_figures(*state, "kineto-nccl-metadata-2gpu.json.gz",
                         INT64_C(4458676422880181000));
}

static void test_kineto_of_rocm_has_the_expected_figures(void **state)
{
    check_kineto_figures(*state, "kineto-mi250-rocm.json.gz",
                         INT64_C(4203669603454206000));
}

/* ---- figures of DLRM samples on 8 ranks ---------------------------------- */

static void test_ranks_of_dlrm_have_the_expected_figures(void **state)
{
    const char *file = "kineto-dlrm8-v100.tar.gz";
    g_autoptr(Recording) recording = samples_read_tar(file, "*.json");
    g_autoptr(Inventory) found = inventory_new(recording);

    for (guint i = 0; i < found->ranks->len; i++) {
        const InventoryRank *rank = inventory_rank(found, i);
        g_autofree char *prefix = g_strdup_printf("%s/ranks/%u", file, i);

        samples_expect_number(*state, rank->rank->rank, "%s/rank", prefix);
        samples_expect_number(*state,
                              samples_count_kernels(rank) +
                                  rank->n_by[INVENTORY_ON_DEVICE][RECORD_COPY],
                              "%s/gpu_operations", prefix);
        samples_expect_number(
            *state, rank->n_by[INVENTORY_ON_DEVICE][RECORD_COLLECTIVE],
            "%s/comm_kernels", prefix);
        check_kernel_times(*state, rank, prefix);
    }
}

typedef struct {
    uint64_t shortest_ps, longest_ps;
    int64_t first_end_ps, last_end_ps;
} TimeSpread;

static TimeSpread spread_of_collective_times(const Recording *recording,
                                             const RecordMatch *match,
                                             const RecordInstance *instance)
{
    TimeSpread s = { UINT64_MAX, 0, INT64_MAX, INT64_MIN };

    for (uint32_t i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(match, instance, i);
        const RecordRank *rank = record_rank(recording, member->rank);
        const RecordNode *node = record_node(rank, member->node);
        int64_t end_ps =
            record_end_ps(rank, node, record_earliest_clock_base_ns(recording));

        s.shortest_ps = MIN(s.shortest_ps, node->duration_ps);
        s.longest_ps = MAX(s.longest_ps, node->duration_ps);
        s.first_end_ps = MIN(s.first_end_ps, end_ps);
        s.last_end_ps = MAX(s.last_end_ps, end_ps);
    }
    return s;
}

static void test_collectives_of_dlrm_are_matched_across_ranks(void **state)
{
    const char *prefix = "kineto-dlrm8-v100.tar.gz";
    g_autoptr(Recording) recording = samples_read_tar(prefix, "*.json");
    g_autoptr(RecordMatch) match = record_match_ranks(recording, NULL);

    samples_expect_number(*state, match->instances->len,
                          "%s/collectives_per_rank", prefix);
    for (guint i = 0; i < match->instances->len; i++) {
        const RecordInstance *in = record_instance(match, i);
        TimeSpread s = spread_of_collective_times(recording, match, in);

        assert_int_equal(in->n, 8);
        samples_expect_text(
            *state, in->kind == COLL_ALL_REDUCE ? "ALL_REDUCE" : "ALL_TO_ALL",
            "%s/kinds/%u", prefix, i);
        samples_expect_us(*state, s.shortest_ps, "%s/shortest_kernel_us/%u",
                          prefix, i);
        samples_expect_us(*state, s.longest_ps, "%s/longest_kernel_us/%u",
                          prefix, i);
        samples_expect_us(*state,
                          (uint64_t)(in->last_begin_ps - in->first_begin_ps),
                          "%s/start_spread_us/%u", prefix, i);
        samples_expect_us(*state, (uint64_t)(s.last_end_ps - s.first_end_ps),
                          "%s/end_spread_us/%u", prefix, i);
    }
}

/* ---- figures of host execution traces ------------------------------------ */

static const char *name_of_recorded_collective(const RecordComm *comm)
{
    switch (comm->kind) {
    case COLL_ALL_TO_ALLV:
        return "all_to_allv";
    case COLL_ALL_TO_ALL:
        return "all_to_all";
    default:
        return "allreduce";
    }
}

static gboolean split_is_even(const GArray *split)
{
    for (guint i = 1; i < split->len; i++)
        if (g_array_index(split, uint64_t, i) !=
            g_array_index(split, uint64_t, 0))
            return FALSE;
    return TRUE;
}

static void check_all_to_all_split(Samples *s, const GArray *split, guint at,
                                   guint which)
{
    for (guint i = 0; i < split->len; i++)
        samples_expect_number(s, g_array_index(split, uint64_t, i),
                              "hostet-dlrm8-v100.tar.gz/rank_0/uneven/%u/%u/%u",
                              at, which, i);
}

static void check_requested_sizes(Samples *s, const RecordRank *rank,
                                  const char *prefix)
{
    guint n_uneven = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordComm *comm =
            record_node_communication(rank, record_node(rank, i));

        samples_expect_text(s, name_of_recorded_collective(comm),
                            "%s/rank_0/collectives/%u", prefix, i);
        samples_expect_number(s, comm->bytes, "%s/rank_0/bytes/%u", prefix, i);
        if (comm->kind != COLL_ALL_TO_ALLV ||
            (split_is_even(comm->in_split) && split_is_even(comm->out_split)))
            continue;
        check_all_to_all_split(s, comm->out_split, n_uneven, 0);
        check_all_to_all_split(s, comm->in_split, n_uneven, 1);
        n_uneven++;
    }
}

static void test_host_execution_traces_have_the_expected_figures(void **state)
{
    const char *prefix = "hostet-dlrm8-v100.tar.gz";
    g_autoptr(Recording) recording = samples_read_tar(prefix, "*.json");
    const RecordRank *first = record_rank(recording, 0);

    samples_expect_number(*state, recording->ranks->len, "%s/ranks", prefix);
    samples_expect_text(*state, strrchr(first->file, '/') + 1, "%s/rank_0/file",
                        prefix);
    samples_expect_text(*state, recording->version, "%s/rank_0/schema", prefix);
    samples_expect_number(*state, first->n_found, "%s/rank_0/nodes", prefix);
    check_requested_sizes(*state, first, prefix);
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++)
            samples_expect_number(
                *state,
                record_node_communication(rank, record_node(rank, i))->bytes,
                "%s/bytes_by_rank/%u/%u", prefix, r, i);
    }
}

static void test_all_figures_of_recordings_were_compared(void **state)
{
    static const char *const ours[] = { "kineto-", "hostet-" };

    for (guint i = 0; i < G_N_ELEMENTS(ours); i++) {
        g_autofree char *first = NULL;

        sample_recordings_n_remaining(*state, ours[i], &first);
        assert_string_equal(first ? first : "", "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kineto_with_metadata_has_the_expected_figures),
        cmocka_unit_test(test_kineto_of_rocm_has_the_expected_figures),
        cmocka_unit_test(test_ranks_of_dlrm_have_the_expected_figures),
        cmocka_unit_test(test_collectives_of_dlrm_are_matched_across_ranks),
        cmocka_unit_test(test_host_execution_traces_have_the_expected_figures),
        cmocka_unit_test(test_all_figures_of_recordings_were_compared),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
