/*
 * message.h - fields of a message of Protocol Buffers, one by one
 *
 * What is cut short or of another type fails the test.
 */
#ifndef TESTS_MODELS_OBSERVE_MESSAGE_H
#define TESTS_MODELS_OBSERVE_MESSAGE_H

#include <glib.h>
#include <stdint.h>

/* ---- fields ---------------------------------------------------------------
 */

typedef struct {
    const uint8_t *at, *end;
} Message;

typedef struct {
    uint64_t number; /* of the field */
    uint64_t value;  /* a varint, or eight bytes */
    Message inside;  /* of what has a length */
} Field;

/* FALSE: there are no more. */
gboolean message_next(Message *message, Field *ret);
/* Owner: the caller. */
char *message_text(Message message);

#endif
