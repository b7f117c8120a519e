/* contention_study.c - kernels during communication: published and simulated */
#include "validate/kernels/contention_study.h"

#include <math.h>

#include "validate/text_table.h"

#define RUNS "configs/contention"

/* ---- reading of contention rows ------------------------------------------ */

enum {
    COLUMN_GROUP,
    COLUMN_NAME,
    COLUMN_RUN,
    COLUMN_MEASURE,
    COLUMN_PUBLISHED,
    COLUMN_SOURCE,
    COLUMN_ASSUMED,
    N_COLUMNS
};

static const char *const column_names[N_COLUMNS] = {
    "group", "name", "run", "measure", "published", "source", "assumed",
};

static void clear_contention_row(gpointer data)
{
    ContentionRow *row = data;

    g_free(row->group);
    g_free(row->name);
    g_free(row->run);
    g_free(row->source);
    g_free(row->assumed);
}

static void clear_contention_result(gpointer data)
{
    clear_contention_row(&((ContentionResult *)data)->row);
}

static ContentionRow copy_contention_row(const ContentionRow *row)
{
    ContentionRow copy = *row;

    copy.group = g_strdup(row->group);
    copy.name = g_strdup(row->name);
    copy.run = g_strdup(row->run);
    copy.source = g_strdup(row->source);
    copy.assumed = g_strdup(row->assumed);
    return copy;
}

static gboolean read_contention_row(const char *path, const CsvTable *table,
                                    guint i, const guint *columns,
                                    ContentionRow *ret, GError **error)
{
    const char *measure = csv_table_text(table, i, columns[COLUMN_MEASURE]);
    ContentionRow row = { .is_gain = g_str_equal(measure, "gain") };

    if (!csv_table_number(table, i, columns[COLUMN_PUBLISHED], &row.published,
                          error))
        return FALSE;
    if (row.published <= 0 ||
        (!row.is_gain && !g_str_equal(measure, "slowdown"))) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s:%u: measure is slowdown or gain, and published above 0",
                    path, i + 2);
        return FALSE;
    }
    row.group = (char *)csv_table_text(table, i, columns[COLUMN_GROUP]);
    row.name = (char *)csv_table_text(table, i, columns[COLUMN_NAME]);
    row.run = (char *)csv_table_text(table, i, columns[COLUMN_RUN]);
    row.source = (char *)csv_table_text(table, i, columns[COLUMN_SOURCE]);
    row.assumed = (char *)csv_table_text(table, i, columns[COLUMN_ASSUMED]);
    *ret = copy_contention_row(&row);
    return TRUE;
}

GArray *contention_rows_load(const char *path, GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(ContentionRow));
    guint columns[N_COLUMNS];

    g_array_set_clear_func(rows, clear_contention_row);
    for (guint c = 0; table && c < N_COLUMNS; c++)
        if (!csv_table_column(table, column_names[c], &columns[c], error))
            return NULL;
    for (guint i = 0; table && i < csv_table_n_rows(table); i++) {
        ContentionRow row;

        if (!read_contention_row(path, table, i, columns, &row, error))
            return NULL;
        g_array_append_val(rows, row);
    }
    return table ? g_steal_pointer(&rows) : NULL;
}

/* ---- simulation of kernels during communication -------------------------- */

double contention_gain_of_overlap(double kernels_us, double collective_us,
                                  double all_us)
{
    double alone_us = kernels_us + collective_us;
    double best = alone_us / MAX(kernels_us, collective_us) - 1;

    return best > 0 ? 100 * (alone_us / all_us - 1) / best : 100;
}

static gboolean run_one_overlap(const Simulator *simulator, const char *name,
                                const ContentionRow *row, gboolean overlap,
                                double *ret_kernels_us, double *ret_all_us,
                                GError **error)
{
    g_autofree char *base =
        g_strdup_printf("%s/%s%s", name, row->run, overlap ? "" : "-alone");
    g_autofree char *file = g_strdup_printf(RUNS "/%s.yaml", row->run);
    const char *const arguments[] = { "--set",
                                      overlap ? "training.overlap=true"
                                              : "training.overlap=false",
                                      NULL };
    g_autoptr(CsvTable) table =
        simulator_run(simulator, base, file, arguments, error);

    return table &&
           simulator_cell_number(table, 0, "compute_time_us", ret_kernels_us,
                                 error) &&
           simulator_cell_number(table, 0, "iteration_time_us", ret_all_us,
                                 error);
}

/* Checks that communication covers the kernels.  A slowdown is defined for
 * kernels that overlap with communication until they end. */
static gboolean collective_covers_kernels(const ContentionResult *result,
                                          GError **error)
{
    if (result->row.is_gain || result->all_us > result->beside_us)
        return TRUE;
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                RUNS "/%s.yaml: the collective ends before the kernels",
                result->row.run);
    return FALSE;
}

static gboolean run_contention_row(const Simulator *simulator, const char *name,
                                   ContentionResult *result, GError **error)
{
    const ContentionRow *row = &result->row;

    if (!run_one_overlap(simulator, name, row, FALSE, &result->kernels_us,
                         &result->alone_us, error) ||
        !run_one_overlap(simulator, name, row, TRUE, &result->beside_us,
                         &result->all_us, error) ||
        !collective_covers_kernels(result, error))
        return FALSE;
    result->collective_us = result->alone_us - result->kernels_us;
    result->simulated =
        row->is_gain
            ? contention_gain_of_overlap(result->kernels_us,
                                         result->collective_us, result->all_us)
            : result->beside_us / result->kernels_us;
    result->error_percent = 100 * (result->simulated / row->published - 1);
    return TRUE;
}

GArray *contention_results_new(void)
{
    GArray *results = g_array_new(FALSE, FALSE, sizeof(ContentionResult));

    g_array_set_clear_func(results, clear_contention_result);
    return results;
}

GArray *contention_study_run(const Simulator *simulator, const char *name,
                             const char *path, GError **error)
{
    g_autoptr(GArray) rows = contention_rows_load(path, error);
    g_autoptr(GArray) results = contention_results_new();

    for (guint i = 0; rows && i < rows->len; i++) {
        ContentionResult result = { .row = copy_contention_row(&g_array_index(
                                        rows, ContentionRow, i)) };

        if (!run_contention_row(simulator, name, &result, error)) {
            clear_contention_result(&result);
            return NULL;
        }
        g_array_append_val(results, result);
    }
    return rows ? g_steal_pointer(&results) : NULL;
}

/* ---- errors of simulated slowdowns --------------------------------------- */

double contention_mean_percent(const GArray *results, const char *group)
{
    double sum = 0;
    guint n = 0;

    for (guint i = 0; i < results->len; i++) {
        if (!g_str_equal(contention_result_at(results, i)->row.group, group))
            continue;
        sum += fabs(contention_result_at(results, i)->error_percent);
        n++;
    }
    return n > 0 ? sum / n : -1;
}

double contention_error_percent(const GArray *results, const char *group,
                                const char *run)
{
    for (guint i = 0; i < results->len; i++) {
        const ContentionResult *result = contention_result_at(results, i);

        if (g_str_equal(result->row.group, group) &&
            g_str_equal(result->row.run, run))
            return fabs(result->error_percent);
    }
    return -1;
}

gboolean contention_simulation_keeps_order(const GArray *results,
                                           const char *group)
{
    double last = -INFINITY;

    for (guint i = 0; i < results->len; i++) {
        const ContentionResult *result = contention_result_at(results, i);

        if (!g_str_equal(result->row.group, group))
            continue;
        if (result->simulated <= last)
            return FALSE;
        last = result->simulated;
    }
    return last > -INFINITY;
}

static ContentionVerdict
verdict_within_percent(double percent, double most_percent, const char *what)
{
    ContentionVerdict ret = { .is_met =
                                  percent >= 0 && percent <= most_percent };

    g_snprintf(ret.text, sizeof(ret.text),
               "contention: %s, %.1f %% off; at most %.0f is right", what,
               percent, most_percent);
    return ret;
}

ContentionVerdict *contention_verdicts(const GArray *results)
{
    ContentionVerdict *ret = g_new0(ContentionVerdict, CONTENTION_N_VERDICTS);
    double product = contention_error_percent(results, "a100", "a100-product");
    double attention =
        contention_error_percent(results, "a100", "a100-attention");

    ret[0] = verdict_within_percent(
        contention_error_percent(results, "waves", "h100-132-tiles"), 10,
        "132 tiles beside 24 blocks on 132 SMs");
    ret[1] = verdict_within_percent(
        contention_mean_percent(results, "h800"), 6,
        "kernels of H800 beside 20 of 132 SMs, on average");
    ret[2] = verdict_within_percent(
        product < 0 || attention < 0 ? -1 : MAX(product, attention), 25,
        "product and attention of A100 beside an all-gather");
    ret[3].is_met = contention_simulation_keeps_order(results, "mi300x");
    g_snprintf(ret[3].text, sizeof(ret[3].text),
               "contention: of the ideal gain a partition of MI300X reaches "
               "more than SMs as they come, DMA engines more than both");
    return ret;
}

/* ---- output of the contention study -------------------------------------- */

void contention_render(const GArray *results, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrll");

    text_table_add_row(table,
                       "group\tbeside communication\tpublished\tsimulated\t"
                       "error %%\talone us\tsource\tassumed");
    for (guint i = 0; i < results->len; i++) {
        const ContentionResult *result = contention_result_at(results, i);
        const ContentionRow *row = &result->row;

        text_table_add_row(table, "%s\t%s\t%.4g%s\t%.4g%s\t%+.1f\t%.1f\t%s\t%s",
                           row->group, row->name, row->published,
                           row->is_gain ? " %" : "", result->simulated,
                           row->is_gain ? " %" : "", result->error_percent,
                           result->kernels_us, row->source, row->assumed);
    }
    text_table_render(table, out);
}

char *contention_csv(const GArray *results)
{
    GString *out = g_string_new(
        "group,name,run,measure,source,published,simulated,error_percent,"
        "kernels_alone_us,kernels_beside_us,collective_alone_us,all_us\n");

    for (guint i = 0; i < results->len; i++) {
        const ContentionResult *result = contention_result_at(results, i);
        const ContentionRow *row = &result->row;

        csv_add_text(out, row->group);
        csv_add_text(out, row->name);
        csv_add_text(out, row->run);
        csv_add_text(out, row->is_gain ? "gain" : "slowdown");
        csv_add_text(out, row->source);
        g_string_append_printf(
            out, "%.6g,%.6g,%.3f,%.6f,%.6f,%.6f,%.6f,", row->published,
            result->simulated, result->error_percent, result->kernels_us,
            result->beside_us, result->collective_us, result->all_us);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
