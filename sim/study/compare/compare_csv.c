/* compare_csv.c - the pairs as rows of CSV */
#include "sim/study/compare/compare.h"

typedef struct {
    const Comparison *c;
    const ComparePair *pair;
} CompareRow;

static const char *cell(const CompareRow *at, guint row, guint column)
{
    return csv_table_text(at->c->table, row, column);
}

static void workload(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_text(out, cell(at, at->pair->row, at->c->workload));
}

static void n_npus(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_text(out, cell(at, at->pair->row, at->c->n_npus));
}

static void offload(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_text(out, compare_offload(at->c, at->pair));
}

static void offload_time(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_fixed(out, at->pair->time_ps, 6);
}

static void best(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_text(out, cell(at, at->pair->best_row, at->c->endpoint));
}

static void best_time(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_fixed(out, at->pair->best_ps, 6);
}

static void speedup(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    csv_add_ratio(out, at->pair->best_ps, at->pair->time_ps, 4);
}

static void ceiling(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    if (at->pair->roofline_ps > 0)
        csv_add_ratio(out, at->pair->best_ps, at->pair->roofline_ps, 4);
    else
        csv_add_empty(out);
}

static void built(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    if (at->pair->built_ps > 0)
        csv_add_text(out, cell(at, at->pair->built_row, at->c->endpoint));
    else
        csv_add_empty(out);
}

static void built_time(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    if (at->pair->built_ps > 0)
        csv_add_fixed(out, at->pair->built_ps, 6);
    else
        csv_add_empty(out);
}

static void built_speedup(GString *out, gconstpointer of)
{
    const CompareRow *at = of;

    if (at->pair->built_ps > 0)
        csv_add_ratio(out, at->pair->built_ps, at->pair->time_ps, 4);
    else
        csv_add_empty(out);
}

static void add_note(GString *line, const CompareRow *at, guint row)
{
    const char *note = cell(at, row, at->c->run_notes);

    if (*note != '\0')
        g_string_append_printf(line, "%s%s: %s", line->len > 0 ? "; " : "",
                               cell(at, row, at->c->endpoint), note);
}

/* Writes the notes of each compared run, behind the name of its endpoint. */
static void notes(GString *out, gconstpointer of)
{
    const CompareRow *at = of;
    const ComparePair *pair = at->pair;
    g_autoptr(GString) line = g_string_new(NULL);

    if (at->c->has_run_notes) {
        add_note(line, at, pair->row);
        if (pair->best_row != pair->row)
            add_note(line, at, pair->best_row);
        if (pair->built_ps > 0 && pair->built_row != pair->best_row &&
            pair->built_row != pair->row)
            add_note(line, at, pair->built_row);
    }
    csv_add_text(out, line->str);
}

const Column compare_columns[] = {
    { "workload", UNIT_TEXT, workload },
    { "n_npus", UNIT_COUNT, n_npus },
    { "offload", UNIT_TEXT, offload },
    { "offload_iteration_time_us", UNIT_US, offload_time },
    { "best_baseline", UNIT_TEXT, best },
    { "best_baseline_iteration_time_us", UNIT_US, best_time },
    { "speedup", UNIT_RATIO, speedup },
    { "ceiling", UNIT_RATIO, ceiling },
    { "best_built", UNIT_TEXT, built },
    { "best_built_iteration_time_us", UNIT_US, built_time },
    { "best_built_speedup", UNIT_RATIO, built_speedup },
    { "notes", UNIT_TEXT, notes },
    { 0 },
};

GString *compare_csv(const Comparison *c)
{
    GString *out = g_string_new(NULL);

    for (guint k = 0; k < c->keys->len; k++)
        csv_add_text(out, csv_table_column_name(
                              c->table, g_array_index(c->keys, guint, k)));
    column_add_header(out, compare_columns);
    for (guint i = 0; i < c->pairs->len; i++) {
        const CompareRow at = { c, compare_pair(c, i) };

        for (guint k = 0; k < c->keys->len; k++)
            csv_add_text(
                out, cell(&at, at.pair->row, g_array_index(c->keys, guint, k)));
        column_add_row(out, compare_columns, &at);
    }
    return out;
}
