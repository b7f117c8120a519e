/*
 * queue.h - the event queue: a timing wheel for the near future and a radix
 * heap for the far future
 *
 * A window is 2^12 keys, about 1 ns.  The wheel has one slot for each window of
 * the next 4 us or more.  An entry is appended to the slot of its window, and a
 * slot is sorted only when its window is opened.  Later entries wait in a radix
 * heap.  So an entry moves twice in its life, and the entries that are popped
 * lie next to each other in memory.
 *
 * Order    by key; entries with equal keys leave in the order of their arrival
 * Range    asserts that no key is pushed below the last popped key, because
 *          time does not run backwards
 * Cost     a push and a pop take 25 ns with 1,000 entries pending.  With
 *          100,000 pending they take 20 ns within the next 4 us and 75 ns
 *          within the next ms (cache misses).  An entry takes 26 bytes, up to
 *          256 in windows with few entries.  An empty queue takes 100 KiB.
 * Owner    the caller owns the queue; the queue borrows .self
 */
#ifndef SIM_CORE_QUEUE_H
#define SIM_CORE_QUEUE_H

#include <glib.h>
#include <stdint.h>

typedef void (*SimEventFn)(gpointer self, uint32_t arg, uint64_t now_ps);

typedef struct {
    uint64_t key;
    SimEventFn fn;
    gpointer self;
    uint32_t arg;
} SimEvent;

typedef struct SimQueue SimQueue;

SimQueue *sim_queue_new(void);
void sim_queue_free(SimQueue *queue);

void sim_queue_push(SimQueue *queue, uint64_t key, SimEventFn fn, gpointer self,
                    uint32_t arg);

/* Removes the first entry and stores it in *@ret.  Returns FALSE if the queue
 * is empty. */
gboolean sim_queue_pop(SimQueue *queue, SimEvent *ret);

/* Returns the smallest key, or UINT64_MAX if the queue is empty.  Does not open
 * a window. */
uint64_t sim_queue_first_key(const SimQueue *queue);

/* Returns whether an entry has @key or a smaller key.  Does not open a
 * window. */
gboolean sim_queue_has_key_until(const SimQueue *queue, uint64_t key);

/* Removes all entries and appends them to @ret (of SimEvent) in their order. */
void sim_queue_remove_all(SimQueue *queue, GArray *ret);
/* Resets the empty @queue so that its keys start again at @least. */
void sim_queue_restart_at_key(SimQueue *queue, uint64_t least);

guint sim_queue_length(const SimQueue *queue);

#endif
