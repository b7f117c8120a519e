/*
 * svg.h - makes the SVG of all versions of gnuplot equal
 */
#ifndef SIM_VIEW_PLOTS_SVG_H
#define SIM_VIEW_PLOTS_SVG_H

#include <glib.h>

/* Removes parts that depend on the version of gnuplot or only add size, and
 * gives fonts a weight and substitutes. */
void svg_normalise(GString *svg);

#endif
