/* ace_room.c - slots of FSMs, and room in partitions; what is found is noted */
#include "models/endpoints/ace_chunk.h"
#include "models/endpoints/ace_impl.h"

gboolean ace_has_slot(const Ace *ace, uint32_t partition)
{
    return partition == ace->terminal ||
           ace->of[partition].n_used < ace->of[partition].n_slots;
}

/* What of @chunk needs room in the partition of @phase: in the first it has it
 * since it was taken in. */
static uint64_t asked_bytes(const Ace *ace, const Chunk *chunk, uint32_t phase)
{
    return phase == 0 ? 0 : ace_held_bytes(chunk, ace->base.host->id, phase);
}

/* Notes that all slots are taken, and up to what the partition would have been
 * filled, had there been one. */
static void note_full(const Ace *ace, uint32_t partition, uint64_t bytes)
{
    if (ace->notes)
        ace_notes_full(ace->notes, partition,
                       bytes > 0 ? ace->sram.of[partition].used_bytes + bytes
                                 : 0);
}

gboolean ace_find_room(const Ace *ace, uint32_t partition, uint64_t bytes)
{
    gboolean has_room = ace_sram_has_room(&ace->sram, partition, bytes);

    if (ace->notes)
        ace_notes_room(ace->notes, partition,
                       ace->sram.of[partition].used_bytes + bytes, has_room);
    return has_room;
}

gboolean ace_has_room(const Ace *ace, const Chunk *chunk, uint32_t phase,
                      uint32_t partition)
{
    uint64_t bytes = asked_bytes(ace, chunk, phase);

    if (!ace_has_slot(ace, partition)) {
        note_full(ace, partition, bytes);
        return FALSE;
    }
    return bytes == 0 || ace_find_room(ace, partition, bytes);
}

gboolean ace_may_start(Endpoint *endpoint, uint64_t bytes)
{
    const Ace *ace = (gconstpointer)endpoint;

    return ace_find_room(ace, 0, bytes);
}
