/*
 * bars.h - horizontal bars in groups, a panel beside the other
 *
 * Panels are workloads, groups are numbers of NPUs; where a sweep varies more,
 * panels are workloads and numbers of NPUs, groups are what else it varies.
 * All panels have the same rows, so that names stand on the left only.
 *
 * Owner    the caller owns the Bars
 */
#ifndef SIM_VIEW_PLOTS_BARS_H
#define SIM_VIEW_PLOTS_BARS_H

#include "sim/view/plots/plot_impl.h"

typedef struct {
    guint panel, group, bar;
    guint id; /* the caller's */
} Bar;

typedef struct {
    const Results *results;                /* borrowed */
    GArray *panel_columns, *group_columns; /* owned, of guint */
    Names panels, groups, names;
    GArray *bars;     /* owned, of Bar */
    GHashTable *rows; /* owned: group and name -> present */
    double *group_y;  /* owned: where each group begins, in rows */
    double n_rows;    /* with headings and gaps */
} Bars;

void bars_init(Bars *bars, const Results *results);
void bars_clear(Bars *bars);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bars, bars_clear)

void bars_add(Bars *bars, guint row, guint id);

/* Why there are too many to be drawn, or NULL. */
char *bars_excess(const Bars *bars);

/* The grid, and the names of panels, groups and rows. */
void bars_layout(Bars *bars, Canvas *canvas);

/* The middle of @bar in rows from the top of its panel. */
double bars_y(const Bars *bars, const Bar *bar);

static inline const Bar *bars_at(const Bars *bars, guint i)
{
    return &g_array_index(bars->bars, Bar, i);
}

#endif
