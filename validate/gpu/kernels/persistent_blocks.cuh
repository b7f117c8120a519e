/*
 * persistent_blocks.cuh - what the kernels with one block on each of n SMs have
 * in common
 */
#ifndef VALIDATE_GPU_KERNELS_PERSISTENT_BLOCKS_CUH
#define VALIDATE_GPU_KERNELS_PERSISTENT_BLOCKS_CUH

#include <vector>

#include "validate/gpu/host/sm_set.h"
#include "validate/gpu/host/work_split.h"
#include "validate/gpu/kernels/ptx.cuh"
#include "validate/gpu/measure/gpu_context.cuh"

static __device__ __forceinline__ WalkPlace place_of_thread()
{
    return { gridDim.x, blockIdx.x, blockDim.x, threadIdx.x };
}

/* Stores the SM of the block.  One thread issues one store at the start and
 * waits for nothing. */
static __device__ __forceinline__ void record_sm(uint16_t *sms)
{
    if (threadIdx.x == 0)
        sms[blockIdx.x] = (uint16_t)sm_id();
}

/* The SM of each block of the latest launch, in device memory. */
class SmRecord
{
  public:
    SmRecord(GpuContext &the_gpu, uint32_t the_blocks)
        : gpu(the_gpu), n_blocks(the_blocks),
          at(the_gpu.buffer_of<uint16_t>(the_blocks))
    {
    }
    /* Waits for the GPU.  At least one launch must have been enqueued. */
    SmSet read() const
    {
        std::vector<uint16_t> sms(n_blocks);
        SmSet set = {};

        CHECKED(cudaMemcpyAsync(sms.data(), at, n_blocks * sizeof sms[0],
                                cudaMemcpyDeviceToHost, gpu.main));
        gpu.sync();
        for (uint16_t sm : sms)
            sm_set_add(&set, sm);
        return set;
    }

  private:
    GpuContext &gpu;
    uint32_t n_blocks;

  public:
    uint16_t *at;
};

#endif
