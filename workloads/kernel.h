/*
 * kernel.h - single kernels, described by their shape
 *
 * Each kind of kernel is one file in kernels/ and one line in the table of
 * kernel.c: a pure function of its parameters.  Layers use the same functions
 * as `acesim kernels`, which times single kernels.  Therefore the comparison
 * with measured kernels also holds for runs.
 *
 * Counting is the same as in layer.h: a multiply-add is two FLOP; bytes are
 * compulsory HBM traffic, each operand and each result once.
 *
 * Units    FLOP, bytes, values (elements)
 * Range    results saturate at 2^63 instead of wrapping
 */
#ifndef WORKLOADS_KERNEL_H
#define WORKLOADS_KERNEL_H

#include "sim/config/config.h"
#include "workloads/graph.h"

/* Largest number of different kernels of one entry. */
#define KERNEL_MAX_WORKS 4

typedef struct {
    ConfigKind base;
    /* Checks the combination of parameters, after their ranges; NULL: no
     * check. */
    gboolean (*check)(const ConfigVariant *kernel, GError **error);
    /* Writes the kernels of @params to @ret, which is zeroed.  The first entry
     * without work ends the list. */
    void (*works)(gconstpointer params, OpWork ret[KERNEL_MAX_WORKS]);
} KernelOps;

/* Parameters of every kind; the first member of each params struct. */
typedef struct {
    const char *name;
    int precision;  /* precision of the values, a value of enum Precision */
    uint64_t n_sms; /* SMs that the kernel may use; 0: all */
} KernelCommon;

extern const ConfigRegistry kernel_registry;

const KernelCommon *kernel_common(const ConfigVariant *kernel);

/* Returns FALSE and CONFIG_ERROR_CONFLICT if the parameters contradict each
 * other. */
G_GNUC_WARN_UNUSED_RESULT
gboolean kernel_check(const ConfigVariant *kernel, GError **error);

/* Writes the kernels of @kernel to @ret, in order.  The first entry without
 * work ends the list. */
void kernel_list_works(const ConfigVariant *kernel,
                       OpWork ret[KERNEL_MAX_WORKS]);

/* ---- shapes that layers also use --------------------------------------- */

/* Returns @n_products independent products of m x n results, each a sum of k,
 * with @value_bytes per value.  Each product reads m k + k n values and writes
 * m n. */
OpWork kernel_product(uint64_t m, uint64_t n, uint64_t k, uint64_t n_products,
                      uint64_t value_bytes);

typedef struct {
    /* Images per batch, channels in and out, and groups of channels. */
    uint64_t batch, in, out, groups;
    uint64_t height, width; /* size of an input image in pixels */
    uint64_t filter_height, filter_width;
    uint64_t stride_height, stride_width;
    uint64_t pad_height, pad_width; /* zeros added on each side */
} ConvolutionShape;

uint64_t convolution_out_height(const ConvolutionShape *shape);
uint64_t convolution_out_width(const ConvolutionShape *shape);

/* Returns one pass of a convolution.  It reads two of input, output and weights
 * (or their gradients) and writes the third. */
OpWork kernel_convolution(const ConvolutionShape *shape, OpPass pass,
                          uint64_t value_bytes);

#endif
