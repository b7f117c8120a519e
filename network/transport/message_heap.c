/* message_heap.c - a 4-ary heap of messages; see message_heap.h.  The children
 * of entry i are the entries 4 i + 1 to 4 i + 4. */
#include "network/transport/message_heap.h"

#define N_CHILDREN   4
#define INITIAL_SIZE 12 /* number of entries in a new heap */

/* Returns whether @a precedes @b if .hi and .lo are equal. */
static G_GNUC_NO_INLINE gboolean break_tie_of_heap_entries(
    const NetMessage *messages, const MessageEntry *a, const MessageEntry *b)
{
    uint32_t n_hops = messages[a->message].n_hops;
    uint32_t n_others = messages[b->message].n_hops;

    if ((a->lo & MESSAGE_HEAP_MOST_HOPS) == MESSAGE_HEAP_MOST_HOPS &&
        n_hops != n_others)
        return n_hops < n_others;
    return a->age < b->age;
}

static inline gboolean heap_entry_precedes(const NetMessage *messages,
                                           const MessageEntry *a,
                                           const MessageEntry *b)
{
    if (G_LIKELY(a->hi != b->hi))
        return a->hi < b->hi;
    if (G_LIKELY(a->lo != b->lo))
        return a->lo < b->lo;
    return break_tie_of_heap_entries(messages, a, b);
}

/* Puts @entry at the unused position @i, or moves it up from there. */
static inline void move_heap_entry_up(MessageEntry *entries, uint32_t i,
                                      const NetMessage *messages,
                                      MessageEntry entry)
{
    while (i > 0) {
        uint32_t parent = (i - 1) / N_CHILDREN;

        if (!heap_entry_precedes(messages, &entry, &entries[parent]))
            break;
        entries[i] = entries[parent];
        i = parent;
    }
    entries[i] = entry;
}

static G_GNUC_NO_INLINE void grow_message_heap(MessageHeap **heap)
{
    uint32_t n = *heap ? 2 * (*heap)->n_allocated : INITIAL_SIZE;
    MessageHeap head = { n, *heap ? (*heap)->next_age : 0 };

    *heap = g_realloc(*heap, sizeof **heap + n * sizeof *(*heap)->entries);
    **heap = head;
}

void message_heap_push(MessageHeap **heap, uint32_t *n,
                       const NetMessage *messages, MessageEntry entry)
{
    if (!*heap || *n == (*heap)->n_allocated)
        grow_message_heap(heap);
    entry.age = (*heap)->next_age++;
    move_heap_entry_up((*heap)->entries, (*n)++, messages, entry);
}

/* Returns the first of the @n > 0 children that begin at @first. */
static inline uint32_t find_first_heap_child(const MessageEntry *entries,
                                             uint32_t first, uint32_t n,
                                             const NetMessage *messages)
{
    uint32_t best = first;

    for (uint32_t i = first + 1; i < first + n; i++)
        if (heap_entry_precedes(messages, &entries[i], &entries[best]))
            best = i;
    return best;
}

/* Removes the root of the heap.  Moves the gap at the root down to a leaf, puts
 * the last entry there, and moves it up.  This saves comparisons, as the last
 * entry nearly always belongs near the leaves. */
uint32_t message_heap_pop(MessageHeap *heap, uint32_t *n,
                          const NetMessage *messages)
{
    MessageEntry *entries = heap->entries;
    uint32_t message = entries[0].message, last = --*n, gap = 0;
    uint32_t child = 1;

    while (child < last) {
        uint32_t best = find_first_heap_child(
            entries, child, MIN(last - child, N_CHILDREN), messages);

        entries[gap] = entries[best];
        gap = best;
        child = gap * N_CHILDREN + 1;
    }
    if (last > 0)
        move_heap_entry_up(entries, gap, messages, entries[last]);
    else
        heap->next_age = 0;
    return message;
}

void message_heap_free(MessageHeap *heap)
{
    g_free(heap);
}
