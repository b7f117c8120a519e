/*
 * wire.h - the wire format of protocol buffers, field by field
 *
 * What is read is one message in memory; what its fields mean is the matter of
 * who reads it.  Of the six wire types the two of groups are refused: nobody
 * has written them since 2008.
 *
 * Errors   a reason and the place, which the reader makes an error of
 * Owner    bytes are the caller's, and are borrowed
 */
#ifndef WORKLOADS_READERS_WIRE_H
#define WORKLOADS_READERS_WIRE_H

#include <glib.h>
#include <stdint.h>

/* Begin with wire_scan(). */
typedef struct {
    const uint8_t *begin, *at, *end;
    uint64_t offset;   /* of .begin in the file */
    const char *wrong; /* static; NULL: nothing so far */
} WireScan;

typedef struct {
    uint32_t number;
    gboolean is_bytes;    /* .bytes, else .value */
    uint64_t value;       /* of a varint, or a fixed number */
    const uint8_t *bytes; /* a text, a message, packed numbers */
    gsize n_bytes;
} WireField;

WireScan wire_scan(const uint8_t *bytes, gsize n_bytes, uint64_t offset);
/* Of what a field of @scan holds. */
WireScan wire_inside(const WireScan *scan, const WireField *field);
/* Where it stands in the file. */
uint64_t wire_at(const WireScan *scan);

/* FALSE: the message is at its end, or .wrong says what is wrong. */
gboolean wire_next(WireScan *scan, WireField *ret);
/* A number by itself, seven bits a byte; FALSE: .wrong says why not. */
G_GNUC_WARN_UNUSED_RESULT
gboolean wire_varint(WireScan *scan, uint64_t *ret);

/* Adds what @field of @scan holds, one number or packed ones, to @numbers (of
 * uint64_t).  FALSE: @scan's .wrong says what is wrong. */
G_GNUC_WARN_UNUSED_RESULT
gboolean wire_add_numbers(WireScan *scan, const WireField *field,
                          GArray *numbers);

/* Of a zigzag number. */
static inline int64_t wire_signed(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

#endif
