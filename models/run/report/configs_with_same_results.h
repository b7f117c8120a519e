/*
 * configs_with_same_results.h - decides for which other configurations a
 * finished run would have been the same, event for event
 *
 * A run does not read some values of its configuration at all.  Others it only
 * compares: is there room, is a slot free, do the shares of the HBM fit, is the
 * window full.  The module that owns such a value decides whether another value
 * leads to the same run, and documents why that is exact:
 * npu_fields_that_affect_results.h, endpoints/endpoints_with_same_results.h,
 * and report/configs_with_same_results.c for collectives.  All other values
 * have to be equal.  A new value is therefore safe without changes here,
 * because result_invariance_neutral_config() does not remove it.
 *
 * The events of two runs may be the same and a reported value may differ: the
 * same number of SMs is a smaller part of more SMs.
 * result_invariance_has_same_results() requires that all reported values are
 * the same, which the rows of a sweep need. result_invariance_has_same_time()
 * requires only the same time.
 *
 * Errors   none: a configuration that is covered fails only if the run failed
 * Owner    the caller owns the ResultInvariance, which does not refer to the
 * run Cost     some hundred operations for each query, 1 to 2 KB.  If cuts are
 *          chosen or the window differs, and all else is equal, a system is
 *          built for each configuration, once.
 */
#ifndef MODELS_RUN_REPORT_CONFIGS_WITH_SAME_RESULTS_H
#define MODELS_RUN_REPORT_CONFIGS_WITH_SAME_RESULTS_H

#include "models/run/system.h"

typedef struct ResultInvariance ResultInvariance;

/* Records the decisions of @system, after system_run(). */
ResultInvariance *result_invariance_new(const System *system);
void result_invariance_free(ResultInvariance *invariance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ResultInvariance, result_invariance_free)

/* Returns the bytes of memory that @invariance uses. */
gsize result_invariance_bytes(const ResultInvariance *invariance);

/* Returns @config without the values that result_invariance_has_same_results()
 * judges, so that two can be compared by config_append_values().  *@ret_params
 * are its endpoint parameters, which the caller frees afterwards. */
SystemConfig result_invariance_neutral_config(const SystemConfig *config,
                                              gpointer *ret_params);

/* Returns @config without the values that result_invariance_has_same_time()
 * judges. The arguments are those of result_invariance_neutral_config(). */
SystemConfig
result_invariance_neutral_config_for_time(const SystemConfig *config,
                                          gpointer *ret_params);

/* The options of a run, and the system planned for a configuration.  The caller
 * zeroes the private part, which is filled on demand. */
typedef struct {
    RunOptions run_options;
    /* .is_known: .planned is set; .is_whole: .planned has NPUs.  Both are
     * private. */
    gboolean is_known, is_whole;
    /* Owned; NULL although .is_known: the configuration cannot run. */
    System *planned;
} ResultInvariancePlan;

void result_invariance_plan_clear(ResultInvariancePlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ResultInvariancePlan,
                                 result_invariance_plan_clear)

/* Returns whether the run and all its reported values would have been the same
 * with @config. Both configurations must be equal after
 * result_invariance_neutral_config().
 * @plan belongs to @config. */
gboolean result_invariance_has_same_results(const ResultInvariance *invariance,
                                            const SystemConfig *config,
                                            ResultInvariancePlan *plan);

/* Returns whether the run @ran would have taken as long with @config, event
 * for event.  Both configurations must be equal after
 * result_invariance_neutral_config_for_time(). */
gboolean result_invariance_has_same_time(const ResultInvariance *invariance,
                                         const System *ran,
                                         const SystemConfig *config,
                                         ResultInvariancePlan *plan);

/* Sets @ret to the capacities of the endpoint's own resources under @config.
 * Returns FALSE if its kind does not state them. */
gboolean result_invariance_list_capacities(const SystemConfig *config,
                                           uint64_t *ret);

#endif
