/* compare_text.c - a comparison as tables of text */
#include "sim/view/text/compare_text.h"

#include "sim/core/aligned_table.h"
#include "sim/view/text/time_text.h"

typedef struct {
    const Comparison *c;
    const char *offload; /* the first offload, the subject of the table */
    /* Whether the table has these columns; .bold selects bold headings. */
    gboolean bold, ideal, ceiling, built;
} ComparisonWriter;

static const char *comparison_cell(const Comparison *comparison, guint row,
                                   guint column)
{
    return csv_table_text(comparison->table, row, column);
}

static gboolean is_main_offload(const ComparisonWriter *writer,
                                const ComparePair *pair)
{
    return g_str_equal(compare_offload_name(writer->c, pair), writer->offload);
}

static void append_comparison_heading(const ComparisonWriter *writer,
                                      GString *out, const char *text)
{
    g_string_append_printf(out, "%s%s%s\n", writer->bold ? "\033[1m" : "", text,
                           writer->bold ? "\033[0m" : "");
}

/* ---- the table with a line for each group -------------------------------- */

static guint list_group_columns(const ComparisonWriter *writer,
                                TableColumn *columns)
{
    const Comparison *comparison = writer->c;
    guint n = 0;

    columns[n++] = (TableColumn){ "workload", FALSE, 0 };
    columns[n++] = (TableColumn){ "NPUs", TRUE, 0 };
    for (guint i = 0; i < comparison->keys->len; i++)
        columns[n++] = (TableColumn){
            csv_table_column_name(comparison->table,
                                  g_array_index(comparison->keys, guint, i)),
            TRUE, 0
        };
    columns[n++] = (TableColumn){ writer->offload, TRUE, 0 };
    columns[n++] = (TableColumn){ "baseline", TRUE, 0 };
    columns[n++] = (TableColumn){ "which", FALSE, 0 };
    columns[n++] = (TableColumn){ "speedup", TRUE, 0 };
    if (writer->ceiling)
        columns[n++] = (TableColumn){ "ceiling", TRUE, 0 };
    if (writer->built) {
        columns[n++] = (TableColumn){ "best", TRUE, 0 };
        columns[n++] = (TableColumn){ "over it", TRUE, 0 };
    }
    if (writer->ideal)
        columns[n++] = (TableColumn){ COMPARE_IDEAL, TRUE, 0 };
    if (writer->built)
        columns[n++] = (TableColumn){ "best is", FALSE, 0 };
    return n;
}

static void add_time_cell(Table *table, SimTime ps)
{
    g_autofree char *text = time_text(ps);

    table_add_cell(table, ps > 0 ? text : "-");
}

/* Adds a speedup, with a mark if its expected error hides it. */
static void add_speedup_cell(Table *table, double speedup, double error_percent)
{
    gboolean is_hidden =
        error_percent > 0 &&
        compare_verdict(speedup, error_percent) == COMPARE_NO_DIFFERENCE;

    if (speedup > 0)
        table_add_cell_printf(table, "%.2fx%s", speedup, is_hidden ? "~" : "");
    else
        table_add_cell(table, "-");
}

static void add_group_row(const ComparisonWriter *writer, Table *table,
                          const ComparePair *pair)
{
    const Comparison *comparison = writer->c;

    table_add_cell(
        table, comparison_cell(comparison, pair->row, comparison->workload));
    table_add_cell(table,
                   comparison_cell(comparison, pair->row, comparison->n_npus));
    for (guint k = 0; k < comparison->keys->len; k++)
        table_add_cell(
            table, comparison_cell(comparison, pair->row,
                                   g_array_index(comparison->keys, guint, k)));
    add_time_cell(table, pair->time_ps);
    add_time_cell(table, pair->best_ps);
    table_add_cell(table, comparison_cell(comparison, pair->best_row,
                                          comparison->endpoint));
    add_speedup_cell(table, compare_speedup(pair), pair->error_percent);
    if (writer->ceiling)
        table_add_factor_cell(table, compare_speedup_ceiling(pair));
    if (writer->built) {
        add_time_cell(table, pair->built_ps);
        add_speedup_cell(table, compare_built_speedup(pair),
                         pair->built_error_percent);
    }
    if (writer->ideal)
        add_time_cell(table, pair->ideal_ps);
    if (writer->built) {
        g_autofree char *built = compare_built_text(comparison, pair);

        table_add_cell(table, built);
    }
}

static void write_group_table(const ComparisonWriter *writer, GString *out)
{
    const Comparison *comparison = writer->c;
    g_autofree TableColumn *columns =
        g_new0(TableColumn, comparison->keys->len + 11);
    g_autoptr(Table) table = NULL;

    table = table_new(columns, list_group_columns(writer, columns));
    for (guint i = 0; i < comparison->pairs->len; i++)
        if (is_main_offload(writer, compare_pair(comparison, i)))
            add_group_row(writer, table, compare_pair(comparison, i));
    table_write(table, out, 0, 0);
}

/* ---- the table of means over numbers of NPUs ----------------------------- */

static guint list_mean_columns(const ComparisonWriter *writer,
                               TableColumn *columns, GPtrArray *titles)
{
    const Comparison *comparison = writer->c;
    guint n = 0;

    columns[n++] = (TableColumn){ "workload", FALSE, 0 };
    for (guint k = 0; k < comparison->keys->len; k++)
        columns[n++] = (TableColumn){
            csv_table_column_name(comparison->table,
                                  g_array_index(comparison->keys, guint, k)),
            FALSE, 0
        };
    for (guint o = 0; o < comparison->offloads->len; o++) {
        const char *name = g_ptr_array_index(comparison->offloads, o);

        g_ptr_array_add(titles, g_strdup_printf("%s: mean", name));
        columns[n++] = (TableColumn){ g_ptr_array_index(titles, o), TRUE, 0 };
        columns[n++] = (TableColumn){ "max", TRUE, 0 };
        if (writer->built) {
            columns[n++] = (TableColumn){ "over best", TRUE, 0 };
            columns[n++] = (TableColumn){ "max", TRUE, 0 };
        }
        if (o == 0 && writer->ceiling)
            columns[n++] = (TableColumn){ "ceiling", TRUE, 0 };
    }
    return n;
}

static void add_means_row(const ComparisonWriter *writer, Table *table,
                          const ComparePair *pair)
{
    const Comparison *comparison = writer->c;

    table_add_cell(
        table, comparison_cell(comparison, pair->row, comparison->workload));
    for (guint k = 0; k < comparison->keys->len; k++)
        table_add_cell(
            table, comparison_cell(comparison, pair->row,
                                   g_array_index(comparison->keys, guint, k)));
    for (guint o = 0; o < comparison->offloads->len; o++) {
        CompareMean mean = compare_mean(
            comparison, pair, g_ptr_array_index(comparison->offloads, o));

        table_add_factor_cell(table, mean.speedup);
        table_add_factor_cell(table, mean.max_speedup);
        if (writer->built) {
            table_add_factor_cell(table, mean.built_speedup);
            table_add_factor_cell(table, mean.max_built_speedup);
        }
        if (o == 0 && writer->ceiling)
            table_add_factor_cell(table, mean.ceiling);
    }
}

static void write_mean_table(const ComparisonWriter *writer, GString *out)
{
    const Comparison *comparison = writer->c;
    g_autofree TableColumn *columns = g_new0(
        TableColumn, 1 + comparison->keys->len + 5 * comparison->offloads->len);
    g_autoptr(GPtrArray) titles = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Table) table = NULL;

    table = table_new(columns, list_mean_columns(writer, columns, titles));
    for (guint i = 0; i < comparison->pairs->len; i++)
        if (compare_is_first_of_set(comparison, i))
            add_means_row(writer, table, compare_pair(comparison, i));
    table_write(table, out, 0, 0);
}

/* ---- the whole comparison as text ---------------------------------------- */

static void append_name_list(GString *out, const GPtrArray *names)
{
    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "",
                               (char *)g_ptr_array_index(names, i));
}

static void write_comparison_title(const ComparisonWriter *writer, GString *out)
{
    g_autoptr(GString) text = g_string_new(writer->offload);

    g_string_append(text, " against the fastest of ");
    append_name_list(text, writer->c->baselines);
    g_string_append(text, ": iteration times");
    append_comparison_heading(writer, out, text->str);
}

static void write_ceiling_note(const ComparisonWriter *writer, GString *out)
{
    if (writer->ceiling)
        g_string_append_printf(
            out,
            "ceiling: were all of %s's communication hidden, the baseline's "
            "time over %s's roofline;\n"
            "what the speedup lacks of it is left to a better network or "
            "endpoint\n",
            writer->offload, writer->offload);
}

/* Writes whether the baselines are the best that could be built, and the result
 * of the comparison with those. */
static void write_built_comparison(const ComparisonWriter *writer, GString *out)
{
    const Comparison *comparison = writer->c;
    guint n = 0, n_disputed = 0;

    if (!writer->built) {
        if (comparison->pairs->len > 0) {
            g_autofree char *why = compare_untuned_note(comparison);

            g_string_append_printf(out, "%s\n", why);
        }
        return;
    }
    g_string_append(out, "best: the fastest that could be built without it, "
                         "of the baselines and ");
    append_name_list(out, comparison->best);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < comparison->pairs->len; i++) {
        const ComparePair *pair = compare_pair(comparison, i);

        if (!is_main_offload(writer, pair) || pair->built_ps == 0)
            continue;
        n += compare_speedup(pair) >= COMPARE_MIN_GAIN ? 1 : 0;
        n_disputed += compare_gains_over_baselines_only(pair) ? 1 : 0;
    }
    if (n_disputed > 0)
        g_string_append_printf(
            out,
            "on %u of the %u points on which %s is faster "
            "than the baselines it is not faster than that best\n",
            n_disputed, n, writer->offload);
}

/* Writes the expected error of the speedups of the first pair that has one, and
 * on how many points it hides them. */
static void write_expected_error(const ComparisonWriter *writer, GString *out)
{
    const ComparePair *first = NULL;
    guint n = 0, n_hidden = 0;

    for (guint i = 0; i < writer->c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(writer->c, i);

        if (!is_main_offload(writer, pair) || !pair->error_family)
            continue;
        if (!first || pair->error_percent > first->error_percent)
            first = pair;
        n++;
        n_hidden +=
            compare_verdict(compare_speedup(pair), pair->error_percent) ==
            COMPARE_NO_DIFFERENCE;
    }
    if (!first)
        return;
    g_string_append_printf(
        out,
        "expected error of a speedup: up to %.1f %% (of measured systems: "
        "%s)\n~: within it, so there is no measurable difference: %u of %u "
        "speedups over the baseline\n",
        first->error_percent, first->error_family, n_hidden, n);
}

char *compare_text(const Comparison *comparison, gboolean bold)
{
    ComparisonWriter w = { .c = comparison,
                           .offload =
                               g_ptr_array_index(comparison->offloads, 0),
                           .bold = bold };
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < comparison->pairs->len; i++) {
        w.ideal |= compare_pair(comparison, i)->ideal_ps > 0;
        w.ceiling |= compare_speedup_ceiling(compare_pair(comparison, i)) > 0;
        w.built |= compare_pair(comparison, i)->built_ps > 0;
    }
    write_comparison_title(&w, out);
    write_group_table(&w, out);
    write_ceiling_note(&w, out);
    write_built_comparison(&w, out);
    write_expected_error(&w, out);
    g_string_append_c(out, '\n');
    append_comparison_heading(
        &w, out,
        w.built ? "speedup over the fastest baseline, and over the best "
                  "that could be built"
                : "speedup over the fastest baseline");
    write_mean_table(&w, out);
    return g_string_free(out, FALSE);
}
