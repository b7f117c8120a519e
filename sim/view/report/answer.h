/*
 * answer.h - the first screen of a report: question, answer and table
 *
 * If endpoints are compared, the answer is the speedup of the offload and where
 * it is largest; else it is the fastest point.
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_REPORT_ANSWER_H
#define SIM_VIEW_REPORT_ANSWER_H

#include "sim/sweep/results.h"

char *answer_question(const Results *results);
char *answer_sentence(const Results *results);

/* Appends the table as HTML. answer_write_all() has the rows that do not
 * fit. */
void answer_write_table(GString *out, const Results *results);

/* Appends all comparisons as HTML if the table only has their means. */
void answer_write_all(GString *out, const Results *results);

#endif
