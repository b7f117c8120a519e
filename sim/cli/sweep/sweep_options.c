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
                                      SweepOptions *o, int *status)
{
    guint64 timeout_ps = 0;

    o->memory_bytes = machine_memory_bytes();
    if (!options_parse_quantity(command, "--point-timeout", o->point_timeout,
                                CONFIG_TIME, &timeout_ps, status) ||
        !options_parse_quantity(command, "--point-memory", o->point_memory,
                                CONFIG_BYTES, &o->memory_bytes, status))
        return FALSE;
    o->timeout_us = timeout_ps / PS_PER_US;
    if (o->point_timeout && o->timeout_us == 0)
        *status = cli_report_usage_error(
            command, "--point-timeout: expected 1 us or more");
    else if (o->memory_bytes == 0)
        *status = cli_report_usage_error(
            command, "--point-memory: expected 1 B or more");
    else
        return TRUE;
    return FALSE;
}

static gboolean evaluate_share_option(const CliCommand *command,
                                      SweepOptions *o, int *status)
{
    const char *text = o->share ? o->share : "auto";

    o->is_shared = g_str_equal(text, "auto");
    if (!o->is_shared && !g_str_equal(text, "off"))
        *status = cli_report_usage_error(
            command, "--share: expected auto or off, got '%s'", text);
    else if (o->n_share_checks < 0)
        *status = cli_report_usage_error(command,
                                         "--share-check: expected 0 or more");
    else
        return TRUE;
    return FALSE;
}

static gboolean evaluate_jobs_option(const CliCommand *command, SweepOptions *o,
                                     int *status)
{
    if (o->n_jobs == ALL_PROCESSORS)
        o->n_jobs =
            (int)MIN(shared_sweep_default_jobs(&o->shared_sweep), MAX_JOBS);
    if (o->n_jobs < 1 || o->n_jobs > MAX_JOBS)
        *status = cli_report_usage_error(
            command, "--jobs: expected 1 to %d, got %d", MAX_JOBS, o->n_jobs);
    else if (o->fresh && o->shared_sweep.shard)
        *status = cli_report_usage_error(
            command, "--fresh: not with --shard: take another DIR");
    else
        return TRUE;
    return FALSE;
}

gboolean sweep_options_evaluate(const CliCommand *command, SweepOptions *o,
                                int *status)
{
    return options_check_sets(command, o->sets, status) &&
           options_parse_fold(command, o->fold, &o->run_options.fold, status) &&
           options_parse_skip(command, o->skip, &o->run_options.skip, status) &&
           evaluate_point_limits(command, o, status) &&
           evaluate_share_option(command, o, status) &&
           shared_sweep_options_evaluate(command, &o->shared_sweep, status) &&
           evaluate_jobs_option(command, o, status);
}
