/* sram_fsm.c - heat map of network bandwidth over SRAM and FSMs */
#include "sim/view/plots/lines.h"

#define FSMS "endpoint.fsms"
#define SRAM "endpoint.sram"
/* The caption names the cheapest design that reaches this fraction of the
 * largest bandwidth. */
#define ENOUGH     0.95
#define MAX_VALUES 24 /* limit of the values on an axis */

static const char *const columns[] = { "net_bw_gb_per_s", NULL };

typedef struct {
    guint panel, row;
    double fsms, sram_bytes;
} Cell;

typedef struct {
    Names panels;
    GArray *cells; /* owned: of Cell */
    /* The distinct values of FSMs and of SRAM in ascending order (owned arrays
     * of double). */
    GArray *fsms, *sram;
} Map;

static void clear_map(Map *map)
{
    if (!map->cells)
        return;
    names_clear(&map->panels);
    g_array_unref(map->cells);
    g_array_unref(map->fsms);
    g_array_unref(map->sram);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Map, clear_map)

static const Cell *cell_at(const Map *map, guint i)
{
    return &g_array_index(map->cells, Cell, i);
}

/* Returns the index of @value in ascending @values, or its insertion index. */
static guint find(const GArray *values, double value)
{
    guint i = 0;

    while (i < values->len && g_array_index(values, double, i) < value)
        i++;
    return i;
}

/* Inserts a new value.  If there are too many values, nothing is drawn, so the
 * others may be dropped. */
static void insert(GArray *values, double value)
{
    guint i;

    if (values->len > MAX_VALUES)
        return;
    i = find(values, value);
    if (i == values->len || g_array_index(values, double, i) != value)
        g_array_insert_val(values, i, value);
}

static void read_map(const Results *r, Map *map)
{
    guint fsms = plot_axis(r, FSMS), sram = plot_axis(r, SRAM);
    g_autoptr(GArray) columns_of_panel = plot_panel_columns(r, fsms, sram);

    if (results_varies(r, r->endpoint))
        g_array_append_val(columns_of_panel, r->endpoint);
    names_init(&map->panels);
    map->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
    map->fsms = g_array_new(FALSE, FALSE, sizeof(double));
    map->sram = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < r->rows->len; i++) {
        Cell cell = { .row = results_row(r, i) };
        g_autofree char *panel = plot_label(r, cell.row, columns_of_panel);

        if (!results_quantity(results_text(r, cell.row, fsms), &cell.fsms) ||
            !results_quantity(results_text(r, cell.row, sram),
                              &cell.sram_bytes))
            continue;
        cell.panel = names_add(&map->panels, panel);
        insert(map->fsms, cell.fsms);
        insert(map->sram, cell.sram_bytes);
        g_array_append_val(map->cells, cell);
    }
}

static char *unfit_reason(const PlotKind *kind, const Results *r)
{
    g_auto(Map) map = { 0 };

    (void)kind;
    if (plot_axis(r, SRAM) == G_MAXUINT)
        return g_strdup(SRAM " does not vary");
    if (!plot_is_measured(r, plot_axis(r, FSMS)) ||
        !plot_is_measured(r, plot_axis(r, SRAM)))
        return g_strdup(FSMS " and " SRAM " are not always quantities");
    read_map(r, &map);
    if (map.fsms->len > MAX_VALUES || map.sram->len > MAX_VALUES)
        return g_strdup_printf("more than %d values on an axis", MAX_VALUES);
    if (names_n(&map.panels) > CANVAS_MAX_PANELS)
        return g_strdup_printf("%u panels are more than %d",
                               names_n(&map.panels), CANVAS_MAX_PANELS);
    if (map.cells->len > PLOT_MAX_MARKS)
        return g_strdup_printf("%u cells are more than %d", map.cells->len,
                               PLOT_MAX_MARKS);
    return NULL;
}

/* ---- drawing the heat map ------------------------------------------------ */

/* Returns the text of a cell with this value in the column. */
static const char *text_of(const Results *r, const Map *map, guint column,
                           double value)
{
    for (guint i = 0; i < map->cells->len; i++) {
        const char *text = results_text(r, cell_at(map, i)->row, column);
        double other = 0;

        if (results_quantity(text, &other) && other == value)
            return text;
    }
    return "";
}

static void label_panel(const Results *r, const Map *map, Canvas *canvas,
                        guint panel)
{
    double x_px = canvas_x_px(canvas, panel);
    double y_px = canvas_y_px(canvas, panel);
    double w_px = canvas->panel_w_px / map->fsms->len;
    double h_px = (double)canvas->panel_h_px / map->sram->len;

    canvas_panel_title(canvas, panel, names_text(&map->panels, panel));
    for (guint i = 0; i < map->fsms->len; i++)
        canvas_text(canvas, CANVAS_AXIS, x_px + (i + 0.5) * w_px,
                    y_px + canvas->panel_h_px + 10,
                    text_of(r, map, plot_axis(r, FSMS),
                            g_array_index(map->fsms, double, i)),
                    12);
    if (canvas_is_lowest(canvas, panel))
        canvas_text(canvas, CANVAS_AXIS, x_px + canvas->panel_w_px / 2,
                    y_px + canvas->panel_h_px + 30, "FSMs", 12);
    if (panel % canvas->n_columns > 0)
        return;
    for (guint i = 0; i < map->sram->len; i++)
        canvas_text(canvas, CANVAS_ROW, x_px - 6,
                    y_px + canvas->panel_h_px - (i + 0.5) * h_px,
                    text_of(r, map, plot_axis(r, SRAM),
                            g_array_index(map->sram, double, i)),
                    12);
    canvas_text(canvas, CANVAS_TURNED, 16, y_px + canvas->panel_h_px / 2,
                "SRAM", 12);
}

static void draw_cells(const Results *r, const Map *map, Canvas *canvas)
{
    double min = G_MAXDOUBLE, max = 0;

    for (guint i = 0; i < map->cells->len; i++) {
        double value = results_number(r, cell_at(map, i)->row, columns[0]);

        min = MIN(min, value);
        max = MAX(max, value);
    }
    for (guint i = 0; i < map->cells->len; i++) {
        const Cell *cell = cell_at(map, i);
        double value = results_number(r, cell->row, columns[0]);
        g_autofree char *text = g_strdup_printf("%.0f", value);
        double light = max > min ? (value - min) / (max - min) : 0;

        CANVAS_ADD(canvas, CANVAS_POINTS, text, cell->panel + 1,
                   find(map->fsms, cell->fsms),
                   find(map->sram, cell->sram_bytes), value, light > 0.55);
    }
    canvas_number(canvas, "value_min", min);
    canvas_number(canvas, "value_max", max > min ? max : min + 1);
}

static void draw(const PlotKind *kind, const Results *r, Canvas *canvas)
{
    g_auto(Map) map = { 0 };
    guint n;

    (void)kind;
    read_map(r, &map);
    n = names_n(&map.panels);
    canvas_title(canvas, "Network bandwidth over SRAM and FSMs",
                 "GB/s sent by an NPU");
    canvas->top_px += 34; /* room for the colour scale */
    canvas->n_columns = n <= 2 || map.fsms->len > 8 ? 2 : n % 4 == 0 ? 4 : 3;
    canvas->panel_h_px = MAX(map.sram->len * 24, 100);
    canvas->left_px = 88;
    canvas->gap_x_px = 14;
    canvas->n_title_lines = n > 2 ? 2 : 1;
    canvas->gap_y_px = 26;
    canvas_grid(canvas, n);
    canvas_number(canvas, "n_x", map.fsms->len);
    canvas_number(canvas, "n_y", map.sram->len);
    canvas_number(canvas, "scale_y", canvas->top_px - 34);
    for (guint i = 0; i < n; i++)
        label_panel(r, &map, canvas, i);
    draw_cells(r, &map, canvas);
}

/* ---- the caption of the heat map ----------------------------------------- */

/* Compares FSMs first, because they are logic, then SRAM. */
static gboolean is_cheaper(const Cell *a, const Cell *b)
{
    return a->fsms != b->fsms ? a->fsms < b->fsms
                              : a->sram_bytes < b->sram_bytes;
}

static char *caption(const PlotKind *kind, const Results *r)
{
    g_auto(Map) map = { 0 };
    const Cell *enough = NULL;
    double max = 0;

    (void)kind;
    read_map(r, &map);
    for (guint i = 0; i < map.cells->len; i++)
        max = MAX(max, results_number(r, cell_at(&map, i)->row, columns[0]));
    for (guint i = 0; i < map.cells->len; i++) {
        const Cell *cell = cell_at(&map, i);

        if (results_number(r, cell->row, columns[0]) >= ENOUGH * max &&
            (!enough || is_cheaper(cell, enough)))
            enough = cell;
    }
    return g_strdup_printf(
        "The most is %.0f GB/s. 95 %% of it needs no more than %s FSMs and %s "
        "of SRAM%s%s.",
        max, results_text(r, enough->row, plot_axis(r, FSMS)),
        results_text(r, enough->row, plot_axis(r, SRAM)),
        names_n(&map.panels) > 1 ? ": " : "",
        names_text(&map.panels, enough->panel));
}

const PlotKind plot_sram_fsm = {
    .name = "sram-fsm",
    .summary = "network bandwidth over SRAM and FSMs, as a heat map",
    .columns = columns,
    .script = text_sram_fsm_gp,
    .axis = FSMS,
    .unfit_reason = unfit_reason,
    .draw = draw,
    .caption = caption,
};
