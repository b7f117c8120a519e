/* test_trace_to_program.c - tests of workloads/recording/trace_to_program/:
 * conversion of small recordings to programs */
#include "tests/recording/recording_fixture.h"

#include "sim/config/config.h"
#include "tests/workloads/workload_fixture.h"
#include "workloads/recording/trace_to_program/program_writer.h"

typedef struct {
    RecordWindow *window;
    RecordMatch *match;
    Replay *take;
    ImportedProgram *script;
    GString *text;
} Conversion;

static Conversion convert_to_program(const Recording *recording,
                                     gboolean without_gaps)
{
    Conversion converted = { 0 };
    GError *error = NULL;

    converted.window =
        record_select_window(recording, RECORD_ITERATION_MEDIAN, NULL);
    converted.match = record_match_ranks(recording, converted.window);
    converted.take = replay_new(recording, converted.window, converted.match);
    converted.script = imported_program_new(converted.take, 0, &error);
    assert_no_error(error);
    converted.text = imported_program_write(
        converted.script, &(WriteOptions){ .name = "hand",
                                           .from = "a hand",
                                           .without_gaps = without_gaps });
    return converted;
}

static void conversion_clear(Conversion *converted)
{
    imported_program_free(converted->script);
    replay_free(converted->take);
    record_match_free(converted->match);
    record_window_free(converted->window);
    g_string_free(converted->text, TRUE);
}

/* Checks the text of the roles in the program made from @recording, and that
 * the program can be built as a workload. */
static void assert_program_text(const Recording *recording,
                                const char *expected)
{
    Conversion converted = convert_to_program(recording, FALSE);
    const char *roles = strstr(converted.text->str, "roles:\n");
    g_auto(GStrv) lines = g_strsplit(converted.text->str, "\n", -1);
    g_autofree char *body = g_strjoinv("\n  ", lines);
    g_autofree char *text =
        g_strdup_printf("training: {compute: measured}\nworkload:\n  %s", body);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("hand.yaml", text, strlen(text), NULL);
    GError *error = NULL;
    g_autoptr(OpGraph) graph = NULL;
    WorkloadRoot root;

    assert_string_equal(roles + strlen("roles:\n"), expected);
    assert_true(config_doc_read(doc, workload_root_fields, &root, &error));
    graph = workload_build(&root.workload, &root.training, NULL, &error);
    assert_no_error(error);
    conversion_clear(&converted);
}

#define OP(text)   "      - {" text "}\n"
#define ALL(ops)   "  - name: all\n    ops:\n" ops
#define ROLE(head) "  - name: " head "    ops:\n"

static void test_converted_host_calls_are_sequential(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t launch;

    (void)state;
    launch = add_call_by_hand(recording, rank, "cudaLaunchKernel", 0, 10);
    add_kernel_by_hand(recording, rank, 7, "void at::native::gemm<int>(float)",
                       13, 20, launch);
    add_call_by_hand(recording, rank, "cudaEventQuery", 12, 1);
    launch = add_call_by_hand(recording, rank, "cudaLaunchKernel", 20, 10);
    add_kernel_by_hand(recording, rank, 7, "add", 33, 5, launch);
    assert_program_text(
        recording,
        ALL(OP("kind: host, name: cudaLaunchKernel.1, time: 10 us")
                OP("kind: kernel, name: gemm.1, time: 20 us, gap: 3 us, after: "
                   "[cudaLaunchKernel.1]")
                    OP("kind: host, name: cudaLaunchKernel.2, time: 20 us")
                        OP("kind: kernel, name: add.1, time: 5 us, after: "
                           "[cudaLaunchKernel.2]")));
}

static void test_a_host_wait_depends_on_the_last_operation_to_end(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t launch;

    (void)state;
    launch = add_call_by_hand(recording, rank, "launch", 0, 10);
    add_kernel_by_hand(recording, rank, 7, "k", 10, 30, launch);
    add_node_by_hand(recording, rank, RECORD_WAIT, RECORD_ON_HOST, 1, "sync",
                     15, 27);
    launch = add_call_by_hand(recording, rank, "launch", 50, 10);
    add_kernel_by_hand(recording, rank, 7, "k", 60, 5, launch);
    /* Operation launch.2 lasts from the end of kernel k.1 at 40 us, for which
     * sync waits, to the end of its own call at 60 us. */
    assert_program_text(
        recording,
        ALL(OP("kind: host, name: launch.1, time: 10 us") OP(
            "kind: kernel, name: k.1, time: 30 us, after: [launch.1]")
                OP("kind: host, name: sync.1, time: 5 us") OP(
                    "kind: host, name: launch.2, time: 20 us, after: [k.1]")
                    OP("kind: kernel, name: k.2, time: 5 us, after: [launch.2]")));
}

static void
test_a_stream_wait_depends_on_the_last_launched_operation(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t launch;

    (void)state;
    launch = add_call_by_hand(recording, rank, "launch", 0, 1);
    add_kernel_by_hand(recording, rank, 7, "k", 1, 9, launch);
    launch = add_call_by_hand(recording, rank, "launch", 1, 1);
    add_kernel_by_hand(recording, rank, 9, "copy", 2, 18, launch);
    add_node_by_hand(recording, rank, RECORD_HOST,
                     RECORD_ON_HOST | RECORD_STREAM_WAITS, 1, "wait event", 3,
                     1);
    launch = add_call_by_hand(recording, rank, "launch", 4, 1);
    add_kernel_by_hand(recording, rank, 7, "k", 20, 15, launch);
    assert_program_text(
        recording,
        ALL(OP("kind: host, name: launch.1, time: 1 us") OP(
            "kind: kernel, name: k.1, time: 9 us, after: [launch.1]")
                OP("kind: host, name: launch.2, time: 1 us") OP(
                    "kind: device, name: copy.1, time: 18 us, queue: s9, after: "
                    "[launch.2]") OP("kind: host, name: launch.3, time: 3 us")
                    OP("kind: kernel, name: k.2, time: 15 us, after: [copy.1, "
                       "launch.3]")));
}

static void test_ranks_that_differ_in_time_only_share_a_role(void **state)
{
    g_autoptr(Recording) recording = recording_new();

    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        RecordRank *rank = add_rank_by_hand(recording, r);

        add_kernel_by_hand(recording, rank, 7, "k", 0, 10 + r, RECORD_NONE);
        add_collective_by_hand(recording, rank, COLL_ALL_REDUCE, 4096, 10 + r,
                               20 - r, RECORD_NONE);
        add_kernel_by_hand(recording, rank, 7, "k", 32, 5, RECORD_NONE);
    }
    assert_program_text(
        recording,
        ALL(OP("kind: kernel, name: k.1, times: 10 11 us") OP(
            "kind: collective, name: all-reduce.1, collective: all-reduce, "
            "bytes: 4 KiB, time: 19 us, after: [k.1]")
                OP("kind: kernel, name: k.2, time: 5 us, gap: 2 us, after: "
                   "[all-reduce.1]")));
}

static void test_converted_gaps_may_be_dropped(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, 0);
    Conversion converted;

    (void)state;
    add_kernel_by_hand(recording, rank, 7, "k", 0, 10, RECORD_NONE);
    add_kernel_by_hand(recording, rank, 7, "k", 15, 10, RECORD_NONE);
    converted = convert_to_program(recording, TRUE);
    assert_null(strstr(converted.text->str, ", gap: "));
    assert_int_equal(converted.take->report.n[REPORT_GAP_PS], 5 * US);
    conversion_clear(&converted);
}

static void test_senders_and_receivers_are_two_roles(void **state)
{
    g_autoptr(Recording) recording = recording_new();

    (void)state;
    /* Rank 0 sends to rank 1, and rank 2 sends to rank 3. */
    for (uint32_t r = 0; r < 4; r++)
        add_message_by_hand(recording, add_rank_by_hand(recording, r),
                            r % 2 == 0, r ^ 1, 2048, 0, 10);
    assert_program_text(
        recording,
        ROLE("as-rank-0\n    ranks: {size: 2, at: 0}\n")
            OP("kind: send, name: message.1, bytes: 2 KiB, group: by-2, from: "
               "0, to: 1, time: 10 us")
                ROLE("as-rank-1\n    ranks: {size: 2, at: 1}\n")
                    OP("kind: receive, name: message.1, bytes: 2 KiB, group: "
                       "by-2, from: 0, to: 1, time: 10 us"));
}

static void test_dependencies_are_resolved_and_reduced(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    RecordRank *rank = add_rank_by_hand(recording, 0);
    uint32_t first, second;
    Conversion converted;

    (void)state;
    first = add_kernel_by_hand(recording, rank, 7, "a", 0, 10, RECORD_NONE);
    second = add_kernel_by_hand(recording, rank, 8, "b", 10, 10, RECORD_NONE);
    add_dependency_by_hand(rank, first);
    add_kernel_by_hand(recording, rank, 9, "c", 20, 10, RECORD_NONE);
    add_dependency_by_hand(rank, first);
    add_dependency_by_hand(rank, second);
    record_add_dep(rank, 999, FALSE);
    add_kernel_by_hand(recording, rank, 6, "d", 15, 10, RECORD_NONE);
    add_dependency_by_hand(rank, second);
    converted = convert_to_program(recording, FALSE);
    assert_int_equal(converted.take->report.n[REPORT_GIVEN], 3);
    assert_int_equal(converted.take->report.n[REPORT_TRANSITIVE], 1);
    assert_int_equal(converted.take->report.n[REPORT_ABSENT], 1);
    assert_int_equal(converted.take->report.n[REPORT_BACKWARD], 1);
    assert_non_null(strstr(converted.text->str,
                           "name: c.1, time: 10 us, queue: s9, "
                           "after: [b.1]}"));
    conversion_clear(&converted);
}

static void test_converted_names_are_short_and_safe(void **state)
{
    static const struct {
        const char *name, *expected;
    } names[] = {
        { "void at::native::(anonymous namespace)::CatArray<int>(x)",
          "CatArray" },
        { "Memcpy HtoD (Pinned -> Device)", "Memcpy_HtoD" },
        { "ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn" },
        { "a: b, [c]\n", "b_c" },
        { "", "op" },
        { "::<(", "op" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *name = imported_short_name(names[i].name);

        assert_string_equal(name, names[i].expected);
    }
}

static void test_too_many_converted_roles_are_an_error(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(RecordWindow) window = NULL;
    g_autoptr(RecordMatch) match = NULL;
    g_autoptr(Replay) take = NULL;
    GError *error = NULL;

    (void)state;
    for (uint32_t r = 0; r < 65; r++) {
        g_autofree char *name = g_strdup_printf("k%u", r);

        add_kernel_by_hand(recording, add_rank_by_hand(recording, r), 7, name,
                           0, 10, RECORD_NONE);
    }
    window = record_select_whole(recording);
    match = record_match_ranks(recording, window);
    take = replay_new(recording, window, match);
    assert_null(imported_program_new(take, 0, &error));
    assert_true(g_str_has_prefix(error->message,
                                 "the 65 ranks run 65 different programs"));
    g_error_free(error);
}

/* The extreme values belong to ranks in the middle, so the report has to
 * consider all four ranks. */
static void test_the_conversion_report_covers_all_ranks(void **state)
{
    static const int64_t begin_us[] = { 10, 0, 30, 20 };
    static const uint64_t gap_us[] = { 6, 3, 15, 12 };
    static const uint64_t beyond_us[] = { 20, 35, 40, 5 };
    g_autoptr(Recording) recording = recording_new();
    Conversion converted;

    (void)state;
    for (uint32_t r = 0; r < G_N_ELEMENTS(begin_us); r++) {
        RecordRank *rank = add_rank_by_hand(recording, r);
        int64_t at = begin_us[r];
        uint32_t launch;

        add_step_by_hand(recording, rank, at, 100);
        launch = add_call_by_hand(recording, rank, "launch", at, 10);
        add_kernel_by_hand(recording, rank, 7, "k", at + 10, 30, launch);
        launch = add_call_by_hand(recording, rank, "launch", at + 10, 10);
        at += 40 + (int64_t)gap_us[r];
        add_kernel_by_hand(recording, rank, 7, "l", at, 10, launch);
        launch =
            add_call_by_hand(recording, rank, "launch", begin_us[r] + 20, 10);
        at += 10;
        add_kernel_by_hand(
            recording, rank, 7, "m", at,
            (uint64_t)(begin_us[r] + 100 + (int64_t)beyond_us[r] - at), launch);
    }
    converted = convert_to_program(recording, FALSE);
    assert_int_equal(converted.take->report.n[REPORT_RANKS], 4);
    assert_int_equal(converted.take->report.n[REPORT_SKEW_PS], 30 * US);
    assert_int_equal(converted.take->report.n[REPORT_BEYOND_PS], 40 * US);
    /* A rank that begins later has a gap before its first operation. */
    assert_int_equal(converted.take->report.n[REPORT_GAP_PS],
                     (6 + 3 + 15 + 12 + 10 + 0 + 30 + 20) / 4 * US);
    assert_int_equal(converted.take->report.n[REPORT_GAPS], 4 + 3);
    conversion_clear(&converted);
}

/* Each run repeats the notes, since its results depend on what was inferred. */
static void test_inferred_groups_are_noted(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(GPtrArray) notes = NULL;
    Conversion converted;

    (void)state;
    for (uint32_t r = 0; r < 2; r++)
        add_collective_by_hand(recording, add_rank_by_hand(recording, r),
                               COLL_ALL_REDUCE, 4096, 10, 20, RECORD_NONE);
    converted = convert_to_program(recording, FALSE);
    notes = record_report_notes(&converted.take->report);
    assert_int_equal(notes->len, 1);
    assert_string_equal(g_ptr_array_index(notes, 0),
                        "inferred: 1 collectives of unknown groups, taken as "
                        "of all ranks");
    conversion_clear(&converted);
}

/* If some ranks of a group were not recorded, the shortest duration of its
 * collective may include waiting for them, so it is reported as an upper bound.
 * It is not reported if all ranks of the group were recorded. */
static void test_times_with_missing_ranks_are_upper_bounds(void **state)
{
    (void)state;
    for (uint32_t n_in_group = 2; n_in_group <= 3; n_in_group++) {
        g_autoptr(Recording) recording = recording_new();
        uint32_t *ids = g_new(uint32_t, n_in_group);
        uint32_t group;
        Conversion converted;

        for (uint32_t i = 0; i < n_in_group; i++)
            ids[i] = i;
        group =
            record_add_group(recording, &(OpGroup){ .grouped_by = GROUP_LISTS,
                                                    .n_lists = 1,
                                                    .size = n_in_group,
                                                    .name = "some",
                                                    .ids = ids });
        recording->n_world = 3;
        for (uint32_t r = 0; r < 2; r++) {
            RecordRank *rank = add_rank_by_hand(recording, r);
            uint32_t node = add_collective_by_hand(
                recording, rank, COLL_ALL_REDUCE, 4096, 10, 20, RECORD_NONE);

            record_node_communication(rank, record_node(rank, node))->group =
                group;
        }
        converted = convert_to_program(recording, FALSE);
        assert_int_equal(converted.take->report.n[REPORT_UPPER_BOUNDS],
                         n_in_group == 3);
        conversion_clear(&converted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converted_host_calls_are_sequential),
        cmocka_unit_test(test_a_host_wait_depends_on_the_last_operation_to_end),
        cmocka_unit_test(
            test_a_stream_wait_depends_on_the_last_launched_operation),
        cmocka_unit_test(test_ranks_that_differ_in_time_only_share_a_role),
        cmocka_unit_test(test_converted_gaps_may_be_dropped),
        cmocka_unit_test(test_senders_and_receivers_are_two_roles),
        cmocka_unit_test(test_dependencies_are_resolved_and_reduced),
        cmocka_unit_test(test_converted_names_are_short_and_safe),
        cmocka_unit_test(test_too_many_converted_roles_are_an_error),
        cmocka_unit_test(test_the_conversion_report_covers_all_ranks),
        cmocka_unit_test(test_inferred_groups_are_noted),
        cmocka_unit_test(test_times_with_missing_ranks_are_upper_bounds),
    };

    return cmocka_run_group_tests_name("take", tests, NULL, NULL);
}
