/*
 * sensitivity_text.h - a sensitivity study as text, CSV and JSON
 *
 * The CSV has a row for the unchanged configuration, for each alternative and
 * for each combination.  Its columns are:
 *
 *     assumption  the varied assumption; "" in the first row
 *     role        base, try or combination
 *     now, tried  the present and the alternative value
 *     metric      speedup, or a column of runs.csv
 *     base, value the metric unchanged, and with the alternative
 *     effect      of the assumption, relative to the base; see
 * sensitivity_study.h best        the fastest baseline if there is one group
 *     source      of the present value
 *     why         reason for the alternatives
 *     status      ok, or why there is no value
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_SENSITIVITY_SENSITIVITY_TEXT_H
#define SIM_SENSITIVITY_SENSITIVITY_TEXT_H

#include "sim/sensitivity/sensitivity_study.h"

/* Returns the answer in a few sentences. */
char *sensitivity_study_summary_text(const SensitivityStudy *study);

/* Returns the sentences, the ranking as a table of @width columns, and the
 * assumptions that it leaves out. */
char *sensitivity_study_text(const SensitivityStudy *study, guint width);

GString *sensitivity_study_to_csv(const SensitivityStudy *study);
GString *sensitivity_study_to_json(const SensitivityStudy *study);

#endif
