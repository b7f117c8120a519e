/*
 * radix_heap.c - entries of pages after the edge: a monotone radix heap
 *
 * Page numbers are split into digits.  Level l holds the entries whose highest
 * digit that differs from the edge is digit l, in the slot for the value of
 * that digit.  When the edge enters a slot, the entries of the slot move to
 * lower levels or into the wheel.
 */
#include "sim/core/queue/queue_slots.h"

static uint32_t radix_heap_level_of_key(const SimQueue *queue, uint64_t page)
{
    return (uint32_t)(63 - __builtin_clzll(page ^ queue->edge)) /
           QUEUE_DIGIT_BITS;
}

static uint32_t page_digit_at_level(uint64_t page, uint32_t level)
{
    return (uint32_t)(page >> (QUEUE_DIGIT_BITS * level)) % QUEUE_N_DIGITS;
}

void queue_push_beyond_edge(SimQueue *queue, const SimEvent *event)
{
    uint64_t page = event->key >> QUEUE_PAGE_BITS;
    uint32_t level = radix_heap_level_of_key(queue, page);
    uint32_t digit = page_digit_at_level(page, level);
    QueueSlot *slot = &queue->far[level][digit];

    queue->far_used[level] |= UINT64_C(1) << digit;
    queue->levels |= 1U << level;
    if (queue_is_last_chunk_full(*slot))
        slot->far = queue_append_chunk(queue, *slot)->far;
    *slot->far++ = *event;
}

static void clear_radix_slot(SimQueue *queue, uint32_t level, uint32_t digit)
{
    queue->far[level][digit] = (QueueSlot){ NULL };
    queue->far_used[level] &= ~(UINT64_C(1) << digit);
    if (queue->far_used[level] == 0)
        queue->levels &= ~(1U << level);
}

/* Pushes the entries of @slot again in their order.  The slot must already be
 * unlinked. */
static void push_slot_entries_again(SimQueue *queue, QueueSlot slot)
{
    QueueChunk *tail = queue_slot_last_chunk(slot), *chunk = tail->next;
    gboolean is_last;

    do {
        QueueChunk copy = *chunk;
        const SimEvent *end = &copy.far[G_N_ELEMENTS(copy.far)];

        is_last = chunk == tail;
        if (is_last)
            end = &copy.far[slot.far - tail->far];
        queue_free_chunk(queue, chunk);
        for (const SimEvent *event = copy.far; event < end; event++)
            if (event->key >> QUEUE_PAGE_BITS <= queue->edge)
                queue_push_into_wheel(queue, event->key, event->fn, event->self,
                                      event->arg);
            else
                queue_push_beyond_edge(queue, event);
        chunk = copy.next;
    } while (!is_last);
}

void queue_move_wheel_edge(SimQueue *queue, uint64_t page)
{
    uint32_t level = radix_heap_level_of_key(queue, page);
    uint32_t digit = page_digit_at_level(page, level);
    QueueSlot slot = queue->far[level][digit];

    queue->edge = page;
    if (slot.address == 0)
        return;
    clear_radix_slot(queue, level, digit);
    push_slot_entries_again(queue, slot);
}

uint64_t queue_min_key_beyond_wheel(const SimQueue *queue)
{
    uint32_t level = (uint32_t)__builtin_ctz(queue->levels);
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->far_used[level]);
    QueueSlot slot = queue->far[level][digit];
    const QueueChunk *chunk = queue_slot_last_chunk(slot);
    const SimEvent *end = slot.far;
    uint64_t least = UINT64_MAX;

    do {
        for (const SimEvent *event = chunk->far; event < end; event++)
            least = MIN(least, event->key);
        chunk = chunk->next;
        end = &chunk->far[G_N_ELEMENTS(chunk->far)];
    } while (chunk != queue_slot_last_chunk(slot));
    return least;
}
