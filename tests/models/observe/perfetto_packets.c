/* perfetto_packets.c - reads back a trace in Perfetto's protobuf format */
#include "tests/test.h"

#include <string.h>

#include "tests/models/observe/perfetto_packets.h"
#include "tests/models/observe/protobuf_message.h"

#define SEQUENCE_CLOCK 64

/* ---- state of a packet sequence ------------------------------------------ */

typedef struct {
    Packets *packets;
    /* The table maps a track to the GPtrArray of its open
     * slices (PacketSlice). */
    GHashTable *open;
    gboolean begun;
    uint64_t clock; /* The clock of packets that name none. */
    uint64_t now_ns;
} Reader;

static guint64 *new_hash_key(uint64_t id)
{
    return g_memdup2(&id, sizeof id);
}

static void read_interned_strings(Reader *r, Message m)
{
    Field field, entry;

    while (protobuf_next_field(&m, &field)) {
        uint64_t id = 0;
        g_autofree char *name = NULL;

        assert_true(field.number >= 1 && field.number <= 3);
        while (protobuf_next_field(&field.inside, &entry))
            if (entry.number == 1)
                id = entry.value;
            else if (entry.number == 2)
                name = protobuf_copy_text(entry.inside);
        assert_true(id > 0 && name);
        assert_true(g_hash_table_insert(r->packets->names[field.number],
                                        new_hash_key(id),
                                        g_steal_pointer(&name)));
    }
}

static const char *read_name_field(const Reader *r, guint field, uint64_t id)
{
    const char *name = g_hash_table_lookup(r->packets->names[field], &id);

    if (!name)
        fail_msg("name %" G_GUINT64_FORMAT " of %u was not told", id, field);
    return name;
}

/* Checks the clocks: that of the trace, and one that counts from packet to
 * packet, both at 0. */
static void read_clock_snapshot(Message m)
{
    Field field, clock;
    guint n = 0;

    while (protobuf_next_field(&m, &field)) {
        uint64_t id = 0, is_incremental = 0;

        while (protobuf_next_field(&field.inside, &clock))
            if (clock.number == 1)
                id = clock.value;
            else if (clock.number == 2)
                assert_true(clock.value == 0);
            else if (clock.number == 3)
                is_incremental = clock.value;
            else
                fail_msg("a clock of another unit");
        assert_true(id == (n == 0 ? 6 : SEQUENCE_CLOCK));
        assert_true(is_incremental == n++);
    }
    assert_int_equal(n, 2);
}

static void read_packet_defaults(Reader *r, Message m)
{
    Field field;

    while (protobuf_next_field(&m, &field)) {
        assert_true(field.number == 58);
        r->clock = field.value;
    }
}

/* ---- tracks ------------------------------------------------------------ */

static void packet_track_free(gpointer data)
{
    PacketTrack *track = data;

    g_free(track->name);
    g_array_unref(track->counted);
    g_free(track);
}

static void read_track_descriptor(Reader *r, Message m)
{
    PacketTrack *track = g_new0(PacketTrack, 1);
    Field field;

    track->counted = g_array_new(FALSE, FALSE, sizeof(PacketCount));
    while (protobuf_next_field(&m, &field))
        if (field.number == 1)
            track->id = field.value;
        else if (field.number == 2)
            track->name = protobuf_copy_text(field.inside);
        else if (field.number == 5)
            track->above = field.value;
        else if (field.number == 8)
            track->counts = TRUE;
        else if (field.number == 11)
            track->orders = field.value == 3;
        else if (field.number == 12)
            track->rank = (int64_t)field.value;
        else
            fail_msg("field %u of a track", (guint)field.number);
    assert_true(track->id > 0 && track->name);
    if (track->above > 0)
        assert_non_null(packet_track_by_id(r->packets, track->above));
    assert_true(g_hash_table_insert(r->packets->tracks, new_hash_key(track->id),
                                    track));
}

const PacketTrack *packet_track_by_id(const Packets *packets, uint64_t id)
{
    return g_hash_table_lookup(packets->tracks, &id);
}

const PacketTrack *packet_track_by_name(const Packets *packets, uint64_t above,
                                        const char *name)
{
    GHashTableIter at;
    gpointer value;

    g_hash_table_iter_init(&at, packets->tracks);
    while (g_hash_table_iter_next(&at, NULL, &value)) {
        const PacketTrack *track = value;

        if (track->above == above && g_str_equal(track->name, name))
            return track;
    }
    return NULL;
}

/* ---- events ------------------------------------------------------------ */

static void packet_arg_free(gpointer data)
{
    PacketArg *arg = data;

    g_free(arg->text);
    g_free(arg);
}

static void packet_slice_free(gpointer data)
{
    PacketSlice *slice = data;

    g_hash_table_unref(slice->args);
    if (slice->end_args)
        g_hash_table_unref(slice->end_args);
    g_free(slice);
}

static void read_debug_annotation(const Reader *r, Message m, GHashTable *args)
{
    PacketArg *arg = g_new0(PacketArg, 1);
    const char *name = NULL;
    Field field;

    while (protobuf_next_field(&m, &field))
        if (field.number == 1) {
            name = read_name_field(r, 3, field.value);
        } else if (field.number == 6) {
            arg->type = PACKET_TEXT;
            arg->text = protobuf_copy_text(field.inside);
        } else {
            assert_true(field.number == 2 || field.number == 3);
            arg->type = field.number == 2 ? PACKET_BOOL : PACKET_NUMBER;
            arg->number = field.value;
        }
    assert_non_null(name);
    assert_true(g_hash_table_insert(args, g_strdup(name), arg));
}

uint64_t packet_arg_number(GHashTable *args, const char *name)
{
    const PacketArg *arg = g_hash_table_lookup(args, name);

    return arg ? arg->number : 0;
}

typedef struct {
    uint64_t type, track;
    const char *name, *category;
    gboolean has_count;
    double count;
    GHashTable *args; /* The struct owns this memory. */
} Event;

static Event read_track_event(const Reader *r, Message m)
{
    Event event = { 0 };
    Field field;

    event.args =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, packet_arg_free);
    while (protobuf_next_field(&m, &field)) {
        if (field.number == 3)
            event.category = read_name_field(r, 1, field.value);
        else if (field.number == 4)
            read_debug_annotation(r, field.inside, event.args);
        else if (field.number == 9)
            event.type = field.value;
        else if (field.number == 10)
            event.name = read_name_field(r, 2, field.value);
        else if (field.number == 11)
            event.track = field.value;
        else if (field.number == 30)
            event.count = (double)(int64_t)field.value;
        else if (field.number == 44)
            memcpy(&event.count, &field.value, sizeof event.count);
        else
            fail_msg("field %u of an event", (guint)field.number);
        event.has_count |= field.number == 30 || field.number == 44;
    }
    return event;
}

static GPtrArray *open_slices_of_track(Reader *r, uint64_t track)
{
    GPtrArray *open = g_hash_table_lookup(r->open, &track);

    if (!open) {
        open = g_ptr_array_new();
        g_hash_table_insert(r->open, new_hash_key(track), open);
    }
    return open;
}

static PacketSlice *new_packet_slice(const Event *event,
                                     const PacketTrack *track, uint64_t at_ns)
{
    PacketSlice *slice = g_new0(PacketSlice, 1);

    slice->track = track;
    slice->name = event->name;
    slice->category = event->category;
    slice->from_ns = at_ns;
    slice->args = event->args;
    return slice;
}

static void end_packet_slice(GPtrArray *open, const Event *event,
                             uint64_t at_ns)
{
    PacketSlice *slice;

    assert_true(open->len > 0);
    slice = g_ptr_array_index(open, open->len - 1);
    g_ptr_array_set_size(open, (gint)open->len - 1);
    assert_true(at_ns >= slice->from_ns);
    slice->to_ns = at_ns;
    slice->ends = TRUE;
    slice->end_args = event->args;
}

static void apply_track_event(Reader *r, const Event *event, uint64_t at_ns)
{
    PacketTrack *track = g_hash_table_lookup(r->packets->tracks, &event->track);
    const PacketCount count = { at_ns, event->count };
    PacketSlice *slice;

    assert_non_null(track);
    assert_true(event->has_count == (event->type == 4));
    assert_true(track->counts == event->has_count);
    switch (event->type) {
    case 1:
        slice = new_packet_slice(event, track, at_ns);
        assert_true(slice->name && slice->category);
        g_ptr_array_add(r->packets->slices, slice);
        g_ptr_array_add(open_slices_of_track(r, event->track), slice);
        return;
    case 2:
        end_packet_slice(open_slices_of_track(r, event->track), event, at_ns);
        return;
    case 3:
        g_ptr_array_add(r->packets->notes,
                        new_packet_slice(event, track, at_ns));
        return;
    case 4:
        g_array_append_val(track->counted, count);
        g_hash_table_unref(event->args);
        return;
    default:
        fail_msg("an event of type %u", (guint)event->type);
    }
}

/* ---- packets ----------------------------------------------------------- */

static uint64_t time_of_packet_ns(Reader *r, uint64_t time, uint64_t clock)
{
    if (clock == 6)
        return time;
    assert_true(clock == SEQUENCE_CLOCK);
    return r->now_ns += time;
}

static void read_trace_packet(Reader *r, Message m)
{
    uint64_t time = UINT64_MAX, sequence = 0, flags = 0, clock = 0;
    Message track = { 0 }, event = { 0 };
    Field field;

    while (protobuf_next_field(&m, &field))
        if (field.number == 8)
            time = field.value;
        else if (field.number == 10)
            sequence = field.value;
        else if (field.number == 13)
            flags = field.value;
        else if (field.number == 58)
            clock = field.value;
        else if (field.number == 12)
            read_interned_strings(r, field.inside);
        else if (field.number == 59)
            read_packet_defaults(r, field.inside);
        else if (field.number == 6)
            read_clock_snapshot(field.inside);
        else if (field.number == 60)
            track = field.inside;
        else if (field.number == 11)
            event = field.inside;
        else
            fail_msg("field %u of a packet", (guint)field.number);
    assert_true(sequence == 1);
    assert_true(flags == (r->begun ? 2 : 1));
    r->begun = TRUE;
    assert_true(!event.at || !track.at);
    if (track.at)
        read_track_descriptor(r, track);
    if (event.at) {
        Event read = read_track_event(r, event);

        assert_true(time != UINT64_MAX);
        apply_track_event(r, &read,
                          time_of_packet_ns(r, time, clock ? clock : r->clock));
    }
}

Packets *packets_read(const uint8_t *bytes, gsize n)
{
    Packets *packets = g_new0(Packets, 1);
    Message whole = { bytes, bytes + n };
    Reader r = { .packets = packets };
    Field field;

    packets->tracks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                            packet_track_free);
    packets->slices = g_ptr_array_new_with_free_func(packet_slice_free);
    packets->notes = g_ptr_array_new_with_free_func(packet_slice_free);
    for (guint i = 1; i <= 3; i++)
        packets->names[i] =
            g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    r.open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                   (GDestroyNotify)g_ptr_array_unref);
    while (protobuf_next_field(&whole, &field)) {
        assert_true(field.number == 1 && field.inside.at);
        read_trace_packet(&r, field.inside);
    }
    g_hash_table_unref(r.open);
    return packets;
}

void packets_free(Packets *packets)
{
    for (guint i = 1; i <= 3; i++)
        g_hash_table_unref(packets->names[i]);
    g_hash_table_unref(packets->tracks);
    g_ptr_array_unref(packets->slices);
    g_ptr_array_unref(packets->notes);
    g_free(packets);
}
