/*
 * message_list.h - messages in order, linked by their .link; for what
 * moves them only
 *
 * Nearly always the place of a message is at the end, or near the start: that
 * is a list.  What would have to be looked for goes into a heap beside it, so
 * that no line is too long.  The head is the first of both.
 *
 * Order    by network_before(), or by .tail_ps, as all calls for a list say;
 *          equals in the order in which they came: what is in the list came
 *          before its equals in the heap
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_LIST_H
#define NETWORK_TRANSPORT_MESSAGE_LIST_H

#include "network/transport/message_heap.h"

#define MESSAGE_NONE SIM_HEAP_EMPTY

/* Indices into an array of messages that the list borrows at each call. */
typedef struct {
    uint32_t head, tail; /* MESSAGE_NONE, undefined: empty */
    uint32_t n_heap;     /* 0 unless there is a head */
    MessageHeap *heap;   /* owned; NULL: none was needed yet */
} MessageList;

#define MESSAGE_LIST_EMPTY                                                     \
    ((MessageList){ .head = MESSAGE_NONE, .tail = MESSAGE_NONE })

/* An order, and what an entry of the heap has of a message for it. */
typedef struct {
    gboolean (*before)(const NetMessage *a, const NetMessage *b);
    MessageEntry (*entry)(const NetMessage *m);
} MessageOrder;

extern const MessageOrder message_by_key;  /* network_before() */
extern const MessageOrder message_by_tail; /* .tail_ps */

/* Where @list is not empty. */
void message_list_insert_among(NetMessage *messages, MessageList *list,
                               uint32_t message);
void message_list_append_among(NetMessage *messages, MessageList *list,
                               uint32_t message);
/* The heap's first, there is one, is the head where it goes before it. */
void message_list_refill(NetMessage *messages, MessageList *list,
                         const MessageOrder *order);
/* Frees what it has; it is of no more use. */
void message_list_clear(MessageList *list);
/* Makes @message the last of a list without a heap. */
static inline void message_list_end(NetMessage *messages, MessageList *list,
                                    uint32_t message)
{
    messages[message].link.next = MESSAGE_NONE;
    if (list->head == MESSAGE_NONE)
        list->head = message;
    else
        messages[list->tail].link.next = message;
    list->tail = message;
}

/* Keeps @list in order of network_before(). */
static inline void message_list_insert(NetMessage *messages, MessageList *list,
                                       uint32_t message)
{
    if (list->head == MESSAGE_NONE)
        message_list_end(messages, list, message);
    else
        message_list_insert_among(messages, list, message);
}

/* Keeps @list in order of .tail_ps; the place is nearly always at the end. */
static inline void message_list_append(NetMessage *messages, MessageList *list,
                                       uint32_t message)
{
    if (list->head == MESSAGE_NONE ||
        (list->n_heap == 0 &&
         messages[list->tail].tail_ps <= messages[message].tail_ps))
        message_list_end(messages, list, message);
    else
        message_list_append_among(messages, list, message);
}

/* What goes first, out of @list, which is not empty. */
static inline uint32_t message_list_take(NetMessage *messages,
                                         MessageList *list,
                                         const MessageOrder *order)
{
    uint32_t message = list->head;

    list->head = messages[message].link.next;
    if (G_UNLIKELY(list->n_heap > 0))
        message_list_refill(messages, list, order);
    return message;
}

#endif
