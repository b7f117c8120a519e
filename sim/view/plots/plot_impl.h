/* plot_impl.h - what the kinds of plots share; nobody else includes it */
#ifndef SIM_VIEW_PLOTS_PLOT_IMPL_H
#define SIM_VIEW_PLOTS_PLOT_IMPL_H

#include "sim/view/plots/names.h"
#include "sim/view/plots/plot.h"

extern const PlotKind plot_iteration_time;
extern const PlotKind plot_speedup;
extern const PlotKind plot_memory_bandwidth;
extern const PlotKind plot_sms;
extern const PlotKind plot_bandwidth;
extern const PlotKind plot_sram_fsm;
extern const PlotKind plot_scaling;
extern const PlotKind plot_utilisation;
extern const PlotKind plot_sensitivity;

/* The scripts, see sim/view/text.awk. */
extern const char text_common_gp[];
extern const char text_frame_gp[];
extern const char text_iteration_time_gp[];
extern const char text_speedup_gp[];
extern const char text_bandwidth_gp[];
extern const char text_sram_fsm_gp[];
extern const char text_scaling_gp[];
extern const char text_utilisation_gp[];
extern const char text_sensitivity_gp[];
extern const char text_classes_gp[];

/* The labels of some columns (an array of guint) of a row, joined; "" when
 * there are none.  Owner: the caller. */
char *plot_label(const Results *results, guint row, const GArray *columns);

/* Columns that tell panels apart: workload and n_npus where they vary, and
 * the keys, without @a and @b (G_MAXUINT: none).  Owner: the caller. */
GArray *plot_panel_columns(const Results *results, guint a, guint b);

/* Workload, NPUs and keys of a row.  Owner: the caller. */
char *plot_where(const Results *results, guint row);

/* The key of this name, else G_MAXUINT. */
guint plot_axis(const Results *results, const char *name);

/* TRUE when all cells of the column are quantities. */
gboolean plot_is_measured(const Results *results, guint column);

/* Microseconds in a unit that suits @max_us; *@unit is "ms" and so on. */
double plot_time_unit_us(double max_us, const char **unit);

/* Three digits: "1.10", "157".  Owner: the caller. */
char *plot_number(double value);

/* Distinct colours and marks; more series than that are not drawn. */
#define PLOT_MAX_SERIES 14

/* More points, cells or bars nobody can tell apart, and the page that they are
 * in has a hundred bytes for each. */
#define PLOT_MAX_MARKS 5000

#endif
