/*
 * simulate.h - two stacks on the example of each class
 *
 * A broadcast and an all-reduce of the task's payload, each by either stack on
 * the NPUs of the example alone (`allocate` of a graph).
 *
 * Errors   what ended all runs
 */
#ifndef SIM_STUDY_CLASSES_SIMULATE_H
#define SIM_STUDY_CLASSES_SIMULATE_H

#include "sim/study/classes/classes.h"
#include "sim/study/run_many.h"

/* Fills what the rows of @classes, found for @task, have of it.  A run that
 * comes to nothing leaves its speedup 0 and the first reason of all in .reason;
 * one that never ended is counted in .losses. */
G_GNUC_WARN_UNUSED_RESULT
gboolean classes_simulate(Classes *classes, const ClassesTask *task,
                          RunManyFn run_many, GError **error);

#endif
