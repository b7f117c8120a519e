/*
 * plot_kinds.h - the kinds of plots of a sweep's results
 *
 * Most kinds are a row of chart_kinds.c: a name for a chart that chart.h can
 * draw.  Any other kind is one file that places the data of runs.csv, or of
 * another result file, on a canvas; one gnuplot script that draws it (between
 * common.gp and frame.gp); and a line in the table of plot_kinds.c.  The
 * program contains the scripts.
 *
 * Owner    kinds are static; texts belong to the caller
 */
#ifndef SIM_VIEW_PLOTS_PLOT_KINDS_H
#define SIM_VIEW_PLOTS_PLOT_KINDS_H

#include "sim/sweep/sweep_results.h"
#include "sim/view/plots/chart.h"
#include "sim/view/plots/plot_canvas.h"

typedef struct PlotKind PlotKind;

struct PlotKind {
    const char *name;
    const char *summary;       /* one line */
    const ChartRequest *chart; /* of a kind that chart.h expresses; it has none
                                * of the following */
    /* The columns that must exist and contain numbers; ends with NULL. */
    const char *const *columns;
    const char *script;   /* gnuplot script */
    gboolean over_time;   /* draws utilisation.csv */
    gboolean sensitivity; /* draws sensitivity.csv */
    /* Returns the reason if the results do not fit, other than missing columns,
     * or NULL. */
    char *(*unfit_reason)(const PlotKind *kind, const SweepResults *results);
    void (*draw)(const PlotKind *kind, const SweepResults *results,
                 Canvas *canvas);
};

extern const PlotKind *const plot_kinds[]; /* ends with NULL */

const PlotKind *plot_find_kind(const char *name);

/* Returns whether @kind fits @results; if not, sets *@why_not to the reason.  A
 * cell that should be a number and is not is an error. */
G_GNUC_WARN_UNUSED_RESULT
gboolean plot_fits_results(const PlotKind *kind, const SweepResults *results,
                           char **why_not, GError **error);

/* Returns the message without the path of the results.  The caller owns it. */
char *failure_reason_without_folder_path(const SweepResults *results,
                                         const GError *reason);

/* Draws the plot @kind of @results, which must fit, on @canvas. */
void plot_draw_kind(const PlotKind *kind, const SweepResults *results,
                    Canvas *canvas);

#endif
