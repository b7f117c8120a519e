/* classes_text.h - classes of sets of NPUs, for people */
#ifndef SIM_VIEW_TEXT_CLASSES_TEXT_H
#define SIM_VIEW_TEXT_CLASSES_TEXT_H

#include "sim/study/classes/classes.h"

/* Owner: the caller. */
GString *classes_text(const Classes *classes);

/* "0 1 2 4".  Owner: the caller. */
char *classes_example(const PackClass *set);

#endif
