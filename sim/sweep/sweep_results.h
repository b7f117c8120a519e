/*
 * sweep_results.h - loads the results folder of a sweep for plots and reports
 *
 * The folder contains runs.csv, info.json with the names that the sweep
 * compares and, if the user requested them, utilisation.csv and
 * sensitivity.csv.  Rows are compared where possible; if no rows can be
 * compared, .no_comparison_reason says why.
 *
 * Errors   CSV_ERROR, CONFIG_ERROR (info.json)
 * Owner    the caller owns the Results, which own everything they point to
 */
#ifndef SIM_SWEEP_SWEEP_RESULTS_H
#define SIM_SWEEP_SWEEP_RESULTS_H

#include "sim/study/compare/compare.h"

#define RESULTS_MAX 1e15 /* limit of a number; larger ones cannot be drawn */

typedef struct SweepResults SweepResults;

struct SweepResults {
    gboolean may_be_empty; /* no row need have a result */
    char *folder, *path;   /* the folder, and the path of runs.csv */
    CsvTable *table;
    guint workload, n_npus, endpoint; /* indices of these columns */
    GArray *rows; /* of guint: the rows of successful runs */
    GArray
        *keys; /* of guint: the columns of axes, see compare_group_columns.h */
    char **baselines, **best, **offloads, **fastest_over;
    Comparison *comparison; /* NULL if no rows can be compared */
    /* The reason why .comparison is NULL. */
    char *no_comparison_reason;
    /* For each column, a cache that maps a cell (borrowed) to its label
     * (owned).  Making a label tries all kinds of quantities, and thousands of
     * cells are equal. */
    GHashTable **labels;
    char **axis_names; /* the name of each column's axis, or NULL: a cache */
    SweepResults
        *over_time; /* utilisation.csv, without a comparison; or NULL */
    SweepResults *sensitivity; /* sensitivity.csv, rows only; or NULL */
};

/* Loads a runs.csv.  If its sweep is not finished, @error says so.  The caller
 * owns the table. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *results_load_runs(const char *runs, GError **error);

G_GNUC_WARN_UNUSED_RESULT
SweepResults *results_load(const char *folder, GError **error);
/* Same, but accepts results in which every run failed. */
G_GNUC_WARN_UNUSED_RESULT
SweepResults *results_load_any(const char *folder, GError **error);
/* Loads a folder that need not contain more than sensitivity.csv. */
G_GNUC_WARN_UNUSED_RESULT
SweepResults *results_load_sensitivity(const char *folder, GError **error);
/* Same as results_load(), for @table, which it takes ownership of. */
G_GNUC_WARN_UNUSED_RESULT
SweepResults *results_new_from_table(CsvTable *table, const char *name,
                                     GError **error);
void results_free(SweepResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepResults, results_free)

/* Returns the names under compare.@what in the info.json beside @runs; an empty
 * list if there is no such file.  The caller owns the list. */
G_GNUC_WARN_UNUSED_RESULT
char **results_compared_names(const char *runs, const char *what,
                              GError **error);

static inline guint results_row_at(const SweepResults *results, guint i)
{
    return g_array_index(results->rows, guint, i);
}

static inline const char *results_cell_text(const SweepResults *results,
                                            guint row, guint column)
{
    return csv_table_text(results->table, row, column);
}

/* Returns whether @column of every successful row is a number in [0,
 * RESULTS_MAX). */
G_GNUC_WARN_UNUSED_RESULT
gboolean results_check_number_column(const SweepResults *results,
                                     const char *column, GError **error);

/* Returns the number in a column that results_check_number_column() has
 * checked. */
double results_cell_number(const SweepResults *results, guint row,
                           const char *column);

/* Returns whether successful rows differ in @column. */
gboolean results_column_varies(const SweepResults *results, guint column);

/* Returns a self-explanatory label for a cell: "16 NPUs", "window 64", "equal".
 * Borrowed. */
const char *results_cell_label(const SweepResults *results, guint row,
                               guint column);

/* Returns the name of an axis: the last part of its key, or as many parts as
 * are needed to distinguish it from the other axes, such as "sram" or
 * "hbm.bandwidth".  Borrowed. */
const char *results_axis_name(const SweepResults *results, guint column);

/* Returns the cell @text of @column for people: a number of an axis with its
 * unit, such as "1.8 TB/s".  The caller owns it. */
char *results_axis_value_text(const SweepResults *results, const char *text,
                              guint column);

/* Sets *@ret to the number in a cell.  Returns FALSE if @text is no number, or
 * empty. */
gboolean results_parse_number(const char *text, double *ret);

#endif
