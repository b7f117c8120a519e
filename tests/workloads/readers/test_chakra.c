/* Tests of workloads/readers/chakra.c */
#include "tests/test.h"

#include "tests/workloads/readers/protobuf_writer.h"
#include "workloads/readers/reader_table.h"

enum { INT32 = 7, INT64 = 9, UINT64 = 13, SINT64 = 17, BOOL = 27, BOOLS, TEXT };

static GByteArray *chakra_number_attribute(const char *name, uint32_t type,
                                           uint64_t value)
{
    GByteArray *message = g_byte_array_new();

    append_text_field(message, 1, name);
    append_number_field(message, type, value);
    return message;
}

static GByteArray *chakra_text_attribute(const char *name, const char *text)
{
    GByteArray *message = g_byte_array_new();

    append_text_field(message, 1, name);
    append_text_field(message, TEXT, text);
    return message;
}

static GByteArray *begin_chakra_file(const char *version)
{
    GByteArray *out = g_byte_array_new(), *metadata = g_byte_array_new();

    append_text_field(metadata, 1, version);
    append_delimited_record(out, metadata);
    return out;
}

static GByteArray *begin_chakra_node(uint64_t id, const char *name,
                                     uint64_t type)
{
    GByteArray *node = g_byte_array_new();

    if (id > 0)
        append_number_field(node, 1, id);
    append_text_field(node, 2, name);
    append_number_field(node, 3, type);
    return node;
}

static Recording *read_recording_bytes(const char *name,
                                       const GByteArray *bytes, GError **error)
{
    g_autoptr(Source) source =
        source_from_memory(name, bytes->data, bytes->len);
    g_autoptr(Recording) recording = recording_new();
    ReadOptions options = { NULL };

    if (!read_recording_file(READ_AUTO, source, &options, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

static Recording *read_valid_bytes(const char *name, GByteArray *bytes)
{
    GError *error = NULL;
    Recording *recording = read_recording_bytes(name, bytes, &error);

    g_byte_array_unref(bytes);
    if (!recording)
        fail_msg("%s", error->message);
    return recording;
}

static void assert_read_refused(GByteArray *bytes, const char *message)
{
    GError *error = NULL;

    assert_null(read_recording_bytes("x.et", bytes, &error));
    assert_string_equal(error->message, message);
    g_error_free(error);
    g_byte_array_unref(bytes);
}

static uint64_t id_of_nth_dependency(const RecordRank *rank,
                                     const RecordNode *node, guint i)
{
    return g_array_index(rank->deps, uint64_t, node->first_dep + i);
}

static void test_a_node_has_the_values_of_its_record(void **state)
{
    GByteArray *file = begin_chakra_file("1.1.1-chakra.1.0.0");
    GByteArray *node = begin_chakra_node(0, "gemm", 4);
    g_autoptr(Recording) recording = NULL;
    const RecordRank *rank;

    (void)state;
    append_number_field(node, 6, 1000);
    append_number_field(node, 7, 25);
    append_message_field(node, 10, chakra_number_attribute("stream", INT64, 7));
    append_delimited_record(file, node);
    node = begin_chakra_node(3, "aten::mm", 4);
    append_number_field(node, 6, 990);
    append_message_field(node, 10,
                         chakra_number_attribute("is_cpu_op", BOOL, 1));
    append_message_field(node, 10, chakra_number_attribute("tid", INT32, 12));
    append_delimited_record(file, node);
    append_delimited_record(file, begin_chakra_node(4, "Memcpy DtoH", 4));
    append_delimited_record(file, begin_chakra_node(5, "params", 1));
    recording = read_valid_bytes("a/b.c.17.et.gz", file);

    assert_string_equal(recording->format, "chakra");
    assert_string_equal(recording->version, "1.1.1-chakra.1.0.0");
    rank = record_rank(recording, 0);
    assert_int_equal(rank->rank, 17);
    assert_int_equal(rank->n_found, 4);
    assert_int_equal(rank->base_ns, 1000000);
    assert_int_equal(record_node(rank, 0)->id, 0);
    assert_string_equal(record_node(rank, 0)->name, "gemm");
    assert_int_equal(record_node(rank, 0)->kind, RECORD_KERNEL);
    assert_int_equal(record_node(rank, 0)->begin_ps, 0);
    assert_int_equal(record_node(rank, 0)->duration_ps, 25000000);
    assert_int_equal(record_node(rank, 1)->kind, RECORD_HOST);
    assert_int_equal(record_node(rank, 1)->flags, RECORD_ON_HOST);
    assert_int_equal(record_node(rank, 1)->begin_ps, -10000000);
    assert_int_equal(record_node(rank, 2)->kind, RECORD_COPY);
    assert_true(record_node(rank, 2)->begin_ps == RECORD_NO_TIME);
    assert_int_equal(record_node(rank, 3)->kind, RECORD_OTHER);
    assert_int_equal(
        g_array_index(rank->streams, RecordStream, record_node(rank, 0)->stream)
            .id,
        7);
}

static void test_dependencies_are_read_packed_or_not(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    GByteArray *node = begin_chakra_node(1, "a", 4);
    g_autoptr(Recording) recording = NULL;
    const RecordRank *rank;

    (void)state;
    /* The field is a control dependency on an absent node. */
    append_number_field(node, 4, 99);
    append_number_field(node, 5, 300);
    append_bytes_field(node, 5, "\x01\xac\x02", 3);
    append_delimited_record(file, node);
    recording = read_valid_bytes("x", file);
    rank = record_rank(recording, 0);
    assert_int_equal(rank->rank, RECORD_NO_RANK);
    assert_int_equal(record_node(rank, 0)->n_deps, 4);
    assert_int_equal(record_node(rank, 0)->n_control, 1);
    assert_int_equal(rank->n_control_deps, 1);
    assert_int_equal(id_of_nth_dependency(rank, record_node(rank, 0), 0), 300);
    assert_int_equal(id_of_nth_dependency(rank, record_node(rank, 0), 1), 1);
    assert_int_equal(id_of_nth_dependency(rank, record_node(rank, 0), 2), 300);
    assert_int_equal(id_of_nth_dependency(rank, record_node(rank, 0), 3), 99);
}

static void append_collective_node(GByteArray *file, uint64_t id, uint64_t type,
                                   uint64_t n_bytes, GByteArray *more)
{
    GByteArray *node = begin_chakra_node(id, "nccl", 7);

    append_message_field(node, 10,
                         chakra_number_attribute("comm_type", INT64, type));
    append_message_field(node, 10,
                         chakra_number_attribute("comm_size", INT64, n_bytes));
    if (more)
        append_message_field(node, 10, more);
    append_delimited_record(file, node);
}

static const RecordComm *comm_at_index(const Recording *recording, uint32_t i)
{
    const RecordRank *rank = record_rank(recording, 0);

    return record_node_communication(rank, record_node(rank, i));
}

static void test_a_size_is_the_whole_vector_or_a_share(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    g_autoptr(Recording) recording = NULL;

    (void)state;
    append_collective_node(file, 1, 0, 1 << 20, NULL);
    append_collective_node(file, 2, 2, 4096, NULL);
    append_collective_node(file, 3, 7, 8192,
                           chakra_text_attribute("pg_name", "default_pg"));
    append_collective_node(file, 4, 8, 8192,
                           chakra_text_attribute("pg_name", "7"));
    append_collective_node(file, 5, 99, 1, NULL);
    recording = read_valid_bytes("x", file);
    assert_int_equal(comm_at_index(recording, 0)->kind, COLL_ALL_REDUCE);
    assert_int_equal(comm_at_index(recording, 0)->bytes, 1 << 20);
    assert_false(comm_at_index(recording, 0)->is_share);
    assert_int_equal(comm_at_index(recording, 0)->group, 0);
    assert_int_equal(comm_at_index(recording, 1)->kind, COLL_ALL_GATHER);
    assert_true(comm_at_index(recording, 1)->is_share);
    assert_int_equal(comm_at_index(recording, 2)->kind, COLL_REDUCE_SCATTER);
    assert_false(comm_at_index(recording, 2)->is_share);
    assert_int_equal(comm_at_index(recording, 2)->group, 0);
    assert_int_equal(comm_at_index(recording, 3)->kind, COLL_REDUCE_SCATTER);
    assert_int_equal(comm_at_index(recording, 3)->group, RECORD_NONE);
    assert_int_equal(comm_at_index(recording, 4)->kind, COLL_N_ALL_KINDS);
}

static void test_involved_dimensions_define_a_group(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    g_autoptr(Recording) recording = NULL;
    GByteArray *all = g_byte_array_new(), *some = g_byte_array_new();
    GByteArray *list = g_byte_array_new();

    (void)state;
    append_text_field(all, 1, "involved_dim");
    append_bytes_field(list, 1, "\1\1\1", 3);
    append_message_field(all, BOOLS, list);
    append_text_field(some, 1, "involved_dim");
    list = g_byte_array_new();
    append_number_field(list, 1, 0);
    append_number_field(list, 1, 1);
    append_message_field(some, BOOLS, list);
    append_collective_node(file, 1, 0, 8, all);
    append_collective_node(file, 2, 0, 8, some);
    recording = read_valid_bytes("x", file);
    assert_int_equal(recording->groups->len, 2);
    assert_int_equal(g_array_index(recording->groups, OpGroup, 0).grouped_by,
                     GROUP_ALL);
    assert_int_equal(g_array_index(recording->groups, OpGroup, 1).grouped_by,
                     GROUP_DIMS);
    assert_int_equal(g_array_index(recording->groups, OpGroup, 1).dims_mask, 2);
}

static void test_collectives_of_the_host_move_nothing(void **state)
{
    GByteArray *file = begin_chakra_file("1.0.1");
    GByteArray *node = begin_chakra_node(1, "c10d::reduce_scatter_(0)", 7);
    g_autoptr(Recording) recording = NULL;

    (void)state;
    append_message_field(node, 10,
                         chakra_number_attribute("is_cpu_op", BOOL, 1));
    append_delimited_record(file, node);
    recording = read_valid_bytes("x", file);
    assert_int_equal(record_node(record_rank(recording, 0), 0)->flags,
                     RECORD_ON_HOST);
    assert_int_equal(comm_at_index(recording, 0)->kind, COLL_REDUCE_SCATTER);
    assert_false(comm_at_index(recording, 0)->has_bytes);
}

static void test_a_message_has_its_peer(void **state)
{
    GByteArray *file = begin_chakra_file("1.0.2-chakra.0.0.4");
    GByteArray *node = begin_chakra_node(0, "s", 5);
    g_autoptr(Recording) recording = NULL;

    (void)state;
    append_message_field(node, 10,
                         chakra_number_attribute("comm_size", UINT64, 131072));
    /* The value 6 is the zigzag code of 3. */
    append_message_field(node, 10,
                         chakra_number_attribute("comm_dst", SINT64, 6));
    append_message_field(node, 10,
                         chakra_number_attribute("comm_tag", INT32, 9));
    append_delimited_record(file, node);
    node = begin_chakra_node(1, "r", 6);
    append_message_field(node, 10,
                         chakra_number_attribute("comm_src", INT32, 2));
    append_delimited_record(file, node);
    recording = read_valid_bytes("x", file);
    assert_int_equal(comm_at_index(recording, 0)->kind, COLL_SEND);
    assert_int_equal(comm_at_index(recording, 0)->bytes, 131072);
    assert_int_equal(comm_at_index(recording, 0)->peer, 3);
    assert_int_equal(comm_at_index(recording, 0)->tag, 9);
    assert_int_equal(comm_at_index(recording, 1)->peer, 2);
    assert_false(comm_at_index(recording, 1)->has_bytes);
}

static void test_trace_errors_have_their_position(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    GByteArray *node;

    (void)state;
    append_collective_node(file, 5, 0, UINT64_MAX, NULL);
    assert_read_refused(file, "x.et: byte 9: node 5: comm_size is from 0 to "
                              "1125899906842624, not -1");
    file = begin_chakra_file("0.0.4");
    node = begin_chakra_node(6, "a", 4);
    append_number_field(node, 7, UINT64_C(1) << 40);
    append_delimited_record(file, node);
    assert_read_refused(
        file, "x.et: byte 9: node 6: a time of more than 1000 s, or as far "
              "from others");
    file = begin_chakra_file("0.0.4");
    append_varint(file, 1000);
    assert_read_refused(file,
                        "x.et: byte 8: it ends within a record of 1000 bytes");
    file = begin_chakra_file("0.0.4");
    g_byte_array_append(file, (const uint8_t *)"\x02\x08\x80", 3);
    assert_read_refused(file, "x.et: byte 11: it ends within a number");
    file = begin_chakra_file("0.0.4");
    g_byte_array_append(file, (const uint8_t *)"\x02\x0b\x00", 3);
    assert_read_refused(file, "x.et: byte 10: there is no field of this type");
    file = begin_chakra_file("0.0.4");
    g_byte_array_append(file, (const uint8_t *)"\x03\x2a\x09\x00", 4);
    assert_read_refused(file,
                        "x.et: byte 11: a field is longer than its container");
    file = begin_chakra_file("0.0.4");
    append_varint(file, UINT64_C(1) << 40);
    assert_read_refused(
        file, "x.et: byte 8: a record of 1099511627776 bytes; 268435456 "
              "are read at most");
}

/* Every truncated file, and every file with a changed byte, is read or gives an
 * error with its position. */
static void test_invalid_chakra_bytes_are_refused_with_a_position(void **state)
{
    g_autoptr(GByteArray) whole = begin_chakra_file("0.0.4");
    GByteArray *node = begin_chakra_node(300, "a", 7);

    (void)state;
    append_bytes_field(node, 5, "\x01\xac\x02", 3);
    append_message_field(node, 10,
                         chakra_number_attribute("comm_size", INT64, 77));
    append_message_field(node, 10, chakra_text_attribute("pg_name", "0"));
    append_delimited_record(whole, node);
    append_delimited_record(whole, begin_chakra_node(301, "b", 4));
    for (guint i = 0; i < whole->len; i++)
        for (guint way = 0; way < 7; way++) {
            g_autoptr(GByteArray) bytes = g_byte_array_new();
            g_autoptr(Recording) recording = NULL;
            g_autoptr(GError) error = NULL;

            g_byte_array_append(bytes, whole->data, way > 0 ? whole->len : i);
            if (way > 0)
                bytes->data[i] = (uint8_t) "\0\1\x7f\x80\xff\x0b"[way - 1];
            recording = read_recording_bytes("x.et", bytes, &error);
            if (!recording)
                assert_true(g_str_has_prefix(error->message, "x.et:"));
        }
}

/* PyTorch's converter writes the groups as JSON inside a Python string. */
static void test_groups_are_read_from_a_host_node(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    GByteArray *node = begin_chakra_node(1, "## process_group:init ##", 4);
    GByteArray *inputs = g_byte_array_new();
    g_autoptr(Recording) recording = NULL;
    const RecordRank *rank;
    const OpGroup *group;

    (void)state;
    append_message_field(node, 10,
                         chakra_number_attribute("is_cpu_op", BOOL, 1));
    append_text_field(
        inputs, 1,
        "['[{\\\"pg_name\\\": \\\"0\\\", \\\"ranks\\\": []}, {\\\"pg_name\\\": \\\"7\\\", \\\"ranks\\\": [1, "
        "3], \\\"group_size\\\": 2}, {\\\"pg_name\\\": 8, \\\"ranks\\\": [...]}]']");
    append_message_field(node, 8, inputs);
    append_delimited_record(file, node);
    append_collective_node(file, 3, 0, 8192,
                           chakra_text_attribute("pg_name", "7"));
    append_collective_node(file, 4, 0, 8192,
                           chakra_text_attribute("pg_name", "0"));
    append_collective_node(file, 5, 0, 8192,
                           chakra_text_attribute("pg_name", "8"));
    recording = read_valid_bytes("x.1.et", file);

    rank = record_rank(recording, 0);
    group = &g_array_index(
        recording->groups, OpGroup,
        record_node_communication(rank, record_node(rank, 1))->group);
    assert_int_equal(group->grouped_by, GROUP_LISTS);
    assert_int_equal(group->size, 2);
    assert_int_equal(group->ids[0], 1);
    assert_int_equal(group->ids[1], 3);
    group = &g_array_index(
        recording->groups, OpGroup,
        record_node_communication(rank, record_node(rank, 2))->group);
    assert_int_equal(group->grouped_by, GROUP_ALL);
    assert_int_equal(
        record_node_communication(rank, record_node(rank, 3))->group,
        RECORD_NONE);
}

/* Returns the group attribute comm_group of ranks 1 and 3. */
static GByteArray *chakra_list_attribute(uint32_t type)
{
    GByteArray *message = g_byte_array_new(), *list = g_byte_array_new();

    append_text_field(message, 1, "comm_group");
    append_bytes_field(list, 1, "\1\3", 2);
    append_message_field(message, type, list);
    return message;
}

static void test_a_group_is_a_text_a_number_or_a_list(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4");
    g_autoptr(Recording) recording = NULL;
    const OpGroup *group;

    (void)state;
    append_collective_node(file, 1, 0, 8,
                           chakra_text_attribute("pg_name", "7"));
    append_collective_node(file, 2, 0, 8,
                           chakra_number_attribute("pg_name", INT32, 7));
    append_collective_node(file, 3, 0, 8,
                           chakra_text_attribute("comm_group", "7"));
    append_collective_node(file, 4, 0, 8,
                           chakra_number_attribute("comm_group", UINT64, 7));
    append_collective_node(file, 5, 0, 8, chakra_list_attribute(INT32 + 1));
    append_collective_node(file, 6, 0, 8, chakra_list_attribute(UINT64 + 1));
    append_collective_node(file, 7, 0, 8,
                           chakra_number_attribute("pg_name", INT32, 0));
    recording = read_valid_bytes("x.1.et", file);
    for (guint i = 0; i < 4; i++) {
        assert_int_equal(comm_at_index(recording, i)->group, RECORD_NONE);
        assert_string_equal(comm_at_index(recording, i)->group_name, "7");
    }
    for (guint i = 4; i < 6; i++) {
        group = &g_array_index(recording->groups, OpGroup,
                               comm_at_index(recording, i)->group);
        assert_int_equal(group->grouped_by, GROUP_LISTS);
        assert_int_equal(group->size, 2);
        assert_int_equal(group->ids[0], 1);
        assert_int_equal(group->ids[1], 3);
        assert_null(comm_at_index(recording, i)->group_name);
    }
    group = &g_array_index(recording->groups, OpGroup,
                           comm_at_index(recording, 6)->group);
    assert_int_equal(group->grouped_by, GROUP_ALL);
}

static void test_memory_nodes_use_the_memory(void **state)
{
    GByteArray *file = begin_chakra_file("0.0.4"), *node;
    g_autoptr(Recording) recording = NULL;
    const RecordRank *rank;

    (void)state;
    for (uint64_t type = 2; type <= 3; type++) {
        node = begin_chakra_node(type, "MEM", type);
        append_message_field(
            node, 10, chakra_number_attribute("tensor_size", UINT64, 4096));
        append_message_field(node, 10,
                             chakra_number_attribute("is_cpu_op", BOOL, 1));
        append_delimited_record(file, node);
    }
    recording = read_valid_bytes("x.1.et", file);
    rank = record_rank(recording, 0);
    for (guint i = 0; i < 2; i++) {
        const RecordNode *read = record_node(rank, i);

        assert_true(record_is_roofline(read));
        assert_int_equal(read->flags, 0);
        assert_int_equal(
            g_array_index(rank->works, RecordWork, read->work - 1).read_bytes,
            4096);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_group_is_a_text_a_number_or_a_list),
        cmocka_unit_test(test_memory_nodes_use_the_memory),
        cmocka_unit_test(test_a_node_has_the_values_of_its_record),
        cmocka_unit_test(test_dependencies_are_read_packed_or_not),
        cmocka_unit_test(test_a_size_is_the_whole_vector_or_a_share),
        cmocka_unit_test(test_involved_dimensions_define_a_group),
        cmocka_unit_test(test_collectives_of_the_host_move_nothing),
        cmocka_unit_test(test_a_message_has_its_peer),
        cmocka_unit_test(test_trace_errors_have_their_position),
        cmocka_unit_test(test_invalid_chakra_bytes_are_refused_with_a_position),
        cmocka_unit_test(test_groups_are_read_from_a_host_node),
    };

    return cmocka_run_group_tests_name("chakra", tests, NULL, NULL);
}
