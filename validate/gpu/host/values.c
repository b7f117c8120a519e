/* values.c - random operands that the GPU and the CPU compute independently */
#include "validate/gpu/host/values.h"

#include <math.h>

static double decode_fp16(uint32_t bits)
{
    double sign = bits & 0x8000 ? -1 : 1;
    int exponent = (int)(bits >> 10) & 31;
    double mantissa = (double)(bits & 0x3ff);

    if (exponent == 31)
        return mantissa > 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0)
        return sign * ldexp(mantissa, -24);
    return sign * ldexp(mantissa + 1024, exponent - 25);
}

double value_decode(uint32_t bits, Dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return decode_fp16(bits & 0xffff);
    case DTYPE_BF16:
        return value_from_fp32(bits << 16);
    default:
        return value_from_fp32(bits);
    }
}

double operand_at(uint64_t stream, uint64_t place, Dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return decode_fp16(value_bits_fp16(stream, place));
    case DTYPE_BF16:
        return value_from_fp32(value_bits_bf16(stream, place) << 16);
    default:
        return value_from_fp32(value_bits_fp32(stream, place));
    }
}
