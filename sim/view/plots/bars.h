/*
 * bars.h - layout of grouped horizontal bars in several panels
 *
 * Panels are workloads, and groups are numbers of NPUs.  If a sweep varies
 * more, panels are pairs of workload and number of NPUs, and groups are the
 * other varied keys.  All panels have the same rows, so that only the left ones
 * have names.
 *
 * Owner    the caller owns the Bars
 */
#ifndef SIM_VIEW_PLOTS_BARS_H
#define SIM_VIEW_PLOTS_BARS_H

#include "sim/view/plots/plot_impl.h"

typedef struct {
    guint panel, group, bar;
    guint id; /* chosen by the caller */
} Bar;

typedef struct {
    const Results *results;                /* borrowed */
    GArray *panel_columns, *group_columns; /* owned: of guint */
    Names panels, groups, names;
    GArray *bars; /* owned: of Bar */
    /* The set of pairs of group and name that have a bar (owned). */
    GHashTable *rows;
    double *group_y; /* owned: first row of each group */
    double n_rows;   /* including headings and gaps */
} Bars;

void bars_init(Bars *bars, const Results *results);
void bars_clear(Bars *bars);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bars, bars_clear)

void bars_add(Bars *bars, guint row, guint id);

/* Returns the reason if there are too many bars to draw, or NULL. */
char *bars_excess(const Bars *bars);

/* Draws the grid and the names of panels, groups and rows. */
void bars_layout(Bars *bars, Canvas *canvas);

/* Returns the centre of @bar, in rows from the top of its panel. */
double bars_y(const Bars *bars, const Bar *bar);

static inline const Bar *bars_at(const Bars *bars, guint i)
{
    return &g_array_index(bars->bars, Bar, i);
}

#endif
