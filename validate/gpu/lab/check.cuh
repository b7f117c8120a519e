/*
 * check.cuh - random operands onto the GPU, results off it and held against
 * the CPU's
 *
 * Results are poisoned before they are computed: no kernel of ours produces
 * 0xff bytes, which are NaN in every type.  On the GPU every element is
 * looked at for poison; on the CPU all of a small result is compared with its
 * reference, and of a large one the ends and elements between them at random.
 *
 * Errors   Failure, with the element and both values
 */
#ifndef VALIDATE_GPU_LAB_CHECK_CUH
#define VALIDATE_GPU_LAB_CHECK_CUH

#include <functional>

#include "validate/gpu/host/reference.h"
#include "validate/gpu/host/values.h"
#include "validate/gpu/lab/lab.cuh"

/* Writes values of @stream to @n_elements places, from place 0 on; up to 15
 * bytes behind the last are written, too, which a buffer has room for. */
void fill_values(Lab &lab, void *to, uint64_t n_elements, Dtype dtype,
                 uint64_t stream);
/* Indices below @n_rows, of 32 bits. */
void fill_indices(Lab &lab, uint32_t *to, uint64_t n_elements, uint64_t n_rows,
                  uint64_t stream);

void poison(Lab &lab, void *what, uint64_t n_bytes);

/* A result on the GPU. */
struct Result {
    const void *at;
    uint64_t n_elements;
    Dtype dtype;
    uint32_t n_samples; /* to compare when there are more elements */
};

/* More than any case_small() has. */
#define ALL_SAMPLES (UINT32_C(1) << 20)

typedef std::function<Expected(uint64_t element)> Reference;

/* Throws Failure unless each element was written and those that are compared
 * are as @reference says. */
void check_result(Lab &lab, const Result &result, const Reference &reference);

/* The same for numbers that lie on the host, all of them fp32. */
void check_host_values(const void *at, uint64_t n_elements, uint32_t n_samples,
                       const Reference &reference);

/* How many of @n_words words of 32 bits at @at are poison. */
uint64_t count_poison(Lab &lab, const void *at, uint64_t n_words);

#endif
