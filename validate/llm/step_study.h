/*
 * step_study.h - training steps of language models: measured and simulated
 *
 * Each row is simulated with constants that were fitted without its unit, so
 * all errors are of held-out rows.  Korthikanti's rows have no unit among those
 * that were fitted to: nothing is fitted to them.
 *
 * The trivial predictor has a constant share of the peak for a family and
 * precision: that of the other units' rows, in the geometric mean.
 *
 * Units    ms, percent
 * Errors   those of acesim_process.h
 * Owner    the caller owns the study
 */
#ifndef VALIDATE_LLM_STEP_STUDY_H
#define VALIDATE_LLM_STEP_STUDY_H

#include "validate/llm/step_rows.h"

typedef struct {
    const StepRow *row; /* borrowed from the study */
    double simulated_ms, error_percent;
    double trivial_percent; /* error of the trivial predictor; NAN: none */
} StepResult;

typedef struct {
    GPtrArray *tables; /* owned: arrays of StepRow */
    GArray *results;   /* owned: of StepResult, without rows left out */
    GArray *left_out;  /* owned: of const StepRow * */
} StepStudy;

/* Simulates all rows.  Files go to FOLDER/@name. */
G_GNUC_WARN_UNUSED_RESULT
StepStudy *step_study_run(const Simulator *simulator, const char *name,
                          GError **error);
void step_study_free(StepStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StepStudy, step_study_free)

typedef struct {
    guint n;
    double mean_percent, worst_percent; /* of the errors */
    double trivial_mean_percent, trivial_worst_percent;
} StepErrors;

/* Which results count; NULL and 0: any. */
typedef struct {
    const char *set, *family, *npu, *model;
    /* The beginning of a precision that counts, and one that does not. */
    const char *precision, *not_precision;
} StepFilter;

gboolean step_filter_has_row(const StepFilter *filter, const StepRow *row);

StepErrors step_study_errors(const StepStudy *study, const StepFilter *filter);

/* Appends errors by table and unit, the rows of all tables but those of one
 * machine, and the rows left out with their reasons. */
void step_study_render(const StepStudy *study, GString *out);
/* Returns all results as CSV. */
char *step_study_csv(const StepStudy *study);

#endif
