/*
 * heap.h - the first of many, for lines that may get long: a pairing heap
 *
 * It lies in the caller's own array of items, each of which has a link for
 * it, and is named by the number of its first item.
 *
 * Order    by .before; equals leave in the order in which they came
 * Owner    the heap owns nothing and borrows the array at each call; the
 *          caller leaves the links of items in it alone
 * Cost     a push compares once, a pop log n times in the long run
 */
#ifndef SIM_CORE_HEAP_H
#define SIM_CORE_HEAP_H

#include <glib.h>
#include <stdint.h>

#define SIM_HEAP_EMPTY UINT32_MAX

typedef struct {
    uint32_t next, child;
} SimHeapLink;

typedef struct {
    SimHeapLink *(*link)(gpointer items, uint32_t item);
    /* Strict: FALSE where they are equal. */
    gboolean (*before)(gconstpointer items, uint32_t a, uint32_t b);
} SimHeapKind;

/* Adds @item to the heap whose first is @first, SIM_HEAP_EMPTY: none.
 * Returns what is the first then. */
uint32_t sim_heap_push(const SimHeapKind *kind, gpointer items, uint32_t first,
                       uint32_t item);

/* Takes @first out, which is in the caller's hands again.  Returns what is the
 * first then. */
uint32_t sim_heap_pop(const SimHeapKind *kind, gpointer items, uint32_t first);

#endif
