/*
 * write.h - plots into the folder of results, DIR/plots/NAME.svg and .png
 *
 * Errors   those of gnuplot.h, interrupt.h and output.h
 * Owner    the caller owns what it is handed
 */
#ifndef SIM_VIEW_PLOTS_WRITE_H
#define SIM_VIEW_PLOTS_WRITE_H

#include "sim/host/output.h"
#include "sim/view/plots/plot.h"

/* Draws @kind, which must fit, into files of @group, all or none.  *@svg (may
 * be NULL) is what the SVG holds.  A signal that came is an error
 * (interrupt.h). */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write(const PlotKind *kind, const Results *results,
                    OutputGroup *group, GString **svg, GError **error);

/* What stands on @canvas, likewise, as NAME of a kind that is drawn of
 * something else than results. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_canvas(const char *name, const char *script,
                           const Canvas *canvas, const char *results_folder,
                           OutputGroup *group, GString **svg, GError **error);

/* Removes what processes that were killed left of writing plots. */
void plot_remove_leftovers(const char *folder);

/* Removes what plots of earlier rows left in the folder of results. */
void plot_remove_all(const char *folder);

#endif
