/*
 * role_placement.h - assigns the roles and groups of a graph to the NPUs of a
 * platform
 *
 * The graph defines how roles and groups are formed, and the platform has the
 * NPUs.  This module gives every NPU its one role and every group its members.
 * The following rules are checked, and a violation is an error:
 *
 *   - roles are disjoint, and every NPU has one
 *   - an NPU takes part in a collective together with its whole set
 *   - the sender of a message has rank `from` in its set and the receiver has
 *     rank `to`; either both take part or neither
 *
 * Errors   CONFIG_ERROR at the role, the group or the operation
 * Owner    the caller owns the CollPlacement; the graph is borrowed
 * Cost     two bytes per NPU if there are several roles, none otherwise
 */
#ifndef MODELS_COLLECTIVES_ROLE_PLACEMENT_H
#define MODELS_COLLECTIVES_ROLE_PLACEMENT_H

#include "models/collectives/group_members.h"

typedef struct {
    const OpGraph *graph;
    uint32_t n_npus;
    uint16_t *roles;      /* owned, by NPU; NULL: all NPUs have role 0 */
    CollMembers *members; /* owned, by group of the graph */
} CollPlacement;

G_GNUC_WARN_UNUSED_RESULT
gboolean coll_placement_init(CollPlacement *placement, const OpGraph *graph,
                             const Topology *topology, GError **error);
void coll_placement_clear(CollPlacement *placement);

static inline uint32_t coll_placement_role(const CollPlacement *placement,
                                           uint32_t npu)
{
    return placement->roles ? placement->roles[npu] : 0;
}

static inline gboolean
coll_placement_npu_runs_op(const CollPlacement *placement, uint32_t npu,
                           const Op *op)
{
    return op_has_role(op, coll_placement_role(placement, npu));
}

static inline const CollMembers *
coll_placement_members(const CollPlacement *placement, const Op *op)
{
    return &placement->members[op->group];
}

#endif
