/* explain_text.h - an explanation of the iteration time, as text */
#ifndef SIM_VIEW_TEXT_EXPLAIN_EXPLAIN_TEXT_H
#define SIM_VIEW_TEXT_EXPLAIN_EXPLAIN_TEXT_H

#include "sim/study/explain/explain.h"

/* Returns a sentence or two with the answer, then the critical path and the
 * what-ifs as tables.  The caller owns the text. */
char *explain_text(const Explanation *explanation);

#endif
