/*
 * gnuplot.h - a canvas through gnuplot
 *
 * gnuplot runs without a shell, in a private folder that is removed, without
 * anybody's settings; it is given numbers of ours as commands and all texts as
 * data.  The same canvas gives the same bytes.
 *
 * Errors   G_SPAWN_ERROR (NOENT: there is no gnuplot), G_FILE_ERROR
 * Owner    the caller owns what is drawn
 */
#ifndef SIM_VIEW_PLOTS_GNUPLOT_H
#define SIM_VIEW_PLOTS_GNUPLOT_H

#include "sim/view/plots/canvas.h"

typedef enum {
    GNUPLOT_SVG,
    GNUPLOT_PNG,
    GNUPLOT_N_FORMATS,
} GnuplotFormat;

extern const char *const gnuplot_suffixes[GNUPLOT_N_FORMATS]; /* "svg" */

/* @script stands between common.gp and frame.gp. */
G_GNUC_WARN_UNUSED_RESULT
GString *gnuplot_draw(const Canvas *canvas, const char *script,
                      GnuplotFormat format, GError **error);

#endif
