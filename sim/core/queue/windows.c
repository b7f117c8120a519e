/*
 * windows.c - opens a window: brings the entries of its slot into order
 *
 * A slot that is already sorted is popped in place; any other slot is sorted
 * into .run.
 */
#include "sim/core/queue/slots.h"

/* Sorts a small number of entries by insertion, which is stable. */
static void sort_few(QueueEntry *entries, uint32_t n)
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
static void sort_by(const QueueEntry *from, QueueEntry *to, uint32_t n,
                    uint32_t shift)
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
static void sort_by_first(const QueueEntry *from, QueueEntry *to, uint32_t n)
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
static G_GNUC_NO_INLINE void sort_many(SimQueue *queue, uint32_t n)
{
    QueueEntry *sorted = queue->sorting;

    if (n > SORT_ONCE) {
        sort_by(queue->run, sorted, n, 0);
        sort_by(sorted, queue->run, n, SORT_BITS);
        return;
    }
    sort_by_first(queue->run, sorted, n);
    queue->sorting = queue->run;
    queue->run = sorted;
    sort_few(sorted, n);
}

/* Doubles the length of .run and .sorting. */
static G_GNUC_NO_INLINE void grow_run(SimQueue *queue)
{
    queue->run_allocated *= 2;
    queue->run = g_renew(QueueEntry, queue->run, queue->run_allocated);
    queue->sorting = g_renew(QueueEntry, queue->sorting, queue->run_allocated);
}

/* Copies the entries of the ring that ends with @tail to .run, sorts them and
 * makes them the ones to pop. */
static G_GNUC_NO_INLINE void run_sorted(SimQueue *queue, QueueChunk *tail)
{
    QueueChunk *chunk = tail;
    uint32_t n = 0;

    do {
        const QueueEntry *from;

        chunk = chunk->next;
        if (n + G_N_ELEMENTS(chunk->near) >= queue->run_allocated)
            grow_run(queue);
        for (from = chunk->near; from->low != QUEUE_NONE; from++)
            queue->run[n++] = *from;
    } while (chunk != tail);
    queue_free_chunks(queue, tail);
    if (n <= QUEUE_FEW)
        sort_few(queue->run, n);
    else
        sort_many(queue, n);
    queue->run[n].low = QUEUE_NONE;
    queue->next = queue->run;
    queue->part = (QueuePosition){ .next = NULL };
}

/* Returns whether the full @chunk is sorted, without a branch per entry. */
static inline gboolean is_sorted_full(const QueueChunk *chunk)
{
    uint32_t n_falls = 0;

#pragma GCC unroll 10
    for (guint i = 1; i < G_N_ELEMENTS(chunk->near); i++)
        n_falls += chunk->near[i].low < chunk->near[i - 1].low;
    return n_falls == 0;
}

/* Returns whether the ring that ends with @tail is sorted.  Its end must be
 * marked. */
static inline gboolean is_sorted(const QueueChunk *tail)
{
    const QueueChunk *chunk = tail->next;
    uint32_t low = 0;

    for (; chunk != tail; chunk = chunk->next) {
        if (chunk->near[0].low < low || !is_sorted_full(chunk))
            return FALSE;
        low = chunk->near[G_N_ELEMENTS(chunk->near) - 1].low;
    }
    for (const QueueEntry *e = tail->near; e->low != QUEUE_NONE; e++) {
        if (e->low < low)
            return FALSE;
        low = e->low;
    }
    return TRUE;
}

/* Makes the entries of @slot the ones to pop. */
static inline void run_slot(SimQueue *queue, QueueSlot slot)
{
    QueueChunk *tail = queue_tail(slot);

    queue_mark_end(slot);
    if (is_sorted(tail))
        queue_pop_in_place(queue, tail);
    else
        run_sorted(queue, tail);
}

/* Sets *@ret to the half of the wheel with the first used window.  Returns
 * FALSE if the wheel is empty. */
static inline gboolean find_half(const SimQueue *queue, uint32_t *ret)
{
    *ret = (queue->edge + 1) % 2;
    if (queue->wheel_used[*ret].words == 0)
        *ret ^= 1;
    return queue->wheel_used[*ret].words != 0;
}

/* Returns the smallest key of slot @i of @half. */
static inline uint64_t base_of(const SimQueue *queue, uint32_t half, uint32_t i)
{
    uint64_t page = queue->edge - (half != queue->edge % 2);

    return page << QUEUE_PAGE_BITS | (uint64_t)i << QUEUE_WINDOW_BITS;
}

gboolean queue_open_next(SimQueue *queue)
{
    uint32_t half, i;
    QueueSlot slot;

    if (!find_half(queue, &half)) {
        if (queue->levels == 0)
            return FALSE;
        queue_move_edge(queue, queue_min_far_key(queue) >> QUEUE_PAGE_BITS);
        (void)find_half(queue, &half);
    }
    i = queue_first_bit(&queue->wheel_used[half]);
    slot = queue->wheel[half * QUEUE_N_SLOTS + i];
    queue->base = base_of(queue, half, i);
    queue->wheel[half * QUEUE_N_SLOTS + i] = (QueueSlot){ NULL };
    queue_clear_bit(&queue->wheel_used[half], i);
    if (queue->part.at)
        queue_free_chunk(queue, queue->part.at);
    run_slot(queue, slot);
    if (queue->base >> QUEUE_PAGE_BITS == queue->edge)
        queue_move_edge(queue, queue->edge + 1);
    return TRUE;
}

/* Returns the smallest key in the first used slot of @half, which must not be
 * empty. */
static uint64_t least_near(const SimQueue *queue, uint32_t half)
{
    uint32_t i = queue_first_bit(&queue->wheel_used[half]);
    QueueSlot slot = queue->wheel[half * QUEUE_N_SLOTS + i];
    const QueueChunk *chunk = queue_tail(slot);
    const QueueEntry *end = slot.near;
    uint32_t least = QUEUE_NONE;

    do {
        for (const QueueEntry *e = chunk->near; e < end; e++)
            least = MIN(least, e->low);
        chunk = chunk->next;
        end = &chunk->near[G_N_ELEMENTS(chunk->near)];
    } while (chunk != queue_tail(slot));
    return base_of(queue, half, i) | least;
}

uint64_t queue_min_key(const SimQueue *queue)
{
    uint32_t half;

    if (find_half(queue, &half))
        return least_near(queue, half);
    return queue->levels == 0 ? UINT64_MAX : queue_min_far_key(queue);
}
