/*
 * cublas.cuh - matrix products by cuBLAS, if the machine has it
 *
 * The library is loaded at run time by dlopen(), so the build does not need it.
 */
#ifndef VALIDATE_GPU_KERNELS_CUBLAS_CUH
#define VALIDATE_GPU_KERNELS_CUBLAS_CUH

#include <memory>
#include <string>

#include "validate/gpu/measure/gpu_context.cuh"

class Cublas
{
  public:
    /* Returns null and sets @missing to the reason if cuBLAS cannot be used.
     * Products run in the main stream of the lab. */
    static std::unique_ptr<Cublas> load(GpuContext &gpu, std::string &missing);
    ~Cublas();

    /* Computes C = A B of bf16 matrices, summed in fp32.  All are stored by
     * rows. */
    void gemm(const void *a, const void *b, void *c, uint32_t m, uint32_t n,
              uint32_t k) const;
    /* Sets the number of SMs that cuBLAS may plan with; 0 means all. */
    void limit_sms(uint32_t n_sms) const;

    std::string version;

  private:
    struct Calls;
    std::unique_ptr<Calls> calls;
    void *library = nullptr, *handle = nullptr, *workspace = nullptr;

    Cublas();
    bool find_calls(std::string &missing);
    bool start(GpuContext &gpu, std::string &missing);
    bool try_out(GpuContext &gpu, std::string &missing);
};

#endif
