/* plan_search.c - finds the fastest plans of a language model */
#include "sim/study/optimise/plan_search.h"

#include <string.h>

#include "sim/core/csv.h"
#include "sim/study/optimise/plan_samples.h"
#include "workloads/workload.h"

#define GIB (1024.0 * 1024 * 1024)
/* Number of runs that are started together, whatever the number of
 * processors. */
#define BATCH 8
/* Factor on estimates, so that a plan is left out only if its estimate is
 * clearly worse than the time to beat. */
#define ESTIMATE_MARGIN 0.99

/* The run file, and the values of it that the search needs. */
typedef struct {
    SystemConfig config;
    ConfigDoc *doc; /* owned */
    const PlanOps *ops;
    PlanLimits limits;
    uint64_t bytes_per_s; /* of the slowest link */
} PlanSite;

static void plan_site_clear(PlanSite *site)
{
    config_doc_free(site->doc);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlanSite, plan_site_clear)

gboolean plan_search_supports_workload(const SystemConfig *config)
{
    return ((const LoopOps *)config->workload.kind)->plans != NULL;
}

static gboolean plan_site_init(PlanSite *site, const PlanSearch *search,
                               GError **error)
{
    g_autoptr(Candidate) plain = candidate_new();
    g_autoptr(Topology) topology = NULL;

    site->doc = load_trial_config(&search->maker, plain, &site->config, error);
    if (!site->doc)
        return FALSE;
    topology = topology_new(&site->config.platform.topology, error);
    if (!topology)
        return FALSE;
    site->ops = ((const LoopOps *)site->config.workload.kind)->plans;
    site->bytes_per_s = slowest_link_bytes_per_s(topology);
    site->limits = (PlanLimits){
        .n_npus = topology_n_npus(topology),
        .most_tp = topology_dimension(topology, 0)->size,
        .n_kept = search->task->n_kept,
    };
    return TRUE;
}

/* ---- listing and rating the plans ---------------------------------------- */

static void free_rated_plan(gpointer data)
{
    RatedPlan *rated = data;

    g_free(rated->sets);
    g_free(rated->summary);
    g_free(rated);
}

/* Sets @error to the plan that needs least memory, and by how much that is too
 * much. */
static void set_no_plan_fits_error(const PlanSite *site, const GArray *valid,
                                   uint64_t capacity_bytes, GError **error)
{
    const WorkloadPlan *nearest = &g_array_index(valid, WorkloadPlan, 0);
    g_autofree char *lines = NULL;
    g_autofree char *sets = NULL;
    g_auto(GStrv) list = NULL;
    g_autofree char *text = NULL;

    for (guint i = 1; i < valid->len; i++) {
        const WorkloadPlan *plan = &g_array_index(valid, WorkloadPlan, i);

        if (plan->memory_bytes < nearest->memory_bytes)
            nearest = plan;
    }
    lines = site->ops->sets(&site->config.workload, nearest);
    sets = plan_lines_as_settings(lines);
    list = g_strsplit(sets, "\n", -1);
    text = g_strjoinv(", ", list);
    config_set_error(error, site->config.workload.node, CONFIG_ERROR_CONFLICT,
                     "memory: none of %u plans fits the %.4g GiB of an NPU; "
                     "the nearest needs %.4g GiB, which is %.4g GiB too much: "
                     "%s",
                     valid->len, (double)capacity_bytes / GIB,
                     (double)nearest->memory_bytes / GIB,
                     (double)(nearest->memory_bytes - capacity_bytes) / GIB,
                     text);
}

/* Sets @error to why the file itself cannot be run, or else to a general
 * reason. */
static void set_no_valid_plan_error(const PlanSearch *search,
                                    const PlanSite *site, GError **error)
{
    if (system_check_buildable(&site->config, search->maker.run_options, NULL,
                               error))
        config_set_error(error, site->config.workload.node,
                         CONFIG_ERROR_CONFLICT,
                         "no plan is valid: no division of %u NPUs suits the "
                         "model and its batch",
                         site->limits.n_npus);
}

/* Returns a text that is equal for plans that differ in their recomputation
 * only. */
static char *plan_text_without_recompute(const WorkloadPlan *plan)
{
    GString *out = g_string_new(NULL);

    for (guint k = 0; k < PLAN_N_KEYS; k++)
        if (k != PLAN_RECOMPUTE)
            g_string_append_printf(out, "%" G_GUINT64_FORMAT " ",
                                   plan->values[k]);
    return g_string_free(out, FALSE);
}

/* Removes plans that recompute more than another that is equal otherwise: they
 * do more and save nothing.  The plan of the file stays. */
static void remove_needless_recompute(PlanSearch *search)
{
    g_autoptr(GHashTable) least =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < search->plans->len; i++) {
        const RatedPlan *rated = g_ptr_array_index(search->plans, i);
        char *text = plan_text_without_recompute(&rated->plan);
        const RatedPlan *known = g_hash_table_lookup(least, text);

        if (!known || rated->plan.values[PLAN_RECOMPUTE] <
                          known->plan.values[PLAN_RECOMPUTE])
            g_hash_table_replace(least, text, (gpointer)rated);
        else
            g_free(text);
    }
    for (guint i = search->plans->len; i-- > 0;) {
        const RatedPlan *rated = g_ptr_array_index(search->plans, i);
        g_autofree char *text = plan_text_without_recompute(&rated->plan);

        if (rated == search->of_file ||
            g_hash_table_lookup(least, text) == rated)
            continue;
        g_ptr_array_remove_index(search->plans, i);
        search->n_needless++;
    }
}

/* Fills .plans with the valid plans that fit. */
static gboolean list_fitting_plans(PlanSearch *search, const PlanSite *site,
                                   GError **error)
{
    g_autoptr(GArray) valid = g_array_new(FALSE, FALSE, sizeof(WorkloadPlan));
    gboolean has_file = site->ops->list(
        &site->config.workload, &site->config.training, &site->limits, valid);

    search->n_valid = valid->len;
    for (guint i = 0; i < valid->len; i++) {
        const WorkloadPlan *plan = &g_array_index(valid, WorkloadPlan, i);
        RatedPlan *rated;

        if (search->memory_bytes > 0 &&
            plan->memory_bytes > search->memory_bytes)
            continue;
        rated = g_new0(RatedPlan, 1);
        rated->plan = *plan;
        g_ptr_array_add(search->plans, rated);
        if (i == 0 && has_file)
            search->of_file = rated;
    }
    search->n_fit = search->plans->len;
    if (!search->task->is_exhaustive)
        remove_needless_recompute(search);
    if (valid->len == 0)
        set_no_valid_plan_error(search, site, error);
    else if (search->plans->len == 0)
        set_no_plan_fits_error(site, valid, search->memory_bytes, error);
    return search->plans->len > 0;
}

static int compare_plan_estimates(gconstpointer a, gconstpointer b)
{
    const RatedPlan *x = *(const RatedPlan *const *)a;
    const RatedPlan *y = *(const RatedPlan *const *)b;

    if (x->estimate_ps != y->estimate_ps)
        return x->estimate_ps < y->estimate_ps ? -1 : 1;
    return memcmp(x->plan.values, y->plan.values, sizeof x->plan.values);
}

/* Sets the bound and the estimate of @rated.  Returns FALSE if its samples
 * cannot be run; then it cannot, either. */
static gboolean estimate_plan_time(const PlanSite *site,
                                   const PlanSamples *samples, RatedPlan *rated)
{
    const SystemConfig *config = &site->config;
    PlanTimes alone[PLAN_MAX_SAMPLES], simulated[PLAN_MAX_SAMPLES];
    g_autofree char *lines = NULL;

    if (!plan_samples_get(samples, &rated->plan, alone, simulated))
        return FALSE;
    rated->bound_ps = site->ops->step_ps(&config->workload, &config->training,
                                         &site->limits, &rated->plan, alone, 0);
    rated->estimate_ps =
        site->ops->step_ps(&config->workload, &config->training, &site->limits,
                           &rated->plan, simulated, site->bytes_per_s);
    lines = site->ops->sets(&config->workload, &rated->plan);
    rated->sets = plan_lines_as_settings(lines);
    rated->summary = site->ops->summary(&config->workload, &rated->plan);
    return TRUE;
}

static gboolean estimate_times_of_all_plans(PlanSearch *search,
                                            const PlanSite *site,
                                            GError **error)
{
    g_autoptr(PlanSamples) samples =
        plan_samples_new(&search->maker, &site->config.workload);

    for (guint i = 0; i < search->plans->len; i++) {
        const RatedPlan *rated = g_ptr_array_index(search->plans, i);

        plan_samples_add(samples, &rated->plan);
    }
    search->n_samples = plan_samples_count(samples);
    if (!plan_samples_run(samples, error))
        return FALSE;
    for (guint i = search->plans->len; i-- > 0;) {
        RatedPlan *rated = g_ptr_array_index(search->plans, i);

        if (estimate_plan_time(site, samples, rated))
            continue;
        if (search->of_file == rated)
            search->of_file = NULL;
        g_ptr_array_remove_index(search->plans, i);
    }
    g_ptr_array_sort(search->plans, compare_plan_estimates);
    return TRUE;
}

/* ---- simulating the most promising plans --------------------------------- */

static int compare_plan_times(gconstpointer a, gconstpointer b)
{
    const RatedPlan *x = *(const RatedPlan *const *)a;
    const RatedPlan *y = *(const RatedPlan *const *)b;

    if (x->trial->time_ps != y->trial->time_ps)
        return x->trial->time_ps < y->trial->time_ps ? -1 : 1;
    return compare_plan_estimates(a, b);
}

/* Runs @batch (of RatedPlan), and adds those that have a time to .best. */
static gboolean simulate_plans(PlanSearch *search, const GPtrArray *batch,
                               GError **error)
{
    g_autoptr(GPtrArray) candidates =
        g_ptr_array_new_with_free_func((GDestroyNotify)candidate_free);
    g_autoptr(Candidate) none = candidate_new();
    gboolean ok;

    for (guint i = 0; i < batch->len; i++) {
        const RatedPlan *rated = g_ptr_array_index(batch, i);

        g_ptr_array_add(candidates, candidate_with_setting_changed(
                                        none, ASPECT_PLAN, rated->sets));
    }
    ok = run_new_candidate_trials(&search->trials, candidates, "plan", error);
    for (guint i = 0; i < batch->len; i++) {
        RatedPlan *rated = g_ptr_array_index(batch, i);

        rated->trial = find_candidate_trial(&search->trials,
                                            g_ptr_array_index(candidates, i));
        if (rated->trial && rated->trial->time_ps > 0)
            g_ptr_array_add(search->best, rated);
    }
    g_ptr_array_sort(search->best, compare_plan_times);
    return ok;
}

/* Returns the time that a plan must not exceed to become one of the best, or
 * SIM_TIME_MAX as long as there are fewer. */
static SimTime time_of_slowest_kept_plan_ps(const PlanSearch *search)
{
    const RatedPlan *last;

    if (search->best->len < PLAN_N_BEST)
        return SIM_TIME_MAX;
    last = g_ptr_array_index(search->best, PLAN_N_BEST - 1);
    return last->trial->time_ps;
}

/* Returns the least of time / estimate of the runs so far; at most 1. */
static double least_ratio_of_time_to_estimate(const PlanSearch *search)
{
    double least = 1;

    for (guint i = 0; i < search->best->len; i++) {
        const RatedPlan *rated = g_ptr_array_index(search->best, i);

        least = MIN(least, (double)rated->trial->time_ps /
                               (double)MAX(rated->estimate_ps, 1));
    }
    return least;
}

/* Returns whether a plan with as many stages as @rated was simulated, or is in
 * @batch (of RatedPlan), which may be NULL.  The error of an estimate depends
 * most on the number of stages. */
static gboolean stages_of_plan_are_simulated(const PlanSearch *search,
                                             const GPtrArray *batch,
                                             const RatedPlan *rated)
{
    for (guint i = 0; i < search->plans->len; i++) {
        const RatedPlan *other = g_ptr_array_index(search->plans, i);

        if (other->trial &&
            other->plan.values[PLAN_PP] == rated->plan.values[PLAN_PP])
            return TRUE;
    }
    for (guint i = 0; batch && i < batch->len; i++) {
        const RatedPlan *other = g_ptr_array_index(batch, i);

        if (other->plan.values[PLAN_PP] == rated->plan.values[PLAN_PP])
            return TRUE;
    }
    return FALSE;
}

/* Why a plan is not simulated. */
typedef enum {
    PLAN_OPEN,
    PLAN_BY_BOUND,
    PLAN_BY_ESTIMATE,
} PlanVerdict;

/* Judges a plan that would run after @batch, which may be NULL. */
static PlanVerdict decide_whether_to_simulate_plan(const PlanSearch *search,
                                                   const GPtrArray *batch,
                                                   const RatedPlan *rated)
{
    SimTime most_ps = time_of_slowest_kept_plan_ps(search);

    if (search->task->is_exhaustive)
        return PLAN_OPEN;
    if (rated->bound_ps > most_ps)
        return PLAN_BY_BOUND;
    if (most_ps < SIM_TIME_MAX &&
        (double)rated->estimate_ps * least_ratio_of_time_to_estimate(search) *
                ESTIMATE_MARGIN >
            (double)most_ps &&
        stages_of_plan_are_simulated(search, batch, rated))
        return PLAN_BY_ESTIMATE;
    return PLAN_OPEN;
}

/* Returns the next plans to simulate, at most BATCH. */
static GPtrArray *next_plans_to_simulate(const PlanSearch *search)
{
    GPtrArray *ret = g_ptr_array_new();

    for (guint i = 0; i < search->plans->len && ret->len < BATCH; i++) {
        RatedPlan *rated = g_ptr_array_index(search->plans, i);

        if (!rated->trial &&
            decide_whether_to_simulate_plan(search, ret, rated) == PLAN_OPEN)
            g_ptr_array_add(ret, rated);
    }
    return ret;
}

static gboolean simulate_promising_plans(PlanSearch *search, GError **error)
{
    gboolean ok = TRUE;

    if (search->of_file) {
        g_autoptr(GPtrArray) first = g_ptr_array_new();

        g_ptr_array_add(first, (gpointer)search->of_file);
        ok = simulate_plans(search, first, error);
    }
    while (ok && trials_count_remaining_runs(&search->trials) > 0) {
        g_autoptr(GPtrArray) batch = next_plans_to_simulate(search);
        SimTime most_ps = time_of_slowest_kept_plan_ps(search);

        if (batch->len == 0)
            break;
        if (batch->len > trials_count_remaining_runs(&search->trials))
            g_ptr_array_set_size(
                batch, (gint)trials_count_remaining_runs(&search->trials));
        search->trials.limit_ps =
            most_ps == SIM_TIME_MAX || search->task->is_exhaustive ? 0
                                                                   : most_ps;
        ok = simulate_plans(search, batch, error);
    }
    return ok;
}

/* Counts the plans that were not simulated, by reason, and keeps the best. */
static void finish_plan_search(PlanSearch *search)
{
    for (guint i = 0; i < search->plans->len; i++) {
        const RatedPlan *rated = g_ptr_array_index(search->plans, i);
        PlanVerdict verdict =
            decide_whether_to_simulate_plan(search, NULL, rated);

        if (rated->trial)
            continue;
        search->n_by_bound += verdict == PLAN_BY_BOUND;
        search->n_by_estimate += verdict == PLAN_BY_ESTIMATE;
        search->n_by_limit += verdict == PLAN_OPEN;
    }
    if (search->best->len > PLAN_N_BEST)
        g_ptr_array_set_size(search->best, PLAN_N_BEST);
}

/* Sets @error to the reason of the first run that failed. */
static void set_first_failed_plan_error(const PlanSearch *search,
                                        GError **error)
{
    const Trial *first = search->trials.trials->len > 0
                             ? g_ptr_array_index(search->trials.trials, 0)
                             : NULL;

    g_set_error(
        error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
        "none of %u plans that fit could be run: %s", search->plans->len,
        first && first->reason ? first->reason : "no sample could be run");
}

PlanSearch *plan_search_run(const PlanTask *task, GError **error)
{
    g_autoptr(PlanSearch) search = g_new0(PlanSearch, 1);
    g_auto(PlanSite) site = { .doc = NULL };

    search->task = task;
    search->maker = task->maker;
    search->maker.is_quick = TRUE;
    search->plans = g_ptr_array_new_with_free_func(free_rated_plan);
    search->best = g_ptr_array_new();
    if (!plan_site_init(&site, search, error))
        return NULL;
    search->memory_bytes = task->maker.memory_bytes > 0
                               ? task->maker.memory_bytes
                               : site.config.platform.npu.hbm.capacity_bytes;
    init_candidate_trials(&search->trials, &search->maker,
                          MAX(task->n_evaluations, 1));
    if (!list_fitting_plans(search, &site, error) ||
        !estimate_times_of_all_plans(search, &site, error))
        return NULL;
    if (!simulate_promising_plans(search, &search->interrupted) &&
        search->best->len == 0) {
        g_propagate_error(error, g_steal_pointer(&search->interrupted));
        return NULL;
    }
    finish_plan_search(search);
    if (search->best->len == 0) {
        set_first_failed_plan_error(search, error);
        return NULL;
    }
    return g_steal_pointer(&search);
}

void plan_search_free(PlanSearch *search)
{
    if (!search)
        return;
    if (search->trials.trials)
        clear_trials(&search->trials);
    g_ptr_array_unref(search->plans);
    g_ptr_array_unref(search->best);
    g_clear_error(&search->interrupted);
    g_free(search);
}

/* ---- as CSV -------------------------------------------------------------- */

static const char *status_of_plan(const PlanSearch *search,
                                  const RatedPlan *rated)
{
    if (rated->trial && rated->trial->reason)
        return rated->trial->reason;
    if (rated->trial)
        return rated->trial->cut_off_ps > 0 ? "cut off: slower than the best"
                                            : "ok";
    switch (decide_whether_to_simulate_plan(search, NULL, rated)) {
    case PLAN_BY_BOUND:
        return "left out: its bound is above the best";
    case PLAN_BY_ESTIMATE:
        return "left out: its estimate is above the best";
    default:
        return "left out: too many evaluations";
    }
}

static void append_plan_row(const PlanSearch *search, const RatedPlan *rated,
                            GString *out)
{
    const Trial *trial = rated->trial;
    g_auto(GStrv) list = g_strsplit(rated->sets, "\n", -1);
    g_autofree char *text = g_strjoinv("; ", list);

    csv_add_u64(out, rated->plan.memory_bytes);
    csv_add_fixed(out, rated->bound_ps, 6);
    csv_add_fixed(out, rated->estimate_ps, 6);
    if (trial && trial->time_ps > 0) {
        csv_add_fixed(out, trial->time_ps, 6);
        csv_add_fixed(out, trial->mfu_ppm, 6);
        csv_add_fixed(out, trial->bubble_ps, 6);
    } else {
        for (guint i = 0; i < 3; i++)
            csv_add_empty(out);
    }
    csv_add_text(out, rated->summary);
    csv_add_text(out, text);
    csv_add_text(out, status_of_plan(search, rated));
    csv_end_row(out);
}

GString *plan_search_to_csv(const PlanSearch *search)
{
    static const char *const columns[] = {
        "memory_bytes", "bound_us",  "estimate_us", "iteration_time_us",
        "mfu",          "bubble_us", "plan",        "settings",
        "status",
    };
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint i = 0; i < search->plans->len; i++)
        append_plan_row(search, g_ptr_array_index(search->plans, i), out);
    return out;
}
