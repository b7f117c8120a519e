/*
 * simulate_isomorphic_npu_sets.h - simulates two stacks on the example of each
 * class
 *
 * Each run is one collective (broadcast or all-reduce) of the task's payload
 * with one of the two stacks, on the NPUs of the example alone (`allocate` of a
 * graph).
 *
 * Errors   whatever ended all runs early
 */
#ifndef SIM_STUDY_CLASSES_SIMULATE_ISOMORPHIC_NPU_SETS_H
#define SIM_STUDY_CLASSES_SIMULATE_ISOMORPHIC_NPU_SETS_H

#include "sim/study/classes/isomorphic_npu_sets.h"
#include "sim/study/run_many.h"

/* Sets .simulated of the rows of @classes, which were found for @task.  A run
 * that ends with an error leaves the value 0; the first such error becomes
 * .reason.  A run that never ended is counted in .failed_runs. */
G_GNUC_WARN_UNUSED_RESULT
gboolean npu_set_classes_simulate(Classes *classes, const ClassesTask *task,
                                  RunManyFn run_many, GError **error);

#endif
