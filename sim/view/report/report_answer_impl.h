/* report_answer_impl.h - shared by answer*.c and report_ranking.c */
#ifndef SIM_VIEW_REPORT_REPORT_ANSWER_IMPL_H
#define SIM_VIEW_REPORT_REPORT_ANSWER_IMPL_H

#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_answer.h"
#include "sim/view/text/time_text.h"

/* Returns whether the pair belongs to the first offload, the subject of
 * sentences and tables. */
static inline gboolean is_pair_of_main_offload(const Comparison *c,
                                               const ComparePair *pair)
{
    return g_str_equal(compare_offload_name(c, pair),
                       g_ptr_array_index(c->offloads, 0));
}

/* Returns the description of the workload and size of a row.  The caller owns
 * it. */
char *describe_row_size(const SweepResults *results, guint row);

/* Returns workload, NPUs and keys of a row, for a sentence.  The caller owns
 * the text. */
char *describe_row_point(const SweepResults *results, guint row);

/* For results without a comparison. */
char *ranking_question_text(const SweepResults *results);
char *ranking_answer_sentence(const SweepResults *results);
void ranking_write_table(GString *out, const SweepResults *results);

#endif
