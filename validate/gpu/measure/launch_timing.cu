/* launch_timing.cu - measures the time of launches, and the SM clock */
#include "validate/gpu/measure/launch_timing.cuh"

#include <algorithm>
#include <cmath>

#include "validate/gpu/host/progress.h"
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/ptx.cuh"

#define WAKE_S 0.5

/* ---- gate kernel that holds a stream ------------------------------------- */

static __global__ void hold_stream_kernel(uint64_t hold_ns)
{
    uint64_t begin_ns = global_timer_ns();

    while (global_timer_ns() - begin_ns < hold_ns)
        nap(500);
}

void hold_stream(cudaStream_t stream, double hold_us)
{
    launch(hold_stream_kernel, 1, 1, 0, stream, (uint64_t)(hold_us * 1000));
}

/* Returns the time to enqueue @n launches, with a reserve of 50 % and of 20 us,
 * which a launch may wait for the driver. */
double measure_enqueue_time_us(GpuContext &gpu, Work &work, uint64_t n)
{
    double begin_s = progress_now_s(), us;

    for (uint64_t i = 0; i < n; i++)
        work.launch_next(gpu.main);
    us = (progress_now_s() - begin_s) * 1e6;
    gpu.sync();
    return std::min(20 + 1.5 * us, 20e3);
}

/* ---- one timed repetition ------------------------------------------------ */

struct Repetition {
    uint64_t n_launches;
    bool has_lead; /* TRUE if an untimed launch precedes the others. */
    double hold_us;
};

/* Returns the time of all timed launches together. */
static double time_of_launches_us(GpuContext &gpu, Work &work,
                                  const Repetition &r)
{
    Event begin, end;

    if (work.is_held)
        hold_stream(gpu.main, r.hold_us);
    if (r.has_lead)
        work.launch_next(gpu.main);
    begin.record(gpu.main);
    for (uint64_t i = 0; i < r.n_launches; i++)
        work.launch_next(gpu.main);
    end.record(gpu.main);
    gpu.sync();
    return end.us_since(begin);
}

double measure_rough_time_us(GpuContext &gpu, Work &work)
{
    Repetition first = { 1, false, 100 };
    double us = time_of_launches_us(gpu, work, first);
    Repetition few = { us < 1000 ? 8u : 2u, false, 100 };

    return time_of_launches_us(gpu, work, few) / (double)few.n_launches;
}

/* ---- repetitions of one case --------------------------------------------- */

static uint64_t batch_of_launches_for(const Work &work, double rough_us)
{
    if (work.is_single || rough_us >= SHORT_US)
        return 1;
    return (uint64_t)std::min(std::ceil(BATCH_US / std::max(rough_us, 0.1)),
                              (double)MAX_BATCH);
}

Times time_work(GpuContext &gpu, Work &work, uint32_t repetitions, double cap_s)
{
    double rough_us = measure_rough_time_us(gpu, work), warm_us = 0;
    Repetition r;
    Times times;

    r.n_launches = batch_of_launches_for(work, rough_us);
    r.has_lead = !work.is_single && rough_us < 1000;
    if (repetitions * (double)r.n_launches * rough_us > cap_s * 1e6)
        throw Failure("one launch takes " + std::to_string(rough_us) +
                      " us, which is too long for its share of the run");
    r.hold_us = measure_enqueue_time_us(gpu, work, r.n_launches + r.has_lead);
    while (warm_us < work.warm_up_us)
        warm_us += std::max(time_of_launches_us(gpu, work, r), 50.0);
    for (uint32_t i = 0; i < repetitions; i++) {
        gpu.poll();
        times.us.push_back(time_of_launches_us(gpu, work, r) /
                           (double)(r.n_launches * work.n_inner));
    }
    times.batch_launches = r.n_launches * work.n_inner;
    return times;
}

/* ---- measurement of the SM clock ----------------------------------------- */

struct Ticks {
    uint64_t cycles, ns;
};

static __global__ void count_clock_kernel(uint64_t wait_ns, Ticks *ret)
{
    uint64_t begin_ns = global_timer_ns(), now_ns = begin_ns;
    long long begin = clock64();

    while (now_ns - begin_ns < wait_ns)
        now_ns = global_timer_ns();
    ret->cycles = (uint64_t)(clock64() - begin);
    ret->ns = now_ns - begin_ns;
}

double measure_sm_clock_mhz(GpuContext &gpu, double wait_us)
{
    Ticks ticks = { 0, 1 };
    Ticks *on_device = (Ticks *)gpu.scratch();

    launch(count_clock_kernel, 1, 1, 0, gpu.main, (uint64_t)(wait_us * 1000),
           on_device);
    CHECKED(cudaMemcpyAsync(&ticks, on_device, sizeof ticks,
                            cudaMemcpyDeviceToHost, gpu.main));
    gpu.sync();
    return (double)ticks.cycles * 1e3 / (double)ticks.ns;
}

void wake_gpu(GpuContext &gpu)
{
    double begin_s = progress_now_s();

    while (progress_now_s() - begin_s < WAKE_S)
        (void)measure_sm_clock_mhz(gpu, 10 * CLOCK_US);
}
