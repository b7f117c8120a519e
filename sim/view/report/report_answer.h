/*
 * report_answer.h - the first screen of a report: question, answer and table
 *
 * If endpoints are compared, the answer is the speedup of the offload and where
 * it is largest; else it is the fastest point.
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_REPORT_REPORT_ANSWER_H
#define SIM_VIEW_REPORT_REPORT_ANSWER_H

#include "sim/sweep/sweep_results.h"

char *report_question_text(const SweepResults *results);
char *report_answer_sentence(const SweepResults *results);

/* Appends the table as HTML. report_write_all_comparisons() has the rows that
 * do not fit. */
void report_write_answer_table(GString *out, const SweepResults *results);

/* Appends all comparisons as HTML if the table only has their means. */
void report_write_all_comparisons(GString *out, const SweepResults *results);

#endif
