/* answer_impl.h - what answer.c and rank.c share */
#ifndef SIM_CLI_REPORT_ANSWER_IMPL_H
#define SIM_CLI_REPORT_ANSWER_IMPL_H

#include "sim/cli/report/answer.h"
#include "sim/cli/report/html.h"
#include "sim/cli/summary.h"

/* Workload, NPUs and keys of a row, for a sentence.  Owner: the caller. */
char *answer_where(const Results *results, guint row);

/* Of results in which nothing is compared. */
char *answer_rank_question(const Results *results);
char *answer_rank_sentence(const Results *results);
void answer_rank_table(GString *out, const Results *results);

#endif
