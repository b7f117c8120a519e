/*
 * queue_windows.c - opens a window: brings the entries of its slot into order
 *
 * A slot that is already sorted is popped in place; any other slot is sorted
 * into .run.
 */
#include "sim/core/queue/queue_slots.h"

/* Sorts a small number of entries by insertion, which is stable. */
static void insertion_sort_entries(QueueEntry *entries, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        QueueEntry entry = entries[i];
        uint32_t at = i;

        for (; at > 0 && entries[at - 1].low > entry.low; at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

#define SORT_BITS ((QUEUE_WINDOW_BITS + 1) / 2)
#define SORT_MASK ((1U << SORT_BITS) - 1)
/* The largest number of entries that one pass sorts: two per value of
 * SORT_BITS bits. */
#define SORT_ONCE 128

G_STATIC_ASSERT(QUEUE_WINDOW_BITS <= 2 * SORT_BITS && SORT_ONCE <= UINT8_MAX);

/* Sorts stably by the SORT_BITS bits of the key that begin at bit @shift. */
static void radix_sort_by_bits(const QueueEntry *from, QueueEntry *to,
                               uint32_t n, uint32_t shift)
{
    uint32_t at[1 << SORT_BITS] = { 0 }, sum = 0;

    for (uint32_t i = 0; i < n; i++)
        at[from[i].low >> shift & SORT_MASK]++;
    for (uint32_t d = 0; d <= SORT_MASK; d++) {
        uint32_t n_here = at[d];

        at[d] = sum;
        sum += n_here;
    }
    for (uint32_t i = 0; i < n; i++)
        to[at[from[i].low >> shift & SORT_MASK]++] = from[i];
}

/* Multiplying a byte by this copies it into each byte of a word. */
#define ALL_BYTES (UINT64_MAX / UINT8_MAX)

/* Sorts stably by the upper SORT_BITS bits, if each position fits into a byte.
 * One multiplication adds up eight counts. */
static void radix_sort_by_upper_bits(const QueueEntry *from, QueueEntry *to,
                                     uint32_t n)
{
    union {
        guint8 at[1 << SORT_BITS];
        uint64_t words[(1 << SORT_BITS) / 8];
    } place = { .words = { 0 } };
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        place.at[from[i].low >> SORT_BITS]++;
    for (guint w = 0; w < G_N_ELEMENTS(place.words); w++) {
        uint64_t n_each = GUINT64_FROM_LE(place.words[w]);
        uint64_t until = n_each * ALL_BYTES + sum * ALL_BYTES;

        place.words[w] = GUINT64_TO_LE(until - n_each);
        sum = until >> 56;
    }
    for (uint32_t i = 0; i < n; i++)
        to[place.at[from[i].low >> SORT_BITS]++] = from[i];
}

/* Sorts .run.  A small number of entries is nearly sorted after the upper bits
 * alone, so an insertion sort does the rest. */
static G_GNUC_NO_INLINE void sort_queue_run_buffer(SimQueue *queue, uint32_t n)
{
    QueueEntry *sorted = queue->sorting;

    if (n > SORT_ONCE) {
        radix_sort_by_bits(queue->run, sorted, n, 0);
        radix_sort_by_bits(sorted, queue->run, n, SORT_BITS);
        return;
    }
    radix_sort_by_upper_bits(queue->run, sorted, n);
    queue->sorting = queue->run;
    queue->run = sorted;
    insertion_sort_entries(sorted, n);
}

/* Doubles the length of .run and .sorting. */
static G_GNUC_NO_INLINE void grow_sort_buffers(SimQueue *queue)
{
    queue->run_allocated *= 2;
    queue->run = g_renew(QueueEntry, queue->run, queue->run_allocated);
    queue->sorting = g_renew(QueueEntry, queue->sorting, queue->run_allocated);
}

/* Copies the entries of the ring that ends with @tail to .run, sorts them and
 * makes them the ones to pop. */
static G_GNUC_NO_INLINE void move_ring_to_sorted_run(SimQueue *queue,
                                                     QueueChunk *tail)
{
    QueueChunk *chunk = tail;
    uint32_t n = 0;

    do {
        const QueueEntry *from;

        chunk = chunk->next;
        if (n + G_N_ELEMENTS(chunk->near) >= queue->run_allocated)
            grow_sort_buffers(queue);
        for (from = chunk->near; from->low != QUEUE_NONE; from++)
            queue->run[n++] = *from;
    } while (chunk != tail);
    queue_free_chunks(queue, tail);
    if (n <= QUEUE_FEW)
        insertion_sort_entries(queue->run, n);
    else
        sort_queue_run_buffer(queue, n);
    queue->run[n].low = QUEUE_NONE;
    queue->next = queue->run;
    queue->part = (QueuePosition){ .next = NULL };
}

/* Returns whether the full @chunk is sorted, without a branch per entry. */
static inline gboolean is_full_chunk_sorted(const QueueChunk *chunk)
{
    uint32_t n_falls = 0;

#pragma GCC unroll 10
    for (guint i = 1; i < G_N_ELEMENTS(chunk->near); i++)
        n_falls += chunk->near[i].low < chunk->near[i - 1].low;
    return n_falls == 0;
}

/* Returns whether the ring that ends with @tail is sorted.  Its end must be
 * marked. */
static inline gboolean is_chunk_ring_sorted(const QueueChunk *tail)
{
    const QueueChunk *chunk = tail->next;
    uint32_t low = 0;

    for (; chunk != tail; chunk = chunk->next) {
        if (chunk->near[0].low < low || !is_full_chunk_sorted(chunk))
            return FALSE;
        low = chunk->near[G_N_ELEMENTS(chunk->near) - 1].low;
    }
    for (const QueueEntry *entry = tail->near; entry->low != QUEUE_NONE;
         entry++) {
        if (entry->low < low)
            return FALSE;
        low = entry->low;
    }
    return TRUE;
}

/* Makes the entries of @slot the ones to pop. */
static inline void pop_window_slot(SimQueue *queue, QueueSlot slot)
{
    QueueChunk *tail = queue_slot_last_chunk(slot);

    queue_mark_slot_end(slot);
    if (is_chunk_ring_sorted(tail))
        queue_pop_chunks_in_place(queue, tail);
    else
        move_ring_to_sorted_run(queue, tail);
}

/* Sets *@ret to the half of the wheel with the first used window.  Returns
 * FALSE if the wheel is empty. */
static inline gboolean find_wheel_half_of_first_window(const SimQueue *queue,
                                                       uint32_t *ret)
{
    *ret = (queue->edge + 1) % 2;
    if (queue->wheel_used[*ret].words == 0)
        *ret ^= 1;
    return queue->wheel_used[*ret].words != 0;
}

/* Returns the smallest key of slot @i of @half. */
static inline uint64_t window_base_key(const SimQueue *queue, uint32_t half,
                                       uint32_t i)
{
    uint64_t page = queue->edge - (half != queue->edge % 2);

    return page << QUEUE_PAGE_BITS | (uint64_t)i << QUEUE_WINDOW_BITS;
}

gboolean queue_open_next_window(SimQueue *queue)
{
    uint32_t half, i;
    QueueSlot slot;

    if (!find_wheel_half_of_first_window(queue, &half)) {
        if (queue->levels == 0)
            return FALSE;
        queue_move_wheel_edge(queue, queue_min_key_beyond_wheel(queue) >>
                                         QUEUE_PAGE_BITS);
        (void)find_wheel_half_of_first_window(queue, &half);
    }
    i = queue_find_first_bit(&queue->wheel_used[half]);
    slot = queue->wheel[half * QUEUE_N_SLOTS + i];
    queue->base = window_base_key(queue, half, i);
    queue->wheel[half * QUEUE_N_SLOTS + i] = (QueueSlot){ NULL };
    queue_clear_bit(&queue->wheel_used[half], i);
    if (queue->part.chunk)
        queue_free_chunk(queue, queue->part.chunk);
    pop_window_slot(queue, slot);
    if (queue->base >> QUEUE_PAGE_BITS == queue->edge)
        queue_move_wheel_edge(queue, queue->edge + 1);
    return TRUE;
}

/* Returns the smallest key in the first used slot of @half, which must not be
 * empty. */
static uint64_t min_key_in_wheel_half(const SimQueue *queue, uint32_t half)
{
    uint32_t i = queue_find_first_bit(&queue->wheel_used[half]);
    QueueSlot slot = queue->wheel[half * QUEUE_N_SLOTS + i];
    const QueueChunk *chunk = queue_slot_last_chunk(slot);
    const QueueEntry *end = slot.near;
    uint32_t least = QUEUE_NONE;

    do {
        for (const QueueEntry *entry = chunk->near; entry < end; entry++)
            least = MIN(least, entry->low);
        chunk = chunk->next;
        end = &chunk->near[G_N_ELEMENTS(chunk->near)];
    } while (chunk != queue_slot_last_chunk(slot));
    return window_base_key(queue, half, i) | least;
}

uint64_t queue_min_waiting_key(const SimQueue *queue)
{
    uint32_t half;

    if (find_wheel_half_of_first_window(queue, &half))
        return min_key_in_wheel_half(queue, half);
    return queue->levels == 0 ? UINT64_MAX : queue_min_key_beyond_wheel(queue);
}
