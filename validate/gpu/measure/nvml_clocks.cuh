/* nvml_clocks.cuh - reads clocks, power and temperature through NVML, if
 * available */
#ifndef VALIDATE_GPU_LAB_CLOCKS_CUH
#define VALIDATE_GPU_LAB_CLOCKS_CUH

#include "validate/gpu/host/measurement_record.h"
#include "validate/gpu/host/sustained_run_summary.h"
#include "validate/gpu/measure/gpu_context.cuh"

/* The management library of the driver, loaded by dlopen().  The class only
 * reads values and changes no setting. */
class Nvml
{
  public:
    explicit Nvml(const std::string &bus_id);
    ~Nvml();
    Nvml(const Nvml &) = delete;
    Nvml &operator=(const Nvml &) = delete;

    /* The functions return 0 or "" if the library is missing or does not report
     * the value. */
    double sm_mhz() const;
    double memory_mhz() const;
    std::string driver() const;
    /* Returns the power limit of the GPU. */
    double limit_w() const;
    /* Returns the current clock, power, temperature and throttle reasons. */
    SustainSample sample() const;

  private:
    double clock_mhz(int which) const;
    void *library = nullptr, *device = nullptr;
};

/* Writes what the driver reports now about power, temperature and clocks into
 * @result. */
void add_device_state(const Nvml &nvml, MeasureResult *result);

/* Returns the current clocks. */
Clocks read_clocks(GpuContext &gpu, const Nvml &nvml);

#endif
