/* random_operands.c - random operands that the GPU and the CPU compute
 * independently */
#include "validate/gpu/host/random_operands.h"

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

double decode_value(uint32_t bits, Dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return decode_fp16(bits & 0xffff);
    case DTYPE_BF16:
        return double_from_fp32_bits(bits << 16);
    default:
        return double_from_fp32_bits(bits);
    }
}

double operand_value_at(uint64_t stream, uint64_t place, Dtype dtype)
{
    switch (dtype) {
    case DTYPE_FP16:
        return decode_fp16(fp16_bits_at(stream, place));
    case DTYPE_BF16:
        return double_from_fp32_bits(bf16_bits_at(stream, place) << 16);
    default:
        return double_from_fp32_bits(fp32_bits_at(stream, place));
    }
}
