/*
 * queue.c - see queue.h
 *
 * Entries that are pushed with the same key one soon after the other form a
 * batch, and the radix heap holds batches: a small table finds the latest
 * batch of a key.  When another key has driven it out of the table, the next
 * entry opens a batch of its own behind it.  So batches of equal key leave
 * in the order they were opened, and entries are only ever added to the
 * latest: they leave in the order they came.
 *
 * Invariant: every batch's key is >= last; level l > 0 holds batches whose
 * key differs from last in digit l and in no higher one; level 0 holds those
 * that differ in the lowest digit alone, so a slot of level 0 has one key.
 * Batches of equal key always share a slot, in the order of their opening:
 * a slot is emptied as a whole into lower levels that are empty by then.
 * The batch that is being emptied, .open, is in no slot.
 */
#include "sim/core/queue.h"

#define DIGIT_BITS  6
#define N_SLOTS     64
#define N_LEVELS    11 /* ceil(64 / 6) */
#define NONE        UINT32_MAX
#define RECENT_BITS 8 /* more did not help 16x16x16 NPUs, jitter or not */

typedef struct {
    SimEventFn fn;
    gpointer self;
    uint32_t arg;
    uint32_t next;
} Entry;

typedef struct {
    uint64_t key;
    uint32_t head, tail; /* of its entries; head NONE: empty */
    uint32_t next;
} Batch;

typedef struct {
    uint32_t head, tail; /* valid when the slot's bit is set */
} Slot;

struct SimQueue {
    Entry *entries; /* owned */
    Batch *batches; /* owned */
    uint32_t n_entries, entries_allocated, free_entry;
    uint32_t n_batches, batches_allocated, free_batch;
    uint32_t open; /* the batch popped from last, or NONE */
    guint length;
    uint64_t last;
    uint32_t levels;         /* bit l: level l holds something */
    uint64_t used[N_LEVELS]; /* bit s: slot s of the level holds something */
    Slot slots[N_LEVELS][N_SLOTS];
    uint32_t recent[1 << RECENT_BITS]; /* by hash of the key; NONE */
};

SimQueue *sim_queue_new(void)
{
    SimQueue *queue = g_new0(SimQueue, 1);

    queue->free_entry = queue->free_batch = queue->open = NONE;
    for (guint i = 0; i < G_N_ELEMENTS(queue->recent); i++)
        queue->recent[i] = NONE;
    return queue;
}

void sim_queue_free(SimQueue *queue)
{
    if (!queue)
        return;
    g_free(queue->entries);
    g_free(queue->batches);
    g_free(queue);
}

static uint32_t take_entry(SimQueue *queue)
{
    uint32_t i = queue->free_entry;

    if (G_LIKELY(i != NONE)) {
        queue->free_entry = queue->entries[i].next;
        return i;
    }
    if (queue->n_entries == queue->entries_allocated) {
        queue->entries_allocated = MAX(256, 2 * queue->entries_allocated);
        queue->entries =
            g_renew(Entry, queue->entries, queue->entries_allocated);
    }
    return queue->n_entries++;
}

static uint32_t take_batch(SimQueue *queue)
{
    uint32_t i = queue->free_batch;

    if (G_LIKELY(i != NONE)) {
        queue->free_batch = queue->batches[i].next;
        return i;
    }
    if (queue->n_batches == queue->batches_allocated) {
        queue->batches_allocated = MAX(64, 2 * queue->batches_allocated);
        queue->batches =
            g_renew(Batch, queue->batches, queue->batches_allocated);
    }
    return queue->n_batches++;
}

static void put_in_slot(SimQueue *queue, uint32_t i)
{
    uint64_t key = queue->batches[i].key;
    uint64_t differs = key ^ queue->last;
    uint32_t level =
        differs ? (uint32_t)(63 - __builtin_clzll(differs)) / DIGIT_BITS : 0;
    uint32_t digit = (uint32_t)(key >> (DIGIT_BITS * level)) & (N_SLOTS - 1);
    Slot *slot = &queue->slots[level][digit];
    uint64_t bit = UINT64_C(1) << digit;

    queue->batches[i].next = NONE;
    if (queue->used[level] & bit)
        queue->batches[slot->tail].next = i;
    else
        slot->head = i;
    slot->tail = i;
    queue->used[level] |= bit;
    queue->levels |= 1U << level;
}

/* The table's place for @key: Fibonacci hashing, 2^64 / golden ratio. */
static uint32_t *recent_at(SimQueue *queue, uint64_t key)
{
    return &queue->recent[key * UINT64_C(0x9e3779b97f4a7c15) >>
                          (64 - RECENT_BITS)];
}

static uint32_t batch_of(SimQueue *queue, uint64_t key)
{
    uint32_t *recent = recent_at(queue, key);
    uint32_t b = *recent;

    if (b != NONE && queue->batches[b].key == key)
        return b;
    g_assert(key >= queue->last);
    b = take_batch(queue);
    queue->batches[b].key = key;
    queue->batches[b].head = NONE;
    put_in_slot(queue, b);
    *recent = b;
    return b;
}

void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg)
{
    uint32_t b = batch_of(queue, key); /* may move .batches */
    uint32_t i = take_entry(queue);
    Batch *batch = &queue->batches[b];

    queue->entries[i] = (Entry){ fn, self, arg, NONE };
    if (batch->head == NONE)
        batch->head = i;
    else
        queue->entries[batch->tail].next = i;
    batch->tail = i;
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
    uint64_t min = queue->batches[i].key;

    for (; i != NONE; i = queue->batches[i].next)
        min = MIN(min, queue->batches[i].key);
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
        uint32_t next = queue->batches[i].next;

        put_in_slot(queue, i);
        i = next;
    }
}

/* Done with the open batch: its record may serve another. */
static void close_batch(SimQueue *queue)
{
    uint32_t b = queue->open;
    uint32_t *recent;

    if (b == NONE)
        return;
    recent = recent_at(queue, queue->batches[b].key);
    if (*recent == b)
        *recent = NONE;
    queue->batches[b].next = queue->free_batch;
    queue->free_batch = b;
    queue->open = NONE;
}

/* Opens the first batch; FALSE when there is none. */
static gboolean open_first(SimQueue *queue)
{
    uint32_t digit;
    Slot *slot;

    close_batch(queue);
    if (!queue->levels)
        return FALSE;
    if (!(queue->levels & 1))
        spread(queue, (uint32_t)__builtin_ctz(queue->levels));
    digit = (uint32_t)__builtin_ctzll(queue->used[0]);
    slot = &queue->slots[0][digit];
    queue->open = slot->head;
    slot->head = queue->batches[queue->open].next;
    if (slot->head == NONE)
        clear_slot(queue, 0, digit);
    queue->last = queue->batches[queue->open].key;
    return TRUE;
}

static gboolean is_open(const SimQueue *queue)
{
    return queue->open != NONE && queue->batches[queue->open].head != NONE;
}

gboolean sim_queue_pop(SimQueue *queue, SimEvent *ret)
{
    Batch *batch;
    Entry *entry;
    uint32_t i;

    if (!is_open(queue) && !open_first(queue))
        return FALSE;
    batch = &queue->batches[queue->open];
    i = batch->head;
    entry = &queue->entries[i];
    *ret = (SimEvent){ .key = batch->key,
                       .fn = entry->fn,
                       .self = entry->self,
                       .arg = entry->arg };
    batch->head = entry->next;
    entry->next = queue->free_entry;
    queue->free_entry = i;
    queue->length--;
    return TRUE;
}

uint64_t sim_queue_first_key(const SimQueue *queue)
{
    uint32_t level, digit;

    if (is_open(queue))
        return queue->last;
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
