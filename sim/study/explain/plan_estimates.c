/*
 * plan_estimates.c - estimates the times of what-ifs that are other plans; see
 * plan_estimates.h
 */
#include "sim/study/explain/plan_estimates.h"

#include "sim/study/explain/minor_factors.h"
#include "sim/study/load_run_file.h"
#include "sim/study/optimise/plan_samples.h"
#include "sim/study/timed_run.h"
#include "workloads/workload.h"

typedef struct {
    const WhatIfSource *source;
    const PlanOps *ops;
    PlanLimits limits;
    TrialMaker maker;
    PlanSamples *samples; /* owned */
    WorkloadPlan of_run;
    WorkloadPlan *plans; /* owned: by number of the what-if */
    gboolean *has_plan;  /* owned: by number of the what-if: .plans has one */
} PlanEstimates;

gboolean what_if_is_plan(const WhatIf *what_if)
{
    return what_if->row == PATH_N &&
           g_str_has_prefix(what_if->sets[0], "workload.");
}

static ConfigDoc *open_run_file_of_trials(gpointer self, GError **error)
{
    const PlanEstimates *estimates = self;

    return load_config_document(estimates->source->path, NULL, error);
}

static gboolean run_plan_samples(gpointer self, const RunMany *many,
                                 GError **error)
{
    const PlanEstimates *estimates = self;

    return estimates->source->run_many(many, error);
}

/* Writes the plan of @config to *@ret.  Returns FALSE if it is not valid. */
static gboolean read_plan_of_config(const PlanEstimates *estimates,
                                    const SystemConfig *config,
                                    WorkloadPlan *ret)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(WorkloadPlan));

    if (!estimates->ops->list(&config->workload, &config->training,
                              &estimates->limits, list))
        return FALSE;
    *ret = g_array_index(list, WorkloadPlan, 0);
    return TRUE;
}

static gboolean read_plan_of_what_if(const PlanEstimates *estimates,
                                     const WhatIf *what_if, WorkloadPlan *ret)
{
    const TimedRuns runs = { .sets = estimates->source->sets };
    g_autofree char **all = timed_run_join_settings(&runs, what_if->sets);
    SystemConfig config;
    g_autoptr(ConfigDoc) doc =
        load_run(estimates->source->path, all, &config, NULL);

    return doc && read_plan_of_config(estimates, &config, ret);
}

/* Returns the estimate of @plan, or 0 if there is none. */
static SimTime estimate_plan(const PlanEstimates *estimates,
                             const WorkloadPlan *plan)
{
    const SystemConfig *config = system_config(estimates->source->system);
    PlanTimes alone[PLAN_MAX_SAMPLES], simulated[PLAN_MAX_SAMPLES];

    if (!plan_samples_get(estimates->samples, plan, alone, simulated))
        return 0;
    return estimates->ops->step_ps(
        &config->workload, &config->training, &estimates->limits, plan,
        simulated,
        slowest_link_bytes_per_s(system_topology(estimates->source->system)));
}

static void request_plan_samples(PlanEstimates *estimates,
                                 const GArray *what_ifs)
{
    plan_samples_add(estimates->samples, &estimates->of_run);
    for (guint i = 0; i < what_ifs->len; i++) {
        const WhatIf *what_if = what_if_number_in_list(what_ifs, i);

        estimates->has_plan[i] =
            what_if_is_plan(what_if) &&
            read_plan_of_what_if(estimates, what_if, &estimates->plans[i]);
        if (estimates->has_plan[i])
            plan_samples_add(estimates->samples, &estimates->plans[i]);
    }
}

static void set_plan_estimates(const PlanEstimates *estimates, GArray *what_ifs)
{
    SimTime run_ps = system_result(estimates->source->system).iteration_ps;
    SimTime of_run_ps = estimate_plan(estimates, &estimates->of_run);

    for (guint i = 0; i < what_ifs->len && of_run_ps > 0; i++)
        if (estimates->has_plan[i])
            what_if_number_in_list(what_ifs, i)->estimate_ps =
                (SimTime)((double)run_ps *
                          (double)estimate_plan(estimates,
                                                &estimates->plans[i]) /
                          (double)of_run_ps);
}

gboolean estimate_plan_what_ifs(GArray *what_ifs, const WhatIfSource *source,
                                GError **error)
{
    const SystemConfig *config = system_config(source->system);
    const Topology *topology = system_topology(source->system);
    PlanEstimates e = {
        .source = source,
        .ops = ((const LoopOps *)config->workload.kind)->plans,
        .limits = { .n_npus = topology_n_npus(topology),
                    .most_tp = topology_dimension(topology, 0)->size,
                    .n_kept = (1U << PLAN_N_KEYS) - 1 },
        .maker = { .open = open_run_file_of_trials,
                   .sets = source->sets,
                   .run_options = source->run_options,
                   .run_many = run_plan_samples,
                   .id = "explain",
                   .self = &e },
    };
    gboolean ok;

    if (!e.ops || !read_plan_of_config(&e, config, &e.of_run))
        return TRUE;
    e.samples = plan_samples_new(&e.maker, &config->workload);
    e.plans = g_new0(WorkloadPlan, what_ifs->len);
    e.has_plan = g_new0(gboolean, what_ifs->len);
    request_plan_samples(&e, what_ifs);
    ok = plan_samples_run(e.samples, error);
    if (ok)
        set_plan_estimates(&e, what_ifs);
    plan_samples_free(e.samples);
    g_free(e.plans);
    g_free(e.has_plan);
    return ok;
}
