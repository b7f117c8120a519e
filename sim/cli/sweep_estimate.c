/* sweep_estimate.c - how long a sweep will take */
#include "sim/cli/sweep_estimate.h"

#include "sim/cli/pool.h"
#include "sim/cli/progress.h"
#include "sim/cli/tune.h"

typedef struct {
    const SweepPlan *plan;
    FoldMode fold;
    guint n_sample, n_done;
    double done_s; /* of the points that are done, together */
} Sample;

static guint point_at(const Sample *sample, guint i)
{
    guint n = sweep_plan_n_points(sample->plan);

    return sample->n_sample > 1
               ? (guint)((guint64)i * (n - 1) / (sample->n_sample - 1))
               : 0;
}

/* A point that fails has its cost, too. */
static void run_point(const Sample *sample, guint point)
{
    g_autoptr(ConfigDoc) doc = sweep_plan_point(sample->plan, point, NULL);
    g_autoptr(System) system = NULL;
    g_autoptr(Tuned) tuned = NULL;
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

    (void)i;
    if (reason)
        return;
    sample->n_done++;
    sample->done_s += (double)g_ascii_strtoll(text->str, NULL, 10) / 1e6;
}

static char *text_of(const Sample *sample, guint n_jobs)
{
    guint n = sweep_plan_n_points(sample->plan);
    guint n_lost = sample->n_sample - sample->n_done;
    double sample_s = sample->done_s + n_lost * (double)SWEEP_SAMPLE_S;
    double all_s = sample_s / sample->n_sample * n / n_jobs;
    g_autofree char *time = progress_time(all_s);

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

    *number = pool_run(&pool);
    return *number == 0 ? text_of(&sample, MIN(n_jobs, n)) : NULL;
}
