/*
 * sweep_options.c - the options of acesim sweep, and their evaluation; see
 * sweep_options.h
 */
#include "sim/cli/sweep/sweep_options.h"

#include <limits.h>

#include "sim/host/machine_memory.h"

#define MAX_JOBS       1000
#define ALL_PROCESSORS INT_MIN
#define PS_PER_US      UINT64_C(1000000)
/* The default number of shared points that are simulated as a check
 * (--share-check).  A few checks cost little. */
#define N_SHARE_CHECKS 3

SweepOptions sweep_options_init(char **argv)
{
    return (SweepOptions){ .argv = argv,
                           .n_jobs = ALL_PROCESSORS,
                           .n_share_checks = N_SHARE_CHECKS };
}

void sweep_options_clear(SweepOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->folder);
    g_free(options->fold);
    g_free(options->skip);
    g_free(options->point_timeout);
    g_free(options->point_memory);
    g_free(options->share);
    shared_sweep_options_clear(&options->shared_sweep);
}

static gboolean evaluate_point_limits(const CliCommand *command,
                                      SweepOptions *options, int *status)
{
    guint64 timeout_ps = 0;

    options->memory_bytes = machine_memory_bytes();
    if (!options_parse_quantity(command, "--point-timeout",
                                options->point_timeout, CONFIG_TIME,
                                &timeout_ps, status) ||
        !options_parse_quantity(command, "--point-memory",
                                options->point_memory, CONFIG_BYTES,
                                &options->memory_bytes, status))
        return FALSE;
    options->timeout_us = timeout_ps / PS_PER_US;
    if (options->point_timeout && options->timeout_us == 0)
        *status = cli_report_usage_error(
            command, "--point-timeout: expected 1 us or more");
    else if (options->memory_bytes == 0)
        *status = cli_report_usage_error(
            command, "--point-memory: expected 1 B or more");
    else
        return TRUE;
    return FALSE;
}

static gboolean evaluate_share_option(const CliCommand *command,
                                      SweepOptions *options, int *status)
{
    const char *text = options->share ? options->share : "auto";

    options->is_shared = g_str_equal(text, "auto");
    if (!options->is_shared && !g_str_equal(text, "off"))
        *status = cli_report_usage_error(
            command, "--share: expected auto or off, got '%s'", text);
    else if (options->n_share_checks < 0)
        *status = cli_report_usage_error(command,
                                         "--share-check: expected 0 or more");
    else
        return TRUE;
    return FALSE;
}

static gboolean evaluate_jobs_option(const CliCommand *command,
                                     SweepOptions *options, int *status)
{
    if (options->n_jobs == ALL_PROCESSORS)
        options->n_jobs = (int)MIN(
            shared_sweep_default_jobs(&options->shared_sweep), MAX_JOBS);
    if (options->n_jobs < 1 || options->n_jobs > MAX_JOBS)
        *status =
            cli_report_usage_error(command, "--jobs: expected 1 to %d, got %d",
                                   MAX_JOBS, options->n_jobs);
    else if (options->fresh && options->shared_sweep.shard)
        *status = cli_report_usage_error(
            command, "--fresh: not with --shard: take another DIR");
    else
        return TRUE;
    return FALSE;
}

gboolean sweep_options_evaluate(const CliCommand *command,
                                SweepOptions *options, int *status)
{
    return options_check_sets(command, options->sets, status) &&
           options_parse_fold(command, options->fold,
                              &options->run_options.fold, status) &&
           options_parse_skip(command, options->skip,
                              &options->run_options.skip, status) &&
           evaluate_point_limits(command, options, status) &&
           evaluate_share_option(command, options, status) &&
           shared_sweep_options_evaluate(command, &options->shared_sweep,
                                         status) &&
           evaluate_jobs_option(command, options, status);
}
