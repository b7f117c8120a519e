/*
 * queue.c - the event queue, a wheel of windows of keys; see queue.h
 *
 *   window  the keys that differ only in their last bits; one window is open
 *   page    the windows whose numbers differ only in their last bits
 *   wheel   one slot for each window of two pages: the page of the open
 *           window and the next page, or two pages that are still to come.
 *           .edge is the number of the later page
 *   far     the entries of pages after the edge (radix_heap.c)
 *   late    the entries that were pushed into the open window: up to
 *           QUEUE_FEW sorted entries in .few, and a table with one slot per
 *           key for entries that arrive when .few is full
 *
 * A window is opened when its first entry is popped.
 *
 * Entries with equal keys leave in the order of their arrival, for three
 * reasons.  The far entries of a page move to the wheel before any entry can be
 * pushed there.  Sorting is stable.  Late entries are newer than the others,
 * and those in the table are newer than those in .few.
 */
#include "sim/core/cache_lines.h"
#include "sim/core/queue/queue_slots.h"

#define RUN_AT_FIRST 64 /* the initial length of .run, in entries */

/* ---- pushing events into the queue --------------------------------------- */

static G_GNUC_NO_INLINE void push_into_late_table(SimQueue *queue, uint32_t low,
                                                  SimEventFn fn, gpointer self,
                                                  uint32_t arg)
{
    QueueSlot *slot = &queue->table[low];

    if (slot->address == 0)
        queue_set_bit(&queue->table_used, low);
    if (queue_is_last_chunk_full(*slot))
        slot->near = queue_append_chunk(queue, *slot)->near;
    queue_append_entry(slot, low, fn, self, arg);
    queue->recent_key = queue->base | low;
    queue->recent = slot;
    queue->table_at = MIN(queue->table_at, low);
    queue->late_at = MIN(queue->late_at, low);
}

static G_GNUC_NO_INLINE void push_into_open_window(SimQueue *queue,
                                                   uint32_t low, SimEventFn fn,
                                                   gpointer self, uint32_t arg)
{
    uint32_t i = queue->n_few;

    if (i == QUEUE_FEW || queue->table_at != QUEUE_NONE) {
        push_into_late_table(queue, low, fn, self, arg);
        return;
    }
    for (; i > queue->few_at && queue->few[i - 1].low > low; i--)
        queue->few[i] = queue->few[i - 1];
    queue->few[i] = (QueueEntry){ low, arg, fn, self };
    queue->n_few++;
    queue->late_at = queue->few[queue->few_at].low;
}

static G_GNUC_NO_INLINE void push_key_beyond_wheel(SimQueue *queue,
                                                   uint64_t key, SimEventFn fn,
                                                   gpointer self, uint32_t arg)
{
    queue_push_beyond_edge(queue, &(SimEvent){ key, fn, self, arg });
}

void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg)
{
    g_assert(key >= queue->last);
    queue->length++;
    if (key == queue->recent_key && !queue_is_last_chunk_full(*queue->recent))
        queue_append_entry(queue->recent, (uint32_t)key % QUEUE_WINDOW_SIZE, fn,
                           self, arg);
    else if (key - queue->base < QUEUE_WINDOW_SIZE)
        push_into_open_window(queue, (uint32_t)key % QUEUE_WINDOW_SIZE, fn,
                              self, arg);
    else if (G_LIKELY(key >> QUEUE_PAGE_BITS <= queue->edge))
        queue_push_into_wheel(queue, key, fn, self, arg);
    else
        push_key_beyond_wheel(queue, key, fn, self, arg);
}

/* ---- popping the first event --------------------------------------------- */

/* Sets .late_at to the smallest key of the entries that were pushed into the
 * open window. */
static void find_smallest_late_key(SimQueue *queue)
{
    queue->late_at = MIN(QUEUE_NONE_LATE, queue->table_at);
    if (queue->n_few > 0)
        queue->late_at = MIN(queue->late_at, queue->few[queue->few_at].low);
}

static QueueEntry pop_sorted_late_entry(SimQueue *queue)
{
    QueueEntry entry = queue->few[queue->few_at++];

    if (queue->few_at == queue->n_few)
        queue->few_at = queue->n_few = 0;
    find_smallest_late_key(queue);
    return entry;
}

/* Makes the first slot of the table the one to pop, and suspends the current
 * position in .waiting. */
static void pop_from_late_table(SimQueue *queue)
{
    QueueSlot *slot = &queue->table[queue->table_at];

    queue->part.next = queue->next;
    queue->waiting = queue->part;
    queue_mark_slot_end(*slot);
    queue_pop_chunks_in_place(queue, queue_slot_last_chunk(*slot));
    slot->address = 0;
    queue_clear_bit(&queue->table_used, queue->table_at);
    queue->table_at = queue_find_first_bit(&queue->table_used);
    find_smallest_late_key(queue);
}

/* Advances to the next chunk, or resumes the suspended position.  Returns FALSE
 * if neither exists. */
static inline gboolean advance_to_next_chunk(SimQueue *queue)
{
    QueueChunk *chunk = queue->part.chunk;

    if (chunk != queue->part.last) {
        queue->part.chunk = chunk->next;
        queue->next = queue->part.chunk->near;
    } else if (queue->waiting.next) {
        queue->part = queue->waiting;
        queue->next = queue->part.next;
        queue->waiting = (QueuePosition){ .next = NULL };
    } else {
        return FALSE;
    }
    if (chunk)
        queue_free_chunk(queue, chunk);
    return TRUE;
}

/* Finds the next entry if it is not simply *.next.  Returns TRUE if .next
 * points to it afterwards.  Otherwise returns FALSE with the entry in *@ret,
 * whose .low is QUEUE_NONE if the queue is empty. */
static G_GNUC_NO_INLINE gboolean find_next_entry(SimQueue *queue,
                                                 QueueEntry *ret)
{
    while (queue->next->low == QUEUE_NONE && advance_to_next_chunk(queue))
        continue;
    if (queue->late_at >= queue->next->low)
        return TRUE;
    if (queue->n_few > 0 && queue->few[queue->few_at].low <= queue->table_at) {
        *ret = pop_sorted_late_entry(queue);
        return FALSE;
    }
    if (queue->table_at != QUEUE_NONE) {
        pop_from_late_table(queue);
        return TRUE;
    }
    if (queue_open_next_window(queue))
        return TRUE;
    ret->low = QUEUE_NONE;
    return FALSE;
}

/* Removes the first entry.  The function is inlined into each caller: if
 * sim_queue_pop() has only one caller, the run loop, then it is inlined there
 * as well, which saves 20 instructions per hop. */
__attribute__((always_inline)) static inline gboolean pop_event(SimQueue *queue,
                                                                SimEvent *ret)
{
    QueueEntry entry;

    if (queue->late_at >= queue->next->low || find_next_entry(queue, &entry)) {
        entry = *queue->next++;
    } else if (entry.low == QUEUE_NONE)
        return FALSE;
    queue->length--;
    queue->last = queue->base | entry.low;
    *ret = (SimEvent){ queue->last, entry.fn, entry.self, entry.arg };
    return TRUE;
}

gboolean sim_queue_pop(SimQueue *queue, SimEvent *ret)
{
    return pop_event(queue, ret);
}

void sim_queue_remove_all(SimQueue *queue, GArray *ret)
{
    SimEvent event;

    while (pop_event(queue, &event))
        g_array_append_val(ret, event);
}

/* ---- creating, freeing and querying the queue ---------------------------- */

SimQueue *sim_queue_new(void)
{
    SimQueue *queue = g_new0(SimQueue, 1);

    queue->slabs = g_ptr_array_new_with_free_func(cache_lines_free);
    queue->run_allocated = RUN_AT_FIRST;
    queue->run = g_new(QueueEntry, RUN_AT_FIRST);
    queue->sorting = g_new(QueueEntry, RUN_AT_FIRST);
    /* The first slot of the wheel, which is empty. */
    queue->recent = queue->wheel;
    queue->next = queue->run;
    queue->run[0].low = QUEUE_NONE;
    queue->late_at = QUEUE_NONE_LATE;
    queue->table_at = QUEUE_NONE;
    sim_queue_restart_at_key(queue, 0);
    return queue;
}

void sim_queue_free(SimQueue *queue)
{
    if (!queue)
        return;
    g_ptr_array_unref(queue->slabs);
    g_free(queue->run);
    g_free(queue->sorting);
    g_free(queue);
}

void sim_queue_restart_at_key(SimQueue *queue, uint64_t least)
{
    g_assert(queue->length == 0);
    queue->last = least;
    queue->base = least & ~(uint64_t)(QUEUE_WINDOW_SIZE - 1);
    queue->edge = (least >> QUEUE_PAGE_BITS) + 1;
}

/* Returns the smallest .low in the open window, or QUEUE_NONE if it is
 * empty. */
static inline uint32_t first_key_in_open_window(const SimQueue *queue)
{
    uint32_t low = queue->next->low;

    if (low == QUEUE_NONE && queue->part.chunk != queue->part.last)
        low = queue->part.chunk->next->near->low;
    if (low == QUEUE_NONE && queue->waiting.next)
        low = queue->waiting.next->low;
    if (low == QUEUE_NONE && queue->waiting.chunk != queue->waiting.last)
        low = queue->waiting.chunk->next->near->low;
    if (queue->late_at < low && queue->late_at != QUEUE_NONE_LATE)
        low = queue->late_at;
    return low;
}

gboolean sim_queue_has_key_until(const SimQueue *queue, uint64_t key)
{
    if (key - queue->base < QUEUE_WINDOW_SIZE)
        return first_key_in_open_window(queue) <= key % QUEUE_WINDOW_SIZE;
    return queue->length > 0 && sim_queue_first_key(queue) <= key;
}

uint64_t sim_queue_first_key(const SimQueue *queue)
{
    uint32_t low = first_key_in_open_window(queue);

    return low != QUEUE_NONE ? queue->base | low : queue_min_waiting_key(queue);
}

guint sim_queue_length(const SimQueue *queue)
{
    return queue->length;
}
