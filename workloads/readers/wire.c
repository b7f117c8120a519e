/*
 * wire.c - parses the fields of protocol buffer messages; see wire.h
 *
 * A field is a varint, number << 3 | type, followed by the value: another
 * varint, eight bytes, a length and that many bytes, or four bytes.
 */
#include "workloads/readers/wire.h"

enum { WIRE_VARINT, WIRE_FIXED_64, WIRE_BYTES, WIRE_FIXED_32 = 5 };

#define MAX_NUMBER ((UINT64_C(1) << 29) - 1)

WireScan wire_scan(const uint8_t *bytes, gsize n_bytes, uint64_t offset)
{
    return (WireScan){ bytes, bytes, bytes + n_bytes, offset, NULL };
}

WireScan wire_enter(const WireScan *scan, const WireField *field)
{
    g_assert(field->is_bytes);
    return wire_scan(field->bytes, field->n_bytes,
                     scan->offset + (uint64_t)(field->bytes - scan->begin));
}

uint64_t wire_offset(const WireScan *scan)
{
    return scan->offset + (uint64_t)(scan->at - scan->begin);
}

static gboolean fail(WireScan *scan, const char *reason)
{
    scan->wrong = reason;
    return FALSE;
}

gboolean wire_varint(WireScan *scan, uint64_t *ret)
{
    *ret = 0;
    for (guint shift = 0; shift < 64; shift += 7) {
        uint8_t byte;

        if (scan->at == scan->end)
            return fail(scan, "it ends within a number");
        byte = *scan->at++;
        *ret |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return TRUE;
    }
    return fail(scan, "a number has more than ten bytes");
}

static gboolean read_fixed(WireScan *scan, guint n, uint64_t *ret)
{
    *ret = 0;
    if (scan->end - scan->at < (ptrdiff_t)n)
        return fail(scan, "it ends within a number");
    for (guint i = 0; i < n; i++)
        *ret |= (uint64_t)*scan->at++ << (8 * i);
    return TRUE;
}

static gboolean read_bytes(WireScan *scan, WireField *ret)
{
    uint64_t n;

    if (!wire_varint(scan, &n))
        return FALSE;
    if (n > (uint64_t)(scan->end - scan->at))
        return fail(scan, "a field is longer than its container");
    ret->is_bytes = TRUE;
    ret->bytes = scan->at;
    ret->n_bytes = (gsize)n;
    scan->at += n;
    return TRUE;
}

gboolean wire_next(WireScan *scan, WireField *ret)
{
    uint64_t key;

    *ret = (WireField){ 0 };
    if (scan->wrong || scan->at == scan->end || !wire_varint(scan, &key))
        return FALSE;
    if (key >> 3 == 0 || key >> 3 > MAX_NUMBER)
        return fail(scan, "there is no field of this number");
    ret->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case WIRE_VARINT:
        return wire_varint(scan, &ret->value);
    case WIRE_FIXED_64:
        return read_fixed(scan, 8, &ret->value);
    case WIRE_BYTES:
        return read_bytes(scan, ret);
    case WIRE_FIXED_32:
        return read_fixed(scan, 4, &ret->value);
    default:
        return fail(scan, "there is no field of this type");
    }
}

gboolean wire_add_numbers(WireScan *scan, const WireField *field,
                          GArray *numbers)
{
    WireScan inside;

    if (!field->is_bytes) {
        g_array_append_val(numbers, field->value);
        return TRUE;
    }
    inside = wire_enter(scan, field);
    while (inside.at < inside.end) {
        uint64_t number;

        if (!wire_varint(&inside, &number)) {
            scan->at = inside.at;
            return fail(scan, inside.wrong);
        }
        g_array_append_val(numbers, number);
    }
    return TRUE;
}
