/*
 * chart_label_text.h - words for the columns of a sweep: labels, units, values
 *
 * The unit of a quantity stands at the end of its column's name, as in
 * iteration_time_us; the words before it are the label.
 *
 * Owner    the caller owns returned texts, unless they are const
 */
#ifndef SIM_VIEW_PLOTS_CHART_LABEL_TEXT_H
#define SIM_VIEW_PLOTS_CHART_LABEL_TEXT_H

#include <glib.h>

/* A unit that values of one column are drawn in. */
typedef struct {
    const char *name; /* such as "ms"; "" if the values have no unit */
    double size;      /* units of the column in one of these */
} ChartUnit;

/* Returns the unit that suits values of column @name up to @max. */
ChartUnit chart_unit_for(const char *name, double max);

/* Returns the number of bytes of @name without its unit. */
gsize chart_name_length_without_unit(const char *name);

/* Returns the words of a column's name: "HBM bandwidth" for
 * platform.npu.hbm.bandwidth_gb_per_s. */
char *chart_column_label(const char *name);

/* Returns @value with at most four digits, or as a whole number below a
 * million: "900", "0.25".  The caller owns the text. */
char *chart_value_text(double value);

typedef enum {
    CHART_NONE_IS_BETTER,
    CHART_LESS_IS_BETTER,
    CHART_MORE_IS_BETTER,
} ChartBetter;

/* Returns which values of column @name are better, by its description. */
ChartBetter chart_better_direction(const char *name);

#endif
