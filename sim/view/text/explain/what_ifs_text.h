/* what_ifs_text.h - the what-ifs of an explanation, for people */
#ifndef SIM_VIEW_TEXT_EXPLAIN_WHAT_IFS_TEXT_H
#define SIM_VIEW_TEXT_EXPLAIN_WHAT_IFS_TEXT_H

#include "sim/study/explain/explain.h"

/* How many times faster an iteration would be; 0: it cannot be. */
double what_if_speedup(const Explanation *explanation, const WhatIf *what_if);

/* A table of those that matter, then the others, then what was not simulated
 * and what cannot be. */
void what_ifs_write(const Explanation *explanation, GString *out);

#endif
