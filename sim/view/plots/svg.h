/*
 * svg.h - gnuplot's SVG, tidied, and made part of a page
 *
 * Owner    the caller owns the texts
 */
#ifndef SIM_VIEW_PLOTS_SVG_H
#define SIM_VIEW_PLOTS_SVG_H

#include <glib.h>

/* Takes out what depends on gnuplot's version or only weighs, and gives fonts
 * their weight and substitutes. */
void svg_tidy(GString *svg);

/* The element for a page: ids begin with @prefix, there is no background, ink
 * is the page's (classes of colours are in report/page.css), and @title, not
 * yet escaped, is what it is called. */
GString *svg_inline(const GString *svg, const char *prefix, const char *title);

#endif
