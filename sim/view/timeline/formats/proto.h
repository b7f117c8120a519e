/*
 * proto.h - encodes Protocol Buffers messages in memory
 *
 * A field is its number and type in one varint, followed by a varint, eight
 * bytes, or a length and that many bytes (a text or a nested message). A trace
 * needs no more than this, so no library is used.
 *
 * Owner    the caller owns .bytes and frees them by proto_clear()
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
/* Adds a text; invalid UTF-8 is replaced. */
void proto_text(Proto *proto, guint field, const char *text);

/* Begins a nested message, which has all fields up to proto_end(). Returns the
 * argument for proto_end(). */
G_GNUC_WARN_UNUSED_RESULT
gsize proto_begin(Proto *proto, guint field);
void proto_end(Proto *proto, gsize begin);

#endif
