/* bar_layout.c - layout of grouped horizontal bars; see bar_layout.h */
#include "sim/view/plots/bar_layout.h"

#define MAX_ROWS    180
#define GAP_ROWS    0.5 /* height of the gap between groups, in rows */
#define LABEL_CHARS 40
/* Limit of the left margin with four panels in a row. */
#define MAX_LEFT_PX 200
#define ROW_PX      16
/* The maximum height of an image.  Cairo draws at most 32767 pixels, and a PNG
 * has twice as many pixels as the plot. */
#define MAX_HEIGHT_PX 14000
/* Limit of the width of a heading outside the panels. */
#define MAX_HEADING_PX 100

/* Hashes all 64 bits.  g_int64_hash() uses the lower half only, which is the
 * name and equal in all groups. */
static guint hash_row_key(gconstpointer key)
{
    guint64 value = *(const guint64 *)key;

    return (guint)(value >> 32) * 31 + (guint)value;
}

void bars_init(GroupedBars *bars, const SweepResults *results)
{
    *bars = (GroupedBars){ .results = results };
    bars->panel_columns = g_array_new(FALSE, FALSE, sizeof(guint));
    bars->group_columns = g_array_new(FALSE, FALSE, sizeof(guint));
    g_array_append_val(bars->panel_columns, results->workload);
    if (results->keys->len == 0) {
        g_array_append_val(bars->group_columns, results->n_npus);
    } else {
        g_array_append_val(bars->panel_columns, results->n_npus);
        g_array_append_vals(bars->group_columns, results->keys->data,
                            results->keys->len);
    }
    names_init(&bars->panels);
    names_init(&bars->groups);
    names_init(&bars->names);
    bars->bars = g_array_new(FALSE, FALSE, sizeof(GroupedBar));
    bars->rows =
        g_hash_table_new_full(hash_row_key, g_int64_equal, g_free, NULL);
}

void bars_clear(GroupedBars *bars)
{
    if (!bars->bars)
        return;
    g_array_unref(bars->panel_columns);
    g_array_unref(bars->group_columns);
    names_clear(&bars->panels);
    names_clear(&bars->groups);
    names_clear(&bars->names);
    g_array_unref(bars->bars);
    g_hash_table_unref(bars->rows);
    g_free(bars->group_y);
    bars->bars = NULL;
}

static gboolean is_name_in_group(const GroupedBars *bars, guint group,
                                 guint name)
{
    gint64 key = ((gint64)group << 32) | name;

    return g_hash_table_contains(bars->rows, &key);
}

void bar_layout_add(GroupedBars *bars, guint row, guint id)
{
    const SweepResults *r = bars->results;
    g_autofree char *panel = plot_row_label(r, row, bars->panel_columns);
    g_autofree char *group = plot_row_label(r, row, bars->group_columns);
    GroupedBar bar = { .panel = distinct_names_add(&bars->panels, panel),
                       .group = distinct_names_add(&bars->groups, group),
                       .bar = distinct_names_add(
                           &bars->names,
                           results_cell_text(r, row, r->endpoint)),
                       .id = id };
    gint64 key = ((gint64)bar.group << 32) | bar.bar;

    g_array_append_val(bars->bars, bar);
    g_hash_table_add(bars->rows, g_memdup2(&key, sizeof key));
}

char *bars_too_many_reason(const GroupedBars *bars)
{
    guint n_rows = g_hash_table_size(bars->rows);

    if (n_rows > MAX_ROWS)
        return g_strdup_printf("%u rows of bars are more than %d", n_rows,
                               MAX_ROWS);
    if (distinct_names_count(&bars->panels) > CANVAS_MAX_PANELS)
        return g_strdup_printf("%u panels are more than %d",
                               distinct_names_count(&bars->panels),
                               CANVAS_MAX_PANELS);
    if (bars->bars->len > PLOT_MAX_MARKS)
        return g_strdup_printf("%u bars are more than %d", bars->bars->len,
                               PLOT_MAX_MARKS);
    /* At most three panels are in a row, with headings between the rows. */
    if ((distinct_names_count(&bars->panels) + 2) / 3 *
            (n_rows + distinct_names_count(&bars->groups)) * ROW_PX >
        MAX_HEIGHT_PX)
        return g_strdup_printf("%u panels of %u rows of bars are higher than "
                               "a picture may be",
                               distinct_names_count(&bars->panels), n_rows);
    return NULL;
}

/* Returns whether each group has one bar; its row then has the name of the
 * group. */
static gboolean has_one_bar_per_group(const GroupedBars *bars)
{
    return distinct_names_count(&bars->names) == 1;
}

/* Returns the row of a bar.  Groups may have different subsets of the names. */
static double bar_layout_row_of_bar(const GroupedBars *bars, guint group,
                                    guint name)
{
    double y = bars->group_y[group] + (has_one_bar_per_group(bars) ? 0 : 1);

    for (guint i = 0; i < name; i++)
        y += is_name_in_group(bars, group, i) ? 1 : 0;
    return y;
}

static void place_bar_groups(GroupedBars *bars)
{
    double y = 0.25;

    bars->group_y = g_new0(double, distinct_names_count(&bars->groups));
    for (guint g = 0; g < distinct_names_count(&bars->groups); g++) {
        bars->group_y[g] = y;
        y = bar_layout_row_of_bar(bars, g, distinct_names_count(&bars->names));
        y += has_one_bar_per_group(bars) ? 0 : GAP_ROWS;
    }
    bars->n_rows = y + (has_one_bar_per_group(bars) ? 0.25 : 0);
}

double bars_row_centre(const GroupedBars *bars, const GroupedBar *bar)
{
    return bar_layout_row_of_bar(bars, bar->group, bar->bar) + 0.5;
}

static guint widest_name_px(const DistinctNames *names)
{
    guint w_px = 0;

    for (guint i = 0; i < distinct_names_count(names); i++) {
        g_autofree char *clean =
            canvas_clean_text(distinct_names_text_at(names, i), LABEL_CHARS);

        w_px = MAX(w_px, canvas_text_width_px(clean, 11));
    }
    return w_px;
}

/* Headings may extend into the panels, where their rows are empty. */
static guint bar_plot_left_margin_px(const GroupedBars *bars)
{
    guint heading_px = widest_name_px(&bars->groups);

    if (has_one_bar_per_group(bars))
        return heading_px + 28;
    return MAX(widest_name_px(&bars->names), MIN(heading_px, MAX_HEADING_PX)) +
           28;
}

static void write_row_names(const GroupedBars *bars, Canvas *canvas,
                            double top_px)
{
    for (guint g = 0; g < distinct_names_count(&bars->groups); g++) {
        const char *group = distinct_names_text_at(&bars->groups, g);
        double y_px = top_px + (bars->group_y[g] + 0.5) * ROW_PX;

        if (has_one_bar_per_group(bars)) {
            canvas_add_text(canvas, CANVAS_ROW, canvas->left_px - 8, y_px,
                            group, LABEL_CHARS);
            continue;
        }
        canvas_add_text(canvas, CANVAS_GROUP, 14, y_px, group, 60);
        for (guint i = 0; i < distinct_names_count(&bars->names); i++)
            if (is_name_in_group(bars, g, i))
                canvas_add_text(
                    canvas, CANVAS_ROW, canvas->left_px - 8,
                    top_px + (bar_layout_row_of_bar(bars, g, i) + 0.5) * ROW_PX,
                    distinct_names_text_at(&bars->names, i), LABEL_CHARS);
    }
}

void bars_draw_layout(GroupedBars *bars, Canvas *canvas)
{
    guint n = distinct_names_count(&bars->panels);

    place_bar_groups(bars);
    canvas->left_px = bar_plot_left_margin_px(bars);
    canvas->n_columns = n == 4 && canvas->left_px > MAX_LEFT_PX ? 2
                        : n <= 4                                ? n
                                                                : 3;
    canvas->panel_h_px = (guint)(bars->n_rows * ROW_PX);
    for (guint i = 0; i < n; i++)
        canvas_fit_panel_title(canvas,
                               distinct_names_text_at(&bars->panels, i));
    canvas_place_panels(canvas, n);
    canvas_set_variable(canvas, "n_rows", bars->n_rows);
    for (guint i = 0; i < n; i++) {
        canvas_add_panel_title(canvas, i,
                               distinct_names_text_at(&bars->panels, i));
        if (i % canvas->n_columns == 0)
            write_row_names(bars, canvas, canvas_panel_y_px(canvas, i));
    }
}
