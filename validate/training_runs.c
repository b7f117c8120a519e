/* training_runs.c - the training sweep: ACE compared with the baselines */
#include "validate/training_runs.h"

#include "validate/deviation.h"
#include "validate/text_table.h"

#define NO_OVERLAP 0

const char *const training_baselines[TRAINING_N_BASELINES + 1] = {
    [NO_OVERLAP] = "no-overlap",
    "comm-opt",
    "comp-opt",
    NULL,
};

/* ---- reading of training runs -------------------------------------------- */

static gboolean read_training_run(const CsvTable *table, guint row,
                                  TrainingRun *ret, GError **error)
{
    ret->endpoint = simulator_cell_text(table, row, "endpoint", error);
    return ret->endpoint &&
           simulator_cell_number(table, row, "iteration_time_us",
                                 &ret->iteration_us, error) &&
           simulator_cell_number(table, row, "exposed_comm_us",
                                 &ret->exposed_us, error) &&
           simulator_cell_number(table, row, "compute_roofline_us",
                                 &ret->roofline_us, error) &&
           simulator_cell_number(table, row, "net_bw_gb_per_s",
                                 &ret->net_gb_per_s, error);
}

static TrainingPair *
find_or_add_training_pair(GArray *pairs, const char *workload, guint n_npus)
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

/* Returns the field for the run of @endpoint, or NULL if there is none. */
static TrainingRun *training_run_of_endpoint(TrainingPair *pair,
                                             const char *endpoint)
{
    for (guint i = 0; i < TRAINING_N_BASELINES; i++)
        if (g_str_equal(endpoint, training_baselines[i]))
            return &pair->baselines[i];
    if (g_str_equal(endpoint, "ace"))
        return &pair->ace;
    return g_str_equal(endpoint, "ideal") ? &pair->ideal : NULL;
}

static gboolean add_training_row(GArray *pairs, const CsvTable *table,
                                 guint row, GError **error)
{
    const char *workload = simulator_cell_text(table, row, "workload", error);
    TrainingRun run, *place;
    double n_npus;

    if (!workload ||
        !simulator_cell_number(table, row, "n_npus", &n_npus, error) ||
        !read_training_run(table, row, &run, error))
        return FALSE;
    place = training_run_of_endpoint(
        find_or_add_training_pair(pairs, workload, (guint)n_npus),
        run.endpoint);
    if (place)
        *place = run;
    return TRUE;
}

static const TrainingRun *
fastest_training_run_of_pair_from(const TrainingPair *pair, guint first)
{
    const TrainingRun *best = &pair->baselines[first];

    for (guint i = first; i < TRAINING_N_BASELINES; i++)
        if (pair->baselines[i].iteration_us < best->iteration_us)
            best = &pair->baselines[i];
    return best;
}

static gboolean pair_is_complete(const TrainingPair *pair)
{
    for (guint i = 0; i < TRAINING_N_BASELINES; i++)
        if (!pair->baselines[i].endpoint)
            return FALSE;
    return pair->ace.endpoint && pair->ideal.endpoint;
}

GArray *training_pairs_from_table(const CsvTable *table, GError **error)
{
    g_autoptr(GArray) pairs = g_array_new(FALSE, TRUE, sizeof(TrainingPair));

    for (guint row = 0; row < csv_table_n_rows(table); row++)
        if (!add_training_row(pairs, table, row, error))
            return NULL;
    for (guint i = 0; i < pairs->len; i++) {
        TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        if (!pair_is_complete(pair)) {
            g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                        "%s on %u NPUs: the run of an endpoint is missing",
                        pair->workload, pair->n_npus);
            return NULL;
        }
        pair->best = fastest_training_run_of_pair_from(pair, 0);
        pair->is_ordered = pair->ideal.iteration_us <= pair->ace.iteration_us &&
                           pair->ace.iteration_us <= pair->best->iteration_us;
    }
    return g_steal_pointer(&pairs);
}

/* ---- speedups and gains of training runs --------------------------------- */

double training_speedup(const TrainingPair *pair)
{
    return pair->best->iteration_us / pair->ace.iteration_us;
}

double training_compute_gain(const TrainingPair *pair)
{
    double largest_us = 0;

    for (guint i = 0; i < TRAINING_N_BASELINES; i++)
        largest_us = MAX(largest_us, pair->baselines[i].roofline_us);
    return largest_us / pair->ace.roofline_us;
}

double training_overlap_speedup(const TrainingPair *pair)
{
    return fastest_training_run_of_pair_from(pair, NO_OVERLAP + 1)
               ->iteration_us /
           pair->ace.iteration_us;
}

double training_network_gain(const TrainingPair *pair)
{
    return pair->ace.net_gb_per_s / pair->best->net_gb_per_s;
}

double training_mean_network_gain(const GArray *pairs, guint i)
{
    double sum = 0;

    for (guint p = 0; p < pairs->len; p++) {
        const TrainingPair *pair = &g_array_index(pairs, TrainingPair, p);

        sum += pair->ace.net_gb_per_s / pair->baselines[i].net_gb_per_s;
    }
    return sum / pairs->len;
}

static double
reduce_statistic_over_pairs(const GArray *pairs, const char *workload,
                            TrainingFn statistic,
                            double (*to_one)(const double *values, guint n))
{
    g_autofree double *values = g_new(double, pairs->len + 1);
    guint n = 0;

    for (guint i = 0; i < pairs->len; i++) {
        const TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        if (workload && !g_str_equal(pair->workload, workload))
            continue;
        values[n] = statistic(pair);
        n += values[n] > 0;
    }
    return n > 0 ? to_one(values, n) : 0;
}

double training_mean_over_pairs(const GArray *pairs, const char *workload,
                                TrainingFn statistic)
{
    return reduce_statistic_over_pairs(pairs, workload, statistic,
                                       mean_of_values);
}

double training_max_over_pairs(const GArray *pairs, const char *workload,
                               TrainingFn statistic)
{
    return reduce_statistic_over_pairs(pairs, workload, statistic,
                                       max_of_values);
}

char *training_best_baselines_text(const GArray *pairs, const char *workload)
{
    GString *out = g_string_new(NULL);

    for (guint b = 0; b < TRAINING_N_BASELINES; b++) {
        guint n = 0;

        for (guint i = 0; i < pairs->len; i++) {
            const TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

            n += g_str_equal(pair->workload, workload) &&
                 pair->best == &pair->baselines[b];
        }
        if (n > 0)
            g_string_append_printf(out, "%s%u %s", out->len > 0 ? ", " : "", n,
                                   training_baselines[b]);
    }
    return g_string_free(out, FALSE);
}

guint training_n_pairs_in_expected_order(const GArray *pairs)
{
    guint n = 0;

    for (guint i = 0; i < pairs->len; i++)
        n += g_array_index(pairs, TrainingPair, i).is_ordered != FALSE;
    return n;
}

/* ---- table of training runs ---------------------------------------------- */

void training_render(const GArray *pairs, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrlrrrrrrrrl");

    text_table_add_row(table,
                       "workload\tNPUs\tbest baseline\titeration us\t"
                       "exposed us\tace us\texposed us\tideal us\tspeedup\t"
                       "compute gain\tnet gain\tideal <= ace <= baselines");
    for (guint i = 0; i < pairs->len; i++) {
        const TrainingPair *pair = &g_array_index(pairs, TrainingPair, i);

        text_table_add_row(
            table,
            "%s\t%u\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.3f\t%.3f\t%.2f\t%s",
            pair->workload, pair->n_npus, pair->best->endpoint,
            pair->best->iteration_us, pair->best->exposed_us,
            pair->ace.iteration_us, pair->ace.exposed_us,
            pair->ideal.iteration_us, training_speedup(pair),
            training_compute_gain(pair), training_network_gain(pair),
            pair->is_ordered ? "yes" : "no");
    }
    text_table_render(table, out);
}
