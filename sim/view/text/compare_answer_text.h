/*
 * compare_answer_text.h - a comparison as an answer of a few lines
 *
 * A line for each workload: geometric means and ranges of the speedups of the
 * first offload, over the best that could be built without it and over the
 * published baselines.  The last line says whether that is a gain.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_COMPARE_ANSWER_TEXT_H
#define SIM_VIEW_TEXT_COMPARE_ANSWER_TEXT_H

#include "sim/study/compare/compare.h"

char *compare_answer_text(const Comparison *comparison);

#endif
