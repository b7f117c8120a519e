/*
 * compare_text.h - a comparison as tables for people
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_COMPARE_TEXT_H
#define SIM_VIEW_TEXT_COMPARE_TEXT_H

#include "sim/study/compare/compare.h"

/* @bold: with escape sequences that make the headings stand out. */
char *compare_text(const Comparison *comparison, gboolean bold);

#endif
