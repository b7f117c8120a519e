/* explain_text.h - where the time of an iteration went, for people */
#ifndef SIM_VIEW_TEXT_EXPLAIN_EXPLAIN_TEXT_H
#define SIM_VIEW_TEXT_EXPLAIN_EXPLAIN_TEXT_H

#include "sim/study/explain/explain.h"

/* The answer in a sentence or two, then the critical path and the what-ifs as
 * tables.  Owner: the caller. */
char *explain_text(const Explanation *explanation);

#endif
