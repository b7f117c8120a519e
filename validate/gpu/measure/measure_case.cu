/* measure_case.cu - measures one case of a run and writes its rows */
#include "validate/gpu/measure/measure_case.cuh"

#include "validate/gpu/host/machine_requirements.h"
#include "validate/gpu/host/random_operands.h"
#include "validate/gpu/host/repetition_statistics.h"
#include "validate/gpu/host/sustained_run_summary.h"
#include "validate/gpu/kernels/partner_kernel.cuh"
#include "validate/gpu/measure/check_kernel_results.cuh"
#include "validate/gpu/measure/launch_timing.cuh"
#include "validate/gpu/measure/measure_overlap.cuh"
#include "validate/gpu/measure/sustained_run.cuh"

/* Time limit of a case in seconds: a minimum, plus a multiple of its
 * estimate. */
#define CAP_MIN_S  4.0
#define CAP_FACTOR 8.0

double run_elapsed_s(const Run &run)
{
    return progress_now_s() - run.began_s;
}

static void write_result_row(Run &run, const MeasureCase &c, uint64_t key,
                             MeasureResult result)
{
    result.caveat = measurement_caveat_of_kernel(c.kernel, run.gpu.facts.major,
                                                 (bool)run.gpu.cublas);
    if (!table_write_row(run.output.csv, &c, key, &result))
        throw std::runtime_error(std::string(run.output.csv_tmp) +
                                 ": cannot be written");
    run.record.n_rows++;
}

static void measure_case_alone(Run &run, const PlanEntry &entry, uint64_t seed,
                               double cap_s)
{
    std::unique_ptr<Work> work = make_checked_work(run.gpu, entry.work, seed);
    Times times = time_work(run.gpu, *work, run.options.repetitions, cap_s);
    Summary summary = summary_of_samples(times.us.data(), times.us.size());
    MeasureResult result = {};

    result.median_us = summary.median;
    result.p10_us = summary.p10;
    result.p90_us = summary.p90;
    result.repetitions = times.us.size();
    result.batch_launches = times.batch_launches;
    result.rotated_bytes = work->rotated_bytes;
    result.sm_mhz = measure_sm_clock_mhz(run.gpu, CLOCK_US);
    add_device_state(run.nvml, &result);
    result.sms = work->sms();
    write_result_row(run, entry.work, entry.key, result);
}

static void measure_long_case(Run &run, const PlanEntry &entry, uint64_t seed)
{
    std::unique_ptr<Work> work = make_checked_work(run.gpu, entry.work, seed);
    Sustained sum = {};
    char line[TABLE_IDENTITY_SIZE];

    table_label_of_case(&entry.work, sum.what, sizeof sum.what);
    sum.limit_w = run.nvml.limit_w();
    run_sustained_kernel(run.gpu, run.nvml, *work, entry.work.seconds,
                         [&](const MeasureResult &row) {
                             sustain_add_row(&sum, &row);
                             write_result_row(run, entry.work, entry.key, row);
                         });
    sustain_describe(&sum, line, sizeof line);
    progress_print_message(&run.progress, sum.what, line);
    if (run.record.n_sustained < RECORD_SUSTAINED)
        run.record.sustained[run.record.n_sustained++] = sum;
}

static void measure_case_with_partner(Run &run, PlanEntry entry, uint32_t pass,
                                      uint64_t seed, double cap_s)
{
    OverlapResult result;

    /* The number of the experiment is unique in the file, across all passes. */
    entry.work.pair += pass * run.plan.n_pairs;
    entry.partner.pair = entry.work.pair;
    result =
        measure_overlap(run.gpu, entry, run.options.repetitions, seed, cap_s);
    add_device_state(run.nvml, &result.work);
    add_device_state(run.nvml, &result.partner);
    write_result_row(run, entry.work, entry.key, result.work);
    if (result.partner.repetitions > 0)
        write_result_row(run, entry.partner, entry.key, result.partner);
}

static void check_entry_results(Run &run, const PlanEntry &entry, uint64_t seed)
{
    check_reduced_case(run.gpu, entry.work, seed);
    if (entry.partner.kernel != KERNEL_NONE)
        make_partner(run.gpu, entry.partner, seed)->check();
}

void measure_entry(Run &run, const PlanEntry &entry, uint32_t pass)
{
    /* The operands differ in each case and pass. */
    uint64_t seed = random_hash_at_index(run.options.seed + pass, entry.key);
    double cap_s = CAP_MIN_S + CAP_FACTOR * entry.estimate_s;

    if (run.options.wants_check)
        check_entry_results(run, entry, seed);
    else if (entry.work.seconds > 0)
        measure_long_case(run, entry, seed);
    else if (entry.partner.kernel == KERNEL_NONE)
        measure_case_alone(run, entry, seed, cap_s);
    else
        measure_case_with_partner(run, entry, pass, seed, cap_s);
}
