/*
 * pairing_heap.c - a pairing heap that keeps the order of equal items
 *
 * The children of an item form a ring in order of arrival: .child is the oldest
 * child, and its .next is the youngest.
 *
 * Invariant: the arrival times of two sibling trees do not overlap.  All items
 * of one tree, including its root, arrived before all items of the other.  So
 * the order of equal items is known whenever two trees are melded, and items
 * need no sequence number.
 */
#include "sim/core/pairing_heap.h"

/* Adds the tree of @younger as a child of @item.  All of its items arrived
 * after all items below @item, but perhaps before @item itself. */
static void add_youngest_child(const SimHeapKind *kind, gpointer items,
                               uint32_t item, uint32_t younger)
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

/* Melds two trees and returns the root.  All items of @younger arrived after
 * all items of @older. */
static uint32_t meld_heap_trees(const SimHeapKind *kind, gpointer items,
                                uint32_t younger, uint32_t older)
{
    if (!kind->before(items, younger, older)) {
        add_youngest_child(kind, items, older, younger);
        return older;
    }
    add_youngest_child(kind, items, younger, older);
    kind->link(items, younger)->child = older; /* the oldest child */
    return younger;
}

uint32_t sim_heap_push(const SimHeapKind *kind, gpointer items, uint32_t first,
                       uint32_t item)
{
    kind->link(items, item)->child = SIM_HEAP_EMPTY;
    return first == SIM_HEAP_EMPTY ? item
                                   : meld_heap_trees(kind, items, item, first);
}

/* Melds the children in pairs, from the youngest on, then melds all pairs into
 * the oldest pair. */
uint32_t sim_heap_pop(const SimHeapKind *kind, gpointer items, uint32_t first)
{
    uint32_t oldest = kind->link(items, first)->child;
    /* The melded pairs, linked by .next, the oldest first. */
    uint32_t pairs = SIM_HEAP_EMPTY;
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
            pair = meld_heap_trees(kind, items, pair, older);
        }
        kind->link(items, pair)->next = pairs;
        pairs = pair;
    }
    all = pairs;
    pairs = kind->link(items, all)->next;
    while (pairs != SIM_HEAP_EMPTY) {
        uint32_t younger = pairs;

        pairs = kind->link(items, younger)->next;
        all = meld_heap_trees(kind, items, younger, all);
    }
    return all;
}
