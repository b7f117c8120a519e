/* Tests that all formats of a timeline contain the same. */
#include "tests/models/observe/timeline_read_back.h"

#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "sim/view/timeline/timeline.h"
#include "tests/models/observe/perfetto_packets.h"
#include "tests/models/run/collective_lanes_fixture.h"

/* ---- one run in each timeline format ------------------------------------- */

typedef struct {
    const Setup *setup;
    FoldMode fold;
    const char *npus;
    uint64_t max_slices;
} Case;

static void write_timeline_to(const Case *c, const char *path)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, c->setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = c->fold }, &error);
    assert_no_error(error);
    trace_write_timeline(run.system, path, c->npus, c->max_slices);
    run_clear(&run);
}

static void read_json_timeline(Trace *trace, const Case *c)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, c->setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = c->fold }, &error);
    assert_no_error(error);
    trace_run_system(trace, run.system, c->npus, c->max_slices);
    run_clear(&run);
}

/* Returns the bytes of the file.  The caller frees them. */
static char *read_file_bytes(const char *path, gsize *ret_n)
{
    GError *error = NULL;
    char *bytes = NULL;

    assert_true(g_file_get_contents(path, &bytes, ret_n, &error) || error);
    assert_no_error(error);
    return bytes;
}

static Packets *read_packet_timeline(const Case *c)
{
    g_autofree char *path = trace_file_path("forms.pftrace");
    g_autofree char *bytes = NULL;
    gsize n;

    write_timeline_to(c, path);
    bytes = read_file_bytes(path, &n);
    return packets_read((const uint8_t *)bytes, n);
}

/* ---- slices ------------------------------------------------------------ */

/* Returns a nested list as text, such as [[1,0],[7,1]].  The caller frees
 * it. */
static char *json_list_text(const JsonValue *value)
{
    GString *text;

    if (value->kind != JSON_ARRAY)
        return g_strdup(value->text);
    text = g_string_new("[");
    for (guint i = 0; i < json_value_n_items(value); i++) {
        g_autofree char *item = json_list_text(json_value_item(value, i));

        g_string_append_printf(text, i > 0 ? ",%s" : "%s", item);
    }
    g_string_append_c(text, ']');
    return g_string_free(text, FALSE);
}

static void assert_equal_argument(const JsonValue *value, const PacketArg *arg)
{
    g_autofree char *text = json_list_text(value);
    g_autofree char *number = NULL;

    assert_non_null(arg);
    switch (value->kind) {
    case JSON_NUMBER:
        number = g_strdup_printf("%" G_GUINT64_FORMAT, arg->number);
        assert_int_equal(arg->type, PACKET_NUMBER);
        assert_string_equal(number, text);
        return;
    case JSON_BOOL:
        assert_int_equal(arg->type, PACKET_BOOL);
        assert_string_equal(arg->number ? "true" : "false", text);
        return;
    default:
        assert_int_equal(arg->type, PACKET_TEXT);
        assert_string_equal(arg->text, text);
    }
}

static void assert_equal_arguments(const JsonValue *args,
                                   const PacketSlice *slice)
{
    guint n = args ? json_value_n_items(args) : 0;
    guint n_there = g_hash_table_size(slice->args);

    if (g_hash_table_contains(slice->args, "begin ps"))
        n_there--;
    assert_int_equal(n, n_there);
    for (guint i = 0; i < n; i++)
        assert_equal_argument(
            json_value_item(args, i),
            g_hash_table_lookup(slice->args, g_ptr_array_index(args->keys, i)));
}

/* The times of chunks are in whole nanoseconds; all others are exact. */
static void assert_equal_time(uint64_t ps, uint64_t ns, GHashTable *args,
                              const char *rest, gboolean is_coarse)
{
    if (is_coarse)
        assert_false(g_hash_table_contains(args, rest));
    assert_true((is_coarse ? ps - ps % 1000 : ps) ==
                ns * 1000 + packet_arg_number(args, rest));
}

static void assert_equal_slice(const Packets *packets, const Slice *json,
                               const PacketSlice *slice)
{
    const PacketTrack *above = packet_track_by_id(packets, slice->track->above);
    gboolean is_coarse = g_str_has_suffix(above->name, " chunks");

    assert_true(json->track == slice->track->id);
    assert_string_equal(json->name, slice->name);
    assert_string_equal(json->category, slice->category);
    assert_true(slice->ends);
    assert_equal_time(json->from_ps, slice->from_ns, slice->args, "begin ps",
                      is_coarse);
    assert_equal_time(json->to_ps, slice->to_ns, slice->end_args, "end ps",
                      is_coarse);
    assert_equal_arguments(json_value_at(json->begin, "args"), slice);
}

/* ---- names and counters ------------------------------------------------ */

static const PacketTrack *packet_track_of_json_event(const Packets *packets,
                                                     const JsonValue *event,
                                                     const char *key)
{
    const PacketTrack *track = packet_track_by_id(
        packets, g_ascii_strtoull(trace_member_text(event, key), NULL, 10));

    assert_non_null(track);
    return track;
}

static void assert_equal_track_name(const Packets *packets,
                                    const JsonValue *event)
{
    const JsonValue *args = json_value_at(event, "args");
    const char *name = trace_member_text(args, "name");
    const PacketTrack *track;

    if (trace_member_equals(event, "name", "process_name")) {
        track = packet_track_of_json_event(packets, event, "pid");
        assert_string_equal(track->name, name);
        assert_true(packet_track_by_id(packets, track->above)->orders);
    } else if (trace_member_equals(event, "name", "thread_name")) {
        track = packet_track_of_json_event(packets, event, "tid");
        assert_string_equal(track->name, name);
        assert_true(track->above ==
                    packet_track_of_json_event(packets, event, "pid")->id);
    } else if (trace_member_equals(event, "name", "thread_sort_index")) {
        track = packet_track_of_json_event(packets, event, "tid");
        assert_true(
            (uint64_t)track->rank ==
            g_ascii_strtoull(trace_member_text(args, "sort_index"), NULL, 10));
    }
}

/* Counts the compared values of each counter. */
typedef struct {
    const Packets *packets;
    /* The table maps a PacketTrack to the number of its compared counts,
     * starting with 1. */
    GHashTable *at;
    guint n;
} Counters;

/* Asserts that the counter has @value at @at_ns.  A value is valid until the
 * next one. */
static void assert_equal_counter_value(Counters *c, const PacketTrack *track,
                                       uint64_t at_ns, double value)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(c->at, track));
    const PacketCount *counts =
        (const PacketCount *)(gpointer)track->counted->data;

    if (at < track->counted->len && counts[at].at_ns == at_ns) {
        assert_true(at == 0 || counts[at].value != counts[at - 1].value);
        g_hash_table_insert(c->at, (gpointer)track, GUINT_TO_POINTER(++at));
        c->n++;
    }
    assert_true(at > 0 && counts[at - 1].value == value);
}

static void assert_equal_counter_values(Counters *c, const JsonValue *event)
{
    const JsonValue *args = json_value_at(event, "args");
    uint64_t process =
        g_ascii_strtoull(trace_member_text(event, "pid"), NULL, 10);

    for (guint i = 0; i < json_value_n_items(args); i++) {
        g_autofree char *name =
            g_strconcat(trace_member_text(event, "name"), " ",
                        (const char *)g_ptr_array_index(args->keys, i), NULL);
        const PacketTrack *track =
            packet_track_by_name(c->packets, process, name);

        assert_non_null(track);
        assert_equal_counter_value(
            c, track, trace_member_ps(event, "ts") / 1000,
            g_ascii_strtod(json_value_item(args, i)->text, NULL));
    }
}

static guint count_counter_values(const Packets *packets)
{
    GHashTableIter at;
    gpointer value;
    guint n = 0;

    g_hash_table_iter_init(&at, packets->tracks);
    while (g_hash_table_iter_next(&at, NULL, &value))
        n += ((const PacketTrack *)value)->counted->len;
    return n;
}

static void assert_equal_metadata(const Packets *packets, const Trace *json)
{
    g_autoptr(GHashTable) at = g_hash_table_new(NULL, NULL);
    Counters c = { packets, at, 0 };

    for (guint i = 0; i < json->events->len; i++) {
        const JsonValue *event = trace_event_at(json, i);

        if (trace_member_equals(event, "ph", "M"))
            assert_equal_track_name(packets, event);
        else if (trace_member_equals(event, "ph", "C"))
            assert_equal_counter_values(&c, event);
    }
    assert_true(c.n > 0);
    assert_int_equal(c.n, count_counter_values(packets));
}

/* ---- requirements of timeline readers ------------------------------------ */

static gboolean json_values_are_equal(const JsonValue *a, const JsonValue *b)
{
    if (a->kind != b->kind || g_strcmp0(a->text, b->text) != 0 ||
        json_value_n_items(a) != json_value_n_items(b))
        return FALSE;
    for (guint i = 0; i < json_value_n_items(a); i++)
        if ((a->keys && !g_str_equal(g_ptr_array_index(a->keys, i),
                                     g_ptr_array_index(b->keys, i))) ||
            !json_values_are_equal(json_value_item(a, i),
                                   json_value_item(b, i)))
            return FALSE;
    return TRUE;
}

static void assert_equal_header(const Packets *packets, const Trace *json)
{
    const PacketSlice *begin = g_ptr_array_index(packets->notes, 0);
    const PacketSlice *end = g_ptr_array_index(packets->notes, 1);
    const PacketArg *head = g_hash_table_lookup(begin->args, "acesim");
    const JsonValue *tail = json_value_at(json->json, "otherData");
    g_autoptr(JsonValue) parsed = NULL;
    gsize at;

    assert_int_equal(packets->notes->len, 2);
    assert_non_null(head);
    parsed = json_value_parse(head->text, &at);
    assert_non_null(parsed);
    assert_true(
        json_values_are_equal(parsed, json_value_at(json->json, "acesim")));
    assert_int_equal(
        packet_arg_number(end->args, "iteration ps"),
        g_ascii_strtoull(trace_member_text(tail, "iteration ps"), NULL, 10));
    assert_int_equal(
        packet_arg_number(end->args, "slices_left_out"),
        g_ascii_strtoull(trace_member_text(tail, "slices_left_out"), NULL, 10));
    assert_int_equal(packet_arg_number(end->args, "slices"), json->slices->len);
}

static void assert_formats_are_equal(const Case *c)
{
    g_autoptr(Packets) packets = read_packet_timeline(c);
    Trace json;

    read_json_timeline(&json, c);
    assert_true(json.slices->len > 0);
    assert_int_equal(packets->slices->len, json.slices->len);
    for (guint i = 0; i < json.slices->len; i++)
        assert_equal_slice(packets, trace_slice_at(&json, i),
                           packet_slice_at(packets, i));
    assert_equal_metadata(packets, &json);
    assert_equal_header(packets, &json);
    trace_clear(&json);
}

/* ---- tests ------------------------------------------------------------- */

/* Times that are not whole nanoseconds, and one slow NPU. */
static const Setup training = {
    .topology =
        "{kind: torus, dims: [{size: 2, links: 2, bandwidth: 7 GB/s, latency: "
        "123 ns}, {size: 2, links: 2, bandwidth: 9 GB/s, latency: 77 ns}]}",
    .endpoint = "{kind: ace}",
    .perturb = "{npus: [{npu: 2, time_factor: 1.7}]}",
    .workload = "{kind: data-parallel, name: \"k \\\"n\\\"\", batch: 1, "
                "layers: [{kind: linear, name: \"a \\\"b\\\"\", in: 1024, "
                "out: 1024, repeat: 3}]}",
    .training = "{iterations: 2, input: {read: {time: 30 us}, copy: {time: 2 "
                "us}}}",
};

static void both_formats_have_equal_slices_and_counters(void **state)
{
    const Case all = { &training, FOLD_OFF, "all", 100000 };
    const Case some = { &training, FOLD_AUTO, "0", 50 };

    (void)state;
    assert_formats_are_equal(&all);
    assert_formats_are_equal(&some);
}

static void both_formats_have_equal_stages_and_lanes(void **state)
{
    Setup setup = lanes_setup("{name: l, fusion: 200000 B}",
                              KERNEL("k", 9) REDUCE("r", "k", 4096, "l")
                                  REDUCE("s", "k", 8192, "l"),
                              2);
    const Case c = { &setup, FOLD_OFF, "all", 100000 };

    (void)state;
    assert_formats_are_equal(&c);
}

/* Returns the unpacked contents of the file.  The caller frees them. */
static char *unpack_gzip_file(const char *path, gsize *ret_n)
{
    gzFile file = gzopen(path, "rb");
    GString *text = g_string_new(NULL);
    char bytes[4096];
    int n;

    assert_non_null(file);
    assert_false(gzdirect(file));
    while ((n = gzread(file, bytes, sizeof bytes)) > 0)
        g_string_append_len(text, bytes, n);
    assert_int_equal(n, 0);
    assert_int_equal(gzclose(file), Z_OK);
    *ret_n = text->len;
    return g_string_free(text, FALSE);
}

static void a_gzip_file_has_the_content_of_the_plain_one(void **state)
{
    static const char *const names[] = { "same.json", "same.pftrace",
                                         "same.perfetto-trace" };
    const Case c = { &training, FOLD_OFF, "all", 100000 };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = trace_file_path(names[i]);
        g_autofree char *packed_path = g_strconcat(path, ".gz", NULL);
        g_autofree char *plain = NULL, *packed = NULL;
        gsize n, n_packed;

        write_timeline_to(&c, path);
        write_timeline_to(&c, packed_path);
        plain = read_file_bytes(path, &n);
        packed = unpack_gzip_file(packed_path, &n_packed);
        assert_int_equal(n, n_packed);
        assert_memory_equal(plain, packed, n);
        assert_true((plain[0] == '{') == (i == 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_have_equal_slices_and_counters),
        cmocka_unit_test(both_formats_have_equal_stages_and_lanes),
        cmocka_unit_test(a_gzip_file_has_the_content_of_the_plain_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
