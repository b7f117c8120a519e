/*
 * The trace of a run: is it what viewers open, and does it say what happened?
 * Tolerance is 0.
 */
#include "tests/system_fixture.h"

#include <string.h>

#include "sim/cli/buckets.h"
#include "sim/cli/load.h"
#include "sim/cli/timeline.h"
#include "tests/json_value.h"

/* ---- a trace in a tree ------------------------------------------------ */

typedef struct {
    JsonValue *json;
    const GPtrArray *events; /* of .json */
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
    system = system_new(&config, FOLD_AUTO, &error);
    assert_no_error(error);
    run_traced(trace, system, "0", max_slices);
}

static const JsonValue *event_at(const Trace *trace, guint i)
{
    return g_ptr_array_index(trace->events, i);
}

static gboolean has(const JsonValue *event, const char *key, const char *value)
{
    return g_strcmp0(text_at(event, key), value) == 0;
}

/* ---- the format's rules ----------------------------------------------- */

static void check_event(const JsonValue *event)
{
    const char *ph = text_at(event, "ph");

    assert_non_null(ph);
    assert_non_null(text_at(event, "name"));
    assert_int_equal(json_value_at(event, "pid")->kind, JSON_NUMBER);
    if (g_str_equal(ph, "M")) {
        assert_non_null(json_value_at(event, "args"));
        return;
    }
    assert_true(ps_at(event, "ts") != UINT64_MAX);
    if (g_str_equal(ph, "C")) {
        const JsonValue *args = json_value_at(event, "args");

        assert_true(json_value_n(args) > 0);
        for (guint i = 0; i < json_value_n(args); i++)
            assert_int_equal(json_value_item(args, i)->kind, JSON_NUMBER);
        return;
    }
    assert_string_equal(ph, "X");
    assert_int_equal(json_value_at(event, "tid")->kind, JSON_NUMBER);
    assert_non_null(text_at(event, "cat"));
    assert_true(ps_at(event, "dur") != UINT64_MAX); /* a minus is none */
}

static guint64 track_of(const JsonValue *event)
{
    return g_ascii_strtoull(text_at(event, "pid"), NULL, 10) << 32 |
           g_ascii_strtoull(text_at(event, "tid"), NULL, 10);
}

/* By track, then by begin, the longer first: the order of nesting. */
static gint by_track(gconstpointer a, gconstpointer b)
{
    const JsonValue *x = *(JsonValue *const *)a, *y = *(JsonValue *const *)b;
    guint64 x_ps = ps_at(x, "ts"), y_ps = ps_at(y, "ts");

    if (track_of(x) != track_of(y))
        return track_of(x) < track_of(y) ? -1 : 1;
    if (x_ps != y_ps)
        return x_ps < y_ps ? -1 : 1;
    return ps_at(x, "dur") > ps_at(y, "dur") ? -1 : 1;
}

static GPtrArray *slices_of(const Trace *trace)
{
    GPtrArray *slices = g_ptr_array_new();

    for (guint i = 0; i < trace->events->len; i++)
        if (has(event_at(trace, i), "ph", "X"))
            g_ptr_array_add(slices, (gpointer)event_at(trace, i));
    g_ptr_array_sort(slices, by_track);
    return slices;
}

static void check_nesting(const Trace *trace)
{
    g_autoptr(GPtrArray) slices = slices_of(trace);
    uint64_t ends_ps[16];
    guint depth = 0;

    for (guint i = 0; i < slices->len; i++) {
        const JsonValue *slice = slices->pdata[i];
        uint64_t from_ps = ps_at(slice, "ts");
        uint64_t end_ps = from_ps + ps_at(slice, "dur");

        if (i == 0 || track_of(slice) != track_of(slices->pdata[i - 1]))
            depth = 0;
        while (depth > 0 && ends_ps[depth - 1] <= from_ps)
            depth--;
        if (depth > 0 && end_ps > ends_ps[depth - 1])
            fail_msg("%s at %s is not nested", text_at(slice, "name"),
                     text_at(slice, "ts"));
        assert_true(depth < G_N_ELEMENTS(ends_ps));
        ends_ps[depth++] = end_ps;
    }
}

static gboolean has_counter(const Trace *trace, const char *name)
{
    for (guint i = 0; i < trace->events->len; i++)
        if (has(event_at(trace, i), "ph", "C") &&
            has(event_at(trace, i), "name", name))
            return TRUE;
    return FALSE;
}

static gboolean has_name(const Trace *trace, const char *what, const char *name)
{
    for (guint i = 0; i < trace->events->len; i++)
        if (has(event_at(trace, i), "name", what) &&
            has(json_value_at(event_at(trace, i), "args"), "name", name))
            return TRUE;
    return FALSE;
}

static void check_format(const Trace *trace)
{
    for (guint i = 0; i < trace->events->len; i++)
        check_event(event_at(trace, i));
    check_nesting(trace);
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
    json_value_free(trace.json);
}

static uint64_t sum_of(const Trace *trace, const char *pid, const char *tid)
{
    uint64_t sum_ps = 0;

    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *e = event_at(trace, i);

        if (has(e, "ph", "X") && has(e, "pid", pid) && has(e, "tid", tid))
            sum_ps += ps_at(e, "dur");
    }
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
        kernels_ps = sum_of(&trace, "1", "1");
        assert_int_equal(kernels_ps / trace.r.n_iterations, trace.r.compute_ps);
        assert_int_equal(kernels_ps + sum_of(&trace, "1", "3"),
                         trace.r.total_ps);
        json_value_free(trace.json);
    }
}

/* Of the first iteration: back-propagation is all that follows forward. */
static void all_reduces_overlap_back_propagation(void **state)
{
    Trace trace;
    g_autoptr(GPtrArray) slices = NULL;
    guint n_overlaps = 0;

    (void)state;
    trace_isca21(&trace, "ace.yaml", UINT64_MAX);
    slices = slices_of(&trace);
    for (guint i = 0; i < slices->len; i++) {
        const JsonValue *coll = slices->pdata[i];
        uint64_t from_ps = ps_at(coll, "ts");
        uint64_t to_ps = from_ps + ps_at(coll, "dur");

        if (!has(coll, "cat", "collective"))
            continue;
        assert_true(g_str_has_prefix(text_at(coll, "name"), "all-reduce of"));
        for (guint k = 0; k < slices->len; k++) {
            const JsonValue *kernel = slices->pdata[k];
            gboolean backward = has(kernel, "cat", "input-gradient") ||
                                has(kernel, "cat", "weight-gradient");

            n_overlaps += backward && ps_at(kernel, "ts") < to_ps &&
                          ps_at(kernel, "ts") + ps_at(kernel, "dur") > from_ps;
        }
    }
    assert_true(n_overlaps > 100);
    json_value_free(trace.json);
}

static void a_cap_on_slices_is_kept_and_told(void **state)
{
    Trace trace;
    g_autoptr(GPtrArray) slices = NULL;
    const JsonValue *told;

    (void)state;
    trace_isca21(&trace, "ace.yaml", 1000);
    check_format(&trace);
    slices = slices_of(&trace);
    assert_int_equal(slices->len, 1000);
    told = json_value_at(trace.json, "otherData");
    assert_string_equal(text_at(told, "slices"), "1000");
    assert_true(g_ascii_strtoull(text_at(told, "slices_left_out"), NULL, 10) >
                5000);
    assert_true(has_counter(&trace, "HBM GB/s"));
    json_value_free(trace.json);
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
    assert_int_equal(sum_of(&trace, "7", "1"), 2 * sum_of(&trace, "1", "1"));
    json_value_free(trace.json);
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
    json_value_free(trace.json);
}

static void an_npu_that_is_not_simulated_is_refused(void **state)
{
    const Setup setup = { .endpoint = "{kind: ace}" };
    g_autoptr(GArray) npus = timeline_parse_npus("0,3");
    GError *error = NULL;
    Run run;

    (void)state;
    run_read(&run, &setup);
    run.system = system_new(&run.config, FOLD_AUTO, &error);
    assert_null(timeline_open("unused", npus, 1, run.system, &error));
    assert_gerror(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                  "--timeline-npus: there is no NPU 3; 1 of 4 are simulated, "
                  "--fold=off simulates all");
    run_clear(&run);
    assert_null(timeline_parse_npus("0;1"));
    assert_null(timeline_parse_npus(""));
}

static void buckets_keep_the_integral_however_long_the_run(void **state)
{
    g_autoptr(Buckets) buckets = buckets_new(2);
    SimWide sum = 0;

    (void)state;
    buckets_add(buckets, 1, 7, 0, 3);
    buckets_add(buckets, 1, 5, 1500, 2500);
    assert_int_equal(buckets_width_ps(buckets), 1000);
    assert_int_equal(buckets_integral(buckets, 1, 0), 21);
    assert_int_equal(buckets_integral(buckets, 1, 1), 2500);
    assert_int_equal(buckets_integral(buckets, 1, 2), 2500);
    buckets_add(buckets, 1, 1, SIM_US(10) - 1, SIM_US(10));
    assert_int_equal(buckets_width_ps(buckets), 8000);
    for (guint i = 0; i < buckets_n(buckets); i++) {
        sum += buckets_integral(buckets, 1, i);
        assert_int_equal(buckets_integral(buckets, 0, i), 0);
    }
    assert_int_equal(sum, 21 + 5000 + 1);
    assert_int_equal(buckets_integral(buckets, 1, 0), 21 + 5000);
    assert_int_equal(buckets_n(buckets), 1250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_resnet_keeps_the_rules_of_the_format),
        cmocka_unit_test(kernels_and_waits_add_up_to_the_run),
        cmocka_unit_test(all_reduces_overlap_back_propagation),
        cmocka_unit_test(a_cap_on_slices_is_kept_and_told),
        cmocka_unit_test(several_npus_are_watched_in_a_full_run),
        cmocka_unit_test(a_kernel_that_stands_still_is_an_exposed_wait),
        cmocka_unit_test(an_npu_that_is_not_simulated_is_refused),
        cmocka_unit_test(buckets_keep_the_integral_however_long_the_run),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
