/*
 * report.h - all that is validated, run and put into one text
 *
 * Beside the text it writes closed-forms.csv and validate.csv into the
 * simulator's folder, where the runs themselves lie too.
 *
 * Errors   those of simulator.h
 * Owner    the caller owns the text
 */
#ifndef VALIDATE_REPORT_H
#define VALIDATE_REPORT_H

#include "validate/simulator.h"

/* *@is_right: all that must hold holds.  NULL when something could not be
 * run. */
G_GNUC_WARN_UNUSED_RESULT
char *report_text(const Simulator *simulator, gboolean *is_right,
                  GError **error);

#endif
