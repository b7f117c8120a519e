/*
 * kineto.c - traces in Chrome's format, as PyTorch's Kineto writes them
 *
 *     { "deviceProperties": [...], "distributedInfo": {...},
 *       "traceEvents": [ {"ph": "X", "cat": "kernel", "name": ..., "ts": us,
 *                         "dur": us, "args": {...}}, ... ],
 *       "baseTimeNanoseconds": n }
 *
 * A file may also be the array alone.  Work on the device, calls of the runtime
 * and the driver, and steps of the profiler become nodes.  Slices (X, or B and
 * E) of categories that Kineto does not have become RECORD_OTHER. Operations of
 * the framework do not become nodes; only their communication metadata is used.
 *
 * The id of a node is the number of its event, from 1, because a call and the
 * work that it starts have the same correlation.
 *
 * Sources  [KINETO]
 */
#include "workloads/readers/kineto/kineto_state_impl.h"

#include <string.h>

#include "workloads/recording/split_ranks_by_device.h"

/* ---- detection of the format -------------------------------------------- */

#define LOOK_BYTES 65536

static gboolean kineto_recognises(Source *source)
{
    static const char *const words[] = { "\"traceEvents\"", "\"ph\"",
                                         "\"deviceProperties\"" };
    gsize n, i = 0;
    const char *text = (const char *)source_peek(source, LOOK_BYTES, &n);

    n = MIN(n, LOOK_BYTES);
    while (i < n && g_ascii_isspace(text[i]))
        i++;
    if (i == n || (text[i] != '{' && text[i] != '['))
        return FALSE;
    for (guint w = 0; w < G_N_ELEMENTS(words); w++)
        if (g_strstr_len(text, (gssize)n, words[w]))
            return TRUE;
    return FALSE;
}

/* ---- the machine ------------------------------------------------------- */

static const char *read_device_name(Kineto *kineto)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(kineto->pull) != PULL_STRING)
        return NULL;
    text = json_pull_text(kineto->pull, &n);
    return reader_store_text(kineto->recording, text, n);
}

/* Reads a number.  Returns @otherwise if the value is not a number up to
 * @most. */
static uint64_t read_bounded_number(Kineto *kineto, uint64_t most,
                                    uint64_t otherwise)
{
    uint64_t value;

    if (json_pull_next_scalar(kineto->pull) != PULL_NUMBER ||
        !json_pull_u64(kineto->pull, &value) || value > most)
        return otherwise;
    return value;
}

static void read_device_properties(Kineto *kineto)
{
    static const JsonName names[] = { JSON_NAME("id"), JSON_NAME("name"),
                                      JSON_NAME("numSms"), JSON_NAMES_END };
    KinetoDevice device = { 0 };
    guint key;

    while (json_pull_next_key(kineto->pull, names, &key))
        if (key == 0)
            device.id = read_bounded_number(kineto, INT64_MAX, 0);
        else if (key == 1)
            device.name = read_device_name(kineto);
        else
            device.n_sms = (uint32_t)read_bounded_number(kineto, UINT32_MAX, 0);
    if (kineto->devices->len < KINETO_MAX_DEVICES)
        g_array_append_val(kineto->devices, device);
}

static void read_all_device_properties(Kineto *kineto)
{
    if (!json_pull_enter_container(kineto->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(kineto->pull))
        if (json_pull_token(kineto->pull) == PULL_OBJECT)
            read_device_properties(kineto);
        else
            json_pull_skip_value(kineto->pull);
}

/* ---- the job ----------------------------------------------------------- */

/* Reads an array of ranks, or a text with an array.  Returns NULL for anything
 * else. */
static GArray *read_group_ranks(Kineto *kineto)
{
    g_autofree char *ended = NULL;
    JsonPull *pull = kineto->pull;
    PullToken token = json_pull_next_token(pull);
    const char *text;
    GArray *ranks;
    uint64_t rank;
    gsize n;

    if (token == PULL_STRING) {
        text = json_pull_text(pull, &n);
        ended = g_strndup(text, n);
        return reader_parse_number_list(ended);
    }
    if (token != PULL_ARRAY) {
        json_pull_skip_value(pull);
        return NULL;
    }
    ranks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    while (json_pull_next_item(pull)) {
        if (json_pull_u64(pull, &rank))
            g_array_append_val(ranks, rank);
        json_pull_skip_value(pull);
    }
    return ranks;
}

static void read_process_group(Kineto *kineto)
{
    static const JsonName names[] = { JSON_NAME("pg_name"), JSON_NAME("ranks"),
                                      JSON_NAMES_END };
    g_autoptr(GArray) ranks = NULL;
    const char *name = NULL;
    uint32_t group;
    guint key;

    while (json_pull_next_key(kineto->pull, names, &key))
        if (key == 0) {
            name = read_device_name(kineto);
        } else {
            g_clear_pointer(&ranks, g_array_unref);
            ranks = read_group_ranks(kineto);
        }
    if (!name || !ranks || json_pull_has_error(kineto->pull))
        return;
    group = reader_add_group_of_ranks(kineto->recording, ranks, name);
    if (group != RECORD_NONE)
        g_hash_table_insert(kineto->groups, (gpointer)name,
                            GUINT_TO_POINTER(group + 1));
}

static void read_process_groups(Kineto *kineto)
{
    if (!json_pull_enter_container(kineto->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(kineto->pull))
        if (json_pull_token(kineto->pull) == PULL_OBJECT)
            read_process_group(kineto);
        else
            json_pull_skip_value(kineto->pull);
}

static void read_distributed_info(Kineto *kineto)
{
    static const JsonName names[] = { JSON_NAME("rank"),
                                      JSON_NAME("world_size"),
                                      JSON_NAME("pg_config"), JSON_NAMES_END };
    uint64_t n_world;
    guint key;

    if (!json_pull_enter_container(kineto->pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(kineto->pull, names, &key))
        if (key == 0) {
            kineto->rank->rank = (uint32_t)read_bounded_number(
                kineto, RECORD_NO_RANK - 1, RECORD_NO_RANK);
        } else if (key == 1) {
            n_world = read_bounded_number(kineto, UINT32_MAX, 0);
            kineto->n_world = (uint32_t)n_world;
            kineto->recording->n_world =
                MAX(kineto->recording->n_world, (uint32_t)n_world);
        } else {
            read_process_groups(kineto);
        }
}

/* ---- the file ---------------------------------------------------------- */

/* Reads the array of events that was entered. */
static void read_trace_events(Kineto *kineto)
{
    while (json_pull_next_item(kineto->pull)) {
        kineto->rank->n_found++;
        if (json_pull_token(kineto->pull) == PULL_OBJECT)
            kineto_read_event(kineto);
        else
            json_pull_skip_value(kineto->pull);
    }
}

enum { EVENTS, DEVICES, JOB, BASE, VERSION };

static const JsonName keys[] = {
    [EVENTS] = JSON_NAME("traceEvents"),
    [DEVICES] = JSON_NAME("deviceProperties"),
    [JOB] = JSON_NAME("distributedInfo"),
    [BASE] = JSON_NAME("baseTimeNanoseconds"),
    [VERSION] = JSON_NAME("schemaVersion"),
    [VERSION + 1] = JSON_NAMES_END,
};

static void read_trace_version(Kineto *kineto)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(kineto->pull) != PULL_NUMBER)
        return;
    text = json_pull_text(kineto->pull, &n);
    kineto->recording->version = reader_store_text(kineto->recording, text, n);
}

static void read_top_level_key(Kineto *kineto, guint key, gboolean *has_events)
{
    switch (key) {
    case EVENTS:
        *has_events = json_pull_enter_container(kineto->pull, PULL_ARRAY);
        if (*has_events)
            read_trace_events(kineto);
        break;
    case DEVICES:
        read_all_device_properties(kineto);
        break;
    case JOB:
        read_distributed_info(kineto);
        break;
    case BASE:
        kineto->base_ns = (int64_t)read_bounded_number(kineto, INT64_MAX, 0);
        break;
    default:
        read_trace_version(kineto);
        break;
    }
}

static void read_kineto_file(Kineto *kineto)
{
    gboolean has_events = FALSE;
    guint key;

    switch (json_pull_next_token(kineto->pull)) {
    case PULL_ARRAY:
        read_trace_events(kineto);
        break;
    case PULL_OBJECT:
        while (json_pull_next_key(kineto->pull, keys, &key))
            read_top_level_key(kineto, key, &has_events);
        if (!has_events)
            json_pull_set_error(kineto->pull, CONFIG_ERROR_MISSING_KEY,
                                "the object has no array 'traceEvents'");
        break;
    default:
        json_pull_set_error(kineto->pull, CONFIG_ERROR_TYPE,
                            "a trace is an object or an array");
        break;
    }
    /* json_pull_next_token() reports an error if anything follows. */
    json_pull_next_token(kineto->pull);
}

/* ---- the rank ---------------------------------------------------------- */

/* Sets the name and the SMs of @rank to those of device number @id or, if the
 * file has none, of the first device. */
static void set_rank_device(const Kineto *kineto, RecordRank *rank, int64_t id)
{
    for (guint i = 0; i < kineto->devices->len; i++) {
        const KinetoDevice *device =
            &g_array_index(kineto->devices, KinetoDevice, i);

        if (i > 0 && (int64_t)device->id != id)
            continue;
        rank->device = device->name;
        rank->n_sms = device->n_sms;
    }
}

/* Makes a rank of each device.  The devices of a rank of a larger job stay
 * streams of that rank, since they have no numbers in the job. */
static void make_rank_of_each_device(Kineto *kineto)
{
    guint n = kineto->recording->ranks->len;

    if (kineto->rank->rank != RECORD_NO_RANK && kineto->n_world > 1)
        return;
    record_split_rank_by_device(kineto->recording, kineto->rank);
    if (kineto->recording->ranks->len == n)
        return;
    for (guint i = n - 1; i < kineto->recording->ranks->len; i++) {
        RecordRank *rank = record_rank(kineto->recording, i);

        set_rank_device(kineto, rank, rank->device_id);
    }
}

/* Sets the summary of categories, such as "9 cpu_op, 1 user_annotation", in the
 * order of the file. */
static void set_category_summary(Kineto *kineto)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < kineto->counts->len; i++) {
        const KinetoCount *count =
            &g_array_index(kineto->counts, KinetoCount, i);

        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " %s",
                               i > 0 ? ", " : "", count->n, count->name);
    }
    if (text->len > 0)
        kineto->rank->contents =
            reader_store_text(kineto->recording, text->str, text->len);
}

/* Resolves the references between events, after the whole file was read. */
static void resolve_event_references(Kineto *kineto)
{
    if (__builtin_add_overflow(kineto->base_ns, kineto->origin_ns,
                               &kineto->rank->base_ns))
        json_pull_set_error(
            kineto->pull, CONFIG_ERROR_RANGE,
            "baseTimeNanoseconds and ts are more than 290 years");
    if (json_pull_has_error(kineto->pull))
        return;
    set_rank_device(kineto, kineto->rank, kineto->device);
    set_category_summary(kineto);
    kineto->rank->n_devices =
        (uint32_t)__builtin_popcountll(kineto->devices_seen);
    kineto_set_steps(kineto);
    kineto_set_launches(kineto);
    kineto_link_operations(kineto);
    kineto_set_batches(kineto);
    kineto_set_comms(kineto);
    kineto_set_waits(kineto);
    make_rank_of_each_device(kineto);
}

static void clear_kineto_comm(gpointer data)
{
    KinetoComm *comm = data;

    kineto_clear_args(&comm->args);
}

static void init_kineto_state(Kineto *kineto, const ReadOptions *options)
{
    kineto->patterns =
        reader_compile_name_patterns(options ? options->comm_patterns : NULL);
    kineto->event.name = g_string_new(NULL);
    kineto->streams = g_hash_table_new(NULL, NULL);
    kineto->correlations = g_array_new(FALSE, FALSE, sizeof(int64_t));
    kineto->comms = g_array_new(FALSE, FALSE, sizeof(KinetoComm));
    g_array_set_clear_func(kineto->comms, clear_kineto_comm);
    kineto->syncs = g_array_new(FALSE, FALSE, sizeof(KinetoSync));
    kineto->devices = g_array_new(FALSE, FALSE, sizeof(KinetoDevice));
    kineto->counts = g_array_new(FALSE, FALSE, sizeof(KinetoCount));
    kineto->groups = g_hash_table_new(NULL, NULL);
    kineto->step_marks = g_array_new(FALSE, FALSE, sizeof(KinetoStepMark));
    kineto->opens = g_array_new(FALSE, FALSE, sizeof(KinetoOpen));
    kineto->innermost = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    kineto->device = KINETO_NONE;
}

static void clear_kineto_state(Kineto *kineto)
{
    kineto_clear_args(&kineto->event.args);
    g_string_free(kineto->event.name, TRUE);
    g_ptr_array_unref(kineto->patterns);
    g_hash_table_unref(kineto->streams);
    g_hash_table_unref(kineto->groups);
    g_array_unref(kineto->correlations);
    g_array_unref(kineto->comms);
    g_array_unref(kineto->syncs);
    g_array_unref(kineto->devices);
    g_array_unref(kineto->counts);
    g_array_unref(kineto->opens);
    g_array_unref(kineto->step_marks);
    g_array_unref(kineto->innermost);
}

static gboolean kineto_read(Source *source, const ReadOptions *options,
                            Recording *recording, GError **error)
{
    g_autoptr(JsonPull) pull = json_pull_new(source);
    Kineto kineto = { .pull = pull, .recording = recording };

    recording->can_mark_steps = TRUE;
    kineto.rank = record_add_rank(recording, source_name(source));
    init_kineto_state(&kineto, options);
    read_kineto_file(&kineto);
    resolve_event_references(&kineto);
    clear_kineto_state(&kineto);
    return json_pull_report_error(pull, error);
}

const ReadOps reader_kineto = {
    .base = { .name = "kineto",
              .summary = "PyTorch's profiler (Kineto), and Chrome's traces",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = kineto_recognises,
    .read = kineto_read,
};
