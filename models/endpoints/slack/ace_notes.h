/*
 * ace_notes.h - what room and slots ACE was asked for, and what it refused
 *
 * The size of a partition and the number of its FSM slots enter a run nowhere
 * but in comparisons: is there room for so many bytes, is there a slot.  So
 * what was granted and refused says for which sizes and numbers each of them
 * would have come out as it did.
 *
 * Units    bytes; slots of FSMs
 * Owner    all NPUs of a run share one, zeroed before
 */
#ifndef MODELS_ENDPOINTS_SLACK_ACE_NOTES_H
#define MODELS_ENDPOINTS_SLACK_ACE_NOTES_H

#include "models/endpoints/ace_sram.h"

/* Of a partition. */
typedef struct {
    uint64_t most_bytes;    /* that it was found to have room for */
    uint64_t refused_bytes; /* the least that it had none for, with a slot
                               free; 0: it always had */
    /* Likewise with no slot free; 0: what asked needs none. */
    uint64_t full_bytes;
    uint64_t most_slots; /* taken at once */
    gboolean was_full;   /* something wanted a slot, and all were taken */
} AceNote;

typedef struct {
    AceNote of[ACE_MAX_PARTITIONS];
    gboolean has_queued; /* a message, for an ALU */
} AceNotes;

static inline uint64_t ace_notes_least(gboolean is_first, uint64_t known,
                                       uint64_t bytes)
{
    return is_first ? bytes : MIN(known, bytes);
}

/* A partition was asked for room until it holds @bytes. */
static inline void ace_notes_room(AceNotes *notes, uint32_t partition,
                                  uint64_t bytes, gboolean has_room)
{
    AceNote *note = &notes->of[partition];

    if (has_room)
        note->most_bytes = MAX(note->most_bytes, bytes);
    else
        note->refused_bytes = ace_notes_least(note->refused_bytes == 0,
                                              note->refused_bytes, bytes);
}

/* Something wanted a slot of a partition, too, and there was none. */
static inline void ace_notes_full(AceNotes *notes, uint32_t partition,
                                  uint64_t bytes)
{
    AceNote *note = &notes->of[partition];

    note->full_bytes =
        ace_notes_least(!note->was_full, note->full_bytes, bytes);
    note->was_full = TRUE;
}

static inline void ace_notes_slots(AceNotes *notes, uint32_t partition,
                                   uint64_t n_taken)
{
    AceNote *note = &notes->of[partition];

    note->most_slots = MAX(note->most_slots, n_taken);
}

#endif
