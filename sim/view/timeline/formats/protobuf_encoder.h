/*
 * protobuf_encoder.h - encodes Protocol Buffers messages in memory
 *
 * A field is its number and type in one varint, followed by a varint, eight
 * bytes, or a length and that many bytes (a text or a nested message). A trace
 * needs no more than this, so no library is used.
 *
 * Owner    the caller owns .bytes and frees them by proto_clear()
 * Sources  protobuf.dev, "Encoding"
 */
#ifndef SIM_VIEW_TIMELINE_PROTOBUF_ENCODER_H
#define SIM_VIEW_TIMELINE_PROTOBUF_ENCODER_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes; /* owned */
    gsize n, capacity;
} ProtobufMessage;

void proto_clear(ProtobufMessage *proto);

void proto_append_number(ProtobufMessage *proto, guint field, uint64_t value);
void proto_append_double(ProtobufMessage *proto, guint field, double value);
void proto_append_bytes(ProtobufMessage *proto, guint field, const void *bytes,
                        gsize n);
/* Adds a text; invalid UTF-8 is replaced. */
void proto_append_text(ProtobufMessage *proto, guint field, const char *text);

/* Begins a nested message, which has all fields up to proto_end_message().
 * Returns the argument for proto_end_message(). */
G_GNUC_WARN_UNUSED_RESULT
gsize proto_begin_message(ProtobufMessage *proto, guint field);
void proto_end_message(ProtobufMessage *proto, gsize begin);

#endif
