/*
 * message_list.h - ordered queues of messages, linked by their .link
 *
 * A new message nearly always belongs at the end of the queue or near its
 * start. Such messages are kept in a linked list.  A message whose place is
 * hard to find goes into an additional heap, so that no search is long.  The
 * head of the list is the first message of both.
 *
 * Order    by network_message_before(), or by .tail_ps; all calls for one list
 * use the same order.  Equal messages are in order of arrival: messages in the
 *          list arrived before equal messages in the heap.
 */
#ifndef NETWORK_TRANSPORT_MESSAGE_LIST_H
#define NETWORK_TRANSPORT_MESSAGE_LIST_H

#include "network/transport/message_heap.h"

#define MESSAGE_NONE SIM_HEAP_EMPTY

/* The list refers to an array of messages by index; each call gets the
 * array. */
typedef struct {
    uint32_t head, tail; /* MESSAGE_NONE and undefined if empty */
    uint32_t n_heap;     /* size of the heap; 0 if .head is MESSAGE_NONE */
    MessageHeap *heap;   /* owned; NULL until it is needed */
} MessageList;

#define MESSAGE_LIST_EMPTY                                                     \
    ((MessageList){ .head = MESSAGE_NONE, .tail = MESSAGE_NONE })

/* An order, and a function that makes the heap entry of a message for it. */
typedef struct {
    gboolean (*before)(const NetMessage *first, const NetMessage *second);
    MessageEntry (*entry)(const NetMessage *message);
} MessageOrder;

/* The order of network_message_before(). */
extern const MessageOrder message_by_key;
/* The order of .tail_ps. */
extern const MessageOrder message_by_tail;

/* The out-of-line parts of message_list_insert_by_key() and
 * message_list_insert_by_tail(), for a message that is not the last one.  @list
 * must not be empty. */
void message_list_insert_by_key_slow(NetMessage *messages, MessageList *list,
                                     uint32_t message);
void message_list_insert_by_tail_slow(NetMessage *messages, MessageList *list,
                                      uint32_t message);
/* Moves the first entry of the heap, which must not be empty, to the head of
 * the list if it precedes that. */
void message_list_refill_from_heap(NetMessage *messages, MessageList *list,
                                   const MessageOrder *order);
/* Frees the heap.  The list must not be used afterwards. */
void message_list_clear(MessageList *list);
/* Appends @message to a list without a heap. */
static inline void message_list_append_last(NetMessage *messages,
                                            MessageList *list, uint32_t message)
{
    messages[message].link.next = MESSAGE_NONE;
    if (list->head == MESSAGE_NONE)
        list->head = message;
    else
        messages[list->tail].link.next = message;
    list->tail = message;
}

/* Inserts @message in the order of network_message_before(). */
static inline void message_list_insert_by_key(NetMessage *messages,
                                              MessageList *list,
                                              uint32_t message)
{
    if (list->head == MESSAGE_NONE)
        message_list_append_last(messages, list, message);
    else
        message_list_insert_by_key_slow(messages, list, message);
}

/* Inserts @message in the order of .tail_ps.  Nearly always it is the last. */
static inline void message_list_insert_by_tail(NetMessage *messages,
                                               MessageList *list,
                                               uint32_t message)
{
    if (list->head == MESSAGE_NONE ||
        (list->n_heap == 0 &&
         messages[list->tail].tail_ps <= messages[message].tail_ps))
        message_list_append_last(messages, list, message);
    else
        message_list_insert_by_tail_slow(messages, list, message);
}

/* Removes and returns the first message of @list, which must not be empty. */
static inline uint32_t message_list_take_first(NetMessage *messages,
                                               MessageList *list,
                                               const MessageOrder *order)
{
    uint32_t message = list->head;

    list->head = messages[message].link.next;
    if (G_UNLIKELY(list->n_heap > 0))
        message_list_refill_from_heap(messages, list, order);
    return message;
}

#endif
