/* cublas.cu - matrix products by cuBLAS, if the machine has it */
#include "validate/gpu/kernels/cublas.cuh"

#include <dlfcn.h>
#include <library_types.h>

#include <cstdlib>

#include "validate/gpu/host/machine_requirements.h"

/* The functions that are used, with parameters as in the header of cuBLAS,
 * which may not be installed.  Enumerations are passed as int; status 0 is
 * success. */
struct Cublas::Calls {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*version)(void *handle, int *version);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*set_workspace)(void *handle, void *memory, size_t n_bytes);
    int (*set_math)(void *handle, int mode);
    int (*set_sms)(void *handle, int n_sms);
    int (*gemm)(void *handle, int op_a, int op_b, int m, int n, int k,
                const void *alpha, const void *a, int type_a, int stride_a,
                const void *b, int type_b, int stride_b, const void *beta,
                void *c, int type_c, int stride_c, int compute, int algorithm);
};

#define OP_N         0
#define COMPUTE_32F  68
#define GEMM_DEFAULT -1
/* If the sum over k is split, its parts are added in fp32 instead of bf16. */
#define MATH_SUMS_IN_FP32 16
#define WORKSPACE_BYTES   ((size_t)64 << 20)

Cublas::Cublas() : calls(new Calls())
{
}

Cublas::~Cublas()
{
    if (handle)
        (void)calls->destroy(handle);
    (void)cudaFree(workspace);
    if (library)
        (void)dlclose(library);
}

/* Returns the first cuBLAS library that can be loaded, or null. */
static void *open_cublas_library()
{
    std::unique_ptr<NeedsPlaces> places(new NeedsPlaces());
    const char *python_home = getenv("VIRTUAL_ENV");
    char asked[NEEDS_PLACE_SIZE];

    if (!python_home && find_python_home(asked))
        python_home = asked;
    find_folders_with_cublas(getenv("CUDA_HOME"), python_home, places.get());
    for (size_t i = 0; i < places->n; i++)
        if (void *library = dlopen(places->paths[i], RTLD_NOW | RTLD_LOCAL))
            return library;
    return nullptr;
}

template <typename Call>
static bool find_library_call(void *library, const char *name, Call **ret)
{
    *ret = (Call *)dlsym(library, name);
    return *ret != nullptr;
}

bool Cublas::find_calls(std::string &missing)
{
    library = open_cublas_library();
    if (!library) {
        missing = "no libcublas.so loads, of 13 or 12";
        return false;
    }
    if (find_library_call(library, "cublasCreate_v2", &calls->create) &&
        find_library_call(library, "cublasDestroy_v2", &calls->destroy) &&
        find_library_call(library, "cublasGetVersion_v2", &calls->version) &&
        find_library_call(library, "cublasSetStream_v2", &calls->set_stream) &&
        find_library_call(library, "cublasSetWorkspace_v2",
                          &calls->set_workspace) &&
        find_library_call(library, "cublasSetMathMode", &calls->set_math) &&
        find_library_call(library, "cublasSetSmCountTarget", &calls->set_sms) &&
        find_library_call(library, "cublasGemmEx", &calls->gemm))
        return true;
    missing = "libcublas.so lacks a call";
    return false;
}

/* Creates the handle.  cuBLAS gets a workspace at the start, so that it does
 * not allocate memory during a measurement.  The stream is set first because
 * setting it resets the workspace. */
bool Cublas::start(GpuContext &gpu, std::string &missing)
{
    int number = 0;

    CHECKED(cudaMalloc(&workspace, WORKSPACE_BYTES));
    if (calls->create(&handle) != 0 || calls->version(handle, &number) != 0 ||
        calls->set_stream(handle, gpu.main) != 0 ||
        calls->set_workspace(handle, workspace, WORKSPACE_BYTES) != 0 ||
        calls->set_math(handle, MATH_SUMS_IN_FP32) != 0) {
        missing = "cuBLAS cannot be started";
        return false;
    }
    version = std::to_string(number);
    return true;
}

/* Computes a small product.  A library may start but fail to compute because
 * the driver is too old; this call detects that once, not case by case. */
bool Cublas::try_out(GpuContext &gpu, std::string &missing)
{
    const uint32_t n = 64;
    char *numbers = gpu.buffer_of<char>(3 * n * n * 2);

    try {
        CHECKED(cudaMemsetAsync(numbers, 0, 3 * n * n * 2, gpu.main));
        gemm(numbers, numbers + n * n * 2, numbers + 2 * n * n * 2, n, n, n);
        gpu.sync();
    } catch (const Failure &failure) {
        missing = std::string("cuBLAS does not compute: ") + failure.what();
    }
    gpu.clear();
    return missing.empty();
}

std::unique_ptr<Cublas> Cublas::load(GpuContext &gpu, std::string &missing)
{
    std::unique_ptr<Cublas> cublas(new Cublas());

    if (!cublas->find_calls(missing) || !cublas->start(gpu, missing) ||
        !cublas->try_out(gpu, missing))
        cublas.reset();
    return cublas;
}

/* cuBLAS stores matrices by columns.  Its arguments for C^T = B^T A^T, of n x
 * m, give C = A B stored by rows. */
void Cublas::gemm(const void *a, const void *b, void *c, uint32_t m, uint32_t n,
                  uint32_t k) const
{
    const float one = 1, zero = 0;
    int status =
        calls->gemm(handle, OP_N, OP_N, (int)n, (int)m, (int)k, &one, b,
                    CUDA_R_16BF, (int)n, a, CUDA_R_16BF, (int)k, &zero, c,
                    CUDA_R_16BF, (int)n, COMPUTE_32F, GEMM_DEFAULT);

    if (status != 0)
        throw Failure("cublasGemmEx: status " + std::to_string(status));
}

void Cublas::limit_sms(uint32_t n_sms) const
{
    int status = calls->set_sms(handle, (int)n_sms);

    if (status != 0)
        throw Failure("cublasSetSmCountTarget: status " +
                      std::to_string(status));
}
