/*
 * gpc_of_sms.cu - finds out which SMs belong to one GPC
 *
 * All blocks of a cluster run on SMs of one GPC.  No interface of the driver
 * tells the GPC of an SM, so clusters of several sizes run, each block has an
 * SM for itself, and SMs that held blocks of one cluster are joined.
 */
#include "validate/gpu/measure/gpc_of_sms.cuh"

#include <vector>

#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/ptx.cuh"

/* Time that a block stays, so that all blocks of a launch run at once. */
#define STAY_NS 50000
/* Launches of each size; they may place clusters differently. */
#define N_LAUNCHES 4

#if CUDART_VERSION >= 11080

static __global__ void stay_on_sm_kernel(uint16_t *sms)
{
    uint64_t begin_ns = global_timer_ns();

    if (threadIdx.x == 0)
        sms[blockIdx.x] = (uint16_t)sm_id();
    while (global_timer_ns() - begin_ns < STAY_NS)
        nap(500);
}

/* Returns whether a launch with clusters of @n_cluster blocks is accepted. */
static bool launch_clusters(GpuContext &gpu, uint32_t n_blocks,
                            uint32_t n_cluster, size_t shared_bytes,
                            uint16_t *sms)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = {};

    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = n_cluster;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(n_blocks);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = gpu.main;
    config.attrs = &cluster;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, stay_on_sm_kernel, sms) == cudaSuccess)
        return true;
    (void)cudaGetLastError(); /* A size that does not fit is no error here. */
    return false;
}

static void join_sms_of_clusters(const std::vector<uint16_t> &sms,
                                 uint32_t n_cluster, SmGroups *ret)
{
    for (size_t first = 0; first < sms.size(); first += n_cluster) {
        SmSet together = {};

        for (uint32_t i = 0; i < n_cluster; i++)
            sm_set_add(&together, sms[first + i]);
        sm_groups_add(ret, together);
    }
}

SmGroups find_gpc_of_sms(GpuContext &gpu)
{
    static const uint32_t sizes[] = { 2, 4, 6, 8, 16 };
    SmGroups groups = {};
    uint16_t *on_device;
    size_t shared_bytes;

    if (gpu.facts.major < 9)
        return groups;
    gpu.clear();
    on_device = gpu.buffer_of<uint16_t>(gpu.facts.n_sms);
    shared_bytes = whole_shared_memory(gpu, stay_on_sm_kernel);
    CHECKED(cudaFuncSetAttribute((const void *)stay_on_sm_kernel,
                                 cudaFuncAttributeNonPortableClusterSizeAllowed,
                                 1));
    for (uint32_t n_cluster : sizes)
        for (int i = 0; i < N_LAUNCHES; i++) {
            std::vector<uint16_t> sms(gpu.facts.n_sms / n_cluster * n_cluster);

            if (!launch_clusters(gpu, (uint32_t)sms.size(), n_cluster,
                                 shared_bytes, on_device))
                break;
            CHECKED(cudaMemcpyAsync(sms.data(), on_device,
                                    sms.size() * sizeof sms[0],
                                    cudaMemcpyDeviceToHost, gpu.main));
            gpu.sync();
            join_sms_of_clusters(sms, n_cluster, &groups);
        }
    gpu.clear();
    return groups;
}

#else

SmGroups find_gpc_of_sms(GpuContext &gpu)
{
    (void)gpu;
    return {};
}

#endif
