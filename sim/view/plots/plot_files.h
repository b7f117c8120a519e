/*
 * plot_files.h - writes plots into the folder of results: DIR/plots/NAME.svg
 * and .png
 *
 * Errors   those of gnuplot.h, interrupt.h and output.h
 * Owner    the caller owns returned texts
 */
#ifndef SIM_VIEW_PLOTS_PLOT_FILES_H
#define SIM_VIEW_PLOTS_PLOT_FILES_H

#include "sim/host/output.h"
#include "sim/view/plots/plot_kinds.h"

/* Draws @kind, which must fit, as images of @width_px, at least
 * CANVAS_LEAST_WIDTH_PX, and adds all its files to @group, or none.  Sets
 * *@svg, unless it is NULL, to the content of the SVG. A received signal is an
 * error (interrupt.h). */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_kind(const PlotKind *kind, const SweepResults *results,
                         guint width_px, OutputGroup *group, GString **svg,
                         GError **error);

/* Same as plot_write_kind() for @chart, as the files NAME.svg and NAME.png. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_chart(const char *name, const Chart *chart, guint width_px,
                          OutputGroup *group, GError **error);

/* Same as plot_write_kind() for a given @canvas, named @name.  Used for plots
 * that are not drawn from the results of a sweep. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_canvas(const char *name, const char *script,
                           const Canvas *canvas, const char *results_folder,
                           OutputGroup *group, GString **svg, GError **error);

/* Removes files that killed processes left while they wrote plots. */
void plot_remove_leftovers(const char *folder);

/* Removes plots of earlier results from the folder. */
void plot_remove_all_files(const char *folder);

#endif
