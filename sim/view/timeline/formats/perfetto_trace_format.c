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
    gboolean is_written;
} PerfettoCounter;

/* ---- writing packets ----------------------------------------------------- */

static void write_trace_packet(PerfettoWriter *writer)
{
    /* The message is reused because its content was written. */
    ProtobufMessage *whole = &writer->interned;

    whole->n = 0;
    proto_append_bytes(whole, TRACE_PACKET, writer->packet.bytes,
                       writer->packet.n);
    stream_write_bytes(writer->stream, whole->bytes, whole->n);
    whole->n = 0;
}

static void begin_trace_packet(PerfettoWriter *writer, guint flags)
{
    writer->packet.n = 0;
    proto_append_number(&writer->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_append_number(&writer->packet, PACKET_FLAGS, flags);
}

/* Returns the number of @name, and writes it if it is new. */
static uint64_t intern_name(PerfettoWriter *writer, guint field,
                            const char *name)
{
    GHashTable *ids = writer->ids[field];
    gpointer id = g_hash_table_lookup(ids, name);
    gsize begin;

    if (id)
        return GPOINTER_TO_UINT(id);
    id = GUINT_TO_POINTER(g_hash_table_size(ids) + 1);
    g_hash_table_insert(ids, g_strdup(name), id);
    begin = proto_begin_message(&writer->interned, field);
    proto_append_number(&writer->interned, ENTRY_ID, GPOINTER_TO_UINT(id));
    proto_append_text(&writer->interned, ENTRY_NAME, name);
    proto_end_message(&writer->interned, begin);
    return GPOINTER_TO_UINT(id);
}

/* ---- writing events of slices -------------------------------------------- */

static void begin_track_event(PerfettoWriter *writer, guint type,
                              uint64_t track)
{
    writer->event.n = 0;
    proto_append_number(&writer->event, EVENT_TYPE, type);
    proto_append_number(&writer->event, EVENT_TRACK, track);
}

static void write_track_event(PerfettoWriter *writer, SimTime at_ps)
{
    uint64_t at_ns = at_ps / SIM_NS(1);

    begin_trace_packet(writer, FLAGS_OTHERS);
    if (at_ns >= writer->now_ns) {
        proto_append_number(&writer->packet, PACKET_TIME,
                            at_ns - writer->now_ns);
        writer->now_ns = at_ns;
    } else {
        proto_append_number(&writer->packet, PACKET_TIME, at_ns);
        proto_append_number(&writer->packet, PACKET_CLOCK_ID, CLOCK_OF_TRACE);
    }
    if (writer->interned.n > 0)
        proto_append_bytes(&writer->packet, PACKET_INTERNED,
                           writer->interned.bytes, writer->interned.n);
    proto_append_bytes(&writer->packet, PACKET_EVENT, writer->event.bytes,
                       writer->event.n);
    write_trace_packet(writer);
}

static void append_event_arg(PerfettoWriter *writer, const TraceArg *arg)
{
    uint64_t name = intern_name(writer, INTERNED_ARG, arg->name);
    gsize begin = proto_begin_message(&writer->event, EVENT_ARG);

    proto_append_number(&writer->event, ARG_NAME, name);
    if (arg->type == TRACE_NUMBER)
        proto_append_number(&writer->event, ARG_NUMBER, arg->number);
    else if (arg->type == TRACE_FLAG)
        proto_append_number(&writer->event, ARG_BOOL, arg->number);
    else
        proto_append_text(&writer->event, ARG_TEXT, arg->text);
    proto_end_message(&writer->event, begin);
}

static void append_event_args(PerfettoWriter *writer, const TraceArgs *args)
{
    for (guint i = 0; args && i < args->n; i++)
        append_event_arg(writer, &args->args[i]);
}

static void append_sub_ns_arg(PerfettoWriter *writer, TraceTrack track,
                              const char *name, SimTime at_ps)
{
    const TraceArg arg = { .name = name, .number = at_ps % SIM_NS(1) };

    if (!track.is_coarse && arg.number > 0)
        append_event_arg(writer, &arg);
}

static void perfetto_begin_slice(gpointer self, TraceTrack track,
                                 const char *name, const char *category,
                                 SimTime at_ps, const TraceArgs *args)
{
    PerfettoWriter *writer = self;

    begin_track_event(writer, TYPE_BEGIN,
                      trace_thread_id(writer->max_process, track));
    proto_append_number(&writer->event, EVENT_NAME,
                        intern_name(writer, INTERNED_NAME, name));
    proto_append_number(&writer->event, EVENT_CATEGORY,
                        intern_name(writer, INTERNED_CATEGORY, category));
    append_event_args(writer, args);
    append_sub_ns_arg(writer, track, "begin ps", at_ps);
    write_track_event(writer, at_ps);
}

static void perfetto_end_slice(gpointer self, TraceTrack track,
                               const char *name, SimTime at_ps)
{
    PerfettoWriter *writer = self;

    (void)name;
    begin_track_event(writer, TYPE_END,
                      trace_thread_id(writer->max_process, track));
    append_sub_ns_arg(writer, track, "end ps", at_ps);
    write_track_event(writer, at_ps);
}

/* ---- writing descriptors of tracks --------------------------------------- */

/* Begins a track inside the track @above; 0: none. */
static void begin_track_descriptor(PerfettoWriter *writer, uint64_t track,
                                   uint64_t above, uint32_t rank,
                                   const char *name)
{
    writer->event.n = 0;
    proto_append_number(&writer->event, TRACK_ID, track);
    proto_append_text(&writer->event, TRACK_NAME, name);
    proto_append_number(&writer->event, TRACK_ORDER, ORDER_TOLD);
    if (above == 0)
        return;
    proto_append_number(&writer->event, TRACK_ABOVE, above);
    proto_append_number(&writer->event, TRACK_RANK, rank);
}

static void write_track_descriptor(PerfettoWriter *writer)
{
    begin_trace_packet(writer, FLAGS_OTHERS);
    proto_append_bytes(&writer->packet, PACKET_TRACK, writer->event.bytes,
                       writer->event.n);
    write_trace_packet(writer);
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
    PerfettoWriter *writer = self;

    begin_track_descriptor(writer, trace_thread_id(writer->max_process, track),
                           track.process, track.thread, name);
    write_track_descriptor(writer);
}

/* ---- writing counters ---------------------------------------------------- */

/* Adds one track per series, because each has its own values. */
static void write_counter_tracks(PerfettoWriter *writer, uint32_t process,
                                 const char *name, const TraceArgs *values)
{
    for (guint i = 0; i < values->n; i++) {
        const PerfettoCounter counter = { .track =
                                              FIRST_OTHER + writer->n_other++ };
        g_autofree char *text =
            g_strconcat(name, " ", values->args[i].name, NULL);

        begin_track_descriptor(writer, counter.track, process,
                               RANK_COUNTERS + writer->values->len, text);
        proto_append_bytes(&writer->event, TRACK_COUNTER, NULL, 0);
        write_track_descriptor(writer);
        g_array_append_val(writer->values, counter);
    }
}

static guint find_or_write_counters(PerfettoWriter *writer, uint32_t process,
                                    const char *name, const TraceArgs *values)
{
    g_autofree char *key = g_strdup_printf("%u %s", process, name);
    gpointer at;

    if (g_hash_table_lookup_extended(writer->counters, key, NULL, &at))
        return GPOINTER_TO_UINT(at);
    at = GUINT_TO_POINTER(writer->values->len);
    g_hash_table_insert(writer->counters, g_steal_pointer(&key), at);
    write_counter_tracks(writer, process, name, values);
    return GPOINTER_TO_UINT(at);
}

static void write_counter_value(PerfettoWriter *writer, const TraceArg *value)
{
    uint64_t scale = 1;

    for (guint i = 0; value->type == TRACE_DECIMAL && i < value->n_digits; i++)
        scale *= 10;
    if (value->number % scale == 0)
        proto_append_number(&writer->event, EVENT_COUNT, value->number / scale);
    else
        proto_append_double(&writer->event, EVENT_COUNT_DOUBLE,
                            (double)value->number / (double)scale);
}

/* Writes the values that have changed. */
static void perfetto_write_counter(gpointer self, uint32_t process,
                                   const char *name, SimTime at_ps,
                                   const TraceArgs *values)
{
    PerfettoWriter *writer = self;
    guint first = find_or_write_counters(writer, process, name, values);

    for (guint i = 0; i < values->n; i++) {
        PerfettoCounter *counter =
            &g_array_index(writer->values, PerfettoCounter, first + i);

        if (counter->is_written && counter->value == values->args[i].number)
            continue;
        counter->is_written = TRUE;
        counter->value = values->args[i].number;
        begin_track_event(writer, TYPE_COUNTER, counter->track);
        write_counter_value(writer, &values->args[i]);
        write_track_event(writer, at_ps);
    }
}

/* ---- beginning and ending the trace file --------------------------------- */

static void append_clock_snapshot(PerfettoWriter *writer, guint id,
                                  gboolean is_incremental)
{
    gsize begin = proto_begin_message(&writer->event, CLOCKS_CLOCK);

    proto_append_number(&writer->event, CLOCK_ID, id);
    proto_append_number(&writer->event, CLOCK_TIME, 0);
    if (is_incremental)
        proto_append_number(&writer->event, CLOCK_IS_INCREMENTAL, TRUE);
    proto_end_message(&writer->event, begin);
}

static void write_first_packet(PerfettoWriter *writer)
{
    gsize begin;

    append_clock_snapshot(writer, CLOCK_OF_TRACE, FALSE);
    append_clock_snapshot(writer, CLOCK_OURS, TRUE);
    begin_trace_packet(writer, FLAGS_FIRST);
    begin = proto_begin_message(&writer->packet, PACKET_DEFAULTS);
    proto_append_number(&writer->packet, PACKET_CLOCK_ID, CLOCK_OURS);
    proto_end_message(&writer->packet, begin);
    proto_append_bytes(&writer->packet, PACKET_CLOCKS, writer->event.bytes,
                       writer->event.n);
    write_trace_packet(writer);
}

/* Writes an instant event on the track of the run.  Perfetto shows it, and the
 * reader of Perfetto traces takes properties of the run from it. */
static void write_run_note(PerfettoWriter *writer, const char *name,
                           const TraceArgs *args)
{
    begin_track_event(writer, TYPE_INSTANT, FIRST_OTHER);
    proto_append_number(&writer->event, EVENT_NAME,
                        intern_name(writer, INTERNED_NAME, name));
    append_event_args(writer, args);
    write_track_event(writer, writer->now_ns * SIM_NS(1));
}

static gpointer perfetto_open_file(Stream *stream, const TraceFileHead *head)
{
    PerfettoWriter *writer = g_new0(PerfettoWriter, 1);
    g_autofree char *title = g_strconcat("acesim: ", head->title, NULL);
    g_auto(TraceArgs) args = { 0 };

    writer->stream = stream;
    writer->max_process = head->max_process;
    for (guint i = INTERNED_CATEGORY; i <= INTERNED_ARG; i++)
        writer->ids[i] =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    writer->counters =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    writer->values = g_array_new(FALSE, FALSE, sizeof(PerfettoCounter));
    write_first_packet(writer);
    begin_track_descriptor(writer, FIRST_OTHER + writer->n_other++, 0, 0,
                           title);
    write_track_descriptor(writer);
    trace_args_add_text(&args, "acesim", head->json);
    write_run_note(writer, "begin", &args);
    return writer;
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
    PerfettoWriter *writer = self;

    proto_clear(&writer->packet);
    proto_clear(&writer->event);
    proto_clear(&writer->interned);
    for (guint i = INTERNED_CATEGORY; i <= INTERNED_ARG; i++)
        g_hash_table_unref(writer->ids[i]);
    g_hash_table_unref(writer->counters);
    g_array_unref(writer->values);
    g_free(writer);
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
