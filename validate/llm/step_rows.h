/*
 * step_rows.h - published training steps of language models
 *
 * Reads the tables of validate/data/llm, whose columns README.md there
 * explains. A unit is what is held out at a time: the model, or the GPU in the
 * family blackwell.
 *
 * Units    ms, tokens, sequences
 * Errors   CSV_ERROR; VALIDATE_ERROR_RESULT for a value that is not allowed
 * Owner    the caller owns the array and, by it, the texts of its rows
 */
#ifndef VALIDATE_LLM_STEP_ROWS_H
#define VALIDATE_LLM_STEP_ROWS_H

#include "validate/acesim_process.h"

typedef struct {
    const char *set; /* the file without its ending; borrowed */
    char *model, *npu, *precision, *recompute, *attention, *left_out, *source;
    guint n_npus, sequence, global_batch, micro_batch, tp, cp, pp, n_chunks;
    gboolean overlaps_tp;
    double step_ms;
} StepRow;

/* Returns the rows of validate/data/llm/@set.csv, as StepRow.  @set must
 * outlive them. */
G_GNUC_WARN_UNUSED_RESULT
GArray *step_rows_load(const char *set, GError **error);

const StepRow *step_row_at(const GArray *rows, guint i);

/* Returns "a100", "hopper" or "blackwell". */
const char *step_row_model_family(const StepRow *row);
/* Returns what is held out with the row; borrowed. */
const char *step_row_fit_unit(const StepRow *row);

/* Returns the FLOP of the model for a step by the published number of weights:
 * 6 for each weight and token, without attention, as a trivial predictor has
 * them. */
double step_row_model_flop(const StepRow *row);
/* Returns the peak of the row's precision by data sheet, in FLOP/s. */
double step_row_peak_flop_per_s(const StepRow *row);

/* Micro-batches of a pipeline. */
guint step_row_n_micro_batches(const StepRow *row);

#endif
