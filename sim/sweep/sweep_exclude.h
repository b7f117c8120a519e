/*
 * sweep_exclude.h - the points that a sweep file excludes; private to
 * sweep_plan.c
 *
 * Each map of the list is a rule, which excludes the points that have all
 * values of the map.  A value is named by its label, by its full text, or by
 * the `name` in its file if only one file has this name.
 *
 * Errors   CONFIG_ERROR at an unknown axis or value
 * Owner    the caller owns the rules; they borrow nothing
 */
#ifndef SIM_SWEEP_SWEEP_EXCLUDE_H
#define SIM_SWEEP_SWEEP_EXCLUDE_H

#include "sim/config/config_node.h"

G_GNUC_WARN_UNUSED_RESULT
GPtrArray *sweep_exclude_read_rules(const ConfigNode *list, const GArray *axes,
                                    ConfigDoc *library, GError **error);

/* Returns whether a rule excludes @point, a number before exclusions. */
gboolean sweep_exclude_matches_point(const GPtrArray *rules, const GArray *axes,
                                     guint point);

#endif
