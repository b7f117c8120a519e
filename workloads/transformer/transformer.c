/*
 * transformer.c - the bytes that values of a precision take; see transformer.h
 */
#include "workloads/transformer/transformer.h"

#include "workloads/workload.h"

uint64_t transformer_values_bytes(const Transformer *t, int precision,
                                  uint64_t n)
{
    if (precision == 0)
        return n * t->value_bytes;
    switch ((Precision)(precision - 1)) {
    case PRECISION_MXFP8:
        return n + n / 32;
    case PRECISION_NVFP4:
        return n / 2 + n / 16;
    default:
        return n * precision_bytes(precision - 1);
    }
}
