/* timeline_head.c - reads the head and the end of a timeline: NPUs,
 * groups, counts */
#include "workloads/readers/timeline/timeline_state_impl.h"

/* Reads a number of at most @most.  Fails and returns 0 for a value that is not
 * a number. */
static uint64_t read_bounded_number(TimelineRead *t, const char *key,
                                    uint64_t most)
{
    uint64_t value = 0;

    if (json_pull_next_scalar(t->pull) != PULL_NUMBER ||
        !json_pull_u64(t->pull, &value) || value > most)
        json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                            "%s: a number of at most %" G_GUINT64_FORMAT, key,
                            most);
    return MIN(value, most);
}

static const char *read_owned_name(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(t->pull) != PULL_STRING)
        return "";
    text = json_pull_text(t->pull, &n);
    return reader_store_text(t->recording, text, n);
}

/* Reads an array of ids and appends them to @ret; its elements are uint32_t. */
static void read_npu_ids(TimelineRead *t, const char *key, GArray *ret)
{
    if (!json_pull_enter_container(t->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(t->pull)) {
        uint64_t value = 0;
        uint32_t id;

        if (!json_pull_u64(t->pull, &value) || value >= TIMELINE_MAX_NPUS)
            json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                                "%s: numbers of NPUs", key);
        id = (uint32_t)value;
        g_array_append_val(ret, id);
        json_pull_skip_value(t->pull);
    }
}

static void read_group_sets(TimelineRead *t, TimelineGroup *group)
{
    if (!json_pull_enter_container(t->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(t->pull)) {
        guint before = group->ids->len;

        if (json_pull_token(t->pull) != PULL_ARRAY) {
            json_pull_set_error(t->pull, CONFIG_ERROR_TYPE,
                                "ranks: a list of lists");
            return;
        }
        while (json_pull_next_item(t->pull)) {
            uint64_t value = 0;
            uint32_t id;

            if (!json_pull_u64(t->pull, &value) || value >= t->n_npus)
                json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                                    "ranks: NPUs' numbers");
            id = (uint32_t)value;
            g_array_append_val(group->ids, id);
            json_pull_skip_value(t->pull);
        }
        if (group->n++ == 0)
            group->size = group->ids->len;
        else if (group->ids->len - before != group->size)
            json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                                "ranks: sets of a group are equally large");
    }
    if (group->size == 0)
        json_pull_set_error(t->pull, CONFIG_ERROR_RANGE, "ranks: none");
}

static void read_head_group(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("name"), JSON_NAME("ranks"),
                                      JSON_NAMES_END };
    TimelineGroup group = { .name = "",
                            .ids =
                                g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    guint key;

    while (json_pull_next_key(t->pull, names, &key))
        if (key == 0)
            group.name = read_owned_name(t);
        else
            read_group_sets(t, &group);
    g_array_append_val(t->groups, group);
}

static void read_head_groups(TimelineRead *t)
{
    if (!json_pull_enter_container(t->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(t->pull))
        if (json_pull_token(t->pull) == PULL_OBJECT)
            read_head_group(t);
        else
            json_pull_set_error(t->pull, CONFIG_ERROR_TYPE,
                                "groups: a list of objects");
}

enum {
    CAUSES,
    WORKLOAD,
    NPUS,
    SIMULATED,
    WATCHED,
    PLACES,
    PROCESSES,
    GROUPS,
};

void timeline_read_head(TimelineRead *t, gpointer data)
{
    static const JsonName names[] = {
        [CAUSES] = JSON_NAME("causes"),
        [WORKLOAD] = JSON_NAME("workload"),
        [NPUS] = JSON_NAME("npus"),
        [SIMULATED] = JSON_NAME("simulated"),
        [WATCHED] = JSON_NAME("watched"),
        [PLACES] = JSON_NAME("place of"),
        [PROCESSES] = JSON_NAME("processes"),
        [GROUPS] = JSON_NAME("groups"),
        [GROUPS + 1] = JSON_NAMES_END,
    };
    guint key;

    (void)data;
    if (!json_pull_enter_container(t->pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(t->pull, names, &key))
        if (key == CAUSES)
            t->causes = read_bounded_number(t, "causes", UINT32_MAX);
        else if (key == WORKLOAD)
            t->workload = read_owned_name(t);
        else if (key == NPUS)
            t->n_npus = read_bounded_number(t, "npus", TIMELINE_MAX_NPUS);
        else if (key == SIMULATED)
            t->n_simulated =
                read_bounded_number(t, "simulated", TIMELINE_MAX_NPUS);
        else if (key == WATCHED)
            read_npu_ids(t, "watched", t->watched);
        else if (key == PLACES)
            read_npu_ids(t, "place of", t->place_of);
        else if (key == PROCESSES)
            t->n_processes =
                read_bounded_number(t, "processes", TIMELINE_MAX_PROCESSES);
        else
            read_head_groups(t);
}

/* Reads a count, which is written as a text for compatibility. */
static uint64_t read_text_count(TimelineRead *t)
{
    g_autofree char *ended = NULL;
    const char *text;
    gsize n;

    if (json_pull_next_scalar(t->pull) != PULL_STRING)
        return 0;
    text = json_pull_text(t->pull, &n);
    ended = g_strndup(text, n);
    return g_ascii_strtoull(ended, NULL, 10);
}

void timeline_read_other(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("iteration ps"),
                                      JSON_NAME("slices_left_out"),
                                      JSON_NAMES_END };
    guint key;

    if (!json_pull_enter_container(t->pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(t->pull, names, &key))
        if (key == 0)
            t->recording->iteration_ps =
                read_bounded_number(t, "iteration ps", INT64_MAX);
        else
            t->n_left_out = read_text_count(t);
}
