/* sensitivity.c - section of a report about sensitivity.csv */
#include "sim/view/report/sensitivity.h"

#include "sim/view/report/html.h"

#define MIN_EFFECT 0.001

enum { NAME, ROLE, NOW, TRIED, VALUE, EFFECT, SOURCE, WHY, N_COLUMNS };

typedef struct {
    const Results *r;
    guint columns[N_COLUMNS];
} Rows;

static gboolean find_columns(Rows *rows, GError **error)
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
    return results_check_number(rows->r, "value", error) &&
           results_check_number(rows->r, "effect", error);
}

static const char *text(const Rows *rows, guint row, guint what)
{
    return results_text(rows->r, row, rows->columns[what]);
}

static void add_row(GString *out, const Rows *rows, guint row, gboolean first)
{
    const char *source = text(rows, row, SOURCE);

    g_string_append(out,
                    first ? "<tr><td><code>" : "<tr class=\"more\"><td><code>");
    if (first)
        html_key(out, text(rows, row, NAME));
    html_add(out, "</code></td><td class=\"minor\">%s</td><td>%s</td>",
             first ? text(rows, row, NOW) : "", text(rows, row, TRIED));
    g_string_append_printf(out, "<td class=\"n\">%.2f</td><td class=\"n\">",
                           results_number(rows->r, row, "value"));
    if (first)
        g_string_append_printf(out, "%.1f %%",
                               100 * results_number(rows->r, row, "effect"));
    html_add(out, "</td><td class=\"minor\">%s</td></tr>\n",
             !first    ? ""
             : *source ? source
                       : text(rows, row, WHY));
}

static gboolean is_shown(const Rows *rows, guint row)
{
    return g_str_equal(text(rows, row, ROLE), "try") &&
           results_number(rows->r, row, "effect") >= MIN_EFFECT;
}

gboolean sensitivity_write(GString *out, const Results *results, GError **error)
{
    Rows rows = { .r = results->sensitivity };
    const char *last = "";

    if (!rows.r)
        return TRUE;
    if (!find_columns(&rows, error))
        return FALSE;
    g_string_append(
        out,
        "<section>\n<h2>What it depends on</h2>\n<p>Each assumption changed "
        "alone, those first that move the result most.</p>\n<div "
        "class=\"wide\">\n<table class=\"keys "
        "hangs\">\n<thead><tr><th>assumption</th><th "
        "class=\"minor\">now</th><th>tried</th><th class=\"n\">result</th><th "
        "class=\"n\">effect</th><th class=\"minor\">where it is "
        "from</th></tr></thead>\n<tbody>\n");
    for (guint i = 0; i < rows.r->rows->len; i++) {
        guint row = results_row(rows.r, i);

        if (!is_shown(&rows, row))
            continue;
        add_row(out, &rows, row, !g_str_equal(last, text(&rows, row, NAME)));
        last = text(&rows, row, NAME);
    }
    g_string_append(out, "</tbody>\n</table>\n</div>\n</section>\n");
    return TRUE;
}
