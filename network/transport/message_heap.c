/* message_heap.c - see message_heap.h: the children of i are 4 i + 1 to 4 i + 4
 */
#include "network/transport/message_heap.h"

#define N_CHILDREN 4
#define AT_FIRST   12 /* entries */

/* Of two whose keys are equal as far as entries have them. */
static G_GNUC_NO_INLINE gboolean ties_before(const NetMessage *messages,
                                             const MessageEntry *a,
                                             const MessageEntry *b)
{
    uint32_t n_hops = messages[a->message].n_hops;
    uint32_t n_others = messages[b->message].n_hops;

    if ((a->lo & MESSAGE_HEAP_MOST_HOPS) == MESSAGE_HEAP_MOST_HOPS &&
        n_hops != n_others)
        return n_hops < n_others;
    return a->age < b->age;
}

static inline gboolean entry_before(const NetMessage *messages,
                                    const MessageEntry *a,
                                    const MessageEntry *b)
{
    if (G_LIKELY(a->hi != b->hi))
        return a->hi < b->hi;
    if (G_LIKELY(a->lo != b->lo))
        return a->lo < b->lo;
    return ties_before(messages, a, b);
}

/* Puts @entry at @i, which is free, or above. */
static inline void rise(MessageEntry *entries, uint32_t i,
                        const NetMessage *messages, MessageEntry entry)
{
    while (i > 0) {
        uint32_t above = (i - 1) / N_CHILDREN;

        if (!entry_before(messages, &entry, &entries[above]))
            break;
        entries[i] = entries[above];
        i = above;
    }
    entries[i] = entry;
}

static G_GNUC_NO_INLINE void more(MessageHeap **heap)
{
    uint32_t n = *heap ? 2 * (*heap)->n_allocated : AT_FIRST;
    MessageHeap head = { n, *heap ? (*heap)->next_age : 0 };

    *heap = g_realloc(*heap, sizeof **heap + n * sizeof *(*heap)->entries);
    **heap = head;
}

void message_heap_push(MessageHeap **heap, uint32_t *n,
                       const NetMessage *messages, MessageEntry entry)
{
    if (!*heap || *n == (*heap)->n_allocated)
        more(heap);
    entry.age = (*heap)->next_age++;
    rise((*heap)->entries, (*n)++, messages, entry);
}

/* The first of the @n > 0 children from @first on. */
static inline uint32_t first_child(const MessageEntry *entries, uint32_t first,
                                   uint32_t n, const NetMessage *messages)
{
    uint32_t best = first;

    for (uint32_t i = first + 1; i < first + n; i++)
        if (entry_before(messages, &entries[i], &entries[best]))
            best = i;
    return best;
}

/* The gap goes down to the end, and what was last there and up again: it is
 * one of the last nearly always. */
uint32_t message_heap_pop(MessageHeap *heap, uint32_t *n,
                          const NetMessage *messages)
{
    MessageEntry *entries = heap->entries;
    uint32_t message = entries[0].message, last = --*n, gap = 0;
    uint32_t child = 1;

    while (child < last) {
        uint32_t best = first_child(entries, child,
                                    MIN(last - child, N_CHILDREN), messages);

        entries[gap] = entries[best];
        gap = best;
        child = gap * N_CHILDREN + 1;
    }
    if (last > 0)
        rise(entries, gap, messages, entries[last]);
    else
        heap->next_age = 0;
    return message;
}

void message_heap_free(MessageHeap *heap)
{
    g_free(heap);
}
