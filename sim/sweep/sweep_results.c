/*
 * sweep_results.c - loads the results folder of a sweep for plots and reports;
 * see sweep_results.h
 */
#include "sim/sweep/sweep_results.h"

#include <math.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/study/compare/compare_group_columns.h"
#include "sim/sweep/sweep_info.h"

char **results_compared_names(const char *runs, const char *what,
                              GError **error)
{
    g_autofree char *name = g_path_get_basename(runs);
    g_autofree char *folder = g_path_get_dirname(runs);
    g_autofree char *info = g_build_filename(folder, "info.json", NULL);

    g_autofree char *key = g_strdup_printf("compare.%s", what);

    if (g_str_equal(name, "runs.csv") && g_file_test(info, G_FILE_TEST_EXISTS))
        return sweep_info_read_list(info, key, error);
    return g_new0(char *, 1);
}

/* ---- loading the results folder ------------------------------------------ */

/* A sweep that was stopped has a journal but no runs.csv yet. */
static gboolean is_sweep_unfinished(const char *runs)
{
    g_autofree char *name = g_path_get_basename(runs);
    g_autofree char *folder = g_path_get_dirname(runs);
    g_autofree char *journal = g_build_filename(folder, "runs.journal", NULL);

    return g_str_equal(name, "runs.csv") &&
           !g_file_test(runs, G_FILE_TEST_EXISTS) &&
           g_file_test(journal, G_FILE_TEST_EXISTS);
}

CsvTable *results_load_runs(const char *runs, GError **error)
{
    if (!is_sweep_unfinished(runs))
        return csv_table_load(runs, error);
    g_set_error(error, CSV_ERROR, CSV_ERROR_FILE,
                "%s does not exist yet: the sweep is not finished; the same "
                "`acesim sweep` command continues it",
                runs);
    return NULL;
}

/* Returns why no rows can be compared, without the path, which the reader
 * knows. */
static const char *failure_reason_without_path(const SweepResults *results,
                                               const GError *reason)
{
    gsize n = strlen(results->path);

    if (!reason)
        return "no two rows can be compared";
    return g_str_has_prefix(reason->message, results->path) &&
                   g_str_has_prefix(reason->message + n, ": ")
               ? reason->message + n + 2
               : reason->message;
}

static gboolean compare_result_rows(SweepResults *results, GError **error)
{
    results->labels = g_new0(GHashTable *, csv_table_n_columns(results->table));
    results->axis_names = g_new0(char *, csv_table_n_columns(results->table));
    if (!csv_table_column(results->table, "workload", &results->workload,
                          error) ||
        !csv_table_column(results->table, "n_npus", &results->n_npus, error) ||
        !csv_table_column(results->table, "endpoint", &results->endpoint,
                          error))
        return FALSE;
    results->rows = list_ok_rows(results->table);
    if (results->rows->len == 0 && !results->may_be_empty) {
        g_set_error(error, CSV_ERROR, CSV_ERROR_FILE,
                    "%s: no run in it came to a result", results->path);
        return FALSE;
    }
    results->keys = find_group_columns(results->table, results->workload,
                                       results->n_npus, results->endpoint);
    return results_check_number_column(results, "n_npus", error);
}

static gboolean load_run_rows(SweepResults *results, GError **error)
{
    g_autoptr(GError) reason = NULL;

    if (!compare_result_rows(results, error) ||
        !results_check_number_column(results, "iteration_time_us", error))
        return FALSE;
    if (results->rows->len == 0) {
        results->no_comparison_reason = g_strdup("no point came to a result");
        return TRUE;
    }
    results->comparison = compare_sweep_table(
        results->table, results->path,
        &(CompareNames){ results->baselines, results->best, results->offloads,
                         results->fastest_over },
        &reason);
    if (results->comparison && results->comparison->pairs->len > 0)
        return TRUE;
    results->no_comparison_reason =
        g_strdup(failure_reason_without_path(results, reason));
    g_clear_pointer(&results->comparison, compare_free);
    return TRUE;
}

/* Loads utilisation.csv if it exists.  Returns FALSE if it cannot be used. */
static gboolean load_utilisation_over_time(SweepResults *results,
                                           GError **error)
{
    g_autofree char *path =
        g_build_filename(results->folder, "utilisation.csv", NULL);

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    results->over_time = g_new0(SweepResults, 1);
    results->over_time->path = g_steal_pointer(&path);
    results->over_time->table = csv_table_load(results->over_time->path, error);
    if (!results->over_time->table)
        return FALSE;
    if (csv_table_n_rows(results->over_time->table) > 0)
        return compare_result_rows(results->over_time, error);
    /* All runs took no time. */
    g_clear_pointer(&results->over_time, results_free);
    return TRUE;
}

/* Loads sensitivity.csv if it exists.  Returns FALSE if it cannot be used. */
static gboolean load_sensitivity_csv(SweepResults *results, GError **error)
{
    g_autofree char *path =
        g_build_filename(results->folder, "sensitivity.csv", NULL);

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    results->sensitivity = g_new0(SweepResults, 1);
    results->sensitivity->path = g_steal_pointer(&path);
    results->sensitivity->table =
        csv_table_load(results->sensitivity->path, error);
    if (!results->sensitivity->table)
        return FALSE;
    results->sensitivity->rows = list_ok_rows(results->sensitivity->table);
    results->sensitivity->keys = g_array_new(FALSE, FALSE, sizeof(guint));
    return TRUE;
}

SweepResults *results_load_sensitivity(const char *folder, GError **error)
{
    g_autoptr(SweepResults) r = g_new0(SweepResults, 1);

    r->folder = g_strdup(folder);
    return load_sensitivity_csv(r, error) ? g_steal_pointer(&r) : NULL;
}

static SweepResults *load_results_of_folder(const char *folder,
                                            gboolean may_be_empty,
                                            GError **error)
{
    g_autoptr(SweepResults) r = g_new0(SweepResults, 1);

    r->may_be_empty = may_be_empty;
    r->folder = g_strdup(folder);
    r->path = g_build_filename(folder, "runs.csv", NULL);
    r->table = results_load_runs(r->path, error);
    if (!r->table)
        return NULL;
    r->baselines = results_compared_names(r->path, "baselines", error);
    if (!r->baselines)
        return NULL;
    r->best = results_compared_names(r->path, "best", error);
    if (!r->best)
        return NULL;
    r->offloads = results_compared_names(r->path, "offload", error);
    if (!r->offloads)
        return NULL;
    r->fastest_over = results_compared_names(r->path, "fastest_over", error);
    if (!r->fastest_over || !load_run_rows(r, error) ||
        !load_utilisation_over_time(r, error) ||
        !load_sensitivity_csv(r, error))
        return NULL;
    return g_steal_pointer(&r);
}

SweepResults *results_load(const char *folder, GError **error)
{
    return load_results_of_folder(folder, FALSE, error);
}

SweepResults *results_load_any(const char *folder, GError **error)
{
    return load_results_of_folder(folder, TRUE, error);
}

SweepResults *results_new_from_table(CsvTable *table, const char *name,
                                     GError **error)
{
    g_autoptr(SweepResults) r = g_new0(SweepResults, 1);

    r->table = table;
    r->path = g_strdup(name);
    r->baselines = g_new0(char *, 1);
    r->best = g_new0(char *, 1);
    r->offloads = g_new0(char *, 1);
    r->fastest_over = g_new0(char *, 1);
    return load_run_rows(r, error) ? g_steal_pointer(&r) : NULL;
}

static void free_cell_labels(SweepResults *results)
{
    for (guint i = 0;
         results->labels && i < csv_table_n_columns(results->table); i++)
        g_clear_pointer(&results->labels[i], g_hash_table_unref);
    g_free(results->labels);
    for (guint i = 0;
         results->axis_names && i < csv_table_n_columns(results->table); i++)
        g_free(results->axis_names[i]);
    g_free(results->axis_names);
}

void results_free(SweepResults *results)
{
    if (!results)
        return;
    free_cell_labels(results);
    compare_free(results->comparison);
    results_free(results->over_time);
    results_free(results->sensitivity);
    g_clear_pointer(&results->rows, g_array_unref);
    g_clear_pointer(&results->keys, g_array_unref);
    csv_table_free(results->table);
    g_strfreev(results->baselines);
    g_strfreev(results->best);
    g_strfreev(results->offloads);
    g_strfreev(results->fastest_over);
    g_free(results->folder);
    g_free(results->path);
    g_free(results->no_comparison_reason);
    g_free(results);
}

/* ---- reading numbers from the cells -------------------------------------- */

gboolean results_check_number_column(const SweepResults *results,
                                     const char *name, GError **error)
{
    guint column;
    double value;

    if (!csv_table_column(results->table, name, &column, error))
        return FALSE;
    for (guint i = 0; i < results->rows->len; i++) {
        guint row = results_row_at(results, i);

        if (!csv_table_number(results->table, row, column, &value, error))
            return FALSE;
        if (value >= 0 && value < RESULTS_MAX)
            continue;
        g_set_error(error, CSV_ERROR, CSV_ERROR_SYNTAX,
                    "%s: row %u, %s: %s is outside [0, 1e15]", results->path,
                    row + 1, name, results_cell_text(results, row, column));
        return FALSE;
    }
    return TRUE;
}

double results_cell_number(const SweepResults *results, guint row,
                           const char *name)
{
    guint column = 0;
    double value = 0;
    gboolean ok = csv_table_column(results->table, name, &column, NULL) &&
                  csv_table_number(results->table, row, column, &value, NULL);

    g_assert(ok);
    return value;
}

gboolean results_column_varies(const SweepResults *results, guint column)
{
    for (guint i = 1; i < results->rows->len; i++)
        if (!g_str_equal(
                results_cell_text(results, results_row_at(results, i), column),
                results_cell_text(results, results_row_at(results, 0), column)))
            return TRUE;
    return FALSE;
}

/* ---- the names and values of axes ---------------------------------------- */

gboolean results_parse_number(const char *text, double *ret)
{
    char *end = NULL;
    double value = g_ascii_strtod(text, &end);

    if (!g_ascii_isdigit(*text) || *end != '\0' || !isfinite(value))
        return FALSE;
    *ret = value;
    return TRUE;
}

/* Returns the unit with which the name of an axis ends; NULL for other
 * columns, and for axes without a unit. */
static const ColumnUnitScale *unit_of_axis(const SweepResults *results,
                                           guint column)
{
    return column < results->workload
               ? column_unit_of_name(
                     csv_table_column_name(results->table, column))
               : NULL;
}

char *results_axis_value_text(const SweepResults *results, const char *text,
                              guint column)
{
    const ColumnUnitScale *unit = unit_of_axis(results, column);
    double value;

    if (!unit || !results_parse_number(text, &value))
        return g_strdup(text);
    return quantity_format(
        (uint64_t)(value * column_unit_base_scale(unit) + 0.5), unit->type);
}

static char *make_cell_label(const SweepResults *results, const char *text,
                             guint column)
{
    gboolean bare = g_str_equal(text, "true") || g_str_equal(text, "false");
    g_autofree char *value = results_axis_value_text(results, text, column);
    double ignored;

    if (column == results->n_npus)
        return g_strdup_printf("%s NPUs", text);
    if (*text == '\0')
        value = (g_free(value), g_strdup("auto"));
    else if (column == results->workload || column == results->endpoint ||
             (!bare && !results_parse_number(text, &ignored)))
        return g_strdup(text);
    return g_strdup_printf("%s %s", results_axis_name(results, column), value);
}

const char *results_cell_label(const SweepResults *results, guint row,
                               guint column)
{
    const char *text = results_cell_text(results, row, column);
    GHashTable **known = &results->labels[column];
    char *label;

    if (!*known)
        *known = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    label = g_hash_table_lookup(*known, text);
    if (label)
        return label;
    label = make_cell_label(results, text, column);
    g_hash_table_insert(*known, (gpointer)text, label);
    return label;
}

/* Returns the last @n_parts parts of @name, or all of it if it has fewer. */
static const char *last_parts_of_key_name(const char *name, guint n_parts)
{
    const char *end = name + strlen(name);

    if (g_str_has_suffix(name, "."))
        return name;
    for (const char *p = end; p > name; p--)
        if (p[-1] == '.' && --n_parts == 0)
            return p;
    return name;
}

/* Returns the name of a column without its unit.  The caller owns it. */
static char *results_axis_key(const SweepResults *results, guint column)
{
    const ColumnUnitScale *unit = unit_of_axis(results, column);
    const char *name = csv_table_column_name(results->table, column);

    return g_strndup(name, strlen(name) - (unit ? strlen(unit->suffix) : 0));
}

static gboolean is_axis_name_ambiguous(const SweepResults *results,
                                       guint column, const char *key,
                                       guint n_parts)
{
    for (guint i = 0; i < results->keys->len; i++) {
        guint other = g_array_index(results->keys, guint, i);
        g_autofree char *whole = results_axis_key(results, other);

        if (other != column &&
            g_str_equal(last_parts_of_key_name(whole, n_parts),
                        last_parts_of_key_name(key, n_parts)))
            return TRUE;
    }
    return FALSE;
}

const char *results_axis_name(const SweepResults *results, guint column)
{
    g_autofree char *key = NULL;
    guint n_parts = 1;

    if (results->axis_names[column])
        return results->axis_names[column];
    key = results_axis_key(results, column);
    while (last_parts_of_key_name(key, n_parts) != key &&
           is_axis_name_ambiguous(results, column, key, n_parts))
        n_parts++;
    results->axis_names[column] =
        g_strdup(last_parts_of_key_name(key, n_parts));
    return results->axis_names[column];
}
