/* Tests of workloads/readers/astra_read.c, astra_policy.c and astra_loop.c */
#include "tests/test.h"

#include "tests/workloads/readers/astra_text_fixture.h"

static void assert_text_reads_for_npus(const char *text, uint32_t n_npus,
                                       const char *expected)
{
    GError *error = NULL;
    g_autoptr(Recording) recording = read_text_for_npus(text, n_npus, &error);
    g_autofree char *got = NULL;

    if (!recording)
        fail_msg("%s", error->message);
    got = recording_text(recording);
    assert_string_equal(got, expected);
}

static void assert_text_reads(const char *text, const char *expected)
{
    assert_text_reads_for_npus(text, 0, expected);
}

static void assert_read_refused(const char *text, const char *message)
{
    GError *error = NULL;

    assert_null(read_text_for_npus(text, 0, &error));
    if (!g_str_has_prefix(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

static void test_policy_data_orders_layers_as_a_data_parallel_loop(void **state)
{
    (void)state;
    assert_text_reads("DATA\n2\n"
                      "a -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 1000 5\n"
                      "b -1 11 NONE 0 21 NONE 0 31 ALLREDUCE 2000 1",
                      "0 a update 5 ns < 7@1\n"
                      "1 a forward 10 ns\n"
                      "2 b forward 11 ns < 4@1\n"
                      "3 b weight-gradient 31 ns\n"
                      "4 b all-reduce 2000 B < 3\n"
                      "5 b input-gradient 21 ns\n"
                      "6 a weight-gradient 30 ns\n"
                      "7 a all-reduce 1000 B < 6\n");
}

static void test_policy_model_waits_for_collectives_between_layers(void **state)
{
    (void)state;
    assert_text_reads("MODEL\n2\n"
                      "a -1 10 ALLGATHER 100 20 ALLREDUCE 200 30 NONE 0 1\n"
                      "b -1 11 ALLGATHER 101 21 ALLREDUCE 201 31 NONE 0 1\n",
                      "0 a forward 10 ns\n"
                      "1 a all-gather 100 B < 0\n"
                      "2 b forward 11 ns < 1\n"
                      "3 b all-gather 101 B < 2\n"
                      "4 b input-gradient 21 ns < 3\n"
                      "5 b all-reduce 201 B < 4\n"
                      "6 b weight-gradient 31 ns\n"
                      "7 a weight-gradient 30 ns < 5\n");
}

static void test_times_of_1_ns_and_payloads_of_1_byte_are_ignored(void **state)
{
    (void)state;
    assert_text_reads("DATA\n1\na -1 1 NONE 1 0 NONE 7 30 ALLREDUCE 1 0\n",
                      "0 a forward 0 ns\n1 a weight-gradient 30 ns\n");
}

static void test_lines_and_blanks_may_be_of_any_kind(void **state)
{
    (void)state;
    assert_text_reads(
        "\n  DATA \r\n\n1\ta\r\n-1 2 NONE\n0 2 NONE 0 2\t\tNONE 0 1 "
        "\n\n",
        "0 a forward 2 ns\n1 a weight-gradient 2 ns\n");
}

static void test_a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    assert_text_reads("\xef\xbb\xbf"
                      "DATA\n1\na -1 2 NONE 0 2 NONE 0 3 NONE 0 1\n",
                      "0 a forward 2 ns\n1 a weight-gradient 3 ns\n");
}

/* The first layer is an embedding.  Its forward all-to-all runs in parallel
 * with the bottom layers, and its backward one until its weight gradient. */
static void test_dlrm_exchanges_while_the_bottom_is_computed(void **state)
{
    (void)state;
    assert_text_reads("HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n3\n"
                      "e -1 10 ALLTOALL 100 20 ALLTOALL 200 30 NONE 0 1\n"
                      "b -1 11 NONE 0 21 NONE 0 31 ALLREDUCE 300 1\n"
                      "t -1 12 NONE 0 22 NONE 0 32 ALLREDUCE 400 9\n",
                      "0 e forward 10 ns\n"
                      "1 e all-to-all 100 B < 0\n"
                      "2 b forward 11 ns < 10@1\n"
                      "3 t update 9 ns < 1 < 6@1\n"
                      "4 t forward 12 ns\n"
                      "5 t weight-gradient 32 ns\n"
                      "6 t all-reduce 400 B < 5\n"
                      "7 t input-gradient 22 ns\n"
                      "8 e all-to-all 200 B < 7\n"
                      "9 b weight-gradient 31 ns\n"
                      "10 b all-reduce 300 B < 9\n"
                      "11 b input-gradient 21 ns\n"
                      "12 e weight-gradient 30 ns < 8\n");
}

static void test_groups_of_a_transformer_are_by_stride(void **state)
{
    (void)state;
    assert_text_reads(
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 4 pp: 2 "
        "vpp: 1 ga: 1 all_gpus: 32 pp_comm 8\n1\n"
        "a -1 10 ALLGATHER 100 20 ALLTOALL_EP 200 30 "
        "REDUCESCATTER_DP_EP 300 1",
        "0 a forward 10 ns < 5@1\n"
        "1 a all-gather 100 B of TP 2/1 < 0\n"
        "2 a input-gradient 20 ns < 1\n"
        "3 a all-to-all 200 B of EP 4/2 < 2\n"
        "4 a weight-gradient 30 ns\n"
        "5 a reduce-scatter 300 B of DP_EP 2/8 < 4\n");
}

static void test_the_number_of_npus_may_be_given(void **state)
{
    const char *text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\n"
                       "a -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 300 1";
    const char *nodes = "0 a forward 10 ns < 3@1\n"
                        "1 a input-gradient 20 ns\n"
                        "2 a weight-gradient 30 ns\n"
                        "3 a all-reduce 300 B of %s < 2\n";
    g_autofree char *unknown = g_strdup_printf(nodes, "DP 0/4");
    g_autofree char *known = g_strdup_printf(nodes, "DP 3/4");

    (void)state;
    assert_text_reads_for_npus(text, 0, unknown);
    assert_text_reads_for_npus(text, 12, known);
}

/* The text does not say which micro-batch a layer belongs to, so messages
 * between stages cannot be placed. */
static void test_messages_between_stages_are_counted(void **state)
{
    g_autoptr(Recording) recording = read_text_for_npus(
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 vpp: 3 ga: 5 "
        "all_gpus: 8 pp_comm 100\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1",
        0, NULL);

    (void)state;
    assert_int_equal(recording->n_stage_messages, 2 * 3 * 5);
    assert_int_equal(recording->stage_bytes, 2 * 3 * 5 * 100);
}

/* A group of one NPU has no peer to send to. */
static void test_collectives_of_one_npu_are_left_out(void **state)
{
    (void)state;
    assert_text_reads_for_npus(
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n1\n"
        "a -1 10 NONE 0 20 NONE 0 30 ALLREDUCE 300 1",
        4,
        "0 a forward 10 ns\n"
        "1 a input-gradient 20 ns\n"
        "2 a weight-gradient 30 ns\n");
}

/* All entries of the lists checkpoints and checkpoint_initiates are used. */
static void test_layers_after_checkpoints_are_recomputed(void **state)
{
    (void)state;
    assert_text_reads(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
        "checkpoints: 2 0 2 checkpoint_initiates: 2 3 1\n4\n"
        "a -1 10 ALLREDUCE 8 20 NONE 0 30 NONE 0 1\n"
        "b -1 11 NONE 0 21 NONE 0 31 NONE 0 1\n"
        "c -1 12 NONE 0 22 NONE 0 32 NONE 0 1\n"
        "d -1 13 NONE 0 23 NONE 0 33 NONE 0 1\n",
        "0 a forward 10 ns\n"
        "1 a all-reduce 8 B of TP 2/1 < 0\n"
        "2 b forward 11 ns < 1\n"
        "3 c forward 12 ns\n"
        "4 d forward 13 ns\n"
        "5 c forward 12 ns\n"
        "6 d input-gradient 23 ns\n"
        "7 d weight-gradient 33 ns\n"
        "8 c input-gradient 22 ns\n"
        "9 c weight-gradient 32 ns\n"
        "10 a forward 10 ns\n"
        "11 a all-reduce 8 B of TP 2/1 < 10\n"
        "12 b input-gradient 21 ns < 11\n"
        "13 b weight-gradient 31 ns\n"
        "14 a input-gradient 20 ns\n"
        "15 a weight-gradient 30 ns\n");
    assert_read_refused(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
        "checkpoints: 1 1 checkpoint_initiates: 1 0\n2\n"
        "a -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n"
        "b -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
        "x.txt:1:1: layer 0 initiates, and no checkpoint is below it");
    assert_read_refused(
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
        "checkpoints: 1 7\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
        "x.txt:1:1: there is no layer 7 to be a checkpoint");
}

static void test_a_layer_may_name_the_policy_of_its_groups(void **state)
{
    (void)state;
    assert_text_reads(
        "HYBRID_CUSTOMIZED model_parallel_NPU_group: 2 all_gpus: 8\n"
        "4\n"
        "a -1 2 NONE 0 2 NONE 0 2 ALLREDUCE 8 1 DATA\n"
        "b -1 2 ALLREDUCE 8 2 NONE 0 2 NONE 0 1 MODEL\n"
        "c -1 2 NONE 0 2 NONE 0 2 ALLREDUCE 8 1 HYBRID_TRANSFORMER\n"
        "d -1 2 ALLREDUCE 8 2 NONE 0 2 NONE 0 1 HYBRID_DATA_MODEL",
        "0 a forward 2 ns < 15@1\n"
        "1 b forward 2 ns\n"
        "2 b all-reduce 8 B < 1\n"
        "3 c forward 2 ns < 2 < 10@1\n"
        "4 d forward 2 ns\n"
        "5 d all-reduce 8 B of dims 1 < 4\n"
        "6 d input-gradient 2 ns < 5\n"
        "7 d weight-gradient 2 ns\n"
        "8 c input-gradient 2 ns\n"
        "9 c weight-gradient 2 ns\n"
        "10 c all-reduce 8 B of DP 4/2 < 9\n"
        "11 b input-gradient 2 ns\n"
        "12 b weight-gradient 2 ns\n"
        "13 a input-gradient 2 ns\n"
        "14 a weight-gradient 2 ns\n"
        "15 a all-reduce 8 B < 14\n");
}

static void test_micro_and_inference_run_few_passes(void **state)
{
    (void)state;
    assert_text_reads("MICRO\n2\na -1 9 NONE 0 9 NONE 0 9 ALLREDUCE 8 9\n"
                      "b -1 9 NONE 0 9 NONE 0 9 ALLGATHER 9 9\n",
                      "0 a all-reduce 8 B\n1 b all-gather 9 B\n");
    assert_text_reads("DISTRIBUTED_INFERENCE\n2\n"
                      "a -1 9 ALLREDUCE 8 9 NONE 0 9 NONE 0 1\n"
                      "b -1 7 NONE 0 9 ALLREDUCE 9 9 NONE 0 1\n",
                      "0 a forward 9 ns\n1 a all-reduce 8 B < 0\n"
                      "2 b forward 7 ns < 1\n");
}

/* Passes that are not replayed are in the recording, so they are counted. */
static void test_the_recording_has_all_passes_of_the_text(void **state)
{
    g_autoptr(Recording) recording = read_text_for_npus(
        "DATA \n1\na -1 1 NONE 1 7 NONE 0 30 ALLREDUCE 1 1\n", 0, NULL);
    const RecordRank *rank = record_rank(recording, 0);
    uint64_t sum_ps = 0;

    (void)state;
    assert_string_equal(recording->version, "DATA");
    assert_int_equal(rank->rank, RECORD_NO_RANK);
    assert_int_equal(rank->n_found, 1);
    assert_int_equal(rank->comms->len, 1);
    for (guint i = 0; i < rank->nodes->len; i++)
        sum_ps += record_node(rank, i)->duration_ps;
    assert_int_equal(sum_ps, (1 + 7 + 30 + 1) * 1000);
}

static void test_trace_errors_have_their_position(void **state)
{
    (void)state;
    assert_read_refused("DATA 7\n1\n", "x.txt:1:6: policy 'DATA' has no keys");
    assert_read_refused("HYBRID_DLRM\n1\n",
                        "x.txt:1:1: policy 'HYBRID_DLRM' is followed by "
                        "the last layer of the bottom");
    assert_read_refused("HYBRID_TRANSFORMER tp: 8\n",
                        "x.txt:1:20: there is no key 'tp:'");
    assert_read_refused(
        "HYBRID_TRANSFORMER ep: 8 pp: 0\n",
        "x.txt:1:30: pp is a whole number from 1 to 16777216, not '0'");
    assert_read_refused("HYBRID_TRANSFORMER ep: 8 ep: 8\n",
                        "x.txt:1:26: key 'ep:' is given twice");
    assert_read_refused(
        "HYBRID_TRANSFORMER checkpoints: 2 7\n",
        "x.txt:1:36: the line ends where the value of checkpoints is due");
    assert_read_refused(
        "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 pp: 3 all_gpus: 64\n",
        "x.txt:1:1: 64 NPUs are no multiple of model_parallel_NPU_group 8 x "
        "pp 3 x ep 1");
    assert_read_refused(
        "HYBRID_TRANSFORMER\n1\na -1 1 ALLREDUCE 8 2 NONE 0 3 NONE 0 1\n",
        "x.txt:1:1: layers are shared out among NPUs, and the text has no "
        "model_parallel_NPU_group");
    assert_read_refused(
        "HYBRID_DLRM 0\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
        "x.txt:1:1: no layer is above layer 0, the last of the bottom");
    assert_read_refused(
        "HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
        "x.txt:4:1: the text ends where the policy of a layer is due");
    assert_read_refused(
        "HYBRID_CUSTOMIZED\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1 b\n",
        "x.txt:3:35: there is no policy 'b'");
    assert_read_refused(
        "DATA\n", "x.txt:2:1: the text ends where the number of layers is "
                  "due");
    assert_read_refused("DATA\nmany\n",
                        "x.txt:2:1: the number of layers has to be a whole "
                        "number of at most 100000, not 'many'");
    assert_read_refused("DATA\n0\n", "x.txt:3:1: there are no layers");
    assert_read_refused("DATA\n4294967296\n",
                        "x.txt:2:1: the number of layers has to be");
    assert_read_refused("DATA\n99999999999999999999999\n",
                        "x.txt:2:1: the number of");
    assert_read_refused("DATA\n-1\n",
                        "x.txt:2:1: the number of layers has to be");
    assert_read_refused("DATA\n1\na\n",
                        "x.txt:4:1: the text ends after 0 layers and a part "
                        "of one");
    assert_read_refused("DATA\n1\na -1 1.5 NONE 0",
                        "x.txt:3:6: the time of the forward in ns has to be");
    assert_read_refused(
        "DATA\n1\na -1 1 NOONE 0",
        "x.txt:3:8: the collective of the forward is one of REDUCESCATTER, "
        "ALLGATHER, ALLREDUCE, ALLTOALL, BROADCAST, REDUCE, "
        "GATHER, SCATTER, NONE, not 'NOONE'");
    assert_read_refused(
        "DATA\n1\na -1 1 ALLREDUCE_EP 2 2 NONE 0 3 NONE 0 1\n",
        "x.txt:3:8: under policy DATA the forward has no such collective");
    assert_read_refused("DATA\n1\na -1 1 NONE_EP 0",
                        "x.txt:3:8: the collective of the");
    assert_read_refused("DATA\n1\na -1 1 ALLREDUCEALLTOALL 0",
                        "x.txt:3:8: the collective");
    assert_read_refused(
        "DATA\n1\na -1 1 NONE 0 2 ALLREDUCE 8 3 NONE 0 1\n",
        "x.txt:3:17: under policy DATA the input gradient has no "
        "collective");
    assert_read_refused(
        "MODEL\n1\na -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 8 1\n",
        "x.txt:3:26: under policy MODEL the weight gradient has no "
        "collective");
    assert_read_refused(
        "DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 0 1 DATA\n",
        "x.txt:3:35: there are more words than the 1 layers have");
    assert_read_refused(
        "DATA\n1\na -1 1 NONE 0 2 NONE 0 3 NONE 9999999999999999 1\n",
        "x.txt:3:31: the payload of the weight gradient in bytes");
    assert_read_refused(
        "DATA\n1\n\xff\xfe -1 1 NONE 0 2 NONE 0 3 NONE 0 1\n",
        "x.txt:3:1: a layer's name has 200 bytes of UTF-8 at most");
    assert_read_refused("never\n",
                        "x.txt:1:1: no reader knows how this begins");
    assert_read_refused("", "x.txt:1:1: it is empty");
}

/* Every truncated text, and every text with a changed byte, is read or gives an
 * error with its position. */
static void test_invalid_texts_are_refused_with_a_position(void **state)
{
    const char *whole =
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
        "checkpoints: 1 0 checkpoint_initiates: 1 1\n2\n"
        "a -1 10 ALLGATHER 100 20 ALLREDUCE 200 30 NONE 0 1\n"
        "b -1 11 ALLGATHER_EP 101 21 ALLREDUCE 201 31 NONE 0 9\n";
    gsize n = strlen(whole);

    (void)state;
    for (gsize i = 0; i < n; i++)
        for (guint way = 0; way < 6; way++) {
            g_autofree char *text = g_strndup(whole, way > 0 ? n : i);
            g_autoptr(Recording) recording = NULL;
            GError *error = NULL;

            if (way > 0)
                text[i] = "\n 9z\xff"[way - 1];
            recording = read_text_for_npus(text, 0, &error);
            if (!recording) {
                assert_true(g_str_has_prefix(error->message, "x.txt:"));
                assert_true(g_utf8_validate(error->message, -1, NULL));
            }
            g_clear_error(&error);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_policy_data_orders_layers_as_a_data_parallel_loop),
        cmocka_unit_test(
            test_policy_model_waits_for_collectives_between_layers),
        cmocka_unit_test(test_times_of_1_ns_and_payloads_of_1_byte_are_ignored),
        cmocka_unit_test(test_lines_and_blanks_may_be_of_any_kind),
        cmocka_unit_test(test_a_byte_order_mark_is_skipped),
        cmocka_unit_test(test_dlrm_exchanges_while_the_bottom_is_computed),
        cmocka_unit_test(test_groups_of_a_transformer_are_by_stride),
        cmocka_unit_test(test_the_number_of_npus_may_be_given),
        cmocka_unit_test(test_messages_between_stages_are_counted),
        cmocka_unit_test(test_collectives_of_one_npu_are_left_out),
        cmocka_unit_test(test_layers_after_checkpoints_are_recomputed),
        cmocka_unit_test(test_a_layer_may_name_the_policy_of_its_groups),
        cmocka_unit_test(test_micro_and_inference_run_few_passes),
        cmocka_unit_test(test_the_recording_has_all_passes_of_the_text),
        cmocka_unit_test(test_trace_errors_have_their_position),
        cmocka_unit_test(test_invalid_texts_are_refused_with_a_position),
    };

    return cmocka_run_group_tests_name("layer_text", tests, NULL, NULL);
}
