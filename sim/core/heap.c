/*
 * heap.c - trees of items, no item before the one above it
 *
 * An item's children stand in a circle from the last that came to the first:
 * .child is the first to have come, its .next the last.  What hangs below two
 * siblings never overlaps in time: all of the one's tree, itself included,
 * came before all of the other's.  So who wins between equals is known
 * wherever two trees meet, and no item carries a number.
 */
#include "sim/core/heap.h"

/* Puts the tree of @younger, which came after all that is below @item but
 * perhaps before @item itself, below it. */
static void add_youngest(const SimHeapKind *kind, gpointer items, uint32_t item,
                         uint32_t younger)
{
    SimHeapLink *above = kind->link(items, item);
    SimHeapLink *added = kind->link(items, younger);

    if (above->child == SIM_HEAP_EMPTY) {
        added->next = younger;
        above->child = younger;
    } else {
        SimHeapLink *oldest = kind->link(items, above->child);

        added->next = oldest->next;
        oldest->next = younger;
    }
}

/* One tree of two.  All of @younger's came after all of @older's. */
static uint32_t meld(const SimHeapKind *kind, gpointer items, uint32_t younger,
                     uint32_t older)
{
    if (!kind->before(items, younger, older)) {
        add_youngest(kind, items, older, younger);
        return older;
    }
    add_youngest(kind, items, younger, older);
    kind->link(items, younger)->child = older; /* it is the oldest there */
    return younger;
}

uint32_t sim_heap_push(const SimHeapKind *kind, gpointer items, uint32_t first,
                       uint32_t item)
{
    kind->link(items, item)->child = SIM_HEAP_EMPTY;
    return first == SIM_HEAP_EMPTY ? item : meld(kind, items, item, first);
}

/* Two by two from the youngest on, then all into the oldest pair. */
uint32_t sim_heap_pop(const SimHeapKind *kind, gpointer items, uint32_t first)
{
    uint32_t oldest = kind->link(items, first)->child;
    uint32_t pairs = SIM_HEAP_EMPTY; /* linked by .next, the oldest first */
    uint32_t item, all;

    if (oldest == SIM_HEAP_EMPTY)
        return SIM_HEAP_EMPTY;
    item = kind->link(items, oldest)->next;
    kind->link(items, oldest)->next = SIM_HEAP_EMPTY;
    while (item != SIM_HEAP_EMPTY) {
        uint32_t older = kind->link(items, item)->next;
        uint32_t pair = item;

        item = SIM_HEAP_EMPTY;
        if (older != SIM_HEAP_EMPTY) {
            item = kind->link(items, older)->next;
            pair = meld(kind, items, pair, older);
        }
        kind->link(items, pair)->next = pairs;
        pairs = pair;
    }
    all = pairs;
    pairs = kind->link(items, all)->next;
    while (pairs != SIM_HEAP_EMPTY) {
        uint32_t younger = pairs;

        pairs = kind->link(items, younger)->next;
        all = meld(kind, items, younger, all);
    }
    return all;
}
