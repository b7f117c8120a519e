/*
 * recorded_admissions.h - requests for room and slots that ACE granted or
 * refused
 *
 * The size of a partition and the number of its FSM slots enter a run only in
 * comparisons: is there room for so many bytes, is a slot free.  The granted
 * and refused requests therefore determine for which other sizes and numbers
 * every comparison would have had the same result.
 *
 * Units    bytes; slots of FSMs
 * Owner    all NPUs of a run share one, which is zeroed before
 */
#ifndef MODELS_ENDPOINTS_ACE_RECORDED_ADMISSIONS_H
#define MODELS_ENDPOINTS_ACE_RECORDED_ADMISSIONS_H

#include "models/endpoints/ace/sram_occupancy.h"

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
} AcePartitionNotes;

typedef struct {
    AcePartitionNotes partitions[ACE_MAX_PARTITIONS];
    gboolean has_queued; /* some message had to wait for an ALU */
} AceRunNotes;

static inline uint64_t
ace_smallest_recorded_bytes(gboolean is_first, uint64_t known, uint64_t bytes)
{
    return is_first ? bytes : MIN(known, bytes);
}

/* Records whether a request that would fill @partition to @bytes had room. */
static inline void ace_notes_record_room_request(AceRunNotes *notes,
                                                 uint32_t partition,
                                                 uint64_t bytes,
                                                 gboolean has_room)
{
    AcePartitionNotes *note = &notes->partitions[partition];

    if (has_room)
        note->most_bytes = MAX(note->most_bytes, bytes);
    else
        note->refused_bytes = ace_smallest_recorded_bytes(
            note->refused_bytes == 0, note->refused_bytes, bytes);
}

/* Records a request that would fill @partition to @bytes, while no slot was
 * free. */
static inline void ace_notes_record_no_free_slot(AceRunNotes *notes,
                                                 uint32_t partition,
                                                 uint64_t bytes)
{
    AcePartitionNotes *note = &notes->partitions[partition];

    note->full_bytes =
        ace_smallest_recorded_bytes(!note->was_full, note->full_bytes, bytes);
    note->was_full = TRUE;
}

static inline void ace_notes_record_slots_in_use(AceRunNotes *notes,
                                                 uint32_t partition,
                                                 uint64_t n_taken)
{
    AcePartitionNotes *note = &notes->partitions[partition];

    note->most_slots = MAX(note->most_slots, n_taken);
}

#endif
