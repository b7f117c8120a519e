/*
 * event_nodes.c - adds events as nodes of the recording
 *
 * Slices of unknown categories are kept as RECORD_OTHER, so that lint can
 * report a trace of another program.
 */
#include "workloads/readers/cuda_waits.h"
#include "workloads/readers/kineto/kineto_state_impl.h"

/* Sets the begin of @node.  Returns FALSE if the event is too far from the
 * first one. */
static gboolean set_node_begin(Kineto *kineto, RecordNode *node)
{
    const KinetoEvent *event = &kineto->event;
    __int128 since;

    if (!event->has_begin)
        return TRUE;
    if (!kineto->has_origin) {
        kineto->has_origin = TRUE;
        kineto->origin_ns = (int64_t)(event->begin_ps / 1000);
        if ((__int128)kineto->origin_ns != event->begin_ps / 1000)
            json_pull_set_error(kineto->pull, CONFIG_ERROR_RANGE,
                                "ts is less than 290 years, in us");
    }
    since = event->begin_ps - (__int128)kineto->origin_ns * 1000;
    /* The limit is half of the range, so that adding a duration cannot
     * overflow. */
    if (since > INT64_MAX / 2 || since < INT64_MIN / 2) {
        json_pull_set_error(kineto->pull, CONFIG_ERROR_RANGE,
                            "this is more than 50 days from the first event");
        return FALSE;
    }
    node->begin_ps = (int64_t)since;
    return TRUE;
}

/* Returns the index of the stream with @id, which is added if it is new. */
static uint32_t find_or_add_stream(Kineto *kineto, uint64_t id,
                                   gboolean is_host)
{
    gpointer key = GSIZE_TO_POINTER(id << 1 | (is_host ? 1 : 0));
    gpointer found = g_hash_table_lookup(kineto->streams, key);
    g_autofree char *name = NULL;
    uint32_t stream;

    if (found)
        return GPOINTER_TO_UINT(found) - 1;
    if (kineto->rank->streams->len == KINETO_MAX_STREAMS) {
        json_pull_set_error(kineto->pull, CONFIG_ERROR_RANGE,
                            "more than %d threads and streams",
                            KINETO_MAX_STREAMS);
        return 0;
    }
    name = g_strdup_printf("%s %" G_GUINT64_FORMAT,
                           is_host ? "thread" : "stream", id);
    stream =
        record_add_stream(kineto->recording, kineto->rank, id, is_host, name);
    g_hash_table_insert(kineto->streams, key, GUINT_TO_POINTER(stream + 1));
    return stream;
}

/* Returns the stream of a device event.  Streams of the first device, usually
 * the only one, keep the numbers of the trace. */
static uint32_t find_or_add_device_stream(Kineto *kineto)
{
    const KinetoEvent *event = &kineto->event;
    int64_t device = event->args.device, stream = event->args.stream;
    uint64_t id = stream == KINETO_NONE ? event->thread : (uint64_t)stream;
    uint32_t index;

    if (kineto->device == KINETO_NONE)
        kineto->device = device;
    if (device >= 0 && device < 64)
        kineto->devices_seen |= UINT64_C(1) << device;
    if (device != kineto->device && device != KINETO_NONE)
        id = (uint64_t)(device + 1) << 32 | (id & UINT32_MAX);
    index = find_or_add_stream(kineto, id, FALSE);
    if (device >= 0 && device < KINETO_MAX_DEVICES &&
        !json_pull_has_error(kineto->pull))
        g_array_index(kineto->rank->streams, RecordStream, index).device =
            1 + (uint32_t)device;
    return index;
}

static uint32_t find_or_add_thread(Kineto *kineto)
{
    const KinetoEvent *event = &kineto->event;
    uint64_t id = event->thread;

    if (!kineto->has_process)
        kineto->process = event->process;
    kineto->has_process = TRUE;
    if (event->process != kineto->process)
        id = event->process << 32 | (id & UINT32_MAX);
    return find_or_add_stream(kineto, id, TRUE);
}

/* Adds a node for the event, with its full name and without its args. */
static uint32_t add_event_node(Kineto *kineto, RecordKind kind, uint8_t flags)
{
    const KinetoEvent *event = &kineto->event;
    gboolean is_host = (flags & RECORD_ON_HOST) != 0;
    RecordNode node = { .id = kineto->rank->n_found,
                        .file_position = event->line,
                        .begin_ps = RECORD_NO_TIME,
                        .duration_ps = event->duration_ps,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .kind = (uint8_t)kind,
                        .flags = flags,
                        .pass = OP_N_PASSES };

    if (event->phase == 'X' && !event->has_duration)
        node.flags |= RECORD_UNTIMED;
    if (!set_node_begin(kineto, &node))
        return RECORD_NONE;
    node.name = reader_store_text(kineto->recording, event->name->str,
                                  event->name->len);
    node.stream = is_host ? find_or_add_thread(kineto)
                          : find_or_add_device_stream(kineto);
    if (json_pull_has_error(kineto->pull))
        return RECORD_NONE;
    g_array_append_val(kineto->correlations, event->args.correlation);
    return record_add_node(kineto->rank, &node);
}

/* Moves the args of the event into .comms. */
static void move_args_to_comms(Kineto *kineto, uint32_t node)
{
    KinetoEvent *event = &kineto->event;
    KinetoComm comm = { .node = node,
                        .duration_ps = event->duration_ps,
                        .args = event->args };

    event->args.in_split = event->args.out_split = NULL;
    g_array_append_val(kineto->comms, comm);
}

/* Adds a kernel.  It communicates if its metadata say so, or else if its name
 * does. */
static void add_kernel_event(Kineto *kineto)
{
    gboolean is_comm = kineto->event.args.collective ||
                       reader_is_communication_kernel(kineto->patterns,
                                                      kineto->event.name->str);
    uint32_t node =
        add_event_node(kineto, is_comm ? RECORD_COLLECTIVE : RECORD_KERNEL, 0);

    if (is_comm && node != RECORD_NONE)
        move_args_to_comms(kineto, node);
}

/* Keeps the time and thread of an operation, which does not become a node. */
static void add_framework_operation(Kineto *kineto)
{
    RecordNode node = { .begin_ps = RECORD_NO_TIME };
    KinetoComm *comm;
    uint32_t thread;

    if (!kineto->event.has_begin || !set_node_begin(kineto, &node))
        return;
    thread = find_or_add_thread(kineto);
    move_args_to_comms(kineto, RECORD_NONE);
    comm = &g_array_index(kineto->comms, KinetoComm, kineto->comms->len - 1);
    comm->thread = thread;
    comm->begin_ps = node.begin_ps;
}

static void add_cuda_sync(Kineto *kineto)
{
    const KinetoArgs *args = &kineto->event.args;
    KinetoSync sync = { .correlation = args->correlation,
                        .stream = args->stream,
                        .wait_stream = args->wait_stream,
                        .wait_record = args->wait_record };

    g_array_append_val(kineto->syncs, sync);
}

static void add_runtime_call(Kineto *kineto)
{
    uint8_t flags = RECORD_ON_HOST;
    RecordKind kind =
        reader_kind_of_runtime_call(kineto->event.name->str, &flags);

    add_event_node(kineto, kind, flags);
}

/* ---- slices ------------------------------------------------------------ */

static uint32_t *innermost_open_slice(Kineto *kineto, uint32_t stream)
{
    while (kineto->innermost->len <= stream) {
        uint32_t none = RECORD_NONE;

        g_array_append_val(kineto->innermost, none);
    }
    return &g_array_index(kineto->innermost, uint32_t, stream);
}

static void begin_slice_of_thread(Kineto *kineto)
{
    uint32_t node = add_event_node(kineto, RECORD_OTHER, RECORD_ON_HOST);
    KinetoOpen open = { .node = node };
    uint32_t *innermost;

    if (node == RECORD_NONE)
        return;
    innermost =
        innermost_open_slice(kineto, record_node(kineto->rank, node)->stream);
    open.outer = *innermost;
    *innermost = kineto->opens->len;
    g_array_append_val(kineto->opens, open);
}

/* Ends the innermost open slice; ignores an end without a begin. */
static void end_slice_of_thread(Kineto *kineto)
{
    uint32_t *innermost =
        innermost_open_slice(kineto, find_or_add_thread(kineto));
    RecordNode end = { .begin_ps = RECORD_NO_TIME }, *node;
    const KinetoOpen *open;

    if (*innermost == RECORD_NONE || !set_node_begin(kineto, &end))
        return;
    open = &g_array_index(kineto->opens, KinetoOpen, *innermost);
    *innermost = open->outer;
    node = record_node(kineto->rank, open->node);
    if (node->begin_ps != RECORD_NO_TIME && end.begin_ps > node->begin_ps)
        node->duration_ps = (uint64_t)(end.begin_ps - node->begin_ps);
}

/* ---- events ------------------------------------------------------------ */

/* Returns the kind of step mark of the last event. */
static KinetoStepKind kind_of_step_mark(const Kineto *kineto)
{
    if (!kineto_is_step(kineto->event.name->str))
        return KINETO_STEP_OF_USER;
    return kineto->event.category == KINETO_ANNOTATION ? KINETO_STEP
                                                       : KINETO_STEP_OF_2021;
}

/* Adds an event that may mark a step; kineto_set_steps() decides. */
static void add_step_mark(Kineto *kineto)
{
    KinetoStepMark mark = {
        .node = add_event_node(kineto, RECORD_OTHER, RECORD_ON_HOST),
        .kind = kind_of_step_mark(kineto),
        .word = reader_find_step_word(kineto->event.name->str)
    };

    if (mark.node != RECORD_NONE)
        g_array_append_val(kineto->step_marks, mark);
}

void kineto_set_steps(Kineto *kineto)
{
    KinetoStepMark best = { .kind = KINETO_N_STEP_KINDS };

    for (guint i = 0; i < kineto->step_marks->len; i++) {
        const KinetoStepMark *mark =
            &g_array_index(kineto->step_marks, KinetoStepMark, i);

        if (mark->kind < best.kind)
            best = *mark;
    }
    for (guint i = 0; i < kineto->step_marks->len; i++) {
        const KinetoStepMark *mark =
            &g_array_index(kineto->step_marks, KinetoStepMark, i);

        if (mark->kind == best.kind && mark->word == best.word)
            record_node(kineto->rank, mark->node)->flags |= RECORD_STEP;
    }
}

/* Returns whether a slice of an unknown category is work on a device.  Other
 * accelerators have their own categories, but name device and stream. */
static gboolean slice_is_on_device(const Kineto *kineto)
{
    const KinetoArgs *args = &kineto->event.args;

    return args->stream != KINETO_NONE && args->device != KINETO_NONE;
}

/* Adds work on a device with an unknown category, as a copy or a kernel
 * according to its name. */
static void add_other_device_work(Kineto *kineto)
{
    const char *name = kineto->event.name->str;

    if (g_str_has_prefix(name, "Memcpy") || g_str_has_prefix(name, "Memset"))
        add_event_node(kineto, RECORD_COPY, 0);
    else
        add_kernel_event(kineto);
    kineto->rank->n_assumed++;
}

static void add_complete_event(Kineto *kineto)
{
    switch (kineto->event.category) {
    case KINETO_KERNEL:
        add_kernel_event(kineto);
        break;
    case KINETO_COPY:
        add_event_node(kineto, RECORD_COPY, 0);
        break;
    case KINETO_RUNTIME:
        add_runtime_call(kineto);
        break;
    case KINETO_SYNC:
        add_cuda_sync(kineto);
        break;
    case KINETO_OPERATION:
        if (kineto_is_step(kineto->event.name->str))
            add_step_mark(kineto);
        else
            add_framework_operation(kineto);
        break;
    case KINETO_ANNOTATION:
        add_step_mark(kineto);
        break;
    default:
        if (slice_is_on_device(kineto))
            add_other_device_work(kineto);
        else
            add_event_node(kineto, RECORD_OTHER, RECORD_ON_HOST);
        break;
    }
}

void kineto_add_event(Kineto *kineto)
{
    gboolean is_slice = kineto->event.category == KINETO_SLICE;

    if (kineto->event.phase == 'X')
        add_complete_event(kineto);
    else if (is_slice && kineto->event.phase == 'B')
        begin_slice_of_thread(kineto);
    else if (is_slice && kineto->event.phase == 'E')
        end_slice_of_thread(kineto);
}
