/* plot_kinds_impl.h - helpers that the kinds of plots share; private
 * to plots/ */
#ifndef SIM_VIEW_PLOTS_PLOT_KINDS_IMPL_H
#define SIM_VIEW_PLOTS_PLOT_KINDS_IMPL_H

#include "sim/view/plots/distinct_names.h"
#include "sim/view/plots/plot_kinds.h"

extern const PlotKind plot_iteration_time;
extern const PlotKind plot_speedup;
extern const PlotKind plot_memory_bandwidth;
extern const PlotKind plot_sms;
extern const PlotKind plot_bandwidth;
extern const PlotKind plot_sram_fsm;
extern const PlotKind plot_break_even;
extern const PlotKind plot_scaling;
extern const PlotKind plot_utilisation;
extern const PlotKind plot_sensitivity;

/* The scripts, created by sim/view/text.awk. */
extern const char text_chart_gp[];
extern const char text_common_gp[];
extern const char text_frame_gp[];
extern const char text_utilisation_gp[];
extern const char text_sensitivity_gp[];
extern const char text_classes_gp[];

/* Returns the labels of some columns (an array of guint) of a row, joined; ""
 * if there are none.  The caller owns the text. */
char *plot_row_label(const SweepResults *results, guint row,
                     const GArray *columns);

/* Returns the columns that distinguish panels: workload and n_npus if they
 * vary, and the keys, except @a and @b (G_MAXUINT: none). The caller owns the
 * array. */
GArray *plot_panel_columns(const SweepResults *results, guint a, guint b);

/* Returns the number of microseconds per unit that suits @max_us, and sets
 * *@unit to its name, such as "ms". */
double plot_time_unit_us(double max_us, const char **unit);

/* Returns three digits, such as "1.10" or "157". The caller owns the text. */
char *plot_three_digits_text(double value);

#endif
