/*
 * pairing_heap.h - a priority queue for long queues: a pairing heap
 *
 * The items are in an array of the caller.  Each item contains a SimHeapLink
 * for the heap.  A heap is identified by the index of its first item.
 *
 * Order    by .before; equal items leave in the order of their arrival
 * Owner    the heap owns nothing and borrows the array at each call.  The
 *          caller must not change the links of items in the heap
 * Cost     a push makes one comparison; a pop makes O(log n), amortised
 */
#ifndef SIM_CORE_PAIRING_HEAP_H
#define SIM_CORE_PAIRING_HEAP_H

#include <glib.h>
#include <stdint.h>

#define SIM_HEAP_EMPTY UINT32_MAX

typedef struct {
    uint32_t next, child;
} SimHeapLink;

typedef struct {
    SimHeapLink *(*link)(gpointer items, uint32_t item);
    /* Returns whether item @a comes strictly before item @b; FALSE if they are
     * equal. */
    gboolean (*before)(gconstpointer items, uint32_t a, uint32_t b);
} SimHeapKind;

/* Adds @item to the heap whose first item is @first (SIM_HEAP_EMPTY if empty).
 * Returns the new first item. */
uint32_t sim_heap_push(const SimHeapKind *kind, gpointer items, uint32_t first,
                       uint32_t item);

/* Removes @first from the heap.  Returns the new first item, or
 * SIM_HEAP_EMPTY. */
uint32_t sim_heap_pop(const SimHeapKind *kind, gpointer items, uint32_t first);

#endif
