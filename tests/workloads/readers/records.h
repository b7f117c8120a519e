/*
 * records.h - writes protocol buffers field by field, for tests of readers
 *
 * Owner    the caller owns arrays
 */
#ifndef TESTS_WORKLOADS_READERS_RECORDS_H
#define TESTS_WORKLOADS_READERS_RECORDS_H

#include <glib.h>
#include <string.h>

static inline void put_varint(GByteArray *out, uint64_t value)
{
    uint8_t byte;

    for (; value >= 0x80; value >>= 7) {
        byte = (uint8_t)(value | 0x80);
        g_byte_array_append(out, &byte, 1);
    }
    byte = (uint8_t)value;
    g_byte_array_append(out, &byte, 1);
}

static inline void put_number(GByteArray *out, uint32_t field, uint64_t value)
{
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, value);
}

static inline void put_bytes(GByteArray *out, uint32_t field, const void *bytes,
                             gsize n)
{
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, n);
    g_byte_array_append(out, bytes, (guint)n);
}

static inline void put_text(GByteArray *out, uint32_t field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

/* Appends @message to a file as a record.  Frees @message.  put_message()
 * appends it as field @field of another message. */
static inline void put_record(GByteArray *out, GByteArray *message)
{
    put_varint(out, message->len);
    g_byte_array_append(out, message->data, message->len);
    g_byte_array_unref(message);
}

static inline void put_message(GByteArray *out, uint32_t field,
                               GByteArray *message)
{
    put_bytes(out, field, message->data, message->len);
    g_byte_array_unref(message);
}

#endif
