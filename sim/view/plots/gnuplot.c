/* gnuplot.c - draws a canvas by gnuplot; see gnuplot.h */
#include "sim/view/plots/gnuplot.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/host/interrupt.h"
#include "sim/host/output.h"
#include "sim/view/plots/plot_kinds_impl.h"
#include "sim/view/plots/svg.h"

#define SCRIPT "plot.gp"
#define OUTPUT "plot.out"

const char *const gnuplot_suffixes[GNUPLOT_N_FORMATS] = {
    [GNUPLOT_SVG] = "svg",
    [GNUPLOT_PNG] = "png",
};

/* A PNG has twice the pixels, to be sharp at the width of the image.  gnuplot's
 * PNG font sizes are points of 4/3 pixels. */
#define PNG_SCALE 2

static void append_terminal_command(GString *out, const Canvas *canvas,
                                    GnuplotFormat format)
{
    guint scale = format == GNUPLOT_PNG ? PNG_SCALE : 1;

    g_string_append_printf(
        out, "set terminal %s size %u, %u font 'DejaVu Sans,12' noenhanced",
        format == GNUPLOT_PNG ? "pngcairo" : "svg", scale * canvas->width_px,
        scale * canvas->height_px);
    g_string_append(out, format == GNUPLOT_PNG
                             ? " fontscale 1.5 linewidth 2 pointscale 2"
                             : " background rgb '#ffffff'");
    g_string_append(out, "\nset output '" OUTPUT "'\n");
}

static void append_text_counts(GString *out, const Canvas *canvas)
{
    g_string_append_printf(out, "array n_texts[%d]\n", CANVAS_N_TEXTS);
    for (guint i = 0; i < CANVAS_N_TEXTS; i++)
        g_string_append_printf(out, "n_texts[%u] = %u\n", i + 1,
                               canvas->n_texts[i]);
}

static GString *make_gnuplot_script(const Canvas *canvas, const char *script,
                                    GnuplotFormat format)
{
    GString *out = g_string_new(NULL);

    append_terminal_command(out, canvas, format);
    g_string_append_len(out, canvas->numbers->str,
                        (gssize)canvas->numbers->len);
    append_text_counts(out, canvas);
    g_string_append(out, text_common_gp);
    g_string_append(out, script);
    g_string_append(out, text_frame_gp);
    g_string_append(out, "set output\n");
    return out;
}

static gboolean write_file_in_folder(const char *folder, const char *name,
                                     const GString *text, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);

    return g_file_set_contents(path, text->str, (gssize)text->len, error);
}

static gboolean write_gnuplot_files(const Canvas *canvas, const char *script,
                                    GnuplotFormat format, const char *folder,
                                    GError **error)
{
    GString *text = make_gnuplot_script(canvas, script, format);
    gboolean ok = write_file_in_folder(folder, SCRIPT, text, error);

    g_string_free(text, TRUE);
    for (CanvasFile file = 0; ok && file < CANVAS_N_FILES; file++)
        ok = write_file_in_folder(folder, canvas_file_names[file],
                                  canvas->files[file], error);
    return ok;
}

/* Returns the environment of gnuplot: fixed values and the PATH of this
 * process, nothing else. */
static char **make_gnuplot_environment(void)
{
    const char *path = g_getenv("PATH");
    char **env = g_new0(char *, 1);

    env = g_environ_setenv(env, "LC_ALL", "C.UTF-8", TRUE);
    env = g_environ_setenv(env, "HOME", "/nonexistent", TRUE);
    return path ? g_environ_setenv(env, "PATH", path, TRUE) : env;
}

/* Runs in the child: kills gnuplot if this process ends while it draws. */
static void die_with_parent_process(gpointer self)
{
    (void)self;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static gboolean run_gnuplot(const char *folder, GError **error)
{
    char *argv[] = { (char *)"gnuplot", (char *)"-d", (char *)SCRIPT, NULL };
    g_auto(GStrv) env = make_gnuplot_environment();
    g_autofree char *said = NULL;
    g_autofree char *complaint = NULL;
    g_autoptr(GError) reason = NULL;
    int status;

    if (!g_spawn_sync(folder, argv, env, G_SPAWN_SEARCH_PATH,
                      die_with_parent_process, NULL, &said, &complaint, &status,
                      &reason)) {
        if (g_error_matches(reason, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
            g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT,
                        "plots need gnuplot, which is not installed; on "
                        "Debian it is in the package gnuplot-nox");
        else
            g_propagate_error(error, g_steal_pointer(&reason));
        return FALSE;
    }
    if (g_spawn_check_exit_status(status, &reason))
        return TRUE;
    g_strdelimit(g_strstrip(complaint), "\n\r", ' ');
    g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "gnuplot: %s",
                *complaint ? complaint : reason->message);
    return FALSE;
}

static GString *read_gnuplot_image(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, OUTPUT, NULL);
    g_autofree char *text = NULL;
    gsize n_bytes;

    if (!g_file_get_contents(path, &text, &n_bytes, error))
        return NULL;
    return g_string_new_len(text, (gssize)n_bytes);
}

/* Calls @fn for each file that may be in @folder, and last for the folder. */
static void for_each_gnuplot_file(const char *folder,
                                  void (*fn)(const char *path))
{
    const char *const others[] = { SCRIPT, OUTPUT };

    for (guint i = 0; i < CANVAS_N_FILES + G_N_ELEMENTS(others); i++) {
        g_autofree char *path =
            g_build_filename(folder,
                             i < CANVAS_N_FILES ? canvas_file_names[i]
                                                : others[i - CANVAS_N_FILES],
                             NULL);

        fn(path);
    }
    fn(folder);
}

static void remove_temporary_path(const char *path)
{
    if (unlink(path) != 0)
        rmdir(path);
    output_unregister_temporary(path);
}

/* Makes a temporary folder that is removed even if a signal ends the
 * program. */
static char *make_gnuplot_folder(GError **error)
{
    sigset_t old;
    char *folder;

    interrupt_block_signals(&old);
    folder = g_dir_make_tmp("acesim-XXXXXX", error);
    if (folder)
        for_each_gnuplot_file(folder, output_register_temporary);
    sigprocmask(SIG_SETMASK, &old, NULL);
    return folder;
}

GString *gnuplot_draw_canvas(const Canvas *canvas, const char *script,
                             GnuplotFormat format, GError **error)
{
    g_autofree char *folder = make_gnuplot_folder(error);
    GString *out = NULL;

    if (!folder)
        return NULL;
    if (write_gnuplot_files(canvas, script, format, folder, error) &&
        run_gnuplot(folder, error))
        out = read_gnuplot_image(folder, error);
    for_each_gnuplot_file(folder, remove_temporary_path);
    if (out && format == GNUPLOT_SVG)
        svg_normalise(out);
    return out;
}
