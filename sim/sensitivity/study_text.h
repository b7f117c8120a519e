/*
 * study_text.h - a sensitivity study for people and programs
 *
 * Columns of the CSV, a row for each value tried, each combination, and one
 * for the configuration as it is:
 *
 *     assumption  what is varied; "" as it is
 *     role        base, try, combination
 *     now, tried  its value and the other
 *     metric      speedup, or a column of a run's CSV
 *     base, value of the metric, as it is and with what was tried
 *     effect      of the assumption, as a part of the base; see study.h
 *     best        the fastest baseline, where there is one group
 *     source      of the value that it has now
 *     why         what was tried is that and no other
 *     status      ok, or why there is no value
 *
 * Owner    the caller owns texts
 */
#ifndef SIM_SENSITIVITY_STUDY_TEXT_H
#define SIM_SENSITIVITY_STUDY_TEXT_H

#include "sim/sensitivity/study.h"

/* The answer in a few sentences. */
char *study_sentence(const Study *study);

/* The sentence, the ranking as a table @width wide, and what is not in it. */
char *study_text(const Study *study, guint width);

GString *study_csv(const Study *study);
GString *study_json(const Study *study);

/* The metric's value for people: "1.29x".  Owner: the caller. */
char *study_value_text(const Study *study, double value);

#endif
