/*
 * report.h - runs all validations and combines their results in one text
 *
 * In addition to the text, closed-forms.csv, validate.csv and the CSV files of
 * the studies are written to the folder of the simulator, which also contains
 * the runs.
 *
 * Errors   those of acesim_process.h
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_REPORT_H
#define VALIDATE_REPORT_H

#include "validate/acesim_process.h"

/* Runs all validations, or only those of training steps of language models.
 * Returns the text and sets *@is_right to whether all conditions hold.  Returns
 * NULL with @error set if a run failed. */
G_GNUC_WARN_UNUSED_RESULT
char *report_text(const Simulator *simulator, gboolean is_steps,
                  gboolean *is_right, GError **error);

/* Runs the studies of measured rows only.  Returns their table of errors in
 * Markdown, which validate/README.md contains. */
G_GNUC_WARN_UNUSED_RESULT
char *report_accuracy(const Simulator *simulator, GError **error);

#endif
