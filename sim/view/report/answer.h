/*
 * answer.h - the first screen of a report: question, answer, table
 *
 * Where endpoints are compared it is how much faster the offload is, and on
 * what; else it is which of the points is fastest.
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_REPORT_ANSWER_H
#define SIM_VIEW_REPORT_ANSWER_H

#include "sim/sweep/results.h"

char *answer_question(const Results *results);
char *answer_sentence(const Results *results);

/* The table as HTML; what does not fit is in answer_write_rest(). */
void answer_write_table(GString *out, const Results *results);

/* All comparisons as HTML, where the table has only their means. */
void answer_write_rest(GString *out, const Results *results);

#endif
