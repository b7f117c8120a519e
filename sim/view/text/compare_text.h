/*
 * compare_text.h - a comparison as tables of text
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_TEXT_COMPARE_TEXT_H
#define SIM_VIEW_TEXT_COMPARE_TEXT_H

#include "sim/study/compare/compare.h"

/* Returns the comparison as tables.  @bold selects escape sequences for bold
 * headings. */
char *compare_text(const Comparison *comparison, gboolean bold);

#endif
