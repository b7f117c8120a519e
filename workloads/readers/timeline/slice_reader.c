/* slice_reader.c - reads slices of operations: their properties and times */
#include <string.h>

#include "workloads/readers/timeline/timeline_state_impl.h"

static const char *read_slice_name(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(t->pull) != PULL_STRING)
        return NULL;
    text = json_pull_text(t->pull, &n);
    return reader_store_text(t->recording, text, n);
}

static uint64_t read_slice_number(TimelineRead *t)
{
    uint64_t value;

    if (json_pull_next_scalar(t->pull) != PULL_NUMBER ||
        !json_pull_u64(t->pull, &value))
        return TIMELINE_NONE;
    return value;
}

/* ---- args ---------------------------------------------------------------- */

/* Reads a dependency of a slice, [op, back]. */
static void read_slice_dependency(TimelineRead *t, TimelineSlice *slice)
{
    uint64_t values[2] = { 0 };
    TimelineDep dep;
    guint n = 0;

    while (json_pull_next_item(t->pull)) {
        if (n < 2 &&
            (!json_pull_u64(t->pull, &values[n]) || values[n] >= RECORD_NONE))
            json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                                "after: [operation, back]");
        json_pull_skip_value(t->pull);
        n++;
    }
    dep = (TimelineDep){ (uint32_t)values[0], (uint32_t)values[1] };
    g_array_append_val(t->deps, dep);
    slice->n_deps++;
}

static void read_slice_dependencies(TimelineRead *t, gpointer data)
{
    TimelineSlice *slice = data;

    slice->has_causes = TRUE;
    slice->first_dep = t->deps->len;
    slice->n_deps = 0;
    if (!json_pull_enter_container(t->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(t->pull))
        if (json_pull_token(t->pull) == PULL_ARRAY)
            read_slice_dependency(t, slice);
        else
            json_pull_set_error(t->pull, CONFIG_ERROR_TYPE,
                                "after: [[operation, back]]");
}

enum {
    OP,
    ITERATION,
    ALONE,
    GAP,
    FLOP,
    HBM,
    WRITTEN,
    PAYLOAD,
    GROUP,
    FROM,
    TO,
    PRIORITY, /* the last key whose value is a number */
    STAR,
    UNEVEN,
    KIND,
    LAYER,
    COLLECTIVE,
    PASS,
    QUEUE,
    LANE,
    AFTER
};

static const JsonName keys[] = {
    [OP] = JSON_NAME("op"),
    [ITERATION] = JSON_NAME("iteration"),
    [ALONE] = JSON_NAME("alone ps"),
    [GAP] = JSON_NAME("gap ps"),
    [FLOP] = JSON_NAME("flop"),
    [HBM] = JSON_NAME("HBM bytes"),
    [WRITTEN] = JSON_NAME("written bytes"),
    [PAYLOAD] = JSON_NAME("payload bytes"),
    [GROUP] = JSON_NAME("group"),
    [FROM] = JSON_NAME("from"),
    [TO] = JSON_NAME("to"),
    [PRIORITY] = JSON_NAME("priority"),
    [STAR] = JSON_NAME("star"),
    [UNEVEN] = JSON_NAME("uneven"),
    [KIND] = JSON_NAME("kind"),
    [LAYER] = JSON_NAME("layer"),
    [COLLECTIVE] = JSON_NAME("collective"),
    [PASS] = JSON_NAME("pass"),
    [QUEUE] = JSON_NAME("queue"),
    [LANE] = JSON_NAME("waits in lane"),
    [AFTER] = JSON_NAME("after"),
    [AFTER + 1] = JSON_NAMES_END,
};

static uint64_t *slice_number_field(TimelineSlice *s, guint key)
{
    uint64_t *const at[] = {
        [OP] = &s->op,
        [ITERATION] = &s->iteration,
        [ALONE] = &s->alone_ps,
        [GAP] = &s->gap_ps,
        [FLOP] = &s->flop,
        [HBM] = &s->hbm_bytes,
        [WRITTEN] = &s->written_bytes,
        [PAYLOAD] = &s->payload_bytes,
        [GROUP] = &s->group,
        [FROM] = &s->from,
        [TO] = &s->to,
        [PRIORITY] = &s->priority,
    };

    return at[key];
}

static const char **slice_text_field(TimelineSlice *s, guint key)
{
    const char **const at[] = {
        [KIND - KIND] = &s->kind,
        [LAYER - KIND] = &s->layer,
        [COLLECTIVE - KIND] = &s->collective,
        [PASS - KIND] = &s->pass,
        [QUEUE - KIND] = &s->queue,
        [LANE - KIND] = &s->lane,
    };

    return at[key - KIND];
}

static void read_slice_args(TimelineRead *t, TimelineSlice *slice)
{
    guint key;

    if (!json_pull_enter_container(t->pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(t->pull, keys, &key))
        if (key <= PRIORITY)
            *slice_number_field(slice, key) = read_slice_number(t);
        else if (key == STAR)
            slice->is_star = json_pull_next_scalar(t->pull) == PULL_TRUE;
        else if (key == UNEVEN)
            slice->is_uneven = json_pull_next_scalar(t->pull) == PULL_TRUE;
        else if (key == AFTER)
            read_slice_dependencies(t, slice);
        else
            *slice_text_field(slice, key) = read_slice_name(t);
}

/* ---- args from packets ---------------------------------------------- */

guint timeline_arg_number(const char *name, gsize n_bytes)
{
    for (guint i = 0; keys[i].name; i++)
        if (keys[i].n_bytes == n_bytes &&
            memcmp(keys[i].name, name, n_bytes) == 0)
            return i + 1;
    return 0;
}

void timeline_set_arg(TimelineRead *t, TimelineSlice *slice, guint arg,
                      const TimelineArg *value)
{
    guint key = arg - 1;

    g_assert(arg > 0 && key <= AFTER);
    if (key <= PRIORITY)
        *slice_number_field(slice, key) =
            value->text ? TIMELINE_NONE : value->number;
    else if (key == STAR)
        slice->is_star = value->number == 1;
    else if (key == UNEVEN)
        slice->is_uneven = value->number == 1;
    else if (!value->text)
        return;
    else if (key == AFTER)
        timeline_read_text(t, value, read_slice_dependencies, slice);
    else
        *slice_text_field(slice, key) =
            reader_store_text(t->recording, value->text, value->n_bytes);
}

/* ---- events -------------------------------------------------------------- */

TimelineSlice timeline_empty_slice(uint64_t line)
{
    return (TimelineSlice){ .line = line,
                            .op = TIMELINE_NONE,
                            .iteration = TIMELINE_NONE,
                            .alone_ps = TIMELINE_NONE,
                            .payload_bytes = TIMELINE_NONE };
}

static GArray *list_of_open_slices(TimelineRead *t, uint64_t thread)
{
    GArray *open = g_hash_table_lookup(t->opens, &thread);

    if (open)
        return open;
    open = g_array_new(FALSE, FALSE, sizeof(guint));
    g_hash_table_insert(t->opens, g_memdup2(&thread, sizeof thread), open);
    return open;
}

/* Opens a slice.  Slices that are not kept have number 0, so that their ends
 * match. */
void timeline_open_slice(TimelineRead *t, const TimelineEvent *event,
                         const TimelineSlice *from)
{
    TimelineSlice kept = *from;
    GArray *open = list_of_open_slices(t, event->thread);
    guint number = 0;

    if (kept.kind && kept.iteration == 0 && kept.op < RECORD_NONE &&
        event->process > 0) {
        kept.place = (uint32_t)MIN(
            (event->process - 1) / MAX(t->n_processes, 1), TIMELINE_MAX_NPUS);
        kept.thread = event->thread;
        kept.begin_ps = event->at_ps;
        kept.end_ps = -1;
        g_array_append_val(t->slices, kept);
        number = t->slices->len;
    } else {
        g_array_set_size(t->deps, t->deps->len - kept.n_deps);
    }
    g_array_append_val(open, number);
}

void timeline_close_slice(TimelineRead *t, const TimelineEvent *event)
{
    GArray *open = list_of_open_slices(t, event->thread);
    guint number;

    if (open->len == 0)
        return;
    number = g_array_index(open, guint, open->len - 1);
    g_array_set_size(open, open->len - 1);
    if (number > 0)
        timeline_slice(t, number - 1)->end_ps = event->at_ps;
}

static char read_slice_phase(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(t->pull) != PULL_STRING)
        return '\0';
    text = json_pull_text(t->pull, &n);
    return n == 1 ? text[0] : '\0';
}

static void read_slice_event(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("ph"),   JSON_NAME("pid"),
                                      JSON_NAME("tid"),  JSON_NAME("ts"),
                                      JSON_NAME("args"), JSON_NAMES_END };
    TimelineSlice slice = timeline_empty_slice(json_pull_token_line(t->pull));
    TimelineEvent event = { 0 };
    char phase = 0;
    guint key;

    while (json_pull_next_key(t->pull, names, &key))
        if (key == 0)
            phase = read_slice_phase(t);
        else if (key == 1)
            event.process = read_slice_number(t);
        else if (key == 2)
            event.thread = read_slice_number(t);
        else if (key == 3) {
            if (json_pull_next_scalar(t->pull) != PULL_NUMBER ||
                !json_pull_scaled_decimal(t->pull, 1000000, &event.at_ps) ||
                event.at_ps < 0 || event.at_ps > INT64_MAX)
                json_pull_set_error(t->pull, CONFIG_ERROR_RANGE,
                                    "ts: a time in us");
        } else {
            read_slice_args(t, &slice);
        }
    if (phase == 'B')
        timeline_open_slice(t, &event, &slice);
    else if (phase == 'E')
        timeline_close_slice(t, &event);
}

void timeline_read_events(TimelineRead *t)
{
    while (json_pull_next_item(t->pull))
        if (json_pull_token(t->pull) == PULL_OBJECT)
            read_slice_event(t);
        else
            json_pull_skip_value(t->pull);
}
