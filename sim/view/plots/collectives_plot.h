/*
 * collectives_plot.h - plot of busbw of a collective against its payload
 *
 * Errors   those of gnuplot.h, interrupt.h and output.h
 */
#ifndef SIM_VIEW_PLOTS_COLLECTIVES_PLOT_H
#define SIM_VIEW_PLOTS_COLLECTIVES_PLOT_H

#include "sim/host/output.h"
#include "sim/study/collectives/collectives.h"

/* Adds DIR/plots/collectives.svg and .png to @group.  A received signal is an
 * error (interrupt.h). */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_collectives(const Collectives *collectives,
                                const char *folder, OutputGroup *group,
                                GError **error);

#endif
