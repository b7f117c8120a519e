/*
 * queue.c - see queue.h
 *
 *   window  the keys that are alike but for their last bits; one is open
 *   page    windows whose numbers are alike but for their last bits
 *   wheel   a slot for each window of two pages: that of the open window and
 *           the one after it, or two that are still to come.  .edge is the
 *           later of the two
 *   far     what belongs to pages after the edge
 *   late    what was pushed into the open window: a few, in order, and a table
 *           with a slot for each key of what came when they were too many
 *
 * A window is opened when its first entry is popped.
 *
 * Entries of equal key leave in the order they came: what belongs to a page
 * leaves the far when the page comes into the wheel, before anything can be
 * pushed there; sorting is stable; what is late came after that, and what is in
 * the table after the few.
 */
#include "sim/core/lines.h"
#include "sim/core/queue/slots.h"

#define RUN_AT_FIRST 64 /* entries */

/* ---- pushing ----------------------------------------------------------- */

static G_GNUC_NO_INLINE void push_into_table(SimQueue *queue, uint32_t low,
                                             SimEventFn fn, gpointer self,
                                             uint32_t arg)
{
    QueueSlot *slot = &queue->table[low];

    if (slot->at == 0)
        queue_set_bit(&queue->table_used, low);
    if (queue_is_full(*slot))
        slot->near = queue_new_chunk(queue, *slot)->near;
    queue_put(slot, low, fn, self, arg);
    queue->recent_key = queue->base | low;
    queue->recent = slot;
    queue->table_at = MIN(queue->table_at, low);
    queue->late_at = MIN(queue->late_at, low);
}

static G_GNUC_NO_INLINE void push_late(SimQueue *queue, uint32_t low,
                                       SimEventFn fn, gpointer self,
                                       uint32_t arg)
{
    uint32_t i = queue->n_few;

    if (i == QUEUE_FEW || queue->table_at != QUEUE_NONE) {
        push_into_table(queue, low, fn, self, arg);
        return;
    }
    for (; i > queue->few_at && queue->few[i - 1].low > low; i--)
        queue->few[i] = queue->few[i - 1];
    queue->few[i] = (QueueEntry){ low, arg, fn, self };
    queue->n_few++;
    queue->late_at = queue->few[queue->few_at].low;
}

static G_GNUC_NO_INLINE void push_far(SimQueue *queue, uint64_t key,
                                      SimEventFn fn, gpointer self,
                                      uint32_t arg)
{
    queue_push_far(queue, &(SimEvent){ key, fn, self, arg });
}

void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg)
{
    g_assert(key >= queue->last);
    queue->length++;
    if (key == queue->recent_key && !queue_is_full(*queue->recent))
        queue_put(queue->recent, (uint32_t)key % QUEUE_WINDOW_SIZE, fn, self,
                  arg);
    else if (key - queue->base < QUEUE_WINDOW_SIZE)
        push_late(queue, (uint32_t)key % QUEUE_WINDOW_SIZE, fn, self, arg);
    else if (G_LIKELY(key >> QUEUE_PAGE_BITS <= queue->edge))
        queue_push_near(queue, key, fn, self, arg);
    else
        push_far(queue, key, fn, self, arg);
}

/* ---- popping ----------------------------------------------------------- */

static void find_late(SimQueue *queue)
{
    queue->late_at = MIN(QUEUE_NONE_LATE, queue->table_at);
    if (queue->n_few > 0)
        queue->late_at = MIN(queue->late_at, queue->few[queue->few_at].low);
}

static QueueEntry take_from_few(SimQueue *queue)
{
    QueueEntry entry = queue->few[queue->few_at++];

    if (queue->few_at == queue->n_few)
        queue->few_at = queue->n_few = 0;
    find_late(queue);
    return entry;
}

/* The first slot of the table is what runs, and what ran waits. */
static void run_from_table(SimQueue *queue)
{
    QueueSlot *slot = &queue->table[queue->table_at];

    queue->part.next = queue->next;
    queue->waiting = queue->part;
    queue_mark_end(*slot);
    queue_run_in_place(queue, queue_tail(*slot));
    slot->at = 0;
    queue_clear_bit(&queue->table_used, queue->table_at);
    queue->table_at = queue_first_bit(&queue->table_used);
    find_late(queue);
}

/* To the next chunk of what runs, or to what waits; FALSE: there is none. */
static inline gboolean go_on(SimQueue *queue)
{
    QueueChunk *chunk = queue->part.at;

    if (chunk != queue->part.last) {
        queue->part.at = chunk->next;
        queue->next = queue->part.at->near;
    } else if (queue->waiting.next) {
        queue->part = queue->waiting;
        queue->next = queue->part.next;
        queue->waiting = (QueuePart){ .next = NULL };
    } else {
        return FALSE;
    }
    if (chunk)
        queue_free_chunk(queue, chunk);
    return TRUE;
}

/* Where .next is not simply what comes next: TRUE where it is then, or else
 * the next is in @ret; its .low is QUEUE_NONE: there is nothing. */
static G_GNUC_NO_INLINE gboolean find_next(SimQueue *queue, QueueEntry *ret)
{
    while (queue->next->low == QUEUE_NONE && go_on(queue))
        continue;
    if (queue->late_at >= queue->next->low)
        return TRUE;
    if (queue->n_few > 0 && queue->few[queue->few_at].low <= queue->table_at) {
        *ret = take_from_few(queue);
        return FALSE;
    }
    if (queue->table_at != QUEUE_NONE) {
        run_from_table(queue);
        return TRUE;
    }
    if (queue_open_next(queue))
        return TRUE;
    ret->low = QUEUE_NONE;
    return FALSE;
}

/* Inlined into each caller: where sim_queue_pop() has but one, the run loop,
 * that is inlined in its turn: 20 instructions a hop less. */
__attribute__((always_inline)) static inline gboolean pop(SimQueue *queue,
                                                          SimEvent *ret)
{
    QueueEntry entry;

    if (queue->late_at >= queue->next->low || find_next(queue, &entry)) {
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
    return pop(queue, ret);
}

void sim_queue_take_all(SimQueue *queue, GArray *ret)
{
    SimEvent event;

    while (pop(queue, &event))
        g_array_append_val(ret, event);
}

/* ---- the rest ---------------------------------------------------------- */

SimQueue *sim_queue_new(void)
{
    SimQueue *queue = g_new0(SimQueue, 1);

    queue->slabs = g_ptr_array_new_with_free_func(lines_free);
    queue->run_allocated = RUN_AT_FIRST;
    queue->run = g_new(QueueEntry, RUN_AT_FIRST);
    queue->sorting = g_new(QueueEntry, RUN_AT_FIRST);
    queue->recent = queue->wheel; /* which is empty */
    queue->next = queue->run;
    queue->run[0].low = QUEUE_NONE;
    queue->late_at = QUEUE_NONE_LATE;
    queue->table_at = QUEUE_NONE;
    sim_queue_restart(queue, 0);
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

void sim_queue_restart(SimQueue *queue, uint64_t least)
{
    g_assert(queue->length == 0);
    queue->last = least;
    queue->base = least & ~(uint64_t)(QUEUE_WINDOW_SIZE - 1);
    queue->edge = (least >> QUEUE_PAGE_BITS) + 1;
}

/* What of the open window is the least; QUEUE_NONE: there is nothing. */
static inline uint32_t first_low(const SimQueue *queue)
{
    uint32_t low = queue->next->low;

    if (low == QUEUE_NONE && queue->part.at != queue->part.last)
        low = queue->part.at->next->near->low;
    if (low == QUEUE_NONE && queue->waiting.next)
        low = queue->waiting.next->low;
    if (low == QUEUE_NONE && queue->waiting.at != queue->waiting.last)
        low = queue->waiting.at->next->near->low;
    if (queue->late_at < low && queue->late_at != QUEUE_NONE_LATE)
        low = queue->late_at;
    return low;
}

gboolean sim_queue_has_until(const SimQueue *queue, uint64_t key)
{
    if (key - queue->base < QUEUE_WINDOW_SIZE)
        return first_low(queue) <= key % QUEUE_WINDOW_SIZE;
    return queue->length > 0 && sim_queue_first_key(queue) <= key;
}

uint64_t sim_queue_first_key(const SimQueue *queue)
{
    uint32_t low = first_low(queue);

    return low != QUEUE_NONE ? queue->base | low : queue_least(queue);
}

guint sim_queue_length(const SimQueue *queue)
{
    return queue->length;
}
