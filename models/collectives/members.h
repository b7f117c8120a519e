/*
 * members.h - a family of disjoint groups on a platform: who is which rank
 *
 * All groups of a family are equally large.  Most are made of digits: an NPU's
 * id is a number whose digits are its coordinates, a rank is made of some of
 * them and the group of the others.  Then every NPU has a rank, and all is
 * arithmetic.  A family that is listed has tables, and may leave NPUs out.
 *
 * Units    NPU ids; ranks 0 .. n_ranks-1, groups 0 .. n_groups-1
 * Errors   CONFIG_ERROR at the group's node
 * Owner    who has called coll_members_init() clears; copies borrow the tables
 */
#ifndef MODELS_COLLECTIVES_MEMBERS_H
#define MODELS_COLLECTIVES_MEMBERS_H

#include "network/topology.h"
#include "workloads/graph.h"

/* id / stride % size; of a rank the first digit counts fastest. */
typedef struct {
    uint32_t size, stride;
} CollDigit;

typedef struct {
    uint32_t n_npus, n_ranks, n_groups;
    uint32_t n_digits; /* from 1, by stride; 0: tables */
    CollDigit digits[TOPOLOGY_MAX_DIMS];
    uint32_t *ids;   /* by group and rank; NULL: digits */
    uint32_t *spots; /* of each NPU its place in .ids, or COLL_NO_MEMBER */
} CollMembers;

#define COLL_NO_MEMBER UINT32_MAX

/* All of @n_npus as one group, rank = id. */
CollMembers coll_members_of_all(uint32_t n_npus);

/* NPUs i, i + stride, ..., size of them: @n_npus is a multiple of both. */
CollMembers coll_members_of_stride(uint32_t n_npus, uint32_t size,
                                   uint32_t stride);

/* @group on @topology. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_members_init(CollMembers *members, const OpGroup *group,
                           const Topology *topology, GError **error);
/* @members with other numbers: rank i is what was rank @order[i].  The caller
 * clears it. */
CollMembers coll_members_in_order(const CollMembers *members,
                                  const uint32_t *order);
void coll_members_clear(CollMembers *members);

/* FALSE: @npu is in no group.  Who is in none must not be asked about below. */
gboolean coll_members_has(const CollMembers *members, uint32_t npu);
uint32_t coll_members_group(const CollMembers *members, uint32_t npu);

/* For more digits than one, and tables. */
uint32_t coll_members_slow_rank(const CollMembers *members, uint32_t npu);
uint32_t coll_members_slow_id(const CollMembers *members, uint32_t npu,
                              uint32_t rank);
/* The NPU of @rank in @group. */
uint32_t coll_members_at(const CollMembers *members, uint32_t group,
                         uint32_t rank);

/* The rank of @npu in its group, */
static inline uint32_t coll_members_rank(const CollMembers *members,
                                         uint32_t npu)
{
    const CollDigit *digit = &members->digits[0];

    return G_LIKELY(members->n_digits == 1)
               ? npu / digit->stride % digit->size
               : coll_members_slow_rank(members, npu);
}

/* and the NPU of another rank of it. */
static inline uint32_t coll_members_id(const CollMembers *members, uint32_t npu,
                                       uint32_t rank)
{
    const CollDigit *digit = &members->digits[0];

    if (G_UNLIKELY(members->n_digits != 1))
        return coll_members_slow_id(members, npu, rank);
    return npu + (rank - npu / digit->stride % digit->size) * digit->stride;
}

/* Whether the members are NPUs that differ in whole dimensions of a grid of
 * these @sizes and in no other, ranks counting them in order; bit d of
 * *@ret_mask stands for dimension d, of which those of size 1 are left out. */
gboolean coll_members_are_dims(const CollMembers *members,
                               const uint32_t *sizes, uint32_t n_dims,
                               uint32_t *ret_mask);

#endif
