/* compare_impl.h - what the parts of a comparison share; nobody else includes
 * it */
#ifndef SIM_STUDY_COMPARE_COMPARE_IMPL_H
#define SIM_STUDY_COMPARE_COMPARE_IMPL_H

#include "sim/study/compare/compare.h"

/* Sets @id to what rows have in common that agree in workload and all group
 * columns, and @with_size in n_npus too. */
void compare_identity(const Comparison *c, guint row, gboolean with_size,
                      GString *id);

/* Once all pairs are there. */
void compare_add_means(Comparison *c);

#endif
