/* solve_text.h - what was tried and what came of it, for people and as CSV */
#ifndef SIM_VIEW_TEXT_SOLVE_TEXT_H
#define SIM_VIEW_TEXT_SOLVE_TEXT_H

#include "sim/study/solve/solve.h"

/* What was tried, the crossings, and the answer.  Owner: the caller. */
char *solve_text(const Solve *solve);
/* A row for each value that was tried.  Owner: the caller. */
GString *solve_csv(const Solve *solve);

#endif
