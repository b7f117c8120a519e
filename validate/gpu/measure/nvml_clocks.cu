/* nvml_clocks.cu - reads clocks, power and temperature through NVML, if
 * available */
#include "validate/gpu/measure/nvml_clocks.cuh"

#include <dlfcn.h>

#include "validate/gpu/measure/launch_timing.cuh"

/* Constants of nvml.h, which may not be installed. */
#define CLOCK_SM        1
#define CLOCK_MEMORY    2
#define TEMPERATURE_GPU 0
#define TEXT_SIZE       96

typedef int (*NoArgument)();
typedef int (*FindDevice)(const char *bus_id, void **device);
typedef int (*ReadClock)(void *device, int which, unsigned *mhz);
typedef int (*ReadNumber)(void *device, unsigned *value);
typedef int (*ReadReasons)(void *device, unsigned long long *reasons);
typedef int (*ReadText)(char *text, unsigned size);

template <typename Call>
static Call find_nvml_call(void *library, const char *name)
{
    return library ? (Call)dlsym(library, name) : nullptr;
}

Nvml::Nvml(const std::string &bus_id)
    : library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
{
    NoArgument start = find_nvml_call<NoArgument>(library, "nvmlInit_v2");
    FindDevice find_device =
        find_nvml_call<FindDevice>(library, "nvmlDeviceGetHandleByPciBusId_v2");

    if (!start || start() != 0 || !find_device ||
        find_device(bus_id.c_str(), &device) != 0)
        device = nullptr;
}

/* Closes NVML without unloading the library, because unloading has no
 * benefit. */
Nvml::~Nvml()
{
    if (NoArgument stop = find_nvml_call<NoArgument>(library, "nvmlShutdown"))
        (void)stop();
}

double Nvml::clock_mhz(int which) const
{
    ReadClock read =
        find_nvml_call<ReadClock>(library, "nvmlDeviceGetClockInfo");
    unsigned mhz = 0;

    if (!device || !read || read(device, which, &mhz) != 0)
        return 0;
    return mhz;
}

double Nvml::sm_mhz() const
{
    return clock_mhz(CLOCK_SM);
}

double Nvml::memory_mhz() const
{
    return clock_mhz(CLOCK_MEMORY);
}

std::string Nvml::driver() const
{
    ReadText read =
        find_nvml_call<ReadText>(library, "nvmlSystemGetDriverVersion");
    char text[TEXT_SIZE] = "";

    if (!device || !read || read(text, sizeof text) != 0)
        return "";
    return text;
}

/* Returns a number that NVML reports, or 0 if the driver does not report it. */
static double read_nvml_number(void *library, void *device, const char *name)
{
    ReadNumber read = find_nvml_call<ReadNumber>(library, name);
    unsigned value = 0;

    if (!device || !read || read(device, &value) != 0)
        return 0;
    return value;
}

double Nvml::limit_w() const
{
    return read_nvml_number(library, device,
                            "nvmlDeviceGetEnforcedPowerLimit") /
           1e3;
}

SustainSample Nvml::sample() const
{
    ReadClock temperature =
        find_nvml_call<ReadClock>(library, "nvmlDeviceGetTemperature");
    ReadReasons reasons = find_nvml_call<ReadReasons>(
        library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    unsigned celsius = 0;
    unsigned long long bits = 0;

    if (!device || !temperature ||
        temperature(device, TEMPERATURE_GPU, &celsius) != 0)
        celsius = 0;
    if (!device || !reasons || reasons(device, &bits) != 0)
        bits = 0;
    return { sm_mhz(),
             read_nvml_number(library, device, "nvmlDeviceGetPowerUsage") / 1e3,
             (double)celsius, (uint64_t)bits };
}

void add_device_state(const Nvml &nvml, MeasureResult *result)
{
    SustainSample sample = nvml.sample();

    result->power_w = sample.watts;
    result->celsius = sample.celsius;
    result->throttle = sample.throttle;
}

Clocks read_clocks(GpuContext &gpu, const Nvml &nvml)
{
    Clocks clocks = {};

    clocks.sm_measured_mhz = measure_sm_clock_mhz(gpu, 4 * CLOCK_US);
    clocks.sm_nvml_mhz = nvml.sm_mhz();
    clocks.memory_nvml_mhz = nvml.memory_mhz();
    return clocks;
}
