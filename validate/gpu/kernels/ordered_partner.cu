/*
 * ordered_partner.cu - a partner that ends by itself, released before or after
 * the compute kernels, in a stream with or without priority
 *
 * Each of the two streams has a gate of one thread, and both gates run before
 * all other kernels.  The first gate opens when everything is enqueued, the
 * second one LAG_US later.  Therefore the order in which the GPU receives the
 * two requests is certain, and no gate waits for a free SM.  The time of a
 * stream starts at its own gate, so it includes the wait for
 * SMs. */
#include "validate/gpu/host/progress.h"
#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/partner_kernel.cuh"
#include "validate/gpu/kernels/partner_window.cuh"
#include "validate/gpu/kernels/ptx.cuh"
#include "validate/gpu/measure/launch_timing.cuh"
#include "validate/gpu/plan/measurement_plan.h"

#include <algorithm>

/* The delay between the gates: long compared to a launch, short compared to a
 * window. */
#define LAG_US 30.0

/* Opens the first gate @hold_ns after its start. */
static __global__ void open_first_gate(unsigned long long *opened_ns,
                                       uint64_t hold_ns)
{
    uint64_t begin_ns = global_timer_ns();

    while (global_timer_ns() - begin_ns < hold_ns)
        nap(500);
    atomicExch(opened_ns, (unsigned long long)global_timer_ns());
}

/* Opens the second gate @lag_ns after the first one, or gives up after
 * TIMEOUT_NS. */
static __global__ void open_second_gate(const uint64_t *opened_ns,
                                        uint64_t lag_ns)
{
    uint64_t begin_ns = global_timer_ns(), opened = 0;

    while (opened == 0 && global_timer_ns() - begin_ns < TIMEOUT_NS) {
        nap(200);
        opened = load_shared_long(opened_ns);
    }
    while (global_timer_ns() < opened + lag_ns)
        nap(200);
}

/* The launches of one stream behind its gate. */
struct Lane {
    Work *work;
    uint64_t n_launches;
    cudaStream_t stream;
    Event begin, end;
};

class OrderPartner : public Partner
{
  public:
    OrderPartner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);
    void check() override;
    Window watch(const WindowRequest &request) override;
    double window_us() const override;
    SmSet sms() override
    {
        return mover->sms();
    }

  private:
    void run(Lane *first, Lane *second);

    GpuContext &gpu;
    MeasureCase c;
    std::unique_ptr<Work> mover;
    uint64_t *opened_ns;
    double hold_us = 500;
};

OrderPartner::OrderPartner(GpuContext &l, const MeasureCase &the_case,
                           uint64_t seed)
    : gpu(l), c(the_case), mover(make_work(l, { c, seed, true })),
      opened_ns((uint64_t *)l.scratch())
{
    rotated_bytes = mover->rotated_bytes;
}

void OrderPartner::check()
{
    mover->check();
}

double OrderPartner::window_us() const
{
    return PLAN_WINDOW_US;
}

static void enqueue_lane_launches(Lane *lane)
{
    lane->begin.record(lane->stream);
    for (uint64_t i = 0; i < lane->n_launches; i++)
        lane->work->launch_next(lane->stream);
    lane->end.record(lane->stream);
}

/* Runs both lanes; either may be null.  Both streams must be empty.  The gates
 * are held for the longest time that enqueueing has taken so far. */
void OrderPartner::run(Lane *first, Lane *second)
{
    double began_s;

    CHECKED(cudaMemsetAsync(opened_ns, 0, sizeof *opened_ns, gpu.main));
    gpu.sync();
    began_s = progress_now_s();
    if (first)
        launch(open_first_gate, 1, 1, 0, first->stream,
               (unsigned long long *)opened_ns, (uint64_t)(hold_us * 1000));
    if (second && first)
        launch(open_second_gate, 1, 1, 0, second->stream, opened_ns,
               (uint64_t)(LAG_US * 1000));
    else if (second)
        hold_stream(second->stream, hold_us);
    if (first)
        enqueue_lane_launches(first);
    if (second)
        enqueue_lane_launches(second);
    hold_us = std::max(
        hold_us, std::min(20 + 1.5e6 * (progress_now_s() - began_s), 50e3));
    gpu.sync();
}

static double lane_time_per_launch_us(const Lane &lane)
{
    return lane.end.us_since(lane.begin) / (double)lane.n_launches;
}

Window OrderPartner::watch(const WindowRequest &request)
{
    Lane compute = { request.work, request.n_launches, gpu.main, {}, {} };
    Lane moves = { mover.get(),
                   1,
                   c.priority == PRIORITY_PARTNER ? gpu.urgent : gpu.side,
                   {},
                   {} };
    Lane *work = request.work ? &compute : nullptr;
    Lane *partner = request.has_partner ? &moves : nullptr;

    if (c.first == FIRST_PARTNER)
        run(partner, work);
    else
        run(work, partner);
    return { work ? lane_time_per_launch_us(compute) : 0,
             partner ? (double)c.bytes / lane_time_per_launch_us(moves) : 0 };
}

std::unique_ptr<Partner> make_order_partner(GpuContext &gpu,
                                            const MeasureCase &c, uint64_t seed)
{
    return std::unique_ptr<Partner>(new OrderPartner(gpu, c, seed));
}
