/*
 * tune_endpoint.h - chooses the values of an endpoint that are `auto`, by
 * simulation
 *
 * The search minimises the iteration time of the given workload, platform and
 * settings: first over the steps of the endpoint's ladder (endpoint.h), then
 * over parts of the best step, unless they can gain nothing.  All runs are made
 * in this process, one after the other.
 *
 * If the stack defines how many SMs its kernels hold, the search begins at that
 * step and tries no more SMs.  A system is built to ask for it, but not run.
 *
 * Range    Within TUNE_TOLERANCE of the best step if the time falls and then
 *          rises along the ladder (convex_descent.h).  If one step less costs
 *          no more than that, parts of a step are not tried; this has cost at
 *          most 0.15 % (docs/sensitivity.md).  If the latency of steps and of
 *          reads by SMs are equal, the time of an all-reduce alone can have a
 *          second minimum; 0.7 % was missed in such a case.
 * Order    deterministic: the same configuration gets the same values
 * Errors   those of system_new() and system_run() for the first values
 * Owner    the caller owns the TuneResult, which borrows the configuration
 */
#ifndef SIM_STUDY_TUNE_ENDPOINT_H
#define SIM_STUDY_TUNE_ENDPOINT_H

#include "models/run/run.h"

#define TUNE_TOLERANCE 0.001

/* The endpoint's values that were tried in one run, and the resulting time. */
typedef struct {
    guint step, part;
    SystemConfig *config; /* owned, with the endpoint's .params */
    SimTime iteration_ps; /* 0: the models refused the values */
} TuneTrial;

typedef struct {
    const SystemConfig *config; /* with the chosen values; owned by a trial */
    System *system;             /* owned: has run with .config */
    GArray *trials; /* owned: of TuneTrial, in the order of the search */
    guint best;     /* index of the best trial */
} TuneResult;

/* Returns TRUE if a value is `auto` that must be chosen before a run. */
gboolean endpoint_tuning_is_needed(const SystemConfig *config);

/* Chooses the values, or returns NULL and sets @error.  One thread runs
 * each trial. */
G_GNUC_WARN_UNUSED_RESULT
TuneResult *tune_endpoint(const SystemConfig *config, RunOptions run_options,
                          GError **error);
/* Does the same, with @watch in every run.  If it ends one, *@error is
 * SYSTEM_ERROR_ENDED. */
G_GNUC_WARN_UNUSED_RESULT
TuneResult *tune_endpoint_watched(const SystemConfig *config,
                                  RunOptions run_options, RunWatch watch,
                                  GError **error);
void tuned_endpoint_free(TuneResult *tuned);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TuneResult, tuned_endpoint_free)

/* Returns whether a system can be built from @config, without a run.  Values
 * that are `auto` get those that are tried first.  Adds warnings to @notes as
 * system_check_buildable() does. */
G_GNUC_WARN_UNUSED_RESULT
gboolean check_tuned_endpoint_is_buildable(const SystemConfig *config,
                                           RunOptions run_options,
                                           GPtrArray *notes, GError **error);

/* Returns the chosen values as --set takes them, such as "endpoint.sms=3";
 * NULL-terminated, owned by the caller. */
char **list_tuned_endpoint_settings(const TuneResult *tuned);

/* Returns the chosen values of @endpoint as "sms 3, memory_bandwidth 240 GB/s",
 * or "" if none was chosen.  The caller owns the text. */
char *tune_values_text(const ConfigVariant *endpoint);

#endif
