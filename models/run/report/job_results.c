/* job_results.c - the results of each job of a run; see job_results.h */
#include "models/run/report/job_results.h"

#include "models/run/training_impl.h"
#include "workloads/jobs/jobs.h"

guint system_n_jobs(const System *system)
{
    return MAX(system->plan.graph->jobs->len, 1);
}

/* Returns whether @role trains for @job, or for the only workload if @job is
 * NULL.  All roles train but servers. */
static gboolean job_trains_on_role(const System *system, const OpJob *job,
                                   uint32_t role)
{
    return !op_graph_role(system->plan.graph, role)->serves &&
           (!job || role_set_has(job->roles, role));
}

static uint32_t count_training_npus(const System *system, const OpJob *job)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < system->plan.placement.n_npus; i++)
        if (job_trains_on_role(system, job,
                               coll_placement_role(&system->plan.placement, i)))
            n++;
    return n;
}

static gboolean job_roles_have_kernels(const System *system, const OpJob *job)
{
    for (uint32_t r = 0; r < system->plan.graph->roles->len; r++)
        if (job_trains_on_role(system, job, r) &&
            system->plan.role_ops[r].by_stream[OP_STREAM_MAIN]->len > 0)
            return TRUE;
    return FALSE;
}

typedef struct {
    uint64_t n;
    SimWide busy_ps, comm_ps, sent_bytes;
    SimTime end_ps;
} JobSums;

static JobSums sum_results_over_job(const System *system, const OpJob *job)
{
    gboolean until_computed = !system->plan.config->training.drain &&
                              job_roles_have_kernels(system, job);
    JobSums sums = { 0 };

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        const Npu *npu = &system->state.npus[i];
        SimTime end_ps;

        if (!job_trains_on_role(system, job, npu->role))
            continue;
        end_ps = until_computed ? training_compute_end_ps(npu->training)
                                : training_end_ps(npu->training);
        sums.n++;
        sums.end_ps = MAX(sums.end_ps, end_ps);
        sums.busy_ps += compute_stream_busy_ps(npu->streams[OP_STREAM_MAIN]);
        sums.comm_ps += npu->communicated_ps;
        sums.sent_bytes += npu->sent_bytes;
    }
    g_assert(sums.n > 0);
    return sums;
}

JobResult system_job_result(const System *system, guint job)
{
    const OpGraph *graph = system->plan.graph;
    const OpJob *of = NULL;
    uint64_t n = system->plan.config->training.n_iterations;
    JobResult r = { .name = workload_name(&system->plan.config->workload) };
    JobSums sums;

    g_assert(job < system_n_jobs(system));
    if (graph->jobs->len > 0) {
        of = op_graph_job(graph, job);
        r.name = of->name;
        r.start_ps = of->start_ps;
    }
    sums = sum_results_over_job(system, of);
    r.n_npus = count_training_npus(system, of);
    r.end_ps = MAX(sums.end_ps, r.start_ps);
    r.iteration_ps = (r.end_ps - r.start_ps + n - 1) / n;
    r.compute_ps = (SimTime)(sums.busy_ps / sums.n / n);
    r.exposed_ps = r.iteration_ps - MIN(r.compute_ps, r.iteration_ps);
    r.comm_ps = (SimTime)(sums.comm_ps / sums.n / n);
    r.sent_bytes = (uint64_t)(sums.sent_bytes / sums.n / n);
    return r;
}
