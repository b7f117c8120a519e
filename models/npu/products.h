/*
 * products.h - matrix products, convolutions and recurrent steps by shape
 *
 * A library cuts m x n results into tiles, and perhaps their sums over k into
 * parts, as is fastest with the whole NPU to itself.  An SM works off a tile
 * at its share of the peak, and fetches the tile's operands in between:
 *
 *     tile(x, y) = k (2 x y / (peak x efficiency / S)
 *                     + (x + y) v / (operand_bandwidth x clock))
 *
 * With t tiles on s SMs, by waves.h,
 *
 *     arithmetic = waves(t, s) x tile
 *
 * Operands and results move meanwhile; parts of a sum are written, read again
 * and added, 8 m n bytes each, by one kernel more.
 *
 * A product at most 16 wide has a kernel of its own where the NPU gives
 * `narrow`: it divides freely, and reaches that part of the peak.  A
 * convolution takes that where it is faster.
 *
 * A convolution is a product with a longer k, which only a weight's gradient
 * cuts.  Of a 3 x 3 filter without strides Winograd's algorithm makes (w + 2)^2
 * products of images' tiles of w x w: for w = 2 in one kernel, 2.25 times less
 * arithmetic; for w = 4, 4 times less, but all of it is moved once more each
 * way, before and after, by three kernels more.  The fastest of the three is
 * taken.  Channels that do not fill a granule are filled up, and go slower;
 * kernels that have granules have no such algorithm.
 *
 * A recurrent step is a product with a launch of its own; a library starts the
 * pass as a whole.
 *
 * Leaves out which operand is transposed, L2 hits, clocks that give way to
 * power, and kernels that a library should not have chosen.
 *
 * Units    FLOP, bytes, ps
 * Range    results saturate at 2^64 - 1
 * Rounding a tile's time up to a whole ps
 * Sources  tiles of 32 to 256, sums in up to 64 parts of at least 64: assumed,
 *          as libraries have them; transforms: derived
 */
#ifndef MODELS_NPU_PRODUCTS_H
#define MODELS_NPU_PRODUCTS_H

#include "models/npu/precision.h"
#include "models/npu/waves.h"

/* What a library counts on when it chooses. */
typedef struct {
    const PrecisionConfig *precision;
    const WaveConfig *waves;
    uint64_t n_sms;               /* all of them */
    uint64_t operand_bytes_per_s; /* to the tiles of one SM */
    uint64_t bytes_per_s;         /* of the memory */
    SimTime launch_ps;
} ProductNpu;

/* The cut of each of the kernels of @work, which is a product. */
OpCut product_cut(const ProductNpu *npu, const OpWork *work);

/* Of one kernel on @n_sms SMs of @n_all; SIM_TIME_MAX on none. */
SimTime product_arithmetic_ps(const WaveConfig *waves, uint64_t n_all,
                              const OpCut *cut, uint64_t n_sms);

/* Of all kernels of @work, beside the launch of each. */
SimTime product_overhead_ps(const PrecisionConfig *precision,
                            const OpWork *work, const OpCut *cut);

#endif
