/* compare_csv.c - the pairs as rows of CSV */
#include "sim/study/compare/compare.h"

typedef struct {
    const Comparison *c;
    const ComparePair *pair;
} CompareRow;

static const char *cell_of_compared_row(const CompareRow *compare_row,
                                        guint row, guint column)
{
    return csv_table_text(compare_row->c->table, row, column);
}

static void append_workload_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_text(out, cell_of_compared_row(compare_row, compare_row->pair->row,
                                           compare_row->c->workload));
}

static void append_n_npus_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_text(out, cell_of_compared_row(compare_row, compare_row->pair->row,
                                           compare_row->c->n_npus));
}

static void append_offload_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_text(out, compare_offload_name(compare_row->c, compare_row->pair));
}

static void append_offload_time_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_fixed(out, compare_row->pair->time_ps, 6);
}

static void append_best_baseline_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_text(out,
                 cell_of_compared_row(compare_row, compare_row->pair->best_row,
                                      compare_row->c->endpoint));
}

static void append_best_time_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_fixed(out, compare_row->pair->best_ps, 6);
}

static void append_speedup_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    csv_add_ratio(out, compare_row->pair->best_ps, compare_row->pair->time_ps,
                  4);
}

static void append_ceiling_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->roofline_ps > 0)
        csv_add_ratio(out, compare_row->pair->best_ps,
                      compare_row->pair->roofline_ps, 4);
    else
        csv_add_empty(out);
}

static void append_best_built_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->built_ps > 0)
        csv_add_text(out, cell_of_compared_row(compare_row,
                                               compare_row->pair->built_row,
                                               compare_row->c->endpoint));
    else
        csv_add_empty(out);
}

static void append_built_time_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->built_ps > 0)
        csv_add_fixed(out, compare_row->pair->built_ps, 6);
    else
        csv_add_empty(out);
}

static void append_built_speedup_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->built_ps > 0)
        csv_add_ratio(out, compare_row->pair->built_ps,
                      compare_row->pair->time_ps, 4);
    else
        csv_add_empty(out);
}

static void append_ideal_time_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->ideal_ps > 0)
        csv_add_fixed(out, compare_row->pair->ideal_ps, 6);
    else
        csv_add_empty(out);
}

/* Appends the verdict on @speedup, or an empty cell if the expected error is
 * unknown. */
static void append_verdict(GString *out, double speedup, double error_percent)
{
    if (error_percent > 0)
        csv_add_text(
            out,
            compare_verdict_names[compare_verdict(speedup, error_percent)]);
    else
        csv_add_empty(out);
}

static void append_verdict_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    append_verdict(out, compare_speedup(compare_row->pair),
                   compare_row->pair->error_percent);
}

static void append_built_verdict_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    append_verdict(out, compare_built_speedup(compare_row->pair),
                   compare_row->pair->built_error_percent);
}

static void append_error_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->error_percent > 0)
        csv_add_fixed(
            out, (uint64_t)(compare_row->pair->error_percent * 10 + 0.5), 1);
    else
        csv_add_empty(out);
}

static void append_error_family_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;

    if (compare_row->pair->error_family)
        csv_add_text(out, compare_row->pair->error_family);
    else
        csv_add_empty(out);
}

static void append_run_note(GString *line, const CompareRow *compare_row,
                            guint row)
{
    const char *note =
        cell_of_compared_row(compare_row, row, compare_row->c->run_notes);

    if (*note != '\0')
        g_string_append_printf(
            line, "%s%s: %s", line->len > 0 ? "; " : "",
            cell_of_compared_row(compare_row, row, compare_row->c->endpoint),
            note);
}

/* Writes the notes of each compared run, behind the name of its endpoint. */
static void append_notes_cell(GString *out, gconstpointer row)
{
    const CompareRow *compare_row = row;
    const ComparePair *pair = compare_row->pair;
    g_autoptr(GString) line = g_string_new(NULL);

    if (compare_row->c->has_run_notes) {
        append_run_note(line, compare_row, pair->row);
        if (pair->best_row != pair->row)
            append_run_note(line, compare_row, pair->best_row);
        if (pair->built_ps > 0 && pair->built_row != pair->best_row &&
            pair->built_row != pair->row)
            append_run_note(line, compare_row, pair->built_row);
    }
    csv_add_text(out, line->str);
}

const Column compare_columns[] = {
    { "workload", UNIT_TEXT, append_workload_cell },
    { "n_npus", UNIT_COUNT, append_n_npus_cell },
    { "offload", UNIT_TEXT, append_offload_cell },
    { "offload_iteration_time_us", UNIT_US, append_offload_time_cell },
    { "best_baseline", UNIT_TEXT, append_best_baseline_cell },
    { "best_baseline_iteration_time_us", UNIT_US, append_best_time_cell },
    { "speedup", UNIT_RATIO, append_speedup_cell },
    { "ceiling", UNIT_RATIO, append_ceiling_cell },
    { "best_built", UNIT_TEXT, append_best_built_cell },
    { "best_built_iteration_time_us", UNIT_US, append_built_time_cell },
    { "best_built_speedup", UNIT_RATIO, append_built_speedup_cell },
    { "ideal_iteration_time_us", UNIT_US, append_ideal_time_cell },
    /* The expected error of the first speedup, the family of measured rows that
     * it comes from, and the verdicts on both speedups (compare.h). */
    { "expected_error_percent", UNIT_RATIO, append_error_cell },
    { "expected_error_from", UNIT_TEXT, append_error_family_cell },
    { "verdict", UNIT_TEXT, append_verdict_cell },
    { "best_built_verdict", UNIT_TEXT, append_built_verdict_cell },
    { "notes", UNIT_TEXT, append_notes_cell },
    { 0 },
};

/* A column of .chosen is written twice: its value of the offload and, with
 * "best_baseline." before its name, that of the baseline. */
GString *compare_csv(const Comparison *comparison)
{
    GString *out = g_string_new(NULL);

    for (guint k = 0; k < comparison->keys->len; k++)
        csv_add_text(out, csv_table_column_name(
                              comparison->table,
                              g_array_index(comparison->keys, guint, k)));
    for (guint k = 0; k < comparison->chosen->len; k++) {
        const char *axis = csv_table_column_name(
            comparison->table, g_array_index(comparison->chosen, guint, k));
        g_autofree char *of_best = g_strdup_printf("best_baseline.%s", axis);

        csv_add_text(out, axis);
        csv_add_text(out, of_best);
    }
    columns_append_header(out, compare_columns);
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const CompareRow at = { comparison, compare_pair(comparison, i) };

        for (guint k = 0; k < comparison->keys->len; k++)
            csv_add_text(out, cell_of_compared_row(
                                  &at, at.pair->row,
                                  g_array_index(comparison->keys, guint, k)));
        for (guint k = 0; k < comparison->chosen->len; k++) {
            guint column = g_array_index(comparison->chosen, guint, k);

            csv_add_text(out, cell_of_compared_row(&at, at.pair->row, column));
            csv_add_text(out,
                         cell_of_compared_row(&at, at.pair->best_row, column));
        }
        columns_append_row(out, compare_columns, &at);
    }
    return out;
}
