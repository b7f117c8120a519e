/*
 * queue_slots.h - lists of chunks of entries, and the bit set of used lists;
 * private to queue/
 */
#ifndef SIM_CORE_QUEUE_QUEUE_SLOTS_H
#define SIM_CORE_QUEUE_QUEUE_SLOTS_H

#include "sim/core/queue/queue_state_impl.h"

static inline void queue_set_bit(QueueBits *bits, uint32_t i)
{
    bits->used[i / 64] |= UINT64_C(1) << i % 64;
    bits->words |= UINT64_C(1) << i / 64;
}

static inline void queue_clear_bit(QueueBits *bits, uint32_t i)
{
    bits->used[i / 64] &= ~(UINT64_C(1) << i % 64);
    if (bits->used[i / 64] == 0)
        bits->words &= ~(UINT64_C(1) << i / 64);
}

/* Returns the index of the first set bit, or QUEUE_NONE if no bit is set. */
static inline uint32_t queue_find_first_bit(const QueueBits *bits)
{
    uint32_t word;

    if (bits->words == 0)
        return QUEUE_NONE;
    word = (uint32_t)__builtin_ctzll(bits->words);
    return word * 64 + (uint32_t)__builtin_ctzll(bits->used[word]);
}

static inline gboolean queue_is_last_chunk_full(QueueSlot slot)
{
    return slot.address % QUEUE_CHUNK_BYTES == 0;
}

/* Returns the last chunk of @slot, which must not be empty.  The .next of the
 * last chunk is the first chunk. */
static inline QueueChunk *queue_slot_last_chunk(QueueSlot slot)
{
    return (gpointer)((slot.address - 1) & ~(guintptr)(QUEUE_CHUNK_BYTES - 1));
}

/* Writes an end mark after the last entry, for code that reads chunk by
 * chunk. */
static inline void queue_mark_slot_end(QueueSlot slot)
{
    if (!queue_is_last_chunk_full(slot))
        slot.near->low = QUEUE_NONE;
}

static inline void queue_free_chunk(SimQueue *queue, QueueChunk *chunk)
{
    chunk->next = queue->free;
    queue->free = chunk;
}

/* Frees all chunks of the ring whose last chunk is @tail. */
static inline void queue_free_chunks(SimQueue *queue, QueueChunk *tail)
{
    QueueChunk *head = tail->next;

    tail->next = queue->free;
    queue->free = head;
}

static inline void queue_append_entry(QueueSlot *slot, uint32_t low,
                                      SimEventFn fn, gpointer self,
                                      uint32_t arg)
{
    *slot->near++ = (QueueEntry){ low, arg, fn, self };
}

/* Makes the chunks of the ring that ends with @tail the ones to pop.  They must
 * be sorted and end-marked. */
static inline void queue_pop_chunks_in_place(SimQueue *queue, QueueChunk *tail)
{
    queue->part.chunk = tail->next;
    queue->part.last = tail;
    queue->next = tail->next->near;
}

/* Appends an empty chunk to @slot and returns it. */
QueueChunk *queue_append_chunk(SimQueue *queue, QueueSlot slot);
/* Appends an entry to its slot of the wheel, in a new chunk because the last
 * chunk is full. */
void queue_push_into_new_chunk(SimQueue *queue, uint64_t key, SimEventFn fn,
                               gpointer self, uint32_t arg);

/* Appends an entry to its slot of the wheel.  The key must not belong to the
 * open window. */
static inline void queue_push_into_wheel(SimQueue *queue, uint64_t key,
                                         SimEventFn fn, gpointer self,
                                         uint32_t arg)
{
    QueueSlot *slot =
        &queue->wheel[(key >> QUEUE_WINDOW_BITS) % (2 * QUEUE_N_SLOTS)];

    queue->recent_key = key;
    queue->recent = slot;
    if (queue_is_last_chunk_full(*slot))
        queue_push_into_new_chunk(queue, key, fn, self, arg);
    else
        queue_append_entry(slot, (uint32_t)key % QUEUE_WINDOW_SIZE, fn, self,
                           arg);
}

#endif
