/* chart_cells.c - draws a heat map over two numeric axes; see chart_draw.h */
#include <math.h>

#include "sim/view/plots/chart_draw_impl.h"
#include "sim/view/plots/chart_layout.h"

#define MAX_FIGURES 12 /* rows and columns with a figure in each cell */
#define CELL_H_PX   26
#define MIN_H_PX    210 /* room for the title of the vertical axis */
#define KEY_SHARE   4   /* the scale of colours is 1/4 of the image wide */
#define KEY_STEPS   20
/* A value within this part of the best is framed. */
#define NEAR_BEST 0.01
/* A speedup below 1. */
#define SLOWER_COLOUR 0xd9d9d9U

/* The cells of a panel; NAN where there is no point. */
typedef struct {
    guint n_x, n_y;
    double *values;
    double best; /* NAN if no value of the column is better than another */
    double least_framed; /* of a ratio; NAN: the best are framed */
} CellGrid;

static double heat_map_cell_at(const CellGrid *grid, gint64 x, gint64 y)
{
    return x < 0 || y < 0 || x >= grid->n_x || y >= grid->n_y
               ? NAN
               : grid->values[(guint)y * grid->n_x + (guint)x];
}

static CellGrid read_cell_grid(const Chart *chart, guint panel)
{
    ChartBetter better = chart_better_direction(chart->y);
    CellGrid grid = { .n_x = chart_axis_n_values(chart->x),
                      .n_y = chart_axis_n_values(chart->series_axis),
                      .best = NAN,
                      .least_framed =
                          chart->is_ratio ? 1 + chart->error : NAN };
    guint n = grid.n_x * grid.n_y;

    grid.values = g_new(double, n);
    for (guint i = 0; i < n; i++)
        grid.values[i] = NAN;
    for (guint i = 0; i < chart->points->len; i++) {
        const ChartPoint *point = chart_point_at(chart, i);

        if (point->panel != panel)
            continue;
        grid.values[point->series * grid.n_x + point->x] = point->y;
        if (better == CHART_MORE_IS_BETTER)
            grid.best = fmax(grid.best, point->y);
        else if (better == CHART_LESS_IS_BETTER)
            grid.best = fmin(grid.best, point->y);
    }
    return grid;
}

/* Returns the colour of a share of the range, from light to dark green. */
static guint32 colour_of_share(double share)
{
    static const struct {
        double r, g, b;
    } light = { 232, 243, 238 }, middle = { 110, 181, 156 },
      dark = { 14, 66, 50 };
    double t = share < 0.5 ? 2 * share : 2 * share - 1;
    double r = share < 0.5 ? light.r + t * (middle.r - light.r)
                           : middle.r + t * (dark.r - middle.r);
    double g = share < 0.5 ? light.g + t * (middle.g - light.g)
                           : middle.g + t * (dark.g - middle.g);
    double b = share < 0.5 ? light.b + t * (middle.b - light.b)
                           : middle.b + t * (dark.b - middle.b);

    return ((guint32)r << 16) | ((guint32)g << 8) | (guint32)b;
}

/* Returns whether the cell of @value gets a frame.  A ratio gets one if it
 * exceeds 1 by more than the expected error; a value of any other column, if it
 * is near the best. */
static gboolean value_is_framed(const CellGrid *grid, double value)
{
    if (isfinite(grid->least_framed))
        return isfinite(value) && value > grid->least_framed;
    return isfinite(value) &&
           fabs(value - grid->best) <= NEAR_BEST * fabs(grid->best);
}

/* Draws the sides of a framed cell whose neighbours are not. */
static void draw_cell_frame(const CellGrid *grid, Canvas *canvas, guint x,
                            guint y, const double *box)
{
    static const struct {
        int x, y, from[2], to[2]; /* indices of box */
    } sides[] = { { -1, 0, { 0, 1 }, { 0, 3 } },
                  { 1, 0, { 2, 1 }, { 2, 3 } },
                  { 0, 1, { 0, 1 }, { 2, 1 } },
                  { 0, -1, { 0, 3 }, { 2, 3 } } };

    for (guint i = 0; i < G_N_ELEMENTS(sides); i++)
        if (!value_is_framed(grid,
                             heat_map_cell_at(grid, (gint64)x + sides[i].x,
                                              (gint64)y + sides[i].y)))
            canvas_add_stroke(canvas, box[sides[i].from[0]],
                              box[sides[i].from[1]], box[sides[i].to[0]],
                              box[sides[i].to[1]], 2, CHART_INK);
}

static char *number_text_that_fits_cell(const Chart *chart, double value,
                                        double w_px)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    double shown = value / chart->unit.size;

    for (guint digits = 3; digits > 0; digits--) {
        g_autofree char *format =
            g_strdup_printf("%%.%uf", shown < 10    ? digits - 1
                                      : shown < 100 ? digits - MIN(digits, 2)
                                                    : 0);

        g_ascii_formatd(text, sizeof text, format, shown);
        if (chart_text_px(text) + 2 <= w_px)
            return g_strdup(text);
    }
    return NULL;
}

/* @range holds the least and the largest value of all panels. */
static void draw_cells_of_panel(const Chart *chart, Canvas *canvas, guint panel,
                                const CellGrid *grid, const double *range)
{
    double w_px = canvas->panel_w_px / grid->n_x;
    double h_px = (double)canvas->panel_h_px / grid->n_y;
    gboolean figures = grid->n_x <= MAX_FIGURES && grid->n_y <= MAX_FIGURES;

    for (guint y = 0; y < grid->n_y; y++)
        for (guint x = 0; x < grid->n_x; x++) {
            double value = heat_map_cell_at(grid, x, y);
            double left = canvas_panel_x_px(canvas, panel) + x * w_px;
            double low = canvas_panel_y_px(canvas, panel) + canvas->panel_h_px -
                         y * h_px;
            const double box[4] = { left, low - h_px, left + w_px, low };
            double share = range[1] > range[0]
                               ? (value - range[0]) / (range[1] - range[0])
                               : 0;
            g_autofree char *text = NULL;

            if (!isfinite(value))
                continue;
            canvas_add_box(canvas, box[0], box[1], box[2], box[3],
                           chart->is_ratio && value < 1
                               ? SLOWER_COLOUR
                               : colour_of_share(share));
            if (value_is_framed(grid, value))
                draw_cell_frame(grid, canvas, x, y, box);
            text =
                figures ? number_text_that_fits_cell(chart, value, w_px) : NULL;
            if (text)
                canvas_add_label(canvas, (box[0] + box[2]) / 2,
                                 (box[1] + box[3]) / 2, CANVAS_CENTRED,
                                 share > 0.6 ? 0xffffff : 0x000000, text, 9);
        }
}

/* Writes the values of @axis at the middles of the cells of a panel. */
static void write_axis_values(Canvas *canvas, guint panel,
                              const ChartAxis *axis, gboolean is_x)
{
    guint n = chart_axis_n_values(axis);
    double x_px = canvas_panel_x_px(canvas, panel);
    double y_px = canvas_panel_y_px(canvas, panel) + canvas->panel_h_px;
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autofree double *at_px = g_new(double, n), *size_px = g_new(double, n);
    g_autofree gboolean *shown = g_new(gboolean, n);

    for (guint i = 0; i < n; i++) {
        char *text = chart_axis_tick(axis, i);

        at_px[i] = is_x ? x_px + (i + 0.5) * canvas->panel_w_px / n
                        : y_px - (i + 0.5) * canvas->panel_h_px / n;
        size_px[i] = is_x ? chart_text_px(text) : CHART_LABEL_PX;
        g_ptr_array_add(texts, text);
    }
    chart_thin_labels(at_px, size_px, n, is_x ? 4 : 0, shown);
    for (guint i = 0; i < n; i++)
        if (shown[i])
            canvas_add_label(canvas, is_x ? at_px[i] : x_px - 6,
                             is_x ? y_px + 12 : at_px[i],
                             is_x ? CANVAS_CENTRED : CANVAS_RIGHT, CHART_INK,
                             g_ptr_array_index(texts, i), 10);
}

/* Draws the scale of colours, and makes room for it. */
static void draw_colour_scale(const Chart *chart, Canvas *canvas,
                              const double *range)
{
    g_autofree char *low = number_text_that_fits_cell(chart, range[0], 100);
    g_autofree char *high = number_text_that_fits_cell(chart, range[1], 100);
    g_autofree char *title = chart_y_title(chart);
    double y_px = canvas->top_px + 6, x_px = 14 + chart_text_px(low) + 6;
    double key_px = canvas->width_px / KEY_SHARE;

    canvas_add_label(canvas, 14, y_px, CANVAS_LEFT, CHART_INK, low, 12);
    for (guint i = 0; i < KEY_STEPS; i++)
        canvas_add_box(canvas, x_px + (double)i * key_px / KEY_STEPS, y_px - 6,
                       x_px + (i + 1.0) * key_px / KEY_STEPS, y_px + 6,
                       colour_of_share((i + 0.5) / KEY_STEPS));
    canvas_add_label(canvas, x_px + key_px + 6, y_px, CANVAS_LEFT, CHART_INK,
                     high, 12);
    canvas_add_label(canvas, x_px + key_px + chart_text_px(high) + 24, y_px,
                     CANVAS_LEFT, CHART_INK, title, 50);
    canvas->top_px += 22;
}

static double room_for_axis_ticks_px(const ChartAxis *axis)
{
    double most = 0;

    for (guint i = 0; i < chart_axis_n_values(axis); i++) {
        g_autofree char *text = chart_axis_tick(axis, i);

        most = MAX(most, chart_text_px(text));
    }
    return MIN(most, 10 * chart_text_px("m"));
}

static void place_cell_panels(const Chart *chart, Canvas *canvas)
{
    guint n = distinct_names_count(&chart->panels);
    guint n_y = chart_axis_n_values(chart->series_axis);

    canvas->n_columns = n == 1 || chart_axis_n_values(chart->x) > 12 ? 1
                        : n <= 2 || n == 4 || chart_axis_n_values(chart->x) > 6
                            ? 2
                            : 3;
    canvas->panel_h_px =
        n_y <= MAX_FIGURES ? MAX(n_y * CELL_H_PX, n <= 3 ? MIN_H_PX : 0) : 320;
    canvas->left_px =
        26 + (guint)room_for_axis_ticks_px(chart->series_axis) + 14;
    canvas->gap_x_px = 16;
    canvas->gap_y_px = 32;
    canvas->bottom_px = 52;
    chart_limit_columns(canvas, 90);
    for (guint i = 0; i < n; i++)
        canvas_fit_panel_title(canvas,
                               distinct_names_text_at(&chart->panels, i));
    canvas_place_panels(canvas, n);
}

void chart_draw_cells(const Chart *chart, Canvas *canvas)
{
    g_autofree char *x_title = chart_axis_title(chart->x);
    g_autofree char *y_title = chart_axis_title(chart->series_axis);
    double range[2] = { G_MAXDOUBLE, -G_MAXDOUBLE };

    for (guint i = 0; i < chart->points->len; i++) {
        range[0] = MIN(range[0], chart_point_at(chart, i)->y);
        range[1] = MAX(range[1], chart_point_at(chart, i)->y);
    }
    /* The scale of colours of a ratio begins at break-even. */
    if (chart->is_ratio) {
        range[0] = 1;
        range[1] = MAX(range[1], 1);
    }
    draw_colour_scale(chart, canvas, range);
    place_cell_panels(chart, canvas);
    chart_add_panel_titles(chart, canvas);
    for (guint i = 0; i < distinct_names_count(&chart->panels); i++) {
        CellGrid grid = read_cell_grid(chart, i);

        draw_cells_of_panel(chart, canvas, i, &grid, range);
        write_axis_values(canvas, i, chart->x, TRUE);
        if (i % canvas->n_columns == 0)
            write_axis_values(canvas, i, chart->series_axis, FALSE);
        g_free(grid.values);
    }
    chart_add_axis_titles(canvas, x_title, y_title);
}
