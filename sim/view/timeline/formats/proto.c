/* proto.c - encodes Protocol Buffers messages in memory; see proto.h */
#include "sim/view/timeline/formats/proto.h"

#include <string.h>

#define MAX_VARINT 10  /* bytes, for 64 bits */
#define SHORT      128 /* smaller lengths need one byte */

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

void proto_clear(Proto *proto)
{
    g_free(proto->bytes);
    *proto = (Proto){ 0 };
}

static void make_room(Proto *proto, gsize n)
{
    if (proto->n + n <= proto->room)
        return;
    proto->room = MAX(2 * proto->room, proto->n + n);
    proto->bytes = g_realloc(proto->bytes, proto->room);
}

/* Appends a varint, seven bits per byte, low bits first.  The caller has made
 * room. */
static void add_varint(Proto *proto, uint64_t value)
{
    while (value >= SHORT) {
        proto->bytes[proto->n++] = (uint8_t)(value | SHORT);
        value >>= 7;
    }
    proto->bytes[proto->n++] = (uint8_t)value;
}

static void add_key(Proto *proto, guint field, guint wire)
{
    add_varint(proto, (uint64_t)field << 3 | wire);
}

void proto_number(Proto *proto, guint field, uint64_t value)
{
    make_room(proto, 2 * (gsize)MAX_VARINT);
    add_key(proto, field, WIRE_VARINT);
    add_varint(proto, value);
}

void proto_double(Proto *proto, guint field, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    make_room(proto, MAX_VARINT + sizeof bits);
    add_key(proto, field, WIRE_FIXED64);
    for (guint i = 0; i < sizeof bits; i++)
        proto->bytes[proto->n++] = (uint8_t)(bits >> 8 * i);
}

void proto_bytes(Proto *proto, guint field, const void *bytes, gsize n)
{
    make_room(proto, 2 * (gsize)MAX_VARINT + n);
    add_key(proto, field, WIRE_BYTES);
    add_varint(proto, n);
    if (n > 0)
        memcpy(proto->bytes + proto->n, bytes, n);
    proto->n += n;
}

void proto_text(Proto *proto, guint field, const char *text)
{
    g_autofree char *valid = NULL;

    if (!g_utf8_validate(text, -1, NULL))
        text = valid = g_utf8_make_valid(text, -1);
    proto_bytes(proto, field, text, strlen(text));
}

/* Most messages are short, so one byte is reserved for the length. */
gsize proto_begin(Proto *proto, guint field)
{
    make_room(proto, MAX_VARINT + 1);
    add_key(proto, field, WIRE_BYTES);
    return ++proto->n;
}

void proto_end(Proto *proto, gsize begin)
{
    gsize n = proto->n - begin, more = 0;

    g_assert(begin > 0 && begin <= proto->n);
    for (gsize left = n; left >= SHORT; left >>= 7)
        more++;
    make_room(proto, more);
    if (more > 0)
        memmove(proto->bytes + begin + more, proto->bytes + begin, n);
    proto->n = begin - 1;
    add_varint(proto, n);
    proto->n += n;
}
