/* simulate.h - two stacks on the example of each class; for classes.c only */
#ifndef SIM_STUDY_CLASSES_SIMULATE_H
#define SIM_STUDY_CLASSES_SIMULATE_H

#include "sim/study/classes/classes.h"

/* Fills what the rows have of it.  A run that comes to nothing leaves its
 * speedup 0 and the first reason of all in .reason. */
G_GNUC_WARN_UNUSED_RESULT
gboolean classes_simulate(Classes *classes, const ClassesTask *task,
                          RunManyFn run_many, GError **error);

#endif
