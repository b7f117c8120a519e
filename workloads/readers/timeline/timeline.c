/*
 * timeline.c - what `acesim run --timeline` writes, as a recording
 *
 * Of Perfetto's protobuf packets.c makes the same as of this JSON:
 *
 *     { "displayTimeUnit": "ns", "acesim": { "causes": 1, "npus": n, ... },
 *       "traceEvents": [ ..., {"ph": "B", ..., "args": {"op": 3, "kind":
 *       "kernel", "alone ps": 5000000, "after": [[1, 0], [7, 1]], ...}}, ... ],
 *       "otherData": {"iteration ps": n, "slices_left_out": "0"} }
 *
 * It says what waits for what and how long each takes alone, so that what comes
 * of it is a plan: nodes without begins, replayed as they were simulated.
 * Communication has the time from the begin of the last NPU to its own end.
 */
#include <string.h>

#include "workloads/readers/timeline/timeline_impl.h"

#define BEGIN "{\"displayTimeUnit\":\"ns\",\"acesim\":{\"causes\":"

static gboolean timeline_knows(Source *source)
{
    gsize n;
    const uint8_t *bytes = source_look(source, strlen(BEGIN), &n);

    return (n >= strlen(BEGIN) && memcmp(bytes, BEGIN, strlen(BEGIN)) == 0) ||
           timeline_is_packets(source);
}

/* ---- the head ----------------------------------------------------------- */

/* Of at most @most; 0: it is no such number, which is an error. */
static uint64_t read_number(TimelineRead *t, const char *key, uint64_t most)
{
    uint64_t value = 0;

    if (pull_scalar(t->pull) != PULL_NUMBER || !pull_u64(t->pull, &value) ||
        value > most)
        pull_fail(t->pull, CONFIG_ERROR_RANGE,
                  "%s: a number of at most %" G_GUINT64_FORMAT, key, most);
    return MIN(value, most);
}

static const char *read_name(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (pull_scalar(t->pull) != PULL_STRING)
        return "";
    text = pull_text(t->pull, &n);
    return read_text(t->recording, text, n);
}

/* Adds to @ret, of uint32_t. */
static void read_ids(TimelineRead *t, const char *key, GArray *ret)
{
    if (!pull_enter(t->pull, PULL_ARRAY))
        return;
    while (pull_item(t->pull)) {
        uint64_t value = 0;
        uint32_t id;

        if (!pull_u64(t->pull, &value) || value >= TIMELINE_MAX_NPUS)
            pull_fail(t->pull, CONFIG_ERROR_RANGE, "%s: numbers of NPUs", key);
        id = (uint32_t)value;
        g_array_append_val(ret, id);
        pull_skip(t->pull);
    }
}

static void read_sets(TimelineRead *t, TimelineGroup *group)
{
    if (!pull_enter(t->pull, PULL_ARRAY))
        return;
    while (pull_item(t->pull)) {
        guint before = group->ids->len;

        if (pull_token(t->pull) != PULL_ARRAY) {
            pull_fail(t->pull, CONFIG_ERROR_TYPE, "ranks: a list of lists");
            return;
        }
        while (pull_item(t->pull)) {
            uint64_t value = 0;
            uint32_t id;

            if (!pull_u64(t->pull, &value) || value >= t->n_npus)
                pull_fail(t->pull, CONFIG_ERROR_RANGE, "ranks: NPUs' numbers");
            id = (uint32_t)value;
            g_array_append_val(group->ids, id);
            pull_skip(t->pull);
        }
        if (group->n++ == 0)
            group->size = group->ids->len;
        else if (group->ids->len - before != group->size)
            pull_fail(t->pull, CONFIG_ERROR_RANGE,
                      "ranks: sets of a group are equally large");
    }
    if (group->size == 0)
        pull_fail(t->pull, CONFIG_ERROR_RANGE, "ranks: none");
}

static void read_group(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("name"), JSON_NAME("ranks"),
                                      JSON_NAMES_END };
    TimelineGroup group = { .name = "",
                            .ids =
                                g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    guint key;

    while (pull_key(t->pull, names, &key))
        if (key == 0)
            group.name = read_name(t);
        else
            read_sets(t, &group);
    g_array_append_val(t->groups, group);
}

static void read_groups(TimelineRead *t)
{
    if (!pull_enter(t->pull, PULL_ARRAY))
        return;
    while (pull_item(t->pull))
        if (pull_token(t->pull) == PULL_OBJECT)
            read_group(t);
        else
            pull_fail(t->pull, CONFIG_ERROR_TYPE, "groups: a list of objects");
}

enum { CAUSES, WORKLOAD, NPUS, SIMULATED, WATCHED, PLACES, GROUPS };

void timeline_read_head(TimelineRead *t, gpointer data)
{
    static const JsonName names[] = {
        [CAUSES] = JSON_NAME("causes"),   [WORKLOAD] = JSON_NAME("workload"),
        [NPUS] = JSON_NAME("npus"),       [SIMULATED] = JSON_NAME("simulated"),
        [WATCHED] = JSON_NAME("watched"), [PLACES] = JSON_NAME("place of"),
        [GROUPS] = JSON_NAME("groups"),   [GROUPS + 1] = JSON_NAMES_END,
    };
    guint key;

    (void)data;
    if (!pull_enter(t->pull, PULL_OBJECT))
        return;
    while (pull_key(t->pull, names, &key))
        if (key == CAUSES)
            t->causes = read_number(t, "causes", UINT32_MAX);
        else if (key == WORKLOAD)
            t->workload = read_name(t);
        else if (key == NPUS)
            t->n_npus = read_number(t, "npus", TIMELINE_MAX_NPUS);
        else if (key == SIMULATED)
            t->n_simulated = read_number(t, "simulated", TIMELINE_MAX_NPUS);
        else if (key == WATCHED)
            read_ids(t, "watched", t->watched);
        else if (key == PLACES)
            read_ids(t, "place of", t->place_of);
        else
            read_groups(t);
}

/* A text, as of old. */
static uint64_t read_count(TimelineRead *t)
{
    g_autofree char *ended = NULL;
    const char *text;
    gsize n;

    if (pull_scalar(t->pull) != PULL_STRING)
        return 0;
    text = pull_text(t->pull, &n);
    ended = g_strndup(text, n);
    return g_ascii_strtoull(ended, NULL, 10);
}

static void read_other(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("iteration ps"),
                                      JSON_NAME("slices_left_out"),
                                      JSON_NAMES_END };
    guint key;

    if (!pull_enter(t->pull, PULL_OBJECT))
        return;
    while (pull_key(t->pull, names, &key))
        if (key == 0)
            t->recording->iteration_ps =
                read_number(t, "iteration ps", INT64_MAX);
        else
            t->n_left_out = read_count(t);
}

/* ---- the file ------------------------------------------------------------ */

static void read_all(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("acesim"),
                                      JSON_NAME("traceEvents"),
                                      JSON_NAME("otherData"), JSON_NAMES_END };
    guint key;

    if (!pull_enter(t->pull, PULL_OBJECT)) {
        pull_fail(t->pull, CONFIG_ERROR_TYPE, "expected an object");
        return;
    }
    while (pull_key(t->pull, names, &key))
        if (key == 0)
            timeline_read_head(t, NULL);
        else if (key == 1 && pull_enter(t->pull, PULL_ARRAY))
            timeline_read_events(t);
        else if (key == 2)
            read_other(t);
}

static void clear_group(gpointer item)
{
    TimelineGroup *group = item;

    g_array_unref(group->ids);
    g_free(group->set_of);
    g_free(group->rank_of);
}

static void free_open(gpointer data)
{
    g_array_unref(data);
}

static gboolean read_json(TimelineRead *t, GError **error)
{
    g_autoptr(JsonPull) pull = json_pull_new(t->source);

    t->pull = pull;
    read_all(t);
    t->pull = NULL;
    return pull_finish(pull, error);
}

static gboolean timeline_read(Source *source, const ReadOptions *options,
                              Recording *recording, GError **error)
{
    TimelineRead t = {
        .source = source,
        .is_packets = timeline_is_packets(source),
        .recording = recording,
        .workload = "",
        .place_of = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .watched = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .groups = g_array_new(FALSE, FALSE, sizeof(TimelineGroup)),
        .slices = g_array_new(FALSE, FALSE, sizeof(TimelineSlice)),
        .deps = g_array_new(FALSE, FALSE, sizeof(TimelineDep)),
        .opens = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                       free_open),
    };
    gboolean ok;

    (void)options;
    g_array_set_clear_func(t.groups, clear_group);
    ok = (t.is_packets ? timeline_read_packets(&t, error)
                       : read_json(&t, error)) &&
         timeline_make_ranks(&t, error);
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
    .knows = timeline_knows,
    .read = timeline_read,
};
