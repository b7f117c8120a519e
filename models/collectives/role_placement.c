/* role_placement.c - gives every NPU its role, and every group its members */
#include "models/collectives/role_placement.h"

#define NO_ROLE UINT16_MAX

G_STATIC_ASSERT(OP_MAX_ROLES <= NO_ROLE);

/* ---- roles ------------------------------------------------------------ */

/* Returns the difference of ids between two neighbours in dimension @dim. */
static uint32_t stride_of_dim(const Topology *topology, uint32_t dim)
{
    uint32_t stride = 1;

    for (uint32_t d = 0; d < dim; d++)
        stride *= topology_dimension(topology, d)->size;
    return stride;
}

static gboolean set_role_placement_error(const ConfigNode *where,
                                         GError **error, char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

static gboolean check_role_dim(const OpRole *role, const Topology *topology,
                               GError **error)
{
    uint32_t n_dims = topology_n_dims(topology);

    if (role->dim >= n_dims)
        return set_role_placement_error(
            role->node, error,
            g_strdup_printf("ranks: there is no dimension %u on a "
                            "platform of %u, counted from 0",
                            role->dim, n_dims));
    if (role->last >= topology_dimension(topology, role->dim)->size)
        return set_role_placement_error(
            role->node, error,
            g_strdup_printf("ranks: dimension %u has size %u, and "
                            "no %u counted from 0",
                            role->dim,
                            topology_dimension(topology, role->dim)->size,
                            role->last));
    return TRUE;
}

static gboolean check_role(const OpRole *role, const Topology *topology,
                           GError **error)
{
    uint32_t n_npus = topology_n_npus(topology);
    uint64_t n = (uint64_t)role->size * role->stride;

    if (role->ranks_by == RANKS_DIM)
        return check_role_dim(role, topology, error);
    if (role->ranks_by == RANKS_STRIDE && (n == 0 || n_npus % n != 0))
        return set_role_placement_error(
            role->node, error,
            g_strdup_printf("ranks: %u NPUs at a stride of %u do not "
                            "divide the platform's %u",
                            role->size, role->stride, n_npus));
    for (uint32_t i = 0; i < role->n_ids; i++)
        if (role->ids[i] >= n_npus)
            return set_role_placement_error(
                role->node, error,
                g_strdup_printf("ranks: there is no NPU %u on a "
                                "platform of %u",
                                role->ids[i], n_npus));
    return TRUE;
}

static gboolean assign_npu(CollPlacement *placement, uint32_t role,
                           uint32_t npu, GError **error)
{
    const OpRole *r = op_graph_role(placement->graph, role);
    uint32_t before = placement->roles[npu];

    if (before == role)
        return set_role_placement_error(
            r->node, error,
            g_strdup_printf("ranks: NPU %u is listed twice", npu));
    if (before != NO_ROLE)
        return set_role_placement_error(
            r->node, error,
            g_strdup_printf("ranks: NPU %u has the role '%s' already", npu,
                            op_graph_role(placement->graph, before)->name));
    placement->roles[npu] = (uint16_t)role;
    return TRUE;
}

/* The NPUs with ids i * period + first to i * period + last for all i. */
typedef struct {
    uint32_t first, last, period;
} RepeatedNpus;

static RepeatedNpus npus_of_role(const OpRole *role, const Topology *topology)
{
    uint32_t n = topology_n_npus(topology), stride;

    g_assert(role->ranks_by != RANKS_LIST);
    if (role->ranks_by == RANKS_ALL)
        return (RepeatedNpus){ .last = n - 1, .period = n };
    if (role->ranks_by == RANKS_STRIDE)
        return (RepeatedNpus){ .first = role->remainder * role->stride,
                               .last = (role->remainder + 1) * role->stride - 1,
                               .period = role->size * role->stride };
    stride = stride_of_dim(topology, role->dim);
    return (RepeatedNpus){
        .first = role->first * stride,
        .last = (role->last + 1) * stride - 1,
        .period = stride * topology_dimension(topology, role->dim)->size
    };
}

static gboolean assign_role(CollPlacement *placement, uint32_t role,
                            const Topology *topology, GError **error)
{
    const OpRole *r = op_graph_role(placement->graph, role);
    RepeatedNpus npus;

    if (!check_role(r, topology, error))
        return FALSE;
    for (uint32_t i = 0; i < r->n_ids; i++)
        if (!assign_npu(placement, role, r->ids[i], error))
            return FALSE;
    if (r->ranks_by == RANKS_LIST)
        return TRUE;
    npus = npus_of_role(r, topology);
    for (uint32_t start = 0; start < placement->n_npus; start += npus.period)
        for (uint32_t i = npus.first; i <= npus.last; i++)
            if (!assign_npu(placement, role, start + i, error))
                return FALSE;
    return TRUE;
}

static gboolean assign_roles(CollPlacement *placement, const Topology *topology,
                             GError **error)
{
    const OpGraph *graph = placement->graph;

    if (graph->roles->len == 1 &&
        op_graph_role(graph, 0)->ranks_by == RANKS_ALL)
        return TRUE;
    placement->roles = g_new(uint16_t, placement->n_npus);
    for (uint32_t npu = 0; npu < placement->n_npus; npu++)
        placement->roles[npu] = NO_ROLE;
    for (uint32_t r = 0; r < graph->roles->len; r++)
        if (!assign_role(placement, r, topology, error))
            return FALSE;
    for (uint32_t npu = 0; npu < placement->n_npus; npu++)
        if (placement->roles[npu] == NO_ROLE)
            return set_role_placement_error(
                op_graph_role(graph, 0)->node, error,
                g_strdup_printf("ranks: NPU %u has no role, neither "
                                "this nor one of the others",
                                npu));
    return TRUE;
}

/* ---- sets with different roles ----------------------------------------- */

/* A set of a group, as the key of a hash table.  Two sets are equal if the
 * members with the same rank have the same role. */
typedef struct {
    const CollPlacement *placement;
    const CollMembers *members;
    uint32_t set;
    uint32_t first_npu; /* the member of rank 0 */
} RolesOfSet;

static uint32_t role_of_rank(const RolesOfSet *roles, uint32_t rank)
{
    return coll_placement_role(
        roles->placement,
        coll_members_npu_in_same_group(roles->members, roles->first_npu, rank));
}

static guint hash_roles_of_set(gconstpointer data)
{
    const RolesOfSet *roles = data;
    guint h = 0;

    for (uint32_t rank = 0; rank < roles->members->n_ranks; rank++)
        h = h * 31 + role_of_rank(roles, rank);
    return h;
}

static gboolean roles_of_sets_are_equal(gconstpointer a, gconstpointer b)
{
    const RolesOfSet *x = a, *y = b;

    for (uint32_t rank = 0; rank < x->members->n_ranks; rank++)
        if (role_of_rank(x, rank) != role_of_rank(y, rank))
            return FALSE;
    return TRUE;
}

/* Returns the first set of each pattern of roles by rank, by ascending number.
 * If the roles in these sets are right, those in all sets of @members are. */
static GArray *find_sets_with_different_roles(const CollPlacement *placement,
                                              const CollMembers *members)
{
    g_autoptr(GHashTable) patterns = g_hash_table_new_full(
        hash_roles_of_set, roles_of_sets_are_equal, g_free, NULL);
    GArray *sets = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t n =
        placement->roles ? members->n_groups : MIN(members->n_groups, 1);

    for (uint32_t set = 0; set < n; set++) {
        const RolesOfSet roles = { .placement = placement,
                                   .members = members,
                                   .set = set,
                                   .first_npu = coll_members_npu_of_rank(
                                       members, set, 0) };

        if (g_hash_table_contains(patterns, &roles))
            continue;
        g_hash_table_add(patterns, g_memdup2(&roles, sizeof roles));
        g_array_append_val(sets, set);
    }
    return sets;
}

/* ---- participants ------------------------------------------------------ */

/* Checks that either all members of @set take part in @op, or none. */
static gboolean check_group_set(const CollPlacement *placement, const Op *op,
                                uint32_t set, GError **error)
{
    const CollMembers *members = coll_placement_members(placement, op);
    uint32_t first = coll_members_npu_of_rank(members, set, 0);
    gboolean all = coll_placement_npu_runs_op(placement, first, op);

    for (uint32_t r = 1; r < members->n_ranks; r++) {
        uint32_t npu = coll_members_npu_of_rank(members, set, r);

        if (coll_placement_npu_runs_op(placement, npu, op) != all)
            return set_role_placement_error(
                op->node, error,
                g_strdup_printf("group: NPU %u takes part, and NPU %u of the "
                                "same group does not",
                                all ? first : npu, all ? npu : first));
    }
    return TRUE;
}

static gboolean npu_sends_in_collective(const CollPlacement *placement,
                                        const Op *op, uint32_t npu)
{
    return role_set_has(op->sender_roles, coll_placement_role(placement, npu));
}

static gboolean check_message_members(const CollPlacement *placement,
                                      const Op *op, uint32_t set,
                                      GError **error)
{
    const CollMembers *members = coll_placement_members(placement, op);
    uint32_t from = coll_members_npu_of_rank(members, set, op->from);
    uint32_t to = coll_members_npu_of_rank(members, set, op->to);

    for (uint32_t r = 0; r < members->n_ranks; r++) {
        uint32_t npu = coll_members_npu_of_rank(members, set, r);

        if (!coll_placement_npu_runs_op(placement, npu, op))
            continue;
        if (npu_sends_in_collective(placement, op, npu) ? npu != from
                                                        : npu != to)
            return set_role_placement_error(
                op->node, error,
                g_strdup_printf(
                    "group: NPU %u %s, but is rank %u of "
                    "its group, not %u",
                    npu,
                    npu_sends_in_collective(placement, op, npu) ? "sends"
                                                                : "receives",
                    r,
                    npu_sends_in_collective(placement, op, npu) ? op->from
                                                                : op->to));
    }
    if (coll_placement_npu_runs_op(placement, from, op) ==
        coll_placement_npu_runs_op(placement, to, op))
        return TRUE;
    return set_role_placement_error(
        op->node, error,
        g_strdup_printf("group: a message from NPU %u to NPU %u has "
                        "nobody who %s",
                        from, to,
                        coll_placement_npu_runs_op(placement, from, op)
                            ? "receives"
                            : "sends"));
}

static gboolean check_npus_without_group(const CollPlacement *placement,
                                         const Op *op, GError **error)
{
    const CollMembers *members = coll_placement_members(placement, op);

    if (!members->positions)
        return TRUE; /* groups by digits contain every NPU */
    for (uint32_t npu = 0; npu < placement->n_npus; npu++)
        if (coll_placement_npu_runs_op(placement, npu, op) &&
            !coll_members_contain(members, npu))
            return set_role_placement_error(
                op->node, error,
                g_strdup_printf(
                    "group: NPU %u takes part and is in "
                    "no group of '%s'",
                    npu, op_graph_group(placement->graph, op->group)->name));
    return TRUE;
}

static gboolean check_op_members(const CollPlacement *placement, const Op *op,
                                 GArray *sets, GError **error)
{
    const CollMembers *members = coll_placement_members(placement, op);

    if (MAX(op->from, op->to) >= members->n_ranks)
        return set_role_placement_error(
            op->node, error,
            g_strdup_printf("%s: a group of '%s' has %u ranks, "
                            "counted from 0",
                            op->from == op->to  ? "root"
                            : op->from > op->to ? "from"
                                                : "to",
                            op_graph_group(placement->graph, op->group)->name,
                            members->n_ranks));
    if (op->n_weights > 0 && op->n_weights != members->n_ranks)
        return set_role_placement_error(
            op->node, error,
            g_strdup_printf("weights: %u, but a group of '%s' has %u ranks",
                            op->n_weights,
                            op_graph_group(placement->graph, op->group)->name,
                            members->n_ranks));
    if (!check_npus_without_group(placement, op, error))
        return FALSE;
    for (guint i = 0; i < sets->len; i++) {
        uint32_t set = g_array_index(sets, uint32_t, i);

        if (op->kind == COLL_SEND
                ? !check_message_members(placement, op, set, error)
                : !check_group_set(placement, op, set, error))
            return FALSE;
    }
    return TRUE;
}

/* The fields of an operation that check_op_members() reads.  Operations with
 * equal keys are all right or all wrong, so one of them is checked. */
typedef struct {
    const RoleSet *roles, *sender_roles;
    uint32_t group, from, to, n_weights;
    gboolean is_message;
} CheckKey;

static guint hash_check_key(gconstpointer data)
{
    const CheckKey *key = data;
    uint64_t h = (uintptr_t)key->roles ^ (uintptr_t)key->sender_roles * 31;

    h = h * 31 + key->group;
    h = h * 31 + key->from;
    h = h * 31 + key->to;
    return (guint)(h ^ h >> 32);
}

static gboolean check_keys_are_equal(gconstpointer a, gconstpointer b)
{
    const CheckKey *x = a, *y = b;

    return x->roles == y->roles && x->sender_roles == y->sender_roles &&
           x->group == y->group && x->from == y->from && x->to == y->to &&
           x->n_weights == y->n_weights && x->is_message == y->is_message;
}

/* Returns whether an operation with the key of @op was checked before.
 * Otherwise it adds the key to @checked. */
static gboolean is_group_already_checked(GHashTable *checked, const Op *op)
{
    const CheckKey key = {
        .roles = op->roles,
        .sender_roles = op->sender_roles,
        .group = op->group,
        .from = op->from,
        .to = op->to,
        .n_weights = op->n_weights,
        .is_message = op->kind == COLL_SEND,
    };

    if (g_hash_table_contains(checked, &key))
        return TRUE;
    g_hash_table_add(checked, g_memdup2(&key, sizeof key));
    return FALSE;
}

static void unref_role_sets(gpointer sets)
{
    if (sets)
        g_array_unref(sets);
}

/* Returns the sets of the group of @op that have different roles.  They are
 * found once for each group and kept in @sets_of_groups. */
static GArray *distinct_role_sets_of_op_group(const CollPlacement *placement,
                                              GPtrArray *sets_of_groups,
                                              const Op *op)
{
    if (!sets_of_groups->pdata[op->group])
        sets_of_groups->pdata[op->group] = find_sets_with_different_roles(
            placement, coll_placement_members(placement, op));
    return sets_of_groups->pdata[op->group];
}

/* Checks all operations.  If all NPUs have one role, and groups by digits leave
 * no NPU out, only ranks that an operation names can be wrong. */
static gboolean check_members_of_all_ops(const CollPlacement *placement,
                                         GError **error)
{
    g_autoptr(GHashTable) checked = g_hash_table_new_full(
        hash_check_key, check_keys_are_equal, g_free, NULL);
    g_autoptr(GPtrArray) sets_of_groups =
        g_ptr_array_new_with_free_func(unref_role_sets);

    g_ptr_array_set_size(sets_of_groups, (gint)placement->graph->groups->len);
    for (guint i = 0; i < placement->graph->ops->len; i++) {
        const Op *op = op_graph_op(placement->graph, i);

        if (op->type != OP_COLLECTIVE ||
            (op->kind != COLL_SEND && op->from == 0 && op->n_weights == 0 &&
             !placement->roles &&
             !coll_placement_members(placement, op)->positions))
            continue;
        if (!is_group_already_checked(checked, op) &&
            !check_op_members(
                placement, op,
                distinct_role_sets_of_op_group(placement, sets_of_groups, op),
                error))
            return FALSE;
    }
    return TRUE;
}

gboolean coll_placement_init(CollPlacement *placement, const OpGraph *graph,
                             const Topology *topology, GError **error)
{
    guint n = graph->groups->len;
    gboolean ok;

    *placement = (CollPlacement){ .graph = graph,
                                  .n_npus = topology_n_npus(topology),
                                  .members = g_new0(CollMembers, n) };
    ok = assign_roles(placement, topology, error);
    for (guint g = 0; g < n && ok; g++)
        ok = coll_members_init(&placement->members[g], op_graph_group(graph, g),
                               topology, error);
    ok = ok && check_members_of_all_ops(placement, error);
    if (!ok)
        coll_placement_clear(placement);
    return ok;
}

void coll_placement_clear(CollPlacement *placement)
{
    if (!placement->members)
        return;
    for (guint g = 0; g < placement->graph->groups->len; g++)
        coll_members_clear(&placement->members[g]);
    g_clear_pointer(&placement->members, g_free);
    g_clear_pointer(&placement->roles, g_free);
}
