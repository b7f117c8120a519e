/*
 * ring_mirror.h - predicts iterations that differ only in ring directions
 *
 * A chunk takes the direction round a ring that has carried fewer bytes
 * (chunk.c).  So an iteration depends on the imbalance that earlier iterations
 * left.  But the directions follow from the sizes and the order of the chunks
 * alone.  If all chunks that use a dimension are reversed, the ring is
 * mirrored: everything happens at the same time, on the opposite link.  A rest
 * is a moment at which nothing is in flight.  Between two rests, each dimension
 * may be mirrored or not.
 *
 * So the chunks of an iteration are recorded as they are made, together with
 * the rests and what the links had counted by then.  From these the directions
 * of the same chunks in the iterations that follow are computed.
 *
 * Units    bytes
 */
#ifndef MODELS_RUN_STEADY_RING_MIRROR_H
#define MODELS_RUN_STEADY_RING_MIRROR_H

#include "models/run/chunk_impl.h"

typedef struct {
    System *system; /* borrowed */
    gboolean is_on, is_lost;
    GArray *chunks; /* owned: of RingChunk, of this iteration */
    GArray *rests;  /* owned: of RingRest, the first at the iteration's
                     * beginning */
    GArray *counts; /* owned: of SimWide: counts of the links at each rest */
    GArray *next;   /* owned: of uint32_t: predicted directions of the chunks */
    RingBytes *after; /* owned: predicted bytes in each direction, one an
                       * audience */
    guint n_counts;   /* counts at each rest */
    uint64_t most_bytes;
} RingMirror;

void ring_mirror_init(RingMirror *mirror, System *system);
void ring_mirror_clear(RingMirror *mirror);

/* Begins to record an iteration.  Nothing may be in flight, and no message or
 * chunk may be larger than @most_bytes. */
void ring_mirror_begin(RingMirror *mirror, uint64_t most_bytes);
/* Ends recording, and drops what was recorded. */
void ring_mirror_stop(RingMirror *mirror);
/* Records a chunk that was just made and is not in flight yet. */
void ring_mirror_add_chunk(RingMirror *mirror, const Chunk *chunk);
/* Records @n chunks of full size of @coll that are not simulated, from number
 * @first on.  The bytes in each direction stay unchanged. */
void ring_mirror_add_skipped(RingMirror *mirror, const CollInstance *coll,
                             uint32_t first, uint64_t n);

/* Returns how many of the next @most iterations repeat the one that is at its
 * end, but for mirrored rings; 0 if none does.  @grows (of SimWide) is the
 * growth of each count in this iteration, those of the network last.  On return
 * it is the growth in all iterations that repeat. */
uint64_t ring_mirror_count_repeats(RingMirror *mirror, uint64_t most,
                                   GArray *grows);
/* Sets the bytes in each direction to those after the iterations of the last
 * ring_mirror_count_repeats(). */
void ring_mirror_advance(const RingMirror *mirror);
/* Returns whether the recorded chunks took the directions that
 * ring_mirror_count_repeats() predicted for the last of its iterations. */
gboolean ring_mirror_is_as_predicted(const RingMirror *mirror);

#endif
