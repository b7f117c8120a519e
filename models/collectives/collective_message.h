/* collective_message.h - fields of a network message that only collectives
 * interpret */
#ifndef MODELS_COLLECTIVES_COLLECTIVE_MESSAGE_H
#define MODELS_COLLECTIVES_COLLECTIVE_MESSAGE_H

#include "network/path_id.h"
#include "network/transport/message.h"

/* Values of NetMessage.flags.  The bits above hold MESSAGE_PAYS(reach), if the
 * protocol charges a step time for this path. */
enum {
    MESSAGE_REDUCES = 1, /* received data is added to local data */
    MESSAGE_MAY_END = 2, /* the message may be the last one of its lane */
};

#define MESSAGE_PAYS_SHIFT  2
#define MESSAGE_PAYS(reach) ((uint8_t)(((reach) + 1) << MESSAGE_PAYS_SHIFT))

static inline gboolean message_is_added_to_buffer(const NetMessage *message)
{
    return message->flags & MESSAGE_REDUCES;
}

static inline gboolean message_may_be_last_of_lane(const NetMessage *message)
{
    return (message->flags & MESSAGE_MAY_END) != 0;
}

/* Sets *@ret to the reach whose step time the message pays.  Returns FALSE if
 * the message pays none. */
static inline gboolean message_protocol_reach(const NetMessage *message,
                                              TopologyReach *ret)
{
    uint8_t pays = message->flags >> MESSAGE_PAYS_SHIFT;

    if (pays > 0)
        *ret = (TopologyReach)(pays - 1);
    return pays > 0;
}

/* Returns the slot of the message's chunk. */
static inline uint32_t message_chunk_slot(const NetMessage *message)
{
    return message->cookie;
}

static inline void message_set_flags(NetMessage *message, gboolean reduces,
                                     gboolean may_end)
{
    message->flags =
        (uint8_t)(reduces * MESSAGE_REDUCES + may_end * MESSAGE_MAY_END);
}

#endif
