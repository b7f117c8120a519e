#include "validate/training_runs.h"

#include "validate/compare.h"
#include "validate/text_table.h"

/* Those that the published best one is taken from. */
static const char *const baselines[] = { "no-overlap", "comm-opt", "comp-opt",
                                         NULL };

/* ---- reading ---------------------------------------------------------- */

static gboolean read_run(const CsvTable *table, guint row, TrainingRun *ret,
                         GError **error)
{
    ret->endpoint = simulator_text(table, row, "endpoint", error);
    return ret->endpoint &&
           simulator_number(table, row, "iteration_time_us", &ret->iteration_us,
                            error) &&
           simulator_number(table, row, "exposed_comm_us", &ret->exposed_us,
                            error) &&
           simulator_number(table, row, "compute_roofline_us",
                            &ret->roofline_us, error) &&
           simulator_number(table, row, "net_bw_gb_per_s", &ret->net_gb_per_s,
                            error);
}

static TrainingPair *pair_of(GArray *pairs, const char *workload, guint n_npus)
{
    TrainingPair fresh = { .workload = workload, .n_npus = n_npus };

    for (guint i = 0; i < pairs->len; i++) {
        TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        if (pair->n_npus == n_npus && g_str_equal(pair->workload, workload))
            return pair;
    }
    g_array_append_val(pairs, fresh);
    return &g_array_index(pairs, TrainingPair, pairs->len - 1);
}

static void add_baseline(TrainingPair *pair, const TrainingRun *run)
{
    if (!pair->best.endpoint || run->iteration_us < pair->best.iteration_us)
        pair->best = *run;
    pair->best_net_gb_per_s = MAX(pair->best_net_gb_per_s, run->net_gb_per_s);
}

static gboolean add_row(GArray *pairs, const CsvTable *table, guint row,
                        GError **error)
{
    const char *workload = simulator_text(table, row, "workload", error);
    TrainingPair *pair;
    TrainingRun run;
    double n_npus;

    if (!workload || !simulator_number(table, row, "n_npus", &n_npus, error) ||
        !read_run(table, row, &run, error))
        return FALSE;
    pair = pair_of(pairs, workload, (guint)n_npus);
    if (g_strv_contains(baselines, run.endpoint))
        add_baseline(pair, &run);
    else if (g_str_equal(run.endpoint, "ace"))
        pair->ace = run;
    else if (g_str_equal(run.endpoint, "ideal"))
        pair->ideal = run;
    return TRUE;
}

GArray *training_pairs(const CsvTable *table, GError **error)
{
    g_autoptr(GArray) pairs = g_array_new(FALSE, TRUE, sizeof(TrainingPair));

    for (guint row = 0; row < csv_table_n_rows(table); row++)
        if (!add_row(pairs, table, row, error))
            return NULL;
    for (guint i = 0; i < pairs->len; i++) {
        TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        if (!pair->best.endpoint || !pair->ace.endpoint ||
            !pair->ideal.endpoint) {
            g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                        "%s on %u NPUs: no run of a baseline, of ace or of "
                        "ideal",
                        pair->workload, pair->n_npus);
            return NULL;
        }
        pair->is_ordered = pair->ideal.iteration_us <= pair->ace.iteration_us &&
                           pair->ace.iteration_us <= pair->best.iteration_us;
    }
    return g_steal_pointer(&pairs);
}

/* ---- figures ---------------------------------------------------------- */

double training_speedup(const TrainingPair *pair)
{
    return pair->best.iteration_us / pair->ace.iteration_us;
}

double training_ceiling(const TrainingPair *pair)
{
    return g_str_equal(pair->best.endpoint, "no-overlap")
               ? 0
               : pair->best.roofline_us / pair->ace.roofline_us;
}

double training_network_gain(const TrainingPair *pair)
{
    return pair->ace.net_gb_per_s / pair->best.net_gb_per_s;
}

static double reduce(const GArray *pairs, const char *workload, TrainingFn what,
                     double (*to_one)(const double *values, guint n))
{
    g_autofree double *values = g_new(double, pairs->len + 1);
    guint n = 0;

    for (guint i = 0; i < pairs->len; i++) {
        const TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        if (workload && !g_str_equal(pair->workload, workload))
            continue;
        values[n] = what(pair);
        n += values[n] > 0;
    }
    return n > 0 ? to_one(values, n) : 0;
}

double training_mean(const GArray *pairs, const char *workload, TrainingFn what)
{
    return reduce(pairs, workload, what, compare_mean);
}

double training_max(const GArray *pairs, const char *workload, TrainingFn what)
{
    return reduce(pairs, workload, what, compare_max);
}

guint training_n_ordered(const GArray *pairs)
{
    guint n = 0;

    for (guint i = 0; i < pairs->len; i++)
        n += g_array_index(pairs, TrainingPair, i).is_ordered != FALSE;
    return n;
}

/* ---- text ------------------------------------------------------------- */

void training_render(const GArray *pairs, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrlrrrrrrrl");

    text_table_add(table, "workload\tNPUs\tbest baseline\titeration us\t"
                          "exposed us\tace us\texposed us\tideal us\tspeedup\t"
                          "ceiling\tideal <= ace <= baselines");
    for (guint i = 0; i < pairs->len; i++) {
        const TrainingPair *p = &g_array_index(pairs, TrainingPair, i);
        double ceiling = training_ceiling(p);
        g_autofree char *text =
            ceiling > 0 ? g_strdup_printf("%.3f", ceiling) : g_strdup("-");

        text_table_add(
            table, "%s\t%u\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.3f\t%s\t%s",
            p->workload, p->n_npus, p->best.endpoint, p->best.iteration_us,
            p->best.exposed_us, p->ace.iteration_us, p->ace.exposed_us,
            p->ideal.iteration_us, training_speedup(p), text,
            p->is_ordered ? "yes" : "no");
    }
    text_table_render(table, out);
}
