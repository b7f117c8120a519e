/*
 * protobuf_message.h - reads the fields of a Protocol Buffers message one by
 * one
 *
 * A test fails if a field is cut short or has another
 * type. */
#ifndef TESTS_MODELS_OBSERVE_PROTOBUF_MESSAGE_H
#define TESTS_MODELS_OBSERVE_PROTOBUF_MESSAGE_H

#include <glib.h>
#include <stdint.h>

/* ---- fields ------------------------------------------------------------ */

typedef struct {
    const uint8_t *at, *end;
} Message;

typedef struct {
    uint64_t number; /* The number of the field in its message. */
    uint64_t value;  /* The value of a varint or of eight bytes. */
    Message inside;  /* The contents of a field with a length. */
} Field;

/* Returns FALSE if there are no more fields. */
gboolean protobuf_next_field(Message *message, Field *ret);
/* Returns the text of @message.  The caller frees it. */
char *protobuf_copy_text(Message message);

#endif
