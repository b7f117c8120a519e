/* Tests that the trace of a run has the format that viewers expect, and shows
 * what happened. */
#include "tests/models/observe/timeline_read_back.h"

#include <string.h>

#include "sim/view/timeline/timeline.h"

/* ---- format rules of timeline files -------------------------------------- */

static void check_trace_event(const JsonValue *event)
{
    const char *ph = trace_member_text(event, "ph");

    assert_non_null(ph);
    assert_int_equal(json_value_at(event, "pid")->kind, JSON_NUMBER);
    assert_non_null(trace_member_text(event, "name"));
    if (g_str_equal(ph, "M")) {
        assert_non_null(json_value_at(event, "args"));
        return;
    }
    assert_true(trace_member_ps(event, "ts") < UINT64_MAX);
    if (g_str_equal(ph, "C")) {
        const JsonValue *args = json_value_at(event, "args");

        assert_true(json_value_n_items(args) > 0);
        for (guint i = 0; i < json_value_n_items(args); i++)
            assert_int_equal(json_value_item(args, i)->kind, JSON_NUMBER);
        return;
    }
    assert_true(g_str_equal(ph, "B") || g_str_equal(ph, "E"));
    assert_int_equal(json_value_at(event, "tid")->kind, JSON_NUMBER);
    assert_true(g_str_equal(ph, "E") || trace_member_text(event, "cat"));
}

/* Viewers sort by time and keep the order of events at the same time, so they
 * see the events of a thread in the order of the file. */
static void check_event_order(const Trace *trace)
{
    g_autoptr(GHashTable) tracks =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);

    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = trace_event_at(trace, i);
        uint64_t now_ps = trace_member_ps(event, "ts");
        const uint64_t *before_ps;
        guint64 of;

        if (!trace_member_equals(event, "ph", "B") &&
            !trace_member_equals(event, "ph", "E"))
            continue;
        of = trace_track_of_event(event);
        before_ps = g_hash_table_lookup(tracks, &of);
        if (before_ps && *before_ps > now_ps)
            fail_msg("%s goes back", trace_member_text(event, "ts"));
        g_hash_table_insert(tracks, g_memdup2(&of, sizeof of),
                            g_memdup2(&now_ps, sizeof now_ps));
    }
    for (guint i = 0; i < trace->slices->len; i++)
        if (!trace_slice_at(trace, i)->end)
            fail_msg("%s does not end", trace_slice_at(trace, i)->name);
}

static gboolean trace_has_counter(const Trace *trace, const char *name)
{
    for (guint i = 0; i < trace->events->len; i++)
        if (trace_member_equals(trace_event_at(trace, i), "ph", "C") &&
            trace_member_equals(trace_event_at(trace, i), "name", name))
            return TRUE;
    return FALSE;
}

/* Returns the event that gives the name @name and, if @pid is not NULL, belongs
 * to @pid; NULL if there is none. */
static const JsonValue *find_naming_event(const Trace *trace, const char *what,
                                          const char *name, const char *pid)
{
    for (guint i = 0; i < trace->events->len; i++) {
        const JsonValue *event = trace_event_at(trace, i);

        if (trace_member_equals(event, "name", what) &&
            (!pid || trace_member_equals(event, "pid", pid)) &&
            trace_member_equals(json_value_at(event, "args"), "name", name))
            return event;
    }
    return NULL;
}

static gboolean trace_has_name(const Trace *trace, const char *what,
                               const char *name)
{
    return find_naming_event(trace, what, name, NULL) != NULL;
}

static guint64 find_track_by_names(const Trace *trace, const char *process,
                                   const char *thread)
{
    const JsonValue *p =
        find_naming_event(trace, "process_name", process, NULL);

    assert_non_null(p);
    return trace_track_of_event(find_naming_event(trace, "thread_name", thread,
                                                  trace_member_text(p, "pid")));
}

/* Checks that no tid belongs to two processes. */
static void check_thread_ids(const Trace *trace)
{
    for (guint i = 0; i < trace->slices->len; i++)
        for (guint k = 0; k < i; k += 97)
            if (trace_slice_at(trace, i)->track ==
                trace_slice_at(trace, k)->track)
                assert_true(trace_member_equals(
                    trace_slice_at(trace, i)->begin, "pid",
                    trace_member_text(trace_slice_at(trace, k)->begin, "pid")));
}

static void check_trace_format(const Trace *trace)
{
    for (guint i = 0; i < trace->events->len; i++)
        check_trace_event(trace_event_at(trace, i));
    check_event_order(trace);
    check_thread_ids(trace);
}

/* ---- tests of timeline contents ------------------------------------------ */

static void the_trace_of_resnet_is_valid(void **state)
{
    static const char *const counters[] = { "HBM GB/s",     "SMs",
                                            "SRAM KiB",     "FSM slots",
                                            "links busy %", "ALUs" };
    Trace trace;

    (void)state;
    trace_run_isca21(&trace, "ace.yaml", UINT64_MAX);
    check_trace_format(&trace);
    for (guint i = 0; i < G_N_ELEMENTS(counters); i++)
        if (!trace_has_counter(&trace, counters[i]))
            fail_msg("no counter '%s'", counters[i]);
    assert_true(trace_has_name(&trace, "process_name", "NPU 0"));
    assert_true(trace_has_name(&trace, "process_name", "NPU 0 chunks"));
    assert_true(trace_has_name(&trace, "thread_name", "main stream"));
    assert_true(trace_has_name(&trace, "thread_name", "collective 1"));
    trace_clear(&trace);
}

/* Returns the total time of the slices of one thread. */
static uint64_t sum_of_slice_times(const Trace *trace, const char *process,
                                   const char *thread)
{
    guint64 of = find_track_by_names(trace, process, thread);
    uint64_t sum_ps = 0;

    for (guint i = 0; i < trace->slices->len; i++)
        if (trace_slice_at(trace, i)->track == of)
            sum_ps += trace_slice_at(trace, i)->to_ps -
                      trace_slice_at(trace, i)->from_ps;
    return sum_ps;
}

static void kernels_and_waits_add_up_to_the_run(void **state)
{
    static const char *const endpoints[] = { "ace.yaml", "comp-opt.yaml" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(endpoints); i++) {
        Trace trace;
        uint64_t kernels_ps;

        trace_run_isca21(&trace, endpoints[i], UINT64_MAX);
        kernels_ps = sum_of_slice_times(&trace, "NPU 0", "main stream");
        assert_int_equal(kernels_ps / trace.r.n_iterations, trace.r.compute_ps);
        assert_int_equal(
            kernels_ps + sum_of_slice_times(&trace, "NPU 0", "exposed waits"),
            trace.r.total_ps);
        trace_clear(&trace);
    }
}

static gboolean is_backward_slice(const Slice *slice)
{
    return g_str_equal(slice->category, "input-gradient") ||
           g_str_equal(slice->category, "weight-gradient");
}

static void all_reduces_overlap_back_propagation(void **state)
{
    Trace trace;
    guint n_overlaps = 0;

    (void)state;
    trace_run_isca21(&trace, "ace.yaml", UINT64_MAX);
    for (guint i = 0; i < trace.slices->len; i++) {
        const Slice *coll = trace_slice_at(&trace, i);

        if (!g_str_equal(coll->category, "collective"))
            continue;
        assert_true(g_str_has_prefix(coll->name, "all-reduce of"));
        for (guint k = 0; k < trace.slices->len; k++) {
            const Slice *kernel = trace_slice_at(&trace, k);

            n_overlaps += is_backward_slice(kernel) &&
                          kernel->from_ps < coll->to_ps &&
                          kernel->to_ps > coll->from_ps;
        }
    }
    assert_true(n_overlaps > 100);
    trace_clear(&trace);
}

/* Phases and DMA transfers must be within their chunk. */
static void parts_of_a_chunk_are_within_the_chunk(void **state)
{
    guint n_chunks = 0, n_parts = 0;
    Trace trace;

    (void)state;
    trace_run_isca21(&trace, "ace.yaml", UINT64_MAX);
    for (guint i = 0; i < trace.slices->len; i++) {
        const Slice *chunk = trace_slice_at(&trace, i);

        if (!g_str_equal(chunk->category, "chunk"))
            continue;
        n_chunks++;
        assert_non_null(
            json_value_at(json_value_at(chunk->begin, "args"), "bytes"));
        for (guint k = i + 1; k < trace.slices->len; k++) {
            const Slice *part = trace_slice_at(&trace, k);

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
    /* Each chunk has six parts: DMA in, four phases, DMA out. */
    assert_int_equal(n_parts, 6 * n_chunks);
    trace_clear(&trace);
}

static void a_cap_on_slices_is_respected_and_reported(void **state)
{
    Trace trace;
    const JsonValue *told;

    (void)state;
    trace_run_isca21(&trace, "ace.yaml", 1000);
    check_trace_format(&trace);
    assert_int_equal(trace.slices->len, 1000);
    told = json_value_at(trace.json, "otherData");
    assert_string_equal(trace_member_text(told, "slices"), "1000");
    assert_true(g_ascii_strtoull(trace_member_text(told, "slices_left_out"),
                                 NULL, 10) > 5000);
    assert_true(trace_has_counter(&trace, "HBM GB/s"));
    trace_clear(&trace);
}

static void several_npus_are_traced_in_a_full_run(void **state)
{
    const Setup setup = { .endpoint = "{kind: ace}",
                          .perturb = "{npus: [{npu: 2, time_factor: 2.0}]}",
                          .workload =
                              "{kind: data-parallel, name: k, batch: 1, "
                              "layers: [{kind: linear, name: \"a \\\"b\\\"\", "
                              "in: 1024, out: 1024, repeat: 3}]}" };
    Trace trace;

    (void)state;
    trace_run_setup(&trace, &setup, FOLD_AUTO, "2, 0,2");
    check_trace_format(&trace);
    assert_true(trace_has_name(&trace, "process_name", "NPU 0"));
    assert_true(trace_has_name(&trace, "process_name", "NPU 2"));
    assert_false(trace_has_name(&trace, "process_name", "NPU 1"));
    assert_int_equal(sum_of_slice_times(&trace, "NPU 2", "main stream"),
                     2 * sum_of_slice_times(&trace, "NPU 0", "main stream"));
    trace_clear(&trace);
}

static void a_stalled_kernel_is_an_exposed_wait(void **state)
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
    trace_run_setup(&trace, &setup, FOLD_AUTO, "0");
    check_trace_format(&trace);
    for (guint i = 0; i < trace.events->len; i++)
        found |= trace_member_equals(trace_event_at(&trace, i), "name",
                                     "no SMs or no HBM bandwidth");
    assert_true(found);
    trace_clear(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_trace_of_resnet_is_valid),
        cmocka_unit_test(kernels_and_waits_add_up_to_the_run),
        cmocka_unit_test(all_reduces_overlap_back_propagation),
        cmocka_unit_test(parts_of_a_chunk_are_within_the_chunk),
        cmocka_unit_test(a_cap_on_slices_is_respected_and_reported),
        cmocka_unit_test(several_npus_are_traced_in_a_full_run),
        cmocka_unit_test(a_stalled_kernel_is_an_exposed_wait),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
