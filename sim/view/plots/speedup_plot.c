/* speedup_plot.c - bar plot of the offload's speedup over the best baseline, as
 * in `acesim compare` */
#include "sim/view/plots/bar_layout.h"

/* A speedup above this fraction of the ceiling is near it. */
#define NEAR 0.98

static const char *const columns[] = { "iteration_time_us", NULL };

static void add_speedup_bars(const SweepResults *r, GroupedBars *bars)
{
    const Comparison *c = r->comparison;

    bars_init(bars, r);
    for (guint o = 0; o < c->offloads->len; o++)
        distinct_names_add(&bars->names, g_ptr_array_index(c->offloads, o));
    for (guint i = 0; i < c->pairs->len; i++)
        bar_layout_add(bars, compare_pair(c, i)->row, i);
}

static char *speedup_unfit_reason(const PlotKind *kind, const SweepResults *r)
{
    g_auto(GroupedBars) bars = { 0 };

    (void)kind;
    if (!r->comparison)
        return g_strdup(r->no_comparison_reason);
    add_speedup_bars(r, &bars);
    return bars_too_many_reason(&bars);
}

static void set_speedup_title(const SweepResults *r, Canvas *canvas)
{
    const Comparison *c = r->comparison;
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < c->baselines->len; i++)
        g_string_append_printf(text, "%s%s",
                               i > 0 ? ", " : "against the fastest of ",
                               (char *)g_ptr_array_index(c->baselines, i));
    if (c->baselines->len == 1)
        g_string_printf(text, "against %s",
                        (char *)g_ptr_array_index(c->baselines, 0));
    canvas_set_title(canvas, "Speedup of an iteration", text->str);
}

/* Sets the axis: a margin below the smallest value, and room for a text after
 * the largest. */
static void set_speedup_axis(const SweepResults *r, Canvas *canvas)
{
    const Comparison *c = r->comparison;
    double min = 1, max = 1, span;

    for (guint i = 0; i < c->pairs->len; i++) {
        const ComparePair *pair = compare_pair(c, i);

        min = MIN(min, compare_speedup(pair));
        max = MAX(max, compare_speedup(pair));
        max = MAX(max, compare_speedup_ceiling(pair));
        if (pair->built_ps > 0)
            min = MIN(min, compare_built_speedup(pair));
    }
    span = MAX(max - min, 0.05);
    canvas_set_variable(canvas, "x_min", min - 0.05 * span);
    canvas_set_variable(canvas, "costs", COMPARE_MAX_LOSS);
    canvas_set_variable(canvas, "x_max", max + 0.05 * span);
}

static char *speedup_numbers_text(const ComparePair *pair)
{
    if (pair->built_ps == 0)
        return g_strdup_printf("%.2fx", compare_speedup(pair));
    return g_strdup_printf("%.2fx, %.2fx", compare_speedup(pair),
                           compare_built_speedup(pair));
}

static void draw_speedup_plot(const PlotKind *kind, const SweepResults *r,
                              Canvas *canvas)
{
    const Comparison *c = r->comparison;
    g_auto(GroupedBars) bars = { 0 };
    gboolean ceiling = FALSE, slower = FALSE, built = FALSE;

    (void)kind;
    add_speedup_bars(r, &bars);
    set_speedup_title(r, canvas);
    for (guint i = 0; i < c->pairs->len; i++) {
        ceiling |= compare_speedup_ceiling(compare_pair(c, i)) > 0;
        built |= compare_pair(c, i)->built_ps > 0;
        slower |= compare_speedup(compare_pair(c, i)) < COMPARE_MAX_LOSS;
    }
    canvas_add_legend_entry(canvas, CANVAS_BOX, "faster");
    if (slower)
        canvas_add_legend_entry(canvas, CANVAS_BOX, "slower");
    if (ceiling)
        canvas_add_legend_entry(canvas, CANVAS_TICK,
                                "were all communication hidden");
    if (built)
        canvas_add_legend_entry(canvas, CANVAS_DOT,
                                "over the best that could be built");
    canvas_set_variable(canvas, "text_w", built ? 88 : 46);
    canvas->gap_y_px = 50;
    bars_draw_layout(&bars, canvas);
    set_speedup_axis(r, canvas);
    for (guint i = 0; i < bars.bars->len; i++) {
        const GroupedBar *bar = bars_bar_at(&bars, i);
        const ComparePair *pair = compare_pair(c, bar->id);
        g_autofree char *text = speedup_numbers_text(pair);

        CANVAS_ADD(canvas, CANVAS_POINTS, text, bar->panel + 1,
                   bars_row_centre(&bars, bar), compare_speedup(pair),
                   compare_speedup_ceiling(pair), compare_built_speedup(pair));
    }
    for (guint i = 0; i < distinct_names_count(&bars.panels); i++)
        canvas_add_text(canvas, CANVAS_AXIS,
                        canvas_panel_x_px(canvas, i) + canvas->panel_w_px / 2,
                        canvas_panel_y_px(canvas, i) + canvas->panel_h_px + 30,
                        "times as fast", 30);
}

/* Statistics of the pairs of the first offload. */
typedef struct {
    guint n, n_known, n_near; /* pairs with a ceiling, and those close to it */
    /* The number of pairs that have a best baseline that could be built. */
    guint n_built;
    double min, max, min_ceiling, max_ceiling, min_built, max_built;
} SpeedupTotals;

static void add_to_built_totals(SpeedupTotals *t, double speedup)
{
    if (speedup <= 0)
        return;
    t->n_built++;
    t->min_built = MIN(t->min_built, speedup);
    t->max_built = MAX(t->max_built, speedup);
}

static SpeedupTotals sum_speedups(const Comparison *c)
{
    const char *offload = g_ptr_array_index(c->offloads, 0);
    SpeedupTotals t = { .min = G_MAXDOUBLE,
                        .min_ceiling = G_MAXDOUBLE,
                        .min_built = G_MAXDOUBLE };

    for (guint i = 0; i < c->pairs->len; i++) {
        double speedup = compare_speedup(compare_pair(c, i));
        double ceiling = compare_speedup_ceiling(compare_pair(c, i));

        if (!g_str_equal(compare_offload_name(c, compare_pair(c, i)), offload))
            continue;
        t.n++;
        t.min = MIN(t.min, speedup);
        t.max = MAX(t.max, speedup);
        add_to_built_totals(&t, compare_built_speedup(compare_pair(c, i)));
        if (ceiling <= 0)
            continue;
        t.n_known++;
        t.n_near += speedup >= NEAR * ceiling;
        t.min_ceiling = MIN(t.min_ceiling, ceiling);
        t.max_ceiling = MAX(t.max_ceiling, ceiling);
    }
    return t;
}

/* Returns a text such as "1.10 times", or "0.90 to 1.10 times" if the rounded
 * values differ.  The caller owns it. */
static char *speedup_range_text(double min, double max)
{
    g_autofree char *from = g_strdup_printf("%.2f", min);
    g_autofree char *to = g_strdup_printf("%.2f", max);

    return g_str_equal(from, to) ? g_strdup_printf("%s times", to)
                                 : g_strdup_printf("%s to %s times", from, to);
}

static void append_ceiling_sentence(const SpeedupTotals *t, GString *out)
{
    g_autofree char *ceilings =
        speedup_range_text(t->min_ceiling, t->max_ceiling);

    if (t->n_known == 0)
        return;
    g_string_append_printf(
        out,
        "; were all of its communication hidden, it would be %s. On %u of %u "
        "it comes within 2 %% of that: there a better network or endpoint "
        "gains little, unless it leaves more SMs or memory bandwidth to "
        "compute",
        ceilings, t->n_near, t->n_known);
}

static char *speedup_caption(const PlotKind *kind, const SweepResults *r)
{
    const Comparison *c = r->comparison;
    const char *offload = g_ptr_array_index(c->offloads, 0);
    SpeedupTotals t = sum_speedups(c);
    g_autofree char *speedups = speedup_range_text(t.min, t.max);
    GString *out;

    (void)kind;
    if (t.n == 0)
        return g_strdup_printf("There is nothing to compare %s with.", offload);
    out = g_string_new(NULL);
    g_string_append_printf(out, "%s is %s as fast as the best baseline",
                           offload, speedups);
    append_ceiling_sentence(&t, out);
    g_string_append_c(out, '.');
    if (t.n_built > 0) {
        g_autofree char *built = speedup_range_text(t.min_built, t.max_built);

        g_string_append_printf(out,
                               " It is %s as fast as the best that could be "
                               "built without it.",
                               built);
    }
    return g_string_free(out, FALSE);
}

const PlotKind plot_speedup = {
    .name = "speedup",
    .summary = "offload over the best baseline, as `acesim compare` has it",
    .columns = columns,
    .script = text_speedup_gp,
    .unfit_reason = speedup_unfit_reason,
    .draw = draw_speedup_plot,
    .caption = speedup_caption,
};
