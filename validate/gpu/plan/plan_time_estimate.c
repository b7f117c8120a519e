/*
 * plan_time_estimate.c - estimates the time of an entry from approximate rates
 *
 * Rates are those of validate/data/h200-measured.csv, rounded down.  The times
 * of checks are chosen so that the cases of that file, which took 231 s, are
 * estimated at a tenth more, 254 s.
 */
#include <math.h>

#include "validate/gpu/plan/measurement_plan.h"

static const double memory_bytes_per_s = 3.2e12;
static const double sm_bytes_per_s = 90e9;
static const double host_bytes_per_s = 20e9;
static const double cublas_flop_per_s = 600e12;
static const double own_flop_per_s = 250e12;
static const double fp32_flop_per_s = 30e12;
static const double launch_s = 4e-6;
/* The time of one repetition of short kernels. */
static const double timed_s = 200e-6;
static const double overhead_s = 60e-6; /* The overhead between repetitions. */
static const double fill_bytes_per_s = 0.7e12;
/* The check of results, which the CPU mostly computes. */
static const double check_s = 0.05;
static const double check_gemm_s = 0.15;
static const double warm_up_s = 0.02;
/* The warm-up of kernels that draw much power. */
static const double hot_warm_up_s = 0.1;

static double assumed_flop_per_s(Kernel kernel)
{
    switch (kernel) {
    case KERNEL_GEMM_OWN:
        return own_flop_per_s;
    case KERNEL_GEMM_CUBLAS:
    case KERNEL_GEMM_CUBLAS_LIMITED:
        return cublas_flop_per_s;
    default:
        return fp32_flop_per_s;
    }
}

static double assumed_bytes_per_s(const MeasureCase *measure_case)
{
    switch (measure_case->kernel) {
    case KERNEL_MEMCPY_D2H:
    case KERNEL_MEMCPY_H2D:
    case KERNEL_BATCH_D2H:
    case KERNEL_BATCH_H2D:
        return host_bytes_per_s;
    case KERNEL_BATCH_D2D:
    case KERNEL_MEMCPY_D2D:
        return memory_bytes_per_s / 3;
    case KERNEL_REDUCE:
    case KERNEL_COPY:
    case KERNEL_REDUCE_TILES:
    case KERNEL_COPY_TILES:
    case KERNEL_READ_SLICES:
    case KERNEL_WRITE_SLICES:
        return fmin(memory_bytes_per_s, measure_case->n_sms * sm_bytes_per_s);
    default:
        return memory_bytes_per_s;
    }
}

/* Returns the time of one launch: the maximum of memory time and compute
 * time. */
static double kernel_time_of_case_s(const MeasureCase *measure_case)
{
    Traffic traffic = traffic_of_case(measure_case);
    double moving_s = (double)(traffic.read_bytes + traffic.write_bytes) /
                      assumed_bytes_per_s(measure_case);

    return launch_s +
           fmax(moving_s, (double)traffic.flop /
                              assumed_flop_per_s(measure_case->kernel));
}

/* Returns the time to fill all buffers with random numbers and to check them
 * twice. */
static double case_preparation_time_s(const MeasureCase *measure_case,
                                      uint64_t l2_bytes)
{
    Traffic traffic = traffic_of_case(measure_case);
    double bytes = (double)(traffic.read_bytes + traffic.write_bytes);

    if (measure_case->kernel == KERNEL_LOOKUP)
        bytes = (double)measure_case->rows * measure_case->dim * sizeof(float);
    return (measure_case->m > 0 ? check_gemm_s : check_s) +
           (2 * bytes + 4 * (double)l2_bytes) / fill_bytes_per_s +
           4 * kernel_time_of_case_s(measure_case);
}

/* Returns the duration of the untimed launches of @measure_case. */
static double warm_up_time_s(const MeasureCase *measure_case)
{
    return measure_case->m > 0 || measure_case->n_fma >= 64 ? hot_warm_up_s
                                                            : warm_up_s;
}

/* A copy with few bytes in flight is slower by the factor 4096 / few, up to 8.
 * Each timed launch is preceded by a short one, which takes at most 1 ms. */
static double time_of_case_alone_s(const PlanEntry *entry,
                                   const PlanRequest *request)
{
    double kernel_s = kernel_time_of_case_s(&entry->work);
    uint32_t few = entry->work.n_loads * entry->work.n_threads;

    if (entry->work.kernel == KERNEL_COPY && few < 4096)
        kernel_s *= fmin(8, 4096.0 / few);
    return case_preparation_time_s(&entry->work, request->limits.l2_bytes) +
           fmax(warm_up_time_s(&entry->work), 3 * kernel_s) +
           request->repetitions *
               (overhead_s + fmax(timed_s, kernel_s) + fmin(kernel_s, 1e-3));
}

/* Returns the length of all windows of a repetition, in windows with the kernel
 * alone.  There are three: the kernel alone, the partner alone (not if it is
 * idle), and both, which take up to twice as long.  Copies of the copy engine
 * are enqueued for twice the time of their windows. */
static double n_windows_of_repetition(const MeasureCase *partner)
{
    if (partner->kernel == KERNEL_IDLE)
        return 2.5;
    return kernel_is_copy_engine(partner->kernel) ? 5.5 : 4;
}

static double measured_time_of_pair_s(const PlanEntry *entry,
                                      const PlanRequest *request)
{
    bool is_engine = kernel_is_copy_engine(entry->partner.kernel);
    double least_us = is_engine ? PLAN_ENGINE_WINDOW_US : PLAN_WINDOW_US;
    double kernel_s = kernel_time_of_case_s(&entry->work);
    double window_s = fmax(1e-6 * least_us, kernel_s);

    return case_preparation_time_s(&entry->work, request->limits.l2_bytes) +
           check_s + warm_up_time_s(&entry->work) +
           request->repetitions *
               (4 * overhead_s +
                n_windows_of_repetition(&entry->partner) * window_s);
}

double plan_entry_time_s(const PlanEntry *entry, const PlanRequest *request)
{
    if (entry->work.seconds > 0)
        return case_preparation_time_s(&entry->work, request->limits.l2_bytes) +
               entry->work.seconds;
    return entry->partner.kernel == KERNEL_NONE
               ? time_of_case_alone_s(entry, request)
               : measured_time_of_pair_s(entry, request);
}
