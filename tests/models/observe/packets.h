/*
 * packets.h - a trace of Perfetto's protobuf, read back to the letter
 *
 * Knows nothing of who wrote it: fields are read one by one, clocks and names
 * as perfetto.dev has them.  What is not as it should be fails the test.
 *
 * Units    ns, as the trace has them
 */
#ifndef TESTS_MODELS_OBSERVE_PACKETS_H
#define TESTS_MODELS_OBSERVE_PACKETS_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint64_t id, above;      /* 0: none */
    char *name;              /* owned */
    int64_t rank;            /* among those beside it */
    gboolean counts, orders; /* what is in it */
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
    GHashTable *names[4]; /* by field of InternedData: number to text */
    GHashTable *tracks;   /* id to PacketTrack */
    GPtrArray *slices;    /* of PacketSlice, as they begin */
    GPtrArray *notes;     /* likewise, of no duration */
} Packets;

Packets *packets_read(const uint8_t *bytes, gsize n);
void packets_free(Packets *packets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Packets, packets_free)

static inline const PacketSlice *packet_slice(const Packets *p, guint i)
{
    return g_ptr_array_index(p->slices, i);
}

/* NULL: there is none. */
const PacketTrack *packet_track(const Packets *packets, uint64_t id);
/* That called @name in @above. */
const PacketTrack *packet_track_called(const Packets *packets, uint64_t above,
                                       const char *name);
/* 0: it is not there. */
uint64_t packet_number(GHashTable *args, const char *name);

#endif
