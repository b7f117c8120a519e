/*
 * cast.h - who plays which part: a graph's roles and groups on a platform
 *
 * The graph says of roles and groups how they are made, the platform has the
 * NPUs.  Here every NPU gets its one role, every group its members, and what
 * does not fit is told:
 *
 *   - roles are disjoint, and all of them together are all NPUs;
 *   - whoever takes part in a collective takes part with its whole set;
 *   - of a message, who sends is of rank `from` in its set and who receives
 *     of rank `to`, and both are there or neither.
 *
 * Errors   CONFIG_ERROR at the role, the group or the operation
 * Owner    the caller owns the CollCast, the graph it was made of is borrowed
 * Cost     a byte an NPU where there are roles, none where all have one
 */
#ifndef MODELS_COLLECTIVES_CAST_H
#define MODELS_COLLECTIVES_CAST_H

#include "models/collectives/members.h"

typedef struct {
    const OpGraph *graph;
    uint32_t n_npus;
    guint8 *roles;        /* owned, by NPU; NULL: all have the first */
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
