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
 * because invariance_neutral_config() does not remove it.
 *
 * The events of two runs may be the same and a reported value may differ: the
 * same number of SMs is a smaller part of more SMs.
 * invariance_has_same_results() requires that all reported values are the same,
 * which the rows of a sweep need. invariance_has_same_time() requires only the
 * same time.
 *
 * Errors   none: a configuration that is covered fails only if the run failed
 * Owner    the caller owns the Invariance, which does not refer to the run
 * Cost     some hundred operations for each query, 1 to 2 KB.  If cuts are
 *          chosen or the window differs, and all else is equal, a system is
 *          built for each configuration, once.
 */
#ifndef MODELS_RUN_REPORT_CONFIGS_WITH_SAME_RESULTS_H
#define MODELS_RUN_REPORT_CONFIGS_WITH_SAME_RESULTS_H

#include "models/run/system.h"

typedef struct Invariance Invariance;

/* Records the decisions of @system, after system_run(). */
Invariance *invariance_new(const System *system);
void invariance_free(Invariance *invariance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Invariance, invariance_free)

/* Returns the bytes of memory that @invariance uses. */
gsize invariance_bytes(const Invariance *invariance);

/* Returns @config without the values that invariance_has_same_results() judges,
 * so that two can be compared by config_append_values().  *@ret_params are its
 * endpoint parameters, which the caller frees afterwards. */
SystemConfig invariance_neutral_config(const SystemConfig *config,
                                       gpointer *ret_params);

/* Returns @config without the values that invariance_has_same_time() judges.
 * The arguments are those of invariance_neutral_config(). */
SystemConfig invariance_neutral_config_for_time(const SystemConfig *config,
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
} InvariancePlan;

void invariance_plan_clear(InvariancePlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InvariancePlan, invariance_plan_clear)

/* Returns whether the run and all its reported values would have been the same
 * with @config. Both configurations must be equal after
 * invariance_neutral_config().
 * @plan belongs to @config. */
gboolean invariance_has_same_results(const Invariance *invariance,
                                     const SystemConfig *config,
                                     InvariancePlan *plan);

/* Returns whether the run @ran would have taken as long with @config, event
 * for event.  Both configurations must be equal after
 * invariance_neutral_config_for_time(). */
gboolean invariance_has_same_time(const Invariance *invariance,
                                  const System *ran, const SystemConfig *config,
                                  InvariancePlan *plan);

/* Sets @ret to the capacities of the endpoint's own resources under @config.
 * Returns FALSE if its kind does not state them. */
gboolean invariance_list_capacities(const SystemConfig *config, uint64_t *ret);

#endif
