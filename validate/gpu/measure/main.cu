/*
 * main.cu - acesim-measure: times kernels on the GPU of this machine
 *
 * This is the only file that prints.  Results are kept if the run ends early:
 * each row is flushed when it is measured, and the record says whether the
 * table is
 * complete. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <unistd.h>

#include "validate/gpu/host/machine_requirements.h"
#include "validate/gpu/kernels/cublas.cuh"
#include "validate/gpu/measure/describe_device.cuh"
#include "validate/gpu/measure/gpc_of_sms.cuh"
#include "validate/gpu/measure/launch_timing.cuh"
#include "validate/gpu/measure/measure_case.cuh"
#include "validate/gpu/measure/nvml_clocks.cuh"

enum { STATUS_DONE = 0, STATUS_PART = 1, STATUS_NOTHING = 2 };

/* Number of cases between two updates of the record. */
#define SAVE_EVERY 25

struct PlanFree {
    void operator()(Plan *plan) const
    {
        plan_free(plan);
    }
};
typedef std::unique_ptr<Plan, PlanFree> PlanHandle;

static int print_error(const char *text, int status)
{
    (void)fprintf(stderr, "acesim-measure: %s\n", text);
    return status;
}

static PlanHandle make_plan(const Options &options, PlanLimits limits)
{
    PlanRequest request = { limits,
                            options.is_quick,
                            options.families,
                            options.repetitions,
                            (double)options.budget_s / options.n_passes,
                            options.keys,
                            options.n_keys };

    return PlanHandle(plan_new(&request));
}

/* Returns a message if @plan lacks a case of --keys, or "". */
static std::string missing_cases_of_plan(const Options &options,
                                         const Plan &plan)
{
    if (options.n_keys > plan.n_entries)
        return "--keys: only " + std::to_string(plan.n_entries) + " of " +
               std::to_string(options.n_keys) +
               " keys are cases of this GPU, of these families and of the "
               "budget; --list shows the keys";
    return "";
}

static void print_left_out_cases(FILE *file, const Plan &plan)
{
    if (plan.n_left_out > 0)
        (void)fprintf(file,
                      "%zu cases are left out, because by the estimate they do "
                      "not fit into %.0f s\n",
                      plan.n_left_out, plan_budget_s(&plan));
}

/* ---- listing of planned cases (--list) ----------------------------------- */

static int list_planned_cases(const Options &options)
{
    PlanHandle plan = make_plan(options, PLAN_LIMITS_H200);
    char label[TABLE_IDENTITY_SIZE];

    if (!plan)
        return print_error("out of memory", STATUS_PART);
    if (std::string missing = missing_cases_of_plan(options, *plan);
        !missing.empty())
        return print_error(missing.c_str(), STATUS_NOTHING);
    for (size_t i = 0; i < plan->n_entries; i++) {
        const PlanEntry &entry = plan->entries[i];

        table_label_of_case(&entry.work, label, sizeof label);
        (void)printf("%016llx %6.2f s  %s\n", (unsigned long long)entry.key,
                     entry.estimate_s, label);
    }
    print_left_out_cases(stdout, *plan);
    (void)printf("%zu cases, %zu rows; on an H200 about %.0f s a pass, at "
                 "most %.0f s\n",
                 plan->n_entries, plan->n_rows, plan->estimate_s,
                 plan_budget_s(plan.get()));
    return fflush(stdout) == 0 ? STATUS_DONE : STATUS_PART;
}

/* ---- measurement of all planned cases ------------------------------------ */

static void note_failed_entry(Run &run, const PlanEntry &entry, const char *why)
{
    char label[TABLE_IDENTITY_SIZE];

    table_label_of_case(&entry.work, label, sizeof label);
    record_add_note(&run.record.failed, label, why);
    progress_print_message(&run.progress, label, why);
}

/* Checks after a failure whether the GPU still works.  Waits for a partner that
 * is still running; it stops by itself within two seconds. */
static bool gpu_still_answers(Run &run)
{
    try {
        run.gpu.sync();
        CHECKED(cudaDeviceSynchronize());
        return true;
    } catch (const Failure &failure) {
        progress_print_message(
            &run.progress, "the GPU does not answer any more", failure.what());
        return false;
    }
}

/* Measures @entry and notes a failure.  Returns false if the run cannot
 * continue. */
static bool try_to_measure_entry(Run &run, const PlanEntry &entry,
                                 uint32_t pass)
{
    try {
        measure_entry(run, entry, pass);
    } catch (const Skip &skip) {
        char label[TABLE_IDENTITY_SIZE];

        table_label_of_case(&entry.work, label, sizeof label);
        record_add_note(&run.record.skipped, label, skip.what());
        return gpu_still_answers(run);
    } catch (const Failure &failure) {
        note_failed_entry(run, entry, failure.what());
        return gpu_still_answers(run);
    } catch (const std::exception &other) {
        progress_print_message(&run.progress, "stopped", other.what());
        return false;
    }
    return true;
}

static void record_clocks_at(Run &run, ClockPlace place)
{
    try {
        run.record.clocks[place] = read_clocks(run.gpu, run.nvml);
    } catch (const Failure &failure) {
        progress_print_message(&run.progress, "clocks", failure.what());
    }
}

/* Runs after all measurements, which it must not disturb. */
static void record_gpcs(Run &run)
{
    try {
        run.record.gpcs = find_gpc_of_sms(run.gpu);
    } catch (const std::runtime_error &failure) {
        progress_print_message(&run.progress, "GPCs", failure.what());
    }
}

static bool has_time_for_entry(Run &run, const PlanEntry &entry)
{
    double budget_s = plan_budget_s(&run.plan) * run.options.n_passes;

    if (run.options.wants_check ||
        run_elapsed_s(run) + entry.estimate_s <= budget_s)
        return true;
    progress_print_message(&run.progress, "stopped",
                           "the time of the run is used up");
    return false;
}

/* Overwrites the record.  A run that is killed leaves the latest version
 * behind. */
static void save_run_record(Run &run)
{
    FILE *json = run.output.json;

    if (!json)
        return;
    run.record.duration_s = run_elapsed_s(run);
    rewind(json);
    record_write_json(json, &run.record);
    if (fflush(json) != 0 || ftruncate(fileno(json), ftell(json)) != 0)
        progress_print_message(&run.progress, run.output.json_tmp,
                               "cannot be written");
}

/* Saves the essential results, which no other measurement replaces.  From now
 * on they survive a crash of the machine. */
static void save_essential_results(Run &run)
{
    if (run.options.wants_check)
        return;
    save_run_record(run);
    if (!output_sync(&run.output))
        throw std::runtime_error(run.output.error);
    progress_print_message(&run.progress, run.output.csv_tmp,
                           "has bandwidth by number of SMs; look at it");
}

/* Returns true if all entries were tried in all passes. */
static bool measure_all(Run &run)
{
    size_t n = run.plan.n_entries, n_all = n * run.options.n_passes;

    for (size_t i = 0; i < n_all; i++) {
        const PlanEntry &entry = run.plan.entries[i % n];

        progress_show_case(&run.progress, i, &entry.work, run_elapsed_s(run));
        if (interrupts_pending()) {
            progress_print_message(&run.progress, "stopped", "interrupted");
            return false;
        }
        if (!has_time_for_entry(run, entry) ||
            !try_to_measure_entry(run, entry, (uint32_t)(i / n)))
            return false;
        if (i == n_all / 2)
            record_clocks_at(run, CLOCK_MID);
        if (i % SAVE_EVERY == 0)
            save_run_record(run);
        if (i + 1 == run.plan.n_essential)
            save_essential_results(run);
    }
    return true;
}

/* ---- warnings about missing libraries ------------------------------------ */

/* Warns that cuBLAS is missing.  On Hopper and newer GPUs, a run without
 * cuBLAS has little value, so the warning comes first and the user can stop
 * the run. */
static void warn_missing_cublas(const GpuContext &gpu)
{
    (void)fprintf(stderr, "acesim-measure: NO cuBLAS: %s\n",
                  gpu.cublas_missing.c_str());
    if (!gpu_needs_cublas_library(gpu.facts.major))
        return;
    (void)fprintf(
        stderr,
        "  Our own products use WMMA, which does not reach what the matrix "
        "units\n  of this GPU can do. Their rows are marked 'no-cublas': "
        "nothing may be\n  fitted to them. Better: ^C, then LD_LIBRARY_PATH="
        "<folder of libcublas.so.%d>,\n  or pip install nvidia-cublas in a "
        "virtual environment, and again.\n",
        CUDART_VERSION / 1000);
}

/* Warns about NVML, without which the record contains null values. */
static void warn_missing_nvml(Run &run)
{
    if (run.record.driver[0] == '\0')
        progress_print_message(
            &run.progress, "clocks",
            "the driver's management library does not answer");
}

/* ---- measurement run and its exit status --------------------------------- */

static int finish_check_run(const Run &run, bool all)
{
    const Record &record = run.record;

    (void)fprintf(stderr,
                  "checked in %.0f s: of %zu cases %zu failed, %zu skipped%s\n",
                  record.duration_s, run.plan.n_entries * record.n_passes,
                  record.failed.n, record.skipped.n,
                  record.is_complete ? "" : ", incomplete");
    return all ? STATUS_DONE : STATUS_PART;
}

static int finish_measurement(Run &run)
{
    const Record &record = run.record;
    bool all = record.is_complete && record.failed.n == 0;

    progress_finish(&run.progress);
    if (run.options.wants_check)
        return finish_check_run(run, all);
    save_run_record(run);
    if (!output_close(&run.output))
        return print_error(run.output.error, STATUS_PART);
    (void)fprintf(
        stderr, "%s: %zu rows in %.0f s, %zu cases failed, %zu skipped%s\n",
        run.output.csv_path, record.n_rows, record.duration_s, record.failed.n,
        record.skipped.n, record.is_complete ? "" : ", incomplete");
    return all ? STATUS_DONE : STATUS_PART;
}

static int measure_plan(const Options &options, GpuContext &gpu,
                        const std::string &command, double began_s)
{
    PlanHandle plan =
        make_plan(options, { gpu.facts.n_sms, gpu.facts.l2_bytes });
    std::unique_ptr<Record> record(new Record());
    std::unique_ptr<Output> output(new Output());
    Nvml nvml(gpu.facts.bus_id);
    bool is_whole =
        !options.is_quick && !options.some_families && options.n_keys == 0;

    if (!plan)
        return print_error("out of memory", STATUS_PART);
    if (std::string missing = missing_cases_of_plan(options, *plan);
        !missing.empty())
        return print_error(missing.c_str(), STATUS_NOTHING);
    print_left_out_cases(stderr, *plan);
    record->n_left_out = plan->n_left_out;
    gpu.allocate_memory();
    gpu.cublas = Cublas::load(gpu, gpu.cublas_missing);
    if (!gpu.cublas)
        warn_missing_cublas(gpu);
    describe_device(gpu, nvml, record.get());
    describe_run(options, command, record.get());
    if (!options.wants_check &&
        (!output_choose_paths(output.get(), options.output,
                              gpu.facts.name.c_str(), is_whole) ||
         !output_open(output.get())))
        return print_error(output->error, STATUS_PART);

    Run run = { options,
                gpu,
                nvml,
                *plan,
                *output,
                *record,
                progress_start(stderr, plan->n_entries * options.n_passes,
                               plan->estimate_s * options.n_passes),
                began_s };

    warn_missing_nvml(run);
    if (!options.wants_check)
        wake_gpu(gpu);
    record_clocks_at(run, CLOCK_BEFORE);
    record->is_complete = measure_all(run);
    record_clocks_at(run, CLOCK_AFTER);
    if (!options.wants_check)
        record_gpcs(run);
    record->duration_s = run_elapsed_s(run);
    return finish_measurement(run);
}

/* Returns why this GPU is not supported, or NULL.  The kernels are compiled for
 * compute capability 7.5 and newer. */
static const char *unsupported_gpu_reason(const GpuContext &gpu)
{
    if (gpu.facts.major * 10 + gpu.facts.minor < 75)
        return "the GPU's compute capability is below 7.5";
    return nullptr;
}

/* Reports in one line that there is no GPU, with advice if the driver is too
 * old. */
static int print_no_gpu_message(const Failure &failure)
{
    char advice[NEEDS_TEXT_SIZE];
    int driver = 0;

    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        driver = 0;
    write_driver_advice(CUDART_VERSION, driver, advice);
    return print_error((std::string("no GPU: ") + failure.what() +
                        (advice[0] ? "; " : "") + advice)
                           .c_str(),
                       STATUS_NOTHING);
}

int main(int argc, char **argv)
{
    double began_s = progress_now_s();
    Options options;

    if (!options_parse(argc, argv, &options))
        return print_error(options.error, STATUS_NOTHING);
    if (options.wants_help) {
        (void)fputs(options_help, stdout);
        return fflush(stdout) == 0 ? STATUS_DONE : STATUS_PART;
    }
    if (options.wants_list)
        return list_planned_cases(options);
    interrupts_block();
    std::unique_ptr<GpuContext> gpu;
    try {
        gpu.reset(new GpuContext());
    } catch (const Failure &failure) {
        return print_no_gpu_message(failure);
    }
    if (const char *why = unsupported_gpu_reason(*gpu))
        return print_error(why, STATUS_NOTHING);
    try {
        return measure_plan(options, *gpu, command_line(argc, argv), began_s);
    } catch (const std::exception &failure) {
        return print_error(failure.what(), STATUS_PART);
    }
}
