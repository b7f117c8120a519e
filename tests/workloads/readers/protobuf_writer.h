/*
 * protobuf_writer.h - writes protocol buffers field by field, for tests of
 * readers
 *
 * Owner    the caller owns arrays
 */
#ifndef TESTS_WORKLOADS_READERS_PROTOBUF_WRITER_H
#define TESTS_WORKLOADS_READERS_PROTOBUF_WRITER_H

#include <glib.h>
#include <string.h>

static inline void append_varint(GByteArray *out, uint64_t value)
{
    uint8_t byte;

    for (; value >= 0x80; value >>= 7) {
        byte = (uint8_t)(value | 0x80);
        g_byte_array_append(out, &byte, 1);
    }
    byte = (uint8_t)value;
    g_byte_array_append(out, &byte, 1);
}

static inline void append_number_field(GByteArray *out, uint32_t field,
                                       uint64_t value)
{
    append_varint(out, (uint64_t)field << 3);
    append_varint(out, value);
}

static inline void append_bytes_field(GByteArray *out, uint32_t field,
                                      const void *bytes, gsize n)
{
    append_varint(out, (uint64_t)field << 3 | 2);
    append_varint(out, n);
    g_byte_array_append(out, bytes, (guint)n);
}

static inline void append_text_field(GByteArray *out, uint32_t field,
                                     const char *text)
{
    append_bytes_field(out, field, text, strlen(text));
}

/* Appends @message to a file as a record.  Frees @message.
 * append_message_field() appends it as field @field of another message. */
static inline void append_delimited_record(GByteArray *out, GByteArray *message)
{
    append_varint(out, message->len);
    g_byte_array_append(out, message->data, message->len);
    g_byte_array_unref(message);
}

static inline void append_message_field(GByteArray *out, uint32_t field,
                                        GByteArray *message)
{
    append_bytes_field(out, field, message->data, message->len);
    g_byte_array_unref(message);
}

#endif
