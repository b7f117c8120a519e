/*
 * perfetto.c - a timeline in Perfetto's protobuf, as sim/view/timeline writes
 * it
 *
 * A packet is a track or an event.  The reader keeps the number of each track
 * and of its process.  An event is the begin or the end of a slice, or a note
 * about the run: the head in JSON, or the number of slices that were left out.
 * Times are in ns since the previous packet, or since the start if the packet
 * names the trace's clock.  An arg has the part of a time below 1 ns.
 * Counters, categories and names of slices are not needed for a recording.
 *
 * Sources  sim/view/timeline/formats/perfetto_trace_format.c
 */
#include <string.h>

#include "workloads/readers/protobuf.h"
#include "workloads/readers/timeline/timeline_state_impl.h"

#define TITLE "acesim: "
/* Offset within which the title of a timeline stands. */
#define TITLE_AT         96
#define MAX_PACKET_BYTES (UINT64_C(256) << 20)
/* Largest number of bytes of a packet's key and length. */
#define MAX_HEAD_BYTES 11
#define PACKET_KEY     (1 << 3 | 2)
#define PS_PER_NS      1000
#define MAX_NS         (UINT64_C(1) << 53)

enum { CLOCK_OF_TRACE = 6 };
enum { TYPE_BEGIN = 1, TYPE_END };

/* Args of notes about the run, which do not belong to a slice; their numbers
 * start at OTHERS. */
enum {
    OTHERS = 1000,
    HEAD = OTHERS,
    ITERATION,
    LEFT_OUT,
    BEGIN_SUB_NS,
    END_SUB_NS
};

static const char *const others[] = { "acesim", "iteration ps",
                                      "slices_left_out", "begin ps", "end ps" };

typedef struct {
    TimelineRead *read;
    /* Maps the number of an arg's interned name to its key, from 1. */
    GHashTable *keys;
    GHashTable *processes; /* maps track numbers to process numbers */
    uint64_t now_ns;
    /* The final note was read; it is the only one with LEFT_OUT. */
    gboolean has_end;
    const char *wrong; /* static: the first error; NULL: none */
} Packets;

typedef struct {
    uint64_t type, track;
    TimelineSlice slice;
    uint64_t sub_ns_ps;
} Event;

gboolean timeline_is_packets(Source *source)
{
    gsize n;
    const uint8_t *bytes = source_peek(source, TITLE_AT, &n);

    return n > 0 && bytes[0] == PACKET_KEY &&
           memmem(bytes, MIN(n, TITLE_AT), TITLE, strlen(TITLE));
}

static guint64 *allocate_number_copy(uint64_t number)
{
    return g_memdup2(&number, sizeof number);
}

/* Keeps the first error; @wrong may be NULL if there is none.  Returns
 * FALSE. */
static gboolean set_packet_error(Packets *p, const char *wrong)
{
    p->wrong = p->wrong ?: wrong;
    return FALSE;
}

static guint find_arg_by_name(const char *name, gsize n)
{
    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        if (strlen(others[i]) == n && memcmp(others[i], name, n) == 0)
            return OTHERS + i;
    return timeline_arg_number(name, n);
}

/* ---- interned names and tracks ------------------------------------------- */

static void read_interned_names(Packets *p, WireScan scan)
{
    WireField field, entry;

    while (protobuf_scan_next_field(&scan, &field)) {
        WireScan inside;
        uint64_t id = 0;
        guint key = 0;

        if (field.number != 3 || !field.is_bytes)
            continue;
        inside = protobuf_scan_submessage(&scan, &field);
        while (protobuf_scan_next_field(&inside, &entry))
            if (entry.number == 1)
                id = entry.value;
            else if (entry.number == 2 && entry.is_bytes)
                key =
                    find_arg_by_name((const char *)entry.bytes, entry.n_bytes);
        set_packet_error(p, inside.wrong);
        g_hash_table_insert(p->keys, allocate_number_copy(id),
                            GUINT_TO_POINTER(key));
    }
    set_packet_error(p, scan.wrong);
}

static void read_track_descriptor(Packets *p, WireScan scan)
{
    uint64_t track = 0, above = 0;
    WireField field;

    while (protobuf_scan_next_field(&scan, &field))
        if (field.number == 1)
            track = field.value;
        else if (field.number == 5)
            above = field.value;
    set_packet_error(p, scan.wrong);
    g_hash_table_insert(p->processes, allocate_number_copy(track),
                        allocate_number_copy(above));
}

/* ---- events --------------------------------------------------------- */

static void apply_run_note_arg(Packets *p, guint key, const TimelineArg *arg,
                               Event *event)
{
    TimelineRead *t = p->read;

    if (key == ITERATION)
        t->recording->iteration_ps = MIN(arg->number, INT64_MAX);
    else if (key == LEFT_OUT)
        p->has_end = TRUE, t->n_left_out = arg->number;
    else if (key != HEAD)
        event->sub_ns_ps = arg->number;
    else if (arg->text && t->causes == 0)
        timeline_read_text(t, arg, timeline_read_head, NULL);
}

static void read_debug_annotation(Packets *p, WireScan scan, Event *event)
{
    TimelineArg arg = { 0 };
    uint64_t name = 0;
    WireField field;
    guint key;

    while (protobuf_scan_next_field(&scan, &field))
        if (field.number == 1)
            name = field.value;
        else if (field.number == 2 || field.number == 3)
            arg.number = field.value;
        else if (field.number == 6 && field.is_bytes)
            arg.text = (const char *)field.bytes, arg.n_bytes = field.n_bytes;
    if (scan.wrong) {
        set_packet_error(p, scan.wrong);
        return;
    }
    key = GPOINTER_TO_UINT(g_hash_table_lookup(p->keys, &name));
    if (key >= OTHERS)
        apply_run_note_arg(p, key, &arg, event);
    else if (key > 0)
        timeline_set_arg(p->read, &event->slice, key, &arg);
}

static Event read_track_event(Packets *p, WireScan scan, uint64_t at)
{
    Event event = { .slice = timeline_empty_slice(at) };
    WireField field;

    while (protobuf_scan_next_field(&scan, &field))
        if (field.number == 4 && field.is_bytes)
            read_debug_annotation(p, protobuf_scan_submessage(&scan, &field),
                                  &event);
        else if (field.number == 9)
            event.type = field.value;
        else if (field.number == 11)
            event.track = field.value;
    set_packet_error(p, scan.wrong);
    return event;
}

/* Begins or ends the slice that the event describes. */
static void apply_slice_event(Packets *p, Event *event, uint64_t at_ns)
{
    const uint64_t *process = g_hash_table_lookup(p->processes, &event->track);
    TimelineEvent taken = { .thread = event->track,
                            .process = process ? *process : 0,
                            .at_ps = (__int128)at_ns * PS_PER_NS +
                                     event->sub_ns_ps };

    if (at_ns > MAX_NS || event->sub_ns_ps >= PS_PER_NS)
        set_packet_error(p, "a time that no run has");
    else if (event->type == TYPE_BEGIN)
        timeline_open_slice(p->read, &taken, &event->slice);
    else if (event->type == TYPE_END)
        timeline_close_slice(p->read, &taken);
}

/* ---- packets -------------------------------------------------------- */

static void read_trace_packet(Packets *p, WireScan scan)
{
    uint64_t time_ns = 0, clock = 0, at = protobuf_scan_offset(&scan);
    WireScan inside = { 0 };
    gboolean is_event = FALSE;
    WireField field;

    while (protobuf_scan_next_field(&scan, &field)) {
        if (field.number == 8)
            time_ns = field.value;
        else if (field.number == 58)
            clock = field.value;
        if (!field.is_bytes)
            continue;
        if (field.number == 12)
            read_interned_names(p, protobuf_scan_submessage(&scan, &field));
        else if (field.number == 60)
            read_track_descriptor(p, protobuf_scan_submessage(&scan, &field));
        else if (field.number == 11)
            inside = protobuf_scan_submessage(&scan, &field), is_event = TRUE;
    }
    set_packet_error(p, scan.wrong);
    if (clock != CLOCK_OF_TRACE) {
        set_packet_error(p, clock == 0 ? NULL : "a clock that is not read");
        time_ns = p->now_ns += time_ns;
    }
    if (is_event && !p->wrong) {
        Event event = read_track_event(p, inside, at);

        apply_slice_event(p, &event, time_ns);
    }
}

/* Sets @ret to the next packet; the following call skips it.  Returns FALSE at
 * the end or on an error. */
static gboolean read_next_packet(Packets *p, gsize *done, WireScan *ret)
{
    Source *source = p->read->source;
    uint64_t length = 0;
    const uint8_t *bytes;
    gsize n;

    source_skip(source, *done);
    *done = 0;
    bytes = source_peek(source, MAX_HEAD_BYTES, &n);
    if (n == 0)
        return FALSE;
    *ret = protobuf_scan_bytes(bytes, MIN(n, MAX_HEAD_BYTES),
                               source_offset(source));
    if (bytes[0] != PACKET_KEY)
        return set_packet_error(p, "no packet begins here");
    ret->at++;
    if (!protobuf_read_varint(ret, &length))
        return set_packet_error(p, ret->wrong);
    if (length > MAX_PACKET_BYTES)
        return set_packet_error(p, "a packet of more than 256 MiB");
    source_skip(source, (gsize)(ret->at - bytes));
    bytes = source_peek(source, (gsize)length, &n);
    if (n < length)
        return set_packet_error(p, "it ends within a packet");
    *ret = protobuf_scan_bytes(bytes, (gsize)length, source_offset(source));
    *done = (gsize)length;
    return TRUE;
}

gboolean timeline_read_packets(TimelineRead *t, GError **error)
{
    Packets p = { .read = t };
    WireScan scan = { 0 };
    gsize done = 0;

    p.keys = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    p.processes =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    while (!p.wrong && !t->error && read_next_packet(&p, &done, &scan))
        read_trace_packet(&p, scan);
    g_hash_table_unref(p.keys);
    g_hash_table_unref(p.processes);
    if (!p.has_end && !t->error)
        set_packet_error(&p, "it is cut short: the note at its end is missing");
    if (!source_finish(t->source, error))
        return FALSE;
    if (p.wrong)
        reader_set_binary_error(error, t->source, scan.offset, "%s", p.wrong);
    else if (t->error)
        g_propagate_error(error, g_steal_pointer(&t->error));
    else
        return TRUE;
    return FALSE;
}
