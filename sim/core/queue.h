/*
 * queue.h - the event queue: a wheel of windows, sorted when they are opened
 *
 * A window is 2^12 keys, about a ns.  What is to come within the next 4 us or
 * more is put into the slot of its window, one behind the other, and put in
 * order when that is opened; what is later waits in a radix heap.  So an entry
 * moves twice in its life, and what is popped lies one behind the other.
 *
 * Order    by key; entries with equal keys leave in the order they came
 * Range    a push below the last popped key asserts: time does not run back
 * Cost     a push and pop take 25 ns with 1 k entries pending; with 100 k 20 if
 *          they are to come within 4 us, 75 within a second's thousandth
 *          (cache misses); 26 bytes an entry, of windows that hold few up to
 *          256; 100 KiB a queue
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

/* Takes the first entry out; FALSE when there is none. */
gboolean sim_queue_pop(SimQueue *queue, SimEvent *ret);

/* The first key, UINT64_MAX when empty.  Changes nothing. */
uint64_t sim_queue_first_key(const SimQueue *queue);

/* Whether one is at @key or before.  Likewise. */
gboolean sim_queue_has_until(const SimQueue *queue, uint64_t key);

/* Takes all entries out, into @ret (of SimEvent), in their order. */
void sim_queue_take_all(SimQueue *queue, GArray *ret);
/* An empty queue whose keys begin again, at @least. */
void sim_queue_restart(SimQueue *queue, uint64_t least);

guint sim_queue_length(const SimQueue *queue);

#endif
