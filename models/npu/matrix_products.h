/*
 * matrix_products.h - times of matrix products, convolutions and recurrent
 * steps
 *
 * A library cuts the m x n results into tiles, and possibly their sums over k
 * into parts.  It chooses the fastest cut with the whole NPU available.  An SM
 * computes a tile at its share of the peak.  The time to fetch operands of the
 * tile is added; with `operand_overlap`, the tile takes the longer of both:
 *
 *     tile(x, y) = k (2 x y / (peak x efficiency / S)
 *                     + (x + y) v / (operand_bandwidth x clock))
 *
 * For t tiles on s SMs (tile_waves.h),
 *
 *     arithmetic = waves(t, s) x tile
 *
 * Operands and results are moved at the same time.  Parts of a sum are written,
 * read again and added by one more kernel: 8 m n bytes per part.
 *
 * Narrow product     At most 16 wide.  If the NPU has `narrow`, there is a
 *                    special kernel: it divides freely, and reaches that
 *                    fraction of the peak.  A convolution uses it if that is
 *                    faster.
 * Convolution        A product with a longer k; only the gradient of a weight
 *                    splits its sum.  Channels that do not fill a granule are
 *                    padded and slower.
 * Winograd           A convolution without strides makes (w + f - 1)^2 products
 *                    from image tiles of w x w and filters of f x f, if that is
 *                    faster.  With w = 2 and f = 3 it is one kernel with 2.25
 *                    times less arithmetic; the gradient of a weight has no
 *                    such kernel.  With w = 4 the arithmetic is 4 times less
 *                    for f = 3 and 6.25 times less for f = 5, but three more
 *                    kernels move all data once more before and after.  Images
 *                    must be at least twice as wide as the filter, and the
 *                    gradient of a 3 x 3 filter needs 128 channels.  Libraries
 *                    with granules do not use it.
 * Strided gradient   An input's gradient through strides meets zeros.  It
 *                    reaches `strided_gradient` of the efficiency if windows do
 *                    not overlap, as for 1 x 1, where most pixels are zero, and
 *                    `overlap_gradient` if they do.
 * Unaligned product  One with a side that is no multiple of the granule reaches
 *                    `unaligned` of the efficiency.
 * Recurrent step     A product with its own launch, at `products` of the
 *                    efficiency unless it is narrow; starting a pass costs
 *                    additional time.
 *
 * Leaves out  transposed operands, L2 hits, clocks limited by power, and bad
 *             choices of libraries
 * Units       FLOP, bytes, ps
 * Range       results saturate at 2^64 - 1
 * Rounding    the time of a tile is rounded up to a whole ps
 * Sources     tiles of 32 to 256, sums in up to 64 parts of at least 64:
 *             assumed, as in libraries; transforms: derived; which filters,
 *             images and channels are transformed: cuDNN's list of algorithms
 *             (one kernel for 3 x 3 forward and backward of data, transforms
 *             apart for 3 x 3 and 5 x 5), and chosen by V100, P100 and T4
 */
#ifndef MODELS_NPU_MATRIX_PRODUCTS_H
#define MODELS_NPU_MATRIX_PRODUCTS_H

#include "models/npu/precision_params.h"
#include "models/npu/tile_waves.h"

/* The NPU for which a library chooses a cut. */
typedef struct {
    const PrecisionConfig *precision;
    const WaveConfig *waves;
    uint64_t n_sms;               /* all SMs of the NPU */
    uint64_t operand_bytes_per_s; /* rate to the tiles of one SM */
    uint64_t bytes_per_s;         /* bandwidth of the memory */
    SimTime launch_ps;
} ProductNpu;

/* Returns the fastest division into tiles of each kernel of @work, which must
 * be a product. */
ProductTiles product_choose_tiles(const ProductNpu *npu, const OpWork *work);

/* Returns the arithmetic time of one kernel on @n_sms of @n_all SMs;
 * SIM_TIME_MAX without SMs. */
SimTime product_arithmetic_ps(const WaveConfig *waves, uint64_t n_all,
                              const ProductTiles *cut, uint64_t n_sms);

/* Returns the overhead of all kernels of @work, without their launches. */
SimTime product_overhead_ps(const PrecisionConfig *precision,
                            const OpWork *work, const ProductTiles *cut);

#endif
