/*
 * job_graph_join.c - adds the graph of a job to the graph of the platform
 *
 * Each item of the job is copied.  Indices are shifted by the number of items
 * that the joined graph has already, and ids of NPUs are replaced by those of
 * the platform.  Groups and roles of a part of the platform become explicit
 * lists.
 */
#include "workloads/jobs/jobs.h"

#include "sim/config/config.h"
#include "workloads/fixed_time_queues.h"
#include "workloads/rank_weights.h"

/* A join in progress. */
typedef struct {
    OpGraph *graph;      /* the joined graph, of the whole platform */
    const OpGraph *part; /* the graph of the job */
    const JobSite *site;
    /* Index in the joined graph of the first operation, role, collective lane
     * and layer of .part. */
    uint32_t op, role, lane, layer;
    uint32_t *groups; /* owned: for each group of .part, its index in .graph */
    uint32_t *queues; /* owned: for each queue of .part, its index in .graph */
} GraphJoin;

static gboolean set_job_error(const ConfigNode *where, GError **error,
                              char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

static char *name_with_job_prefix(const GraphJoin *join, const char *name)
{
    return g_strdup_printf("%s.%s", join->site->name, name);
}

/* Replaces the ids, which count the NPUs of the job from 0, by ids of the
 * platform. */
static gboolean translate_npu_ids(const GraphJoin *join, uint32_t *ids, gsize n,
                                  const ConfigNode *node, GError **error)
{
    for (gsize i = 0; i < n; i++) {
        if (ids[i] >= join->site->n_ids)
            return set_job_error(
                node, error,
                g_strdup_printf("ranks: there is no NPU %u in job "
                                "'%s', which has %u NPUs, counted "
                                "from 0",
                                ids[i], join->site->name, join->site->n_ids));
        ids[i] = join->site->ids[ids[i]];
    }
    return TRUE;
}

/* Sets @error and returns FALSE: dimensions describe the whole platform, but
 * the job has only a part of it. */
static gboolean set_dims_error(const GraphJoin *join, const ConfigNode *node,
                               const char *key, GError **error)
{
    return set_job_error(
        node, error,
        g_strdup_printf("%s: dimensions are those of the platform, of "
                        "which job '%s' has a part; say it by 'size' "
                        "or by a list",
                        key, join->site->name));
}

/* Returns FALSE if sets of @size at @stride do not divide the NPUs of the
 * job. */
static gboolean check_job_stride(const GraphJoin *join, uint32_t size,
                                 uint32_t stride, const ConfigNode *node,
                                 const char *key, GError **error)
{
    uint64_t n = (uint64_t)size * stride;

    if (n > 0 && join->site->n_ids % n == 0)
        return TRUE;
    return set_job_error(
        node, error,
        g_strdup_printf("%s: %u NPUs at a stride of %u do not divide "
                        "the %u of job '%s'",
                        key, size, stride, join->site->n_ids,
                        join->site->name));
}

/* ---- groups ------------------------------------------------------------ */

/* Lists the sets of a stride group, sorted by their first member. */
static void list_stride_sets(const GraphJoin *join, OpGroup *group)
{
    uint32_t n = 0;

    group->n_lists = join->site->n_ids / group->size;
    group->ids = g_new(uint32_t, join->site->n_ids);
    for (uint32_t i = 0; i < join->site->n_ids; i++)
        for (uint32_t r = 0;
             i / group->stride % group->size == 0 && r < group->size; r++)
            group->ids[n++] = i + r * group->stride;
    g_assert(n == join->site->n_ids);
}

/* Returns id @i with all digits of @group set to 0. */
static uint32_t digits_without_stride(const OpGroup *group, uint32_t i)
{
    for (uint32_t d = 0; d < group->n_digits; d++) {
        const OpGroupDigit *digit = &group->digits[d];

        i -= i / digit->stride % digit->size * digit->stride;
    }
    return i;
}

/* Returns the id of @rank in the set of id @first, whose digits are 0. */
static uint32_t job_id_of_digits(const OpGroup *group, uint32_t first,
                                 uint32_t rank)
{
    for (uint32_t d = 0; d < group->n_digits; d++) {
        const OpGroupDigit *digit = &group->digits[d];

        first += rank % digit->size * digit->stride;
        rank /= digit->size;
    }
    return first;
}

/* Lists the sets of a group by digits, sorted by their first member.  Returns
 * FALSE if they do not divide the NPUs of the job. */
static gboolean list_job_stride_digits(const GraphJoin *join, OpGroup *group,
                                       GError **error)
{
    uint32_t n = 0;

    group->size = 1;
    for (uint32_t d = 0; d < group->n_digits; d++) {
        if (!check_job_stride(join, group->digits[d].size,
                              group->digits[d].stride, group->node, "axis",
                              error))
            return FALSE;
        group->size *= group->digits[d].size;
    }
    group->n_lists = join->site->n_ids / group->size;
    group->ids = g_new(uint32_t, join->site->n_ids);
    for (uint32_t i = 0; i < join->site->n_ids; i++)
        for (uint32_t r = 0;
             digits_without_stride(group, i) == i && r < group->size; r++)
            group->ids[n++] = job_id_of_digits(group, i, r);
    g_assert(n == join->site->n_ids);
    return TRUE;
}

static void list_all_npus_of_job(const GraphJoin *join, OpGroup *group)
{
    group->size = join->site->n_ids;
    group->n_lists = 1;
    group->ids = g_new(uint32_t, group->size);
    for (uint32_t i = 0; i < group->size; i++)
        group->ids[i] = i;
}

/* Gives the group explicit lists of ids that count the NPUs of the job.
 * Returns FALSE if it does not fit the job. */
static gboolean list_group_members(const GraphJoin *join, OpGroup *group,
                                   GError **error)
{
    gsize n;

    if (group->grouped_by == GROUP_DIMS)
        return set_dims_error(join, group->node, "dims", error);
    if (group->grouped_by == GROUP_STRIDE &&
        !check_job_stride(join, group->size, group->stride, group->node, "size",
                          error))
        return FALSE;
    if (group->grouped_by == GROUP_DIGITS &&
        !list_job_stride_digits(join, group, error))
        return FALSE;
    if (group->grouped_by == GROUP_STRIDE)
        list_stride_sets(join, group);
    else if (group->grouped_by == GROUP_DIGITS)
        group->grouped_by = GROUP_LISTS;
    else if (group->grouped_by == GROUP_ALL)
        list_all_npus_of_job(join, group);
    else
        group->ids = g_memdup2(group->ids, (gsize)group->n_lists * group->size *
                                               sizeof group->ids[0]);
    group->grouped_by = GROUP_LISTS;
    n = (gsize)group->n_lists * group->size;
    if (translate_npu_ids(join, group->ids, n, group->node, error))
        return TRUE;
    g_free(group->ids);
    return FALSE;
}

/* Adds group @i of the part to the graph and notes its index in .groups. */
static gboolean join_group_of_job(GraphJoin *join, uint32_t i, GError **error)
{
    OpGroup group = *op_graph_group(join->part, i);
    g_autofree char *name = name_with_job_prefix(join, group.name);
    gboolean is_all = join->site->is_all;

    if (is_all && i == OP_GROUP_ALL) {
        join->groups[i] = OP_GROUP_ALL;
        return TRUE;
    }
    if (!group.node)
        group.node = join->site->node;
    if (!is_all && !list_group_members(join, &group, error))
        return FALSE;
    group.name = name;
    join->groups[i] = op_graph_add_group(join->graph, &group);
    if (!is_all)
        g_free(group.ids);
    return TRUE;
}

/* ---- roles ------------------------------------------------------------- */

static gboolean npu_has_role(const OpRole *role, uint32_t npu)
{
    return role->ranks_by == RANKS_ALL ||
           npu / role->stride % role->size == role->remainder;
}

/* Gives the role an explicit list of platform ids.  Returns FALSE if it does
 * not fit the job. */
static gboolean list_role_npus(const GraphJoin *join, OpRole *role,
                               GError **error)
{
    if (role->ranks_by == RANKS_DIM)
        return set_dims_error(join, role->node, "ranks", error);
    if (role->ranks_by == RANKS_STRIDE &&
        !check_job_stride(join, role->size, role->stride, role->node, "ranks",
                          error))
        return FALSE;
    if (role->ranks_by == RANKS_LIST) {
        role->ids =
            g_memdup2(role->ids, (gsize)role->n_ids * sizeof role->ids[0]);
    } else {
        role->ids = g_new(uint32_t, join->site->n_ids);
        role->n_ids = 0;
        for (uint32_t i = 0; i < join->site->n_ids; i++)
            if (npu_has_role(role, i))
                role->ids[role->n_ids++] = i;
    }
    role->ranks_by = RANKS_LIST;
    if (translate_npu_ids(join, role->ids, role->n_ids, role->node, error))
        return TRUE;
    g_free(role->ids);
    return FALSE;
}

/* Returns FALSE if @graph cannot have @n_more roles. */
static gboolean check_role_mask_room(const OpGraph *graph, guint n_more,
                                     const ConfigNode *node, GError **error)
{
    guint n = graph->has_own_roles ? graph->roles->len : 0;

    if (n + n_more <= OP_MAX_ROLES)
        return TRUE;
    return set_job_error(
        node, error,
        g_strdup_printf("ranks: %u roles before this job and %u more "
                        "are too many; there may be %u in all, one of "
                        "them of NPUs that have nothing to do",
                        n, n_more, OP_MAX_ROLES));
}

static gboolean join_role_of_job(const GraphJoin *join, uint32_t i,
                                 GError **error)
{
    OpRole role = *op_graph_role(join->part, i);
    g_autofree char *name = name_with_job_prefix(join, role.name);

    role.name = join->part->has_own_roles ? name : join->site->name;
    if (!role.node)
        role.node = join->site->node;
    if (!join->site->is_all && !list_role_npus(join, &role, error))
        return FALSE;
    op_graph_add_role(join->graph, &role);
    if (!join->site->is_all)
        g_free(role.ids);
    return TRUE;
}

/* ---- operations -------------------------------------------------------- */

static void join_lanes_of_job(const GraphJoin *join)
{
    for (uint32_t i = 0; i < join->part->lanes->len; i++) {
        OpLane lane = *op_graph_lane(join->part, i);
        g_autofree char *name = name_with_job_prefix(join, lane.name);

        lane.name = name;
        lane.first_buffer += join->op;
        op_graph_add_lane(join->graph, &lane);
    }
}

/* Adds the queues, which jobs may share because no NPU has two jobs. */
static gboolean join_queues_of_job(const GraphJoin *join, GError **error)
{
    if (join->graph->queues->len + join->part->queues->len > OP_MAX_QUEUES)
        return set_job_error(
            join->site->node, error,
            g_strdup_printf("%u queues before this job and %u more are "
                            "too many; there may be %u in all",
                            join->graph->queues->len, join->part->queues->len,
                            OP_MAX_QUEUES));
    for (uint32_t i = 0; i < join->part->queues->len; i++) {
        const OpQueue *queue = op_graph_queue(join->part, i);

        join->queues[i] =
            op_graph_add_queue(join->graph, queue->stage, queue->name);
    }
    return TRUE;
}

static void join_layers_of_job(const GraphJoin *join)
{
    for (guint i = 0; i < join->part->layers->len; i++) {
        g_autofree char *name = name_with_job_prefix(
            join, g_ptr_array_index(join->part->layers, i));

        op_graph_add_layer(join->graph, name);
    }
}

/* Returns @roles of the part as roles of the joined graph. */
static const RoleSet *role_set_shifted_to_job(const GraphJoin *join,
                                              const RoleSet *roles)
{
    return role_sets_shifted(join->graph->role_sets, roles, join->role);
}

/* Copies operation @i of the part; shifts its roles, indices and
 * dependencies. */
static void join_op_of_job(const GraphJoin *join, uint32_t i)
{
    const Op *from = op_graph_op(join->part, i);
    Op op = *from;

    op.unit = 0; /* stages of several jobs have the same numbers */
    op.layer += join->layer;
    op.roles = role_set_shifted_to_job(join, op.roles);
    op.sender_roles = role_set_shifted_to_job(join, op.sender_roles);
    op.group = join->groups[op.group];
    if (op.lane != OP_NO_LANE)
        op.lane += join->lane;
    if (!op.node)
        op.node = join->site->node;
    op.work = op_graph_get_work(join->graph, op.work);
    if (op.weights)
        op.weights = rank_weights_copy(join->graph, op.weights);
    if (op.type == OP_STAGE)
        op.queue = join->queues[op.queue];
    op.times_ps = g_memdup2(op.times_ps, op.n_times * sizeof op.times_ps[0]);
    op.gaps_ps = g_memdup2(op.gaps_ps, op.n_gaps * sizeof op.gaps_ps[0]);
    op.n_deps = 0;
    op.deps = NULL;
    g_array_append_val(join->graph->ops, op);
    for (uint32_t d = 0; d < from->n_deps; d++)
        op_graph_add_dep_for_roles(
            join->graph, join->op + i, join->op + from->deps[d].op,
            from->deps[d].n_iterations_back,
            role_set_shifted_to_job(join, from->deps[d].roles));
}

/* Adds the OpJob of the part, which has all its roles. */
static void add_joined_job(const GraphJoin *join)
{
    OpJob job = { .name = g_strdup(join->site->name),
                  .roles = role_set_shifted_to_job(
                      join, role_sets_first_n(join->part->role_sets,
                                              join->part->roles->len)),
                  .start_ps = join->site->start_ps };

    for (guint pass = 0; pass < OP_N_PASSES; pass++)
        job.calibrated_ps[pass] = join->part->calibrated_ps[pass];
    g_array_append_val(join->graph->jobs, job);
}

/* Adds the notes of the job and of its recording, each with the name of the
 * job.  OpGraph.measured_on is that of the first job that has one. */
static void join_notes_and_conditions_of_job(const GraphJoin *join)
{
    for (guint i = 0; i < join->part->notes->len; i++)
        op_graph_add_note(join->graph, "%s: %s", join->site->name,
                          (char *)g_ptr_array_index(join->part->notes, i));
    for (guint i = 0;
         join->part->recorded.notes && join->part->recorded.notes[i]; i++)
        op_graph_add_note(join->graph, "%s: %s", join->site->name,
                          join->part->recorded.notes[i]);
    if (!join->graph->measured_on.is_used)
        join->graph->measured_on = join->part->measured_on;
}

static gboolean join_job_graph(GraphJoin *join, GError **error)
{
    for (uint32_t i = 0; i < join->part->groups->len; i++)
        if (!join_group_of_job(join, i, error))
            return FALSE;
    for (uint32_t i = 0; i < join->part->roles->len; i++)
        if (!join_role_of_job(join, i, error))
            return FALSE;
    if (!join_queues_of_job(join, error))
        return FALSE;
    join_lanes_of_job(join);
    join_layers_of_job(join);
    join_notes_and_conditions_of_job(join);
    g_array_append_vals(join->graph->memory, join->part->memory->data,
                        join->part->memory->len);
    for (uint32_t i = 0; i < join->part->ops->len; i++)
        join_op_of_job(join, i);
    add_joined_job(join);
    return TRUE;
}

gboolean jobs_join_graph(OpGraph *graph, const OpGraph *part,
                         const JobSite *site, GError **error)
{
    GraphJoin j = { .graph = graph,
                    .part = part,
                    .site = site,
                    .op = graph->ops->len,
                    .role = graph->has_own_roles ? graph->roles->len : 0,
                    .lane = graph->lanes->len,
                    .layer = graph->layers->len };
    gboolean ok;

    g_assert(site->n_ids > 0 && part->jobs->len == 0);
    for (uint32_t i = 1; i < site->n_ids; i++)
        g_assert(site->ids[i - 1] < site->ids[i]);
    if (!check_role_mask_room(graph, part->roles->len, site->node, error))
        return FALSE;
    j.groups = g_new(uint32_t, part->groups->len);
    j.queues = g_new(uint32_t, part->queues->len + 1);
    ok = join_job_graph(&j, error);
    g_free(j.groups);
    g_free(j.queues);
    return ok;
}

gboolean jobs_add_idle_role(OpGraph *graph, const uint32_t *ids, uint32_t n_ids,
                            const ConfigNode *node, GError **error)
{
    const OpRole idle = { .name = "idle",
                          .ranks_by = RANKS_LIST,
                          .ids = (uint32_t *)ids,
                          .n_ids = n_ids,
                          .serves = TRUE,
                          .node = node };

    g_assert(n_ids > 0);
    if (!check_role_mask_room(graph, 1, node, error))
        return FALSE;
    op_graph_add_role(graph, &idle);
    return TRUE;
}

uint64_t op_graph_start_ps(const OpGraph *graph, uint32_t role)
{
    for (guint i = 0; i < graph->jobs->len; i++)
        if (role_set_has(op_graph_job(graph, i)->roles, role))
            return op_graph_job(graph, i)->start_ps;
    return 0;
}
