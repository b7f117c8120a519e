/* protobuf_encoder.c - encodes Protocol Buffers messages in memory; see
 * protobuf_encoder.h */
#include "sim/view/timeline/formats/protobuf_encoder.h"

#include <string.h>

#define MAX_VARINT 10  /* bytes, for 64 bits */
#define SHORT      128 /* smaller lengths need one byte */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void proto_clear(ProtobufMessage *proto)
{
    g_free(proto->bytes);
    *proto = (ProtobufMessage){ 0 };
}

static void reserve_proto_bytes(ProtobufMessage *proto, gsize n)
{
    if (proto->n + n <= proto->capacity)
        return;
    proto->capacity = MAX(2 * proto->capacity, proto->n + n);
    proto->bytes = g_realloc(proto->bytes, proto->capacity);
}

/* Appends a varint, seven bits per byte, low bits first.  The caller has made
 * room. */
static void append_varint(ProtobufMessage *proto, uint64_t value)
{
    while (value >= SHORT) {
        proto->bytes[proto->n++] = (uint8_t)(value | SHORT);
        value >>= 7;
    }
    proto->bytes[proto->n++] = (uint8_t)value;
}

static void append_field_key(ProtobufMessage *proto, guint field, guint wire)
{
    append_varint(proto, (uint64_t)field << 3 | wire);
}

void proto_append_number(ProtobufMessage *proto, guint field, uint64_t value)
{
    reserve_proto_bytes(proto, 2 * (gsize)MAX_VARINT);
    append_field_key(proto, field, WIRE_VARINT);
    append_varint(proto, value);
}

void proto_append_double(ProtobufMessage *proto, guint field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    reserve_proto_bytes(proto, MAX_VARINT + sizeof bits);
    append_field_key(proto, field, WIRE_FIXED64);
    for (guint i = 0; i < sizeof bits; i++)
        proto->bytes[proto->n++] = (uint8_t)(bits >> 8 * i);
}

void proto_append_bytes(ProtobufMessage *proto, guint field, const void *bytes,
                        gsize n)
{
    reserve_proto_bytes(proto, 2 * (gsize)MAX_VARINT + n);
    append_field_key(proto, field, WIRE_BYTES);
    append_varint(proto, n);
    if (n > 0)
        memcpy(proto->bytes + proto->n, bytes, n);
    proto->n += n;
}

void proto_append_text(ProtobufMessage *proto, guint field, const char *text)
{
    g_autofree char *valid = NULL;

    if (!g_utf8_validate(text, -1, NULL))
        text = valid = g_utf8_make_valid(text, -1);
    proto_append_bytes(proto, field, text, strlen(text));
}

/* Most messages are short, so one byte is reserved for the length. */
gsize proto_begin_message(ProtobufMessage *proto, guint field)
{
    reserve_proto_bytes(proto, MAX_VARINT + 1);
    append_field_key(proto, field, WIRE_BYTES);
    return ++proto->n;
}

void proto_end_message(ProtobufMessage *proto, gsize begin)
{
    gsize n = proto->n - begin, more = 0;

    g_assert(begin > 0 && begin <= proto->n);
    for (gsize left = n; left >= SHORT; left >>= 7)
        more++;
    reserve_proto_bytes(proto, more);
    if (more > 0)
        memmove(proto->bytes + begin + more, proto->bytes + begin, n);
    proto->n = begin - 1;
    append_varint(proto, n);
    proto->n += n;
}
