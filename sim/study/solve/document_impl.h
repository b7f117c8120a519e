/* document_impl.h - run files with a value that is tried in its place */
#ifndef SIM_STUDY_SOLVE_DOCUMENT_IMPL_H
#define SIM_STUDY_SOLVE_DOCUMENT_IMPL_H

#include "sim/study/solve/solve.h"

/* Who a document is for: the task's own run, the same with another endpoint,
 * or another file. */
typedef enum { SOLVE_OWN, SOLVE_SIBLING, SOLVE_STRANGER } SolveWhose;

gboolean solve_is_of_endpoint(const char *key);

/* "2.5x" in parts per million. */
G_GNUC_WARN_UNUSED_RESULT
gboolean solve_parse_factor(const char *text, uint64_t *ret, GError **error);

/* With @value, which messages say stands in @origin; NULL: as it is. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *solve_document(const Solve *solve, SolveWhose whose,
                          const char *origin, const char *value,
                          GError **error);

/* What the metric is held against. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *solve_other_document(const Solve *solve, const char *value,
                                GError **error);

#endif
