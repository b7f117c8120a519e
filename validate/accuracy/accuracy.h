/*
 * accuracy.h - one line of errors for each family of measured rows
 *
 * A family is one line of the table in accuracy.c (families.h).
 * error_statistics.h defines the errors.
 *
 * Units    percent
 * Errors   those of acesim_process.h and csv.h
 * Owner    the caller owns arrays and texts
 */
#ifndef VALIDATE_ACCURACY_ACCURACY_H
#define VALIDATE_ACCURACY_ACCURACY_H

#include "validate/accuracy/families.h"

typedef struct {
    const AccuracyFamily *family;
    Judgement judgement;
} AccuracyLine;

/* Returns an array of AccuracyLine, ordered by the error over that of the rule,
 * the worst first.  Names of systems are interned. */
G_GNUC_WARN_UNUSED_RESULT
GArray *accuracy_judge(const MeasuredStudies *studies, GError **error);

/* Appends the table, and a sentence for each family in which the simulator does
 * not beat the simple rule. */
void accuracy_render(const GArray *lines, GString *out);

/* Returns the same in Markdown, as validate/README.md has it. */
char *accuracy_markdown(const GArray *lines);

/* Returns CSV with a header and a row for each family. */
char *accuracy_csv(const GArray *lines);

#endif
