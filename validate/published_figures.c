/* published_figures.c - published figures of the paper next to
 * simulated ones */
#include "validate/published_figures.h"

#include <stdarg.h>

#include "validate/deviation.h"
#include "validate/text_table.h"

static void clear_published_figure(gpointer data)
{
    PublishedFigure *figure = data;

    g_free(figure->key);
    g_free(figure->setting);
    g_free(figure->note);
}

GArray *published_figures_new(void)
{
    GArray *figures = g_array_new(FALSE, FALSE, sizeof(PublishedFigure));

    g_array_set_clear_func(figures, clear_published_figure);
    return figures;
}

void published_figures_add(GArray *figures, const char *key,
                           const char *setting, double value,
                           const char *format, ...)
{
    PublishedFigure figure = { .key = g_strdup(key),
                               .setting = g_strdup(setting),
                               .value = value };
    va_list args;

    va_start(args, format);
    figure.note = g_strdup_vprintf(format, args);
    va_end(args);
    g_array_append_val(figures, figure);
}

typedef struct {
    const char *key, *figure, *sureness; /* The table owns this text. */
    double value;
} Row;

static gboolean read_published_row(const CsvTable *published, guint i, Row *ret,
                                   GError **error)
{
    ret->key = simulator_cell_text(published, i, "key", error);
    if (!ret->key)
        return FALSE;
    ret->figure = simulator_cell_text(published, i, "figure", error);
    if (!ret->figure)
        return FALSE;
    ret->sureness = simulator_cell_text(published, i, "sureness", error);
    return ret->sureness &&
           simulator_cell_number(published, i, "value", &ret->value, error);
}

static void add_published_comparison(const Row *row,
                                     const PublishedFigure *figure,
                                     TextTable *table, GString *csv)
{
    gboolean has_value = figure->value > 0;
    double off =
        has_value ? compare_deviation_percent(figure->value, row->value) : 0;
    g_autofree char *value =
        has_value ? g_strdup_printf("%.3f", figure->value) : g_strdup("");
    g_autofree char *deviation =
        has_value ? g_strdup_printf("%.1f", off) : g_strdup("");

    text_table_add_row(table, "%s\t%s\t%g\t%s\t%s\t%s%s%s\t%s", row->figure,
                       figure->setting, row->value, row->sureness,
                       has_value ? value : "none",
                       has_value && off >= 0 ? "+" : "", deviation,
                       has_value ? " %" : "", figure->note);
    csv_add_text(csv, row->figure);
    csv_add_text(csv, figure->setting);
    g_string_append_printf(csv, "%g,", row->value);
    csv_add_text(csv, row->sureness);
    csv_add_text(csv, value);
    csv_add_text(csv, deviation);
    csv_add_text(csv, figure->note);
    csv_end_row(csv);
}

gboolean published_figures_render(const CsvTable *published,
                                  const GArray *figures, GString *out,
                                  GString *csv, GError **error)
{
    g_autoptr(TextTable) table = text_table_new("llrlrrl");

    text_table_add_row(table,
                       "figure\tsetting\tpublished\tsureness\tsimulated\t"
                       "deviation\tnote");
    g_string_append(csv, "figure,setting,published,sureness,simulated,"
                         "deviation_percent,note\n");
    for (guint i = 0; i < csv_table_n_rows(published); i++) {
        Row row;

        if (!read_published_row(published, i, &row, error))
            return FALSE;
        for (guint f = 0; f < figures->len; f++) {
            const PublishedFigure *figure =
                &g_array_index(figures, PublishedFigure, f);

            if (g_str_equal(figure->key, row.key))
                add_published_comparison(&row, figure, table, csv);
        }
    }
    text_table_render(table, out);
    return TRUE;
}
