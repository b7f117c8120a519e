/* npu_set_classes_text.h - equivalence classes of sets of NPUs, as text */
#ifndef SIM_VIEW_TEXT_NPU_SET_CLASSES_TEXT_H
#define SIM_VIEW_TEXT_NPU_SET_CLASSES_TEXT_H

#include "sim/study/classes/npu_set_classes.h"

/* Returns the text, which the caller owns. */
GString *classes_text(const Classes *classes);

/* Returns the members of a set as text, such as "0 1 2 4". The caller owns
 * it. */
char *classes_example_npus_text(const PackClass *set);

#endif
