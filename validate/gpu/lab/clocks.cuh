/*
 * clocks.cuh - what the driver's management library says, where there is one
 */
#ifndef VALIDATE_GPU_LAB_CLOCKS_CUH
#define VALIDATE_GPU_LAB_CLOCKS_CUH

#include "validate/gpu/host/record.h"
#include "validate/gpu/host/sustain.h"
#include "validate/gpu/lab/lab.cuh"

/* Found by dlopen(); it reads, and sets nothing. */
class Nvml
{
  public:
    explicit Nvml(const std::string &bus_id);
    ~Nvml();
    Nvml(const Nvml &) = delete;
    Nvml &operator=(const Nvml &) = delete;

    /* 0 and "" when the library is not there or does not tell. */
    double sm_mhz() const;
    double memory_mhz() const;
    std::string driver() const;
    /* The most that the GPU may draw. */
    double limit_w() const;
    /* Clock, power, temperature and what lowers the clock, right now. */
    SustainSample sample() const;

  private:
    double clock_mhz(int which) const;
    void *library = nullptr, *device = nullptr;
};

/* Right now. */
Clocks read_clocks(Lab &lab, const Nvml &nvml);

#endif
