/* timeline_read_back.c - writes the trace of a run and reads it back */
#include "tests/models/observe/timeline_read_back.h"

#include <string.h>

#include "sim/study/load_run_file.h"
#include "sim/view/timeline/timeline.h"

char *trace_file_path(const char *name)
{
    return g_build_filename(g_getenv("TMPDIR") ?: g_get_tmp_dir(), name, NULL);
}

const char *trace_member_text(const JsonValue *object, const char *key)
{
    const JsonValue *member = json_value_at(object, key);

    return member ? member->text : NULL;
}

uint64_t trace_member_ps(const JsonValue *object, const char *key)
{
    const char *text = trace_member_text(object, key);
    const char *point = text ? strchr(text, '.') : NULL;

    if (!point || strlen(point) != 7 || text[0] == '-')
        return UINT64_MAX;
    return g_ascii_strtoull(text, NULL, 10) * 1000000 +
           g_ascii_strtoull(point + 1, NULL, 10);
}

gboolean trace_member_equals(const JsonValue *event, const char *key,
                             const char *value)
{
    return g_strcmp0(trace_member_text(event, key), value) == 0;
}

guint64 trace_track_of_event(const JsonValue *event)
{
    return g_ascii_strtoull(trace_member_text(event, "tid"), NULL, 10);
}

/* Returns the stack of open slices of a track, by index. */
static GArray *open_slices_of_track(GHashTable *tracks, guint64 of)
{
    GArray *open = g_hash_table_lookup(tracks, &of);

    if (!open) {
        open = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(tracks, g_memdup2(&of, sizeof of), open);
    }
    return open;
}

static void begin_json_slice(GArray *slices, GArray *open,
                             const JsonValue *event)
{
    const Slice slice = { .begin = event,
                          .name = trace_member_text(event, "name"),
                          .category = trace_member_text(event, "cat"),
                          .track = trace_track_of_event(event),
                          .from_ps = trace_member_ps(event, "ts") };

    g_array_append_val(open, slices->len);
    g_array_append_val(slices, slice);
}

/* Ends the slice that began last on the thread of the end event. */
static void end_json_slice(GArray *slices, GArray *open, const JsonValue *event)
{
    Slice *slice;

    if (open->len == 0)
        fail_msg("nothing is open at %s", trace_member_text(event, "ts"));
    slice = &g_array_index(slices, Slice,
                           g_array_index(open, guint, open->len - 1));
    slice->end = event;
    assert_string_equal(slice->name, trace_member_text(event, "name"));
    slice->to_ps = trace_member_ps(event, "ts");
    g_array_set_size(open, open->len - 1);
}

static void read_trace_slices(Trace *trace)
{
    g_autoptr(GHashTable) tracks = g_hash_table_new_full(
        g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);

    trace->slices = g_array_new(FALSE, FALSE, sizeof(Slice));
    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = trace_event_at(trace, i);

        if (trace_member_equals(event, "ph", "B"))
            begin_json_slice(
                trace->slices,
                open_slices_of_track(tracks, trace_track_of_event(event)),
                event);
        else if (trace_member_equals(event, "ph", "E"))
            end_json_slice(
                trace->slices,
                open_slices_of_track(tracks, trace_track_of_event(event)),
                event);
    }
}

void trace_clear(Trace *trace)
{
    g_array_unref(trace->slices);
    json_value_free(trace->json);
}

static void read_json_trace(Trace *trace, const char *path)
{
    g_autofree char *text = NULL;
    GError *error = NULL;
    gsize at;

    assert_true(g_file_get_contents(path, &text, NULL, &error) || error);
    assert_no_error(error);
    trace->json = json_value_parse(text, &at);
    if (!trace->json)
        fail_msg("not JSON at byte %zu: %.40s", at, text + at);
    trace->events = json_value_at(trace->json, "traceEvents")->values;
    read_trace_slices(trace);
}

void trace_write_timeline(System *system, const char *path, const char *npus,
                          uint64_t max_slices)
{
    g_autoptr(GArray) list = timeline_parse_npus(npus);
    g_autoptr(Timeline) timeline = NULL;
    GError *error = NULL;

    timeline = timeline_open(path, list, max_slices, system, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error) || error);
    assert_no_error(error);
    assert_true(timeline_finish(timeline, &error) || error);
    assert_no_error(error);
}

void trace_run_system(Trace *trace, System *system, const char *npus,
                      uint64_t max_slices)
{
    g_autofree char *path = trace_file_path("trace.json");

    trace_write_timeline(system, path, npus, max_slices);
    trace->r = system_result(system);
    read_json_trace(trace, path);
}

void trace_run_setup(Trace *trace, const Setup *setup, FoldMode fold,
                     const char *npus)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    trace_run_system(trace, run.system, npus, UINT64_MAX);
    run_clear(&run);
}

void trace_run_isca21(Trace *trace, const char *endpoint, uint64_t max_slices)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    g_autofree char *set = g_strdup_printf("endpoint=%s/configs/endpoints/%s",
                                           g_getenv("SRCDIR"), endpoint);
    char *sets[] = { set, NULL };
    SystemConfig config;
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, &error);
    g_autoptr(System) system = NULL;

    assert_no_error(error);
    assert_non_null(doc);
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    trace_run_system(trace, system, "0", max_slices);
}
