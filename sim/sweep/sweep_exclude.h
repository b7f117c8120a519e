/*
 * sweep_exclude.h - for sweep_plan.c only: points that are left out
 *
 * Each map of the list is a rule; a point that has all values of a rule is
 * left out.  A value is named by its label, in full, or by the `name` that
 * stands in its file where only one has that.
 *
 * Errors   CONFIG_ERROR at what names no axis or no value of it
 * Owner    the caller owns the rules; they borrow nothing
 */
#ifndef SIM_SWEEP_SWEEP_EXCLUDE_H
#define SIM_SWEEP_SWEEP_EXCLUDE_H

#include "sim/config/config_node.h"

G_GNUC_WARN_UNUSED_RESULT
GPtrArray *sweep_exclude_read(const ConfigNode *list, const GArray *axes,
                              ConfigDoc *library, GError **error);

/* @point is a number before exclusions. */
gboolean sweep_exclude_matches(const GPtrArray *rules, const GArray *axes,
                               guint point);

#endif
