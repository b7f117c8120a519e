/*
 * perfetto_trace_format.c - Perfetto's protobuf format, for ui.perfetto.dev and
 * its trace processor
 *
 * The file is one sequence of packets.  The first packet defines an incremental
 * clock: later packets give their time in nanoseconds since the previous
 * packet.  Packets that go back in time use the clock of the trace.  A name is
 * written once and then referred to by a number.  Tracks form a tree, shown in
 * the order in which they are written: the run contains NPUs, and these contain
 * threads, counters and other tracks.  Processes of the operating system are
 * not used, because viewers would sort them by load and append numbers to their
 * names.
 *
 * The format has nanoseconds only.  The remainder of 0 to 999 ps is an arg
 * "begin ps" or "end ps" of a slice, unless it is 0 or the track is coarse.
 * Tracks of chunks are coarse, because chunks are most of a file and viewers
 * store each arg.
 *
 * Sources  perfetto.dev, "TracePacket" and "Writing TrackEvent Protos
 *          Synthetically"
 */
#include "sim/view/timeline/formats/perfetto_fields.h"
#include "sim/view/timeline/formats/protobuf_encoder.h"
#include "sim/view/timeline/formats/trace_format.h"

/* A file of GNMT on 64 NPUs has 6.7 million slices and 40 MB. A viewer needs
 * about 150 B of memory per slice. */
#define MAX_SLICES 10000000

/* Ids of processes and threads are below this number, ids of other tracks
 * above. */
#define FIRST_OTHER ((uint64_t)1 << 40)

/* Sort order inside a process: threads by number, then counters, then other
 * processes. */
#define RANK_COUNTERS  (1U << 20)
#define RANK_PROCESSES (1U << 21)

typedef struct {
    Stream *stream; /* borrowed */
    uint32_t max_process;
    ProtobufMessage packet, event,
        interned; /* the messages under construction */
    /* Maps a name to its number, for each kind of interned field. */
    GHashTable *ids[INTERNED_ARG + 1];
    GHashTable *counters; /* "process name" to index of the first value */
    GArray *values;       /* of PerfettoCounter */
    /* The number of tracks that are neither processes nor threads. */
    uint64_t n_other;
    uint64_t now_ns;
} PerfettoWriter;

/* A series of a counter; the series of a counter are contiguous. */
typedef struct {
    uint64_t track;
    uint64_t value; /* last value that was written */
    gboolean told;
} PerfettoCounter;

/* ---- writing packets ----------------------------------------------------- */

static void write_trace_packet(PerfettoWriter *p)
{
    /* The message is reused because its content was written. */
    ProtobufMessage *whole = &p->interned;

    whole->n = 0;
    proto_append_bytes(whole, TRACE_PACKET, p->packet.bytes, p->packet.n);
    stream_write_bytes(p->stream, whole->bytes, whole->n);
    whole->n = 0;
}

static void begin_trace_packet(PerfettoWriter *p, guint flags)
{
    p->packet.n = 0;
    proto_append_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_append_number(&p->packet, PACKET_FLAGS, flags);
}

/* Returns the number of @name, and writes it if it is new. */
static uint64_t intern_name(PerfettoWriter *p, guint field, const char *name)
{
    GHashTable *ids = p->ids[field];
    gpointer id = g_hash_table_lookup(ids, name);
    gsize begin;

    if (id)
        return GPOINTER_TO_UINT(id);
    id = GUINT_TO_POINTER(g_hash_table_size(ids) + 1);
    g_hash_table_insert(ids, g_strdup(name), id);
    begin = proto_begin_message(&p->interned, field);
    proto_append_number(&p->interned, ENTRY_ID, GPOINTER_TO_UINT(id));
    proto_append_text(&p->interned, ENTRY_NAME, name);
    proto_end_message(&p->interned, begin);
    return GPOINTER_TO_UINT(id);
}

/* ---- writing events of slices -------------------------------------------- */

static void begin_track_event(PerfettoWriter *p, guint type, uint64_t track)
{
    p->event.n = 0;
    proto_append_number(&p->event, EVENT_TYPE, type);
    proto_append_number(&p->event, EVENT_TRACK, track);
}

static void write_track_event(PerfettoWriter *p, SimTime at_ps)
{
    uint64_t at_ns = at_ps / SIM_NS(1);

    begin_trace_packet(p, FLAGS_OTHERS);
    if (at_ns >= p->now_ns) {
        proto_append_number(&p->packet, PACKET_TIME, at_ns - p->now_ns);
        p->now_ns = at_ns;
    } else {
        proto_append_number(&p->packet, PACKET_TIME, at_ns);
        proto_append_number(&p->packet, PACKET_CLOCK_ID, CLOCK_OF_TRACE);
    }
    if (p->interned.n > 0)
        proto_append_bytes(&p->packet, PACKET_INTERNED, p->interned.bytes,
                           p->interned.n);
    proto_append_bytes(&p->packet, PACKET_EVENT, p->event.bytes, p->event.n);
    write_trace_packet(p);
}

static void append_event_arg(PerfettoWriter *p, const TraceArg *arg)
{
    uint64_t name = intern_name(p, INTERNED_ARG, arg->name);
    gsize begin = proto_begin_message(&p->event, EVENT_ARG);

    proto_append_number(&p->event, ARG_NAME, name);
    if (arg->type == TRACE_NUMBER)
        proto_append_number(&p->event, ARG_NUMBER, arg->number);
    else if (arg->type == TRACE_FLAG)
        proto_append_number(&p->event, ARG_BOOL, arg->number);
    else
        proto_append_text(&p->event, ARG_TEXT, arg->text);
    proto_end_message(&p->event, begin);
}

static void append_event_args(PerfettoWriter *p, const TraceArgs *args)
{
    for (guint i = 0; args && i < args->n; i++)
        append_event_arg(p, &args->args[i]);
}

static void append_sub_ns_arg(PerfettoWriter *p, TraceTrack track,
                              const char *name, SimTime at_ps)
{
    const TraceArg arg = { .name = name, .number = at_ps % SIM_NS(1) };

    if (!track.is_coarse && arg.number > 0)
        append_event_arg(p, &arg);
}

static void perfetto_begin_slice(gpointer self, TraceTrack track,
                                 const char *name, const char *category,
                                 SimTime at_ps, const TraceArgs *args)
{
    PerfettoWriter *p = self;

    begin_track_event(p, TYPE_BEGIN, trace_thread_id(p->max_process, track));
    proto_append_number(&p->event, EVENT_NAME,
                        intern_name(p, INTERNED_NAME, name));
    proto_append_number(&p->event, EVENT_CATEGORY,
                        intern_name(p, INTERNED_CATEGORY, category));
    append_event_args(p, args);
    append_sub_ns_arg(p, track, "begin ps", at_ps);
    write_track_event(p, at_ps);
}

static void perfetto_end_slice(gpointer self, TraceTrack track,
                               const char *name, SimTime at_ps)
{
    PerfettoWriter *p = self;

    (void)name;
    begin_track_event(p, TYPE_END, trace_thread_id(p->max_process, track));
    append_sub_ns_arg(p, track, "end ps", at_ps);
    write_track_event(p, at_ps);
}

/* ---- writing descriptors of tracks --------------------------------------- */

/* Begins a track inside the track @above; 0: none. */
static void begin_track_descriptor(PerfettoWriter *p, uint64_t track,
                                   uint64_t above, uint32_t rank,
                                   const char *name)
{
    p->event.n = 0;
    proto_append_number(&p->event, TRACK_ID, track);
    proto_append_text(&p->event, TRACK_NAME, name);
    proto_append_number(&p->event, TRACK_ORDER, ORDER_TOLD);
    if (above == 0)
        return;
    proto_append_number(&p->event, TRACK_ABOVE, above);
    proto_append_number(&p->event, TRACK_RANK, rank);
}

static void write_track_descriptor(PerfettoWriter *p)
{
    begin_trace_packet(p, FLAGS_OTHERS);
    proto_append_bytes(&p->packet, PACKET_TRACK, p->event.bytes, p->event.n);
    write_trace_packet(p);
}

static void write_process_track(gpointer self, uint32_t process, uint32_t under,
                                const char *name)
{
    begin_track_descriptor(self, process, under > 0 ? under : FIRST_OTHER,
                           RANK_PROCESSES + process, name);
    write_track_descriptor(self);
}

static void write_thread_track(gpointer self, TraceTrack track,
                               const char *name)
{
    PerfettoWriter *p = self;

    begin_track_descriptor(p, trace_thread_id(p->max_process, track),
                           track.process, track.thread, name);
    write_track_descriptor(p);
}

/* ---- writing counters ---------------------------------------------------- */

/* Adds one track per series, because each has its own values. */
static void write_counter_tracks(PerfettoWriter *p, uint32_t process,
                                 const char *name, const TraceArgs *values)
{
    for (guint i = 0; i < values->n; i++) {
        const PerfettoCounter counter = { .track = FIRST_OTHER + p->n_other++ };
        g_autofree char *text =
            g_strconcat(name, " ", values->args[i].name, NULL);

        begin_track_descriptor(p, counter.track, process,
                               RANK_COUNTERS + p->values->len, text);
        proto_append_bytes(&p->event, TRACK_COUNTER, NULL, 0);
        write_track_descriptor(p);
        g_array_append_val(p->values, counter);
    }
}

static guint find_or_write_counters(PerfettoWriter *p, uint32_t process,
                                    const char *name, const TraceArgs *values)
{
    g_autofree char *key = g_strdup_printf("%u %s", process, name);
    gpointer at;

    if (g_hash_table_lookup_extended(p->counters, key, NULL, &at))
        return GPOINTER_TO_UINT(at);
    at = GUINT_TO_POINTER(p->values->len);
    g_hash_table_insert(p->counters, g_steal_pointer(&key), at);
    write_counter_tracks(p, process, name, values);
    return GPOINTER_TO_UINT(at);
}

static void write_counter_value(PerfettoWriter *p, const TraceArg *value)
{
    uint64_t scale = 1;

    for (guint i = 0; value->type == TRACE_DECIMAL && i < value->n_digits; i++)
        scale *= 10;
    if (value->number % scale == 0)
        proto_append_number(&p->event, EVENT_COUNT, value->number / scale);
    else
        proto_append_double(&p->event, EVENT_COUNT_DOUBLE,
                            (double)value->number / (double)scale);
}

/* Writes the values that have changed. */
static void perfetto_write_counter(gpointer self, uint32_t process,
                                   const char *name, SimTime at_ps,
                                   const TraceArgs *values)
{
    PerfettoWriter *p = self;
    guint first = find_or_write_counters(p, process, name, values);

    for (guint i = 0; i < values->n; i++) {
        PerfettoCounter *counter =
            &g_array_index(p->values, PerfettoCounter, first + i);

        if (counter->told && counter->value == values->args[i].number)
            continue;
        counter->told = TRUE;
        counter->value = values->args[i].number;
        begin_track_event(p, TYPE_COUNTER, counter->track);
        write_counter_value(p, &values->args[i]);
        write_track_event(p, at_ps);
    }
}

/* ---- beginning and ending the trace file --------------------------------- */

static void append_clock_snapshot(PerfettoWriter *p, guint id,
                                  gboolean is_incremental)
{
    gsize begin = proto_begin_message(&p->event, CLOCKS_CLOCK);

    proto_append_number(&p->event, CLOCK_ID, id);
    proto_append_number(&p->event, CLOCK_TIME, 0);
    if (is_incremental)
        proto_append_number(&p->event, CLOCK_IS_INCREMENTAL, TRUE);
    proto_end_message(&p->event, begin);
}

static void write_first_packet(PerfettoWriter *p)
{
    gsize begin;

    append_clock_snapshot(p, CLOCK_OF_TRACE, FALSE);
    append_clock_snapshot(p, CLOCK_OURS, TRUE);
    begin_trace_packet(p, FLAGS_FIRST);
    begin = proto_begin_message(&p->packet, PACKET_DEFAULTS);
    proto_append_number(&p->packet, PACKET_CLOCK_ID, CLOCK_OURS);
    proto_end_message(&p->packet, begin);
    proto_append_bytes(&p->packet, PACKET_CLOCKS, p->event.bytes, p->event.n);
    write_trace_packet(p);
}

/* Writes a note on the track of the run, for readers and users. */
static void write_run_note(PerfettoWriter *p, const char *name,
                           const TraceArgs *args)
{
    begin_track_event(p, TYPE_INSTANT, FIRST_OTHER);
    proto_append_number(&p->event, EVENT_NAME,
                        intern_name(p, INTERNED_NAME, name));
    append_event_args(p, args);
    write_track_event(p, p->now_ns * SIM_NS(1));
}

static gpointer perfetto_open_file(Stream *stream, const TraceFileHead *head)
{
    PerfettoWriter *p = g_new0(PerfettoWriter, 1);
    g_autofree char *title = g_strconcat("acesim: ", head->title, NULL);
    g_auto(TraceArgs) args = { 0 };

    p->stream = stream;
    p->max_process = head->max_process;
    for (guint i = INTERNED_CATEGORY; i <= INTERNED_ARG; i++)
        p->ids[i] =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->values = g_array_new(FALSE, FALSE, sizeof(PerfettoCounter));
    write_first_packet(p);
    begin_track_descriptor(p, FIRST_OTHER + p->n_other++, 0, 0, title);
    write_track_descriptor(p);
    trace_args_add_text(&args, "acesim", head->json);
    write_run_note(p, "begin", &args);
    return p;
}

static void perfetto_finish_file(gpointer self, const TraceFileTail *tail)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_add_text(&args, "producer", "acesim " ACESIM_VERSION);
    trace_args_add_number(&args, "iteration ps", tail->iteration_ps);
    trace_args_add_number(&args, "slices", tail->n_slices);
    trace_args_add_number(&args, "slices_left_out", tail->n_left_out);
    write_run_note(self, "end", &args);
}

static void perfetto_free(gpointer self)
{
    PerfettoWriter *p = self;

    proto_clear(&p->packet);
    proto_clear(&p->event);
    proto_clear(&p->interned);
    for (guint i = INTERNED_CATEGORY; i <= INTERNED_ARG; i++)
        g_hash_table_unref(p->ids[i]);
    g_hash_table_unref(p->counters);
    g_array_unref(p->values);
    g_free(p);
}

static const char *const endings[] = { ".pftrace", ".perfetto-trace", NULL };

const TraceFormat trace_perfetto = {
    .endings = endings,
    .max_slices = MAX_SLICES,
    .open = perfetto_open_file,
    .name_process = write_process_track,
    .name_thread = write_thread_track,
    .begin = perfetto_begin_slice,
    .end = perfetto_end_slice,
    .count = perfetto_write_counter,
    .finish = perfetto_finish_file,
    .free = perfetto_free,
};
