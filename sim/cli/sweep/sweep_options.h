/*
 * sweep_options.h - the options of acesim sweep, and their evaluation
 *
 * Order    sweep_options_init(), parse the command line into it,
 *          sweep_options_evaluate()
 * Owner    the caller owns the options
 */
#ifndef SIM_CLI_SWEEP_SWEEP_OPTIONS_H
#define SIM_CLI_SWEEP_SWEEP_OPTIONS_H

#include "sim/cli/sweep/shared_sweep.h"

typedef struct {
    char **argv;                        /* borrowed */
    char **sets;                        /* owned */
    char *folder;                       /* owned */
    char *fold, *skip;                  /* owned */
    RunOptions run_options;             /* from .fold and .skip */
    char *point_timeout, *point_memory; /* owned */
    char *share;                        /* owned */
    gboolean is_shared;                 /* from .share */
    int n_share_checks;
    /* The limits for one point, evaluated from .point_timeout and
     * .point_memory. */
    guint64 timeout_us, memory_bytes;
    int n_jobs;
    gboolean dry_run, per_layer, per_link, per_job, utilisation;
    gboolean attribution, what_ifs; /* of all points; the second implies the
                                       first */
    gboolean fresh, quiet;
    SharedSweepOptions shared_sweep;
} SweepOptions;

SweepOptions sweep_options_init(char **argv);
void sweep_options_clear(SweepOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepOptions, sweep_options_clear)

/* Evaluates the texts after parsing.  Returns FALSE if the command ends with
 * *@status. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_options_evaluate(const CliCommand *command,
                                SweepOptions *options, int *status);

#endif
