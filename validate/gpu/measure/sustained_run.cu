/* sustained_run.cu - times a kernel that runs for many seconds */
#include "validate/gpu/measure/sustained_run.cuh"

#include <algorithm>
#include <cmath>
#include <deque>

#include "validate/gpu/measure/launch_timing.cuh"

/* Number of steps that are enqueued ahead of the one that is waited for. */
#define N_AHEAD 3
/* Maximum number of launches per step.  If more launches waited than the queue
 * of the driver holds, a launch would block. */
#define MAX_STEP_LAUNCHES 250

struct Steps {
    GpuContext &gpu;
    Work &work;
    uint64_t n_launches;
    /* The end event of each step; the GPU has reached the first one. */
    std::deque<std::unique_ptr<Event>> ends;
};

static void enqueue_launch_step(Steps &steps)
{
    for (uint64_t i = 0; i < steps.n_launches; i++)
        steps.work.launch_next(steps.gpu.main);
    steps.ends.emplace_back(new Event());
    steps.ends.back()->record(steps.gpu.main);
}

/* Waits for the end of the oldest step and returns its time. */
static double wait_for_launch_step(Steps &steps)
{
    double us;

    CHECKED(cudaEventSynchronize(steps.ends[1]->handle));
    us = steps.ends[1]->us_since(*steps.ends[0]);
    steps.ends.pop_front();
    return us;
}

static Steps start_launch_steps(GpuContext &gpu, Work &work)
{
    double rough_us = measure_rough_time_us(gpu, work);
    double n = std::ceil(SUSTAIN_STEP_US / rough_us);
    Steps steps = {
        gpu, work, (uint64_t)std::min(n, (double)MAX_STEP_LAUNCHES), {}
    };

    if (rough_us > 5 * SUSTAIN_STEP_US)
        throw Failure("one launch takes " + std::to_string(rough_us) +
                      " us, which is too long for a step");
    steps.ends.emplace_back(new Event());
    steps.ends.back()->record(gpu.main);
    for (int i = 0; i < N_AHEAD; i++)
        enqueue_launch_step(steps);
    return steps;
}

void run_sustained_kernel(
    GpuContext &gpu, const Nvml &nvml, Work &work, uint32_t seconds,
    const std::function<void(const MeasureResult &)> &on_second)
{
    Steps steps = start_launch_steps(gpu, work);
    SustainSecond second = {};
    double now_us = 0;
    uint32_t nth = 1;

    while (now_us < 1e6 * seconds) {
        SustainSample sample;
        double us;

        gpu.poll();
        sample = nvml.sample();
        us = wait_for_launch_step(steps);
        sustain_add_sample(&second, us / (double)steps.n_launches, &sample);
        now_us += us;
        if (now_us >= 1e6 * nth) {
            on_second(sustain_row_of_second(&second, nth, steps.n_launches));
            second = {};
            nth = (uint32_t)(now_us / 1e6) + 1;
        }
        enqueue_launch_step(steps);
    }
    gpu.sync();
}
