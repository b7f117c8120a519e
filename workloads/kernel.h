/*
 * kernel.h - single kernels by their shape
 *
 * One kind of kernel is one file in kernels/ and one line in the table of
 * kernel.c: a pure function of its parameters.  Layers make their kernels by
 * the same functions as `acesim kernels`, which times them one by one, so that
 * what is held against measurements is what a run has.
 *
 * Counting as layer.h: a multiply-add is two FLOP, bytes are compulsory HBM
 * traffic, each operand and each result once.
 *
 * Units    FLOP, bytes, values (elements)
 * Range    results saturate at 2^63 instead of wrapping
 */
#ifndef WORKLOADS_KERNEL_H
#define WORKLOADS_KERNEL_H

#include "sim/config/config.h"
#include "workloads/graph.h"

#define KERNEL_MAX_WORKS 4 /* different kernels of one entry */

typedef struct {
    ConfigKind base;
    /* What ranges cannot say of the parameters together; NULL: nothing. */
    gboolean (*check)(const ConfigVariant *kernel, GError **error);
    /* Up to the first with nothing to do.  @ret is zeroed. */
    void (*works)(gconstpointer params, OpWork ret[KERNEL_MAX_WORKS]);
} KernelOps;

/* What every kind has; the first member of each params struct. */
typedef struct {
    const char *name;
    int precision;  /* Precision of values */
    uint64_t n_sms; /* that it has; 0: all */
} KernelCommon;

extern const ConfigRegistry kernel_registry;

const KernelCommon *kernel_common(const ConfigVariant *kernel);

/* FALSE and CONFIG_ERROR_CONFLICT when the parameters do not fit together. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernel_check(const ConfigVariant *kernel, GError **error);

/* Its kernels, one after the other, up to the first with nothing to do. */
void kernel_works(const ConfigVariant *kernel, OpWork ret[KERNEL_MAX_WORKS]);

/* ---- shapes that layers have, too -------------------------------------- */

/* @n_products of m x n results side by side, each a sum of k, of values of
 * @value_bytes: reads m k + k n, writes m n. */
OpWork kernel_product(uint64_t m, uint64_t n, uint64_t k, uint64_t n_products,
                      uint64_t value_bytes);

typedef struct {
    uint64_t batch, in, out, groups; /* images; channels */
    uint64_t height, width;          /* of an image that comes in */
    uint64_t filter_height, filter_width;
    uint64_t stride_height, stride_width;
    uint64_t pad_height, pad_width; /* zeros on each side */
} ConvolutionShape;

uint64_t convolution_out_height(const ConvolutionShape *shape);
uint64_t convolution_out_width(const ConvolutionShape *shape);

/* One pass of a convolution: two of input, output and weights (or their
 * gradients) are read and the third is written. */
OpWork kernel_convolution(const ConvolutionShape *shape, OpPass pass,
                          uint64_t value_bytes);

#endif
