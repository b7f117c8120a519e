/* sram_fsm_plot.c - heat map of network bandwidth over SRAM and FSMs */
#include "sim/view/plots/line_plot_data.h"

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
} HeatMapCell;

typedef struct {
    DistinctNames panels;
    GArray *cells; /* owned: of Cell */
    /* The distinct values of FSMs and of SRAM in ascending order (owned arrays
     * of double). */
    GArray *fsms, *sram;
} HeatMap;

static void clear_heat_map(HeatMap *map)
{
    if (!map->cells)
        return;
    names_clear(&map->panels);
    g_array_unref(map->cells);
    g_array_unref(map->fsms);
    g_array_unref(map->sram);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(HeatMap, clear_heat_map)

static const HeatMapCell *heat_map_cell_at(const HeatMap *map, guint i)
{
    return &g_array_index(map->cells, HeatMapCell, i);
}

/* Returns the index of @value in ascending @values, or its insertion index. */
static guint find_sorted_index(const GArray *values, double value)
{
    guint i = 0;

    while (i < values->len && g_array_index(values, double, i) < value)
        i++;
    return i;
}

/* Inserts a new value.  If there are too many values, nothing is drawn, so the
 * others may be dropped. */
static void insert_sorted_value(GArray *values, double value)
{
    guint i;

    if (values->len > MAX_VALUES)
        return;
    i = find_sorted_index(values, value);
    if (i == values->len || g_array_index(values, double, i) != value)
        g_array_insert_val(values, i, value);
}

static void read_heat_map(const SweepResults *r, HeatMap *map)
{
    guint fsms = plot_find_axis_column(r, FSMS),
          sram = plot_find_axis_column(r, SRAM);
    g_autoptr(GArray) columns_of_panel = plot_panel_columns(r, fsms, sram);

    if (results_column_varies(r, r->endpoint))
        g_array_append_val(columns_of_panel, r->endpoint);
    names_init(&map->panels);
    map->cells = g_array_new(FALSE, FALSE, sizeof(HeatMapCell));
    map->fsms = g_array_new(FALSE, FALSE, sizeof(double));
    map->sram = g_array_new(FALSE, FALSE, sizeof(double));
    for (guint i = 0; i < r->rows->len; i++) {
        HeatMapCell cell = { .row = results_row_at(r, i) };
        g_autofree char *panel = plot_row_label(r, cell.row, columns_of_panel);

        if (!results_parse_number(results_cell_text(r, cell.row, fsms),
                                  &cell.fsms) ||
            !results_parse_number(results_cell_text(r, cell.row, sram),
                                  &cell.sram_bytes))
            continue;
        cell.panel = distinct_names_add(&map->panels, panel);
        insert_sorted_value(map->fsms, cell.fsms);
        insert_sorted_value(map->sram, cell.sram_bytes);
        g_array_append_val(map->cells, cell);
    }
}

static char *sram_fsm_unfit_reason(const PlotKind *kind, const SweepResults *r)
{
    g_auto(HeatMap) map = { 0 };

    (void)kind;
    if (plot_find_axis_column(r, SRAM) == G_MAXUINT)
        return g_strdup(SRAM " does not vary");
    if (!plot_is_quantity_column(r, plot_find_axis_column(r, FSMS)) ||
        !plot_is_quantity_column(r, plot_find_axis_column(r, SRAM)))
        return g_strdup(FSMS " and " SRAM " are not always quantities");
    read_heat_map(r, &map);
    if (map.fsms->len > MAX_VALUES || map.sram->len > MAX_VALUES)
        return g_strdup_printf("more than %d values on an axis", MAX_VALUES);
    if (distinct_names_count(&map.panels) > CANVAS_MAX_PANELS)
        return g_strdup_printf("%u panels are more than %d",
                               distinct_names_count(&map.panels),
                               CANVAS_MAX_PANELS);
    if (map.cells->len > PLOT_MAX_MARKS)
        return g_strdup_printf("%u cells are more than %d", map.cells->len,
                               PLOT_MAX_MARKS);
    return NULL;
}

/* ---- drawing the heat map ------------------------------------------------ */

/* Adds @value of an axis column with its unit to a canvas. */
static void add_axis_value(const SweepResults *r, Canvas *canvas,
                           CanvasText place, double x_px, double y_px,
                           guint column, double value)
{
    g_autofree char *cell = g_strdup_printf("%.15g", value);
    g_autofree char *text = results_value_text(r, cell, column);

    canvas_add_text(canvas, place, x_px, y_px, text, 12);
}

static void label_heat_map(const SweepResults *r, const HeatMap *map,
                           Canvas *canvas, guint panel)
{
    double x_px = canvas_panel_x_px(canvas, panel);
    double y_px = canvas_panel_y_px(canvas, panel);
    double w_px = canvas->panel_w_px / map->fsms->len;
    double h_px = (double)canvas->panel_h_px / map->sram->len;

    canvas_add_panel_title(canvas, panel,
                           distinct_names_text_at(&map->panels, panel));
    for (guint i = 0; i < map->fsms->len; i++)
        add_axis_value(r, canvas, CANVAS_AXIS, x_px + (i + 0.5) * w_px,
                       y_px + canvas->panel_h_px + 10,
                       plot_find_axis_column(r, FSMS),
                       g_array_index(map->fsms, double, i));
    if (canvas_is_lowest_panel(canvas, panel))
        canvas_add_text(canvas, CANVAS_AXIS, x_px + canvas->panel_w_px / 2,
                        y_px + canvas->panel_h_px + 30, "FSMs", 12);
    if (panel % canvas->n_columns > 0)
        return;
    for (guint i = 0; i < map->sram->len; i++)
        add_axis_value(r, canvas, CANVAS_ROW, x_px - 6,
                       y_px + canvas->panel_h_px - (i + 0.5) * h_px,
                       plot_find_axis_column(r, SRAM),
                       g_array_index(map->sram, double, i));
    canvas_add_text(canvas, CANVAS_TURNED, 16, y_px + canvas->panel_h_px / 2,
                    "SRAM", 12);
}

static void draw_heat_map_cells(const SweepResults *r, const HeatMap *map,
                                Canvas *canvas)
{
    double min = G_MAXDOUBLE, max = 0;

    for (guint i = 0; i < map->cells->len; i++) {
        double value =
            results_cell_number(r, heat_map_cell_at(map, i)->row, columns[0]);

        min = MIN(min, value);
        max = MAX(max, value);
    }
    for (guint i = 0; i < map->cells->len; i++) {
        const HeatMapCell *cell = heat_map_cell_at(map, i);
        double value = results_cell_number(r, cell->row, columns[0]);
        g_autofree char *text = g_strdup_printf("%.0f", value);
        double light = max > min ? (value - min) / (max - min) : 0;

        CANVAS_ADD(canvas, CANVAS_POINTS, text, cell->panel + 1,
                   find_sorted_index(map->fsms, cell->fsms),
                   find_sorted_index(map->sram, cell->sram_bytes), value,
                   light > 0.55);
    }
    canvas_set_variable(canvas, "value_min", min);
    canvas_set_variable(canvas, "value_max", max > min ? max : min + 1);
}

static void draw_sram_fsm_plot(const PlotKind *kind, const SweepResults *r,
                               Canvas *canvas)
{
    g_auto(HeatMap) map = { 0 };
    guint n;

    (void)kind;
    read_heat_map(r, &map);
    n = distinct_names_count(&map.panels);
    canvas_set_title(canvas, "Network bandwidth over SRAM and FSMs",
                     "GB/s sent by an NPU");
    canvas->top_px += 34; /* room for the colour scale */
    canvas->n_columns = n <= 2 || map.fsms->len > 8 ? 2 : n % 4 == 0 ? 4 : 3;
    canvas->panel_h_px = MAX(map.sram->len * 24, 100);
    canvas->left_px = 88;
    canvas->gap_x_px = 14;
    canvas->n_title_lines = n > 2 ? 2 : 1;
    canvas->gap_y_px = 26;
    canvas_place_panels(canvas, n);
    canvas_set_variable(canvas, "n_x", map.fsms->len);
    canvas_set_variable(canvas, "n_y", map.sram->len);
    canvas_set_variable(canvas, "scale_y", canvas->top_px - 34);
    for (guint i = 0; i < n; i++)
        label_heat_map(r, &map, canvas, i);
    draw_heat_map_cells(r, &map, canvas);
}

/* ---- the caption of the heat map ----------------------------------------- */

/* Compares FSMs first, because they are logic, then SRAM. */
static gboolean is_cheaper_design(const HeatMapCell *a, const HeatMapCell *b)
{
    return a->fsms != b->fsms ? a->fsms < b->fsms
                              : a->sram_bytes < b->sram_bytes;
}

static char *sram_fsm_caption(const PlotKind *kind, const SweepResults *r)
{
    g_auto(HeatMap) map = { 0 };
    const HeatMapCell *enough = NULL;
    g_autofree char *sram = NULL;
    guint column = plot_find_axis_column(r, SRAM);
    double max = 0;

    (void)kind;
    read_heat_map(r, &map);
    for (guint i = 0; i < map.cells->len; i++)
        max = MAX(max, results_cell_number(r, heat_map_cell_at(&map, i)->row,
                                           columns[0]));
    for (guint i = 0; i < map.cells->len; i++) {
        const HeatMapCell *cell = heat_map_cell_at(&map, i);

        if (results_cell_number(r, cell->row, columns[0]) >= ENOUGH * max &&
            (!enough || is_cheaper_design(cell, enough)))
            enough = cell;
    }
    sram = results_value_text(r, results_cell_text(r, enough->row, column),
                              column);
    return g_strdup_printf(
        "The most is %.0f GB/s. 95 %% of it needs no more than %s FSMs and %s "
        "of SRAM%s%s.",
        max, results_cell_text(r, enough->row, plot_find_axis_column(r, FSMS)),
        sram, distinct_names_count(&map.panels) > 1 ? ": " : "",
        distinct_names_text_at(&map.panels, enough->panel));
}

const PlotKind plot_sram_fsm = {
    .name = "sram-fsm",
    .summary = "network bandwidth over SRAM and FSMs, as a heat map",
    .columns = columns,
    .script = text_sram_fsm_gp,
    .axis = FSMS,
    .unfit_reason = sram_fsm_unfit_reason,
    .draw = draw_sram_fsm_plot,
    .caption = sram_fsm_caption,
};
