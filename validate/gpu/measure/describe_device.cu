/* describe_device.cu - fills the record with the device, the software and the
 * command */
#include "validate/gpu/measure/describe_device.cuh"

#include <cstdio>
#include <cstring>
#include <ctime>

#include "validate/gpu/kernels/cublas.cuh"

template <size_t N>
static void copy_text(char (&to)[N], const std::string &from)
{
    (void)snprintf(to, N, "%s", from.c_str());
}

static std::string now_utc()
{
    struct timespec now;
    struct tm utc;
    char text[32];

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

/* Returns the command line with only the last part of each path, because
 * folders of this machine mean nothing elsewhere. */
std::string command_line(int argc, char **argv)
{
    std::string line;

    for (int i = 0; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');

        line += (i ? " " : "") + std::string(slash ? slash + 1 : argv[i]);
    }
    return line;
}

void describe_device(const GpuContext &gpu, const Nvml &nvml, Record *record)
{
    const Facts &facts = gpu.facts;

    copy_text(record->device_name, facts.name);
    copy_text(record->driver, nvml.driver());
    copy_text(record->cublas, gpu.cublas ? gpu.cublas->version : "");
    copy_text(record->cublas_missing, gpu.cublas ? "" : gpu.cublas_missing);
    record->compute_capability[0] = facts.major;
    record->compute_capability[1] = facts.minor;
    record->n_sms = facts.n_sms;
    record->memory_bus_bits = facts.memory_bus_bits;
    record->l2_bytes = facts.l2_bytes;
    record->memory_bytes = facts.memory_bytes;
    record->shared_bytes_per_block = facts.shared_bytes_per_block;
    record->sm_max_mhz = facts.sm_max_mhz;
    record->memory_max_mhz = facts.memory_max_mhz;
    CHECKED(cudaDriverGetVersion(&record->cuda_driver_version));
    CHECKED(cudaRuntimeGetVersion(&record->cuda_runtime_version));
}

void describe_run(const Options &options, const std::string &command,
                  Record *record)
{
    copy_text(record->date_utc, now_utc());
    copy_text(record->command_line, command);
    copy_text(record->host_compiler, __VERSION__);
    record->nvcc_version[0] = __CUDACC_VER_MAJOR__;
    record->nvcc_version[1] = __CUDACC_VER_MINOR__;
    record->repetitions = options.repetitions;
    record->n_passes = options.n_passes;
    record->seed = options.seed;
}
