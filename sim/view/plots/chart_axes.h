/*
 * chart_axes.h - the axes of a sweep, as its rows show them
 *
 * An axis is a column that varies between the successful rows: workload,
 * n_npus, endpoint, or a key (compare_group_columns.h).  Columns that change
 * together, one value of each for one of the other, are one axis: the numeric
 * one if there is one, otherwise the first.  A column that another one
 * determines is no axis.
 *
 * Units    values as they stand in the cells (chart_label_text.h)
 * Order    keys in the order of the table, then workload, n_npus, endpoint
 * Owner    the caller owns the list, which borrows the results
 * Cost     rows times the square of the number of columns
 */
#ifndef SIM_VIEW_PLOTS_CHART_AXES_H
#define SIM_VIEW_PLOTS_CHART_AXES_H

#include "sim/sweep/sweep_results.h"

typedef struct {
    const SweepResults *results; /* borrowed */
    guint column;
    const char *name;    /* borrowed: of the column */
    GPtrArray *together; /* owned, of borrowed: names of the columns that change
                          * together with this one, and of those that it
                          * determines */
    gboolean is_numeric; /* all cells are numbers */
    GPtrArray *texts;    /* owned, of borrowed: the distinct cells; ascending if
                          * numeric, otherwise as they appear */
    GArray *numbers;     /* owned, of double: their values if numeric */
    GArray *of_row;      /* owned, of guint: for each successful row, the index
                          * of its value */
    guint first;         /* the value of the first row */
} ChartAxis;

/* Returns the axes (of ChartAxis, owned by the array). */
GPtrArray *chart_list_axes(const SweepResults *results);

static inline guint chart_axis_n_values(const ChartAxis *axis)
{
    return axis->texts->len;
}

static inline double chart_axis_number(const ChartAxis *axis, guint value)
{
    return g_array_index(axis->numbers, double, value);
}

static inline guint chart_axis_value_index_of_row(const ChartAxis *axis,
                                                  guint i)
{
    return g_array_index(axis->of_row, guint, i);
}

/* Returns the value on a tick of the axis.  The caller owns the text. */
char *chart_axis_tick(const ChartAxis *axis, guint value);

/* Returns the value for a heading, with its quantity: "64 NPUs", "HBM bandwidth
 * 900 GB/s", "resnet-50".  The caller owns the text. */
char *chart_axis_value_text(const ChartAxis *axis, guint value);

/* Returns the title of the axis: the label of each numeric column that changes
 * with it, and the unit.  The caller owns the text. */
char *chart_axis_title(const ChartAxis *axis);

/* Returns whether steps between values are rather equal ratios than equal
 * differences, and the last is at least 8 times the first. */
gboolean chart_axis_is_log(const ChartAxis *axis);

#endif
