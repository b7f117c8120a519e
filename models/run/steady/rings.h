/*
 * rings.h - iterations that differ only in which way round rings chunks go
 *
 * A chunk goes the way that has had fewer bytes (chunk.c), so that an iteration
 * hangs on how uneven those before have left the ways.  But which ways its
 * chunks will go follows from sizes and order alone; and where all are turned
 * round that go along a dimension, the ring is mirrored: all happens at the
 * same time, on the other link.  Between two moments at which nothing is under
 * way each dimension may be mirrored or not.
 *
 * So of an iteration the chunks are kept as they are made, with the moments at
 * which nothing was under way, and what links had counted by then.  Of those
 * that follow it is worked out which ways the same chunks would go.
 *
 * Units    bytes
 */
#ifndef MODELS_RUN_STEADY_RINGS_H
#define MODELS_RUN_STEADY_RINGS_H

#include "models/run/chunk_impl.h"

typedef struct {
    System *system; /* borrowed */
    gboolean is_on, is_lost;
    GArray *chunks; /* owned: of RingChunk, of this iteration */
    GArray *rests;  /* owned: of RingRest, the first at its begin */
    GArray *counts; /* owned: of SimWide: what links had counted at each */
    GArray *next;   /* owned: of uint32_t: the ways that chunks would go */
    Ways *after;    /* owned: how they would leave the ways, one an audience */
    guint n_counts; /* at each rest */
    uint64_t most_bytes;
} Rings;

void rings_init(Rings *rings, System *system);
void rings_clear(Rings *rings);

/* An iteration begins; nothing is under way, nor is any message or chunk of
 * more than @most_bytes. */
void rings_begin(Rings *rings, uint64_t most_bytes);
/* It is not to be kept, or no more. */
void rings_stop(Rings *rings);
/* A chunk was made, and is not under way yet. */
void rings_made(Rings *rings, const Chunk *chunk);
/* Likewise @n of full size, the first by number @first of @coll, that are not
 * simulated.  The ways are as uneven afterwards as before. */
void rings_skip(Rings *rings, const CollInstance *coll, uint32_t first,
                uint64_t n);

/* So many of the next @most iterations go as that which is at its end, but for
 * mirrored rings.  @grows (of SimWide): of what counts, the network's last;
 * what it grew, which becomes what they will.  0: none does. */
uint64_t rings_repeat(Rings *rings, uint64_t most, GArray *grows);
/* They are not simulated: chunks have gone those ways. */
void rings_go_on(const Rings *rings);
/* Chunks were made as rings_repeat() said of the last of its iterations. */
gboolean rings_are_as_foretold(const Rings *rings);

#endif
