/*
 * perfetto.c - Perfetto's protobuf format, for ui.perfetto.dev and its trace
 * processor
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
#include "sim/view/timeline/formats/proto.h"
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
    Proto packet, event, interned; /* the messages under construction */
    /* Maps a name to its number, for each kind of interned field. */
    GHashTable *ids[INTERNED_ARG + 1];
    GHashTable *counters; /* "process name" to index of the first value */
    GArray *values;       /* of Counter */
    /* The number of tracks that are neither processes nor threads. */
    uint64_t n_other;
    uint64_t now_ns;
} Perfetto;

/* A series of a counter; the series of a counter are contiguous. */
typedef struct {
    uint64_t track;
    uint64_t value; /* last value that was written */
    gboolean told;
} Counter;

/* ---- writing packets ----------------------------------------------------- */

static void write_packet(Perfetto *p)
{
    /* The message is reused because its content was written. */
    Proto *whole = &p->interned;

    whole->n = 0;
    proto_bytes(whole, TRACE_PACKET, p->packet.bytes, p->packet.n);
    stream_add_bytes(p->stream, whole->bytes, whole->n);
    whole->n = 0;
}

static void begin_packet(Perfetto *p, guint flags)
{
    p->packet.n = 0;
    proto_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
    proto_number(&p->packet, PACKET_FLAGS, flags);
}

/* Returns the number of @name, and writes it if it is new. */
static uint64_t intern(Perfetto *p, guint field, const char *name)
{
    GHashTable *ids = p->ids[field];
    gpointer id = g_hash_table_lookup(ids, name);
    gsize begin;

    if (id)
        return GPOINTER_TO_UINT(id);
    id = GUINT_TO_POINTER(g_hash_table_size(ids) + 1);
    g_hash_table_insert(ids, g_strdup(name), id);
    begin = proto_begin(&p->interned, field);
    proto_number(&p->interned, ENTRY_ID, GPOINTER_TO_UINT(id));
    proto_text(&p->interned, ENTRY_NAME, name);
    proto_end(&p->interned, begin);
    return GPOINTER_TO_UINT(id);
}

/* ---- writing events of slices -------------------------------------------- */

static void begin_event(Perfetto *p, guint type, uint64_t track)
{
    p->event.n = 0;
    proto_number(&p->event, EVENT_TYPE, type);
    proto_number(&p->event, EVENT_TRACK, track);
}

static void write_event(Perfetto *p, SimTime at_ps)
{
    uint64_t at_ns = at_ps / SIM_NS(1);

    begin_packet(p, FLAGS_OTHERS);
    if (at_ns >= p->now_ns) {
        proto_number(&p->packet, PACKET_TIME, at_ns - p->now_ns);
        p->now_ns = at_ns;
    } else {
        proto_number(&p->packet, PACKET_TIME, at_ns);
        proto_number(&p->packet, PACKET_CLOCK_ID, CLOCK_OF_TRACE);
    }
    if (p->interned.n > 0)
        proto_bytes(&p->packet, PACKET_INTERNED, p->interned.bytes,
                    p->interned.n);
    proto_bytes(&p->packet, PACKET_EVENT, p->event.bytes, p->event.n);
    write_packet(p);
}

static void add_arg(Perfetto *p, const TraceArg *arg)
{
    uint64_t name = intern(p, INTERNED_ARG, arg->name);
    gsize begin = proto_begin(&p->event, EVENT_ARG);

    proto_number(&p->event, ARG_NAME, name);
    if (arg->type == TRACE_NUMBER)
        proto_number(&p->event, ARG_NUMBER, arg->number);
    else if (arg->type == TRACE_FLAG)
        proto_number(&p->event, ARG_BOOL, arg->number);
    else
        proto_text(&p->event, ARG_TEXT, arg->text);
    proto_end(&p->event, begin);
}

static void add_args(Perfetto *p, const TraceArgs *args)
{
    for (guint i = 0; args && i < args->n; i++)
        add_arg(p, &args->args[i]);
}

static void add_sub_ns(Perfetto *p, TraceTrack track, const char *name,
                       SimTime at_ps)
{
    const TraceArg arg = { .name = name, .number = at_ps % SIM_NS(1) };

    if (!track.is_coarse && arg.number > 0)
        add_arg(p, &arg);
}

static void perfetto_begin(gpointer self, TraceTrack track, const char *name,
                           const char *category, SimTime at_ps,
                           const TraceArgs *args)
{
    Perfetto *p = self;

    begin_event(p, TYPE_BEGIN, trace_thread_id(p->max_process, track));
    proto_number(&p->event, EVENT_NAME, intern(p, INTERNED_NAME, name));
    proto_number(&p->event, EVENT_CATEGORY,
                 intern(p, INTERNED_CATEGORY, category));
    add_args(p, args);
    add_sub_ns(p, track, "begin ps", at_ps);
    write_event(p, at_ps);
}

static void perfetto_end(gpointer self, TraceTrack track, const char *name,
                         SimTime at_ps)
{
    Perfetto *p = self;

    (void)name;
    begin_event(p, TYPE_END, trace_thread_id(p->max_process, track));
    add_sub_ns(p, track, "end ps", at_ps);
    write_event(p, at_ps);
}

/* ---- writing descriptors of tracks --------------------------------------- */

/* Begins a track inside the track @above; 0: none. */
static void begin_track(Perfetto *p, uint64_t track, uint64_t above,
                        uint32_t rank, const char *name)
{
    p->event.n = 0;
    proto_number(&p->event, TRACK_ID, track);
    proto_text(&p->event, TRACK_NAME, name);
    proto_number(&p->event, TRACK_ORDER, ORDER_TOLD);
    if (above == 0)
        return;
    proto_number(&p->event, TRACK_ABOVE, above);
    proto_number(&p->event, TRACK_RANK, rank);
}

static void write_track(Perfetto *p)
{
    begin_packet(p, FLAGS_OTHERS);
    proto_bytes(&p->packet, PACKET_TRACK, p->event.bytes, p->event.n);
    write_packet(p);
}

static void name_process(gpointer self, uint32_t process, uint32_t under,
                         const char *name)
{
    begin_track(self, process, under > 0 ? under : FIRST_OTHER,
                RANK_PROCESSES + process, name);
    write_track(self);
}

static void name_thread(gpointer self, TraceTrack track, const char *name)
{
    Perfetto *p = self;

    begin_track(p, trace_thread_id(p->max_process, track), track.process,
                track.thread, name);
    write_track(p);
}

/* ---- writing counters ---------------------------------------------------- */

/* Adds one track per series, because each has its own values. */
static void add_counters(Perfetto *p, uint32_t process, const char *name,
                         const TraceArgs *values)
{
    for (guint i = 0; i < values->n; i++) {
        const Counter counter = { .track = FIRST_OTHER + p->n_other++ };
        g_autofree char *text =
            g_strconcat(name, " ", values->args[i].name, NULL);

        begin_track(p, counter.track, process, RANK_COUNTERS + p->values->len,
                    text);
        proto_bytes(&p->event, TRACK_COUNTER, NULL, 0);
        write_track(p);
        g_array_append_val(p->values, counter);
    }
}

static guint counters_of(Perfetto *p, uint32_t process, const char *name,
                         const TraceArgs *values)
{
    g_autofree char *key = g_strdup_printf("%u %s", process, name);
    gpointer at;

    if (g_hash_table_lookup_extended(p->counters, key, NULL, &at))
        return GPOINTER_TO_UINT(at);
    at = GUINT_TO_POINTER(p->values->len);
    g_hash_table_insert(p->counters, g_steal_pointer(&key), at);
    add_counters(p, process, name, values);
    return GPOINTER_TO_UINT(at);
}

static void add_count(Perfetto *p, const TraceArg *value)
{
    uint64_t scale = 1;

    for (guint i = 0; value->type == TRACE_DECIMAL && i < value->n_digits; i++)
        scale *= 10;
    if (value->number % scale == 0)
        proto_number(&p->event, EVENT_COUNT, value->number / scale);
    else
        proto_double(&p->event, EVENT_COUNT_DOUBLE,
                     (double)value->number / (double)scale);
}

/* Writes the values that have changed. */
static void perfetto_count(gpointer self, uint32_t process, const char *name,
                           SimTime at_ps, const TraceArgs *values)
{
    Perfetto *p = self;
    guint first = counters_of(p, process, name, values);

    for (guint i = 0; i < values->n; i++) {
        Counter *counter = &g_array_index(p->values, Counter, first + i);

        if (counter->told && counter->value == values->args[i].number)
            continue;
        counter->told = TRUE;
        counter->value = values->args[i].number;
        begin_event(p, TYPE_COUNTER, counter->track);
        add_count(p, &values->args[i]);
        write_event(p, at_ps);
    }
}

/* ---- beginning and ending the trace file --------------------------------- */

static void add_clock(Perfetto *p, guint id, gboolean is_incremental)
{
    gsize begin = proto_begin(&p->event, CLOCKS_CLOCK);

    proto_number(&p->event, CLOCK_ID, id);
    proto_number(&p->event, CLOCK_TIME, 0);
    if (is_incremental)
        proto_number(&p->event, CLOCK_IS_INCREMENTAL, TRUE);
    proto_end(&p->event, begin);
}

static void write_first(Perfetto *p)
{
    gsize begin;

    add_clock(p, CLOCK_OF_TRACE, FALSE);
    add_clock(p, CLOCK_OURS, TRUE);
    begin_packet(p, FLAGS_FIRST);
    begin = proto_begin(&p->packet, PACKET_DEFAULTS);
    proto_number(&p->packet, PACKET_CLOCK_ID, CLOCK_OURS);
    proto_end(&p->packet, begin);
    proto_bytes(&p->packet, PACKET_CLOCKS, p->event.bytes, p->event.n);
    write_packet(p);
}

/* Writes a note on the track of the run, for readers and users. */
static void write_note(Perfetto *p, const char *name, const TraceArgs *args)
{
    begin_event(p, TYPE_INSTANT, FIRST_OTHER);
    proto_number(&p->event, EVENT_NAME, intern(p, INTERNED_NAME, name));
    add_args(p, args);
    write_event(p, p->now_ns * SIM_NS(1));
}

static gpointer perfetto_open(Stream *stream, const TraceHead *head)
{
    Perfetto *p = g_new0(Perfetto, 1);
    g_autofree char *title = g_strconcat("acesim: ", head->title, NULL);
    g_auto(TraceArgs) args = { 0 };

    p->stream = stream;
    p->max_process = head->max_process;
    for (guint i = INTERNED_CATEGORY; i <= INTERNED_ARG; i++)
        p->ids[i] =
            g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->values = g_array_new(FALSE, FALSE, sizeof(Counter));
    write_first(p);
    begin_track(p, FIRST_OTHER + p->n_other++, 0, 0, title);
    write_track(p);
    trace_args_text(&args, "acesim", head->json);
    write_note(p, "begin", &args);
    return p;
}

static void perfetto_finish(gpointer self, const TraceTail *tail)
{
    g_auto(TraceArgs) args = { 0 };

    trace_args_text(&args, "producer", "acesim " ACESIM_VERSION);
    trace_args_number(&args, "iteration ps", tail->iteration_ps);
    trace_args_number(&args, "slices", tail->n_slices);
    trace_args_number(&args, "slices_left_out", tail->n_left_out);
    write_note(self, "end", &args);
}

static void perfetto_free(gpointer self)
{
    Perfetto *p = self;

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
    .open = perfetto_open,
    .name_process = name_process,
    .name_thread = name_thread,
    .begin = perfetto_begin,
    .end = perfetto_end,
    .count = perfetto_count,
    .finish = perfetto_finish,
    .free = perfetto_free,
};
