/* Tests of workloads/readers/dpro.c.  The traces are made up, because none is
 * public. */
#include "tests/test.h"

#include <string.h>

#include "workloads/readers/reader_table.h"

static Recording *read_dpro_text(const char *text, GError **error)
{
    g_autoptr(Source) source = source_from_memory("x.json", text, strlen(text));
    g_autoptr(Recording) recording = recording_new();
    ReadOptions options = { NULL, 0 };

    if (!read_recording_file(READ_AUTO, source, &options, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

#define EVENT(name, ts, dur, pid)                                              \
    "{\"name\": \"" name "\", \"ph\": \"X\", \"ts\": " ts ", \"dur\": " dur    \
    ", \"pid\": \"" pid "\", \"cat\": \"c\", \"args\": {\"step\": 1"
#define PLAIN  "}}"
#define SEVEN  ", \"bytes\": 7}}"
#define RANK_0 "host0.rank0"
#define RANK_1 "host1.rank0"

static const char *const whole =
    "{\"traceEvents\": [" EVENT("FW.conv1", "1000.5", "20", RANK_1) PLAIN
    "," EVENT("host0.rank0->BW.conv1", "1030", "30.25", RANK_0) PLAIN
    "," EVENT("Comm.3+4.NEGOTIATE_ALLREDUCE", "1030", "5", RANK_0) PLAIN
    "," EVENT("Comm.3+4.ALLREDUCE", "1040", "50", RANK_0) SEVEN
    "," EVENT("Comm.3+4.ALLREDUCE", "1041", "49", RANK_1) SEVEN
    "," EVENT("Comm.3+4.SEND~>0_1_6_0", "1042", "1", RANK_0) PLAIN
    "," EVENT("Comm.3.MEMCPY_IN_FUSION_BUFFER", "1042", "1", RANK_0) PLAIN
    "," EVENT("UPDATE_0", "1100", "2", RANK_0) PLAIN
    "," EVENT("I/O_load", "1100", "2", RANK_0) PLAIN
    "," EVENT("FW.conv1", "1200", "2", "server0") PLAIN
    ","
    "{\"name\": \"FW.x\", \"ph\": \"i\", \"ts\": 5, \"pid\": \"host0.rank0\"}]}";

static void test_the_name_determines_the_kind_of_a_dpro_event(void **state)
{
    static const struct {
        const char *name;
        RecordKind kind;
        OpPass pass;
    } due[] = {
        { "BW.conv1", RECORD_KERNEL, OP_WEIGHT_GRADIENT },
        { "Comm.3+4.NEGOTIATE_ALLREDUCE", RECORD_OTHER, OP_N_PASSES },
        { "Comm.3+4.ALLREDUCE", RECORD_COLLECTIVE, OP_N_PASSES },
        { "Comm.3+4.SEND", RECORD_SEND, OP_N_PASSES },
        { "Comm.3.MEMCPY_IN_FUSION_BUFFER", RECORD_COPY, OP_N_PASSES },
        { "UPDATE_0", RECORD_KERNEL, OP_UPDATE },
        { "I/O_load", RECORD_HOST, OP_N_PASSES },
    };
    GError *error = NULL;
    g_autoptr(Recording) recording = read_dpro_text(whole, &error);
    const RecordRank *rank;

    (void)state;
    if (!recording)
        fail_msg("%s", error->message);
    assert_string_equal(recording->format, "dpro");
    assert_int_equal(recording->ranks->len, 2);
    /* The rank is the second one in the file. */
    rank = record_rank(recording, 1);
    assert_int_equal(rank->rank, 0);
    assert_string_equal(rank->host, "host0");
    assert_int_equal(rank->nodes->len, G_N_ELEMENTS(due));
    for (guint i = 0; i < G_N_ELEMENTS(due); i++) {
        const RecordNode *node = record_node(rank, i);

        assert_string_equal(node->name, due[i].name);
        assert_int_equal(node->kind, due[i].kind);
        assert_int_equal(node->pass, due[i].pass);
    }
}

static void test_times_are_relative_to_the_first_event(void **state)
{
    g_autoptr(Recording) recording = read_dpro_text(whole, NULL);
    const RecordRank *rank = record_rank(recording, 0);

    (void)state;
    assert_int_equal(rank->rank, 1);
    assert_int_equal(rank->base_ns, 1000500);
    assert_int_equal(record_node(rank, 0)->begin_ps, 0);
    assert_int_equal(record_node(rank, 0)->duration_ps, 20000000);
    rank = record_rank(recording, 1);
    assert_int_equal(rank->base_ns, 1000500);
    assert_int_equal(record_node(rank, 0)->begin_ps, 29500000);
    assert_int_equal(record_node(rank, 0)->duration_ps, 30250000);
}

static void test_a_collective_is_the_same_on_all_ranks(void **state)
{
    g_autoptr(Recording) recording = read_dpro_text(whole, NULL);
    const RecordRank *one = record_rank(recording, 0);
    const RecordRank *zero = record_rank(recording, 1);
    const RecordComm *a = record_node_communication(one, record_node(one, 1));
    const RecordComm *b = record_node_communication(zero, record_node(zero, 2));

    (void)state;
    assert_int_equal(a->kind, COLL_ALL_REDUCE);
    assert_true(a->has_sequence && b->has_sequence);
    assert_true(a->sequence == b->sequence);
    assert_true(a->has_bytes && a->bytes == 7);
    assert_int_equal(a->group, b->group);
    /* The peer is a server, which has its own file. */
    assert_int_equal(
        record_node_communication(zero, record_node(zero, 3))->peer,
        RECORD_NONE);
}

static void test_invalid_texts_are_refused_with_a_position(void **state)
{
    gsize n = strlen(whole);

    (void)state;
    for (gsize i = 0; i < n; i += 3)
        for (guint way = 0; way < 6; way++) {
            g_autofree char *text = g_strndup(whole, way > 0 ? n : i);
            g_autoptr(Recording) recording = NULL;
            g_autoptr(GError) error = NULL;

            if (way > 0)
                text[i] = "\"9{]e"[way - 1];
            recording = read_dpro_text(text, &error);
            if (!recording)
                assert_true(g_str_has_prefix(error->message, "x.json:"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_name_determines_the_kind_of_a_dpro_event),
        cmocka_unit_test(test_times_are_relative_to_the_first_event),
        cmocka_unit_test(test_a_collective_is_the_same_on_all_ranks),
        cmocka_unit_test(test_invalid_texts_are_refused_with_a_position),
    };

    return cmocka_run_group_tests_name("dpro", tests, NULL, NULL);
}
