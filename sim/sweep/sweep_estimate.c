/* sweep_estimate.c - estimates the run time of a sweep; see sweep_estimate.h */
#include "sim/sweep/sweep_estimate.h"

#include "sim/host/process_pool.h"
#include "sim/host/progress.h"
#include "sim/study/tune_endpoint.h"

/* A tuned point runs many times, and a sample contains few of them, so they are
 * counted separately. */
typedef enum { PLAIN, TUNED, N_KINDS } PointKind;

/* The number of runs assumed for a tuned point if the sample contains none
 * (measured). */
#define TUNED_RUNS 5

typedef struct {
    const SweepPlan *plan;
    RunOptions run_options;
    guint n_sample, n_done;
    double done_s; /* total time of the completed points */
    GArray *kinds; /* owned, of PointKind: one per point of the plan */
    guint n_of[N_KINDS], n_sampled[N_KINDS], n_done_of[N_KINDS];
    double done_of_s[N_KINDS];
} SweepSample;

static PointKind sweep_point_kind_at(const SweepSample *sample, guint point)
{
    return g_array_index(sample->kinds, PointKind, point);
}

static PointKind sweep_point_kind_of(const SweepPlan *plan, guint point)
{
    g_autoptr(ConfigDoc) doc = sweep_plan_point_document(plan, point, NULL);
    SystemConfig config;

    return doc && config_doc_read(doc, system_fields, &config, NULL) &&
                   endpoint_tuning_is_needed(&config)
               ? TUNED
               : PLAIN;
}

/* Finds the kind of each point; points with the same endpoint have the same
 * kind. */
static void find_point_kinds(SweepSample *sample)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    sample->kinds = g_array_new(FALSE, FALSE, sizeof(PointKind));
    for (guint i = 0; i < sweep_plan_count_points(sample->plan); i++) {
        char *endpoint = sweep_plan_endpoint_text(sample->plan, i);
        gpointer found;
        PointKind kind;

        if (!g_hash_table_lookup_extended(known, endpoint, NULL, &found)) {
            found = GUINT_TO_POINTER(sweep_point_kind_of(sample->plan, i));
            g_hash_table_insert(known, g_strdup(endpoint), found);
        }
        g_free(endpoint);
        kind = (PointKind)GPOINTER_TO_UINT(found);
        g_array_append_val(sample->kinds, kind);
        sample->n_of[kind]++;
    }
}

static guint sampled_sweep_point_at(const SweepSample *sample, guint i)
{
    guint n = sweep_plan_count_points(sample->plan);

    return sample->n_sample > 1
               ? (guint)((guint64)i * (n - 1) / (sample->n_sample - 1))
               : 0;
}

/* A point that fails has a cost as well. */
static void run_sampled_sweep_point(const SweepSample *sample, guint point)
{
    g_autoptr(ConfigDoc) doc =
        sweep_plan_point_document(sample->plan, point, NULL);
    g_autoptr(System) system = NULL;
    g_autoptr(TuneResult) tuned = NULL;
    SystemConfig config;

    if (!doc || !config_doc_read(doc, system_fields, &config, NULL))
        return;
    if (endpoint_tuning_is_needed(&config)) {
        tuned = tune_endpoint(&config, sample->run_options, NULL);
        return;
    }
    system = system_new(&config, sample->run_options, NULL);
    if (system && !system_run(system, NULL))
        g_clear_pointer(&system, system_free);
}

static void run_sample_in_child(gpointer self, guint i, GString *out)
{
    gint64 start_us = g_get_monotonic_time();

    run_sampled_sweep_point(self, sampled_sweep_point_at(self, i));
    g_string_append_printf(out, "%" G_GINT64_FORMAT,
                           g_get_monotonic_time() - start_us);
}

static void record_sample_time(gpointer self, guint i, const GString *text,
                               const char *reason)
{
    SweepSample *sample = self;
    PointKind kind =
        sweep_point_kind_at(sample, sampled_sweep_point_at(sample, i));
    double took_s;

    if (reason)
        return;
    took_s = (double)g_ascii_strtoll(text->str, NULL, 10) / 1e6;
    sample->n_done++;
    sample->done_s += took_s;
    sample->n_done_of[kind]++;
    sample->done_of_s[kind] += took_s;
}

/* Returns the mean time of a point of @kind.  A point that was not done in time
 * counts as SWEEP_SAMPLE_S. */
static double mean_point_time_s(const SweepSample *sample, PointKind kind)
{
    guint n = sample->n_sampled[kind];
    guint n_lost = n - sample->n_done_of[kind];

    if (n > 0)
        return (sample->done_of_s[kind] + n_lost * (double)SWEEP_SAMPLE_S) / n;
    return kind == TUNED ? TUNED_RUNS * mean_point_time_s(sample, PLAIN)
                         : mean_point_time_s(sample, TUNED) / TUNED_RUNS;
}

static char *estimate_text(const SweepSample *sample, guint n_jobs)
{
    guint n_lost = sample->n_sample - sample->n_done;
    double sample_s = sample->done_s + n_lost * (double)SWEEP_SAMPLE_S;
    double all_s = 0;
    g_autofree char *time = NULL;

    for (PointKind kind = 0; kind < N_KINDS; kind++)
        if (sample->n_of[kind] > 0)
            all_s +=
                sample->n_of[kind] * mean_point_time_s(sample, kind) / n_jobs;
    time = progress_duration_text(all_s);
    return g_strdup_printf("%s %s with %u job%s, by %u point%s that %s %.1f s",
                           n_lost > 0 ? "more than" : "about", time, n_jobs,
                           n_jobs > 1 ? "s" : "", sample->n_sample,
                           sample->n_sample > 1 ? "s" : "",
                           n_lost > 0 ? "take more than" : "took", sample_s);
}

char *sweep_estimate(const SweepPlan *plan, RunOptions run_options,
                     guint n_jobs, int *number)
{
    guint n = sweep_plan_count_points(plan);
    SweepSample sample = { .plan = plan,
                           .run_options = run_options,
                           .n_sample = MIN(n, SWEEP_SAMPLE_POINTS) };
    const ProcessPool pool = { .n_points = sample.n_sample,
                               .n_jobs = MIN(n_jobs, sample.n_sample),
                               .work = run_sample_in_child,
                               .point_ended = record_sample_time,
                               .until_us = g_get_monotonic_time() +
                                           SWEEP_SAMPLE_S * G_USEC_PER_SEC,
                               .self = &sample };

    char *text;

    find_point_kinds(&sample);
    for (guint i = 0; i < sample.n_sample; i++)
        sample.n_sampled[sweep_point_kind_at(
            &sample, sampled_sweep_point_at(&sample, i))]++;
    *number = pool_run(&pool);
    text = *number == 0 ? estimate_text(&sample, MIN(n_jobs, n)) : NULL;
    g_array_unref(sample.kinds);
    return text;
}
