/* message_list.c - a linked list with a heap for messages in the middle */
#include "network/transport/message_list.h"

/* The number of messages that a search for the place of a new message visits
 * before it uses the heap.  A heap of this size is no slower than a search. */
#define MAX_SEARCHED 16

static gboolean message_precedes_by_key(const NetMessage *first,
                                        const NetMessage *second)
{
    return network_message_before(first, second);
}

static gboolean message_precedes_by_tail(const NetMessage *first,
                                         const NetMessage *second)
{
    return first->tail_ps < second->tail_ps;
}

static MessageEntry message_heap_entry_by_tail(const NetMessage *message)
{
    return (MessageEntry){ .hi = message->tail_ps };
}

const MessageOrder message_by_key = { message_precedes_by_key,
                                      message_heap_entry_by_key };
const MessageOrder message_by_tail = { message_precedes_by_tail,
                                       message_heap_entry_by_tail };

/* Moves @message to the heap of @list.  This is a separate function, so that
 * its caller is a leaf function that saves no registers. */
static G_GNUC_NO_INLINE void push_to_heap(NetMessage *messages,
                                          MessageList *list, uint32_t message,
                                          const MessageOrder *order)
{
    MessageEntry entry = order->entry(&messages[message]);

    entry.message = message;
    message_heap_push(&list->heap, &list->n_heap, messages, entry);
}

/* Inserts @message near the start of @list, or into the heap.  @before is a
 * separate parameter, equal to @order->before, so that it can be inlined. */
static inline void place_message_in_list(NetMessage *messages,
                                         MessageList *list, uint32_t message,
                                         const MessageOrder *order,
                                         gboolean (*before)(const NetMessage *,
                                                            const NetMessage *))
{
    uint32_t *at = &list->head;
    guint limit = list->n_heap == 0 ? MAX_SEARCHED : 1;

    for (guint i = 0; i < limit; i++) {
        if (before(&messages[message], &messages[*at])) {
            messages[message].link.next = *at;
            *at = message;
            return;
        }
        at = &messages[*at].link.next;
    }
    push_to_heap(messages, list, message, order);
}

G_GNUC_NO_INLINE void message_list_insert_by_key_slow(NetMessage *messages,
                                                      MessageList *list,
                                                      uint32_t message)
{
    if (list->n_heap == 0 &&
        !network_message_before(&messages[message], &messages[list->tail]))
        message_list_append_last(messages, list, message);
    else
        place_message_in_list(messages, list, message, &message_by_key,
                              message_precedes_by_key);
}

G_GNUC_NO_INLINE void message_list_insert_by_tail_slow(NetMessage *messages,
                                                       MessageList *list,
                                                       uint32_t message)
{
    place_message_in_list(messages, list, message, &message_by_tail,
                          message_precedes_by_tail);
}

G_GNUC_NO_INLINE void message_list_refill_from_heap(NetMessage *messages,
                                                    MessageList *list,
                                                    const MessageOrder *order)
{
    uint32_t first = list->heap->entries[0].message;

    if (list->head != MESSAGE_NONE &&
        !order->before(&messages[first], &messages[list->head]))
        return;
    (void)message_heap_pop(list->heap, &list->n_heap, messages);
    if (list->head == MESSAGE_NONE)
        list->tail = first;
    messages[first].link.next = list->head;
    list->head = first;
}

void message_list_clear(MessageList *list)
{
    message_heap_free(list->heap);
    list->heap = NULL;
}
