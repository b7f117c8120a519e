/*
 * result_invariants.h - invariants of the figures of any run
 *
 * The figures are those of the row of a run, see sim/study/rows/run_columns.c.
 */
#ifndef TESTS_RESULT_INVARIANTS_H
#define TESTS_RESULT_INVARIANTS_H

#include "sim/study/utilisation_summary.h"

/* Upper limit of a share, with a margin for rounding. */
#define POSSIBLE_MAX_SHARE (1 + 1e-6)

/* Returns a text that says which invariant the figures of @system violate, or
 * NULL if there is none.  @system must have run.  @exposes: only collectives
 * hold up the main stream, so exposed time cannot exceed the time in which they
 * are active. */
static inline const char *impossible_result_reason(const SystemConfig *config,
                                                   const System *system,
                                                   gboolean exposes)
{
    SystemResult r = system_result(system);
    g_autoptr(GArray) resources = utilisation_summary(config, system);
    const char *fault = NULL;

    if (r.compute_ps + r.exposed_ps != r.iteration_ps)
        fault = "compute and exposed are not the iteration";
    if (r.total_ps > r.span_ps)
        fault = "the iterations end after all NPUs have";
    if (r.comm_ps * r.n_iterations > r.span_ps)
        fault = "collectives are under way for longer than the run took";
    if (exposes && r.exposed_ps > r.comm_ps + r.n_iterations)
        fault = "more is exposed than collectives were under way";
    if (r.beside_ps > r.comm_ps || r.window_ps > r.comm_ps)
        fault = "a part of what was under way is more than all of it";
    if (r.beside_ps > r.compute_ps && config->training.drain)
        fault = "a part of what was computed is more than all of it";
    if ((double)r.net_bytes_per_s >
        (double)r.net_cap_bytes_per_s * POSSIBLE_MAX_SHARE + 1)
        fault = "NPUs send more than links let through";
    if (utilisation_max_share(config, system) > POSSIBLE_MAX_SHARE)
        fault = "busiest_share is more than 1";
    for (guint i = 0; i < resources->len; i++)
        if (g_array_index(resources, ResourceUtilisation, i).share >
            POSSIBLE_MAX_SHARE)
            fault = "something was busy for longer than the run took";
    return fault;
}

#endif
