/* sensitivity.c - bar plot of the range of a result under each assumption */
#include "sim/view/plots/plot_impl.h"

#define MIN_EFFECT 0.001
#define MAX_BARS   24
#define ROW_PX     18
#define NAME_CHARS 40

static const char *const columns[] = { "base", "value", "effect", NULL };

/* An assumption and the range of the result over its values. */
typedef struct {
    const char *name; /* borrowed */
    double least, most, effect;
} Range;

static double number(const Results *r, guint row, const char *column)
{
    return results_number(r, row, column);
}

static const char *text(const Results *r, guint row, const char *column)
{
    guint c = 0;
    gboolean ok = csv_table_column(r->table, column, &c, NULL);

    return ok ? results_text(r, row, c) : "";
}

static Range *find(GArray *ranges, const char *name)
{
    for (guint i = 0; i < ranges->len; i++)
        if (g_str_equal(g_array_index(ranges, Range, i).name, name))
            return &g_array_index(ranges, Range, i);
    return NULL;
}

/* Returns the ranges with an effect, largest first, as in the rows.  The caller
 * owns the array. */
static GArray *ranges_of(const Results *r)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(Range));

    for (guint i = 0; i < r->rows->len && ranges->len < MAX_BARS; i++) {
        guint row = results_row(r, i);
        double base = number(r, row, "base");
        const Range fresh = { text(r, row, "assumption"), base, base,
                              number(r, row, "effect") };
        Range *range;

        if (!g_str_equal(text(r, row, "role"), "try") ||
            fresh.effect < MIN_EFFECT)
            continue;
        range = find(ranges, fresh.name);
        if (!range) {
            g_array_append_val(ranges, fresh);
            range = &g_array_index(ranges, Range, ranges->len - 1);
        }
        range->least = MIN(range->least, number(r, row, "value"));
        range->most = MAX(range->most, number(r, row, "value"));
    }
    return ranges;
}

static char *unfit_reason(const PlotKind *kind, const Results *r)
{
    g_autoptr(GArray) ranges = ranges_of(r);

    (void)kind;
    return ranges->len > 0 ? NULL : g_strdup("no assumption moves it");
}

static gboolean is_speedup(const Results *r)
{
    return g_str_equal(text(r, results_row(r, 0), "metric"), "speedup");
}

/* All rows have the same base value. */
static double base_of(const Results *r)
{
    return number(r, results_row(r, 0), "base");
}

static guint left_px(const GArray *ranges)
{
    guint w_px = 0;

    for (guint i = 0; i < ranges->len; i++) {
        g_autofree char *clean =
            canvas_clean(g_array_index(ranges, Range, i).name, NAME_CHARS);

        w_px = MAX(w_px, canvas_text_px(clean, 11));
    }
    return w_px + 28;
}

/* Sets the axis with a margin below the smallest and above the largest
 * value. */
static void scale(const GArray *ranges, double base, gboolean even,
                  Canvas *canvas)
{
    double min = base, max = base, span;

    for (guint i = 0; i < ranges->len; i++) {
        min = MIN(min, g_array_index(ranges, Range, i).least);
        max = MAX(max, g_array_index(ranges, Range, i).most);
    }
    span = MAX(max - min, 0.05 * ABS(base));
    even &= min - 0.05 * span < 1 && max + 0.05 * span > 1;
    canvas_number(canvas, "x_min", min - 0.05 * span);
    canvas_number(canvas, "x_max", max + 0.05 * span);
    canvas_number(canvas, "base", base);
    canvas_number(canvas, "even", even);
}

static void layout(const Results *r, const GArray *ranges, Canvas *canvas)
{
    const char *metric = text(r, results_row(r, 0), "metric");

    canvas->left_px = left_px(ranges);
    canvas->n_columns = 1;
    canvas->panel_h_px = (ranges->len + 1) * ROW_PX;
    canvas_grid(canvas, 1);
    canvas_number(canvas, "n_rows", ranges->len + 1);
    canvas_text(
        canvas, CANVAS_AXIS, canvas_x_px(canvas, 0) + canvas->panel_w_px / 2,
        canvas_y_px(canvas, 0) + canvas->panel_h_px + 30,
        is_speedup(r) ? "times as fast as the best baseline" : metric, 40);
}

static void add_bar(const Range *range, guint i, gboolean times, Canvas *canvas)
{
    g_autofree char *least = plot_number(range->least);
    g_autofree char *most = plot_number(range->most);
    g_autofree char *said =
        g_strdup_printf("%s to %s%s", least, most, times ? "x" : "");

    CANVAS_ADD(canvas, CANVAS_POINTS, said, i + 1, range->least, range->most);
    canvas_text(canvas, CANVAS_ROW, canvas->left_px - 8,
                canvas_y_px(canvas, 0) + (i + 1) * ROW_PX, range->name,
                NAME_CHARS);
}

static void draw(const PlotKind *kind, const Results *r, Canvas *canvas)
{
    g_autoptr(GArray) ranges = ranges_of(r);
    gboolean times = is_speedup(r);

    (void)kind;
    canvas_title(canvas, "What it depends on",
                 "each assumption changed alone, from the least value to the "
                 "largest");
    canvas_entry(canvas, CANVAS_BOX, "lower");
    canvas_entry(canvas, CANVAS_BOX, "higher than it is");
    canvas->bottom_px = 50;
    layout(r, ranges, canvas);
    scale(ranges, base_of(r), times, canvas);
    for (guint i = 0; i < ranges->len; i++)
        add_bar(&g_array_index(ranges, Range, i), i, times, canvas);
}

static char *caption(const PlotKind *kind, const Results *r)
{
    g_autoptr(GArray) ranges = ranges_of(r);
    const Range *first = &g_array_index(ranges, Range, 0);
    guint n_turned = 0;

    (void)kind;
    for (guint i = 0; i < ranges->len; i++) {
        const Range *range = &g_array_index(ranges, Range, i);

        n_turned += range->least < 1 && range->most > 1;
    }
    if (!is_speedup(r))
        return g_strdup_printf("It is %.6g; %s moves it most, from %.6g to "
                               "%.6g.",
                               base_of(r), first->name, first->least,
                               first->most);
    return g_strdup_printf("The speedup is %.2f; %s moves it most, from %.2f "
                           "to %.2f. Assumptions that alone decide who wins: "
                           "%u of %u drawn.",
                           base_of(r), first->name, first->least, first->most,
                           n_turned, ranges->len);
}

const PlotKind plot_sensitivity = {
    .name = "sensitivity",
    .summary = "which assumptions a result depends on, see acesim sensitivity",
    .columns = columns,
    .script = text_sensitivity_gp,
    .sensitivity = TRUE,
    .unfit_reason = unfit_reason,
    .draw = draw,
    .caption = caption,
};
