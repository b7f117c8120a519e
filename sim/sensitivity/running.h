/*
 * running.h - a study under way: what is changed together, and what comes of it
 *
 * Owner    the Running owns what is wanted, and borrows the rest
 */
#ifndef SIM_SENSITIVITY_RUNNING_H
#define SIM_SENSITIVITY_RUNNING_H

#include "sim/sensitivity/batch.h"
#include "sim/sensitivity/study.h"

typedef struct {
    Study *study;     /* borrowed */
    Batch *batch;     /* borrowed */
    GPtrArray *cells; /* owned: what is wanted and not evaluated yet */
} Running;

void running_init(Running *r, Study *study, Batch *batch);
void running_clear(Running *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Running, running_clear)

/* *@outcome is to become what comes of changing all of @tries; NULL: of the
 * configuration as it is, which is wanted first. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_want(Running *r, const GPtrArray *tries, Outcome *outcome,
                    GError **error);

/* The same of @attempt alone.  *@is_other FALSE: it is as what was wanted
 * first, and is not wanted. */
G_GNUC_WARN_UNUSED_RESULT
gboolean study_want_try(Running *r, Try *attempt, gboolean *is_other,
                        GError **error);

/* Runs and evaluates all that is wanted.  0, or the number of a signal. */
G_GNUC_WARN_UNUSED_RESULT
int study_run_wanted(Running *r);

#endif
