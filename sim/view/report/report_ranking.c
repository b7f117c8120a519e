/* report_ranking.c - question, answer and table of a report without a
 * comparison: the fastest points of each workload and size */
#include "sim/view/report/report_answer_impl.h"

#define N_FIRST    3 /* number of points shown per workload and size */
#define MAX_GROUPS 6

char *describe_row_point(const SweepResults *r, guint row)
{
    GString *out = g_string_new(results_cell_text(r, row, r->workload));

    g_string_append_printf(out, ", %s NPUs",
                           results_cell_text(r, row, r->n_npus));
    for (guint i = 0; i < r->keys->len; i++) {
        const char *label =
            results_cell_label(r, row, g_array_index(r->keys, guint, i));

        g_string_append_printf(out, ", %s", label);
    }
    return g_string_free(out, FALSE);
}

char *describe_row_size(const SweepResults *r, guint row)
{
    return g_strconcat(results_cell_text(r, row, r->workload), "\x1f",
                       results_cell_text(r, row, r->n_npus), NULL);
}

static double iteration_time_of_row_us(const SweepResults *r, guint row)
{
    return results_cell_number(r, row, "iteration_time_us");
}

static gboolean has_same_workload_and_size(const SweepResults *r, guint a,
                                           guint b)
{
    return g_str_equal(results_cell_text(r, a, r->workload),
                       results_cell_text(r, b, r->workload)) &&
           g_str_equal(results_cell_text(r, a, r->n_npus),
                       results_cell_text(r, b, r->n_npus));
}

static gint compare_row_times(gconstpointer a, gconstpointer b, gpointer data)
{
    guint p = *(const guint *)a, q = *(const guint *)b;
    double p_us = iteration_time_of_row_us(data, p),
           q_us = iteration_time_of_row_us(data, q);

    if (p_us != q_us)
        return p_us < q_us ? -1 : 1;
    return p < q ? -1 : p > q;
}

/* Returns the rows with the workload and size of @row, fastest first.  The
 * caller owns the array. */
static GArray *rows_of_same_size(const SweepResults *r, guint row)
{
    GArray *group = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < r->rows->len; i++) {
        guint other = results_row_at(r, i);

        if (has_same_workload_and_size(r, row, other))
            g_array_append_val(group, other);
    }
    g_array_sort_with_data(group, compare_row_times, (gpointer)r);
    return group;
}

/* Returns the first row of each workload and size.  The caller owns the
 * array. */
static GArray *first_row_of_each_size(const SweepResults *r)
{
    GArray *first = g_array_new(FALSE, FALSE, sizeof(guint));
    g_autoptr(GHashTable) known =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < r->rows->len; i++) {
        guint row = results_row_at(r, i);

        if (g_hash_table_add(known, describe_row_size(r, row)))
            g_array_append_val(first, row);
    }
    return first;
}

/* ---- describing the points in sentences ---------------------------------- */

/* Returns the names of the axes, or "" if nothing varies. */
static char *list_axis_names(const SweepResults *r)
{
    GString *out = g_string_new(NULL);
    const guint others[] = { r->workload, r->n_npus, r->endpoint };

    for (guint i = 0; i < G_N_ELEMENTS(others); i++)
        if (results_column_varies(r, others[i]))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   csv_table_column_name(r->table, others[i]));
    for (guint i = 0; i < r->keys->len; i++)
        g_string_append_printf(
            out, "%s%s", out->len > 0 ? ", " : "",
            results_axis_name(r, g_array_index(r->keys, guint, i)));
    return g_string_free(out, FALSE);
}

char *ranking_question_text(const SweepResults *r)
{
    g_autofree char *axes = list_axis_names(r);

    if (*axes == '\0')
        return g_strdup("How long does an iteration take?");
    return g_strdup_printf("Which of %u points is fastest, when these vary: "
                           "%s?",
                           r->rows->len, axes);
}

static char *describe_ranked_row(const SweepResults *r, guint row)
{
    g_autofree char *where = describe_row_point(r, row);

    return g_strdup_printf("%s, %s", where,
                           results_cell_text(r, row, r->endpoint));
}

/* Describes the last workload and size, because sizes grow in most sweeps. */
char *ranking_answer_sentence(const SweepResults *r)
{
    g_autoptr(GArray) first = first_row_of_each_size(r);
    g_autoptr(GArray) group =
        rows_of_same_size(r, g_array_index(first, guint, first->len - 1));
    guint fastest = g_array_index(group, guint, 0);
    guint slowest = g_array_index(group, guint, group->len - 1);
    g_autofree char *best = describe_ranked_row(r, fastest);
    g_autofree char *worst = describe_ranked_row(r, slowest);
    double ratio = iteration_time_of_row_us(r, fastest) > 0
                       ? iteration_time_of_row_us(r, slowest) /
                             iteration_time_of_row_us(r, fastest)
                       : 1;

    if (group->len == 1) {
        g_autofree char *time =
            time_text((SimTime)(iteration_time_of_row_us(r, fastest) * 1e6));

        return g_strdup_printf("An iteration takes %s (%s).", time, best);
    }
    return g_strdup_printf("Fastest is %s; slowest is %s, which takes %.2f "
                           "times as long.",
                           best, worst, ratio);
}

/* ---- the table of the fastest points ------------------------------------- */

/* Returns workload and endpoint, if they vary, and the keys. */
static GArray *list_ranking_columns(const SweepResults *r)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(guint));

    if (results_column_varies(r, r->workload))
        g_array_append_val(columns, r->workload);
    if (results_column_varies(r, r->endpoint))
        g_array_append_val(columns, r->endpoint);
    g_array_append_vals(columns, r->keys->data, r->keys->len);
    return columns;
}

static void open_ranking_table(GString *out, const SweepResults *r,
                               const GArray *columns)
{
    g_string_append(
        out,
        "<div class=\"wide\">\n<table>\n<thead><tr><th class=\"n\">NPUs</th>"
        "<th class=\"n\">rank</th>");
    for (guint i = 0; i < columns->len; i++)
        html_append_format(
            out, "<th>%s</th>",
            results_axis_name(r, g_array_index(columns, guint, i)));
    g_string_append(out, "<th class=\"n\">iteration</th>"
                         "<th class=\"n\">of the fastest</th></tr></thead>\n"
                         "<tbody>\n");
}

static void append_ranked_row(GString *out, const SweepResults *r,
                              const GArray *columns, const GArray *group,
                              guint rank)
{
    guint row = g_array_index(group, guint, rank);
    double best_us =
        iteration_time_of_row_us(r, g_array_index(group, guint, 0));
    g_autofree char *time =
        time_text((SimTime)(iteration_time_of_row_us(r, row) * 1e6));

    html_append_format(out, "<tr><td class=\"n\">%s</td>",
                       results_cell_text(r, row, r->n_npus));
    g_string_append_printf(out, "<td class=\"n\">%u</td>", rank + 1);
    for (guint i = 0; i < columns->len; i++)
        html_append_format(
            out, "<td>%s</td>",
            results_cell_text(r, row, g_array_index(columns, guint, i)));
    html_append_format(out, "<td class=\"n\">%s</td>", time);
    g_string_append_printf(
        out, "<td class=\"n\">%.2fx</td></tr>\n",
        best_us > 0 ? iteration_time_of_row_us(r, row) / best_us : 1);
}

void ranking_write_table(GString *out, const SweepResults *r)
{
    g_autoptr(GArray) first = first_row_of_each_size(r);
    g_autoptr(GArray) columns = list_ranking_columns(r);

    html_append_format(out, "<p>No speedup can be given: %s.</p>\n",
                       r->no_comparison_reason);
    open_ranking_table(out, r, columns);
    for (guint i = 0; i < MIN(first->len, MAX_GROUPS); i++) {
        g_autoptr(GArray) group =
            rows_of_same_size(r, g_array_index(first, guint, i));

        for (guint k = 0; k < group->len; k++)
            if (k < N_FIRST || k + 1 == group->len)
                append_ranked_row(out, r, columns, group, k);
    }
    g_string_append(out, "</tbody>\n</table>\n</div>\n");
    if (first->len > MAX_GROUPS)
        g_string_append_printf(out,
                               "<p>The first %d of %u pairs of workload and "
                               "size.</p>\n",
                               MAX_GROUPS, first->len);
}
