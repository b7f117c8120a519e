/*
 * check_kernel_results.cuh - fills buffers with random operands, and compares
 * results with the CPU
 *
 * Results are poisoned before they are computed: they are filled with 0xff
 * bytes, which are NaN in every type and which no kernel produces.  The GPU
 * checks every element for fill_buffer_with_poison. The CPU compares a small
 * result completely with its reference; of a large result it compares the ends
 * and random elements between them.
 *
 * Errors   Failure, with the element and both values
 */
#ifndef VALIDATE_GPU_LAB_CHECK_CUH
#define VALIDATE_GPU_LAB_CHECK_CUH

#include <functional>

#include "validate/gpu/host/random_operands.h"
#include "validate/gpu/host/reference_results.h"
#include "validate/gpu/measure/gpu_context.cuh"

/* Writes the first @n_elements values of @stream to @to.  The kernel also
 * writes up to 15 bytes behind the last value; every buffer has room for
 * them. */
void fill_values(GpuContext &gpu, void *to, uint64_t n_elements, Dtype dtype,
                 uint64_t stream);
/* Writes @n_elements indices of 32 bits, each below @n_rows. */
void fill_lookup_indices(GpuContext &gpu, uint32_t *to, uint64_t n_elements,
                         uint64_t n_rows, uint64_t stream);

/* Fills @n_bytes with 0xff. */
void fill_buffer_with_poison(GpuContext &gpu, void *what, uint64_t n_bytes);

/* A result in the memory of the GPU. */
struct Result {
    const void *at;
    uint64_t n_elements;
    Dtype dtype;
    uint32_t n_samples; /* number of samples if there are more elements */
};

/* A number of samples that is larger than any result of
 * case_reduced_for_check(). */
#define ALL_SAMPLES (UINT32_C(1) << 20)

typedef std::function<Expected(uint64_t element)> Reference;

/* Throws Failure if an element was not written, or if a compared element
 * differs from @reference. */
void check_result(GpuContext &gpu, const Result &result,
                  const Reference &reference);

/* Compares fp32 values in host memory with @reference.  Throws Failure if one
 * differs. */
void check_host_result(const void *at, uint64_t n_elements, uint32_t n_samples,
                       const Reference &reference);

/* Returns how many of the @n_words words of 32 bits at @at are
 * fill_buffer_with_poison. */
uint64_t count_poisoned_words(GpuContext &gpu, const void *at,
                              uint64_t n_words);

#endif
