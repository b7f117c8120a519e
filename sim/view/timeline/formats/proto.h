/*
 * proto.h - messages of Protocol Buffers, put together in memory
 *
 * A field is its number and type in one varint, and then a varint, eight bytes,
 * or a length and so many bytes: a text, or a message within.  That is all
 * that a trace needs, and less than what a library would have to be told.
 *
 * Owner    the caller owns .bytes, by proto_clear()
 * Sources  protobuf.dev, "Encoding"
 */
#ifndef SIM_VIEW_TIMELINE_PROTO_H
#define SIM_VIEW_TIMELINE_PROTO_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes; /* owned */
    gsize n, room;
} Proto;

void proto_clear(Proto *proto);

void proto_number(Proto *proto, guint field, uint64_t value);
void proto_double(Proto *proto, guint field, double value);
void proto_bytes(Proto *proto, guint field, const void *bytes, gsize n);
/* Texts are UTF-8; what is not is replaced. */
void proto_text(Proto *proto, guint field, const char *text);

/* A message within, of what is added until its end; gives what that wants. */
G_GNUC_WARN_UNUSED_RESULT
gsize proto_begin(Proto *proto, guint field);
void proto_end(Proto *proto, gsize begin);

#endif
