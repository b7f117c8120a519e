/* driver_copies.cuh - copies by the driver, on copy engines if the driver uses
 * them */
#ifndef VALIDATE_GPU_LAB_ENGINE_CUH
#define VALIDATE_GPU_LAB_ENGINE_CUH

#include "validate/gpu/measure/gpu_context.cuh"

/* Enqueues one copy of the kind of @kernel, or a cudaMemset of @to. */
void engine_enqueue_copy(Kernel kernel, void *to, const void *from,
                         size_t n_bytes, cudaStream_t stream);

#endif
