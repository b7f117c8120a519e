/* copy_engine_partner.cu - partners that occupy no SM: chains of copies by the
 * driver */
#include <algorithm>
#include <cmath>
#include <vector>

#include "validate/gpu/host/progress.h"
#include "validate/gpu/host/repetition_statistics.h"
#include "validate/gpu/kernels/partner_kernel.cuh"
#include "validate/gpu/measure/launch_timing.cuh"
#include "validate/gpu/plan/measurement_plan.h"

#define MAX_COPIES 4000
#define N_TRIES    5

class EnginePartner : public Partner
{
  public:
    EnginePartner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);
    void check() override;
    Window watch(const WindowRequest &request) override;
    double window_us() const override;
    SmSet sms() override
    {
        return {};
    }

  private:
    struct Span {
        /* The times are relative to the end of the first copy. */
        double begin_us, end_us;
    };
    double watch_work(const WindowRequest &request);
    Span enqueue_chain(const WindowRequest &request, Event *copies,
                       uint64_t n_copies);
    bool try_chain_of_length(const WindowRequest &request, uint64_t n_copies,
                             Window *ret);

    GpuContext &gpu;
    MeasureCase c;
    uint64_t n_copies = 0;
    std::unique_ptr<Work> mover;
    double copy_us = 0, hold_us = 0;
};

EnginePartner::EnginePartner(GpuContext &l, const MeasureCase &the_case,
                             uint64_t seed)
    : gpu(l), c(the_case), mover(make_work(l, { c, seed, true }))
{
    rotated_bytes = mover->rotated_bytes;
}

double EnginePartner::window_us() const
{
    return PLAN_ENGINE_WINDOW_US;
}

void EnginePartner::check()
{
    mover->check();
    copy_us = measure_rough_time_us(gpu, *mover);
}

/* ---- measurement window with copies -------------------------------------- */

static void launch_work_in_window(const WindowRequest &request,
                                  cudaStream_t stream, Event *begin, Event *end)
{
    request.work->launch_next(stream);
    begin->record(stream);
    for (uint64_t i = 0; i < request.n_launches; i++)
        request.work->launch_next(stream);
    end->record(stream);
}

/* Times the work without a partner, in the same way as with a partner. */
double EnginePartner::watch_work(const WindowRequest &request)
{
    Event begin, end;

    if (hold_us == 0)
        hold_us =
            measure_enqueue_time_us(gpu, *request.work, request.n_launches + 1);
    hold_stream(gpu.main, hold_us);
    launch_work_in_window(request, gpu.main, &begin, &end);
    gpu.sync();
    return end.us_since(begin) / (double)request.n_launches;
}

/* The work waits for the end of the first copy.  The stream is held until
 * everything is enqueued, for as long as the previous enqueueing took. */
EnginePartner::Span EnginePartner::enqueue_chain(const WindowRequest &request,
                                                 Event *copies, uint64_t n)
{
    double begin_s = progress_now_s(), took_us;
    Event begin, end;

    hold_stream(gpu.side, hold_us);
    for (uint64_t i = 0; i < n; i++) {
        mover->launch_next(gpu.side);
        copies[i].record(gpu.side);
    }
    if (request.work) {
        CHECKED(cudaStreamWaitEvent(gpu.main, copies[0].handle, 0));
        launch_work_in_window(request, gpu.main, &begin, &end);
    }
    took_us = (progress_now_s() - begin_s) * 1e6;
    gpu.sync();
    hold_us = std::min(std::max(hold_us, 20 + 1.5 * took_us), 50e3);
    if (!request.work)
        return { 0, copies[n - 1].us_since(copies[0]) };
    return { begin.us_since(copies[0]), end.us_since(copies[0]) };
}

/* Runs one measurement window with @n copies. Returns false if the copies ended
 * before the window. */
bool EnginePartner::try_chain_of_length(const WindowRequest &request,
                                        uint64_t n, Window *ret)
{
    std::vector<Event> copies(n);
    std::vector<double> ends_us;
    Span window = enqueue_chain(request, copies.data(), n);
    double length_us = window.end_us - window.begin_us;

    for (uint64_t i = 1; i < n; i++)
        ends_us.push_back(copies[i].us_since(copies[0]));
    if (window.begin_us < 0 || window.end_us > ends_us.back())
        return false;
    ret->partner_bytes_per_us =
        bytes_copied_in_window(0, ends_us.data(), ends_us.size(), c.bytes,
                               window.begin_us, window.end_us) /
        length_us;
    ret->kernel_us = request.work ? length_us / (double)request.n_launches : 0;
    return true;
}

/* Starts with copies for twice the expected window, and doubles their number if
 * that was not enough. */
Window EnginePartner::watch(const WindowRequest &request)
{
    double expected_us =
        std::max(window_us(), request.work_us * (double)request.n_launches);
    Window window = { 0, 0 };

    if (!request.has_partner)
        return { watch_work(request), 0 };
    if (n_copies == 0)
        n_copies = (uint64_t)std::ceil(2 * expected_us / copy_us) + 4;
    for (int i = 0; i < N_TRIES && n_copies <= MAX_COPIES; i++) {
        if (try_chain_of_length(request, n_copies, &window))
            return window;
        n_copies *= 2;
    }
    throw Failure("the copies did not last as long as the kernels");
}

std::unique_ptr<Partner>
make_engine_partner(GpuContext &gpu, const MeasureCase &c, uint64_t seed)
{
    return std::unique_ptr<Partner>(new EnginePartner(gpu, c, seed));
}
