/*
 * Tests of the reader of host execution traces (ETs) of old and new versions,
 * and of merging their sizes into recorded
 * ranks. */
#include "tests/recording/sample_recordings.h"
#include "tests/workloads/readers/kineto_fixture.h"
#include "workloads/recording/size_merge.h"

/* Each macro writes the same operation: as version 1.0.1, or as a later one. */
#define OLD(id, rf, inputs, outputs)                                           \
    "{'name': 'record_param_comms', 'id': " id ", 'rf_id': " rf                \
    ", 'parent': 1, 'tid': 3, 'inputs': [" inputs "], 'input_shapes': [[7]],"  \
    " 'outputs': [" outputs "]}"
#define NEW(id, rf, inputs, outputs, attrs)                                    \
    "{'id': " id ", 'name': 'record_param_comms', 'ctrl_deps': 1, 'inputs':"   \
    " {'values': [" inputs                                                     \
    "], 'shapes': [[9]]}, 'outputs': {'values': [" outputs                     \
    "], 'types': []}, 'attrs': [{'name': 'rf_id', 'type': 'uint64',"           \
    " 'value': " rf "}, {'name': 'tid', 'value': 3}" attrs "]}"
#define ET(nodes)        "{'schema': '1.0.1', 'pid': 5, 'nodes': [" nodes "]}"
#define TENSOR(n, width) "[18, 15, 0, " n ", " width ", 'cuda:0']"

static const RecordComm *comm_at_index(const Recording *recording, guint i)
{
    return &g_array_index(record_rank(recording, 0)->comms, RecordComm, i);
}

static void host_trace_operations_are_sorted_by_id(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of(
        ET("{'name': 'aten::view', 'id': 9, 'inputs': [[1, [2]]]}," OLD(
            "30", "23",
            "[" TENSOR("100", "4") "], 8, 94594108284448, 5,"
                                   " 'allreduce', [], []",
            "[" TENSOR(
                "100",
                "4") "]") "," OLD("31", "24", "8, 0, 0, 'wait', [], []",
                                  "") "," OLD("20", "13",
                                              TENSOR(
                                                  "24",
                                                  "8") ", 7, 94594108284448, 5,"
                                                       " 'all_to_all', [], []",
                                              TENSOR("24", "8"))));
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_string_equal(recording->format, "host-et");
    assert_string_equal(recording->version, "1.0.1");
    assert_int_equal(rank->n_found, 4);
    assert_int_equal(rank->rank, 5);
    assert_int_equal(rank->nodes->len, 2);
    assert_int_equal(record_node(rank, 0)->id, 20);
    assert_string_equal(record_node(rank, 0)->name, "all_to_all");
    assert_int_equal(record_node(rank, 0)->flags, RECORD_ON_HOST);
    assert_int_equal(comm_at_index(recording, 0)->bytes, 192);
    assert_int_equal(comm_at_index(recording, 0)->framework_id, 13);
    assert_int_equal(comm_at_index(recording, 1)->kind, COLL_ALL_REDUCE);
    assert_int_equal(comm_at_index(recording, 1)->bytes, 400);
}

static void newer_host_trace_versions_give_the_same_nodes(void **state)
{
    g_autoptr(Recording) recording = kineto_recording_of(ET(
        NEW("20", "13",
            TENSOR("24", "8") ", [4, false], ['0', 'default_pg'],"
                              " 5, 'all_to_allv', [1, 3], [2, 2], 0, 1, 2",
            TENSOR("12", "8"),
            ", {'name': 'pg_name', 'value': '0'},"
            "{'name': 'global_rank_start', 'value': 4},"
            "{'name': 'global_rank_stride', 'value': 2},"
            "{'name': 'pg_size', 'value': 2}, {'name': 'x', 'value': [1]}")));
    const RecordComm *comm = comm_at_index(recording, 0);
    static const uint64_t in[] = { 48, 144 }, out[] = { 48, 48 };
    static const uint32_t ids[] = { 4, 6 };

    (void)state;
    assert_int_equal(record_rank(recording, 0)->rank, 5);
    assert_int_equal(comm->kind, COLL_ALL_TO_ALLV);
    assert_int_equal(comm->bytes, 192);
    assert_int_equal(comm->framework_id, 13);
    assert_memory_equal(comm->in_split->data, in, sizeof in);
    assert_memory_equal(comm->out_split->data, out, sizeof out);
    assert_memory_equal(
        g_array_index(recording->groups, OpGroup, comm->group).ids, ids,
        sizeof ids);
}

static void a_payload_is_the_whole_vector_or_a_share(void **state)
{
    static const struct {
        const char *node;
        CollKind kind;
        uint64_t bytes;
        gboolean is_share;
    } cases[] = {
        { OLD("1", "1", TENSOR("10", "2") ", 0, '_allgather_base'",
              TENSOR("40", "2")),
          COLL_ALL_GATHER, 80, FALSE },
        { OLD("1", "1", "[" TENSOR("10", "2") "], 0, 'allgather'",
              "[[" TENSOR("10", "2") ", " TENSOR("10", "2") "]]"),
          COLL_ALL_GATHER, 40, FALSE },
        { OLD("1", "1", TENSOR("10", "2") ", 0, 'gather'", ""), COLL_GATHER, 20,
          TRUE },
        { OLD("1", "1", "0, 'scatter'", TENSOR("10", "2")), COLL_SCATTER, 20,
          TRUE },
        { OLD("1", "1", TENSOR("40", "2") ", 0, '_reduce_scatter_base'",
              TENSOR("10", "2")),
          COLL_REDUCE_SCATTER, 80, FALSE },
        { OLD("1", "1", TENSOR("5", "2") ", 0, 'send'", ""), COLL_SEND, 10,
          FALSE },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf(ET("%s"), cases[i].node);
        g_autoptr(Recording) recording = kineto_recording_of(text);
        const RecordComm *comm = comm_at_index(recording, 0);

        assert_int_equal(comm->kind, cases[i].kind);
        assert_true(comm->has_bytes);
        assert_int_equal(comm->bytes, cases[i].bytes);
        assert_int_equal(comm->is_share, cases[i].is_share);
    }
}

static void a_rank_that_differs_between_nodes_is_unknown(void **state)
{
    g_autoptr(Recording) recording =
        kineto_recording_of(ET(OLD("1", "1", "0, 1, 'broadcast'", "") "," OLD(
            "2", "2", "0, 2, 'broadcast'", "")));

    (void)state;
    assert_int_equal(record_rank(recording, 0)->rank, RECORD_NO_RANK);
}

static void host_trace_errors_have_their_position(void **state)
{
    (void)state;
    assert_kineto_refused("{'schema': 1, 'nodes': 1}", CONFIG_ERROR_MISSING_KEY,
                          "t.json:1:25: the object has no array 'nodes'");
    assert_kineto_refused("{'schema': 1, 'nodes': [{'id': -1}]}",
                          CONFIG_ERROR_RANGE,
                          "t.json:1:32: this is a whole number from 0 on");
    assert_kineto_refused("{'schema': 1, 'nodes': [{'inputs': [1, 2",
                          CONFIG_ERROR_SYNTAX,
                          "t.json:1:41: the file ends too early");
}

/* ---- sizes merged from host execution traces ----------------------------- */

#define RAN(ts, name, id)                                                      \
    "{'ph': 'X', 'cat': 'kernel', 'name': 'nccl" name "', 'ts': " ts           \
    ", 'dur': 1, 'args': {'External id': " id "}}"
#define KINETO(rank, events)                                                   \
    "{'distributedInfo': {'rank': " rank "}, 'traceEvents': [" events "]}"

static Recording *read_and_merge_ranks(const char *const *texts,
                                       RecordMergeReport *report)
{
    Recording *recording = recording_new();

    for (guint i = 0; texts[i]; i++)
        assert_true(read_kineto_text(texts[i], NULL, recording, NULL));
    record_merge_size_files(recording, report);
    return recording;
}

static void tensor_sizes_are_merged_by_node_ids_with_an_offset(void **state)
{
    const char *const texts[] = {
        KINETO("1", RAN("5", "SendRecv", "101") "," RAN(
                        "6", "AllReduce",
                        "102") "," RAN("9", "AllReduce",
                                       "110") "," RAN("12", "X", "111")),
        ET(OLD("3", "10", TENSOR("7", "4") ", 0, 1, 'allreduce'", "") "," OLD(
            "2", "2", TENSOR("6", "4") ", 0, 1, 'allreduce'",
            "") "," OLD("9", "11", TENSOR("5", "4") ", 0, 1, 'broadcast'",
                        "") "," OLD("10", "12",
                                    TENSOR("5", "4") ", 0, 1, 'broadcast'",
                                    "")),
        NULL
    };
    RecordMergeReport report;
    g_autoptr(Recording) recording = read_and_merge_ranks(texts, &report);

    (void)state;
    assert_int_equal(recording->ranks->len, 1);
    assert_int_equal(report.n_ranks, 1);
    assert_int_equal(report.n_by_id, 3);
    assert_int_equal(report.n_by_order, 0);
    assert_int_equal(report.n_unmatched, 1);
    assert_int_equal(report.n_left, 1);
    assert_false(comm_at_index(recording, 0)->has_bytes);
    assert_int_equal(comm_at_index(recording, 1)->bytes, 24);
    assert_int_equal(comm_at_index(recording, 2)->bytes, 28);
    assert_int_equal(comm_at_index(recording, 3)->kind, COLL_BROADCAST);
}

static void sizes_are_merged_by_order_without_ids(void **state)
{
    const char *const texts[] = {
        KINETO("0", RAN("6", "AllReduce", "0") "," RAN("5", "SendRecv", "0")),
        ET(OLD("3", "10",
               TENSOR("8", "4") ", 0, 0, 'all_to_allv', [1, 3],"
                                " [2, 2]",
               TENSOR("8", "4")) "," OLD("4", "2",
                                         TENSOR("6", "4") ", 0, 0, 'allreduce'",
                                         "")),
        NULL
    };
    RecordMergeReport report;
    g_autoptr(Recording) recording = read_and_merge_ranks(texts, &report);

    (void)state;
    assert_int_equal(report.n_by_order, 2);
    assert_int_equal(report.n_unmatched + report.n_left, 0);
    assert_int_equal(comm_at_index(recording, 0)->bytes, 24);
    assert_int_equal(comm_at_index(recording, 1)->kind, COLL_ALL_TO_ALLV);
    assert_int_equal(comm_at_index(recording, 1)->in_split->len, 2);
}

static void incompatible_communications_are_not_changed(void **state)
{
    const char *const texts[] = {
        KINETO("0", RAN("6", "AllReduce", "0")),
        ET(OLD("3", "10", TENSOR("8", "4") ", 0, 0, 'broadcast'", "")),
        ET(OLD("3", "10", TENSOR("8", "4") ", 0, 7, 'allreduce'", "")), NULL
    };
    RecordMergeReport report;
    g_autoptr(Recording) recording = read_and_merge_ranks(texts, &report);

    (void)state;
    assert_int_equal(recording->ranks->len, 1);
    assert_int_equal(report.n_ranks, 1);
    assert_int_equal(report.n_ranks_left, 1);
    assert_int_equal(report.n_unmatched, 1);
    assert_int_equal(report.n_left, 1);
    assert_false(comm_at_index(recording, 0)->has_bytes);
}

static void ranks_without_numbers_are_paired_by_order(void **state)
{
    const char *const texts[] = {
        "[" RAN("6", "AllReduce", "0") "]", "[" RAN("6", "AllReduce", "0") "]",
        ET(OLD("3", "10", TENSOR("1", "4") ", 0, 0, 'allreduce'", "")),
        ET(OLD("3", "10", TENSOR("2", "4") ", 0, 0, 'allreduce'", "")), NULL
    };
    RecordMergeReport report;
    g_autoptr(Recording) recording = read_and_merge_ranks(texts, &report);

    (void)state;
    assert_int_equal(recording->ranks->len, 2);
    assert_int_equal(report.n_by_order, 2);
    for (guint i = 0; i < 2; i++)
        assert_int_equal(
            g_array_index(record_rank(recording, i)->comms, RecordComm, 0)
                .bytes,
            4 * (i + 1));
}

/* Adds the member of tar archive @name that matches @part, which contains the
 * number of the rank. */
static void add_sample_rank(Recording *recording, const char *name,
                            const char *part, guint rank)
{
    g_autofree char *pattern = g_strdup_printf("%s%u*", part, rank);
    gsize n;
    g_autofree char *text = samples_read_tar_member(name, pattern, &n);
    g_autoptr(Source) source = source_from_memory(pattern, text, n);
    g_autoptr(GError) error = NULL;

    assert_true(read_recording_file(READ_AUTO, source, &(ReadOptions){ 0 },
                                    recording, &error));
}

static void dlrm_samples_get_all_their_sizes(void **state)
{
    static const uint64_t bytes[] = { 24576,   192,   1536, 13568,
                                      1576964, 24576, 448,  907840 };
    g_autoptr(Recording) recording = recording_new();
    RecordMergeReport report;

    (void)state;
    for (guint i = 0; i < 8; i++)
        add_sample_rank(recording, "kineto-dlrm8-v100.tar.gz", "*worker", i);
    for (guint i = 8; i-- > 0;)
        add_sample_rank(recording, "hostet-dlrm8-v100.tar.gz", "*dlrm_eg_", i);
    record_merge_size_files(recording, &report);
    assert_int_equal(recording->ranks->len, 8);
    assert_int_equal(report.n_ranks, 8);
    assert_int_equal(report.n_by_order, 64);
    assert_int_equal(report.n_unmatched + report.n_left, 0);
    for (guint i = 0; i < 8; i++) {
        const GArray *comms = record_rank(recording, i)->comms;

        assert_int_equal(comms->len, 8);
        for (guint c = 0; c < 8; c++)
            assert_int_equal(g_array_index(comms, RecordComm, c).bytes,
                             bytes[c]);
        assert_int_equal(g_array_index(comms, RecordComm, 3).kind,
                         COLL_ALL_TO_ALLV);
        assert_non_null(g_array_index(comms, RecordComm, 3).in_split);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_trace_operations_are_sorted_by_id),
        cmocka_unit_test(newer_host_trace_versions_give_the_same_nodes),
        cmocka_unit_test(a_payload_is_the_whole_vector_or_a_share),
        cmocka_unit_test(a_rank_that_differs_between_nodes_is_unknown),
        cmocka_unit_test(host_trace_errors_have_their_position),
        cmocka_unit_test(tensor_sizes_are_merged_by_node_ids_with_an_offset),
        cmocka_unit_test(sizes_are_merged_by_order_without_ids),
        cmocka_unit_test(incompatible_communications_are_not_changed),
        cmocka_unit_test(ranks_without_numbers_are_paired_by_order),
        cmocka_unit_test(dlrm_samples_get_all_their_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
