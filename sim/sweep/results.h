/*
 * results.h - what a sweep left in its folder, as plots and reports need it
 *
 * runs.csv, beside it info.json with the names that the sweep compares and, if
 * they were asked for, utilisation.csv and sensitivity.csv.
 * Rows that can be compared are; where none can, the text says why.
 *
 * Errors   CSV_ERROR, CONFIG_ERROR (info.json)
 * Owner    the caller owns the Results, which own all they point to
 */
#ifndef SIM_SWEEP_RESULTS_H
#define SIM_SWEEP_RESULTS_H

#include "sim/study/compare/compare.h"

#define RESULTS_MAX 1e15 /* of a number; beyond it nothing can be drawn */

typedef struct Results Results;

struct Results {
    char *folder, *path; /* of runs.csv */
    CsvTable *table;
    guint workload, n_npus, endpoint; /* columns */
    GArray *rows;                     /* of guint: those that are ok */
    GArray *keys;                     /* of guint: columns, see keys.h */
    char **baselines, **best, **offloads;
    Comparison *comparison; /* NULL: there is none, and */
    char *why_none;
    /* Owned: of each column, borrowed cell -> owned label.  A label asks for
     * all kinds of quantities, and cells are alike by the thousand. */
    GHashTable **labels;
    Results *over_time;   /* utilisation.csv: no comparison; or NULL */
    Results *sensitivity; /* sensitivity.csv: rows alone; or NULL */
};

/* The table of a runs.csv; where its sweep is not finished, the error says so.
 * Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *results_load_runs(const char *runs, GError **error);

G_GNUC_WARN_UNUSED_RESULT
Results *results_load(const char *folder, GError **error);
/* Of a folder that has, or need have, no more than sensitivity.csv. */
G_GNUC_WARN_UNUSED_RESULT
Results *results_load_sensitivity(const char *folder, GError **error);
/* The same as results_load() of a table, which it takes. */
G_GNUC_WARN_UNUSED_RESULT
Results *results_of_table(CsvTable *table, const char *name, GError **error);
void results_free(Results *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Results, results_free)

/* The names under compare.@what in info.json beside @runs; none where there is
 * no such file.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char **results_names(const char *runs, const char *what, GError **error);

static inline guint results_row(const Results *results, guint i)
{
    return g_array_index(results->rows, guint, i);
}

static inline const char *results_text(const Results *results, guint row,
                                       guint column)
{
    return csv_table_text(results->table, row, column);
}

/* TRUE when every row that is ok has a number in @column, 0 or more. */
G_GNUC_WARN_UNUSED_RESULT
gboolean results_check_number(const Results *results, const char *column,
                              GError **error);

/* Of a column that was checked. */
double results_number(const Results *results, guint row, const char *column);

/* TRUE when rows that are ok differ in @column. */
gboolean results_varies(const Results *results, guint column);

/* What a cell says by itself: "16 NPUs", "window 64", "equal".  Borrowed. */
const char *results_label(const Results *results, guint row, guint column);

/* The column of an axis by the last part of its key, or by as many as no other
 * axis ends in: "sram", "hbm.bandwidth".  Borrowed. */
const char *results_name(const Results *results, guint column);

/* The cell of an axis in base units; FALSE when it is no quantity. */
gboolean results_quantity(const char *text, double *ret);

#endif
