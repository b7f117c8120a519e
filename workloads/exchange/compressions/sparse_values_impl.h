/*
 * sparse_values_impl.h - shared by the compressions that send few values with
 * indices
 *
 * Of N values, the k = ceil(density x N) largest are selected.  Each is sent
 * with an index of 32 bits.  A kernel selects them by reading the gradient at a
 * given rate.
 *
 * Units    values, bytes
 */
#ifndef WORKLOADS_EXCHANGE_COMPRESSIONS_SPARSE_VALUES_IMPL_H
#define WORKLOADS_EXCHANGE_COMPRESSIONS_SPARSE_VALUES_IMPL_H

#include "workloads/exchange/compression.h"

typedef struct {
    uint64_t density_ppm;
    uint64_t select_bytes_per_s; /* rate at which the selection reads the
                                  * gradient */
} SparseParams;

extern const ConfigField sparse_fields[];

/* Returns the bytes of the selected values with their indices. */
uint64_t sparse_message_bytes(const SparseParams *params,
                              const CompressionInput *input);

/* Returns the kernel that selects the largest values of a gradient. */
OpWork sparse_selection_work(gconstpointer params,
                             const CompressionInput *input);

/* Returns the kernel that adds @n_sets sets of selected values into a
 * gradient. */
OpWork sparse_scatter_work(const SparseParams *params,
                           const CompressionInput *input, uint32_t n_sets);

#endif
