/*
 * protobuf.h - parses the fields of protocol buffer messages
 *
 * A scan reads the fields of one message in memory; the caller interprets them.
 * The two wire types for groups, which are deprecated since 2008, are refused.
 *
 * Errors   a reason and the position, from which the reader makes an error
 * Owner    the caller owns the bytes; fields borrow them
 */
#ifndef WORKLOADS_READERS_PROTOBUF_H
#define WORKLOADS_READERS_PROTOBUF_H

#include <glib.h>
#include <stdint.h>

/* A scan of the fields of a message.  Initialise it
 * by protobuf_scan_bytes(). */
typedef struct {
    const uint8_t *begin, *at, *end;
    uint64_t offset; /* offset of .begin in the file */
    /* Static: the reason of an error; NULL if there is none. */
    const char *wrong;
} WireScan;

typedef struct {
    uint32_t number;
    gboolean is_bytes;    /* the value is in .bytes, else in .value */
    uint64_t value;       /* value of a varint or a fixed-size number */
    const uint8_t *bytes; /* value of a text, a message or packed numbers */
    gsize n_bytes;
} WireField;

WireScan protobuf_scan_bytes(const uint8_t *bytes, gsize n_bytes,
                             uint64_t offset);
/* Returns a scan of the message that @field of @scan contains. */
WireScan protobuf_scan_submessage(const WireScan *scan, const WireField *field);
/* Returns the current offset in the file. */
uint64_t protobuf_scan_offset(const WireScan *scan);

/* Reads the next field.  Returns FALSE at the end of the message, or if .wrong
 * is set. */
gboolean protobuf_scan_next_field(WireScan *scan, WireField *ret);
/* Reads a varint, with seven bits per byte.  Returns FALSE if .wrong is set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean protobuf_read_varint(WireScan *scan, uint64_t *ret);

/* Appends the number, or the packed numbers, of @field to @numbers (of
 * uint64_t). Returns FALSE if @scan->wrong is set. */
G_GNUC_WARN_UNUSED_RESULT
gboolean protobuf_append_numbers(WireScan *scan, const WireField *field,
                                 GArray *numbers);

/* Decodes a zigzag number of protocol buffers. */
static inline int64_t protobuf_decode_zigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif
