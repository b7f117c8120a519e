/*
 * kernel_work.h - the work of a kernel, independent of the NPU that runs it
 *
 * Units    FLOP, bytes of HBM traffic (read and written), ps
 */
#ifndef WORKLOADS_KERNEL_WORK_H
#define WORKLOADS_KERNEL_WORK_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    PRECISION_FP16,
    PRECISION_BF16,
    PRECISION_FP32,
    /* Operands of these are quantised; results have 16 bits. */
    PRECISION_FP8,
    PRECISION_MXFP8, /* with a scale of 8 bits for 32 values */
    PRECISION_NVFP4, /* with a scale of 8 bits for 16 values */
    PRECISION_N,
} Precision;

/* The kind of computation, as far as the speed of a kernel depends on it. */
typedef enum {
    KERNEL_CLASS_OTHER,
    KERNEL_CLASS_ATTENTION, /* scores stay on chip: forward, and backward */
    KERNEL_CLASS_ATTENTION_GRADIENT,
    KERNEL_CLASS_ELEMENTWISE, /* of a language model */
} KernelClass;

/* A matrix product: m x n results, each a sum of k products.  A convolution is
 * a matrix product in which the rows of one operand overlap. */
typedef struct {
    /* Size of the product; m = 0: the kernel is not a product. */
    uint64_t m, n, k;
    /* Number of independent products in one kernel; 0 counts as 1. */
    uint64_t n_products;
    /* Convolutions only, in pixels of the input; 0 if it is not a
     * convolution. */
    uint64_t window_height, window_width, stride_height, stride_width;
    /* Convolutions only: size of the image that is written or summed over. */
    uint64_t image_height, image_width;
    /* Convolutions only: the library uses the direct product without a search
     * for a faster algorithm. */
    gboolean is_unsearched;
    /* Weight gradients have few results that are long sums.  Libraries split
     * such sums (split-K). */
    gboolean cuts_sum;
    /* Recurrent layers: the library launches the pass as a whole, and each
     * kernel waits for the previous one. */
    gboolean is_recurrent;
} OpProduct;

/* How a library cuts a product into tiles on an NPU
 * (models/npu/matrix_products.h). */
typedef struct {
    uint64_t n_tiles; /* number of tiles; 0: not chosen yet */
    uint64_t tile_ps; /* time of one tile on an SM with more tiles to do */
    /* Bytes of partial sums, moved during the arithmetic. */
    uint64_t more_bytes;
    /* Bytes of transforms, moved before and after the arithmetic. */
    uint64_t phase_bytes;
    uint64_t more_ps; /* time of the additional kernels, such as reductions */
} ProductTiles;

/* The work of one kernel, or of several identical kernels in a row, independent
 * of the NPU. */
typedef struct {
    /* FLOP of all kernels together; the next three fields are such totals,
     * too. */
    uint64_t flop;
    uint64_t bytes;         /* HBM traffic in bytes, read and written */
    uint64_t written_bytes; /* part of .bytes that is written */
    /* Measured time with the whole NPU; 0: the roofline applies. */
    uint64_t measured_ps;
    uint64_t n_kernels; /* number of launches; 0 counts as 1 */
    /* Bytes that the kernel keeps in flight on each SM; 0: as many as an SM
     * allows. */
    uint64_t in_flight_bytes;
    OpProduct product;   /* matrix product of each kernel */
    ProductTiles cut;    /* division of each kernel into tiles */
    Precision precision; /* precision of the arithmetic */
    KernelClass class;
    guint is_elementwise : 1; /* the kernel is a separate elementwise kernel */
    /* The blocks of the kernel stay on their SMs and loop over the data, so
     * that no block starts in a turn, and no turn waits for its stores. */
    guint is_persistent : 1;
    /* Number of the work among the distinct works of its graph, which sets it.
     * Equal works of a graph have equal numbers. */
    uint32_t id;
} OpWork;

/* The part of an OpWork that describes the kernel: all but .id. */
#define OP_WORK_DESCRIPTION_BYTES offsetof(OpWork, id)

static inline uint64_t op_work_n_kernels(const OpWork *work)
{
    return work->n_kernels > 0 ? work->n_kernels : 1;
}

/* Returns the number of results of one kernel, for tiling.  Returns 0 if it is
 * not a product or if its sum may be split. */
static inline uint64_t op_work_n_results(const OpWork *work)
{
    const OpProduct *product = &work->product;
    uint64_t n;

    if (product->cuts_sum ||
        __builtin_mul_overflow(product->m, product->n, &n) ||
        __builtin_mul_overflow(n, MAX(product->n_products, 1), &n))
        return 0;
    return n;
}

/* Returns the read share of the traffic in ppm; 1000000 if there is no
 * traffic. */
static inline uint64_t op_work_read_ppm(const OpWork *work)
{
    g_assert(work->written_bytes <= work->bytes);
    return work->bytes == 0
               ? 1000000
               : (uint64_t)((unsigned __int128)(work->bytes -
                                                work->written_bytes) *
                            1000000 / work->bytes);
}

#endif
