/*
 * isomorphic_npu_sets_plot.h - bar plot of the speedup of each class of sets of
 * NPUs
 *
 * Errors   those of plot_files.h
 */
#ifndef SIM_VIEW_PLOTS_ISOMORPHIC_NPU_SETS_PLOT_H
#define SIM_VIEW_PLOTS_ISOMORPHIC_NPU_SETS_PLOT_H

#include "sim/host/output.h"
#include "sim/study/classes/isomorphic_npu_sets.h"

/* Adds FOLDER/plots/classes.svg and .png to @group. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_write_classes(const Classes *classes, const char *folder,
                            OutputGroup *group, GError **error);

#endif
