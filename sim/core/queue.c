/*
 * queue.c - see queue.h
 *
 * Invariant: every entry's key is >= last; level l > 0 holds entries whose
 * key differs from last in digit l and in no higher one; level 0 holds those
 * that differ in the lowest digit alone, so a slot of level 0 has one key.
 * Entries of equal key always share a slot, in the order of their pushes:
 * a slot is emptied as a whole into lower levels that are empty by then.
 */
#include "sim/core/queue.h"

#define DIGIT_BITS 6
#define N_SLOTS    64
#define N_LEVELS   11 /* ceil(64 / 6) */
#define NONE       UINT32_MAX

typedef struct {
    uint32_t head, tail; /* valid when the slot's bit is set */
} Slot;

struct SimQueue {
    SimEvent *events; /* owned */
    uint32_t n_events, n_allocated, free_list;
    guint length;
    uint64_t last;
    uint32_t levels;         /* bit l: level l holds something */
    uint64_t used[N_LEVELS]; /* bit s: slot s of the level holds something */
    Slot slots[N_LEVELS][N_SLOTS];
};

SimQueue *sim_queue_new(void)
{
    SimQueue *queue = g_new0(SimQueue, 1);

    queue->free_list = NONE;
    return queue;
}

void sim_queue_free(SimQueue *queue)
{
    if (!queue)
        return;
    g_free(queue->events);
    g_free(queue);
}

static uint32_t take_event(SimQueue *queue)
{
    uint32_t i = queue->free_list;

    if (i != NONE) {
        queue->free_list = queue->events[i].next;
        return i;
    }
    if (queue->n_events == queue->n_allocated) {
        queue->n_allocated = queue->n_allocated ? 2 * queue->n_allocated : 256;
        queue->events = g_renew(SimEvent, queue->events, queue->n_allocated);
    }
    return queue->n_events++;
}

static void put_in_slot(SimQueue *queue, uint32_t i)
{
    uint64_t key = queue->events[i].key;
    uint64_t differs = key ^ queue->last;
    uint32_t level =
        differs ? (uint32_t)(63 - __builtin_clzll(differs)) / DIGIT_BITS : 0;
    uint32_t digit = (uint32_t)(key >> (DIGIT_BITS * level)) & (N_SLOTS - 1);
    Slot *slot = &queue->slots[level][digit];
    uint64_t bit = UINT64_C(1) << digit;

    queue->events[i].next = NONE;
    if (queue->used[level] & bit)
        queue->events[slot->tail].next = i;
    else
        slot->head = i;
    slot->tail = i;
    queue->used[level] |= bit;
    queue->levels |= 1U << level;
}

void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg)
{
    uint32_t i = take_event(queue);

    g_assert(key >= queue->last);
    queue->events[i] =
        (SimEvent){ .key = key, .fn = fn, .self = self, .arg = arg };
    put_in_slot(queue, i);
    queue->length++;
}

static void clear_slot(SimQueue *queue, uint32_t level, uint32_t digit)
{
    queue->used[level] &= ~(UINT64_C(1) << digit);
    if (!queue->used[level])
        queue->levels &= ~(1U << level);
}

static uint64_t min_key(const SimQueue *queue, uint32_t i)
{
    uint64_t min = queue->events[i].key;

    for (; i != NONE; i = queue->events[i].next)
        min = MIN(min, queue->events[i].key);
    return min;
}

/* Empties the first slot of the lowest used level, which is not level 0,
 * into lower levels; its least key becomes last and lands in level 0. */
static void spread(SimQueue *queue, uint32_t level)
{
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->used[level]);
    uint32_t i = queue->slots[level][digit].head;

    queue->last = min_key(queue, i);
    clear_slot(queue, level, digit);
    while (i != NONE) {
        uint32_t next = queue->events[i].next;

        put_in_slot(queue, i);
        i = next;
    }
}

gboolean sim_queue_pop(SimQueue *queue, SimEvent *ret)
{
    uint32_t level, digit, i;
    Slot *slot;

    if (!queue->levels)
        return FALSE;
    level = (uint32_t)__builtin_ctz(queue->levels);
    if (level > 0) {
        spread(queue, level);
        level = 0;
    }
    digit = (uint32_t)__builtin_ctzll(queue->used[0]);
    slot = &queue->slots[0][digit];
    i = slot->head;
    *ret = queue->events[i];
    slot->head = ret->next;
    if (ret->next == NONE)
        clear_slot(queue, 0, digit);
    queue->events[i].next = queue->free_list;
    queue->free_list = i;
    queue->last = ret->key;
    queue->length--;
    return TRUE;
}

uint64_t sim_queue_first_key(const SimQueue *queue)
{
    uint32_t level, digit;

    if (!queue->levels)
        return UINT64_MAX;
    level = (uint32_t)__builtin_ctz(queue->levels);
    digit = (uint32_t)__builtin_ctzll(queue->used[level]);
    return min_key(queue, queue->slots[level][digit].head);
}

guint sim_queue_length(const SimQueue *queue)
{
    return queue->length;
}
