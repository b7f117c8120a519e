/* isomorphic_npu_sets_text.h - equivalence classes of sets of NPUs, as text */
#ifndef SIM_VIEW_TEXT_ISOMORPHIC_NPU_SETS_TEXT_H
#define SIM_VIEW_TEXT_ISOMORPHIC_NPU_SETS_TEXT_H

#include "sim/study/classes/isomorphic_npu_sets.h"

/* Returns the text, which the caller owns. */
GString *npu_set_classes_text(const Classes *classes);

/* Returns the members of a set as text, such as "0 1 2 4". The caller owns
 * it. */
char *npu_set_classes_example_npus_text(const PackClass *set);

#endif
