/* plot_files.c - writes plots into the folder of results; see plot_files.h */
#include "sim/view/plots/plot_files.h"

#include <string.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/view/plots/chart_draw.h"
#include "sim/view/plots/gnuplot.h"

#define FOLDER "plots"

/* A signal may also reach gnuplot; its error is then replaced by the
 * interruption. */
static GString *draw_canvas_image(const char *script, const Canvas *canvas,
                                  GnuplotFormat format, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(GString) text =
        gnuplot_draw_canvas(canvas, script, format, &reason);

    if (!interrupt_check_signal(error))
        return NULL;
    if (!text)
        g_propagate_error(error, g_steal_pointer(&reason));
    return g_steal_pointer(&text);
}

static gboolean add_image_file(const char *name, GnuplotFormat format,
                               const char *folder, const GString *text,
                               OutputGroup *group, GError **error)
{
    g_autofree char *file =
        g_strdup_printf("%s.%s", name, gnuplot_suffixes[format]);
    g_autofree char *path = g_build_filename(folder, file, NULL);

    return output_group_add_file(group, path, text, error);
}

/* Both formats are drawn before either is added, so a kind that fails leaves no
 * file. */
gboolean plot_write_canvas(const char *name, const char *script,
                           const Canvas *canvas, const char *results_folder,
                           OutputGroup *group, GString **svg, GError **error)
{
    g_autofree char *folder = g_build_filename(results_folder, FOLDER, NULL);
    g_autoptr(GString) vector = NULL;
    g_autoptr(GString) pixels = NULL;

    if (!output_make_subfolder(folder, FALSE, error))
        return FALSE;
    vector = draw_canvas_image(script, canvas, GNUPLOT_SVG, error);
    pixels =
        vector ? draw_canvas_image(script, canvas, GNUPLOT_PNG, error) : NULL;
    if (!pixels ||
        !add_image_file(name, GNUPLOT_SVG, folder, vector, group, error) ||
        !add_image_file(name, GNUPLOT_PNG, folder, pixels, group, error))
        return FALSE;
    if (svg)
        *svg = g_steal_pointer(&vector);
    return TRUE;
}

gboolean plot_write_kind(const PlotKind *kind, const SweepResults *results,
                         guint width_px, OutputGroup *group, GString **svg,
                         GError **error)
{
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    canvas.width_px = width_px;
    plot_draw_kind(kind, results, &canvas);
    return plot_write_canvas(kind->name, kind->script, &canvas, results->folder,
                             group, svg, error);
}

gboolean plot_write_chart(const char *name, const Chart *chart, guint width_px,
                          OutputGroup *group, GError **error)
{
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    canvas.width_px = width_px;
    chart_draw(chart, &canvas);
    return plot_write_canvas(name, text_chart_gp, &canvas,
                             chart->results->folder, group, NULL, error);
}

/* Removes what clear_plot_files() does of charts, whose names follow from axes:
 * "Y-by-X.svg". */
static void clear_chart_files(const char *plots, gboolean remove)
{
    g_autoptr(GDir) dir = g_dir_open(plots, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *entry;

    while (dir && (entry = g_dir_read_name(dir)))
        for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++) {
            g_autofree char *suffix =
                g_strconcat(".", gnuplot_suffixes[format], NULL);
            const char *end = strstr(entry, suffix);

            if (strstr(entry, "-by-") && end)
                g_ptr_array_add(names, g_strndup(entry, (gsize)(end - entry) +
                                                            strlen(suffix)));
        }
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        g_autofree char *path = g_build_filename(plots, name, NULL);

        output_remove_leftovers(plots, name);
        if (remove)
            unlink(path);
    }
}

/* Removes the leftovers of interrupted writes, and, if @remove, also the
 * files. */
static void clear_plot_files(const char *plots, gboolean remove)
{
    clear_chart_files(plots, remove);
    for (guint i = 0; plot_kinds[i]; i++) {
        for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++) {
            g_autofree char *name = g_strdup_printf(
                "%s.%s", plot_kinds[i]->name, gnuplot_suffixes[format]);
            g_autofree char *path = g_build_filename(plots, name, NULL);

            output_remove_leftovers(plots, name);
            if (remove)
                unlink(path);
        }
    }
}

void plot_remove_leftovers(const char *folder)
{
    g_autofree char *plots = g_build_filename(folder, FOLDER, NULL);

    /* A symbolic link is left alone, because its target may belong to another
     * program. */
    if (!g_file_test(plots, G_FILE_TEST_IS_SYMLINK))
        clear_plot_files(plots, FALSE);
}

void plot_remove_all_files(const char *folder)
{
    g_autofree char *plots = g_build_filename(folder, FOLDER, NULL);

    if (g_file_test(plots, G_FILE_TEST_IS_SYMLINK))
        return;
    clear_plot_files(plots, TRUE);
    rmdir(plots);
}
