/* measure_overlap.cu - measures a compute kernel and a partner, alone and
 * together */
#include "validate/gpu/measure/measure_overlap.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "validate/gpu/host/progress.h"
#include "validate/gpu/host/repetition_statistics.h"
#include "validate/gpu/kernels/partner_kernel.cuh"
#include "validate/gpu/measure/launch_timing.cuh"

#define MAX_LAUNCHES 800

std::unique_ptr<Partner> make_partner(GpuContext &gpu, const MeasureCase &c,
                                      uint64_t seed)
{
    if (c.first != FIRST_NONE)
        return make_order_partner(gpu, c, seed);
    return kernel_is_copy_engine(c.kernel)
               ? make_engine_partner(gpu, c, seed)
               : make_resident_partner(gpu, c, seed);
}

struct Experiment {
    Work *work;
    Partner *partner;
    uint64_t n_launches;
    double work_us;
    /* The bytes that the partner moves; 0 if it is idle. */
    double partner_bytes;
};

/* The times of each kind of measurement window, one per repetition. */
struct Samples {
    std::vector<double> work_alone, work_both, partner_alone, partner_both;
    /* SM clocks right after some of the windows. */
    std::vector<double> work_alone_mhz, partner_alone_mhz, both_mhz;
};

/* The clock is read in every n-th repetition only, so that the GPU rests for
 * less than a hundredth of the time and does not cool down. */
#define CLOCK_EVERY 5
/* The clock counts cycles for so long: one tick of a coarse global timer is
 * half a percent. */
#define WINDOW_CLOCK_US 200.0

static void add_partner_rate(const Experiment &e, const Window &window,
                             std::vector<double> *us)
{
    if (e.partner_bytes == 0)
        return;
    if (window.partner_bytes_per_us <= 0)
        throw Failure("the partner moved nothing");
    us->push_back(e.partner_bytes / window.partner_bytes_per_us);
}

static double mean_of_samples(const std::vector<double> &samples)
{
    double sum = 0;

    for (double sample : samples)
        sum += sample;
    return samples.empty() ? 0 : sum / (double)samples.size();
}

static void add_clock_after_window(GpuContext &gpu, bool is_wanted,
                                   std::vector<double> *mhz)
{
    if (is_wanted)
        mhz->push_back(measure_sm_clock_mhz(gpu, WINDOW_CLOCK_US));
}

static void repeat_measurement(GpuContext &gpu, const Experiment &e,
                               bool has_clocks, Samples *samples)
{
    WindowRequest alone = { e.work, e.n_launches, e.work_us, false };
    WindowRequest partner = { nullptr, e.n_launches, e.work_us, true };
    WindowRequest both = { e.work, e.n_launches, e.work_us, true };
    Window window;

    e.work->expect_partner(false);
    samples->work_alone.push_back(e.partner->watch(alone).kernel_us);
    add_clock_after_window(gpu, has_clocks, &samples->work_alone_mhz);
    if (e.partner_bytes > 0) {
        add_partner_rate(e, e.partner->watch(partner), &samples->partner_alone);
        add_clock_after_window(gpu, has_clocks, &samples->partner_alone_mhz);
    }
    e.work->expect_partner(true);
    window = e.partner->watch(both);
    samples->work_both.push_back(window.kernel_us);
    add_clock_after_window(gpu, has_clocks, &samples->both_mhz);
    add_partner_rate(e, window, &samples->partner_both);
}

/* Runs at least two repetitions: the first one measures how long enqueueing
 * takes. */
static void warm_up_pair(GpuContext &gpu, const Experiment &e, double cap_s)
{
    double began_s = progress_now_s(), one_s;
    Samples unused;

    repeat_measurement(gpu, e, false, &unused);
    do {
        one_s = progress_now_s();
        repeat_measurement(gpu, e, false, &unused);
        one_s = progress_now_s() - one_s;
        if (one_s > cap_s)
            throw Failure("the windows are too long for their share of the "
                          "run");
    } while ((progress_now_s() - began_s) * 1e6 < e.work->warm_up_us);
}

static MeasureResult overlap_result_of_pair(std::vector<double> &both,
                                            std::vector<double> &alone,
                                            uint64_t batch_launches,
                                            uint64_t rotated_bytes)
{
    MeasureResult result = {};
    Summary summary;

    if (both.empty())
        return result;
    summary = summary_of_samples(both.data(), both.size());
    result.median_us = summary.median;
    result.p10_us = summary.p10;
    result.p90_us = summary.p90;
    result.alone_us = summary_of_samples(alone.data(), alone.size()).median;
    result.repetitions = both.size();
    result.batch_launches = batch_launches;
    result.rotated_bytes = rotated_bytes;
    return result;
}

/* Adds where the kernels ran, and the clocks of their windows. */
static void add_places_and_clocks(const Samples &samples, const SmSet &sms,
                                  OverlapResult *result)
{
    result->work.sm_mhz = mean_of_samples(samples.both_mhz);
    result->work.alone_mhz = mean_of_samples(samples.work_alone_mhz);
    result->work.beside_sms = sms;
    result->partner.sm_mhz = result->work.sm_mhz;
    result->partner.alone_mhz = mean_of_samples(samples.partner_alone_mhz);
    result->partner.sms = sms;
}

OverlapResult measure_overlap(GpuContext &gpu, const PlanEntry &entry,
                              uint32_t repetitions, uint64_t seed, double cap_s)
{
    std::unique_ptr<Work> work = make_checked_work(gpu, entry.work, seed);
    std::unique_ptr<Partner> partner = make_partner(gpu, entry.partner, seed);
    double work_us = measure_rough_time_us(gpu, *work);
    double n_launches = std::ceil(partner->window_us() / work_us);
    Experiment e = { work.get(), partner.get(),
                     (uint64_t)std::min(n_launches, (double)MAX_LAUNCHES),
                     work_us, (double)entry.partner.bytes };
    Samples samples;
    OverlapResult result;

    partner->check();
    warm_up_pair(gpu, e, cap_s / repetitions);
    for (uint32_t i = 0; i < repetitions; i++) {
        gpu.poll();
        repeat_measurement(gpu, e, i % CLOCK_EVERY == 0, &samples);
    }
    result = {
        overlap_result_of_pair(samples.work_both, samples.work_alone,
                               e.n_launches, work->rotated_bytes),
        overlap_result_of_pair(samples.partner_both, samples.partner_alone, 0,
                               partner->rotated_bytes),
    };
    add_places_and_clocks(samples, partner->sms(), &result);
    return result;
}
