/*
 * protobuf.c - parses the fields of protocol buffer messages; see protobuf.h
 *
 * A field is a varint, number << 3 | type, followed by the value: another
 * varint, eight bytes, a length and that many bytes, or four bytes.
 */
#include "workloads/readers/protobuf.h"

enum { WIRE_VARINT, WIRE_FIXED_64, WIRE_BYTES, WIRE_FIXED_32 = 5 };

#define MAX_NUMBER ((UINT64_C(1) << 29) - 1)

WireScan protobuf_scan_bytes(const uint8_t *bytes, gsize n_bytes,
                             uint64_t offset)
{
    return (WireScan){ bytes, bytes, bytes + n_bytes, offset, NULL };
}

WireScan protobuf_scan_submessage(const WireScan *scan, const WireField *field)
{
    g_assert(field->is_bytes);
    return protobuf_scan_bytes(field->bytes, field->n_bytes,
                               scan->offset +
                                   (uint64_t)(field->bytes - scan->begin));
}

uint64_t protobuf_scan_offset(const WireScan *scan)
{
    return scan->offset + (uint64_t)(scan->at - scan->begin);
}

static gboolean set_scan_error(WireScan *scan, const char *reason)
{
    scan->wrong = reason;
    return FALSE;
}

gboolean protobuf_read_varint(WireScan *scan, uint64_t *ret)
{
    *ret = 0;
    for (guint shift = 0; shift < 64; shift += 7) {
        uint8_t byte;

        if (scan->at == scan->end)
            return set_scan_error(scan, "it ends within a number");
        byte = *scan->at++;
        *ret |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return TRUE;
    }
    return set_scan_error(scan, "a number has more than ten bytes");
}

static gboolean read_fixed_size_number(WireScan *scan, guint n, uint64_t *ret)
{
    *ret = 0;
    if (scan->end - scan->at < (ptrdiff_t)n)
        return set_scan_error(scan, "it ends within a number");
    for (guint i = 0; i < n; i++)
        *ret |= (uint64_t)*scan->at++ << (8 * i);
    return TRUE;
}

static gboolean read_length_and_bytes(WireScan *scan, WireField *ret)
{
    uint64_t n;

    if (!protobuf_read_varint(scan, &n))
        return FALSE;
    if (n > (uint64_t)(scan->end - scan->at))
        return set_scan_error(scan, "a field is longer than its container");
    ret->is_bytes = TRUE;
    ret->bytes = scan->at;
    ret->n_bytes = (gsize)n;
    scan->at += n;
    return TRUE;
}

gboolean protobuf_scan_next_field(WireScan *scan, WireField *ret)
{
    uint64_t key;

    *ret = (WireField){ 0 };
    if (scan->wrong || scan->at == scan->end ||
        !protobuf_read_varint(scan, &key))
        return FALSE;
    if (key >> 3 == 0 || key >> 3 > MAX_NUMBER)
        return set_scan_error(scan, "there is no field of this number");
    ret->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case WIRE_VARINT:
        return protobuf_read_varint(scan, &ret->value);
    case WIRE_FIXED_64:
        return read_fixed_size_number(scan, 8, &ret->value);
    case WIRE_BYTES:
        return read_length_and_bytes(scan, ret);
    case WIRE_FIXED_32:
        return read_fixed_size_number(scan, 4, &ret->value);
    default:
        return set_scan_error(scan, "there is no field of this type");
    }
}

gboolean protobuf_append_numbers(WireScan *scan, const WireField *field,
                                 GArray *numbers)
{
    WireScan inside;

    if (!field->is_bytes) {
        g_array_append_val(numbers, field->value);
        return TRUE;
    }
    inside = protobuf_scan_submessage(scan, field);
    while (inside.at < inside.end) {
        uint64_t number;

        if (!protobuf_read_varint(&inside, &number)) {
            scan->at = inside.at;
            return set_scan_error(scan, inside.wrong);
        }
        g_array_append_val(numbers, number);
    }
    return TRUE;
}
