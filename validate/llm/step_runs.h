/*
 * step_runs.h - simulates published training steps of language models
 *
 * A row becomes one run, or a few smaller ones.  A step of n micro-batches, v
 * chunks of a stage and p stages consists of units: a stage's passes of a
 * micro-batch through a chunk.  Once the pipeline is full, each further
 * micro-batch adds the same time, since units repeat; each further chunk adds
 * the same units to each micro-batch, and each further inner stage adds the
 * same two passes.  So the step is
 *
 *     T(n, v) = a + b n + c v + d n v        p = 16 or less, v > 3
 *     T(n)    = a + b n                      p = 16 or less, n > 4 p
 *     T(n, p) = a + b n + c p                p > 16, without data parallelism
 *
 * and runs of n = p and 2 p, v = 2 and 3, and p = 4 and 6 or 8 give the
 * coefficients.  validate/README.md has the deviation from whole runs.
 *
 * Runs of equal text are made once.
 *
 * Units    ms
 * Errors   those of acesim_process.h
 */
#ifndef VALIDATE_LLM_STEP_RUNS_H
#define VALIDATE_LLM_STEP_RUNS_H

#include "validate/llm/step_rows.h"

/* A row with the constants of a run of it. */
typedef struct {
    const StepRow *row;    /* borrowed */
    const char *constants; /* keys of a run as YAML, ", KEY: VALUE, ...";
                              borrowed */
} StepRun;

/* Simulates @runs, an array of StepRun, by one sweep whose files are
 * FOLDER/@name, and sets @ret_ms[i] to the step of run i. */
G_GNUC_WARN_UNUSED_RESULT
gboolean step_runs_simulate_all(const Simulator *simulator, const char *name,
                                const GArray *runs, double *ret_ms,
                                GError **error);

#endif
