/* answer_impl.h - what answer*.c and rank.c share */
#ifndef SIM_VIEW_REPORT_ANSWER_IMPL_H
#define SIM_VIEW_REPORT_ANSWER_IMPL_H

#include "sim/view/report/answer.h"
#include "sim/view/report/html.h"
#include "sim/view/text/time_text.h"

/* TRUE when the pair is of the first offload, which sentences and tables are
 * about. */
static inline gboolean answer_is_main(const Comparison *c,
                                      const ComparePair *pair)
{
    return g_str_equal(compare_offload(c, pair),
                       g_ptr_array_index(c->offloads, 0));
}

/* What rows of one workload and size have in common.  Owner: the caller. */
char *answer_size(const Results *results, guint row);

/* Workload, NPUs and keys of a row, for a sentence.  Owner: the caller. */
char *answer_where(const Results *results, guint row);

/* Of results in which nothing is compared. */
char *answer_rank_question(const Results *results);
char *answer_rank_sentence(const Results *results);
void answer_rank_table(GString *out, const Results *results);

#endif
