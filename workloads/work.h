/*
 * work.h - what a kernel has to do, whoever runs it
 *
 * Units    FLOP, bytes of HBM traffic (read and written), ps
 */
#ifndef WORKLOADS_WORK_H
#define WORKLOADS_WORK_H

#include <glib.h>
#include <stdint.h>

typedef enum {
    PRECISION_FP16,
    PRECISION_BF16,
    PRECISION_FP32,
} Precision;

/* A matrix product: m x n results, each a sum of k products of two values.  A
 * convolution is one, of which the rows of one operand overlap. */
typedef struct {
    uint64_t m, n, k;    /* 0: the kernel is none */
    uint64_t n_products; /* side by side in one kernel; 0 counts as 1 */
    /* Of a convolution, in pixels of its input; 0: it is none. */
    uint64_t window_height, window_width, stride_height, stride_width;
    /* Of a convolution: of an image that its results, or its sums, are of. */
    uint64_t image_height, image_width;
    /* Of a convolution: the library takes its plain product, and does not look
     * whether another form of it is faster. */
    gboolean is_unsearched;
    /* Of a weight gradient, a long sum of few results: libraries cut it. */
    gboolean cuts_sum;
    /* Of a recurrent layer: a library starts its pass as a whole, and each of
     * the kernels waits for the one before. */
    gboolean is_recurrent;
} OpProduct;

/* How a library cuts a product on an NPU, models/npu/products.h: chosen once.
 */
typedef struct {
    uint64_t n_tiles;     /* 0: nobody has chosen */
    uint64_t tile_ps;     /* of one tile on an SM that has more of them */
    uint64_t more_bytes;  /* moved beside the arithmetic: parts of sums */
    uint64_t phase_bytes; /* moved before and after it: transforms */
    uint64_t more_ps;     /* of further kernels that this takes */
} OpCut;

/* What a kernel, or several alike in a row, has to do, whoever runs it. */
typedef struct {
    uint64_t flop;          /* of all of them, as are the next three */
    uint64_t bytes;         /* HBM, read and written */
    uint64_t written_bytes; /* of .bytes */
    uint64_t measured_ps;   /* with the whole NPU to itself; 0: from roofline */
    uint64_t n_kernels;     /* each of which is launched; 0 counts as 1 */
    /* That a kernel has under way on each SM; 0: as many as an SM can. */
    uint64_t in_flight_bytes;
    OpProduct product;       /* of each of them */
    OpCut cut;               /* likewise */
    Precision precision;     /* of what it calculates with */
    gboolean is_elementwise; /* a kernel beside that of its layer */
} OpWork;

static inline uint64_t op_work_n_kernels(const OpWork *work)
{
    return work->n_kernels > 0 ? work->n_kernels : 1;
}

/* Of one kernel, for tiles; 0: it is no product, or may be cut along the sum.
 */
static inline uint64_t op_work_n_results(const OpWork *work)
{
    const OpProduct *p = &work->product;
    uint64_t n;

    if (p->cuts_sum || __builtin_mul_overflow(p->m, p->n, &n) ||
        __builtin_mul_overflow(n, MAX(p->n_products, 1), &n))
        return 0;
    return n;
}

/* The part of its bytes that is read; all of it where it has none. */
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
