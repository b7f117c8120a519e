/*
 * tune.h - what is `auto` of an endpoint, chosen by simulation
 *
 * The values with the least iteration time for this workload, platform and
 * settings: first the step of the endpoint's ladder (endpoint.h), then, where
 * that may gain anything, the part of it.  Nothing is printed, and all runs
 * are made in this process, one after the other.
 *
 * Where a stack says how many SMs its kernels hold, no other step is tried: a
 * system is built to ask it, and not run.
 *
 * Range    within TUNE_TOLERANCE of the least of all steps where time falls
 *          and then rises along the ladder, see descent.h; where a step less
 *          costs no more than that, parts of one are not looked at, which has
 *          cost 0.15 % at most (docs/sensitivity.md).  Where the latency of
 *          steps and of SMs' reads are alike, an all-reduce alone can fall
 *          again behind its least: 0.7 % was missed so
 * Order    deterministic: the same configuration gets the same values
 * Errors   as system_new() and system_run(), of the first values tried
 * Owner    the caller owns the Tuned, which borrows the configuration
 */
#ifndef SIM_STUDY_TUNE_H
#define SIM_STUDY_TUNE_H

#include "models/run/system.h"

#define TUNE_TOLERANCE 0.001

/* Values that were tried. */
typedef struct {
    guint step, part;
    SystemConfig *config; /* owned, with it the endpoint's .params */
    SimTime iteration_ps; /* 0: they were refused */
} TuneTrial;

typedef struct {
    const SystemConfig *config; /* with what was chosen; that of a trial */
    System *system;             /* owned: which has run with it */
    GArray *trials; /* owned, of TuneTrial, in the order of the search */
    guint best;     /* of the trials */
} Tuned;

/* TRUE where something is `auto` that has to be chosen before a run. */
gboolean tune_is_needed(const SystemConfig *config);

/* @most as system_new_within() takes it. */
G_GNUC_WARN_UNUSED_RESULT
Tuned *tune_new(const SystemConfig *config, FoldMode fold, SystemSize most,
                GError **error);
void tune_free(Tuned *tuned);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tuned, tune_free)

/* Whether a system can be built of @config, nothing being run: what is `auto`
 * has the values that are tried first. */
G_GNUC_WARN_UNUSED_RESULT
gboolean tune_check(const SystemConfig *config, FoldMode fold, GError **error);

/* What was chosen, as --set takes it: "endpoint.sms=3".  Owner: the caller,
 * NULL-terminated. */
char **tune_sets(const Tuned *tuned);

/* "sms 3, memory_bandwidth 240 GB/s" for what may be `auto` of @endpoint; ""
 * where nothing was chosen for it.  Owner: the caller. */
char *tune_text(const ConfigVariant *endpoint);

#endif
