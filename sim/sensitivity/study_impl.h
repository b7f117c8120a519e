/* study_impl.h - what the parts of a study share; nobody else includes it */
#ifndef SIM_SENSITIVITY_STUDY_IMPL_H
#define SIM_SENSITIVITY_STUDY_IMPL_H

#include "sim/sensitivity/batch.h"
#include "sim/sensitivity/study.h"

/* A study under way. */
typedef struct {
    Study *study;
    Batch *batch;
    GPtrArray *cells; /* owned: what is wanted and not evaluated yet */
} Running;

/* *@outcome is to become what comes of changing all of @tries; NULL: of the
 * configuration as it is. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_want(Running *running, const GPtrArray *tries, Outcome *outcome,
                    GError **error);

/* Runs and evaluates all that is wanted.  0, or the number of a signal. */
G_GNUC_WARN_UNUSED_RESULT
int study_run_wanted(Running *running);

/* Several together; what changes them alone is ranked.  0, the number of a
 * signal, or -1 on error. */
G_GNUC_WARN_UNUSED_RESULT
int study_combine(Running *running, GError **error);

void combination_free(gpointer combination);

/* The metric's value for people: "1.29x".  Owner: the caller. */
char *study_value_text(const Study *study, double value);

#endif
