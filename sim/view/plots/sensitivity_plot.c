/* sensitivity_plot.c - bar plot of the range of a result under
 * each assumption */
#include "sim/view/plots/plot_kinds_impl.h"

#define MIN_EFFECT 0.001
#define MAX_BARS   24
#define ROW_PX     18
#define NAME_CHARS 40

static const char *const columns[] = { "base", "value", "effect", NULL };

/* An assumption and the range of the result over its values. */
typedef struct {
    const char *name; /* borrowed */
    double least, most, effect;
} AssumptionRange;

static double results_cell_as_number(const SweepResults *results, guint row,
                                     const char *column)
{
    return results_cell_number(results, row, column);
}

static const char *results_cell_as_text(const SweepResults *results, guint row,
                                        const char *column)
{
    guint c = 0;
    gboolean ok = csv_table_column(results->table, column, &c, NULL);

    return ok ? results_cell_text(results, row, c) : "";
}

static AssumptionRange *find_range_of_assumption(GArray *ranges,
                                                 const char *name)
{
    for (guint i = 0; i < ranges->len; i++)
        if (g_str_equal(g_array_index(ranges, AssumptionRange, i).name, name))
            return &g_array_index(ranges, AssumptionRange, i);
    return NULL;
}

/* Returns the ranges with an effect, largest first, as in the rows.  The caller
 * owns the array. */
static GArray *list_effective_ranges(const SweepResults *results)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(AssumptionRange));

    for (guint i = 0; i < results->rows->len && ranges->len < MAX_BARS; i++) {
        guint row = results_row_at(results, i);
        double base = results_cell_as_number(results, row, "base");
        const AssumptionRange fresh = {
            results_cell_as_text(results, row, "assumption"), base, base,
            results_cell_as_number(results, row, "effect")
        };
        AssumptionRange *range;

        if (!g_str_equal(results_cell_as_text(results, row, "role"), "try") ||
            fresh.effect < MIN_EFFECT)
            continue;
        range = find_range_of_assumption(ranges, fresh.name);
        if (!range) {
            g_array_append_val(ranges, fresh);
            range = &g_array_index(ranges, AssumptionRange, ranges->len - 1);
        }
        range->least =
            MIN(range->least, results_cell_as_number(results, row, "value"));
        range->most =
            MAX(range->most, results_cell_as_number(results, row, "value"));
    }
    return ranges;
}

static char *sensitivity_unfit_reason(const PlotKind *kind,
                                      const SweepResults *results)
{
    g_autoptr(GArray) ranges = list_effective_ranges(results);

    (void)kind;
    return ranges->len > 0 ? NULL : g_strdup("no assumption moves it");
}

static gboolean is_metric_speedup(const SweepResults *results)
{
    return g_str_equal(
        results_cell_as_text(results, results_row_at(results, 0), "metric"),
        "speedup");
}

/* All rows have the same base value. */
static double value_of_unchanged_run(const SweepResults *results)
{
    return results_cell_as_number(results, results_row_at(results, 0), "base");
}

static guint label_width_of_names_px(const GArray *ranges)
{
    guint w_px = 0;

    for (guint i = 0; i < ranges->len; i++) {
        g_autofree char *clean = canvas_clean_text(
            g_array_index(ranges, AssumptionRange, i).name, NAME_CHARS);

        w_px = MAX(w_px, canvas_text_width_px(clean, 11));
    }
    return w_px + 28;
}

/* Sets the axis with a margin below the smallest and above the largest
 * value. */
static void set_value_axis(const GArray *ranges, double base, gboolean even,
                           Canvas *canvas)
{
    double min = base, max = base, span;

    for (guint i = 0; i < ranges->len; i++) {
        min = MIN(min, g_array_index(ranges, AssumptionRange, i).least);
        max = MAX(max, g_array_index(ranges, AssumptionRange, i).most);
    }
    span = MAX(max - min, 0.05 * ABS(base));
    even &= min - 0.05 * span < 1 && max + 0.05 * span > 1;
    canvas_set_variable(canvas, "x_min", min - 0.05 * span);
    canvas_set_variable(canvas, "x_max", max + 0.05 * span);
    canvas_set_variable(canvas, "base", base);
    canvas_set_variable(canvas, "even", even);
}

static void lay_out_sensitivity(const SweepResults *results,
                                const GArray *ranges, Canvas *canvas)
{
    const char *metric =
        results_cell_as_text(results, results_row_at(results, 0), "metric");

    canvas->left_px = label_width_of_names_px(ranges);
    canvas->n_columns = 1;
    canvas->panel_h_px = (ranges->len + 1) * ROW_PX;
    canvas_place_panels(canvas, 1);
    canvas_set_variable(canvas, "n_rows", ranges->len + 1);
    canvas_add_text(canvas, CANVAS_AXIS,
                    canvas_panel_x_px(canvas, 0) + canvas->panel_w_px / 2,
                    canvas_panel_y_px(canvas, 0) + canvas->panel_h_px + 30,
                    is_metric_speedup(results)
                        ? "times as fast as the best baseline"
                        : metric,
                    40);
}

static void append_range_bar(const AssumptionRange *range, guint i,
                             gboolean times, Canvas *canvas)
{
    g_autofree char *least = plot_three_digits_text(range->least);
    g_autofree char *most = plot_three_digits_text(range->most);
    g_autofree char *said =
        g_strdup_printf("%s to %s%s", least, most, times ? "x" : "");

    CANVAS_ADD(canvas, CANVAS_POINTS, said, i + 1, range->least, range->most);
    canvas_add_text(canvas, CANVAS_ROW, canvas->left_px - 8,
                    canvas_panel_y_px(canvas, 0) + (i + 1) * ROW_PX,
                    range->name, NAME_CHARS);
}

static void draw_sensitivity_panel(const PlotKind *kind,
                                   const SweepResults *results, Canvas *canvas)
{
    g_autoptr(GArray) ranges = list_effective_ranges(results);
    gboolean times = is_metric_speedup(results);

    (void)kind;
    canvas_set_title(
        canvas, "What it depends on",
        "each assumption changed alone, from the least value to the "
        "largest");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "lower");
    canvas_add_legend_entry(canvas, CANVAS_BOX, "higher than it is");
    canvas->bottom_px = 50;
    lay_out_sensitivity(results, ranges, canvas);
    set_value_axis(ranges, value_of_unchanged_run(results), times, canvas);
    for (guint i = 0; i < ranges->len; i++)
        append_range_bar(&g_array_index(ranges, AssumptionRange, i), i, times,
                         canvas);
}

const PlotKind plot_sensitivity = {
    .name = "sensitivity",
    .summary = "which assumptions a result depends on, see acesim sensitivity",
    .columns = columns,
    .script = text_sensitivity_gp,
    .sensitivity = TRUE,
    .unfit_reason = sensitivity_unfit_reason,
    .draw = draw_sensitivity_panel,
};
