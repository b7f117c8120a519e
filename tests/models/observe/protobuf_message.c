/* protobuf_message.c - parses the wire format of a Protocol Buffers message */
#include "tests/test.h"

#include "tests/models/observe/protobuf_message.h"

static uint64_t read_varint(Message *message)
{
    uint64_t value = 0;

    for (guint shift = 0; shift < 64; shift += 7) {
        assert_true(message->at < message->end);
        value |= (uint64_t)(*message->at & 0x7f) << shift;
        if (*message->at++ < 0x80)
            return value;
    }
    fail_msg("a varint of more than 64 bits");
    return 0;
}

gboolean protobuf_next_field(Message *message, Field *ret)
{
    uint64_t key, n;

    if (message->at == message->end)
        return FALSE;
    key = read_varint(message);
    *ret = (Field){ .number = key >> 3 };
    switch (key & 7) {
    case 0:
        ret->value = read_varint(message);
        return TRUE;
    case 1:
        assert_true(message->end - message->at >= 8);
        for (guint i = 0; i < 8; i++)
            ret->value |= (uint64_t)*message->at++ << 8 * i;
        return TRUE;
    case 2:
        n = read_varint(message);
        assert_true(n <= (uint64_t)(message->end - message->at));
        ret->inside = (Message){ message->at, message->at + n };
        message->at += n;
        return TRUE;
    default:
        fail_msg("wire type %u", (guint)(key & 7));
        return FALSE;
    }
}

char *protobuf_copy_text(Message m)
{
    assert_true(g_utf8_validate((const char *)m.at, m.end - m.at, NULL));
    return g_strndup((const char *)m.at, (gsize)(m.end - m.at));
}
