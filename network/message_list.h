/*
 * message_list.h - messages in order, linked through their .next; for
 * network.c only
 *
 * Order    by network_before(), or by .tail_ps
 */
#ifndef NETWORK_MESSAGE_LIST_H
#define NETWORK_MESSAGE_LIST_H

#include "network/network.h"

#define MESSAGE_NONE UINT32_MAX

/* Indices into an array of messages that the list borrows at each call. */
typedef struct {
    uint32_t head, tail; /* MESSAGE_NONE, undefined: empty */
} MessageList;

/* Mostly the place is at the end, or near the start. */
static G_GNUC_NO_INLINE void message_list_insert_among(NetMessage *messages,
                                                       MessageList *list,
                                                       uint32_t message)
{
    NetMessage *m = &messages[message];
    uint32_t *link = &list->head;

    if (!network_before(m, &messages[list->tail])) {
        messages[list->tail].next = message;
        list->tail = message;
        return;
    }
    while (!network_before(m, &messages[*link]))
        link = &messages[*link].next;
    m->next = *link;
    *link = message;
}

/* Keeps @list in order of network_before(). */
static inline void message_list_insert(NetMessage *messages, MessageList *list,
                                       uint32_t message)
{
    messages[message].next = MESSAGE_NONE;
    if (list->head == MESSAGE_NONE)
        list->head = list->tail = message;
    else
        message_list_insert_among(messages, list, message);
}

/* Keeps @list in order of .tail_ps; the place is nearly always at the end. */
static inline void message_list_append(NetMessage *messages, MessageList *list,
                                       uint32_t message)
{
    NetMessage *m = &messages[message];
    uint32_t *link = &list->head;

    if (*link != MESSAGE_NONE && messages[list->tail].tail_ps <= m->tail_ps)
        link = &messages[list->tail].next;
    while (*link != MESSAGE_NONE && messages[*link].tail_ps <= m->tail_ps)
        link = &messages[*link].next;
    m->next = *link;
    *link = message;
    if (m->next == MESSAGE_NONE)
        list->tail = message;
}

#endif
