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
 * Cases give a name to whatever they change.  A key is a path as
 * config_doc_set() takes it, a value any YAML.  Values are set in order of the
 * length of their paths, so that `platform` comes before `platform.npu.sms`;
 * what the command line sets comes after an axis of the same length.
 *
 * The label of a value is what a CSV says of it: a file's stem, a map's
 * `name`, else the text itself; the whole text wherever two values of an axis
 * would else look alike.
 *
 * Range    SWEEP_MAX_POINTS, before exclusions
 * Errors   CONFIG_ERROR with positions in the sweep file
 * Owner    the caller owns the plan; what it hands out is borrowed from it
 */
#ifndef SIM_SWEEP_SWEEP_PLAN_H
#define SIM_SWEEP_SWEEP_PLAN_H

#include "sim/config/config.h"
#include "sim/sweep/sweep_config.h"

#define SWEEP_MAX_POINTS 1000000

typedef struct SweepPlan SweepPlan;

/* Takes @doc, on failure too.  @sets are "KEY=VALUE", may be NULL, and must
 * outlive the plan. */
G_GNUC_WARN_UNUSED_RESULT
SweepPlan *sweep_plan_new(ConfigDoc *doc, char *const *sets, GError **error);
G_GNUC_WARN_UNUSED_RESULT
SweepPlan *sweep_plan_load(const char *path, char *const *sets, GError **error);
void sweep_plan_free(SweepPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SweepPlan, sweep_plan_free)

guint sweep_plan_n_points(const SweepPlan *plan);
guint sweep_plan_n_axes(const SweepPlan *plan);
const char *sweep_plan_key(const SweepPlan *plan, guint axis);
const char *sweep_plan_label(const SweepPlan *plan, guint point, guint axis);

/* The number of the value that @point has of @axis, and the value; NULL: cases,
 * which have many. */
guint sweep_plan_value(const SweepPlan *plan, guint point, guint axis);
const ConfigNode *sweep_plan_node(const SweepPlan *plan, guint point,
                                  guint axis);

/* "workload=a, key=3".  Owner: the caller. */
char *sweep_plan_describe(const SweepPlan *plan, guint point);

/* The run file of @point, a document of its own that the plan outlives.  Each
 * file is read once, for the first point that names it. */
G_GNUC_WARN_UNUSED_RESULT
ConfigDoc *sweep_plan_point(const SweepPlan *plan, guint point, GError **error);

/* Points of which it says the same have the same endpoint.  Owner: the
 * caller. */
char *sweep_plan_endpoint(const SweepPlan *plan, guint point);

/* FALSE: `compare:` names endpoints that are none of @endpoints, which are
 * those of all points and end with NULL; *@error has a line for each. */
G_GNUC_WARN_UNUSED_RESULT
gboolean sweep_plan_check_names(const SweepPlan *plan,
                                const char *const *endpoints, GError **error);

/* Names of endpoints; end with NULL, empty when the file has none. */
char *const *sweep_plan_baselines(const SweepPlan *plan);
char *const *sweep_plan_best(const SweepPlan *plan);
char *const *sweep_plan_offload(const SweepPlan *plan);

#endif
