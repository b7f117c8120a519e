/* what_ifs_text.h - the what-ifs of an explanation, as text */
#ifndef SIM_VIEW_TEXT_EXPLAIN_WHAT_IFS_TEXT_H
#define SIM_VIEW_TEXT_EXPLAIN_WHAT_IFS_TEXT_H

#include "sim/study/explain/explain.h"

/* Returns the speedup of an iteration, or 0 if the what-if cannot be
 * simulated. */
double what_if_speedup(const Explanation *explanation, const WhatIf *what_if);

/* Appends a table of the what-ifs with an effect, then the others, then those
 * that were not simulated or are impossible. */
void write_all_what_ifs(const Explanation *explanation, GString *out);

#endif
