/*
 * shared_ops.c - merges instances of collectives and messages to shared
 * operations
 *
 * Instances that ranks of one role have at the same position of their lists are
 * one operation of the program, even if they are in several sets.  An instance
 * that appears in several roles is one operation, too.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

static uint32_t root_of_instance_set(const uint32_t *parents, uint32_t i)
{
    while (parents[i] != i)
        i = parents[i];
    return i;
}

static void join_instances_of_roles(uint32_t *parents, uint32_t i, uint32_t j)
{
    uint32_t a = root_of_instance_set(parents, i),
             b = root_of_instance_set(parents, j);

    parents[MAX(a, b)] = MIN(a, b);
    parents[i] = MIN(a, b);
    parents[j] = MIN(a, b);
}

/* Merges the instances at equal positions of the lists of a role. */
static void join_instances_of_role(const ImportedProgram *program,
                                   const ImportedRole *role, uint32_t *parents)
{
    const ReplayRank *reference = imported_first_rank_of_role(program, role);

    for (guint k = 1; k < role->ranks->len; k++) {
        const ReplayRank *rank = replay_rank(
            program->replay, g_array_index(role->ranks, uint32_t, k));

        for (uint32_t i = 0; i < reference->ops->len; i++)
            if (replay_op(reference, i)->kind == REPLAY_SHARED)
                join_instances_of_roles(parents,
                                        replay_op(reference, i)->instance,
                                        replay_op(rank, i)->instance);
    }
}

/* ---- payloads ---------------------------------------------------------- */

static const RecordComm *communication_of_member(const ImportedProgram *program,
                                                 const RecordMember *member)
{
    const RecordRank *rank =
        record_rank(program->replay->recording, member->rank);

    return record_node_communication(rank, record_node(rank, member->node));
}

/* Returns whether @group is some dimensions of a platform, so that its size is
 * not known. */
static gboolean group_covers_mesh_dims(const ImportedProgram *program,
                                       uint32_t group)
{
    return group != OP_GROUP_ALL &&
           imported_group(program, group)->grouped_by == GROUP_DIMS;
}

static uint64_t size_of_group(const ImportedProgram *program, uint32_t group)
{
    return group == OP_GROUP_ALL ? program->n_ranks
                                 : MAX(imported_group(program, group)->size, 1);
}

/* Returns the whole payload of @comm, or 0 if it is unknown. */
static uint64_t whole_payload_bytes(const ImportedProgram *program,
                                    const RecordComm *comm, uint32_t group)
{
    if (!comm->has_bytes)
        return 0;
    return comm->bytes * (comm->is_share ? size_of_group(program, group) : 1);
}

/* Returns entry @i of the list @splits, or 0 if there is none. */
static uint64_t split_entry_bytes(const GArray *splits, guint i)
{
    return splits && i < splits->len ? g_array_index(splits, uint64_t, i) : 0;
}

/* Adds up the bytes that all recorded ranks send to each rank of the group. */
static void add_all_to_all_weights(const ImportedProgram *program,
                                   const RecordInstance *instance,
                                   SharedOp *shared)
{
    guint n = (guint)size_of_group(program, shared->group);

    shared->weights = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    g_array_set_size(shared->weights, n);
    for (guint i = 0; i < instance->n; i++) {
        const RecordComm *comm = communication_of_member(
            program, record_member(program->replay->match, instance, i));

        for (guint to = 0; to < n; to++)
            g_array_index(shared->weights, uint64_t, to) +=
                split_entry_bytes(comm->in_split, to);
    }
}

static gboolean shared_op_has_weights(const SharedOp *shared)
{
    uint64_t first;
    gboolean differ = FALSE, has_any = FALSE;

    if (!shared->weights || shared->weights->len == 0)
        return FALSE;
    first = g_array_index(shared->weights, uint64_t, 0);
    for (guint i = 0; i < shared->weights->len; i++) {
        uint64_t weight = g_array_index(shared->weights, uint64_t, i);

        differ |= weight != first;
        has_any |= weight > 0;
    }
    return differ && has_any;
}

static void set_payload_and_weights(ImportedProgram *program,
                                    const RecordInstance *instance,
                                    SharedOp *shared)
{
    uint64_t sum = 0, max_bytes = 0;

    for (guint i = 0; i < instance->n; i++) {
        uint64_t bytes = whole_payload_bytes(
            program,
            communication_of_member(
                program, record_member(program->replay->match, instance, i)),
            shared->group);

        sum += bytes;
        max_bytes = MAX(max_bytes, bytes);
    }
    shared->bytes = instance->kind == COLL_ALL_TO_ALLV
                        ? sum / MAX(instance->n, 1)
                        : max_bytes;
    if (instance->kind != COLL_ALL_TO_ALLV)
        return;
    add_all_to_all_weights(program, instance, shared);
    if (shared_op_has_weights(shared))
        program->replay->report.n[REPORT_UNEVEN]++;
    else
        g_clear_pointer(&shared->weights, g_array_unref);
}

static uint32_t group_index_of_rank(const ImportedProgram *program,
                                    uint32_t group, uint32_t id)
{
    uint32_t npu = imported_npu_of_rank(program, id);

    return npu < program->n_ranks ? imported_group_index(program, group, npu)
                                  : 0;
}

static void set_root_or_ends(const ImportedProgram *program,
                             const RecordInstance *instance, SharedOp *shared)
{
    const RecordMatch *match = program->replay->match;
    const RecordMember *first = record_member(match, instance, 0);

    if (instance->kind == COLL_SEND) {
        const RecordMember *second = record_member(match, instance, 1);

        shared->from = imported_group_index(program, shared->group,
                                            program->npu_of[first->rank]);
        shared->to = imported_group_index(program, shared->group,
                                          program->npu_of[second->rank]);
    } else if (instance->kind < COLL_N_KINDS &&
               coll_contract(instance->kind)->collective_has_root) {
        shared->from =
            group_index_of_rank(program, shared->group,
                                communication_of_member(program, first)->peer);
    }
}

/* ---- the list of shared operations -------------------------------------- */

static uint32_t add_shared_op(ImportedProgram *program, uint32_t instance)
{
    const RecordInstance *i = record_instance(program->replay->match, instance);
    SharedOp shared = { .instance = instance,
                        .group = program->group_of[instance] };

    set_payload_and_weights(program, i, &shared);
    set_root_or_ends(program, i, &shared);
    if (shared.bytes == 0 && i->kind != COLL_BARRIER)
        program->replay->report.n[REPORT_NO_BYTES]++;
    if (i->kind != COLL_SEND && i->kind != COLL_BARRIER &&
        !group_covers_mesh_dims(program, shared.group) &&
        size_of_group(program, shared.group) == 1 && shared.bytes > 0)
        program->replay->report.n[REPORT_ONE_RANK]++;
    if (i->group == RECORD_NONE && i->kind != COLL_SEND)
        program->replay->report.n[REPORT_NO_GROUP]++;
    if (i->kind > COLL_SEND)
        program->replay->report.n[REPORT_NO_KIND]++;
    g_array_append_val(program->shared, shared);
    return program->shared->len - 1;
}

/* Adds shared operations in the order of their first position in a role. */
static void add_shared_ops_in_order(ImportedProgram *program,
                                    const uint32_t *parents)
{
    const Replay *replay = program->replay;

    for (guint i = 0; i < program->roles->len; i++) {
        const ReplayRank *rank =
            imported_first_rank_of_role(program, imported_role(program, i));

        for (uint32_t o = 0; o < rank->ops->len; o++) {
            uint32_t root;

            if (replay_op(rank, o)->kind != REPLAY_SHARED ||
                replay_op(rank, o)->is_empty)
                continue;
            root = root_of_instance_set(parents, replay_op(rank, o)->instance);
            if (program->shared_of[root] == RECORD_NONE)
                program->shared_of[root] = add_shared_op(program, root);
        }
    }
    for (uint32_t i = 0; i < replay->match->instances->len; i++)
        program->shared_of[i] =
            program->shared_of[root_of_instance_set(parents, i)];
}

static void add_instance_times(ImportedProgram *program)
{
    const RecordMatch *match = program->replay->match;

    for (uint32_t i = 0; i < match->instances->len; i++) {
        const RecordInstance *instance = record_instance(match, i);
        SharedOp *shared;

        if (program->shared_of[i] == RECORD_NONE)
            continue;
        shared =
            &g_array_index(program->shared, SharedOp, program->shared_of[i]);
        shared->n++;
        shared->time_ps +=
            record_instance_ps(program->replay->recording, match, instance);
        shared->wait_ps =
            MAX(shared->wait_ps,
                (uint64_t)(instance->last_begin_ps - instance->first_begin_ps));
    }
    for (guint i = 0; i < program->shared->len; i++) {
        SharedOp *shared = &g_array_index(program->shared, SharedOp, i);

        shared->time_ps /= MAX(shared->n, 1);
    }
}

static const char *communication_kind_name(CollKind kind)
{
    if (kind == COLL_SEND)
        return "message";
    return kind < COLL_N_KINDS ? coll_kind_name(kind) : "communication";
}

/* Returns the name of a shared operation without a number: a name like
 * "all-reduce"; for layers, "layer.all-reduce". */
static char *name_without_number(const ImportedProgram *program,
                                 const SharedOp *shared)
{
    const RecordNode *node = imported_first_node_of_op(program, shared);
    const char *kind = communication_kind_name(
        record_instance(program->replay->match, shared->instance)->kind);
    g_autofree char *layer = NULL;

    if (!imported_op_is_layer(program, node))
        return g_strdup(kind);
    layer = imported_short_name(node->name);
    return g_strdup_printf("%s.%s", layer, kind);
}

/* Sets the recorded priorities.  In plans of layers, the priority of gradients
 * grows towards the first layer, and all other communication precedes them. */
static void set_recorded_priorities(ImportedProgram *program)
{
    uint32_t n_gradients = 0;

    for (guint i = 0; i < program->shared->len; i++) {
        SharedOp *shared = &g_array_index(program->shared, SharedOp, i);
        const RecordNode *node = imported_first_node_of_op(program, shared);
        const RecordInstance *instance =
            record_instance(program->replay->match, shared->instance);
        const RecordComm *comm = communication_of_member(
            program, record_member(program->replay->match, instance, 0));

        shared->is_star = comm->is_star;
        shared->priority = comm->priority;
        if (imported_op_is_layer(program, node) &&
            !program->replay->recording->is_loop)
            shared->priority =
                node->pass == OP_WEIGHT_GRADIENT ? ++n_gradients : UINT32_MAX;
    }
}

static void name_shared_ops(ImportedProgram *program)
{
    g_autoptr(GHashTable) counts =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint i = 0; i < program->shared->len; i++) {
        SharedOp *shared = &g_array_index(program->shared, SharedOp, i);
        const RecordNode *node = imported_first_node_of_op(program, shared);
        char *base = name_without_number(program, shared);
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, base)) + 1;

        shared->name = n == 1 && imported_op_is_layer(program, node)
                           ? g_strdup(base)
                           : g_strdup_printf("%s.%u", base, n);
        g_hash_table_insert(counts, base, GUINT_TO_POINTER(n));
    }
}

void imported_find_shared_ops(ImportedProgram *program)
{
    guint n = program->replay->match->instances->len;
    g_autofree uint32_t *parents = g_new(uint32_t, n + 1);

    program->shared = g_array_new(FALSE, TRUE, sizeof(SharedOp));
    program->shared_of = g_new(uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        parents[i] = i;
        program->shared_of[i] = RECORD_NONE;
    }
    for (guint i = 0; i < program->roles->len; i++)
        join_instances_of_role(program, imported_role(program, i), parents);
    add_shared_ops_in_order(program, parents);
    add_instance_times(program);
    set_recorded_priorities(program);
    name_shared_ops(program);
}
