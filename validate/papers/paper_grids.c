/* paper_grids.c - tables of simulated figures with their bands, and their
 * plots */
#include "validate/papers/paper_grids.h"

/* The columns of a grid's query. */
enum {
    PANEL,
    POSITION,
    SERIES,
    VALUE,
    LEAST,
    MOST,
    N_COLUMNS,
};

/* A value of a row of the table. */
typedef struct {
    const char *series; /* Another object owns this text. */
    double value, least, most;
} GridCell;

static int compare_numbers_descending(gconstpointer a, gconstpointer b)
{
    double x = ((const GridCell *)a)->value, y = ((const GridCell *)b)->value;

    return x > y ? -1 : x < y;
}

static gboolean contains_text(const GPtrArray *texts, const char *text)
{
    for (guint i = 0; i < texts->len; i++)
        if (g_str_equal(g_ptr_array_index(texts, i), text))
            return TRUE;
    return FALSE;
}

/* Returns the different texts of @column in the order of their first rows.
 * @rows owns the texts. */
static GPtrArray *distinct_texts(const CsvTable *rows, guint column)
{
    GPtrArray *texts = g_ptr_array_new();

    for (guint i = 0; i < csv_table_n_rows(rows); i++) {
        const char *text = csv_table_text(rows, i, column);

        if (!contains_text(texts, text))
            g_ptr_array_add(texts, (gpointer)text);
    }
    return texts;
}

static gboolean read_grid_cell(const CsvTable *rows, guint row, GridCell *ret,
                               GError **error)
{
    ret->series = csv_table_text(rows, row, SERIES);
    return csv_table_number(rows, row, VALUE, &ret->value, error) &&
           csv_table_number(rows, row, LEAST, &ret->least, error) &&
           csv_table_number(rows, row, MOST, &ret->most, error);
}

static gboolean rows_have_same_grid_place(const CsvTable *rows, guint a,
                                          guint b)
{
    return g_str_equal(csv_table_text(rows, a, PANEL),
                       csv_table_text(rows, b, PANEL)) &&
           g_str_equal(csv_table_text(rows, a, POSITION),
                       csv_table_text(rows, b, POSITION));
}

static void append_cell_of_series(GString *out, const GArray *cells,
                                  const char *series, int digits)
{
    g_string_append(out, " | ");
    for (guint i = 0; i < cells->len; i++) {
        const GridCell *cell = &g_array_index(cells, GridCell, i);

        if (!g_str_equal(cell->series, series))
            continue;
        g_string_append_printf(out, "%.*f", digits, cell->value);
        if (cell->least < cell->most)
            g_string_append_printf(out, " (%.*f to %.*f)", digits, cell->least,
                                   digits, cell->most);
    }
}

static void append_table_head(GString *out, const CsvTable *rows,
                              const GPtrArray *series, gboolean has_order)
{
    g_string_append_printf(out, "| %s | %s", csv_table_column_name(rows, PANEL),
                           csv_table_column_name(rows, POSITION));
    for (guint i = 0; i < series->len; i++)
        g_string_append_printf(out, " | %s",
                               (const char *)g_ptr_array_index(series, i));
    g_string_append(out, has_order ? " | largest first |\n|---|---|"
                                   : " |\n|---|---|");
    for (guint i = 0; i < series->len + (has_order ? 1 : 0); i++)
        g_string_append(out, "---|");
    g_string_append_c(out, '\n');
}

static void append_table_row(GString *out, const CsvTable *rows, guint row,
                             const GPtrArray *series, GArray *cells,
                             const PaperGrid *grid)
{
    g_string_append_printf(out, "| %s | %s", csv_table_text(rows, row, PANEL),
                           csv_table_text(rows, row, POSITION));
    for (guint i = 0; i < series->len; i++)
        append_cell_of_series(out, cells, g_ptr_array_index(series, i),
                              (int)grid->digits);
    g_array_sort(cells, compare_numbers_descending);
    for (guint i = 0; i < cells->len && grid->has_order; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : " | ",
                               g_array_index(cells, GridCell, i).series);
    g_string_append(out, " |\n");
}

gboolean paper_grid_text(GString *out, const PaperGrid *grid,
                         const CsvTable *rows, GError **error)
{
    g_autoptr(GPtrArray) series = NULL;
    guint n = csv_table_n_rows(rows);

    if (csv_table_n_columns(rows) != N_COLUMNS || n == 0) {
        config_set_error(error, grid->node, CONFIG_ERROR_TYPE,
                         "query: %u columns and %u rows; it must yield panel, "
                         "position, series, value, least and most",
                         csv_table_n_columns(rows), n);
        return FALSE;
    }
    series = distinct_texts(rows, SERIES);
    append_table_head(out, rows, series, grid->has_order);
    for (guint i = 0, next; i < n; i = next) {
        g_autoptr(GArray) cells = g_array_new(FALSE, TRUE, sizeof(GridCell));

        for (next = i; next < n && rows_have_same_grid_place(rows, i, next);
             next++) {
            GridCell cell;

            if (!read_grid_cell(rows, next, &cell, error))
                return FALSE;
            g_array_append_val(cells, cell);
        }
        append_table_row(out, rows, i, series, cells, grid);
    }
    return TRUE;
}

/* ---- data of the plot ---------------------------------------------------- */

static void append_gnuplot_word_list(GString *out, const char *name,
                                     const GPtrArray *words)
{
    g_string_append_printf(out, "array %s[%u]\n", name, words->len);
    for (guint i = 0; i < words->len; i++)
        g_string_append_printf(out, "%s[%u] = '%s'\n", name, i + 1,
                               (const char *)g_ptr_array_index(words, i));
}

static void append_plot_lines(GString *out, const CsvTable *rows,
                              const char *panel, const char *series)
{
    for (guint i = 0; i < csv_table_n_rows(rows); i++)
        if (g_str_equal(csv_table_text(rows, i, PANEL), panel) &&
            g_str_equal(csv_table_text(rows, i, SERIES), series))
            g_string_append_printf(
                out, "%s %s %s %s\n", csv_table_text(rows, i, POSITION),
                csv_table_text(rows, i, VALUE), csv_table_text(rows, i, LEAST),
                csv_table_text(rows, i, MOST));
}

/* Returns a script of gnuplot that sets the names of panels and series and
 * $data, which has an index for each panel and, within it, for each series. */
static char *grid_plot_data(const PaperGrid *grid, const CsvTable *rows)
{
    g_autoptr(GPtrArray) panels = distinct_texts(rows, PANEL);
    g_autoptr(GPtrArray) series = distinct_texts(rows, SERIES);
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "quantity = '%s'\nposition = '%s'\n",
                           grid->quantity,
                           csv_table_column_name(rows, POSITION));
    append_gnuplot_word_list(out, "panels", panels);
    append_gnuplot_word_list(out, "series", series);
    g_string_append(out, "$data << END\n");
    for (guint p = 0; p < panels->len; p++)
        for (guint i = 0; i < series->len; i++) {
            append_plot_lines(out, rows, g_ptr_array_index(panels, p),
                              g_ptr_array_index(series, i));
            g_string_append(out, "\n\n");
        }
    g_string_append(out, "END\n");
    return g_string_free(out, FALSE);
}

static gboolean add_grid_to_page(GString *page, const Simulator *simulator,
                                 const PaperClaims *claims,
                                 const PaperGrid *grid, StudyTables *tables,
                                 GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(CsvTable) rows =
        study_tables_select(tables, grid->query, &reason);
    g_autofree char *name = g_strdup_printf("%s-%s", claims->name, grid->name);
    g_autofree char *file = g_strdup_printf("%s.grid", name);
    g_autofree char *data = NULL;

    if (!rows) {
        config_set_error(error, grid->node, CONFIG_ERROR_TYPE, "query: %s",
                         reason->message);
        return FALSE;
    }
    g_string_append_printf(
        page,
        "\n### %s\n\n![%s](papers/%s.svg)\n\n%s; in brackets the "
        "range over what is not published. %s\n\n",
        grid->title, grid->title, name, grid->quantity, grid->reason);
    if (!paper_grid_text(page, grid, rows, error))
        return FALSE;
    data = grid_plot_data(grid, rows);
    return simulator_write_file(simulator, file, data, error);
}

gboolean paper_grids_add(GString *page, const Simulator *simulator,
                         const PaperClaims *claims, StudyTables *tables,
                         GError **error)
{
    const PaperGrid *grids = claims->grids.items;

    for (guint i = 0; i < claims->grids.n; i++)
        if (!add_grid_to_page(page, simulator, claims, &grids[i], tables,
                              error))
            return FALSE;
    return TRUE;
}
