/* partition_free_space.c - checks whether partitions of ACE have room and free
 * FSM slots, and records the results */
#include "models/endpoints/ace/ace_impl.h"
#include "models/endpoints/ace/held_chunk_bytes.h"

gboolean ace_partition_has_free_slot(const Ace *ace, uint32_t partition)
{
    return partition == ace->terminal || ace->partitions[partition].n_used <
                                             ace->partitions[partition].n_slots;
}

/* Returns the room that @chunk requests for @phase.  It has had room in the
 * first partition since intake. */
static uint64_t partition_bytes_requested_by_chunk(const Ace *ace,
                                                   const Chunk *chunk,
                                                   uint32_t phase)
{
    return phase == 0
               ? 0
               : ace_bytes_held_in_partition(chunk, ace->base.host->id, phase);
}

/* Records that all slots of @partition are taken, and the fill level that it
 * would have reached if a slot had been free. */
static void record_no_free_slot(const Ace *ace, uint32_t partition,
                                uint64_t bytes)
{
    if (ace->notes)
        ace_notes_record_no_free_slot(
            ace->notes, partition,
            bytes > 0 ? ace->sram.partitions[partition].used_bytes + bytes : 0);
}

gboolean ace_check_and_record_room(const Ace *ace, uint32_t partition,
                                   uint64_t bytes)
{
    gboolean has_room = ace_sram_has_free_bytes(&ace->sram, partition, bytes);

    if (ace->notes)
        ace_notes_record_room_request(
            ace->notes, partition,
            ace->sram.partitions[partition].used_bytes + bytes, has_room);
    return has_room;
}

gboolean ace_partition_has_room(const Ace *ace, const Chunk *chunk,
                                uint32_t phase, uint32_t partition)
{
    uint64_t bytes = partition_bytes_requested_by_chunk(ace, chunk, phase);

    if (!ace_partition_has_free_slot(ace, partition)) {
        record_no_free_slot(ace, partition, bytes);
        return FALSE;
    }
    return bytes == 0 || ace_check_and_record_room(ace, partition, bytes);
}

gboolean ace_may_admit_chunk(Endpoint *endpoint, uint64_t bytes)
{
    const Ace *ace = (gconstpointer)endpoint;

    return ace_check_and_record_room(ace, 0, bytes);
}
