/*
 * message.h - what a message of a collective says in the words that a network
 * hands over untouched
 */
#ifndef MODELS_COLLECTIVES_MESSAGE_H
#define MODELS_COLLECTIVES_MESSAGE_H

#include "network/transport/message.h"

/* .flags */
enum {
    MESSAGE_REDUCES = 1, /* what it brings is added to what is there */
    MESSAGE_MAY_END = 2, /* it may be the last that its lane sends */
};

static inline gboolean message_reduces(const NetMessage *m)
{
    return m->flags & MESSAGE_REDUCES;
}

static inline gboolean message_may_end(const NetMessage *m)
{
    return (m->flags & MESSAGE_MAY_END) != 0;
}

/* The slot of its chunk. */
static inline uint32_t message_chunk(const NetMessage *m)
{
    return m->cookie;
}

static inline void message_set_flags(NetMessage *m, gboolean reduces,
                                     gboolean may_end)
{
    m->flags = (uint8_t)(reduces * MESSAGE_REDUCES + may_end * MESSAGE_MAY_END);
}

#endif
