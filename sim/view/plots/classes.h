/*
 * classes.h - speedups of every class of sets of NPUs, as bars
 *
 * Errors   those of write.h
 */
#ifndef SIM_VIEW_PLOTS_CLASSES_H
#define SIM_VIEW_PLOTS_CLASSES_H

#include "sim/host/output.h"
#include "sim/study/classes/classes.h"

/* Into FOLDER/plots/classes.svg and .png. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_classes(const Classes *classes, const char *folder,
                      OutputGroup *group, GError **error);

#endif
