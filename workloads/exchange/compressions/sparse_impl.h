/*
 * sparse_impl.h - for the compressions that send a few values and where they
 * stand
 *
 * Of N values k = ceil(density x N) are chosen, the largest; each is sent with
 * an index of 32 bits.  To choose them takes a kernel that goes through the
 * gradient at a given rate.
 *
 * Units    values, bytes
 */
#ifndef WORKLOADS_EXCHANGE_COMPRESSIONS_SPARSE_IMPL_H
#define WORKLOADS_EXCHANGE_COMPRESSIONS_SPARSE_IMPL_H

#include "workloads/exchange/compression.h"

typedef struct {
    uint64_t density_ppm;
    uint64_t select_bytes_per_s; /* of the gradient */
} SparseParams;

extern const ConfigField sparse_fields[];

/* Bytes of the values that are chosen, with their indices. */
uint64_t sparse_bytes(const SparseParams *params,
                      const CompressionInput *input);

OpWork sparse_select(gconstpointer params, const CompressionInput *input);

/* @n_sets of chosen values become a gradient. */
OpWork sparse_scatter(const SparseParams *params, const CompressionInput *input,
                      uint32_t n_sets);

#endif
