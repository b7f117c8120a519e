/* group_members.c - converts ids to ranks by digits, or by tables of listed
 * groups */
#include "models/collectives/group_members.h"

CollMembers coll_members_by_stride(uint32_t n_npus, uint32_t size,
                                   uint32_t stride)
{
    g_assert(size > 0 && stride > 0 && n_npus % size == 0 &&
             n_npus / size % stride == 0);
    return (CollMembers){ .n_npus = n_npus,
                          .n_ranks = size,
                          .n_groups = n_npus / size,
                          .n_digits = 1,
                          .digits = { { .size = size, .stride = stride } } };
}

CollMembers coll_members_all_npus(uint32_t n_npus)
{
    return coll_members_by_stride(n_npus, n_npus, 1);
}

void coll_members_clear(CollMembers *members)
{
    g_clear_pointer(&members->ids, g_free);
    g_clear_pointer(&members->positions, g_free);
}

/* ---- conversion -------------------------------------------------------- */

gboolean coll_members_contain(const CollMembers *members, uint32_t npu)
{
    return !members->positions || members->positions[npu] != COLL_NO_MEMBER;
}

uint32_t coll_members_find_rank(const CollMembers *members, uint32_t npu)
{
    uint32_t rank = 0, n = 1;

    if (members->positions) {
        g_assert(members->positions[npu] != COLL_NO_MEMBER);
        return members->positions[npu] % members->n_ranks;
    }
    for (uint32_t i = 0; i < members->n_digits; i++) {
        const CollDigit *digit = &members->digits[i];

        rank += npu / digit->stride % digit->size * n;
        n *= digit->size;
    }
    return rank;
}

uint32_t coll_members_find_npu(const CollMembers *members, uint32_t npu,
                               uint32_t rank)
{
    g_assert(rank < members->n_ranks);
    if (members->positions) {
        uint32_t position = members->positions[npu];

        g_assert(position != COLL_NO_MEMBER);
        return members->ids[position - position % members->n_ranks + rank];
    }
    for (uint32_t i = 0; i < members->n_digits; i++) {
        const CollDigit *digit = &members->digits[i];

        npu += (rank % digit->size - npu / digit->stride % digit->size) *
               digit->stride;
        rank /= digit->size;
    }
    return npu;
}

/* Returns the number of @npu's group.  The number is the id without the digits
 * of the rank.  Digits are removed from the highest down, so that lower strides
 * stay valid. */
uint32_t coll_members_group_of_npu(const CollMembers *members, uint32_t npu)
{
    if (members->positions) {
        g_assert(members->positions[npu] != COLL_NO_MEMBER);
        return members->positions[npu] / members->n_ranks;
    }
    for (uint32_t i = members->n_digits; i-- > 0;) {
        const CollDigit *digit = &members->digits[i];

        npu = npu / digit->stride / digit->size * digit->stride +
              npu % digit->stride;
    }
    return npu;
}

uint32_t coll_members_npu_of_rank(const CollMembers *members, uint32_t group,
                                  uint32_t rank)
{
    g_assert(group < members->n_groups && rank < members->n_ranks);
    if (members->ids)
        return members->ids[group * members->n_ranks + rank];
    /* The id is the group number with the digits of the rank inserted; they are
     * first inserted as 0, from the lowest up. */
    for (uint32_t i = 0; i < members->n_digits; i++) {
        const CollDigit *digit = &members->digits[i];

        group = group / digit->stride * digit->stride * digit->size +
                group % digit->stride;
    }
    return coll_members_npu_in_same_group(members, group, rank);
}

CollMembers coll_members_permuted(const CollMembers *members,
                                  const uint32_t *order)
{
    uint32_t n = members->n_ranks;
    CollMembers ret = { .n_npus = members->n_npus,
                        .n_ranks = n,
                        .n_groups = members->n_groups,
                        .ids = g_new(uint32_t, n * members->n_groups),
                        .positions = g_new(uint32_t, members->n_npus) };

    for (uint32_t i = 0; i < members->n_npus; i++)
        ret.positions[i] = COLL_NO_MEMBER;
    for (uint32_t i = 0; i < n * members->n_groups; i++) {
        ret.ids[i] = coll_members_npu_of_rank(members, i / n, order[i % n]);
        g_assert(ret.positions[ret.ids[i]] == COLL_NO_MEMBER);
        ret.positions[ret.ids[i]] = i;
    }
    return ret;
}

/* Adds a digit to the ranks of @members.  Neighbouring dimensions merge into
 * one digit. */
static void add_rank_digit(CollMembers *members, uint32_t size, uint32_t stride)
{
    CollDigit *last =
        members->n_digits > 0 ? &members->digits[members->n_digits - 1] : NULL;

    if (last && last->stride * last->size == stride)
        last->size *= size;
    else
        members->digits[members->n_digits++] =
            (CollDigit){ .size = size, .stride = stride };
    members->n_ranks *= size;
    members->n_groups /= size;
}

static CollMembers members_of_dims(uint32_t n_npus, const uint32_t *sizes,
                                   uint32_t n_dims, uint32_t mask)
{
    CollMembers members = { .n_npus = n_npus,
                            .n_ranks = 1,
                            .n_groups = n_npus };
    uint32_t stride = 1;

    for (uint32_t d = 0; d < n_dims; d++) {
        if (mask >> d & 1 && sizes[d] > 1)
            add_rank_digit(&members, sizes[d], stride);
        stride *= sizes[d];
    }
    if (members.n_digits == 0) /* All dimensions have size 1. */
        add_rank_digit(&members, 1, 1);
    return members;
}

/* Adds to @ret the part of @digit that lies in dimension @dim, whose coordinate
 * is id / @stride % @size.  Returns FALSE if the digit does not end where a
 * multiple of its own stride does, or if the dimension already has a part. */
static gboolean add_dim_part_of_rank_digit(const CollDigit *digit, uint32_t dim,
                                           uint32_t size, uint32_t stride,
                                           CollDimPart *ret, uint32_t *n)
{
    uint64_t digit_end = (uint64_t)digit->stride * digit->size;
    uint64_t dim_end = (uint64_t)stride * size;
    uint64_t low = MAX(stride, digit->stride), end = MIN(dim_end, digit_end);

    if (low >= end)
        return TRUE;
    if (low % stride != 0 || low % digit->stride != 0 || end % low != 0 ||
        dim_end % end != 0 || digit_end % end != 0 ||
        (*n > 0 && ret[*n - 1].dim == dim))
        return FALSE;
    ret[(*n)++] = (CollDimPart){ .dim = dim,
                                 .size = (uint32_t)(end / low),
                                 .stride = (uint32_t)low };
    return TRUE;
}

gboolean coll_members_split_into_dims(const CollMembers *members,
                                      const uint32_t *sizes, uint32_t n_dims,
                                      CollDimPart *ret, uint32_t *ret_n)
{
    uint32_t stride = 1, n_ranks = 1;

    *ret_n = 0;
    for (uint32_t d = 0; d < n_dims; d++) {
        for (uint32_t i = 0; i < members->n_digits; i++)
            if (!add_dim_part_of_rank_digit(&members->digits[i], d, sizes[d],
                                            stride, ret, ret_n))
                return FALSE;
        stride *= sizes[d];
    }
    for (uint32_t i = 0; i < *ret_n; i++)
        n_ranks *= ret[i].size;
    return n_ranks == members->n_ranks;
}

gboolean coll_members_fill_whole_dims(const CollMembers *members,
                                      const uint32_t *sizes, uint32_t n_dims,
                                      uint32_t *ret_mask)
{
    CollDimPart parts[TOPOLOGY_MAX_DIMS];
    uint32_t n;

    *ret_mask = 0;
    if (!coll_members_split_into_dims(members, sizes, n_dims, parts, &n))
        return FALSE;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].size != sizes[parts[i].dim])
            return FALSE;
        *ret_mask |= 1U << parts[i].dim;
    }
    return TRUE;
}

/* ---- construction from the graph ---------------------------------------- */

static gboolean set_group_error(const OpGroup *group, GError **error,
                                const char *text)
{
    config_set_error(error, group->node, CONFIG_ERROR_CONFLICT, "%s", text);
    return FALSE;
}

static gboolean init_members_by_dims(CollMembers *members, const OpGroup *group,
                                     const Topology *topology, GError **error)
{
    uint32_t n_dims = topology_n_dims(topology);
    uint32_t sizes[TOPOLOGY_MAX_DIMS];

    if (group->dims_mask >> n_dims != 0) {
        g_autofree char *text = g_strdup_printf(
            "dims: the platform has %u dimension%s, counted from 0", n_dims,
            n_dims == 1 ? "" : "s");

        return set_group_error(group, error, text);
    }
    for (uint32_t d = 0; d < n_dims; d++)
        sizes[d] = topology_dimension(topology, d)->size;
    *members = members_of_dims(topology_n_npus(topology), sizes, n_dims,
                               group->dims_mask);
    return TRUE;
}

static gboolean init_members_by_stride(CollMembers *members,
                                       const OpGroup *group, uint32_t n_npus,
                                       GError **error)
{
    uint64_t n = (uint64_t)group->size * group->stride;

    if (n == 0 || n_npus % n != 0) {
        g_autofree char *text = g_strdup_printf(
            "size: %u NPUs at a stride of %u do not divide the platform's %u",
            group->size, group->stride, n_npus);

        return set_group_error(group, error, text);
    }
    *members = coll_members_by_stride(n_npus, group->size, group->stride);
    return TRUE;
}

G_STATIC_ASSERT(OP_GROUP_MAX_DIGITS <= TOPOLOGY_MAX_DIMS);

static gboolean init_rank_digits(CollMembers *members, const OpGroup *group,
                                 uint32_t n_npus, GError **error)
{
    uint64_t end = 1;

    *members =
        (CollMembers){ .n_npus = n_npus, .n_ranks = 1, .n_groups = n_npus };
    for (uint32_t i = 0; i < group->n_digits; i++) {
        const OpGroupDigit *digit = &group->digits[i];

        g_assert(digit->stride % end == 0);
        end = (uint64_t)digit->stride * digit->size;
        if (n_npus % end != 0) {
            g_autofree char *text = g_strdup_printf(
                "axis: %u ranks at a stride of %u do not divide the platform's "
                "%u",
                digit->size, digit->stride, n_npus);

            return set_group_error(group, error, text);
        }
        add_rank_digit(members, digit->size, digit->stride);
    }
    return TRUE;
}

static gboolean init_members_by_lists(CollMembers *members,
                                      const OpGroup *group, uint32_t n_npus,
                                      GError **error)
{
    uint32_t n = group->n_lists * group->size;
    g_autofree char *text = NULL;

    *members =
        (CollMembers){ .n_npus = n_npus,
                       .n_ranks = group->size,
                       .n_groups = group->n_lists,
                       .ids = g_memdup2(group->ids, n * sizeof(uint32_t)),
                       .positions = g_new(uint32_t, n_npus) };
    for (uint32_t i = 0; i < n_npus; i++)
        members->positions[i] = COLL_NO_MEMBER;
    for (uint32_t i = 0; i < n && !text; i++) {
        uint32_t id = members->ids[i];

        if (id >= n_npus)
            text = g_strdup_printf(
                "ranks: there is no NPU %u on a platform of %u", id, n_npus);
        else if (members->positions[id] != COLL_NO_MEMBER)
            text = g_strdup_printf("ranks: NPU %u is listed twice", id);
        else
            members->positions[id] = i;
    }
    if (!text)
        return TRUE;
    coll_members_clear(members);
    return set_group_error(group, error, text);
}

gboolean coll_members_init(CollMembers *members, const OpGroup *group,
                           const Topology *topology, GError **error)
{
    uint32_t n_npus = topology_n_npus(topology);

    switch (group->grouped_by) {
    case GROUP_ALL:
        *members = coll_members_all_npus(n_npus);
        return TRUE;
    case GROUP_DIMS:
        return init_members_by_dims(members, group, topology, error);
    case GROUP_STRIDE:
        return init_members_by_stride(members, group, n_npus, error);
    case GROUP_DIGITS:
        return init_rank_digits(members, group, n_npus, error);
    case GROUP_LISTS:
        return init_members_by_lists(members, group, n_npus, error);
    }
    g_assert_not_reached();
}
