/* sweep_estimate.c - see sweep_estimate.h */
#include "sim/sweep/sweep_estimate.h"

#include "sim/host/pool.h"
#include "sim/host/progress.h"
#include "sim/study/tune.h"

/* A tuned point runs many times, and a sample contains few of them, so they are
 * counted separately. */
typedef enum { PLAIN, TUNED, N_KINDS } Kind;

/* The number of runs assumed for a tuned point if the sample contains none
 * (measured). */
#define TUNED_RUNS 5

typedef struct {
    const SweepPlan *plan;
    FoldMode fold;
    guint n_sample, n_done;
    double done_s; /* total time of the completed points */
    GArray *kinds; /* owned, of Kind: one per point of the plan */
    guint n_of[N_KINDS], n_sampled[N_KINDS], n_done_of[N_KINDS];
    double done_of_s[N_KINDS];
} Sample;

static Kind kind_at(const Sample *sample, guint point)
{
    return g_array_index(sample->kinds, Kind, point);
}

static Kind find_kind(const SweepPlan *plan, guint point)
{
    g_autoptr(ConfigDoc) doc = sweep_plan_point(plan, point, NULL);
    SystemConfig config;

    return doc && config_doc_read(doc, system_fields, &config, NULL) &&
                   tune_is_needed(&config)
               ? TUNED
               : PLAIN;
}

/* Finds the kind of each point; points with the same endpoint have the same
 * kind. */
static void find_kinds(Sample *sample)
{
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    sample->kinds = g_array_new(FALSE, FALSE, sizeof(Kind));
    for (guint i = 0; i < sweep_plan_n_points(sample->plan); i++) {
        char *endpoint = sweep_plan_endpoint(sample->plan, i);
        gpointer found;
        Kind kind;

        if (!g_hash_table_lookup_extended(known, endpoint, NULL, &found)) {
            found = GUINT_TO_POINTER(find_kind(sample->plan, i));
            g_hash_table_insert(known, g_strdup(endpoint), found);
        }
        g_free(endpoint);
        kind = (Kind)GPOINTER_TO_UINT(found);
        g_array_append_val(sample->kinds, kind);
        sample->n_of[kind]++;
    }
}

static guint point_at(const Sample *sample, guint i)
{
    guint n = sweep_plan_n_points(sample->plan);

    return sample->n_sample > 1
               ? (guint)((guint64)i * (n - 1) / (sample->n_sample - 1))
               : 0;
}

/* A point that fails has a cost as well. */
static void run_point(const Sample *sample, guint point)
{
    g_autoptr(ConfigDoc) doc = sweep_plan_point(sample->plan, point, NULL);
    g_autoptr(System) system = NULL;
    g_autoptr(TuneResult) tuned = NULL;
    SystemConfig config;

    if (!doc || !config_doc_read(doc, system_fields, &config, NULL))
        return;
    if (tune_is_needed(&config)) {
        tuned = tune_new(&config, sample->fold, (SystemSize){ 0 }, NULL);
        return;
    }
    system = system_new(&config, sample->fold, NULL);
    if (system && !system_run(system, NULL))
        g_clear_pointer(&system, system_free);
}

static void work(gpointer self, guint i, GString *out)
{
    gint64 start_us = g_get_monotonic_time();

    run_point(self, point_at(self, i));
    g_string_append_printf(out, "%" G_GINT64_FORMAT,
                           g_get_monotonic_time() - start_us);
}

static void done(gpointer self, guint i, const GString *text,
                 const char *reason)
{
    Sample *sample = self;
    Kind kind = kind_at(sample, point_at(sample, i));
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
static double mean_s(const Sample *sample, Kind kind)
{
    guint n = sample->n_sampled[kind];
    guint n_lost = n - sample->n_done_of[kind];

    if (n > 0)
        return (sample->done_of_s[kind] + n_lost * (double)SWEEP_SAMPLE_S) / n;
    return kind == TUNED ? TUNED_RUNS * mean_s(sample, PLAIN)
                         : mean_s(sample, TUNED) / TUNED_RUNS;
}

static char *text_of(const Sample *sample, guint n_jobs)
{
    guint n_lost = sample->n_sample - sample->n_done;
    double sample_s = sample->done_s + n_lost * (double)SWEEP_SAMPLE_S;
    double all_s = 0;
    g_autofree char *time = NULL;

    for (Kind kind = 0; kind < N_KINDS; kind++)
        if (sample->n_of[kind] > 0)
            all_s += sample->n_of[kind] * mean_s(sample, kind) / n_jobs;
    time = progress_time(all_s);
    return g_strdup_printf("%s %s with %u job%s, by %u point%s that %s %.1f s",
                           n_lost > 0 ? "more than" : "about", time, n_jobs,
                           n_jobs > 1 ? "s" : "", sample->n_sample,
                           sample->n_sample > 1 ? "s" : "",
                           n_lost > 0 ? "take more than" : "took", sample_s);
}

char *sweep_estimate(const SweepPlan *plan, FoldMode fold, guint n_jobs,
                     int *number)
{
    guint n = sweep_plan_n_points(plan);
    Sample sample = { .plan = plan,
                      .fold = fold,
                      .n_sample = MIN(n, SWEEP_SAMPLE_POINTS) };
    const Pool pool = { .n_points = sample.n_sample,
                        .n_jobs = MIN(n_jobs, sample.n_sample),
                        .work = work,
                        .done = done,
                        .until_us = g_get_monotonic_time() +
                                    SWEEP_SAMPLE_S * G_USEC_PER_SEC,
                        .self = &sample };

    char *text;

    find_kinds(&sample);
    for (guint i = 0; i < sample.n_sample; i++)
        sample.n_sampled[kind_at(&sample, point_at(&sample, i))]++;
    *number = pool_run(&pool);
    text = *number == 0 ? text_of(&sample, MIN(n_jobs, n)) : NULL;
    g_array_unref(sample.kinds);
    return text;
}
