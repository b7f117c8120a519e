/*
 * queue_state_impl.h - the data structures that the files of the event queue
 * share; private to queue/
 *
 *   queue.c  pushes and pops
 *   queue_windows.c   opens windows
 *   radix_heap.c    keeps entries beyond the range of the wheel
 *   queue_slots.c  appends entries to slots
 *
 * Each file calls only files below it in this list.  The head of queue.c
 * defines the terms.  A slot is a list of chunks of entries in the order of
 * their arrival, so entries that are sorted together lie together.
 */
#ifndef SIM_CORE_QUEUE_QUEUE_STATE_IMPL_H
#define SIM_CORE_QUEUE_QUEUE_STATE_IMPL_H

#include "sim/core/queue.h"

#define QUEUE_WINDOW_BITS 12
#define QUEUE_SLOT_BITS   12 /* two digits of QueueBits */
#define QUEUE_PAGE_BITS   (QUEUE_WINDOW_BITS + QUEUE_SLOT_BITS)
#define QUEUE_WINDOW_SIZE (1U << QUEUE_WINDOW_BITS)
#define QUEUE_N_SLOTS     (1U << QUEUE_SLOT_BITS)
#define QUEUE_DIGIT_BITS  6
#define QUEUE_N_DIGITS    (1U << QUEUE_DIGIT_BITS)
/* The number of digits of a page number, plus one for the edge. */
#define QUEUE_N_LEVELS    8
#define QUEUE_CHUNK_BYTES 256U
#define QUEUE_FEW         16
#define QUEUE_NONE        UINT32_MAX
#define QUEUE_NONE_LATE   (UINT32_MAX - 1)

/* An event in a known window of keys, so it stores only the lower bits of its
 * key; the window gives the upper bits. */
typedef struct {
    uint32_t low; /* the lower bits of the key */
    uint32_t arg;
    SimEventFn fn;
    gpointer self;
} QueueEntry;

typedef struct QueueChunk QueueChunk;
struct QueueChunk {   /* aligned to its size */
    uint32_t none;    /* QUEUE_NONE, which ends the chunk before it in memory */
    QueueChunk *next; /* in its list (a ring: the last chunk points to the
                         first), or in the free list */
    union {
        QueueEntry near[10];
        struct {
            /* Padding that makes .far end where the chunk ends. */
            uint64_t unused[2];
            SimEvent far[7];
        };
    };
};

G_STATIC_ASSERT(sizeof(QueueChunk) == QUEUE_CHUNK_BYTES);

/* A list of chunks, all of which are full except the last one.  The pointer is
 * the position after the last entry: the next entry goes there, or into a new
 * chunk if the position is the end of the chunk.  NULL if the list is empty. */
typedef union {
    QueueEntry *near;
    SimEvent *far;
    guintptr address;
} QueueSlot;

/* A position in the chunks that are being popped. */
typedef struct {
    QueueEntry *next;
    QueueChunk
        *chunk;       /* the chunk of .next; NULL if .next is in SimQueue.run */
    QueueChunk *last; /* the last chunk; NULL if .chunk is NULL */
} QueuePosition;

/* A two-level bit set of the QUEUE_N_SLOTS slots that are used. */
typedef struct {
    uint64_t words; /* bit w: .used[w] is not 0 */
    uint64_t used[QUEUE_N_SLOTS / 64];
} QueueBits;

struct SimQueue {
    /* The next entry of the open window to pop.  A .low of QUEUE_NONE marks the
     * end of each contiguous run of entries. */
    QueueEntry *next;
    uint32_t late_at; /* the smallest .low of the late entries; QUEUE_NONE_LATE
                         if there is none */
    guint length;
    uint64_t base; /* the smallest key of the open window */
    uint64_t last;
    uint64_t edge;
    uint64_t recent_key; /* the key that was pushed into the wheel last */
    QueueSlot *recent;   /* the slot of .recent_key */
    QueueChunk *free;
    QueuePosition
        part; /* the chunks of .next; .part.next itself is undefined */
    QueuePosition waiting; /* the interrupted position while late entries are
                          popped; else .next is NULL */
    uint32_t few_at, n_few;
    QueueEntry few[QUEUE_FEW];
    uint32_t table_at;   /* the smallest index used in .table; QUEUE_NONE if the
                            table is empty */
    QueueEntry *run;     /* owned: the sorted entries of the open window */
    QueueEntry *sorting; /* owned: scratch of the same length */
    uint32_t run_allocated;
    GPtrArray *slabs; /* owned: the memory of the chunks */
    QueueBits table_used;
    QueueSlot table[QUEUE_WINDOW_SIZE];
    /* The slots of the wheel that are not empty: one bit set for pages with
     * even numbers and one for pages with odd numbers. */
    QueueBits wheel_used[2];
    /* The slots of pages with even numbers, then those of odd ones. */
    QueueSlot wheel[2 * QUEUE_N_SLOTS];
    uint32_t levels; /* bit l: level l of .far is not empty */
    uint64_t far_used[QUEUE_N_LEVELS];
    QueueSlot far[QUEUE_N_LEVELS][QUEUE_N_DIGITS];
};

/* ---- functions of queue_windows.c ---------------------------------------- */

/* Opens the first window after the open one.  Returns FALSE if there is
 * none. */
gboolean queue_open_next_window(SimQueue *queue);
/* Returns the smallest key in the wheel and the radix heap, or UINT64_MAX if
 * both are empty. */
uint64_t queue_min_waiting_key(const SimQueue *queue);

/* ---- functions of radix_heap.c ------------------------------------------- */

/* Adds @event, which belongs to a page after the edge. */
void queue_push_beyond_edge(SimQueue *queue, const SimEvent *event);
/* Moves the edge forward to @page.  No entry may belong to a page in
 * between. */
void queue_move_wheel_edge(SimQueue *queue, uint64_t page);
/* Returns the smallest key in the radix heap, which must not be empty. */
uint64_t queue_min_key_beyond_wheel(const SimQueue *queue);

#endif
