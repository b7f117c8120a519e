/*
 * slots.h - lists of chunks of entries, and which are used; for queue/ only
 */
#ifndef SIM_CORE_QUEUE_SLOTS_H
#define SIM_CORE_QUEUE_SLOTS_H

#include "sim/core/queue/parts_impl.h"

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

/* QUEUE_NONE: none is set. */
static inline uint32_t queue_first_bit(const QueueBits *bits)
{
    uint32_t word;

    if (bits->words == 0)
        return QUEUE_NONE;
    word = (uint32_t)__builtin_ctzll(bits->words);
    return word * 64 + (uint32_t)__builtin_ctzll(bits->used[word]);
}

static inline gboolean queue_is_full(QueueSlot slot)
{
    return slot.at % QUEUE_CHUNK_BYTES == 0;
}

/* The last chunk of @slot, which is not empty; its .next is the first. */
static inline QueueChunk *queue_tail(QueueSlot slot)
{
    return (gpointer)((slot.at - 1) & ~(guintptr)(QUEUE_CHUNK_BYTES - 1));
}

/* Lets who reads it chunk by chunk see where it ends. */
static inline void queue_mark_end(QueueSlot slot)
{
    if (!queue_is_full(slot))
        slot.near->low = QUEUE_NONE;
}

static inline void queue_free_chunk(SimQueue *queue, QueueChunk *chunk)
{
    chunk->next = queue->free;
    queue->free = chunk;
}

/* All chunks up to @tail, which end there and begin behind it. */
static inline void queue_free_chunks(SimQueue *queue, QueueChunk *tail)
{
    QueueChunk *head = tail->next;

    tail->next = queue->free;
    queue->free = head;
}

static inline void queue_put(QueueSlot *slot, uint32_t low, SimEventFn fn,
                             gpointer self, uint32_t arg)
{
    *slot->near++ = (QueueEntry){ low, arg, fn, self };
}

/* What ends with @tail, is in order and marked, is what runs. */
static inline void queue_run_in_place(SimQueue *queue, QueueChunk *tail)
{
    queue->part.at = tail->next;
    queue->part.last = tail;
    queue->next = tail->next->near;
}

/* One more chunk, behind the last of @slot. */
QueueChunk *queue_new_chunk(SimQueue *queue, QueueSlot slot);
/* Into the wheel, where the slot has no room. */
void queue_push_and_lengthen(SimQueue *queue, uint64_t key, SimEventFn fn,
                             gpointer self, uint32_t arg);

/* Into the wheel; not of the open window. */
static inline void queue_push_near(SimQueue *queue, uint64_t key, SimEventFn fn,
                                   gpointer self, uint32_t arg)
{
    QueueSlot *slot =
        &queue->wheel[(key >> QUEUE_WINDOW_BITS) % (2 * QUEUE_N_SLOTS)];

    queue->recent_key = key;
    queue->recent = slot;
    if (queue_is_full(*slot))
        queue_push_and_lengthen(queue, key, fn, self, arg);
    else
        queue_put(slot, (uint32_t)key % QUEUE_WINDOW_SIZE, fn, self, arg);
}

#endif
