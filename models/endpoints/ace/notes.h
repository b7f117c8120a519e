/*
 * notes.h - requests for room and slots that ACE granted or refused
 *
 * The size of a partition and the number of its FSM slots enter a run only in
 * comparisons: is there room for so many bytes, is a slot free.  The granted
 * and refused requests therefore determine for which other sizes and numbers
 * every comparison would have had the same result.
 *
 * Units    bytes; slots of FSMs
 * Owner    all NPUs of a run share one, which is zeroed before
 */
#ifndef MODELS_ENDPOINTS_ACE_NOTES_H
#define MODELS_ENDPOINTS_ACE_NOTES_H

#include "models/endpoints/ace/sram.h"

/* The requests for room and slots in one partition, over a run. */
typedef struct {
    uint64_t most_bytes; /* the highest fill level that was granted */
    /* The lowest fill level that was refused while a slot was free; 0: none
     * was. */
    uint64_t refused_bytes;
    /* The lowest fill level that was refused while no slot was free; 0: a
     * request that needs no bytes. */
    uint64_t full_bytes;
    uint64_t most_slots; /* maximum number of slots in use at one time */
    gboolean was_full;   /* a slot was requested while all were in use */
} AceNote;

typedef struct {
    AceNote partitions[ACE_MAX_PARTITIONS];
    gboolean has_queued; /* some message had to wait for an ALU */
} AceNotes;

static inline uint64_t ace_notes_least(gboolean is_first, uint64_t known,
                                       uint64_t bytes)
{
    return is_first ? bytes : MIN(known, bytes);
}

/* Records whether a request that would fill @partition to @bytes had room. */
static inline void ace_notes_room(AceNotes *notes, uint32_t partition,
                                  uint64_t bytes, gboolean has_room)
{
    AceNote *note = &notes->partitions[partition];

    if (has_room)
        note->most_bytes = MAX(note->most_bytes, bytes);
    else
        note->refused_bytes = ace_notes_least(note->refused_bytes == 0,
                                              note->refused_bytes, bytes);
}

/* Records a request that would fill @partition to @bytes, while no slot was
 * free. */
static inline void ace_notes_full(AceNotes *notes, uint32_t partition,
                                  uint64_t bytes)
{
    AceNote *note = &notes->partitions[partition];

    note->full_bytes =
        ace_notes_least(!note->was_full, note->full_bytes, bytes);
    note->was_full = TRUE;
}

static inline void ace_notes_slots(AceNotes *notes, uint32_t partition,
                                   uint64_t n_taken)
{
    AceNote *note = &notes->partitions[partition];

    note->most_slots = MAX(note->most_slots, n_taken);
}

#endif
