/*
 * jobs.c - several workloads that run concurrently on disjoint sets of NPUs
 *
 * Each job is a workload of any other kind.  It is built as for a platform that
 * consists of its NPUs, and starts at its start time.  All jobs have the same
 * `training` settings and therefore the same number of iterations; a job that
 * ends early frees the fabric for the others.  NPUs without a job are idle,
 * like the NPUs of jobs that `only` leaves out.  Running a job alone shows how
 * much the other jobs slow it down.
 */
#include "workloads/jobs/jobs.h"
#include "workloads/jobs/job_npus.h"
#include "workloads/loop_impl.h"

#define MAX_START UINT64_C(1000000000000000)

typedef struct {
    WorkloadCommon common;
    ConfigList jobs; /* all jobs; the elements are Job */
    /* Names of the jobs to run; the elements are const char *. */
    ConfigList only;
} JobsParams;

/* ---- fields ------------------------------------------------------------ */

#define OFFSET(member) .offset = offsetof(Job, member)

static const ConfigField job_fields[] = {
    { .key = "name",
      .help = "what reports call the job",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "workload",
      .help = "of the job, of any kind but this",
      .type = CONFIG_KIND,
      OFFSET(workload),
      .registry = &workload_registry },
    { .key = "ranks",
      .help = "its NPUs, by size, or by list; else all",
      .type = CONFIG_SECTION,
      OFFSET(ranks),
      .fields = job_ranks_fields,
      .fallback = "{}",
      .source = "all NPUs" },
    { .key = "start",
      .help = "when it begins",
      .type = CONFIG_TIME,
      OFFSET(start_ps),
      .max = MAX_START,
      .fallback = "0 ns",
      .source = "with the others" },
    CONFIG_END,
};

#undef OFFSET

static const ConfigField job_item = {
    .key = "job",
    .help = "a workload on some NPUs",
    .type = CONFIG_SECTION,
    .fields = job_fields,
    .node_offset = offsetof(Job, node),
};

static const ConfigField only_item = {
    .key = "name",
    .help = "of a job",
    .type = CONFIG_NAME,
};

static const ConfigField jobs_fields[] = {
    { .key = "name",
      .help = "what reports call the workload",
      .type = CONFIG_NAME,
      .offset = offsetof(JobsParams, common.name) },
    { .key = "jobs",
      .help = "side by side",
      .type = CONFIG_LIST,
      .offset = offsetof(JobsParams, jobs),
      .min = 1,
      .max = OP_MAX_JOBS,
      .item = &job_item,
      .item_size = sizeof(Job) },
    { .key = "only",
      .help = "jobs that run; the NPUs of others do nothing",
      .type = CONFIG_LIST,
      .offset = offsetof(JobsParams, only),
      .max = OP_MAX_JOBS,
      .item = &only_item,
      .item_size = sizeof(const char *),
      .fallback = "[]",
      .source = "all of them" },
    CONFIG_END,
};

static gboolean set_jobs_error(const ConfigNode *where, GError **error,
                               char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* ---- selection of jobs ---------------------------------------------- */

static gboolean job_name_exists(const JobsParams *params, const char *name)
{
    const Job *jobs = params->jobs.items;

    for (guint i = 0; i < params->jobs.n; i++)
        if (g_str_equal(jobs[i].name, name))
            return TRUE;
    return FALSE;
}

static gboolean job_is_selected(const JobsParams *params, const Job *job)
{
    const char *const *only = params->only.items;

    for (guint i = 0; i < params->only.n; i++)
        if (g_str_equal(only[i], job->name))
            return TRUE;
    return params->only.n == 0;
}

static gboolean check_job_names(const JobsParams *params, GError **error)
{
    const Job *jobs = params->jobs.items;
    const char *const *only = params->only.items;

    for (guint i = 0; i < params->jobs.n; i++)
        for (guint k = 0; k < i; k++)
            if (g_str_equal(jobs[i].name, jobs[k].name))
                return set_jobs_error(
                    jobs[i].node, error,
                    g_strdup_printf("name: there are two jobs '%s'",
                                    jobs[i].name));
    for (guint i = 0; i < params->only.n; i++)
        if (!job_name_exists(params, only[i]))
            return set_jobs_error(
                params->only.node, error,
                g_strdup_printf("only: there is no job '%s'", only[i]));
    return TRUE;
}

extern const LoopOps loop_jobs;

/* Returns FALSE if a setting of `training` about gradients has no effect on any
 * job. */
static gboolean check_training_settings(const JobsParams *params,
                                        const TrainingConfig *training,
                                        GError **error)
{
    const Job *jobs = params->jobs.items;
    gboolean has_gradients = FALSE;

    for (guint i = 0; i < params->jobs.n; i++) {
        const LoopOps *ops = (const LoopOps *)jobs[i].workload.kind;

        has_gradients = has_gradients || ops->has_gradients;
        if (ops == &loop_jobs)
            return set_jobs_error(
                jobs[i].workload.node, error,
                g_strdup("kind: a job is one workload, and not "
                         "several jobs"));
    }
    if (!has_gradients && !exchange_is_default(&training->exchange))
        return set_jobs_error(
            training->exchange.node, error,
            g_strdup("kind: no job has gradients to exchange; leave "
                     "'training.exchange' out"));
    if (!has_gradients && !input_is_default(&training->input))
        return set_jobs_error(
            training->input.node, error,
            g_strdup("no job has a forward pass that could wait for "
                     "samples; leave 'training.input' out"));
    return TRUE;
}

/* ---- building ---------------------------------------------------------- */

/* Builds the graph of a job for its own NPUs, and joins it to @graph. */
static gboolean add_job_graph(const JobMap *map, const Job *job,
                              const TrainingConfig *training,
                              const WorkloadSite *site, OpGraph *graph,
                              GError **error)
{
    g_autoptr(OpGraph) part = op_graph_new();
    JobSite at = { .name = job->name,
                   .start_ps = job->start_ps,
                   .node = job->node };
    g_autofree uint32_t *ids = job_map_npu_ids(map, job, &at.n_ids);
    WorkloadSite own = { .n_npus = at.n_ids };

    at.ids = ids;
    at.is_all = at.n_ids == map->n_npus;
    if (site)
        own = *site;
    own.n_npus = at.n_ids;
    if (!workload_add_to_graph(&job->workload, training, &own, part, error))
        return FALSE;
    return jobs_join_graph(graph, part, &at, error);
}

/* Assigns NPUs to all jobs, adds the selected jobs, and gives the idle role to
 * all other NPUs. */
static gboolean build_jobs_on_map(JobMap *map, const JobsParams *params,
                                  const TrainingConfig *training,
                                  const WorkloadSite *site, OpGraph *graph,
                                  GError **error)
{
    const Job *jobs = params->jobs.items;
    g_autofree uint32_t *idle = NULL;
    uint32_t n_idle;

    for (guint i = 0; i < params->jobs.n; i++)
        if (!job_map_assign(map, &jobs[i], error))
            return FALSE;
    for (guint i = 0; i < params->jobs.n; i++) {
        if (!job_is_selected(params, &jobs[i]))
            job_map_remove_job(map, &jobs[i]);
        else if (!add_job_graph(map, &jobs[i], training, site, graph, error))
            return FALSE;
    }
    idle = job_map_npu_ids(map, NULL, &n_idle);
    return n_idle == 0 ||
           jobs_add_idle_role(graph, idle, n_idle, jobs[0].node, error);
}

static gboolean jobs_build(const ConfigVariant *workload,
                           const TrainingConfig *training,
                           const WorkloadSite *site, OpGraph *graph,
                           GError **error)
{
    const JobsParams *params = workload->params;
    g_auto(JobMap) map = { 0 };

    if (!check_job_names(params, error) ||
        !check_training_settings(params, training, error))
        return FALSE;
    job_map_init(&map, site ? site->n_npus : job_ranks_min_npus(&params->jobs));
    return build_jobs_on_map(&map, params, training, site, graph, error);
}

static void append_inputs(const ConfigVariant *workload, GString *out)
{
    const JobsParams *params = workload->params;
    const Job *jobs = params->jobs.items;

    for (guint i = 0; i < params->jobs.n; i++)
        workload_append_inputs(&jobs[i].workload, out);
}

const LoopOps loop_jobs = {
    .base = { .name = "jobs",
              .summary = "several workloads side by side, each on its NPUs",
              .fields = jobs_fields,
              .size = sizeof(JobsParams) },
    .build = jobs_build,
    .has_gradients = TRUE,
    .append_inputs = append_inputs,
};
