/* solve_trial_run_file_impl.h - makes the run file for each value that is
 * tried; private to this folder */
#ifndef SIM_STUDY_SOLVE_SOLVE_TRIAL_RUN_FILE_IMPL_H
#define SIM_STUDY_SOLVE_SOLVE_TRIAL_RUN_FILE_IMPL_H

#include "sim/study/solve/solve.h"

/* The run for which a document is made: the task's own run, the same run with
 * another endpoint, or another file. */
typedef enum {
    SOLVE_TASK_RUN,
    SOLVE_OTHER_ENDPOINT,
    SOLVE_OTHER_FILE
} SolveDocKind;

/* Returns whether @key lies under `endpoint`. */
gboolean solve_key_is_in_endpoint(const char *key);

/* Parses "2.5x" into parts per million. */
G_GNUC_WARN_UNUSED_RESULT
gboolean solve_parse_factor(const char *text, uint64_t *ret, GError **error);

/* Returns the document of @kind with @value at the varied keys, or unchanged
 * if @value is NULL.  Messages name @origin as the place of the value. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *solve_make_document(const SolveResult *solve, SolveDocKind kind,
                               const char *origin, const char *value,
                               GError **error);

/* Returns the document of the run whose metric is the goal. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *solve_make_goal_document(const SolveResult *solve, const char *value,
                                    GError **error);

#endif
