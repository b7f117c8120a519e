/*
 * plan_samples.h - the times of a few layers of each plan, by simulation
 *
 * A sample is a run of some of the model's layers, for one micro-batch and
 * without a pipeline (workloads/parallelism_plans.h).  Plans whose layers take
 * the same times share their samples.
 *
 * Each sample gives two sets of times:
 *
 *   alone      what the kernels take, each with its NPU to itself: no run is
 *              shorter.  The update is left out.
 *   simulated  the whole run.  What the iteration takes beyond kernels and the
 *              exchange of gradients is divided between the forward pass and
 *              the pass for the gradients of inputs as their collectives of tp
 *              are with `sequence`, 4 to 6.
 *
 * Units    ps
 * Order    deterministic
 * Errors   those of .run_many.  A sample that cannot be run has no times.
 * Owner    the caller owns the PlanSamples, which borrow the maker
 */
#ifndef SIM_STUDY_OPTIMISE_PLAN_SAMPLES_H
#define SIM_STUDY_OPTIMISE_PLAN_SAMPLES_H

#include "sim/study/optimise/candidate_run.h"
#include "workloads/parallelism_plans.h"

typedef struct PlanSamples PlanSamples;

PlanSamples *plan_samples_new(const TrialMaker *maker,
                              const ConfigVariant *workload);
void plan_samples_free(PlanSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlanSamples, plan_samples_free)

/* Requests the samples of @plan. */
void plan_samples_add(PlanSamples *samples, const WorkloadPlan *plan);

/* Runs what was requested.  Returns FALSE and sets @error if it was
 * interrupted. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plan_samples_run(PlanSamples *samples, GError **error);

/* Returns how many samples there are. */
guint plan_samples_count(const PlanSamples *samples);

/* Writes the times of the samples of @plan.  Returns FALSE if one has none. */
gboolean plan_samples_get(const PlanSamples *samples, const WorkloadPlan *plan,
                          PlanTimes ret_alone[PLAN_MAX_SAMPLES],
                          PlanTimes ret_simulated[PLAN_MAX_SAMPLES]);

/* Returns the payload rate of the slowest link of @topology. Estimates assume
 * this rate for messages between stages. */
uint64_t slowest_link_bytes_per_s(const Topology *topology);

/* Returns the lines of @text, "KEY=VALUE" with keys of the workload, as
 * settings of a run; the caller owns the text. */
char *plan_lines_as_settings(const char *text);

#endif
