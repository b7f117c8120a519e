/*
 * bar_layout.h - layout of grouped horizontal bars in several panels
 *
 * Panels are workloads, and groups are numbers of NPUs.  If a sweep varies
 * more, panels are pairs of workload and number of NPUs, and groups are the
 * other varied keys.  All panels have the same rows, so that only the left ones
 * have names.
 *
 * Owner    the caller owns the Bars
 */
#ifndef SIM_VIEW_PLOTS_BAR_LAYOUT_H
#define SIM_VIEW_PLOTS_BAR_LAYOUT_H

#include "sim/view/plots/plot_kinds_impl.h"

typedef struct {
    guint panel, group, bar;
    guint id; /* chosen by the caller */
} GroupedBar;

typedef struct {
    const SweepResults *results;           /* borrowed */
    GArray *panel_columns, *group_columns; /* owned: of guint */
    DistinctNames panels, groups, names;
    GArray *bars; /* owned: of Bar */
    /* The set of pairs of group and name that have a bar (owned). */
    GHashTable *rows;
    double *group_y; /* owned: first row of each group */
    double n_rows;   /* including headings and gaps */
} GroupedBars;

void bars_init(GroupedBars *bars, const SweepResults *results);
void bars_clear(GroupedBars *bars);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GroupedBars, bars_clear)

void bar_layout_add(GroupedBars *bars, guint row, guint id);

/* Returns the reason if there are too many bars to draw, or NULL. */
char *bars_too_many_reason(const GroupedBars *bars);

/* Draws the grid and the names of panels, groups and rows. */
void bars_draw_layout(GroupedBars *bars, Canvas *canvas);

/* Returns the centre of @bar, in rows from the top of its panel. */
double bars_row_centre(const GroupedBars *bars, const GroupedBar *bar);

static inline const GroupedBar *bars_bar_at(const GroupedBars *bars, guint i)
{
    return &g_array_index(bars->bars, GroupedBar, i);
}

#endif
