/*
 * graph.c - builds, names and checks graphs of operations
 *
 * The arrays of operations, roles, groups and lanes only grow.  Dependencies
 * are kept per operation, in an array whose capacity is a power of two.
 */
#include "workloads/graph.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/config.h"

const char *const op_pass_names[OP_N_PASSES + 1] = {
    [OP_FORWARD] = "forward",
    [OP_INPUT_GRADIENT] = "input-gradient",
    [OP_WEIGHT_GRADIENT] = "weight-gradient",
    [OP_UPDATE] = "update",
    [OP_N_PASSES] = NULL,
};

const char *const op_stage_names[OP_N_STAGES + 1] = {
    [OP_STAGE_READ] = "read",     [OP_STAGE_DECODE] = "decode",
    [OP_STAGE_COPY] = "copy",     [OP_STAGE_HOST] = "host",
    [OP_STAGE_DEVICE] = "device", [OP_N_STAGES] = NULL,
};

static void clear_op_group(gpointer item)
{
    OpGroup *group = item;

    g_free((gpointer)group->name);
    g_free(group->ids);
}

static void clear_op_lane(gpointer item)
{
    OpLane *lane = item;

    g_free((gpointer)lane->name);
}

static void clear_op_job(gpointer item)
{
    OpJob *job = item;

    g_free((gpointer)job->name);
}

static void clear_op_queue(gpointer item)
{
    OpQueue *queue = item;

    g_free((gpointer)queue->name);
}

static void clear_graph_op(gpointer item)
{
    Op *op = item;

    g_free(op->deps);
    g_free(op->times_ps);
    g_free(op->gaps_ps);
}

static void clear_op_role(gpointer item)
{
    OpRole *role = item;

    g_free((gpointer)role->name);
    g_free(role->ids);
}

/* ---- distinct works ------------------------------------------------------ */

/* Works are compared byte by byte.  If the padding differs, equal works are
 * distinct, which takes time but changes no result. */
static guint hash_kernel_work(gconstpointer data)
{
    uint64_t word, hash = 0;

    for (gsize i = 0; i + sizeof word <= OP_WORK_DESCRIPTION_BYTES;
         i += sizeof word) {
        memcpy(&word, (const guint8 *)data + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (guint)(hash >> 32);
}

static gboolean works_are_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, OP_WORK_DESCRIPTION_BYTES) == 0;
}

const OpWork *op_graph_get_work(OpGraph *graph, const OpWork *given)
{
    OpWork *work = g_hash_table_lookup(graph->work_set, given);

    if (work)
        return work;
    work = g_memdup2(given, sizeof *given);
    work->id = graph->works->len;
    g_ptr_array_add(graph->works, work);
    g_hash_table_add(graph->work_set, work);
    return work;
}

OpGraph *op_graph_new(void)
{
    OpGraph *graph = g_new0(OpGraph, 1);
    const OpRole all = { .name = g_strdup("all"), .ranks_by = RANKS_ALL };

    graph->works = g_ptr_array_new_with_free_func(g_free);
    graph->work_set = g_hash_table_new(hash_kernel_work, works_are_equal);
    graph->ops = g_array_new(FALSE, FALSE, sizeof(Op));
    g_array_set_clear_func(graph->ops, clear_graph_op);
    graph->lanes = g_array_new(FALSE, FALSE, sizeof(OpLane));
    g_array_set_clear_func(graph->lanes, clear_op_lane);
    graph->queues = g_array_new(FALSE, FALSE, sizeof(OpQueue));
    g_array_set_clear_func(graph->queues, clear_op_queue);
    graph->jobs = g_array_new(FALSE, FALSE, sizeof(OpJob));
    g_array_set_clear_func(graph->jobs, clear_op_job);
    graph->layers = g_ptr_array_new_with_free_func(g_free);
    graph->units = g_array_new(FALSE, FALSE, sizeof(OpUnit));
    graph->memory = g_array_new(FALSE, FALSE, sizeof(StageMemory));
    graph->notes = g_ptr_array_new_with_free_func(g_free);
    graph->weights = g_ptr_array_new_with_free_func(g_free);
    graph->groups = g_array_new(FALSE, FALSE, sizeof(OpGroup));
    g_array_set_clear_func(graph->groups, clear_op_group);
    graph->role_sets = role_sets_new();
    graph->roles = g_array_new(FALSE, FALSE, sizeof(OpRole));
    g_array_set_clear_func(graph->roles, clear_op_role);
    op_graph_add_group(graph,
                       &(OpGroup){ .name = "all", .grouped_by = GROUP_ALL });
    g_array_append_val(graph->roles, all);
    return graph;
}

void op_graph_add_note(OpGraph *graph, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(graph->notes, g_strdup_vprintf(format, args));
    va_end(args);
}

void op_graph_free(OpGraph *graph)
{
    if (!graph)
        return;
    g_array_unref(graph->ops);
    g_hash_table_unref(graph->work_set);
    g_ptr_array_unref(graph->works);
    g_array_unref(graph->lanes);
    g_array_unref(graph->queues);
    g_array_unref(graph->jobs);
    g_free((gpointer)graph->recorded.from);
    g_strfreev(graph->recorded.notes);
    g_array_unref(graph->units);
    g_array_unref(graph->memory);
    g_ptr_array_unref(graph->notes);
    g_ptr_array_unref(graph->layers);
    g_ptr_array_unref(graph->weights);
    g_array_unref(graph->groups);
    g_array_unref(graph->roles);
    role_sets_free(graph->role_sets);
    g_free(graph);
}

uint32_t op_graph_add_layer(OpGraph *graph, const char *name)
{
    g_assert(graph->layers->len < G_MAXINT);
    g_ptr_array_add(graph->layers, g_strdup(name));
    return graph->layers->len - 1;
}

uint32_t op_graph_add_group(OpGraph *graph, const OpGroup *group)
{
    OpGroup added = *group;

    g_assert(graph->groups->len < G_MAXINT);
    g_assert(group->grouped_by != GROUP_LISTS || group->n_lists > 0);
    added.name = g_strdup(group->name);
    added.ids = g_memdup2(group->ids, (gsize)group->n_lists * group->size *
                                          sizeof group->ids[0]);
    g_array_append_val(graph->groups, added);
    return graph->groups->len - 1;
}

uint32_t op_graph_add_role(OpGraph *graph, const OpRole *role)
{
    OpRole added = *role;

    if (!graph->has_own_roles)
        g_array_set_size(graph->roles, 0);
    graph->has_own_roles = TRUE;
    g_assert(graph->roles->len < OP_MAX_ROLES);
    added.name = g_strdup(role->name);
    added.ids = g_memdup2(role->ids, (gsize)role->n_ids * sizeof role->ids[0]);
    g_array_append_val(graph->roles, added);
    return graph->roles->len - 1;
}

uint32_t op_graph_add_lane(OpGraph *graph, const OpLane *lane)
{
    OpLane added = *lane;

    g_assert(graph->lanes->len < G_MAXINT);
    g_assert(lane->order == LANE_AS_READY || lane->order == LANE_BY_PRIORITY);
    added.name = g_strdup(lane->name);
    g_array_append_val(graph->lanes, added);
    return graph->lanes->len - 1;
}

/* Adds @roles to *@set if it has the first role. */
static void add_roles_of_first_role_to_set(OpGraph *graph, const RoleSet **set,
                                           const RoleSet *roles)
{
    if (role_set_has(*set, 0))
        *set = role_sets_union(graph->role_sets, *set, roles);
}

void op_graph_share_first_role(OpGraph *graph, const RoleSet *roles)
{
    g_assert(role_set_has(roles, 0));
    for (guint i = 0; i < graph->ops->len; i++) {
        Op *op = &g_array_index(graph->ops, Op, i);

        add_roles_of_first_role_to_set(graph, &op->roles, roles);
        for (uint32_t d = 0; d < op->n_deps; d++)
            add_roles_of_first_role_to_set(graph, &op->deps[d].roles, roles);
    }
}

uint32_t op_graph_add(OpGraph *graph, const Op *given)
{
    static const OpWork nothing;
    Op op = *given;

    op.work = op_graph_get_work(graph, given->work ?: &nothing);
    op.roles = role_sets_of_one_role(graph->role_sets, 0);
    op.lane = OP_NO_LANE;
    g_assert(graph->ops->len < G_MAXINT);
    g_assert(op.layer < graph->layers->len && op.pass < OP_N_PASSES);
    g_array_append_val(graph->ops, op);
    return graph->ops->len - 1;
}

uint32_t op_graph_add_compute(OpGraph *graph, uint32_t layer, OpPass pass,
                              OpStream stream, const OpWork *work)
{
    g_assert(stream < OP_N_STREAMS);
    return op_graph_add(graph, &(Op){
                                   .type = OP_COMPUTE,
                                   .pass = pass,
                                   .layer = layer,
                                   .stream = stream,
                                   .work = work,
                               });
}

uint32_t op_graph_add_collective(OpGraph *graph, uint32_t layer, OpPass pass,
                                 CollKind kind, uint64_t payload_bytes,
                                 uint32_t priority)
{
    g_assert(kind < COLL_N_KINDS && payload_bytes > 0);
    return op_graph_add(
        graph, &(Op){
                   .type = OP_COLLECTIVE,
                   .pass = pass,
                   .layer = layer,
                   .kind = kind,
                   .payload_bytes = kind == COLL_BARRIER ? 1 : payload_bytes,
                   .priority = priority,
               });
}

uint32_t op_graph_add_send(OpGraph *graph, uint32_t layer, OpPass pass,
                           uint32_t group, uint32_t from, uint32_t to,
                           uint64_t payload_bytes, uint32_t priority)
{
    g_assert(payload_bytes > 0 && from != to);
    return op_graph_add(graph, &(Op){
                                   .type = OP_COLLECTIVE,
                                   .pass = pass,
                                   .layer = layer,
                                   .kind = COLL_SEND,
                                   .payload_bytes = payload_bytes,
                                   .priority = priority,
                                   .group = group,
                                   .from = from,
                                   .to = to,
                               });
}

static Op *get_mutable_op(OpGraph *graph, uint32_t op)
{
    g_assert(op < graph->ops->len);
    return &g_array_index(graph->ops, Op, op);
}

void op_graph_set_roles(OpGraph *graph, uint32_t op, const RoleSet *roles)
{
    Op *o = get_mutable_op(graph, op);

    g_assert(o->n_deps == 0 && roles);
    o->roles = roles;
}

void op_graph_set_message_roles(OpGraph *graph, uint32_t op,
                                const RoleSet *senders,
                                const RoleSet *receivers)
{
    g_assert(senders && receivers && !role_set_intersects(senders, receivers));
    op_graph_set_roles(graph, op,
                       role_sets_union(graph->role_sets, senders, receivers));
    get_mutable_op(graph, op)->sender_roles = senders;
}

void op_graph_set_node(OpGraph *graph, uint32_t op, const ConfigNode *node)
{
    get_mutable_op(graph, op)->node = node;
}

void op_graph_set_group(OpGraph *graph, uint32_t op, uint32_t group)
{
    get_mutable_op(graph, op)->group = group;
}

void op_graph_set_lane(OpGraph *graph, uint32_t op, uint32_t lane)
{
    g_assert(lane < graph->lanes->len);
    g_assert(get_mutable_op(graph, op)->type == OP_COLLECTIVE);
    get_mutable_op(graph, op)->lane = lane;
}

void op_graph_set_star(OpGraph *graph, uint32_t op)
{
    get_mutable_op(graph, op)->is_star = TRUE;
}

gboolean op_graph_set_root(OpGraph *graph, uint32_t op, uint64_t root,
                           const ConfigNode *node, GError **error)
{
    Op *o = get_mutable_op(graph, op);

    o->node = node;
    o->from = o->to = (uint32_t)root;
    if (root == 0 || coll_contract(o->kind)->collective_has_root)
        return TRUE;
    config_set_error(error, node, CONFIG_ERROR_CONFLICT,
                     "root: a collective of kind '%s' has none; leave it out",
                     coll_kind_name(o->kind));
    return FALSE;
}

static gboolean is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Returns whether .deps is full; its capacity is a power of two. */
static gboolean dep_array_is_full(uint32_t n_deps)
{
    return n_deps == 0 || is_power_of_two(n_deps);
}

void op_graph_add_dep_for_roles(OpGraph *graph, uint32_t op,
                                uint32_t dependency, uint32_t back,
                                const RoleSet *roles)
{
    Op *waits = get_mutable_op(graph, op);

    g_assert(waits->n_deps < G_MAXINT);
    if (dep_array_is_full(waits->n_deps))
        waits->deps = g_renew(OpDep, waits->deps, MAX(2 * waits->n_deps, 1));
    waits->deps[waits->n_deps++] =
        (OpDep){ .op = dependency, .n_iterations_back = back, .roles = roles };
}

void op_graph_add_dep(OpGraph *graph, uint32_t op, uint32_t dependency,
                      uint32_t back)
{
    op_graph_add_dep_for_roles(graph, op, dependency, back,
                               get_mutable_op(graph, op)->roles);
}

void op_graph_append_op_name(const OpGraph *graph, uint32_t op, GString *text)
{
    const Op *o = op_graph_op(graph, op);
    const char *what = o->type == OP_COLLECTIVE ? coll_kind_name(o->kind)
                       : o->type == OP_STAGE    ? op_stage_names[o->stage]
                                                : "kernel";

    g_string_append_printf(
        text, "%s of %s (%s)", what,
        (const char *)g_ptr_array_index(graph->layers, o->layer),
        op_pass_names[o->pass]);
}

static void check_op_dependencies(const OpGraph *graph, uint32_t op)
{
    const Op *o = op_graph_op(graph, op);

    for (uint32_t d = 0; d < o->n_deps; d++) {
        const OpDep *dep = &o->deps[d];

        g_assert(dep->op < graph->ops->len);
        g_assert(dep->n_iterations_back > 0 || dep->op < op);
        g_assert(dep->roles && role_set_contains(o->roles, dep->roles));
        g_assert(
            role_set_contains(op_graph_op(graph, dep->op)->roles, dep->roles));
    }
}

void op_graph_check(const OpGraph *graph)
{
    uint32_t n_roles = graph->roles->len;

    g_assert(n_roles >= 1 && n_roles <= OP_MAX_ROLES);
    g_assert(op_graph_group(graph, OP_GROUP_ALL)->grouped_by == GROUP_ALL);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        g_assert(op->layer < graph->layers->len);
        g_assert(op->group < graph->groups->len);
        g_assert(op->roles);
        g_assert(role_set_find_at_least(op->roles, n_roles) == ROLE_SET_END);
        g_assert(!op->is_star || op->kind == COLL_SEND ||
                 coll_contract(op->kind)->collective_has_root);
        g_assert(role_set_contains(op->roles, op->sender_roles));
        g_assert(op->type != OP_STAGE || op->queue < graph->queues->len);
        g_assert(op->type == OP_COLLECTIVE || !op->is_recorded);
        check_op_dependencies(graph, i);
    }
}
