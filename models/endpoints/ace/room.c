/* room.c - checks whether partitions of ACE have room and free FSM slots, and
 * records the results */
#include "models/endpoints/ace/ace_impl.h"
#include "models/endpoints/ace/held_bytes.h"

gboolean ace_has_slot(const Ace *ace, uint32_t partition)
{
    return partition == ace->terminal || ace->partitions[partition].n_used <
                                             ace->partitions[partition].n_slots;
}

/* Returns the room that @chunk requests for @phase.  It has had room in the
 * first partition since intake. */
static uint64_t requested_bytes(const Ace *ace, const Chunk *chunk,
                                uint32_t phase)
{
    return phase == 0 ? 0 : ace_held_bytes(chunk, ace->base.host->id, phase);
}

/* Records that all slots of @partition are taken, and the fill level that it
 * would have reached if a slot had been free. */
static void note_full(const Ace *ace, uint32_t partition, uint64_t bytes)
{
    if (ace->notes)
        ace_notes_full(
            ace->notes, partition,
            bytes > 0 ? ace->sram.partitions[partition].used_bytes + bytes : 0);
}

gboolean ace_check_room(const Ace *ace, uint32_t partition, uint64_t bytes)
{
    gboolean has_room = ace_sram_has_room(&ace->sram, partition, bytes);

    if (ace->notes)
        ace_notes_room(ace->notes, partition,
                       ace->sram.partitions[partition].used_bytes + bytes,
                       has_room);
    return has_room;
}

gboolean ace_has_room(const Ace *ace, const Chunk *chunk, uint32_t phase,
                      uint32_t partition)
{
    uint64_t bytes = requested_bytes(ace, chunk, phase);

    if (!ace_has_slot(ace, partition)) {
        note_full(ace, partition, bytes);
        return FALSE;
    }
    return bytes == 0 || ace_check_room(ace, partition, bytes);
}

gboolean ace_may_start(Endpoint *endpoint, uint64_t bytes)
{
    const Ace *ace = (gconstpointer)endpoint;

    return ace_check_room(ace, 0, bytes);
}
