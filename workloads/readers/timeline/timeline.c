/*
 * timeline.c - reads the output of `acesim run --timeline` as a recording
 *
 * perfetto.c reads Perfetto's protobuf.  The same content as JSON is
 *
 *     { "displayTimeUnit": "ns", "acesim": { "causes": 1, "npus": n, ... },
 *       "traceEvents": [ ..., {"ph": "B", ..., "args": {"op": 3, "kind":
 *       "kernel", "alone ps": 5000000, "after": [[1, 0], [7, 1]], ...}}, ... ],
 *       "otherData": {"iteration ps": n, "slices_left_out": "0"} }
 *
 * A timeline has the dependencies of all operations and their times in
 * isolation.  Therefore the recording is a plan: its nodes have no begin times
 * and are replayed as they were simulated.  The time of a communication is from
 * the begin on the last NPU to its end.
 */
#include <string.h>

#include "workloads/readers/timeline/timeline_state_impl.h"

#define BEGIN "{\"displayTimeUnit\":\"ns\",\"acesim\":{\"causes\":"

static gboolean timeline_recognises(Source *source)
{
    gsize n;
    const uint8_t *bytes = source_peek(source, strlen(BEGIN), &n);

    return (n >= strlen(BEGIN) && memcmp(bytes, BEGIN, strlen(BEGIN)) == 0) ||
           timeline_is_packets(source);
}

/* ---- the file ------------------------------------------------------------ */

static void read_timeline_events(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("acesim"),
                                      JSON_NAME("traceEvents"),
                                      JSON_NAME("otherData"), JSON_NAMES_END };
    guint key;

    if (!json_pull_enter_container(t->pull, PULL_OBJECT)) {
        json_pull_set_error(t->pull, CONFIG_ERROR_TYPE, "expected an object");
        return;
    }
    while (json_pull_next_key(t->pull, names, &key))
        if (key == 0)
            timeline_read_head(t, NULL);
        else if (key == 1 && json_pull_enter_container(t->pull, PULL_ARRAY))
            timeline_read_events(t);
        else if (key == 2)
            timeline_read_other(t);
}

static void clear_timeline_group(gpointer item)
{
    TimelineGroup *group = item;

    g_array_unref(group->ids);
    g_free(group->set_of);
    g_free(group->rank_of);
}

static void free_open_slices(gpointer data)
{
    g_array_unref(data);
}

static gboolean read_timeline_json(TimelineRead *t, GError **error)
{
    g_autoptr(JsonPull) pull = json_pull_new(t->source);

    t->pull = pull;
    read_timeline_events(t);
    t->pull = NULL;
    return json_pull_report_error(pull, error);
}

static gboolean timeline_read(Source *source, const ReadOptions *options,
                              Recording *recording, GError **error)
{
    TimelineRead t = {
        .source = source,
        .is_packets = timeline_is_packets(source),
        .recording = recording,
        .workload = "",
        .n_processes = TIMELINE_PROCESSES,
        .place_of = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .watched = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .groups = g_array_new(FALSE, FALSE, sizeof(TimelineGroup)),
        .slices = g_array_new(FALSE, FALSE, sizeof(TimelineSlice)),
        .deps = g_array_new(FALSE, FALSE, sizeof(TimelineDep)),
        .opens = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                       free_open_slices),
    };
    gboolean ok;

    (void)options;
    g_array_set_clear_func(t.groups, clear_timeline_group);
    ok = (t.is_packets ? timeline_read_packets(&t, error)
                       : read_timeline_json(&t, error)) &&
         timeline_add_ranks(&t, error);
    g_array_unref(t.place_of);
    g_array_unref(t.watched);
    g_array_unref(t.groups);
    g_array_unref(t.slices);
    g_array_unref(t.deps);
    g_hash_table_unref(t.opens);
    g_clear_error(&t.error);
    return ok;
}

const ReadOps read_timeline = {
    .base = { .name = "timeline",
              .summary = "acesim's own --timeline, of all NPUs" },
    .recognises = timeline_recognises,
    .read = timeline_read,
};
