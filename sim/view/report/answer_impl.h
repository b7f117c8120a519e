/* answer_impl.h - shared by answer*.c and ranking.c */
#ifndef SIM_VIEW_REPORT_ANSWER_IMPL_H
#define SIM_VIEW_REPORT_ANSWER_IMPL_H

#include "sim/view/report/answer.h"
#include "sim/view/report/html.h"
#include "sim/view/text/time_text.h"

/* Returns whether the pair belongs to the first offload, the subject of
 * sentences and tables. */
static inline gboolean answer_is_main(const Comparison *c,
                                      const ComparePair *pair)
{
    return g_str_equal(compare_offload(c, pair),
                       g_ptr_array_index(c->offloads, 0));
}

/* Returns the description of the workload and size of a row.  The caller owns
 * it. */
char *answer_size(const Results *results, guint row);

/* Returns workload, NPUs and keys of a row, for a sentence.  The caller owns
 * the text. */
char *answer_where(const Results *results, guint row);

/* For results without a comparison. */
char *answer_rank_question(const Results *results);
char *answer_rank_sentence(const Results *results);
void answer_rank_table(GString *out, const Results *results);

#endif
