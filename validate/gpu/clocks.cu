#include "validate/gpu/clocks.cuh"

#include <dlfcn.h>

#include "validate/gpu/timing.cuh"

/* As nvml.h has them, which need not be there. */
#define CLOCK_SM     1
#define CLOCK_MEMORY 2
#define TEXT_SIZE    96

typedef int (*NoArgument)();
typedef int (*FindDevice)(const char *bus_id, void **device);
typedef int (*ReadClock)(void *device, int which, unsigned *mhz);
typedef int (*ReadText)(char *text, unsigned size);

template <typename Call> static Call find(void *library, const char *name)
{
    return library ? (Call)dlsym(library, name) : nullptr;
}

Nvml::Nvml(const std::string &bus_id)
    : library(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL))
{
    NoArgument start = find<NoArgument>(library, "nvmlInit_v2");
    FindDevice find_device =
        find<FindDevice>(library, "nvmlDeviceGetHandleByPciBusId_v2");

    if (!start || start() != 0 || !find_device ||
        find_device(bus_id.c_str(), &device) != 0)
        device = nullptr;
}

/* The library is left loaded: unloading it gains nothing. */
Nvml::~Nvml()
{
    if (NoArgument stop = find<NoArgument>(library, "nvmlShutdown"))
        (void)stop();
}

double Nvml::clock_mhz(int which) const
{
    ReadClock read = find<ReadClock>(library, "nvmlDeviceGetClockInfo");
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
    ReadText read = find<ReadText>(library, "nvmlSystemGetDriverVersion");
    char text[TEXT_SIZE] = "";

    if (!device || !read || read(text, sizeof text) != 0)
        return "";
    return text;
}

Clocks read_clocks(Lab &lab, const Nvml &nvml)
{
    Clocks clocks = {};

    clocks.sm_measured_mhz = measure_sm_clock_mhz(lab, 4 * CLOCK_US);
    clocks.sm_nvml_mhz = nvml.sm_mhz();
    clocks.memory_nvml_mhz = nvml.memory_mhz();
    return clocks;
}
