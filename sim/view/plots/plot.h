/*
 * plot.h - the kinds of plots of a sweep's results
 *
 * A kind is one file that says what of runs.csv, or of another file there, is
 * drawn where, one gnuplot script that draws it (between common.gp and
 * frame.gp), and a line in the table of plot.c.  The program holds the scripts.
 *
 * Owner    kinds are static; texts belong to the caller
 */
#ifndef SIM_VIEW_PLOTS_PLOT_H
#define SIM_VIEW_PLOTS_PLOT_H

#include "sim/sweep/results.h"
#include "sim/view/plots/canvas.h"

typedef struct PlotKind PlotKind;

struct PlotKind {
    const char *name;
    const char *summary;        /* one line */
    const char *const *columns; /* it needs these as numbers; end with NULL */
    const char *script;         /* of gnuplot */
    const char *axis;           /* what is varied, where the kind hangs on it */
    const char *axis_title;     /* "SMs for communication" */
    const char *axis_label;     /* "SMs", and how many base units it */
    double axis_scale;          /* counts */
    gboolean axis_is_log;
    gboolean over_time;   /* it draws utilisation.csv */
    gboolean sensitivity; /* it draws sensitivity.csv */
    /* Why the results cannot be drawn so, beyond missing columns, or NULL. */
    char *(*lacks)(const PlotKind *kind, const Results *results);
    void (*draw)(const PlotKind *kind, const Results *results, Canvas *canvas);
    /* What the plot shows, in a sentence or two. */
    char *(*says)(const PlotKind *kind, const Results *results);
};

extern const PlotKind *const plot_kinds[]; /* ends with NULL */

const PlotKind *plot_find(const char *name);

/* Why @kind does not fit @results, or NULL when it does.  A cell that should
 * be a number and is none is an error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_fits(const PlotKind *kind, const Results *results, char **why_not,
                   GError **error);

/* Of a kind that fits. */
void plot_draw(const PlotKind *kind, const Results *results, Canvas *canvas);
char *plot_says(const PlotKind *kind, const Results *results);

#endif
