/*
 * message.h - what a message of a collective says in the words that a network
 * hands over untouched
 */
#ifndef MODELS_COLLECTIVES_MESSAGE_H
#define MODELS_COLLECTIVES_MESSAGE_H

#include "network/reach.h"
#include "network/transport/message.h"

/* .flags; above them stands MESSAGE_PAYS(reach) of its way where a protocol has
 * a step to pay. */
enum {
    MESSAGE_REDUCES = 1, /* what it brings is added to what is there */
    MESSAGE_MAY_END = 2, /* it may be the last that its lane sends */
};

#define MESSAGE_PAYS_SHIFT  2
#define MESSAGE_PAYS(reach) ((uint8_t)(((reach) + 1) << MESSAGE_PAYS_SHIFT))

static inline gboolean message_reduces(const NetMessage *m)
{
    return m->flags & MESSAGE_REDUCES;
}

static inline gboolean message_may_end(const NetMessage *m)
{
    return (m->flags & MESSAGE_MAY_END) != 0;
}

/* FALSE: it pays no protocol's step. */
static inline gboolean message_pays(const NetMessage *m, TopologyReach *ret)
{
    uint8_t pays = m->flags >> MESSAGE_PAYS_SHIFT;

    if (pays > 0)
        *ret = (TopologyReach)(pays - 1);
    return pays > 0;
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
