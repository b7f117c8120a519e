/*
 * attribution.h - the parts of an iteration's time, which add up to it exactly
 *
 * The parts of a language model are kernels, bubbles and the communication that
 * each axis of the mesh exposes (stream_times.h): columns of runs.csv.  The
 * parts of any other run are the rows of its critical path (explain.h), which
 * take one run more.
 *
 * A part has a name ("exposed.link_dim1"), a label for people and a group, by
 * which charts colour it.
 *
 * Units    ps, per iteration
 * Errors   those of system_new() and system_run()
 * Owner    the caller owns the parts
 */
#ifndef SIM_STUDY_EXPLAIN_ATTRIBUTION_H
#define SIM_STUDY_EXPLAIN_ATTRIBUTION_H

#include "sim/core/csv.h"
#include "sim/study/csv_columns.h"
#include "sim/study/explain/explain.h"

typedef struct {
    char *name, *label; /* owned */
    const char *group;  /* one of attribution_groups */
    SimTime time_ps;    /* not 0 */
} AttributionPart;

typedef struct {
    const char *name, *label;
} AttributionGroup;

/* All groups, in the order of charts; the table ends with a name of NULL. */
extern const AttributionGroup attribution_groups[];

/* Simulates @config, of which no value is `auto`, and returns the parts, an
 * array of AttributionPart.  Sets *@ret_iteration_ps to their sum. */
G_GNUC_WARN_UNUSED_RESULT
GArray *attribution_simulate(const SystemConfig *config, RunOptions run_options,
                             SimTime *ret_iteration_ps, GError **error);

/* Returns the parts of a critical path, an array of AttributionPart. */
GArray *attribution_of_path(const Explanation *explanation);

/* Returns the parts of @row of a runs.csv, or NULL if it is not the row of a
 * language model. */
GArray *attribution_of_model_row(const CsvTable *table, guint row);

/* The columns of attribution.csv after those that name the point: part, label,
 * group, time_us and share. */
extern const Column attribution_columns[];

/* Appends a row for each part.  @cells are the cells that name the point, each
 * with a comma behind it. */
void attribution_append_rows(GString *out, const char *cells,
                             const GArray *parts);

#endif
