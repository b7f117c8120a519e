/* write.c - plots into the folder of results */
#include "sim/cli/plots/write.h"

#include <unistd.h>

#include "sim/cli/interrupt.h"
#include "sim/cli/plots/gnuplot.h"

#define FOLDER "plots"

/* Of what gnuplot said when the signal went to it too, nothing is said. */
static GString *draw(const PlotKind *kind, const Canvas *canvas,
                     GnuplotFormat format, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(GString) text =
        gnuplot_draw(canvas, kind->script, format, &reason);

    if (!interrupt_check(error))
        return NULL;
    if (!text)
        g_propagate_error(error, g_steal_pointer(&reason));
    return g_steal_pointer(&text);
}

static gboolean draw_format(const PlotKind *kind, const Canvas *canvas,
                            GnuplotFormat format, const char *folder,
                            OutputGroup *group, GString **ret, GError **error)
{
    g_autofree char *name =
        g_strdup_printf("%s.%s", kind->name, gnuplot_suffixes[format]);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GString) text = draw(kind, canvas, format, error);

    if (!text || !output_group_add(group, path, text, error))
        return FALSE;
    if (ret)
        *ret = g_steal_pointer(&text);
    return TRUE;
}

gboolean plot_write(const PlotKind *kind, const Results *results,
                    OutputGroup *group, GString **svg, GError **error)
{
    g_autofree char *folder = g_build_filename(results->folder, FOLDER, NULL);
    g_auto(Canvas) canvas = { 0 };

    canvas_init(&canvas);
    plot_draw(kind, results, &canvas);
    if (!output_make_subfolder(folder, error))
        return FALSE;
    for (GnuplotFormat format = 0; format < GNUPLOT_N_FORMATS; format++)
        if (!draw_format(kind, &canvas, format, folder, group,
                         format == GNUPLOT_SVG ? svg : NULL, error))
            return FALSE;
    return TRUE;
}

/* With @remove the files too, else what was left of writing them. */
static void clear_files(const char *plots, gboolean remove)
{
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

    if (!g_file_test(plots, G_FILE_TEST_IS_SYMLINK)) /* not ours to clean */
        clear_files(plots, FALSE);
}

void plot_remove_all(const char *folder)
{
    g_autofree char *plots = g_build_filename(folder, FOLDER, NULL);

    if (g_file_test(plots, G_FILE_TEST_IS_SYMLINK))
        return;
    clear_files(plots, TRUE);
    rmdir(plots);
}
