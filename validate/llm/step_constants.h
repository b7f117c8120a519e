/*
 * step_constants.h - constants of training steps, fitted with and without a
 * unit
 *
 * validate/data/llm/constants.csv has a row for each constant of a family of
 * GPUs: a key of a run and its value, fitted to all rows, or to those of all
 * units but one.  `make fit` writes it.  `set` limits a constant to one table.
 *
 * Errors   CSV_ERROR; VALIDATE_ERROR_RESULT if a family has no constants
 */
#ifndef VALIDATE_LLM_STEP_CONSTANTS_H
#define VALIDATE_LLM_STEP_CONSTANTS_H

#include "validate/llm/step_rows.h"

/* Returns the table. */
G_GNUC_WARN_UNUSED_RESULT
CsvTable *step_constants_load(GError **error);

/* Returns the constants for @row, fitted without @left_out, or to all units if
 * it is "": ", KEY: VALUE" for each. */
G_GNUC_WARN_UNUSED_RESULT
char *step_constants_yaml(const CsvTable *table, const StepRow *row,
                          const char *left_out, GError **error);

#endif
