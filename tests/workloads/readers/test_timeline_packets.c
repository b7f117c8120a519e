/* Tests of workloads/readers/timeline/perfetto.c: a timeline in Perfetto's
 * protobuf gives the same recording as its JSON; damaged files are refused */
#include "tests/models/observe/timeline_read_back.h"

#include <string.h>

#include "tests/models/run/collective_lanes_fixture.h"
#include "workloads/readers/reader_table.h"

/* Returns the timeline, in the format of @name, of two iterations of a kernel,
 * an all-reduce and a kernel.  The caller owns the bytes. */
static char *timeline_bytes_of_format(const char *name, gsize *ret_n)
{
    const Setup setup = lanes_setup(
        "",
        KERNEL("k", 9) "{kind: collective, collective: all-reduce, name: r, "
                       "after: [k], bytes: 4100 B}, " KERNEL("m", 3),
        2);
    g_autofree char *path = trace_file_path(name);
    GError *error = NULL;
    char *bytes = NULL;
    Run run;

    read_run_setup(&run, &setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    trace_write_timeline(run.system, path, "all", 100000);
    run_clear(&run);
    assert_true(g_file_get_contents(path, &bytes, ret_n, &error));
    return bytes;
}

static Recording *read_recording_bytes(const void *bytes, gsize n,
                                       GError **error)
{
    g_autoptr(Source) source = source_from_memory("x", bytes, n);
    g_autoptr(Recording) recording = recording_new();

    if (!read_recording_file(READ_AUTO, source, NULL, recording, error))
        return NULL;
    return g_steal_pointer(&recording);
}

static void assert_equal_ranks(const RecordRank *a, const RecordRank *b)
{
    assert_int_equal(a->nodes->len, b->nodes->len);
    assert_int_equal(a->deps->len, b->deps->len);
    for (guint i = 0; i < a->nodes->len; i++) {
        const RecordNode *node = record_node(a, i), *y = record_node(b, i);

        assert_string_equal(node->name, y->name);
        assert_true(node->begin_ps == y->begin_ps);
        assert_true(node->duration_ps == y->duration_ps);
        assert_int_equal(node->kind, y->kind);
        assert_int_equal(node->stream, y->stream);
        assert_int_equal(node->first_dep, y->first_dep);
        assert_int_equal(node->n_deps, y->n_deps);
    }
    assert_memory_equal(a->deps->data, b->deps->data,
                        a->deps->len * g_array_get_element_size(a->deps));
}

static void packets_give_the_same_recording_as_json(void **state)
{
    gsize n_json, n;
    g_autofree char *json = timeline_bytes_of_format("packets.json", &n_json);
    g_autofree char *bytes = timeline_bytes_of_format("packets.pftrace", &n);
    GError *error = NULL;
    g_autoptr(Recording) as_json = read_recording_bytes(json, n_json, &error);
    g_autoptr(Recording) as_packets = NULL;

    (void)state;
    assert_no_error(error);
    as_packets = read_recording_bytes(bytes, n, &error);
    assert_no_error(error);
    assert_string_equal(as_packets->format, "timeline");
    assert_true(as_packets->iteration_ps > 0);
    assert_true(as_packets->iteration_ps == as_json->iteration_ps);
    assert_int_equal(as_packets->n_world, as_json->n_world);
    assert_int_equal(as_packets->ranks->len, as_json->ranks->len);
    for (guint i = 0; i < as_json->ranks->len; i++)
        assert_equal_ranks(record_rank(as_packets, i), record_rank(as_json, i));
}

static void assert_packets_refused(const void *bytes, gsize n,
                                   const char *message)
{
    g_autoptr(Recording) recording = NULL;
    GError *error = NULL;

    recording = read_recording_bytes(bytes, n, &error);
    assert_null(recording);
    assert_string_equal(error->message, message);
    g_error_free(error);
}

static void a_truncated_packet_file_is_refused(void **state)
{
    gsize n;
    g_autofree char *bytes = timeline_bytes_of_format("packets.pftrace", &n);

    (void)state;
    assert_true(n > 1000);
    for (gsize length = 0; length < n; length += length < 900 ? 1 : 7) {
        g_autofree char *part = g_memdup2(bytes, length + 1);
        g_autoptr(Recording) recording = NULL;
        GError *error = NULL;

        recording = read_recording_bytes(part, length, &error);
        if (recording)
            fail_msg("%zu of %zu bytes are read", length, n);
        g_clear_error(&error);
    }
}

/* AddressSanitizer detects invalid accesses. */
static void a_packet_file_with_a_changed_byte_is_read_or_refused(void **state)
{
    gsize n;
    g_autofree char *bytes = timeline_bytes_of_format("packets.pftrace", &n);

    (void)state;
    for (gsize i = 0; i < n; i += i < 600 ? 1 : 5) {
        char before = bytes[i];
        g_autoptr(Recording) recording = NULL;
        GError *error = NULL;

        bytes[i] = (char)(before ^ (i % 2 ? 0x80 : 0x09));
        recording = read_recording_bytes(bytes, n, &error);
        assert_true(recording || g_str_has_prefix(error->message, "x:"));
        g_clear_error(&error);
        bytes[i] = before;
    }
}

/* Invalid packets are appended to a valid file. */
static void invalid_packets_are_refused_with_their_position(void **state)
{
    static const struct {
        const char *bytes;
        gsize n;
        const char *message;
    } cases[] = {
        { "\x12", 1, "no packet begins here" },
        { "\x0a\x05", 2, "it ends within a packet" },
        { "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12,
          "a number has more than ten bytes" },
        { "\x0a\xff\xff\xff\xff\x7f", 6, "a packet of more than 256 MiB" },
        { "\x0a\x02\x40\xff", 4, "it ends within a number" },
        { "\x0a\x03\xd0\x03\x07", 5, "a clock that is not read" },
        { "\x0a\x0e\x40\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x5a\x02\x48\x01",
          16, "a time that no run has" },
    };
    gsize n;
    g_autofree char *bytes = timeline_bytes_of_format("packets.pftrace", &n);

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) text = g_string_new_len(bytes, (gssize)n);
        g_autoptr(Recording) recording = NULL;
        GError *error = NULL;

        g_string_append_len(text, cases[i].bytes, (gssize)cases[i].n);
        recording = read_recording_bytes(text->str, text->len, &error);
        assert_null(recording);
        if (!g_str_has_prefix(error->message, "x: byte ") ||
            !g_str_has_suffix(error->message, cases[i].message))
            fail_msg("%s, not %s", error->message, cases[i].message);
        g_clear_error(&error);
    }
    assert_packets_refused(bytes, 200, "x: byte 57: it ends within a packet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_give_the_same_recording_as_json),
        cmocka_unit_test(a_truncated_packet_file_is_refused),
        cmocka_unit_test(a_packet_file_with_a_changed_byte_is_read_or_refused),
        cmocka_unit_test(invalid_packets_are_refused_with_their_position),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
