/* queue_slots.c - allocates chunks and appends them to slots;
 * see queue_slots.h */
#include "sim/core/queue/queue_slots.h"

#include "sim/core/cache_lines.h"

#define CHUNKS_OF_SLAB 64

static G_GNUC_NO_INLINE void allocate_chunk_slab(SimQueue *queue)
{
    guint8 *slab = cache_lines_alloc((CHUNKS_OF_SLAB + 2) * QUEUE_CHUNK_BYTES);
    QueueChunk *chunks = (gpointer)(((guintptr)slab + QUEUE_CHUNK_BYTES - 1) &
                                    ~(guintptr)(QUEUE_CHUNK_BYTES - 1));

    g_ptr_array_add(queue->slabs, slab);
    for (guint i = CHUNKS_OF_SLAB; i > 0; i--) {
        chunks[i].none = QUEUE_NONE;
        queue_free_chunk(queue, &chunks[i - 1]);
    }
    chunks[0].none = QUEUE_NONE;
}

QueueChunk *queue_append_chunk(SimQueue *queue, QueueSlot slot)
{
    QueueChunk *chunk, *tail;

    if (G_UNLIKELY(!queue->free))
        allocate_chunk_slab(queue);
    chunk = queue->free;
    queue->free = chunk->next;
    if (slot.address == 0) {
        chunk->next = chunk;
        return chunk;
    }
    tail = queue_slot_last_chunk(slot);
    chunk->next = tail->next;
    tail->next = chunk;
    return chunk;
}

void queue_push_into_new_chunk(SimQueue *queue, uint64_t key, SimEventFn fn,
                               gpointer self, uint32_t arg)
{
    uint32_t half = (uint32_t)(key >> QUEUE_PAGE_BITS) % 2;
    uint32_t i = (uint32_t)(key >> QUEUE_WINDOW_BITS) % QUEUE_N_SLOTS;
    QueueSlot *slot = &queue->wheel[half * QUEUE_N_SLOTS + i];

    if (slot->address == 0)
        queue_set_bit(&queue->wheel_used[half], i);
    slot->near = queue_append_chunk(queue, *slot)->near;
    queue_append_entry(slot, (uint32_t)key % QUEUE_WINDOW_SIZE, fn, self, arg);
}
