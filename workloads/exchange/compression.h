/*
 * compression.h - gradients made smaller, by what it costs
 *
 * A kind says which collective brings the sum of so many values, how large it
 * is, and what is calculated before and after it.  Whether training still
 * converges is no matter of a simulator of time.  One kind is one file in
 * compressions/ and one line in the table of compression.c.
 *
 * Units    values, bytes
 * Errors   CONFIG_ERROR at the compression
 */
#ifndef WORKLOADS_EXCHANGE_COMPRESSION_H
#define WORKLOADS_EXCHANGE_COMPRESSION_H

#include "sim/config/config.h"
#include "workloads/collective.h"
#include "workloads/work.h"

typedef struct {
    uint64_t n_values;    /* of the gradient */
    uint64_t value_bytes; /* of one, not compressed */
    uint32_t n_npus;
} CompressionInput;

typedef struct {
    CollKind kind;
    uint64_t payload_bytes;
} CompressionMessage;

typedef struct {
    ConfigKind base;
    gboolean changes; /* anything at all */
    CompressionMessage (*message)(gconstpointer params,
                                  const CompressionInput *input);
    /* What is calculated before and after; NULL: nothing. */
    OpWork (*pack)(gconstpointer params, const CompressionInput *input);
    OpWork (*unpack)(gconstpointer params, const CompressionInput *input);
    /* NULL: it can always be done. */
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
