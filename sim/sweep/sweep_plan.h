/*
 * sweep_plan.h - a sweep file as a list of points
 *
 *   base: runs/x.yaml           a run file, or the map itself
 *   axes:                       in the order of the rows, the last fastest
 *     - workload: [a.yaml, b.yaml]          every value with every other
 *     - zip: {endpoint: [...], key: [...]}  the first with the first, ...
 *     - cases: {variant: {as is: {}, slow: {key: 1, other.key: 2}}}
 *   exclude:                    points that match all of a map are left out
 *     - {workload: a, key: 3}
 *   compare: {baselines: [...], best: [...], offload: [...]}   endpoint names
 *
 * Cases give a name to a set of changes.  A key is a path as config_doc_set()
 * takes it; a value is any YAML. Values are set in order of the length of their
 * paths, so `platform` comes before `platform.npu.sms`.  A value of --set comes
 * after an axis of the same length.
 *
 * The label of a value is its text for people: the stem of a file, the `name`
 * of a map, or else the text itself.  If two values of an axis would have the
 * same label, all labels of the axis are full texts.  In a CSV, quantities are
 * numbers and the name of the column ends with their unit; other cells are
 * labels.
 *
 * Range    SWEEP_MAX_POINTS, before exclusions
 * Errors   CONFIG_ERROR with positions in the sweep file
 * Owner    the caller owns the plan, which owns the nodes and texts that it
 *          returns
 */
#ifndef SIM_SWEEP_SWEEP_PLAN_H
#define SIM_SWEEP_SWEEP_PLAN_H

#include "sim/config/config.h"
#include "sim/sweep/sweep_config.h"

#define SWEEP_MAX_POINTS 1000000

typedef struct SweepPlan SweepPlan;

/* Returns the plan of a sweep file.  Takes ownership of @doc, also on failure.
 * @sets are "KEY=VALUE", may be NULL, and must outlive the plan. */
G_GNUC_WARN_UNUSED_RESULT
SweepPlan *sweep_plan_new(ConfigDoc *doc, char *const *sets, GError **error);
G_GNUC_WARN_UNUSED_RESULT
SweepPlan *sweep_plan_load(const char *path, char *const *sets, GError **error);
void sweep_plan_free(SweepPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepPlan, sweep_plan_free)

guint sweep_plan_count_points(const SweepPlan *plan);
guint sweep_plan_count_axes(const SweepPlan *plan);
const char *sweep_plan_axis_key(const SweepPlan *plan, guint axis);
const char *sweep_plan_value_label(const SweepPlan *plan, guint point,
                                   guint axis);
/* Returns the name of the column of @axis in a CSV, and its cell at @point. */
const char *sweep_plan_axis_column(const SweepPlan *plan, guint axis);
const char *sweep_plan_axis_cell(const SweepPlan *plan, guint point,
                                 guint axis);

/* The index of the value of @axis at @point, and its node.  The node is NULL
 * for cases, which set several values. */
guint sweep_plan_value_index(const SweepPlan *plan, guint point, guint axis);
const ConfigNode *sweep_plan_value_node(const SweepPlan *plan, guint point,
                                        guint axis);

/* Returns the node of `base:`, a file name or a map. */
const ConfigNode *sweep_plan_base(const SweepPlan *plan);

/* A setting of the run file of a point is the value of an axis or a text of
 * --set; the order is that of setting them.  sweep_plan_setting() returns the
 * text of the i-th if it is one of --set; otherwise it returns NULL and sets
 * *@axis. */
guint sweep_plan_count_settings(const SweepPlan *plan);
const char *sweep_plan_setting(const SweepPlan *plan, guint i, guint *axis);

/* The number of values of an axis, and the i-th, a map of paths for cases. */
guint sweep_plan_axis_n_values(const SweepPlan *plan, guint axis);
const ConfigNode *sweep_plan_axis_value(const SweepPlan *plan, guint axis,
                                        guint i, gboolean *is_cases);

/* Returns "workload=a, key=3".  The caller owns the text. */
char *sweep_plan_describe_point(const SweepPlan *plan, guint point);

/* Returns the run file of @point as a separate document, which the plan must
 * outlive.  Each file is read only once, for the first point that names it. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *sweep_plan_point_document(const SweepPlan *plan, guint point,
                                     GError **error);

/* Returns a text that is equal for points with the same endpoint.  The caller
 * owns it. */
char *sweep_plan_endpoint_text(const SweepPlan *plan, guint point);

/* Returns FALSE if `compare:` names an endpoint that is not in @endpoints, the
 * list of all endpoints of the points (ends with NULL).  @error then has one
 * line per name. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_plan_check_names(const SweepPlan *plan,
                                const char *const *endpoints, GError **error);

/* Names of endpoints; the lists end with NULL and may be empty. */
char *const *sweep_plan_baseline_names(const SweepPlan *plan);
char *const *sweep_plan_best_names(const SweepPlan *plan);
char *const *sweep_plan_offload_names(const SweepPlan *plan);
/* Returns the axes of which each endpoint takes its fastest value. */
char *const *sweep_plan_axes_reduced_to_fastest(const SweepPlan *plan);

#endif
