/*
 * group_members.h - disjoint groups of equal size on a platform, and their
 * ranks
 *
 * Most groups are defined by digits: the id of an NPU is a number whose digits
 * are its coordinates.  Some of the digits make up the rank, the others make up
 * the number of the group.  Every NPU then has a rank, and conversions are
 * arithmetic.  Groups that are listed have tables, and may leave NPUs out.
 *
 * Units    NPU ids; ranks 0 .. n_ranks-1, groups 0 .. n_groups-1
 * Errors   CONFIG_ERROR at the group's node
 * Owner    the caller of coll_members_init() clears; copies borrow the tables
 */
#ifndef MODELS_COLLECTIVES_GROUP_MEMBERS_H
#define MODELS_COLLECTIVES_GROUP_MEMBERS_H

#include "network/topology.h"
#include "workloads/graph.h"

/* A digit of NPU ids, id / stride % size.  The first digit is the lowest of the
 * rank. */
typedef struct {
    uint32_t size, stride;
} CollDigit;

typedef struct {
    uint32_t n_npus, n_ranks, n_groups;
    /* Number of digits, at least 1, by ascending stride; 0: the tables below
     * apply. */
    uint32_t n_digits;
    CollDigit digits[TOPOLOGY_MAX_DIMS];
    uint32_t *ids;       /* NPU ids by group and rank; NULL: digits apply */
    uint32_t *positions; /* for each NPU its index in .ids, or COLL_NO_MEMBER */
} CollMembers;

#define COLL_NO_MEMBER UINT32_MAX

/* Returns one group of all @n_npus NPUs, in which the rank of an NPU is its
 * id. */
CollMembers coll_members_all_npus(uint32_t n_npus);

/* Returns groups of NPUs i, i + stride, ... with @size members each.  @n_npus
 * must be a multiple of @size, and @n_npus / @size one of @stride. */
CollMembers coll_members_by_stride(uint32_t n_npus, uint32_t size,
                                   uint32_t stride);

/* Sets @members to the groups that @group defines on @topology. */
G_GNUC_WARN_UNUSED_RESULT
gboolean coll_members_init(CollMembers *members, const OpGroup *group,
                           const Topology *topology, GError **error);
/* Returns @members with permuted ranks: the new rank i is the old rank
 * @order[i].  The caller clears the result. */
CollMembers coll_members_permuted(const CollMembers *members,
                                  const uint32_t *order);
void coll_members_clear(CollMembers *members);

/* Returns whether @npu is in a group.  If it is not, the functions below must
 * not be called for it. */
gboolean coll_members_contain(const CollMembers *members, uint32_t npu);
uint32_t coll_members_group_of_npu(const CollMembers *members, uint32_t npu);

/* Returns the rank of @npu for groups with several digits or with tables. */
uint32_t coll_members_find_rank(const CollMembers *members, uint32_t npu);
uint32_t coll_members_find_npu(const CollMembers *members, uint32_t npu,
                               uint32_t rank);
/* Returns the NPU of @rank in @group. */
uint32_t coll_members_npu_of_rank(const CollMembers *members, uint32_t group,
                                  uint32_t rank);

/* Returns the rank of @npu in its group. */
static inline uint32_t coll_members_rank_of_npu(const CollMembers *members,
                                                uint32_t npu)
{
    const CollDigit *digit = &members->digits[0];

    return G_LIKELY(members->n_digits == 1)
               ? npu / digit->stride % digit->size
               : coll_members_find_rank(members, npu);
}

/* Returns the NPU of @rank in the group of @npu. */
static inline uint32_t
coll_members_npu_in_same_group(const CollMembers *members, uint32_t npu,
                               uint32_t rank)
{
    const CollDigit *digit = &members->digits[0];

    if (G_UNLIKELY(members->n_digits != 1))
        return coll_members_find_npu(members, npu, rank);
    return npu + (rank - npu / digit->stride % digit->size) * digit->stride;
}

/* The members of a group along one dimension of a grid: @size coordinates at a
 * distance of @stride NPU ids from each other. */
typedef struct {
    uint32_t dim, size, stride;
} CollDimPart;

static inline gboolean coll_dim_part_is_whole_dim(const CollDimPart *part,
                                                  const Topology *topology)
{
    return part->size == topology_dimension(topology, part->dim)->size;
}

/* Divides the groups by the dimensions of a grid with @sizes: each group is the
 * product of the parts, at most one for each dimension, written to @ret by
 * ascending dimension (room for @n_dims).  Returns FALSE if the groups are no
 * such product; otherwise *@ret_n is the number of parts, which is 0 for groups
 * of one NPU. */
gboolean coll_members_split_into_dims(const CollMembers *members,
                                      const uint32_t *sizes, uint32_t n_dims,
                                      CollDimPart *ret, uint32_t *ret_n);

/* Returns whether the members of each group differ in whole dimensions of a
 * grid with @sizes and in no other, with ranks in the order of the grid.  Bit d
 * of *@ret_mask is set for each such dimension d of more than one NPU. */
gboolean coll_members_fill_whole_dims(const CollMembers *members,
                                      const uint32_t *sizes, uint32_t n_dims,
                                      uint32_t *ret_mask);

#endif
