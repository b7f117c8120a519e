/* message_list.c - a list, and a heap for what would make it long to look */
#include "network/transport/message_list.h"

/* Messages looked at for a place, after which the heap is no dearer. */
#define MOST_LOOKED_AT 16

static SimHeapLink *link_of(gpointer messages, uint32_t i)
{
    return &((NetMessage *)messages)[i].link;
}

static gboolean is_before(gconstpointer messages, uint32_t a, uint32_t b)
{
    const NetMessage *m = messages;

    return network_before(&m[a], &m[b]);
}

static gboolean is_earlier(gconstpointer messages, uint32_t a, uint32_t b)
{
    const NetMessage *m = messages;

    return m[a].tail_ps < m[b].tail_ps;
}

const SimHeapKind message_by_key = { link_of, is_before };
const SimHeapKind message_by_tail = { link_of, is_earlier };

/* By itself, so that what looks for a place is a leaf that saves no register.
 */
static G_GNUC_NO_INLINE void put_into_heap(NetMessage *messages,
                                           MessageList *list, uint32_t message,
                                           const SimHeapKind *kind)
{
    list->heap = sim_heap_push(kind, messages, list->heap, message);
}

/* @before is @kind's, by itself so that it can be inlined. */
static inline void place(NetMessage *messages, MessageList *list,
                         uint32_t message, const SimHeapKind *kind,
                         gboolean (*before)(gconstpointer, uint32_t, uint32_t))
{
    uint32_t *at = &list->head;
    guint most = list->heap == MESSAGE_NONE ? MOST_LOOKED_AT : 1;

    for (guint i = 0; i < most; i++) {
        if (before(messages, message, *at)) {
            messages[message].link.next = *at;
            *at = message;
            return;
        }
        at = &messages[*at].link.next;
    }
    put_into_heap(messages, list, message, kind);
}

G_GNUC_NO_INLINE void message_list_insert_among(NetMessage *messages,
                                                MessageList *list,
                                                uint32_t message)
{
    if (list->heap == MESSAGE_NONE &&
        !network_before(&messages[message], &messages[list->tail]))
        message_list_end(messages, list, message);
    else
        place(messages, list, message, &message_by_key, is_before);
}

G_GNUC_NO_INLINE void message_list_append_among(NetMessage *messages,
                                                MessageList *list,
                                                uint32_t message)
{
    place(messages, list, message, &message_by_tail, is_earlier);
}

G_GNUC_NO_INLINE void message_list_refill(NetMessage *messages,
                                          MessageList *list,
                                          const SimHeapKind *kind)
{
    uint32_t first = list->heap;

    if (list->head != MESSAGE_NONE &&
        !kind->before(messages, first, list->head))
        return;
    list->heap = sim_heap_pop(kind, messages, first);
    if (list->head == MESSAGE_NONE)
        list->tail = first;
    messages[first].link.next = list->head;
    list->head = first;
}
