/* isomorphic_npu_sets_plot.c - bar plot of the speedup of each class of sets of
 * NPUs */
#include "sim/view/plots/isomorphic_npu_sets_plot.h"

#include "sim/config/quantity.h"
#include "sim/view/plots/plot_files.h"
#include "sim/view/plots/plot_kinds_impl.h"
#include "sim/view/text/isomorphic_npu_sets_text.h"

#define ROW_PX   15
#define GAP_ROWS 0.6 /* height of the gap between set sizes, in rows */
#define TEXT_PX  11  /* font size of names, as in frame.gp */
#define PANELS   2

static const char *const titles[PANELS] = { "Broadcast", "All-reduce" };

/* ---- the rows of the plot ------------------------------------------------ */

static gboolean is_first_of_size(const Classes *classes, guint i)
{
    return i == 0 || classes_row(classes, i)->set.n_ranks !=
                         classes_row(classes, i - 1)->set.n_ranks;
}

/* Returns the centre of row @i, in rows from the top; headings are one row. */
static double class_row_centre_px(const Classes *classes, guint i)
{
    double y = 0.5;

    for (guint k = 0; k <= i; k++)
        if (is_first_of_size(classes, k))
            y += 1 + (k > 0 ? GAP_ROWS : 0);
    return y + i;
}

static void write_class_names(const Classes *classes, Canvas *canvas)
{
    double top_px = canvas_panel_y_px(canvas, 0);

    for (guint i = 0; i < classes->rows->len; i++) {
        const PackClass *set = &classes_row(classes, i)->set;
        g_autofree char *example = npu_set_classes_example_npus_text(set);
        g_autofree char *heading = g_strdup_printf("%u NPUs", set->n_ranks);
        double y_px = top_px + class_row_centre_px(classes, i) * ROW_PX;

        if (is_first_of_size(classes, i))
            canvas_add_text(canvas, CANVAS_GROUP, 14, y_px - ROW_PX, heading,
                            20);
        canvas_add_text(canvas, CANVAS_ROW, canvas->left_px - 8, y_px, example,
                        60);
    }
}

static guint widest_class_name_px(const Classes *classes)
{
    guint most = 0;

    for (guint i = 0; i < classes->rows->len; i++) {
        g_autofree char *example =
            npu_set_classes_example_npus_text(&classes_row(classes, i)->set);

        most = MAX(most, canvas_text_width_px(example, TEXT_PX));
    }
    return most;
}

/* ---- drawing the whole plot ---------------------------------------------- */

static void set_classes_title(const Classes *classes, Canvas *canvas)
{
    g_autofree char *title = g_strdup_printf(
        "%s: packed trees over rings, by set of NPUs", classes->name);
    g_autofree char *link =
        quantity_format(classes->link_bytes_per_s, CONFIG_BANDWIDTH);
    g_autofree char *rate =
        classes->host_bytes_per_s > 0
            ? quantity_format(classes->host_bytes_per_s, CONFIG_BANDWIDTH)
            : NULL;
    g_autofree char *subtitle = g_strdup_printf(
        "large payloads, by links alone: %s a link, a ring through the host %s",
        link, rate ?: "as the platform has it");

    canvas_set_title(canvas, title, subtitle);
    canvas_add_legend_entry(canvas, CANVAS_BOX, "rings of near links");
    canvas_add_legend_entry(canvas, CANVAS_BOX,
                            "none fits: a ring through the host");
    canvas_add_legend_entry(canvas, CANVAS_DASHES, "geometric mean");
    if (classes->payload_bytes > 0) {
        g_autofree char *payload =
            quantity_format(classes->payload_bytes, CONFIG_BYTES);
        g_autofree char *simulated = g_strdup_printf("simulated, %s", payload);

        canvas_add_legend_entry(canvas, CANVAS_DOT, simulated);
    }
}

static void draw_speedup_panel(const Classes *classes, Canvas *canvas,
                               guint baseline)
{
    g_autofree char *mean = g_strdup_printf("mean[%u]", baseline + 1);
    g_autofree char *title =
        g_strdup_printf("%s, %.2fx in the mean", titles[baseline],
                        npu_set_classes_geomean_speedup(classes, baseline));

    canvas_add_panel_title(canvas, baseline, title);
    canvas_set_variable(canvas, mean,
                        npu_set_classes_geomean_speedup(classes, baseline));
    for (guint i = 0; i < classes->rows->len; i++) {
        const ClassesRow *row = classes_row(classes, i);
        g_autofree char *text =
            g_strdup_printf("%.2fx", row->speedups[baseline]);

        if (row->speedups[baseline] > 0)
            CANVAS_ADD(canvas, CANVAS_POINTS, text, baseline + 1,
                       class_row_centre_px(classes, i), row->speedups[baseline],
                       row->n_rings > 0 ? 1 : 2, row->simulated[baseline]);
    }
    canvas_add_text(
        canvas, CANVAS_AXIS,
        canvas_panel_x_px(canvas, baseline) + canvas->panel_w_px / 2,
        canvas_panel_y_px(canvas, baseline) + canvas->panel_h_px + 30,
        "times as fast", 30);
}

static double largest_speedup_of_all(const Classes *classes)
{
    double most = 1;

    for (guint baseline = 0; baseline < PANELS; baseline++)
        most = MAX(most, MAX(npu_set_classes_max_speedup(classes, baseline),
                             npu_set_classes_max_simulated(classes, baseline)));
    return most;
}

static void draw_classes_plot(const Classes *classes, Canvas *canvas)
{
    guint last = classes->rows->len - 1;
    double n_rows = class_row_centre_px(classes, last) + 0.5;

    set_classes_title(classes, canvas);
    canvas->left_px = widest_class_name_px(classes) + 24;
    canvas->n_columns = PANELS;
    canvas->panel_h_px = (guint)(n_rows * ROW_PX + 0.5);
    canvas_place_panels(canvas, PANELS);
    canvas_set_variable(canvas, "n_rows", n_rows);
    canvas_set_variable(canvas, "x_max", largest_speedup_of_all(classes));
    g_string_append_printf(canvas->numbers, "array mean[%d]\n", PANELS);
    write_class_names(classes, canvas);
    for (guint baseline = 0; baseline < PANELS; baseline++)
        draw_speedup_panel(classes, canvas, baseline);
}

gboolean plot_write_classes(const Classes *classes, const char *folder,
                            OutputGroup *group, GError **error)
{
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    draw_classes_plot(classes, &canvas);
    return plot_write_canvas("classes", text_classes_gp, &canvas, folder, group,
                             NULL, error);
}
