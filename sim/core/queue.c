/*
 * queue.c - see queue.h
 *
 * Entries that are pushed with the same key one soon after the other form a
 * batch, and the radix heap holds batches: a small table finds the latest
 * batch of a key.  When another key has driven it out of the table, the next
 * entry opens a batch of its own behind it.  So batches of equal key leave
 * in the order they were opened, and entries are only ever added to the
 * latest: they leave in the order they came.  A batch has room for one entry
 * in itself, and takes blocks for more.
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
#define RECENT_BITS 8  /* more did not help 16x16x16 NPUs, jitter or not */
#define BLOCK_SIZE  8  /* entries */
#define SLAB_SIZE   64 /* batches or blocks allocated at a time */

typedef struct {
    SimEventFn fn;
    gpointer self;
    uint32_t arg;
} Entry;

typedef struct Block Block;
struct Block {
    Entry entries[BLOCK_SIZE];
    Block *next; /* of the batch, or free */
};

typedef struct Batch Batch;
struct Batch { /* 64 bytes */
    uint64_t key;
    Batch *next;        /* in its slot, or free */
    Block *head, *tail; /* with entries to take; NULL, undefined: none */
    uint32_t n;         /* entries to take */
    uint8_t first_taken;
    uint8_t n_put;   /* in .tail */
    uint8_t n_taken; /* from .head */
    Entry first;
};

typedef struct {
    Batch *head, *tail; /* valid when the slot's bit is set, as is */
    uint64_t least;     /* their least key */
} Slot;

struct SimQueue {
    Batch *free_batches;
    Block *free_blocks;
    GPtrArray *slabs; /* owned: memory of batches and blocks */
    Batch *open;      /* the batch popped from last, or NULL */
    guint length;
    uint64_t last;
    uint32_t levels;         /* bit l: level l holds something */
    uint64_t used[N_LEVELS]; /* bit s: slot s of the level holds something */
    Slot slots[N_LEVELS][N_SLOTS];
    Batch *recent[1 << RECENT_BITS]; /* by hash of the key, or NULL */
};

SimQueue *sim_queue_new(void)
{
    SimQueue *queue = g_new0(SimQueue, 1);

    queue->slabs = g_ptr_array_new_with_free_func(g_free);
    return queue;
}

void sim_queue_free(SimQueue *queue)
{
    if (!queue)
        return;
    g_ptr_array_unref(queue->slabs);
    g_free(queue);
}

static void more_blocks(SimQueue *queue)
{
    Block *slab = g_new(Block, SLAB_SIZE);

    g_ptr_array_add(queue->slabs, slab);
    for (guint i = 0; i < SLAB_SIZE; i++) {
        slab[i].next = queue->free_blocks;
        queue->free_blocks = &slab[i];
    }
}

static void more_batches(SimQueue *queue)
{
    Batch *slab = g_new(Batch, SLAB_SIZE);

    g_ptr_array_add(queue->slabs, slab);
    for (guint i = 0; i < SLAB_SIZE; i++) {
        slab[i].next = queue->free_batches;
        queue->free_batches = &slab[i];
    }
}

static void put_in_slot(SimQueue *queue, Batch *batch)
{
    uint64_t differs = batch->key ^ queue->last;
    uint32_t level =
        differs ? (uint32_t)(63 - __builtin_clzll(differs)) / DIGIT_BITS : 0;
    uint32_t digit =
        (uint32_t)(batch->key >> (DIGIT_BITS * level)) & (N_SLOTS - 1);
    Slot *slot = &queue->slots[level][digit];
    uint64_t bit = UINT64_C(1) << digit;

    batch->next = NULL;
    if (queue->used[level] & bit) {
        slot->tail->next = batch;
        slot->tail = batch;
        slot->least = MIN(slot->least, batch->key);
        return;
    }
    *slot = (Slot){ batch, batch, batch->key };
    queue->used[level] |= bit;
    queue->levels |= 1U << level;
}

/* The table's place for @key: Fibonacci hashing, 2^64 / golden ratio. */
static Batch **recent_at(SimQueue *queue, uint64_t key)
{
    return &queue->recent[key * UINT64_C(0x9e3779b97f4a7c15) >>
                          (64 - RECENT_BITS)];
}

static G_GNUC_NO_INLINE void open_batch(SimQueue *queue, uint64_t key,
                                        SimEventFn fn, gpointer self,
                                        uint32_t arg)
{
    Batch *batch;

    g_assert(key >= queue->last);
    if (G_UNLIKELY(!queue->free_batches))
        more_batches(queue);
    batch = queue->free_batches;
    queue->free_batches = batch->next;
    *batch = (Batch){
        .key = key,
        .n = 1,
        .n_put = BLOCK_SIZE,
        .first = { fn, self, arg },
    };
    put_in_slot(queue, batch);
    *recent_at(queue, key) = batch;
}

static void add(Batch *batch, SimEventFn fn, gpointer self, uint32_t arg)
{
    batch->tail->entries[batch->n_put++] = (Entry){ fn, self, arg };
    batch->n++;
}

/* Adds where there is no room yet. */
static G_GNUC_NO_INLINE void extend(SimQueue *queue, Batch *batch,
                                    SimEventFn fn, gpointer self, uint32_t arg)
{
    Block *block;

    if (G_UNLIKELY(!queue->free_blocks))
        more_blocks(queue);
    block = queue->free_blocks;
    queue->free_blocks = block->next;
    block->next = NULL;
    if (batch->head)
        batch->tail->next = block;
    else
        batch->head = block;
    batch->tail = block;
    batch->n_put = 0;
    add(batch, fn, self, arg);
}

/* What is rare is called last, so that no register need be saved for
 * afterwards. */
void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg)
{
    Batch *batch = *recent_at(queue, key);

    queue->length++;
    if (!batch || batch->key != key)
        open_batch(queue, key, fn, self, arg);
    else if (batch->n_put == BLOCK_SIZE)
        extend(queue, batch, fn, self, arg);
    else
        add(batch, fn, self, arg);
}

static void clear_slot(SimQueue *queue, uint32_t level, uint32_t digit)
{
    queue->used[level] &= ~(UINT64_C(1) << digit);
    if (!queue->used[level])
        queue->levels &= ~(1U << level);
}

/* Empties the first slot of the lowest used level, which is not level 0,
 * into lower levels; its least key becomes last and lands in level 0. */
static void spread(SimQueue *queue, uint32_t level)
{
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->used[level]);
    Slot slot = queue->slots[level][digit];

    queue->last = slot.least;
    clear_slot(queue, level, digit);
    while (slot.head) {
        Batch *next = slot.head->next;

        put_in_slot(queue, slot.head);
        slot.head = next;
    }
}

static G_GNUC_NO_INLINE void free_first_block(SimQueue *queue, Batch *batch)
{
    Block *block = batch->head;

    batch->head = block->next;
    batch->n_taken = 0;
    block->next = queue->free_blocks;
    queue->free_blocks = block;
}

/* Done with the open batch: its record may serve another. */
static void close_batch(SimQueue *queue)
{
    Batch *batch = queue->open;
    Batch **recent;

    if (!batch)
        return;
    recent = recent_at(queue, batch->key);
    if (*recent == batch)
        *recent = NULL;
    if (batch->head)
        free_first_block(queue, batch);
    batch->next = queue->free_batches;
    queue->free_batches = batch;
    queue->open = NULL;
}

static const Slot *first_slot(const SimQueue *queue, uint32_t level)
{
    return &queue->slots[level][__builtin_ctzll(queue->used[level])];
}

/* The first of the first slot of @level, out of it. */
static Batch *take_first(SimQueue *queue, uint32_t level)
{
    uint32_t digit = (uint32_t)__builtin_ctzll(queue->used[level]);
    Slot *slot = &queue->slots[level][digit];
    Batch *batch = slot->head;

    slot->head = batch->next;
    if (!slot->head)
        clear_slot(queue, level, digit);
    return batch;
}

/* Opens the first batch; FALSE when there is none.  One that is alone in the
 * first slot of the lowest level is the first wherever that is, and what is
 * left keeps its place. */
static G_GNUC_NO_INLINE gboolean open_first(SimQueue *queue)
{
    uint32_t level;
    const Slot *slot;

    close_batch(queue);
    if (!queue->levels)
        return FALSE;
    level = (uint32_t)__builtin_ctz(queue->levels);
    slot = first_slot(queue, level);
    if (level > 0 && slot->head != slot->tail) {
        spread(queue, level);
        level = 0;
    }
    queue->open = take_first(queue, level);
    queue->last = queue->open->key;
    return TRUE;
}

static gboolean is_open(const SimQueue *queue)
{
    return queue->open && queue->open->n > 0;
}

/* Inlined into each caller: where sim_queue_pop() has but one, the run loop,
 * that is inlined in its turn: 20 instructions a hop less. */
__attribute__((always_inline)) static inline gboolean pop(SimQueue *queue,
                                                          SimEvent *ret)
{
    Batch *batch;
    Entry entry;

    if (!is_open(queue) && !open_first(queue))
        return FALSE;
    batch = queue->open;
    if (!batch->first_taken) {
        entry = batch->first;
        batch->first_taken = TRUE;
    } else {
        entry = batch->head->entries[batch->n_taken++];
        if (batch->n_taken == BLOCK_SIZE)
            free_first_block(queue, batch);
    }
    *ret = (SimEvent){ batch->key, entry.fn, entry.self, entry.arg };
    batch->n--;
    queue->length--;
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

void sim_queue_restart(SimQueue *queue, uint64_t least)
{
    g_assert(queue->length == 0);
    queue->last = least;
}

uint64_t sim_queue_first_key(const SimQueue *queue)
{
    if (is_open(queue))
        return queue->last;
    if (!queue->levels)
        return UINT64_MAX;
    return first_slot(queue, (uint32_t)__builtin_ctz(queue->levels))->least;
}

guint sim_queue_length(const SimQueue *queue)
{
    return queue->length;
}
