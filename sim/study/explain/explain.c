/* explain.c - the critical path and the what-ifs of a run */
#include "sim/study/explain/explain.h"

#include "sim/study/explain/plan_estimates.h"
#include "sim/study/explain/resource_what_ifs.h"
#include "sim/study/explain/what_if_pruning.h"

/* CSV names of the rows that are no resources. */
static const char *const row_ids[PATH_N] = {
    [PATH_FLOP] = "flop",
    [PATH_MEMORY] = "hbm",
    [PATH_LAUNCH] = "launch",
    [PATH_FIXED] = "fixed",
    [PATH_SIDE_SLOWDOWN] = "side_stream_share",
    [PATH_LOST_SMS] = "lost_sms",
    [PATH_LOST_HBM] = "lost_hbm",
    [PATH_PERTURBED] = "perturbed",
    [PATH_SIDE] = "side_stream",
    [PATH_OTHER_NPUS] = "other_npus",
    [PATH_NETWORK] = "network",
    [PATH_UNKNOWN] = "unknown",
    [PATH_GAPS] = "gaps",
    [PATH_RECORDED] = "recorded",
    [PATH_STAGES + OP_STAGE_HOST] = "host",
    [PATH_STAGES + OP_STAGE_DEVICE] = "device",
    [PATH_STAGES + OP_STAGE_READ] = "read",
    [PATH_STAGES + OP_STAGE_DECODE] = "decode",
    [PATH_STAGES + OP_STAGE_COPY] = "copy_in",
};

/* Names of the rows that are not resources. */
static const char *const row_names[PATH_N] = {
    [PATH_FLOP] = "SM arithmetic",
    [PATH_MEMORY] = "HBM bandwidth",
    [PATH_LAUNCH] = "launch overhead",
    [PATH_FIXED] = "fixed times",
    [PATH_SIDE_SLOWDOWN] = "SMs and HBM bandwidth of the side stream",
    [PATH_LOST_SMS] = "SMs of communication",
    [PATH_LOST_HBM] = "HBM bandwidth of communication",
    [PATH_PERTURBED] = "`perturb`",
    [PATH_SIDE] = "kernels of the side stream",
    [PATH_OTHER_NPUS] = "kernels of other NPUs",
    [PATH_NETWORK] = "the network",
    [PATH_UNKNOWN] = "causes not recorded, because memory was short",
    [PATH_GAPS] = "recorded gaps",
    [PATH_RECORDED] = "recorded communication",
    [PATH_STAGES + OP_STAGE_HOST] = "work of the host",
    [PATH_STAGES + OP_STAGE_DEVICE] = "copies and kernels in parallel",
    [PATH_STAGES + OP_STAGE_READ] = "samples to be read",
    [PATH_STAGES + OP_STAGE_DECODE] = "samples to be decoded",
    [PATH_STAGES + OP_STAGE_COPY] = "samples to be copied to the NPU",
};

static const ResourceKind *
list_endpoint_resources(const Explanation *explanation)
{
    return system_endpoint_resources(explanation->system);
}

/* Sets *@ret to the dimension of a row.  Returns FALSE if the row belongs to no
 * dimension. */
static gboolean critical_path_row_dimension(uint32_t row, uint32_t *ret)
{
    if (row < PATH_LINKS)
        return FALSE;
    *ret = row - (row >= PATH_LATENCIES ? PATH_LATENCIES : PATH_LINKS);
    return TRUE;
}

const ResourceKind *critical_path_row_resource(const Explanation *explanation,
                                               uint32_t row)
{
    if (row >= PATH_LATENCIES)
        return &resource_latencies;
    if (row >= PATH_LINKS)
        return &resource_links;
    return row >= PATH_RESOURCES && row < PATH_SIDE
               ? resource_kind(list_endpoint_resources(explanation),
                               row - PATH_RESOURCES)
               : NULL;
}

char *critical_path_row_id(const Explanation *explanation, uint32_t row)
{
    const ResourceKind *kind = critical_path_row_resource(explanation, row);
    g_autofree char *text = NULL;
    uint32_t dim;

    if (!kind)
        return g_strdup(row_ids[row]);
    if (!critical_path_row_dimension(row, &dim))
        return g_strdup(kind->name);
    text = g_strdup_printf("%u", dim);
    return resource_text_with_dimension(kind->name, text);
}

char *critical_path_row_name(const Explanation *explanation, uint32_t row)
{
    const ResourceKind *kind = critical_path_row_resource(explanation, row);
    uint32_t dim;

    if (!kind)
        return g_strdup(row_names[row]);
    if (!critical_path_row_dimension(row, &dim))
        return g_strdup(kind->name_in_sentence);
    if (topology_n_dims(system_topology(explanation->system)) == 1)
        return g_strdup_printf("the %s", kind->name_in_sentence);
    return g_strdup_printf("the %s of dimension %u", kind->name_in_sentence,
                           dim);
}

/* Puts kernels first, then resources, then the other waits. */
static void order_critical_path_rows(Explanation *explanation)
{
    uint32_t numbers[RESOURCE_MAX];
    guint n =
        sort_order_of_resource(list_endpoint_resources(explanation), numbers);

    for (uint32_t row = 0; row < PATH_RESOURCES; row++)
        explanation->order[explanation->n_rows++] = row;
    for (guint i = 0; i < n; i++)
        explanation->order[explanation->n_rows++] = PATH_RESOURCES + numbers[i];
    for (uint32_t row = PATH_SIDE; row < PATH_N; row++)
        explanation->order[explanation->n_rows++] = row;
}

/* The critical path summed over the whole run. */
typedef struct {
    SimTime rows_ps[PATH_N], own_ps[PATH_N], other_ps[PATH_N];
    GArray *behind; /* owned: of ExplainBlocker */
} PathSums;

/* Converts sums over the run to means of its iterations.  The running sum is
 * rounded up, as the iteration time is, so the rows add up to it: row i gets
 * ceil(S_i / n) - ceil(S_(i-1) / n), where S_i is the sum of rows 0 to i and n
 * the number of iterations.  The parts in queues are rounded down. */
static void set_iteration_means(Explanation *explanation, const PathSums *paths)
{
    uint64_t n = explanation->r.n_iterations;
    SimTime sum_ps = 0, mean_ps = 0;

    order_critical_path_rows(explanation);
    for (guint i = 0; i < explanation->n_rows; i++) {
        uint32_t row = explanation->order[i];
        SimTime until_ps;

        sum_ps += paths->rows_ps[row];
        until_ps = (sum_ps + n - 1) / n;
        explanation->rows_ps[row] = until_ps - mean_ps;
        mean_ps = until_ps;
        explanation->own_queue_ps[row] =
            MIN(paths->own_ps[row] / n, explanation->rows_ps[row]);
        explanation->other_queue_ps[row] =
            MIN(paths->other_ps[row] / n,
                explanation->rows_ps[row] - explanation->own_queue_ps[row]);
    }
    g_assert(sum_ps == explanation->r.total_ps);
}

static gint compare_blocker_times(gconstpointer a, gconstpointer b)
{
    const ExplainBlocker *blocker = a, *y = b;

    if (blocker->time_ps != y->time_ps)
        return blocker->time_ps > y->time_ps ? -1 : 1;
    return blocker->op < y->op ? -1 : blocker->op > y->op;
}

static void set_blocking_collectives(Explanation *explanation,
                                     const PathSums *paths)
{
    explanation->behind = g_array_new(FALSE, FALSE, sizeof(ExplainBlocker));
    for (guint i = 0; i < paths->behind->len; i++) {
        ExplainBlocker behind = g_array_index(paths->behind, ExplainBlocker, i);

        behind.time_ps /= explanation->r.n_iterations;
        g_array_append_val(explanation->behind, behind);
    }
    g_array_sort(explanation->behind, compare_blocker_times);
}

SimTime explain_row_served_ps(const Explanation *explanation, uint32_t row)
{
    return explanation->rows_ps[row] - explanation->own_queue_ps[row] -
           explanation->other_queue_ps[row];
}

const char *explain_collective_name(const Explanation *explanation, uint32_t op)
{
    const OpGraph *graph = system_graph(explanation->system);

    return g_ptr_array_index(graph->layers, op_graph_op(graph, op)->layer);
}

/* ---- the additional run that follows the critical path ----------------- */

/* That run takes longer than any other and runs in parallel with them. */
typedef struct {
    const Explanation *e;
    const WhatIfSource *source;
    PathSums paths;
    char *reason; /* owned: why the run has no result */
} PathFollower;

/* Follows the critical path in one more run and writes it to @out: three
 * numbers per row, then the operation and the time of each collective that made
 * others wait.  After an error it writes a blank and the message. */
static void run_path_follower(gpointer self, guint i, GString *out)
{
    const PathFollower *follower = self;
    g_autoptr(GError) error = NULL;
    const RunWatch *watch = &follower->source->watch;
    g_autoptr(System) rerun =
        system_new(follower->e->config, follower->source->run_options, &error);
    g_autoptr(CriticalPath) path =
        rerun ? critical_path_new(rerun, follower->e->r.last_npu) : NULL;

    (void)i;
    if (!rerun || !system_run_with_progress(rerun, watch->report_progress,
                                            watch->self, &error)) {
        g_string_append_printf(out, " %s", error->message);
        return;
    }
    critical_path_finish(path, follower->e->r.total_ps);
    for (uint32_t row = 0; row < PATH_N; row++)
        g_string_append_printf(
            out,
            "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
            "\n",
            critical_path_row_time_ps(path, row),
            critical_path_row_queue_time_ps(path, row, FALSE),
            critical_path_row_queue_time_ps(path, row, TRUE));
    for (guint op = 0; op < system_graph(rerun)->ops->len; op++)
        if (critical_path_time_behind_op_ps(path, op) > 0)
            g_string_append_printf(out, "%u %" G_GUINT64_FORMAT "\n", op,
                                   critical_path_time_behind_op_ps(path, op));
}

static void add_blocking_collective(PathSums *paths, uint32_t op, SimTime ps)
{
    const ExplainBlocker behind = { op, ps };

    g_array_append_val(paths->behind, behind);
}

static void receive_followed_path(gpointer self, guint i, const GString *text,
                                  const char *reason)
{
    PathFollower *follower = self;
    char *p = text ? text->str : NULL;

    (void)i;
    if (!reason && *p == ' ')
        reason = p + 1;
    follower->reason = g_strdup(reason);
    for (uint32_t row = 0; row < PATH_N && !reason; row++) {
        follower->paths.rows_ps[row] = g_ascii_strtoull(p, &p, 10);
        follower->paths.own_ps[row] = g_ascii_strtoull(p, &p, 10);
        follower->paths.other_ps[row] = g_ascii_strtoull(p, &p, 10);
    }
    while (!reason && p[0] == '\n' && p[1] != '\0') {
        uint32_t op = (uint32_t)g_ascii_strtoull(p, &p, 10);

        add_blocking_collective(&follower->paths, op,
                                g_ascii_strtoull(p, &p, 10));
    }
}

static void read_critical_path(const CriticalPath *path, guint n_ops,
                               PathSums *ret)
{
    for (uint32_t row = 0; row < PATH_N; row++) {
        ret->rows_ps[row] = critical_path_row_time_ps(path, row);
        ret->own_ps[row] = critical_path_row_queue_time_ps(path, row, FALSE);
        ret->other_ps[row] = critical_path_row_queue_time_ps(path, row, TRUE);
    }
    for (guint op = 0; op < n_ops; op++)
        if (critical_path_time_behind_op_ps(path, op) > 0)
            add_blocking_collective(ret, op,
                                    critical_path_time_behind_op_ps(path, op));
}

/* ---- work before and after the base run ---------------------------------- */

struct ExplainTask {
    const WhatIfSource *source; /* borrowed */
    GArray *what_ifs;           /* owned: of WhatIf */
    WhatIfs *runs;              /* owned */
    gboolean follows;           /* the base run follows the critical path;
                                 * otherwise one more run does */
    gboolean is_limited;        /* few what-ifs are run, see
                                 * what_if_pruning.h */
    CriticalPath *path;         /* owned: until the base run has ended */
};

static void start_background_what_ifs(const ExplainTask *task)
{
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));

    pruning_choose_first_runs(task->what_ifs,
                              system_config(task->source->system),
                              task->is_limited, numbers);
    what_ifs_start_in_background(task->runs, numbers);
}

/* Returns whether the what-ifs include other plans.  Such runs, of language
 * models, take longer than others and have more what-ifs. */
static gboolean what_ifs_include_plans(const GArray *what_ifs)
{
    for (guint i = 0; i < what_ifs->len; i++)
        if (what_if_is_plan(&g_array_index(what_ifs, WhatIf, i)))
            return TRUE;
    return FALSE;
}

ExplainTask *explain_task_new(const WhatIfSource *source, System *follows)
{
    ExplainTask *task = g_new0(ExplainTask, 1);

    g_assert(!follows || source->system == follows);
    task->source = source;
    task->what_ifs = list_what_ifs(source->system);
    task->is_limited = what_ifs_include_plans(task->what_ifs);
    task->runs = what_ifs_new(source, task->what_ifs);
    start_background_what_ifs(task);
    task->follows = follows && system_n_simulated_npus(follows) == 1;
    if (task->follows)
        task->path = critical_path_new(follows, 0);
    return task;
}

void explain_task_free(ExplainTask *task)
{
    if (!task)
        return;
    what_ifs_free(task->runs);
    if (task->what_ifs)
        g_array_unref(task->what_ifs);
    critical_path_free(task->path);
    g_free(task);
}

/* Runs the additional run; in parallel with it, the what-ifs that are run in
 * any case or, if not @sparingly, all of them. */
static gboolean run_with_path_follower(ExplainTask *task,
                                       PathFollower *follower,
                                       gboolean sparingly, GError **error)
{
    const RunMany extra = {
        1, NULL, run_path_follower, receive_followed_path, NULL, follower
    };
    const WhatIfExtraWork with = { .extra = extra };

    if (sparingly)
        pruning_defer_what_ifs(task->what_ifs,
                               system_config(task->source->system),
                               task->is_limited);
    if (!what_ifs_run_requested(task->runs, &with, error))
        return FALSE;
    if (follower->reason)
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                    "the run that the critical path is followed in: %s",
                    follower->reason);
    return follower->reason == NULL;
}

static gboolean run_chosen_what_ifs(ExplainTask *task, PathFollower *follower,
                                    gboolean sparingly, GError **error)
{
    const PrunedPath path = { follower->paths.rows_ps, follower->paths.other_ps,
                              task->follows ? 1 : 2 };

    what_ifs_prove_unchanged(task->runs);
    if (!task->follows &&
        !run_with_path_follower(task, follower, sparingly, error))
        return FALSE;
    if (sparingly && task->is_limited)
        return pruning_run_best_what_ifs(task->what_ifs, task->runs,
                                         task->source, &path, error);
    return sparingly ? pruning_run_what_ifs(task->what_ifs, task->runs,
                                            task->source->system,
                                            follower->paths.rows_ps, error)
                     : what_ifs_run_requested(task->runs, NULL, error);
}

/* Reads the critical path and frees it before child processes start, because
 * each child could copy its memory. */
static void finish_critical_path(ExplainTask *task, PathSums *ret)
{
    critical_path_finish(task->path,
                         system_result(task->source->system).total_ps);
    read_critical_path(task->path, system_graph(task->source->system)->ops->len,
                       ret);
    critical_path_free(task->path);
    task->path = NULL;
}

Explanation *explain_task_finish(ExplainTask *task, gboolean sparingly,
                                 GError **error)
{
    g_autoptr(Explanation) e = g_new0(Explanation, 1);
    PathFollower followed = { .e = e, .source = task->source };
    gboolean ok;

    followed.paths.behind = g_array_new(FALSE, FALSE, sizeof(ExplainBlocker));
    e->config = system_config(task->source->system);
    e->system = task->source->system;
    e->r = system_result(e->system);
    if (task->follows)
        finish_critical_path(task, &followed.paths);
    ok = run_chosen_what_ifs(task, &followed, sparingly, error);
    g_free(followed.reason);
    if (ok) {
        sort_what_ifs(task->what_ifs);
        e->what_ifs = g_steal_pointer(&task->what_ifs);
        set_iteration_means(e, &followed.paths);
        set_blocking_collectives(e, &followed.paths);
    }
    g_array_unref(followed.paths.behind);
    if (!ok)
        return NULL;
    return g_steal_pointer(&e);
}

Explanation *explain_new(const char *path, char *const *sets,
                         RunOptions run_options, const SystemConfig *config,
                         const System *system, RunManyFn run_many,
                         GError **error)
{
    const WhatIfSource from = { .path = path,
                                .sets = sets,
                                .run_options = run_options,
                                .system = system,
                                .run_many = run_many };
    g_autoptr(ExplainTask) x = explain_task_new(&from, NULL);

    g_assert(system_config(system) == config);
    return explain_task_finish(x, FALSE, error);
}

gboolean explain_run_what_ifs(Explanation *explanation,
                              const WhatIfSource *source, GError **error)
{
    g_autoptr(GArray) all = list_what_ifs(explanation->system);

    g_assert(explanation->what_ifs->len == 0 &&
             source->system == explanation->system);
    if (!what_ifs_prove_and_run(all, source, error))
        return FALSE;
    sort_what_ifs(all);
    g_array_unref(explanation->what_ifs);
    explanation->what_ifs = g_steal_pointer(&all);
    return TRUE;
}

Explanation *explain_run_path(System *system, RunOptions run_options,
                              RunWatch watch, GError **error)
{
    g_autoptr(Explanation) e = g_new0(Explanation, 1);
    const WhatIfSource from = { .run_options = run_options,
                                .system = system,
                                .watch = watch };
    PathFollower f = { .e = e, .source = &from };
    gboolean follows = system_n_simulated_npus(system) == 1;
    g_autoptr(CriticalPath) path =
        follows ? critical_path_new(system, 0) : NULL;
    g_autoptr(GString) text = g_string_new(NULL);

    if (!system_run_with_progress(system, watch.report_progress, watch.self,
                                  error))
        return NULL;
    e->config = system_config(system);
    e->system = system;
    e->r = system_result(system);
    e->what_ifs = g_array_new(FALSE, FALSE, sizeof(WhatIf));
    f.paths.behind = g_array_new(FALSE, FALSE, sizeof(ExplainBlocker));
    if (follows) {
        critical_path_finish(path, e->r.total_ps);
        read_critical_path(path, system_graph(system)->ops->len, &f.paths);
    } else {
        run_path_follower(&f, 0, text);
        receive_followed_path(&f, 0, text, NULL);
    }
    if (f.reason) {
        g_set_error_literal(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                            f.reason);
    } else {
        set_iteration_means(e, &f.paths);
        set_blocking_collectives(e, &f.paths);
    }
    g_array_unref(f.paths.behind);
    if (!f.reason)
        return g_steal_pointer(&e);
    g_free(f.reason);
    return NULL;
}

void explain_free(Explanation *explanation)
{
    if (!explanation)
        return;
    if (explanation->what_ifs)
        g_array_unref(explanation->what_ifs);
    if (explanation->behind)
        g_array_unref(explanation->behind);
    g_free(explanation);
}
