/* solve_text.h - result of acesim solve, as text and as CSV */
#ifndef SIM_VIEW_TEXT_SOLVE_TEXT_H
#define SIM_VIEW_TEXT_SOLVE_TEXT_H

#include "sim/study/solve/solve.h"

/* Returns the trials, the crossings and the answer.  The caller owns the
 * text. */
char *solve_text(const SolveResult *solve);
/* Returns CSV with one row per trial.  The caller owns the text. */
GString *solve_to_csv(const SolveResult *solve);

#endif
