/* resident_partner.cu - partners that occupy SMs: reduce, copy, idle */
#include <cmath>
#include <set>

#include "validate/gpu/kernels/kernel_launch.cuh"
#include "validate/gpu/kernels/partner_kernel.cuh"
#include "validate/gpu/kernels/resident_kernel.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"
#include "validate/gpu/measure/launch_timing.cuh"
#include "validate/gpu/plan/measurement_plan.h"

#define PROBE_THREADS 128
#define CHECK_US      2000.0
/* Number of chunks beyond the number of warps in the check.  The last chunks
 * are then processed in a second round. */
#define CHECK_EXTRA 7

class ResidentPartner : public Partner
{
  public:
    ResidentPartner(GpuContext &gpu, const MeasureCase &c, uint64_t seed);
    void check() override;
    Window watch(const WindowRequest &request) override;
    double window_us() const override;
    SmSet sms() override;

  private:
    void begin_window(bool has_partner, double hold_us);
    void start_thread_blocks();
    void stamp(uint32_t which);
    void read_control(bool has_partner);
    void load_measured_kernels();
    void check_places() const;
    Window result(double events_us, uint64_t n_launches) const;

    GpuContext &gpu;
    MeasureCase c;
    uint32_t ways; /* The number of ways; 0 if the partner is idle. */
    uint32_t chunk_bytes = 0, n_chunks = 1, first_chunk = 0;
    uint64_t stream_of_values;
    char *in = nullptr, *out = nullptr;
    Control *control;              /* The control block in device memory. */
    std::unique_ptr<Control> seen; /* The copy of *control after the window. */
    double enqueue_us = 0;
};

ResidentPartner::ResidentPartner(GpuContext &l, const MeasureCase &the_case,
                                 uint64_t seed)
    : gpu(l), c(the_case),
      ways(c.kernel == KERNEL_IDLE ? 0 : (c.ways ? c.ways : 1)),
      stream_of_values(random_stream_id_of_operand(seed, "partner.operands")),
      control(l.buffer_of<Control>(1)), seen(new Control())
{
    if (gpu.facts.n_sms > MAX_RESIDENT)
        throw Skip("the GPU has more SMs than this program counts");
    if (ways == 0)
        return;
    chunk_bytes = 32 * (8 / ways) * (uint32_t)sizeof(uint4);
    n_chunks = (uint32_t)(c.bytes / chunk_bytes);
    in = gpu.buffer_of<char>(ways * c.bytes);
    out = gpu.buffer_of<char>(c.bytes);
    rotated_bytes = (ways + 1) * c.bytes;
    fill_values(gpu, in, ways * c.bytes / sizeof(float), DTYPE_FP32,
                stream_of_values);
    gpu.sync();
}

double ResidentPartner::window_us() const
{
    return PLAN_WINDOW_US;
}

/* The latest window must have had a partner: a window without one clears the
 * control block. */
SmSet ResidentPartner::sms()
{
    SmSet set = {};

    for (uint32_t i = 0; i < seen->n_started && i < c.n_sms; i++)
        sm_set_add(&set, seen->sm_of_block[i]);
    return set;
}

/* ---- measurement window with a resident partner -------------------------- */

void ResidentPartner::start_thread_blocks()
{
    ResidentArguments g = { (const uint4 *)in,       (uint4 *)out,
                            c.bytes / sizeof(uint4), n_chunks,
                            first_chunk % n_chunks,  control };

    /* A short window processes only a part of the arrays.  The next one begins
     * far from it, so that it does not find its data in the cache. */
    first_chunk += n_chunks / 13 * 5;

    if (ways == 0)
        launch(idle_kernel, c.n_sms, 32,
               shared_memory(gpu, idle_kernel, c.shared), gpu.side, control);
    else if (ways == 1)
        launch(resident_kernel<1>, c.n_sms, c.n_threads,
               shared_memory(gpu, resident_kernel<1>, c.shared), gpu.side, g);
    else
        launch(resident_kernel<2>, c.n_sms, c.n_threads,
               shared_memory(gpu, resident_kernel<2>, c.shared), gpu.side, g);
}

/* Opens a measurement window. Both streams are empty at the start, so the
 * partner gets its SMs before the work requests any. */
void ResidentPartner::begin_window(bool has_partner, double hold_us)
{
    CHECKED(cudaMemsetAsync(control, 0, sizeof *control, gpu.main));
    gpu.sync();
    if (has_partner)
        start_thread_blocks();
    launch(wait_kernel, 1, 1, 0, gpu.main, control, has_partner ? c.n_sms : 0,
           (uint64_t)(hold_us * 1000));
}

void ResidentPartner::stamp(uint32_t which)
{
    launch(stamp_kernel, 1, 32, 0, gpu.main, control, c.n_sms, which);
}

void ResidentPartner::read_control(bool has_partner)
{
    gpu.sync();
    CHECKED(cudaMemcpyAsync(seen.get(), control, sizeof *control,
                            cudaMemcpyDeviceToHost, gpu.main));
    gpu.sync();
    if (seen->wait_timed_out)
        throw Failure("the partner did not begin within two seconds");
    if (seen->timed_out)
        throw Failure("the window did not close within two seconds");
    if (has_partner && seen->n_started != c.n_sms)
        throw Failure("of " + std::to_string(c.n_sms) +
                      " blocks of the partner, " +
                      std::to_string(seen->n_started) + " began");
}

/* Returns the rates of the window.  Events and the global timer measure the
 * same window, except for the time of the stamps.  If they differ by more than
 * that, one of them cannot be trusted, and the case fails. */
Window ResidentPartner::result(double events_us, uint64_t n_launches) const
{
    double timer_us = (double)(seen->stamps[1].ns - seen->stamps[0].ns) / 1000;
    double bytes = (double)(seen->stamps[1].bytes - seen->stamps[0].bytes);

    if (std::fabs(timer_us - events_us) > 0.1 * events_us + 100)
        throw Failure("events say " + std::to_string(events_us) +
                      " us, the global timer " + std::to_string(timer_us));
    return { n_launches ? events_us / (double)n_launches : 0,
             bytes / timer_us };
}

Window ResidentPartner::watch(const WindowRequest &request)
{
    uint64_t n_launches = request.work ? request.n_launches : 0;
    Event begin, end;

    if (request.work && enqueue_us == 0)
        enqueue_us =
            measure_enqueue_time_us(gpu, *request.work, request.n_launches + 1);
    begin_window(request.has_partner, 50 + enqueue_us);
    if (request.work)
        request.work->launch_next(gpu.main);
    stamp(0);
    begin.record(gpu.main);
    for (uint64_t i = 0; i < n_launches; i++)
        request.work->launch_next(gpu.main);
    if (!request.work)
        hold_stream(gpu.main, window_us());
    end.record(gpu.main);
    stamp(1);
    read_control(request.has_partner);
    return result(end.us_since(begin), n_launches);
}

/* ---- check of results and SM placement ----------------------------------- */

/* Checks that each block has a different SM.  No block of another kernel may
 * have run on a separate SM, and one must have run on each shared SM. */
void ResidentPartner::check_places() const
{
    std::set<uint32_t> sms;

    for (uint32_t i = 0; i < c.n_sms; i++) {
        uint32_t sm = seen->sm_of_block[i];

        if (sm >= MAX_RESIDENT || !sms.insert(sm).second)
            throw Failure("two blocks of the partner share SM " +
                          std::to_string(sm));
        if (c.place == PLACE_SAME_SMS && !seen->probe_seen[sm])
            throw Failure("no other kernel got onto SM " + std::to_string(sm) +
                          ", which the partner should share");
        if (c.place != PLACE_SAME_SMS && seen->probe_seen[sm])
            throw Failure("another kernel got onto SM " + std::to_string(sm) +
                          ", which the partner should have for itself");
    }
}

/* Runs once everything that a window launches, without a partner.  A kernel is
 * loaded at its first launch, and the driver may then wait until the GPU is
 * idle.  While a partner runs, that would never happen. */
void ResidentPartner::load_measured_kernels()
{
    WindowRequest nothing = { nullptr, 0, 0, false };

    (void)watch(nothing);
    launch(probe_kernel, 1, PROBE_THREADS, 0, gpu.main, control);
    gpu.sync();
}

void ResidentPartner::check()
{
    uint32_t n_all = n_chunks;
    uint64_t way_elements = c.bytes / sizeof(float), n_checked;

    load_measured_kernels();
    n_chunks = c.n_sms * (c.n_threads / 32) + CHECK_EXTRA;
    n_checked = (uint64_t)n_chunks * chunk_bytes / sizeof(float);
    if (ways > 0)
        fill_buffer_with_poison(gpu, out, n_checked * sizeof(float));
    begin_window(true, CHECK_US);
    launch(probe_kernel, (uint64_t)gpu.facts.n_sms * 2048 / PROBE_THREADS,
           PROBE_THREADS, 0, gpu.main, control);
    stamp(1);
    read_control(true);
    n_chunks = n_all;
    check_places();
    if (ways > 0)
        check_result(gpu, { out, n_checked, DTYPE_FP32, ALL_SAMPLES },
                     [&](uint64_t element) {
                         return expect_sum_of_values(stream_of_values, element,
                                                     way_elements, ways,
                                                     DTYPE_FP32);
                     });
}

std::unique_ptr<Partner>
make_resident_partner(GpuContext &gpu, const MeasureCase &c, uint64_t seed)
{
    return std::unique_ptr<Partner>(new ResidentPartner(gpu, c, seed));
}
