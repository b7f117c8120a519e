/*
 * gnuplot.h - draws a canvas by gnuplot
 *
 * gnuplot runs without a shell and without user settings, in a private folder
 * that is removed afterwards.  Its commands are scripts of the program and
 * numbers; all texts are data.  The same canvas gives the same bytes.
 *
 * Errors   G_SPAWN_ERROR (NOENT: gnuplot is not installed), G_FILE_ERROR
 * Owner    the caller owns the image
 */
#ifndef SIM_VIEW_PLOTS_GNUPLOT_H
#define SIM_VIEW_PLOTS_GNUPLOT_H

#include "sim/view/plots/plot_canvas.h"

typedef enum {
    GNUPLOT_SVG,
    GNUPLOT_PNG,
    GNUPLOT_N_FORMATS,
} GnuplotFormat;

/* The file name suffixes of the image formats, such as "svg". */
extern const char *const gnuplot_suffixes[GNUPLOT_N_FORMATS];

/* Returns the image.  @script runs between common.gp and frame.gp. */
G_GNUC_WARN_UNUSED_RESULT
GString *gnuplot_draw_canvas(const Canvas *canvas, const char *script,
                             GnuplotFormat format, GError **error);

#endif
