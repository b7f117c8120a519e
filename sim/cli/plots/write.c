/* write.c - plots into the folder of results */
#include "sim/cli/plots/write.h"

#include <unistd.h>

#include "sim/cli/output.h"
#include "sim/cli/plots/gnuplot.h"

static gboolean draw_format(const PlotKind *kind, const Canvas *canvas,
                            GnuplotFormat format, const char *folder,
                            GString **ret, GError **error)
{
    g_autofree char *name =
        g_strdup_printf("%s.%s", kind->name, gnuplot_suffixes[format]);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GString) text = gnuplot_draw(canvas, kind->script, format, error);

    if (!text || !output_replace(path, text, error))
        return FALSE;
    if (ret)
        *ret = g_steal_pointer(&text);
    return TRUE;
}

gboolean plot_write(const PlotKind *kind, const Results *results, GString **svg,
                    GError **error)
{
    g_autofree char *folder = g_build_filename(results->folder, "plots", NULL);
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    plot_draw(kind, results, &canvas);
    if (!output_make_subfolder(folder, error))
        return FALSE;
    for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++)
        if (!draw_format(kind, &canvas, format, folder,
                         format == GNUPLOT_SVG ? svg : NULL, error))
            return FALSE;
    return TRUE;
}

void plot_remove_all(const char *folder)
{
    g_autofree char *plots = g_build_filename(folder, "plots", NULL);

    if (g_file_test(plots, G_FILE_TEST_IS_SYMLINK)) /* not ours to clean */
        return;
    for (guint i = 0; plot_kinds[i]; i++) {
        for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++) {
            g_autofree char *path =
                g_strdup_printf("%s/%s.%s", plots, plot_kinds[i]->name,
                                gnuplot_suffixes[format]);

            unlink(path);
        }
    }
    rmdir(plots);
}
