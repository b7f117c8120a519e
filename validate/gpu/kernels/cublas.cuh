/*
 * cublas.cuh - a matrix product by cuBLAS, when the machine has it
 *
 * Found when the program runs, by dlopen(): it is built without it.
 */
#ifndef VALIDATE_GPU_KERNELS_CUBLAS_CUH
#define VALIDATE_GPU_KERNELS_CUBLAS_CUH

#include <memory>
#include <string>

#include "validate/gpu/lab/lab.cuh"

class Cublas
{
  public:
    /* Null when there is none, and @missing says why.  Products run in the
     * lab's main stream. */
    static std::unique_ptr<Cublas> load(Lab &lab, std::string &missing);
    ~Cublas();

    /* C = A B of bf16, summed in fp32, all stored by rows. */
    void gemm(const void *a, const void *b, void *c, uint32_t m, uint32_t n,
              uint32_t k) const;
    /* How many SMs it may count on; 0: all. */
    void count_on(uint32_t n_sms) const;

    std::string version;

  private:
    struct Calls;
    std::unique_ptr<Calls> calls;
    void *library = nullptr, *handle = nullptr, *workspace = nullptr;

    Cublas();
    bool find_calls(std::string &missing);
    bool start(Lab &lab, std::string &missing);
    bool try_out(Lab &lab, std::string &missing);
};

#endif
