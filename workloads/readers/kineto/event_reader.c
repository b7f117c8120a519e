/*
 * event_reader.c - reads an event of a trace
 *
 * Four of five events are operations of the framework or arrows between events.
 * They are skipped as soon as their category or name is known.
 */
#include "workloads/readers/kineto/kineto_state_impl.h"

#include <string.h>

/* ---- categories -------------------------------------------------------- */

typedef struct {
    const char *name;
    KinetoCategory category;
} Category;

/* Frequent categories come first.  Events of other categories are slices of
 * unknown origin. */
static const Category categories[] = {
    { "cpu_op", KINETO_OPERATION },
    { "ac2g", KINETO_SKIPPED },
    { "cuda_runtime", KINETO_RUNTIME },
    { "kernel", KINETO_KERNEL },
    { "python_function", KINETO_SKIPPED },
    { "gpu_memcpy", KINETO_COPY },
    { "gpu_memset", KINETO_COPY },
    { "cuda_driver", KINETO_RUNTIME },
    { "hip_runtime", KINETO_RUNTIME },
    { "hip_driver", KINETO_RUNTIME },
    { "xpu_runtime", KINETO_RUNTIME },
    { "privateuse1_runtime", KINETO_RUNTIME },
    { "cuda_sync", KINETO_SYNC },
    { "cuda_event", KINETO_SKIPPED },
    { "user_annotation", KINETO_ANNOTATION },
    { "gpu_user_annotation", KINETO_SKIPPED },
    { "fwdbwd", KINETO_SKIPPED },
    { "overhead", KINETO_SKIPPED },
    { "cpu_instant_event", KINETO_SKIPPED },
    { "Trace", KINETO_SKIPPED },
    /* Categories that versions of 2021 and before write. */
    { "Kernel", KINETO_KERNEL },
    { "Memcpy", KINETO_COPY },
    { "Memset", KINETO_COPY },
    { "Runtime", KINETO_RUNTIME },
    { "Operator", KINETO_OPERATION },
    { "async_cpu_to_gpu", KINETO_SKIPPED },
    { "async_gpu", KINETO_SKIPPED },
    { "forward_backward", KINETO_SKIPPED },
};

/* Returns whether a category is that of a runtime.  Runtimes of other
 * accelerators use names with the same endings. */
static gboolean category_is_runtime(const char *text, gsize n)
{
    static const char *const ends[] = { "_runtime", "_driver" };

    for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
        gsize n_end = strlen(ends[i]);

        if (n > n_end && memcmp(text + n - n_end, ends[i], n_end) == 0)
            return TRUE;
    }
    return FALSE;
}

static void count_event_category(Kineto *kineto, const char *text, gsize n)
{
    KinetoCount added = { .n = 1 };

    for (guint i = 0; i < kineto->counts->len; i++) {
        KinetoCount *count = &g_array_index(kineto->counts, KinetoCount, i);

        if (strlen(count->name) == n && memcmp(count->name, text, n) == 0) {
            count->n++;
            return;
        }
    }
    if (kineto->counts->len == KINETO_MAX_COUNTS || n == 0)
        return;
    added.name = reader_store_text(kineto->recording, text, n);
    g_array_append_val(kineto->counts, added);
}

static KinetoCategory find_event_category(Kineto *kineto)
{
    const JsonPull *pull = kineto->pull;
    const char *text;
    gsize n;

    if (json_pull_token(pull) != PULL_STRING)
        return KINETO_SLICE;
    text = json_pull_text(pull, &n);
    count_event_category(kineto, text, n);
    kineto_refuse_tool_of_category(kineto, text, n);
    for (guint i = 0; i < G_N_ELEMENTS(categories); i++)
        if (json_pull_text_is(pull, categories[i].name))
            return categories[i].category;
    return category_is_runtime(text, n) ? KINETO_RUNTIME : KINETO_SLICE;
}

/* ---- keys -------------------------------------------------------------- */

enum { PHASE, CATEGORY, NAME, PROCESS, THREAD, BEGIN, DURATION, ARGS };

static const JsonName keys[] = {
    [PHASE] = JSON_NAME("ph"),     [CATEGORY] = JSON_NAME("cat"),
    [NAME] = JSON_NAME("name"),    [PROCESS] = JSON_NAME("pid"),
    [THREAD] = JSON_NAME("tid"),   [BEGIN] = JSON_NAME("ts"),
    [DURATION] = JSON_NAME("dur"), [ARGS] = JSON_NAME("args"),
    [ARGS + 1] = JSON_NAMES_END,
};

/* Reads an id: a number, or a number derived from a text. */
static uint64_t read_event_id(JsonPull *pull)
{
    g_autofree char *ended = NULL;
    int64_t value = 0;
    const char *text;
    gsize n;

    if (json_pull_next_scalar(pull) == PULL_NUMBER) {
        if (!json_pull_i64(pull, &value))
            json_pull_set_error(pull, CONFIG_ERROR_RANGE,
                                "an id is a whole number");
        return (uint64_t)value;
    }
    if (json_pull_token(pull) != PULL_STRING)
        return 0;
    text = json_pull_text(pull, &n);
    ended = g_strndup(text, n);
    return g_str_hash(ended);
}

static void read_event_words(JsonPull *pull, GString *ret)
{
    const char *text;
    gsize n;

    g_string_truncate(ret, 0);
    if (json_pull_next_scalar(pull) != PULL_STRING)
        return;
    text = json_pull_text(pull, &n);
    g_string_append_len(ret, text, (gssize)n);
}

#define PS_PER_US 1000000

/* Reads a time, a number or a text that has a number, as profilers of some
 * accelerators write it.  Returns FALSE if there is none.  This is unusual but
 * not an error. */
static gboolean read_event_time(JsonPull *pull, __int128 *ret)
{
    PullToken token = json_pull_next_scalar(pull);
    const char *text;
    gsize n;

    if (token != PULL_NUMBER && token != PULL_STRING)
        return FALSE;
    text = json_pull_text(pull, &n);
    return n <= JSON_MAX_NUMBER &&
           json_pull_scale_text(text, n, PS_PER_US, ret);
}

static void read_event_duration(JsonPull *pull, KinetoEvent *event)
{
    __int128 value;

    event->has_duration = read_event_time(pull, &value);
    if (!event->has_duration)
        return;
    if (value < 0 || value > INT64_MAX)
        json_pull_set_error(pull, CONFIG_ERROR_RANGE,
                            "dur is between 0 and 100 days, in us");
    else
        event->duration_ps = (uint64_t)value;
}

static void read_event_phase(Kineto *kineto)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(kineto->pull) != PULL_STRING)
        return;
    text = json_pull_text(kineto->pull, &n);
    kineto->event.phase = n == 1 ? text[0] : '?';
}

/* Returns whether the event, of phase M, names a process or a thread. */
static gboolean event_names_process(const KinetoEvent *event)
{
    return strcmp(event->name->str, "process_name") == 0 ||
           strcmp(event->name->str, "thread_name") == 0;
}

/* Returns whether no further key of the event is used. */
static gboolean event_can_be_skipped(const KinetoEvent *event)
{
    const char *name = event->name->str;

    if (event->phase == 'M')
        return *name && !event_names_process(event);
    if (event->phase && !strchr("XBE", event->phase))
        return TRUE;
    if (event->category == KINETO_OPERATION && *name)
        return strcmp(name, "record_param_comms") != 0 && !kineto_is_step(name);
    if (event->category == KINETO_ANNOTATION && *name)
        return !kineto_is_step(name) && !reader_is_step_mark(name);
    return event->category == KINETO_SKIPPED;
}

static void read_event_key(Kineto *kineto, guint key)
{
    KinetoEvent *event = &kineto->event;
    JsonPull *pull = kineto->pull;

    switch (key) {
    case PHASE:
        read_event_phase(kineto);
        break;
    case CATEGORY:
        json_pull_next_scalar(pull);
        event->category = find_event_category(kineto);
        break;
    case NAME:
        read_event_words(pull, event->name);
        break;
    case PROCESS:
        event->process = read_event_id(pull);
        break;
    case THREAD:
        event->thread = read_event_id(pull);
        break;
    case BEGIN:
        event->has_begin = read_event_time(pull, &event->begin_ps);
        if (!event->has_begin && json_pull_token(pull) == PULL_NUMBER)
            json_pull_set_error(pull, CONFIG_ERROR_RANGE,
                                "ts is less than 290 years, in us");
        break;
    case DURATION:
        read_event_duration(pull, event);
        break;
    default:
        kineto_read_args(kineto, &event->args);
        break;
    }
}

/* Reads the object of an event that was entered. */
void kineto_read_event(Kineto *kineto)
{
    KinetoEvent *event = &kineto->event;
    JsonPull *pull = kineto->pull;
    guint key;

    event->line = json_pull_token_line(pull);
    event->phase = '\0';
    event->category = KINETO_SLICE;
    g_string_truncate(event->name, 0);
    event->process = event->thread = 0;
    event->has_begin = event->has_duration = FALSE;
    event->duration_ps = 0;
    kineto_clear_args(&event->args);
    kineto_init_args(&event->args);
    while (json_pull_next_key(pull, keys, &key)) {
        read_event_key(kineto, key);
        if (event_can_be_skipped(event)) {
            json_pull_leave_container(pull);
            return;
        }
    }
    if (json_pull_has_error(pull))
        return;
    if (event->phase == 'M' && event->args.label)
        kineto_refuse_tool_of_process(kineto, event->args.label);
    else
        kineto_add_event(kineto);
}
