/*
 * parts_impl.h - what the parts of the event queue share; for queue/ only
 *
 *   queue.c  pushes and pops
 *   open.c   opens windows
 *   far.c    keeps what is to come later than the wheel turns
 *   slots.c  puts entries into slots
 *
 * Each calls what stands below it in this list.  What the words mean says
 * queue.c.  A slot is a list of chunks of entries in the order they came, so
 * that what is sorted later lies together, and is read in the order it has
 * there.
 */
#ifndef SIM_CORE_QUEUE_PARTS_IMPL_H
#define SIM_CORE_QUEUE_PARTS_IMPL_H

#include "sim/core/queue.h"

#define QUEUE_WINDOW_BITS 12
#define QUEUE_SLOT_BITS   12 /* two digits of QueueBits */
#define QUEUE_PAGE_BITS   (QUEUE_WINDOW_BITS + QUEUE_SLOT_BITS)
#define QUEUE_WINDOW_SIZE (1U << QUEUE_WINDOW_BITS)
#define QUEUE_N_SLOTS     (1U << QUEUE_SLOT_BITS)
#define QUEUE_DIGIT_BITS  6
#define QUEUE_N_DIGITS    (1U << QUEUE_DIGIT_BITS)
#define QUEUE_N_LEVELS    8 /* one more than pages have digits: for the edge */
#define QUEUE_CHUNK_BYTES 256U
#define QUEUE_FEW         16
#define QUEUE_NONE        UINT32_MAX
#define QUEUE_NONE_LATE   (UINT32_MAX - 1)

/* Where its window is known. */
typedef struct {
    uint32_t low; /* the last bits of its key */
    uint32_t arg;
    SimEventFn fn;
    gpointer self;
} QueueEntry;

typedef struct QueueChunk QueueChunk;
struct QueueChunk {   /* begins at a multiple of its size */
    uint32_t none;    /* QUEUE_NONE: ends the chunk that lies before it */
    QueueChunk *next; /* of its list, of the last the first; or free */
    union {
        QueueEntry near[10];
        struct {
            uint64_t unused[2]; /* so that they end where the chunk does */
            SimEvent far[7];
        };
    };
};

G_STATIC_ASSERT(sizeof(QueueChunk) == QUEUE_CHUNK_BYTES);

/* A list of chunks that are all full but the last; of which this is the end,
 * where the next entry is put unless it is the end of the chunk.  NULL: it is
 * empty. */
typedef union {
    QueueEntry *near;
    SimEvent *far;
    guintptr at;
} QueueSlot;

/* Chunks of what is popped in order. */
typedef struct {
    QueueEntry *next;
    QueueChunk *at;   /* where that is; NULL: in .run */
    QueueChunk *last; /* NULL with it */
} QueuePart;

/* Which of QUEUE_N_SLOTS are used. */
typedef struct {
    uint64_t words; /* bit w: .used[w] is not 0 */
    uint64_t used[QUEUE_N_SLOTS / 64];
} QueueBits;

struct SimQueue {
    QueueEntry *next; /* of the open window: the next to pop, .low QUEUE_NONE
                       * behind the last of what lies together */
    uint32_t
        late_at; /* the least .low of what is late; QUEUE_NONE_LATE: none */
    guint length;
    uint64_t base; /* the least key of the open window */
    uint64_t last;
    uint64_t edge;
    uint64_t recent_key; /* pushed into the wheel last, */
    QueueSlot *recent;   /* there */
    QueueChunk *free;
    QueuePart part;    /* .next is in; its own .next is undefined */
    QueuePart waiting; /* while what is late runs; or NULL */
    uint32_t few_at, n_few;
    QueueEntry few[QUEUE_FEW];
    uint32_t table_at;   /* the least of .table; QUEUE_NONE: it is empty */
    QueueEntry *run;     /* owned */
    QueueEntry *sorting; /* owned: as long */
    uint32_t run_allocated;
    GPtrArray *slabs; /* owned: memory of chunks */
    QueueBits table_used;
    QueueSlot table[QUEUE_WINDOW_SIZE];
    QueueBits wheel_used[2];            /* of pages that are even, and odd */
    QueueSlot wheel[2 * QUEUE_N_SLOTS]; /* likewise */
    uint32_t levels; /* bit l: level l of .far is not empty */
    uint64_t far_used[QUEUE_N_LEVELS];
    QueueSlot far[QUEUE_N_LEVELS][QUEUE_N_DIGITS];
};

/* ---- open.c ----------------------------------------------------------- */

/* The first window, after the one that is open; FALSE when there is none. */
gboolean queue_open_next(SimQueue *queue);
/* Of what is in the wheel or far; UINT64_MAX: nothing is. */
uint64_t queue_least(const SimQueue *queue);

/* ---- far.c ------------------------------------------------------------ */

/* Of a page after the edge. */
void queue_push_far(SimQueue *queue, const SimEvent *event);
/* To @page, after it: no entry is of a page in between. */
void queue_move_edge(SimQueue *queue, uint64_t page);
/* Of what is far, which is something. */
uint64_t queue_least_far(const SimQueue *queue);

#endif
