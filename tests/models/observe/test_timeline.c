/* Is the trace of a run what viewers open, and does it say what happened? */
#include "tests/system_fixture.h"

#include <string.h>

#include "sim/study/load.h"
#include "sim/view/timeline/timeline.h"
#include "tests/core/json_value.h"

/* ---- a trace in a tree ------------------------------------------------ */

typedef struct {
    const JsonValue *begin, *end; /* events */
    const char *name, *category;
    guint64 track;
    uint64_t from_ps, to_ps;
} Slice;

typedef struct {
    JsonValue *json;
    const GPtrArray *events; /* of .json */
    GArray *slices;          /* of Slice, in the order of their begins */
    SystemResult r;
} Trace;

static char *path_of(const char *name)
{
    return g_build_filename(g_getenv("TMPDIR") ?: g_get_tmp_dir(), name, NULL);
}

/* NULL: there is no such member, or it has none. */
static const char *text_at(const JsonValue *object, const char *key)
{
    const JsonValue *member = json_value_at(object, key);

    return member ? member->text : NULL;
}

/* A member that counts microseconds with six decimals. */
static uint64_t ps_at(const JsonValue *object, const char *key)
{
    const char *text = text_at(object, key);
    const char *point = text ? strchr(text, '.') : NULL;

    if (!point || strlen(point) != 7 || text[0] == '-')
        return UINT64_MAX;
    return g_ascii_strtoull(text, NULL, 10) * 1000000 +
           g_ascii_strtoull(point + 1, NULL, 10);
}

static const JsonValue *event_at(const Trace *trace, guint i)
{
    return g_ptr_array_index(trace->events, i);
}

static gboolean has(const JsonValue *event, const char *key, const char *value)
{
    return g_strcmp0(text_at(event, key), value) == 0;
}

/* A tid is one thread of one process. */
static guint64 track_of(const JsonValue *event)
{
    return g_ascii_strtoull(text_at(event, "tid"), NULL, 10);
}

/* What is open on each track, a stack of numbers of slices. */
static GArray *open_of(GHashTable *tracks, guint64 of)
{
    GArray *open = g_hash_table_lookup(tracks, &of);

    if (!open) {
        open = g_array_new(FALSE, FALSE, sizeof(guint));
        g_hash_table_insert(tracks, g_memdup2(&of, sizeof of), open);
    }
    return open;
}

static void begin_slice(GArray *slices, GArray *open, const JsonValue *event)
{
    const Slice slice = { .begin = event,
                          .name = text_at(event, "name"),
                          .category = text_at(event, "cat"),
                          .track = track_of(event),
                          .from_ps = ps_at(event, "ts") };

    g_array_append_val(open, slices->len);
    g_array_append_val(slices, slice);
}

/* An end is that of what began last on its thread. */
static void end_slice(GArray *slices, GArray *open, const JsonValue *event)
{
    Slice *slice;

    if (open->len == 0)
        fail_msg("nothing is open at %s", text_at(event, "ts"));
    slice = &g_array_index(slices, Slice,
                           g_array_index(open, guint, open->len - 1));
    slice->end = event;
    assert_string_equal(slice->name, text_at(event, "name"));
    slice->to_ps = ps_at(event, "ts");
    g_array_set_size(open, open->len - 1);
}

static void read_slices(Trace *trace)
{
    g_autoptr(GHashTable) tracks = g_hash_table_new_full(
        g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);

    trace->slices = g_array_new(FALSE, FALSE, sizeof(Slice));
    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = event_at(trace, i);

        if (has(event, "ph", "B"))
            begin_slice(trace->slices, open_of(tracks, track_of(event)), event);
        else if (has(event, "ph", "E"))
            end_slice(trace->slices, open_of(tracks, track_of(event)), event);
    }
}

static void trace_clear(Trace *trace)
{
    g_array_unref(trace->slices);
    json_value_free(trace->json);
}

static const Slice *slice_at(const Trace *trace, guint i)
{
    return &g_array_index(trace->slices, Slice, i);
}

static void read_trace(Trace *trace, const char *path)
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
    read_slices(trace);
}

static void run_traced(Trace *trace, System *system, const char *npus,
                       uint64_t max_slices)
{
    g_autofree char *path = path_of("trace.json");
    g_autoptr(GArray) list = timeline_parse_npus(npus);
    g_autoptr(Timeline) timeline = NULL;
    GError *error = NULL;

    timeline = timeline_open(path, list, max_slices, system, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error) || error);
    assert_no_error(error);
    assert_true(timeline_finish(timeline, &error) || error);
    assert_no_error(error);
    trace->r = system_result(system);
    read_trace(trace, path);
}

static void trace_setup(Trace *trace, const Setup *setup, FoldMode fold,
                        const char *npus)
{
    GError *error = NULL;
    Run run;

    run_read(&run, setup);
    run.system = system_new(&run.config, fold, &error);
    assert_no_error(error);
    run_traced(trace, run.system, npus, UINT64_MAX);
    run_clear(&run);
}

/* ResNet-50 on 4x4x4 as published. */
static void trace_isca21(Trace *trace, const char *endpoint,
                         uint64_t max_slices)
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
    system = system_new(&config, FOLD_AUTO, &error);
    assert_no_error(error);
    run_traced(trace, system, "0", max_slices);
}

/* ---- the format's rules ----------------------------------------------- */

static void check_event(const JsonValue *event)
{
    const char *ph = text_at(event, "ph");

    assert_non_null(ph);
    assert_int_equal(json_value_at(event, "pid")->kind, JSON_NUMBER);
    assert_non_null(text_at(event, "name"));
    if (g_str_equal(ph, "M")) {
        assert_non_null(json_value_at(event, "args"));
        return;
    }
    assert_true(ps_at(event, "ts") < UINT64_MAX);
    if (g_str_equal(ph, "C")) {
        const JsonValue *args = json_value_at(event, "args");

        assert_true(json_value_n(args) > 0);
        for (guint i = 0; i < json_value_n(args); i++)
            assert_int_equal(json_value_item(args, i)->kind, JSON_NUMBER);
        return;
    }
    assert_true(g_str_equal(ph, "B") || g_str_equal(ph, "E"));
    assert_int_equal(json_value_at(event, "tid")->kind, JSON_NUMBER);
    assert_true(g_str_equal(ph, "E") || text_at(event, "cat"));
}

/* Viewers sort by time and leave alone what is of one time: so what a thread's
 * events are in the file, they are to them. */
static void check_order(const Trace *trace)
{
    g_autoptr(GHashTable) tracks =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);

    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = event_at(trace, i);
        uint64_t now_ps = ps_at(event, "ts");
        const uint64_t *before_ps;
        guint64 of;

        if (!has(event, "ph", "B") && !has(event, "ph", "E"))
            continue;
        of = track_of(event);
        before_ps = g_hash_table_lookup(tracks, &of);
        if (before_ps && *before_ps > now_ps)
            fail_msg("%s goes back", text_at(event, "ts"));
        g_hash_table_insert(tracks, g_memdup2(&of, sizeof of),
                            g_memdup2(&now_ps, sizeof now_ps));
    }
    for (guint i = 0; i < trace->slices->len; i++)
        if (!slice_at(trace, i)->end)
            fail_msg("%s does not end", slice_at(trace, i)->name);
}

static gboolean has_counter(const Trace *trace, const char *name)
{
    for (guint i = 0; i < trace->events->len; i++)
        if (has(event_at(trace, i), "ph", "C") &&
            has(event_at(trace, i), "name", name))
            return TRUE;
    return FALSE;
}

/* The event that gives something this name, and, unless it is NULL, that has
 * this pid; else NULL. */
static const JsonValue *naming(const Trace *trace, const char *what,
                               const char *name, const char *pid)
{
    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = event_at(trace, i);

        if (has(event, "name", what) && (!pid || has(event, "pid", pid)) &&
            has(json_value_at(event, "args"), "name", name))
            return event;
    }
    return NULL;
}

static gboolean has_name(const Trace *trace, const char *what, const char *name)
{
    return naming(trace, what, name, NULL) != NULL;
}

static guint64 find_track(const Trace *trace, const char *process,
                          const char *thread)
{
    const JsonValue *p = naming(trace, "process_name", process, NULL);

    assert_non_null(p);
    return track_of(naming(trace, "thread_name", thread, text_at(p, "pid")));
}

/* No tid is of two processes. */
static void check_tids(const Trace *trace)
{
    for (guint i = 0; i < trace->slices->len; i++)
        for (guint k = 0; k < i; k += 97)
            if (slice_at(trace, i)->track == slice_at(trace, k)->track)
                assert_true(has(slice_at(trace, i)->begin, "pid",
                                text_at(slice_at(trace, k)->begin, "pid")));
}

static void check_format(const Trace *trace)
{
    for (guint i = 0; i < trace->events->len; i++)
        check_event(event_at(trace, i));
    check_order(trace);
    check_tids(trace);
}

/* ---- tests ------------------------------------------------------------ */

static void the_trace_of_resnet_keeps_the_rules_of_the_format(void **state)
{
    static const char *const counters[] = { "HBM GB/s",     "SMs",
                                            "SRAM KiB",     "FSM slots",
                                            "links busy %", "ALUs" };
    Trace trace;

    (void)state;
    trace_isca21(&trace, "ace.yaml", UINT64_MAX);
    check_format(&trace);
    for (guint i = 0; i < G_N_ELEMENTS(counters); i++)
        if (!has_counter(&trace, counters[i]))
            fail_msg("no counter '%s'", counters[i]);
    assert_true(has_name(&trace, "process_name", "NPU 0"));
    assert_true(has_name(&trace, "process_name", "NPU 0 chunks"));
    assert_true(has_name(&trace, "thread_name", "main stream"));
    assert_true(has_name(&trace, "thread_name", "collective 1"));
    trace_clear(&trace);
}

/* All of one thread, by its name and that of its process. */
static uint64_t sum_of(const Trace *trace, const char *process,
                       const char *thread)
{
    guint64 of = find_track(trace, process, thread);
    uint64_t sum_ps = 0;

    for (guint i = 0; i < trace->slices->len; i++)
        if (slice_at(trace, i)->track == of)
            sum_ps += slice_at(trace, i)->to_ps - slice_at(trace, i)->from_ps;
    return sum_ps;
}

static void kernels_and_waits_add_up_to_the_run(void **state)
{
    static const char *const endpoints[] = { "ace.yaml", "comp-opt.yaml" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(endpoints); i++) {
        Trace trace;
        uint64_t kernels_ps;

        trace_isca21(&trace, endpoints[i], UINT64_MAX);
        kernels_ps = sum_of(&trace, "NPU 0", "main stream");
        assert_int_equal(kernels_ps / trace.r.n_iterations, trace.r.compute_ps);
        assert_int_equal(kernels_ps + sum_of(&trace, "NPU 0", "exposed waits"),
                         trace.r.total_ps);
        trace_clear(&trace);
    }
}

static gboolean is_backward(const Slice *slice)
{
    return g_str_equal(slice->category, "input-gradient") ||
           g_str_equal(slice->category, "weight-gradient");
}

static void all_reduces_overlap_back_propagation(void **state)
{
    Trace trace;
    guint n_overlaps = 0;

    (void)state;
    trace_isca21(&trace, "ace.yaml", UINT64_MAX);
    for (guint i = 0; i < trace.slices->len; i++) {
        const Slice *coll = slice_at(&trace, i);

        if (!g_str_equal(coll->category, "collective"))
            continue;
        assert_true(g_str_has_prefix(coll->name, "all-reduce of"));
        for (guint k = 0; k < trace.slices->len; k++) {
            const Slice *kernel = slice_at(&trace, k);

            n_overlaps += is_backward(kernel) &&
                          kernel->from_ps < coll->to_ps &&
                          kernel->to_ps > coll->from_ps;
        }
    }
    assert_true(n_overlaps > 100);
    trace_clear(&trace);
}

/* Phases and ways through the DMA engines are within their chunk. */
static void parts_of_a_chunk_are_in_it(void **state)
{
    guint n_chunks = 0, n_parts = 0;
    Trace trace;

    (void)state;
    trace_isca21(&trace, "ace.yaml", UINT64_MAX);
    for (guint i = 0; i < trace.slices->len; i++) {
        const Slice *chunk = slice_at(&trace, i);

        if (!g_str_equal(chunk->category, "chunk"))
            continue;
        n_chunks++;
        assert_non_null(
            json_value_at(json_value_at(chunk->begin, "args"), "bytes"));
        for (guint k = i + 1; k < trace.slices->len; k++) {
            const Slice *part = slice_at(&trace, k);

            if (part->track != chunk->track)
                continue;
            if (part->from_ps >= chunk->to_ps)
                break;
            assert_true(g_str_equal(part->category, "phase") ||
                        g_str_equal(part->category, "dma"));
            assert_true(part->to_ps <= chunk->to_ps);
            n_parts++;
        }
    }
    assert_true(n_chunks > 500);
    assert_int_equal(n_parts, 6 * n_chunks); /* in, four phases, out */
    trace_clear(&trace);
}

static void a_cap_on_slices_is_kept_and_told(void **state)
{
    Trace trace;
    const JsonValue *told;

    (void)state;
    trace_isca21(&trace, "ace.yaml", 1000);
    check_format(&trace);
    assert_int_equal(trace.slices->len, 1000);
    told = json_value_at(trace.json, "otherData");
    assert_string_equal(text_at(told, "slices"), "1000");
    assert_true(g_ascii_strtoull(text_at(told, "slices_left_out"), NULL, 10) >
                5000);
    assert_true(has_counter(&trace, "HBM GB/s"));
    trace_clear(&trace);
}

static void several_npus_are_watched_in_a_full_run(void **state)
{
    const Setup setup = { .endpoint = "{kind: ace}",
                          .perturb = "{npus: [{npu: 2, time_factor: 2.0}]}",
                          .workload =
                              "{kind: data-parallel, name: k, batch: 1, "
                              "layers: [{kind: linear, name: \"a \\\"b\\\"\", "
                              "in: 1024, out: 1024, repeat: 3}]}" };
    Trace trace;

    (void)state;
    trace_setup(&trace, &setup, FOLD_AUTO, "2, 0,2");
    check_format(&trace);
    assert_true(has_name(&trace, "process_name", "NPU 0"));
    assert_true(has_name(&trace, "process_name", "NPU 2"));
    assert_false(has_name(&trace, "process_name", "NPU 1"));
    assert_int_equal(sum_of(&trace, "NPU 2", "main stream"),
                     2 * sum_of(&trace, "NPU 0", "main stream"));
    trace_clear(&trace);
}

static void a_kernel_that_stands_still_is_an_exposed_wait(void **state)
{
    const Setup setup = {
        .endpoint = "{kind: baseline, sms: 80, memory_bandwidth: 450 GB/s, "
                    "only_while_communicating: true}",
        .training = "{iterations: 1, drain: true}",
        .workload = "{kind: data-parallel, name: k, batch: 1, layers: "
                    "[{kind: linear, name: l, in: 1024, out: 1024, repeat: 4}]}"
    };
    gboolean found = FALSE;
    Trace trace;

    (void)state;
    trace_setup(&trace, &setup, FOLD_AUTO, "0");
    check_format(&trace);
    for (guint i = 0; i < trace.events->len; i++)
        found |= has(event_at(&trace, i), "name", "no SMs or no HBM bandwidth");
    assert_true(found);
    trace_clear(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_resnet_keeps_the_rules_of_the_format),
        cmocka_unit_test(kernels_and_waits_add_up_to_the_run),
        cmocka_unit_test(all_reduces_overlap_back_propagation),
        cmocka_unit_test(parts_of_a_chunk_are_in_it),
        cmocka_unit_test(a_cap_on_slices_is_kept_and_told),
        cmocka_unit_test(several_npus_are_watched_in_a_full_run),
        cmocka_unit_test(a_kernel_that_stands_still_is_an_exposed_wait),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
