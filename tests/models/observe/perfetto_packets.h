/*
 * perfetto_packets.h - reads back a trace in Perfetto's protobuf format
 *
 * The reader is independent of the writer.  It reads fields one by one; clocks
 * and names follow perfetto.dev.  A test fails if the trace breaks the format.
 *
 * Units    ns, as in the
 * trace */
#ifndef TESTS_MODELS_OBSERVE_PERFETTO_PACKETS_H
#define TESTS_MODELS_OBSERVE_PERFETTO_PACKETS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    /* The member .above is the id of the parent track; 0 if there is none. */
    uint64_t id, above;
    char *name;   /* The struct owns this memory. */
    int64_t rank; /* The order of the track among its siblings. */
    /* The track is a counter (.counts), or its children have a rank
     * (.orders). */
    gboolean counts, orders;
    GArray *counted; /* The struct owns this array of PacketCount. */
} PacketTrack;

typedef struct {
    uint64_t at_ns;
    double value;
} PacketCount;

typedef struct {
    const PacketTrack *track;
    const char *name, *category; /* Another object owns this memory. */
    uint64_t from_ns, to_ns;
    gboolean ends;
    GHashTable *args; /* The struct owns this table from names to PacketArg. */
    GHashTable *end_args;
} PacketSlice;

typedef enum { PACKET_NUMBER, PACKET_BOOL, PACKET_TEXT } PacketArgType;

typedef struct {
    PacketArgType type;
    uint64_t number;
    char *text; /* The struct owns this memory. */
} PacketArg;

typedef struct {
    /* The struct owns these tables from number to text, one for each field of
     * InternedData. */
    GHashTable *names[4];
    GHashTable *tracks; /* The table maps an id to its PacketTrack. */
    /* The array holds each PacketSlice, in the order of their start. */
    GPtrArray *slices;
    GPtrArray *notes; /* The array holds each PacketSlice without duration. */
} Packets;

Packets *packets_read(const uint8_t *bytes, gsize n);
void packets_free(Packets *packets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Packets, packets_free)

static inline const PacketSlice *packet_slice_at(const Packets *p, guint i)
{
    return g_ptr_array_index(p->slices, i);
}

/* Returns the track @id, or NULL if there is none. */
const PacketTrack *packet_track_by_id(const Packets *packets, uint64_t id);
/* Returns the track called @name in @above, or NULL if there is none. */
const PacketTrack *packet_track_by_name(const Packets *packets, uint64_t above,
                                        const char *name);
/* Returns the argument @name, or 0 if it is absent. */
uint64_t packet_arg_number(GHashTable *args, const char *name);

#endif
