/* slice.c - slices of operations: what they are, when they ran */
#include <string.h>

#include "workloads/readers/timeline/timeline_impl.h"

static const char *read_name(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (pull_scalar(t->pull) != PULL_STRING)
        return NULL;
    text = pull_text(t->pull, &n);
    return read_text(t->recording, text, n);
}

static uint64_t read_number(TimelineRead *t)
{
    uint64_t value;

    if (pull_scalar(t->pull) != PULL_NUMBER || !pull_u64(t->pull, &value))
        return TIMELINE_NONE;
    return value;
}

/* ---- args ---------------------------------------------------------------- */

/* [op, back] */
static void read_dep(TimelineRead *t, TimelineSlice *slice)
{
    uint64_t values[2] = { 0 };
    TimelineDep dep;
    guint n = 0;

    while (pull_item(t->pull)) {
        if (n < 2 &&
            (!pull_u64(t->pull, &values[n]) || values[n] >= RECORD_NONE))
            pull_fail(t->pull, CONFIG_ERROR_RANGE, "after: [operation, back]");
        pull_skip(t->pull);
        n++;
    }
    dep = (TimelineDep){ (uint32_t)values[0], (uint32_t)values[1] };
    g_array_append_val(t->deps, dep);
    slice->n_deps++;
}

static void read_deps(TimelineRead *t, TimelineSlice *slice)
{
    slice->has_causes = TRUE;
    slice->first_dep = t->deps->len;
    slice->n_deps = 0;
    if (!pull_enter(t->pull, PULL_ARRAY))
        return;
    while (pull_item(t->pull))
        if (pull_token(t->pull) == PULL_ARRAY)
            read_dep(t, slice);
        else
            pull_fail(t->pull, CONFIG_ERROR_TYPE, "after: [[operation, back]]");
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
    PRIORITY, /* numbers until here */
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

static uint64_t *number_at(TimelineSlice *s, guint key)
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

static void read_args(TimelineRead *t, TimelineSlice *slice)
{
    const char **const texts[] = {
        [KIND - KIND] = &slice->kind,
        [LAYER - KIND] = &slice->layer,
        [COLLECTIVE - KIND] = &slice->collective,
        [PASS - KIND] = &slice->pass,
        [QUEUE - KIND] = &slice->queue,
        [LANE - KIND] = &slice->lane,
    };
    guint key;

    if (!pull_enter(t->pull, PULL_OBJECT))
        return;
    while (pull_key(t->pull, keys, &key))
        if (key <= PRIORITY)
            *number_at(slice, key) = read_number(t);
        else if (key == STAR)
            slice->is_star = pull_scalar(t->pull) == PULL_TRUE;
        else if (key == UNEVEN)
            slice->is_uneven = pull_scalar(t->pull) == PULL_TRUE;
        else if (key == AFTER)
            read_deps(t, slice);
        else
            *texts[key - KIND] = read_name(t);
}

/* ---- events -------------------------------------------------------------- */

typedef struct {
    char phase;
    uint64_t process, thread;
    __int128 at_ps;
} Event;

static GArray *open_of(TimelineRead *t, uint64_t thread)
{
    GArray *open = g_hash_table_lookup(t->opens, &thread);

    if (open)
        return open;
    open = g_array_new(FALSE, FALSE, sizeof(guint));
    g_hash_table_insert(t->opens, g_memdup2(&thread, sizeof thread), open);
    return open;
}

/* Of the first iteration, and an operation, or 0 is noted for it. */
static void begin(TimelineRead *t, const Event *event, TimelineSlice *slice)
{
    GArray *open = open_of(t, event->thread);
    guint number = 0;

    if (slice->kind && slice->iteration == 0 && slice->op < RECORD_NONE &&
        event->process > 0) {
        slice->place = (uint32_t)MIN((event->process - 1) / TIMELINE_PROCESSES,
                                     TIMELINE_MAX_NPUS);
        slice->thread = event->thread;
        slice->begin_ps = event->at_ps;
        slice->end_ps = -1;
        g_array_append_vals(t->slices, slice, 1);
        number = t->slices->len;
    } else {
        g_array_set_size(t->deps, t->deps->len - slice->n_deps);
    }
    g_array_append_val(open, number);
}

static void end(TimelineRead *t, const Event *event)
{
    GArray *open = open_of(t, event->thread);
    guint number;

    if (open->len == 0)
        return;
    number = g_array_index(open, guint, open->len - 1);
    g_array_set_size(open, open->len - 1);
    if (number > 0)
        timeline_slice(t, number - 1)->end_ps = event->at_ps;
}

static char read_phase(TimelineRead *t)
{
    const char *text;
    gsize n;

    if (pull_scalar(t->pull) != PULL_STRING)
        return '\0';
    text = pull_text(t->pull, &n);
    return n == 1 ? text[0] : '\0';
}

static void read_event(TimelineRead *t)
{
    static const JsonName names[] = { JSON_NAME("ph"),   JSON_NAME("pid"),
                                      JSON_NAME("tid"),  JSON_NAME("ts"),
                                      JSON_NAME("args"), JSON_NAMES_END };
    TimelineSlice slice = { .line = pull_line(t->pull),
                            .op = TIMELINE_NONE,
                            .iteration = TIMELINE_NONE,
                            .alone_ps = TIMELINE_NONE,
                            .payload_bytes = TIMELINE_NONE };
    Event event = { 0 };
    guint key;

    while (pull_key(t->pull, names, &key))
        if (key == 0)
            event.phase = read_phase(t);
        else if (key == 1)
            event.process = read_number(t);
        else if (key == 2)
            event.thread = read_number(t);
        else if (key == 3) {
            if (pull_scalar(t->pull) != PULL_NUMBER ||
                !pull_scaled(t->pull, 1000000, &event.at_ps) ||
                event.at_ps < 0 || event.at_ps > INT64_MAX)
                pull_fail(t->pull, CONFIG_ERROR_RANGE, "ts: a time in us");
        } else {
            read_args(t, &slice);
        }
    if (event.phase == 'B')
        begin(t, &event, &slice);
    else if (event.phase == 'E')
        end(t, &event);
}

void timeline_read_events(TimelineRead *t)
{
    while (pull_item(t->pull))
        if (pull_token(t->pull) == PULL_OBJECT)
            read_event(t);
        else
            pull_skip(t->pull);
}
