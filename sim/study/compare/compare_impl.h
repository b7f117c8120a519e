/* compare_impl.h - shared by the sources of compare.h; private to this
 * folder */
#ifndef SIM_STUDY_COMPARE_COMPARE_IMPL_H
#define SIM_STUDY_COMPARE_COMPARE_IMPL_H

#include "sim/study/compare/compare.h"

/* Sets @id to a text that is equal for rows that agree in workload and all
 * group columns and, if @with_size, in n_npus. */
void compare_group_identity(const Comparison *comparison, guint row,
                            gboolean with_size, GString *id);

/* Computes the means when all pairs exist. */
void compare_add_means(Comparison *comparison);

#endif
