/*
 * packets.h - reads back a trace in Perfetto's protobuf format
 *
 * The reader is independent of the writer.  It reads fields one by one; clocks
 * and names follow perfetto.dev.  A test fails if the trace breaks the format.
 *
 * Units    ns, as in the trace
 */
#ifndef TESTS_MODELS_OBSERVE_PACKETS_H
#define TESTS_MODELS_OBSERVE_PACKETS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t id, above;      /* .above: id of the parent; 0 if none */
    char *name;              /* owned */
    int64_t rank;            /* order among its siblings */
    gboolean counts, orders; /* a counter; its children have a .rank */
    GArray *counted;         /* owned, of PacketCount */
} PacketTrack;

typedef struct {
    uint64_t at_ns;
    double value;
} PacketCount;

typedef struct {
    const PacketTrack *track;
    const char *name, *category; /* borrowed */
    uint64_t from_ns, to_ns;
    gboolean ends;
    GHashTable *args; /* owned: name to PacketArg */
    GHashTable *end_args;
} PacketSlice;

typedef enum { PACKET_NUMBER, PACKET_BOOL, PACKET_TEXT } PacketArgType;

typedef struct {
    PacketArgType type;
    uint64_t number;
    char *text; /* owned */
} PacketArg;

typedef struct {
    GHashTable *names[4]; /* owned: number to text, by field of InternedData */
    GHashTable *tracks;   /* id to PacketTrack */
    GPtrArray *slices;    /* of PacketSlice, in the order of their start */
    GPtrArray *notes;     /* of PacketSlice without duration */
} Packets;

Packets *packets_read(const uint8_t *bytes, gsize n);
void packets_free(Packets *packets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Packets, packets_free)

static inline const PacketSlice *packet_slice(const Packets *p, guint i)
{
    return g_ptr_array_index(p->slices, i);
}

/* Returns the track @id, or NULL if there is none. */
const PacketTrack *packet_track(const Packets *packets, uint64_t id);
/* Returns the track called @name in @above, or NULL if there is none. */
const PacketTrack *packet_track_called(const Packets *packets, uint64_t above,
                                       const char *name);
/* Returns the argument @name, or 0 if it is absent. */
uint64_t packet_number(GHashTable *args, const char *name);

#endif
