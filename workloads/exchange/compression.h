/*
 * compression.h - the costs of compressing gradients
 *
 * A kind defines the collective that sums a number of values, its payload, and
 * the kernels before and after it.  Whether training still converges is outside
 * a simulator of time.  One kind is one file in compressions/ and one line in
 * the table of compression.c.
 *
 * Units    values, bytes
 * Errors   CONFIG_ERROR at the compression
 */
#ifndef WORKLOADS_EXCHANGE_COMPRESSION_H
#define WORKLOADS_EXCHANGE_COMPRESSION_H

#include "sim/config/config.h"
#include "workloads/collective.h"
#include "workloads/kernel_work.h"

typedef struct {
    uint64_t n_values;    /* values in the gradient */
    uint64_t value_bytes; /* bytes of a value without compression */
    uint32_t n_npus;
} CompressionInput;

/* The collective that sums a compressed gradient. */
typedef struct {
    CollKind kind;
    uint64_t payload_bytes;
} CompressionMessage;

typedef struct {
    ConfigKind base;
    gboolean changes; /* FALSE: gradients are sent unchanged */
    CompressionMessage (*message)(gconstpointer params,
                                  const CompressionInput *input);
    /* Return the kernel before and after the collective; NULL: there is
     * none. */
    OpWork (*pack)(gconstpointer params, const CompressionInput *input);
    OpWork (*unpack)(gconstpointer params, const CompressionInput *input);
    /* Returns FALSE if values of @value_bytes cannot be compressed.  NULL:
     * values of any size can. */
    gboolean (*check)(const ConfigVariant *compression, uint64_t value_bytes,
                      GError **error);
} CompressionOps;

extern const ConfigRegistry compression_registry;

static inline const CompressionOps *
compression_ops(const ConfigVariant *compression)
{
    return (const CompressionOps *)compression->kind;
}

#endif
