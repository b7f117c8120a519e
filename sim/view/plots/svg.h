/*
 * svg.h - normalises gnuplot's SVG and embeds it in a page
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_PLOTS_SVG_H
#define SIM_VIEW_PLOTS_SVG_H

#include <glib.h>

/* Removes parts that depend on the version of gnuplot or only add size, and
 * gives fonts a weight and substitutes. */
void svg_normalise(GString *svg);

/* Returns the element for a page: ids start with @prefix, there is no
 * background, and colours are classes of report/page.css.  @title, which is not
 * escaped, becomes its accessible name. */
GString *svg_make_inline(const GString *svg, const char *prefix,
                         const char *title);

#endif
