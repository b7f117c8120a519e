/* system_study.c - training systems of papers: measured and simulated */
#include "validate/systems/system_study.h"

#include <math.h>

#include "validate/deviation.h"

#define US_PER_MS 1e3
#define WITHOUT   "without"
#define SPREAD    "spread_percent"
#define COMPUTE   "compute_time_us"
#define NOTHING   "nothing"

const char *const system_use_names[SYSTEM_N_USES + 1] = { "fitted", "held",
                                                          "told", "order",
                                                          NULL };

static void clear_system_row(gpointer data)
{
    SystemRow *row = data;

    g_free(row->keys);
    g_free(row->field);
    g_free(row->rival);
    g_free(row->column);
}

static void clear_ablation_row(gpointer data)
{
    g_free(((SystemAblation *)data)->part);
}

/* ---- reading and joining of measured rows -------------------------------- */

/* Joins a file of measured rows with the results of a sweep: the number of
 * columns that are axes, and their columns in the sweep. */
typedef struct {
    const CsvTable *data, *runs; /* Another object owns this memory. */
    const char *rival;
    guint n_axes;
    /* The struct owns this array, the column of each axis in the sweep. */
    guint *in_runs;
    /* The column of the axis `without` in the sweep; the number of columns if
     * there is none. */
    guint without;
} StudyJoin;

static void study_join_clear(StudyJoin *join)
{
    g_free(join->in_runs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StudyJoin, study_join_clear)

static gboolean find_join_columns(StudyJoin *join, GError **error)
{
    if (!csv_table_column(join->data, "column", &join->n_axes, error))
        return FALSE;
    join->in_runs = g_new0(guint, join->n_axes + 1);
    for (guint i = 0; i < join->n_axes; i++)
        if (!csv_table_column(join->runs, csv_table_column_name(join->data, i),
                              &join->in_runs[i], error))
            return FALSE;
    join->without = csv_table_n_columns(join->runs);
    for (guint i = 0; i < csv_table_n_columns(join->runs); i++)
        if (g_str_equal(csv_table_column_name(join->runs, i), WITHOUT))
            join->without = i;
    return TRUE;
}

/* Returns what is removed from the model at point @run; NOTHING if there is no
 * such axis. */
static const char *name_of_removed_part(const StudyJoin *join, guint run)
{
    return join->without < csv_table_n_columns(join->runs)
               ? csv_table_text(join->runs, run, join->without)
               : NOTHING;
}

static gboolean sweep_run_matches_measured_row(const StudyJoin *join, guint row,
                                               guint run, const char *without)
{
    if (!g_str_equal(name_of_removed_part(join, run), without))
        return FALSE;
    for (guint i = 0; i < join->n_axes; i++)
        if (!g_str_equal(csv_table_text(join->data, row, i),
                         csv_table_text(join->runs, run, join->in_runs[i])))
            return FALSE;
    return TRUE;
}

/* Returns the point of @row, or the number of points if there is none. */
static guint find_sweep_run_of_measured_row(const StudyJoin *join, guint row,
                                            const char *without)
{
    guint n = csv_table_n_rows(join->runs);

    for (guint i = 0; i < n; i++)
        if (sweep_run_matches_measured_row(join, row, i, without))
            return i;
    return n;
}

static void set_name_of_row(const StudyJoin *join, guint row, SystemRow *ret)
{
    GString *keys = g_string_new(NULL);
    GString *field = g_string_new(NULL);

    ret->rival = g_strdup("");
    for (guint i = 0; i < join->n_axes; i++) {
        const char *text = csv_table_text(join->data, row, i);
        gboolean is_rival =
            g_strcmp0(csv_table_column_name(join->data, i), join->rival) == 0;

        g_string_append_printf(keys, "%s%s", i > 0 ? ", " : "", text);
        if (!is_rival) {
            g_string_append_printf(field, "%s, ", text);
            continue;
        }
        g_free(ret->rival);
        ret->rival = g_strdup(text);
    }
    ret->keys = g_string_free(keys, FALSE);
    ret->field = g_string_free(field, FALSE);
}

static gboolean read_system_use(const CsvTable *data, guint row, SystemUse *ret,
                                GError **error)
{
    const char *text = simulator_cell_text(data, row, "use", error);

    if (!text)
        return FALSE;
    for (guint i = 0; i < SYSTEM_N_USES; i++) {
        if (!g_str_equal(text, system_use_names[i]))
            continue;
        *ret = (SystemUse)i;
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "row %u: use: '%s' is not fitted, held, told or order", row + 1,
                text);
    return FALSE;
}

static gboolean read_error_of_run(const StudyJoin *join, guint row, guint run,
                                  double measured_ms, double *ret_ms,
                                  double *ret, GError **error)
{
    const char *column = simulator_cell_text(join->data, row, "column", error);
    double simulated_us;

    if (!column ||
        !simulator_cell_number(join->runs, run, column, &simulated_us, error))
        return FALSE;
    *ret_ms = simulated_us / US_PER_MS;
    *ret = compare_deviation_percent(*ret_ms, measured_ms);
    return TRUE;
}

/* Sets *@ret to the number in @column, or to 0 if the column is missing or the
 * cell is empty. */
static gboolean read_optional_number(const CsvTable *table, guint row,
                                     const char *column, double *ret,
                                     GError **error)
{
    *ret = 0;
    for (guint i = 0; i < csv_table_n_columns(table); i++)
        if (g_str_equal(csv_table_column_name(table, i), column) &&
            *csv_table_text(table, row, i) != '\0')
            return csv_table_number(table, row, i, ret, error);
    return TRUE;
}

/* Reads a row and its point.  The names in @ret must have been set. */
static gboolean read_system_row(const StudyJoin *join, guint row,
                                SystemRow *ret, GError **error)
{
    guint run = find_sweep_run_of_measured_row(join, row, NOTHING);

    if (run == csv_table_n_rows(join->runs)) {
        g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                    "row %u (%s): the sweep has no such point", row + 1,
                    ret->keys);
        return FALSE;
    }
    if (!read_optional_number(join->data, row, SPREAD, &ret->spread_percent,
                              error) ||
        !read_optional_number(join->runs, run, COMPUTE, &ret->compute_ms,
                              error))
        return FALSE;
    ret->compute_ms /= US_PER_MS;
    ret->column =
        g_strdup(simulator_cell_text(join->data, row, "column", error));
    return ret->column && read_system_use(join->data, row, &ret->use, error) &&
           simulator_cell_number(join->data, row, "measured_ms",
                                 &ret->measured_ms, error) &&
           read_error_of_run(join, row, run, ret->measured_ms,
                             &ret->simulated_ms, &ret->error_percent, error);
}

static void add_error_percent(guint n, double percent, double *mean,
                              double *worst)
{
    *mean += (fabs(percent) - *mean) / n;
    *worst = MAX(*worst, fabs(percent));
}

static gboolean read_ablation_row(const StudyJoin *join,
                                  const SystemStudy *study, SystemAblation *ret,
                                  GError **error)
{
    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);
        guint run = find_sweep_run_of_measured_row(join, i, ret->part);
        double ms, percent;

        if (run == csv_table_n_rows(join->runs) ||
            row->use == SYSTEM_SHOWN_ONLY || row->use == SYSTEM_ORDER)
            continue;
        if (!read_error_of_run(join, i, run, row->measured_ms, &ms, &percent,
                               error))
            return FALSE;
        ret->n++;
        add_error_percent(ret->n, row->error_percent, &ret->mean_percent,
                          &ret->worst_percent);
        add_error_percent(ret->n, percent, &ret->mean_without,
                          &ret->worst_without);
    }
    return TRUE;
}

/* Reads the values of the axis `without` in the order of the sweep, each
 * once. */
static gboolean read_ablation_rows(const StudyJoin *join, SystemStudy *study,
                                   GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    g_hash_table_add(seen, (gpointer)NOTHING);
    for (guint i = 0; i < csv_table_n_rows(join->runs); i++) {
        const char *what = name_of_removed_part(join, i);
        SystemAblation without = { 0 };

        if (!g_hash_table_add(seen, (gpointer)what))
            continue;
        without.part = g_strdup(what);
        g_array_append_val(study->ablations, without);
        if (!read_ablation_row(join, study,
                               &g_array_index(study->ablations, SystemAblation,
                                              study->ablations->len - 1),
                               error))
            return FALSE;
    }
    return TRUE;
}

SystemStudy *system_study_new(const SystemTable *table, const CsvTable *data,
                              const CsvTable *runs, GError **error)
{
    g_autoptr(SystemStudy) study = g_new0(SystemStudy, 1);
    g_auto(StudyJoin)
        join = { .data = data, .runs = runs, .rival = table->rival };

    study->table = table;
    study->rows = g_array_new(FALSE, TRUE, sizeof(SystemRow));
    g_array_set_clear_func(study->rows, clear_system_row);
    study->ablations = g_array_new(FALSE, TRUE, sizeof(SystemAblation));
    g_array_set_clear_func(study->ablations, clear_ablation_row);
    if (!find_join_columns(&join, error))
        return NULL;
    for (guint i = 0; i < csv_table_n_rows(data); i++) {
        g_array_set_size(study->rows, i + 1);
        set_name_of_row(&join, i, system_row_at(study, i));
        if (!read_system_row(&join, i, system_row_at(study, i), error))
            return NULL;
    }
    return read_ablation_rows(&join, study, error) ? g_steal_pointer(&study)
                                                   : NULL;
}

SystemStudy *system_study_run(const Simulator *simulator,
                              const SystemTable *table, GError **error)
{
    g_autofree char *file =
        g_strdup_printf("validate/data/systems/%s.csv", table->name);
    g_autofree char *sweep =
        g_strdup_printf("configs/papers/%s/%s.yaml", table->paper, table->name);
    g_autofree char *name = g_strdup_printf("systems/%s", table->name);
    g_autoptr(CsvTable) data = csv_table_load(file, error);
    g_autoptr(CsvTable) runs =
        data ? simulator_run_sweep(simulator, name, sweep, NULL, error) : NULL;
    SystemStudy *study =
        runs ? system_study_new(table, data, runs, error) : NULL;

    if (!study)
        g_prefix_error(error, "%s: ", table->name);
    return study;
}

void system_study_free(SystemStudy *study)
{
    g_array_unref(study->rows);
    g_array_unref(study->ablations);
    g_free(study);
}
