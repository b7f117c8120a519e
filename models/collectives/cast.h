/*
 * cast.h - assigns the roles and groups of a graph to the NPUs of a platform
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
 * Owner    the caller owns the CollCast; the graph is borrowed
 * Cost     a byte per NPU if there are several roles, none otherwise
 */
#ifndef MODELS_COLLECTIVES_CAST_H
#define MODELS_COLLECTIVES_CAST_H

#include "models/collectives/members.h"

typedef struct {
    const OpGraph *graph;
    uint32_t n_npus;
    guint8 *roles;        /* owned, by NPU; NULL: all NPUs have role 0 */
    CollMembers *members; /* owned, by group of the graph */
} CollCast;

G_GNUC_WARN_UNUSED_RESULT
gboolean coll_cast_init(CollCast *cast, const OpGraph *graph,
                        const Topology *topology, GError **error);
void coll_cast_clear(CollCast *cast);

static inline uint32_t coll_cast_role(const CollCast *cast, uint32_t npu)
{
    return cast->roles ? cast->roles[npu] : 0;
}

static inline gboolean coll_cast_runs(const CollCast *cast, uint32_t npu,
                                      const Op *op)
{
    return op_has_role(op, coll_cast_role(cast, npu));
}

static inline const CollMembers *coll_cast_members(const CollCast *cast,
                                                   const Op *op)
{
    return &cast->members[op->group];
}

#endif
