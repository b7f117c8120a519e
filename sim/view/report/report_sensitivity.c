/* report_sensitivity.c - section of a report about sensitivity.csv */
#include "sim/view/report/report_sensitivity.h"

#include "sim/view/report/html_escape.h"

#define MIN_EFFECT 0.001

enum { NAME, ROLE, NOW, TRIED, VALUE, EFFECT, SOURCE, WHY, N_COLUMNS };

typedef struct {
    const SweepResults *r;
    guint columns[N_COLUMNS];
} SensitivityRows;

static gboolean find_sensitivity_columns(SensitivityRows *rows, GError **error)
{
    static const char *const names[N_COLUMNS] = {
        [NAME] = "assumption", [ROLE] = "role",   [NOW] = "now",
        [TRIED] = "tried",     [VALUE] = "value", [EFFECT] = "effect",
        [SOURCE] = "source",   [WHY] = "why",
    };

    for (guint i = 0; i < N_COLUMNS; i++)
        if (!csv_table_column(rows->r->table, names[i], &rows->columns[i],
                              error))
            return FALSE;
    return results_check_number_column(rows->r, "value", error) &&
           results_check_number_column(rows->r, "effect", error);
}

static const char *sensitivity_cell_text(const SensitivityRows *rows, guint row,
                                         guint column)
{
    return results_cell_text(rows->r, row, rows->columns[column]);
}

static void append_assumption_row(GString *out, const SensitivityRows *rows,
                                  guint row, gboolean first)
{
    const char *source = sensitivity_cell_text(rows, row, SOURCE);

    g_string_append(out,
                    first ? "<tr><td><code>" : "<tr class=\"more\"><td><code>");
    if (first)
        html_append_key(out, sensitivity_cell_text(rows, row, NAME));
    html_append_format(out,
                       "</code></td><td class=\"minor\">%s</td><td>%s</td>",
                       first ? sensitivity_cell_text(rows, row, NOW) : "",
                       sensitivity_cell_text(rows, row, TRIED));
    g_string_append_printf(out, "<td class=\"n\">%.2f</td><td class=\"n\">",
                           results_cell_number(rows->r, row, "value"));
    if (first)
        g_string_append_printf(
            out, "%.1f %%", 100 * results_cell_number(rows->r, row, "effect"));
    html_append_format(out, "</td><td class=\"minor\">%s</td></tr>\n",
                       !first    ? ""
                       : *source ? source
                                 : sensitivity_cell_text(rows, row, WHY));
}

static gboolean is_assumption_row_shown(const SensitivityRows *rows, guint row)
{
    return g_str_equal(sensitivity_cell_text(rows, row, ROLE), "try") &&
           results_cell_number(rows->r, row, "effect") >= MIN_EFFECT;
}

gboolean report_write_sensitivity(GString *out, const SweepResults *results,
                                  GError **error)
{
    SensitivityRows rows = { .r = results->sensitivity };
    const char *last = "";

    if (!rows.r)
        return TRUE;
    if (!find_sensitivity_columns(&rows, error))
        return FALSE;
    g_string_append(
        out,
        "<section>\n<h2>What it depends on</h2>\n<p>Each assumption changed "
        "alone, those first that move the result most.</p>\n<div "
        "class=\"wide\">\n<table class=\"sources\">\n<thead><tr><th>assumption</th><th "
        "class=\"minor\">now</th><th>tried</th><th class=\"n\">result</th><th "
        "class=\"n\">effect</th><th class=\"minor\">where it is "
        "from</th></tr></thead>\n<tbody>\n");
    for (guint i = 0; i < rows.r->rows->len; i++) {
        guint row = results_row_at(rows.r, i);

        if (!is_assumption_row_shown(&rows, row))
            continue;
        append_assumption_row(
            out, &rows, row,
            !g_str_equal(last, sensitivity_cell_text(&rows, row, NAME)));
        last = sensitivity_cell_text(&rows, row, NAME);
    }
    g_string_append(out, "</tbody>\n</table>\n</div>\n</section>\n");
    return TRUE;
}
