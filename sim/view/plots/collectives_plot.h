/*
 * collectives_plot.h - busbw of a collective against its payload, as a picture
 *
 * Errors   those of gnuplot.h, interrupt.h and output.h
 */
#ifndef SIM_VIEW_PLOTS_COLLECTIVES_PLOT_H
#define SIM_VIEW_PLOTS_COLLECTIVES_PLOT_H

#include "sim/host/output.h"
#include "sim/study/collectives/collectives.h"

/* Adds DIR/plots/collectives.svg and .png to @group.  A signal that came is an
 * error (interrupt.h). */
G_GNUC_WARN_UNUSED_RESULT
gboolean collectives_plot_write(const Collectives *collectives,
                                const char *folder, OutputGroup *group,
                                GError **error);

#endif
