/* collectives_plot.c - plot of busbw of a collective against its payload */
#include "sim/view/plots/collectives_plot.h"

#include <inttypes.h>

#include "sim/host/interrupt.h"
#include "sim/view/plots/distinct_names.h"
#include "sim/view/plots/gnuplot.h"

/* One panel with a linear and one with a logarithmic axis. */
#define N_PANELS 2

extern const char text_collectives_gp[]; /* created by sim/view/text.awk */

/* Returns the chosen algorithm and protocol, such as "Ring, LL". The caller
 * owns it. */
static char *series_name_of_row(const CollectivesRow *row)
{
    if (*row->algorithm == '\0')
        return g_strdup("nothing chosen");
    return g_strdup_printf("%s%s%s", row->algorithm,
                           *row->protocol != '\0' ? ", " : "", row->protocol);
}

static void add_busbw_panel(const Collectives *collectives, guint panel,
                            DistinctNames *series, Canvas *canvas)
{
    uint64_t num, den;

    collectives_bus_factor(collectives, &num, &den);
    for (guint i = 0; i < collectives->rows->len; i++) {
        const CollectivesRow *row = collectives_row(collectives, i);
        g_autofree char *text = series_name_of_row(row);
        double busbw_gb_per_s;

        if (row->reason || row->time_ps == 0)
            continue;
        busbw_gb_per_s = (double)row->bytes * 1e3 / (double)row->time_ps *
                         (double)num / (double)den;
        CANVAS_ADD(canvas, CANVAS_POINTS, NULL, panel + 1,
                   distinct_names_add(series, text) + 1, (double)row->bytes,
                   busbw_gb_per_s);
    }
}

static void label_collectives_axes(Canvas *canvas)
{
    for (guint i = 0; i < N_PANELS; i++) {
        canvas_add_text(canvas, CANVAS_TURNED, 16,
                        canvas_panel_y_px(canvas, i) + canvas->panel_h_px / 2,
                        "busbw, GB/s", 30);
        canvas_add_text(canvas, CANVAS_AXIS,
                        canvas_panel_x_px(canvas, i) + canvas->panel_w_px / 2,
                        canvas_panel_y_px(canvas, i) + canvas->panel_h_px + 32,
                        "payload", 30);
    }
}

static void draw_collectives_plot(const Collectives *collectives,
                                  Canvas *canvas)
{
    g_autofree char *title =
        g_strdup_printf("%s of %" PRIu64 " NPUs, %s", collectives->kind,
                        collectives->n_npus, collectives->name);
    g_auto(DistinctNames) series = { 0 };

    distinct_names_init(&series);
    for (guint panel = 0; panel < N_PANELS; panel++)
        add_busbw_panel(collectives, panel, &series, canvas);
    canvas_set_title(
        canvas, title,
        "busbw as nccl-tests has it, by payload; marks say what the "
        "library chose");
    for (guint i = 0; i < distinct_names_count(&series); i++)
        canvas_add_legend_entry(canvas, CANVAS_BOX,
                                distinct_names_text_at(&series, i));
    canvas->n_columns = 1;
    canvas->panel_h_px = 200;
    canvas->gap_y_px = 52;
    canvas_place_panels(canvas, N_PANELS);
    canvas_set_variable(canvas, "n_series", distinct_names_count(&series));
    label_collectives_axes(canvas);
}

gboolean plot_write_collectives(const Collectives *collectives,
                                const char *folder, OutputGroup *group,
                                GError **error)
{
    g_autofree char *plots = g_build_filename(folder, "plots", NULL);
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    draw_collectives_plot(collectives, &canvas);
    if (!output_make_subfolder(plots, FALSE, error))
        return FALSE;
    for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++) {
        g_autofree char *path = g_strdup_printf("%s/collectives.%s", plots,
                                                gnuplot_suffixes[format]);
        g_autoptr(GString) text =
            gnuplot_draw_canvas(&canvas, text_collectives_gp, format, error);

        if (!text || !interrupt_check_signal(error) ||
            !output_group_add_file(group, path, text, error))
            return FALSE;
    }
    return TRUE;
}
