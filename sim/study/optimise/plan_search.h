/*
 * plan_search.h - finds the fastest plans of a language model, by bounds and
 * simulation
 *
 * Steps
 *   1    The loop lists the valid plans (workloads/parallelism_plans.h).  Those
 * that need more memory than an NPU has are left out, and those that recompute
 *        what fits without.
 *   2    Samples time the layers (plan_samples.h).  Two replays of each plan's
 *        pipeline schedule give a lower bound, from kernels alone, and an
 *        estimate, from simulated layers.
 *   3    Plans are simulated as whole runs in the order of their estimates, and
 *        the plan of the file first.  A run is cut off as soon as it must take
 *        longer than the PLAN_N_BEST fastest so far (run_cut_off.h).
 *   4    The search ends when all remaining plans are out: their bounds exceed
 *        the slowest of the best, or their estimates do even if they are as
 *        much too high as the worst estimate so far, or as many runs were made
 *        as allowed.  Of each number of stages at least one plan is simulated
 *        or out by its bound, since plans with as many stages have estimates
 *        of similar error.
 *
 * A plan that is left out by its bound is slower for certain; one that is left
 * out by its estimate, only probably.
 *
 * Units    ps, bytes
 * Order    deterministic: however many runs are made in parallel
 * Errors   CONFIG_ERROR_CONFLICT if no plan fits the memory, with the nearest;
 *          those of the file
 * Owner    the caller owns the result, which borrows the task
 */
#ifndef SIM_STUDY_OPTIMISE_PLAN_SEARCH_H
#define SIM_STUDY_OPTIMISE_PLAN_SEARCH_H

#include "sim/study/optimise/simulated_candidates.h"
#include "workloads/parallelism_plans.h"

#define PLAN_N_BEST 10

typedef struct {
    TrialMaker maker; /* .memory_bytes: 0: that of the NPU; .work and .n_hops
                       * are ignored */
    gboolean is_exhaustive; /* every plan that fits is run as a whole */
    guint n_kept;           /* bit k: key k keeps the file's value */
    guint n_evaluations;    /* maximum number of runs of whole plans */
} PlanTask;

typedef struct {
    WorkloadPlan plan;
    char *sets;    /* owned: lines of "KEY=VALUE", as settings of a run */
    char *summary; /* owned: the same in a few words */
    SimTime bound_ps, estimate_ps;
    const Trial *trial; /* borrowed; NULL: it was not simulated */
} RatedPlan;

typedef struct {
    const PlanTask *task;
    TrialMaker maker;      /* a copy of the task's */
    guint n_valid, n_fit;  /* numbers of plans that are valid, and that fit */
    guint n_needless;      /* plans that recompute what another keeps */
    guint n_samples;       /* runs of step 2 */
    uint64_t memory_bytes; /* that a rank may need; 0: not known */
    /* Owned, of owned RatedPlan: the plans that fit and are not needless, the
     * fastest by estimate first. */
    GPtrArray *plans;
    const RatedPlan *of_file; /* borrowed; NULL: it is not valid or does not
                               * fit */
    GPtrArray *best;  /* owned: of borrowed RatedPlan, the fastest first */
    guint n_by_bound; /* plans that are left out by their bounds */
    guint n_by_estimate;
    guint n_by_limit;    /* plans that are left out by .n_evaluations */
    Trials trials;       /* owned */
    GError *interrupted; /* owned: why the search ended early, or NULL */
} PlanSearch;

/* Returns whether the workload of the file has plans. */
gboolean plan_search_supports_workload(const SystemConfig *config);

G_GNUC_WARN_UNUSED_RESULT
PlanSearch *plan_search_run(const PlanTask *task, GError **error);
void plan_search_free(PlanSearch *search);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlanSearch, plan_search_free)

/* Returns CSV with its header, a row for each plan that fits, by estimate.  The
 * caller owns it. */
GString *plan_search_to_csv(const PlanSearch *search);

#endif
