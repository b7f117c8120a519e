/*
 * program_collective_lanes.h - the lanes that a program's file describes
 *
 * workloads/collective_lane.h says what a lane is.
 *
 * Errors   CONFIG_ERROR at the lane
 * Owner    the document owns the parameters; the graph owns its copy
 */
#ifndef WORKLOADS_PROGRAMS_PROGRAM_COLLECTIVE_LANES_H
#define WORKLOADS_PROGRAMS_PROGRAM_COLLECTIVE_LANES_H

#include "workloads/graph.h"

#define PROGRAM_MAX_LANES 1000
#define PROGRAM_NO_LANE   "none"

typedef struct {
    const char *name;
    int order; /* OpLaneOrder */
    uint64_t at_a_time, credit_bytes, fusion_bytes;
    uint64_t cycle_ps, negotiate_ps;
    uint64_t copy_bytes_per_s; /* CONFIG_AUTO: copying takes no time */
    const ConfigNode *node;
} ProgramLane;

extern const ConfigField program_lane_item;

/* Adds the lanes of @list (of ProgramLane) to the graph. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_add_lanes(const ConfigList *list, OpGraph *graph,
                           GError **error);
/* Sets the lane of @op to the one called @name, or to none.  Returns FALSE with
 * @error set at @node if there is no such lane. */
G_GNUC_WARN_UNUSED_RESULT
gboolean program_set_lane(OpGraph *graph, uint32_t op, const char *name,
                          const ConfigNode *node, GError **error);

#endif
