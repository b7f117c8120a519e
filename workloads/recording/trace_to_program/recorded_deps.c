/*
 * recorded_deps.c - adds the dependencies that the recording has
 *
 * Ids are resolved to nodes by a hash table.  In a plan, a dependency may mean
 * the previous iteration (recording.h).  In other recordings, a dependency on a
 * call is a launch.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

static guint hash_node_id(gconstpointer data)
{
    return g_int64_hash(data);
}

/* Returns whether @node is its own caller, which shows that control
 * dependencies have ids of another file. */
static gboolean control_deps_are_stale(const RecordRank *rank,
                                       const RecordNode *node)
{
    for (uint32_t d = node->n_deps - node->n_control; d < node->n_deps; d++)
        if (g_array_index(rank->deps, uint64_t, node->first_dep + d) ==
            node->id)
            return TRUE;
    return FALSE;
}

static void detect_stale_control_deps(ReplayBuilder *builder)
{
    for (guint i = 0; i < builder->from->nodes->len && !builder->has_stale; i++)
        builder->has_stale = control_deps_are_stale(
            builder->from, record_node(builder->from, i));
    if (!builder->has_stale)
        return;
    for (guint i = 0; i < builder->from->nodes->len; i++)
        replay_report(builder)->n[REPORT_STALE] +=
            record_node(builder->from, i)->n_control;
}

uint32_t replay_count_valid_deps(const ReplayBuilder *builder,
                                 const RecordNode *node)
{
    return node->n_deps - (builder->has_stale ? node->n_control : 0);
}

/* Indexes the nodes of the rank by id.  If several nodes have the same id, the
 * first one counts. */
static void index_nodes_by_id(ReplayBuilder *builder)
{
    if (builder->from->deps->len == 0)
        return;
    builder->by_id = g_hash_table_new(hash_node_id, g_int64_equal);
    for (guint i = builder->from->nodes->len; i-- > 0;)
        g_hash_table_insert(builder->by_id, &record_node(builder->from, i)->id,
                            GUINT_TO_POINTER(i + 1));
}

uint32_t replay_resolve_dep(const ReplayBuilder *builder,
                            const RecordNode *node, uint32_t i)
{
    const uint64_t *id =
        &g_array_index(builder->from->deps, uint64_t, node->first_dep + i);
    guint there =
        builder->by_id
            ? GPOINTER_TO_UINT(g_hash_table_lookup(builder->by_id, id))
            : 0;

    return there > 0 ? there - 1 : RECORD_NONE;
}

/* ---- dependencies of device operations -------------------------------- */

/* Sets the launch of @node to @call.  If a node depends on several calls, the
 * last one is its launch. */
static void set_launch_of_node(ReplayBuilder *builder, uint32_t node,
                               uint32_t call)
{
    uint32_t *launch = &builder->launch[node];

    if (record_node(builder->from, node)->launch != RECORD_NONE ||
        replay_node_begin(builder, call) > replay_node_begin(builder, node)) {
        replay_report(builder)->n[REPORT_IN_HOST_ORDER]++;
        return;
    }
    if (*launch != RECORD_NONE)
        replay_report(builder)->n[REPORT_IN_HOST_ORDER]++;
    if (*launch == RECORD_NONE ||
        replay_node_begin(builder, call) > replay_node_begin(builder, *launch))
        *launch = call;
}

static void add_recorded_dependency(ReplayBuilder *builder, uint32_t node,
                                    uint32_t dependency)
{
    RecordReport *report = replay_report(builder);

    if (dependency == RECORD_NONE || !builder->span->is_in_window[dependency]) {
        report->n[REPORT_ABSENT]++;
    } else if (builder->op_of[dependency] == RECORD_NONE) {
        set_launch_of_node(builder, node, dependency);
    } else if (replay_node_end(builder, dependency) >
               replay_node_begin(builder, node) + REPLAY_TOLERANCE_PS) {
        report->n[REPORT_BACKWARD]++;
    } else if (dependency != node) {
        replay_add_pair(builder, builder->op_of[node],
                        builder->op_of[dependency]);
        report->n[REPORT_GIVEN]++;
    }
}

/* ---- dependencies of plans -------------------------------------------- */

/* Returns whether a dependency of @node on @dependency means the previous
 * iteration:
 * @dependency is later in a loop, or in a single rank that represents all. */
static gboolean is_previous_iteration(const ReplayBuilder *builder,
                                      uint32_t node, uint32_t dependency)
{
    const Recording *recording = builder->replay->recording;

    return recording->is_loop ? dependency > node
                              : recording->ranks->len == 1 &&
                                    builder->from->rank == RECORD_NO_RANK &&
                                    dependency >= node;
}

static void add_plan_dependency(ReplayBuilder *builder, uint32_t node,
                                uint32_t dependency)
{
    RecordReport *report = replay_report(builder);

    if (dependency == RECORD_NONE ||
        builder->op_of[dependency] == RECORD_NONE) {
        report->n[REPORT_ABSENT]++;
        return;
    }
    report->n[REPORT_GIVEN]++;
    if (is_previous_iteration(builder, node, dependency)) {
        ReplayPair pair = { builder->op_of[node], builder->op_of[dependency],
                            TRUE };

        g_array_append_val(builder->pairs, pair);
    } else if (dependency != node) {
        replay_add_pair(builder, builder->op_of[node],
                        builder->op_of[dependency]);
    }
}

/* Data of an examined node: its pairs, and the kernel before it on its
 * stream. */
typedef struct {
    guint first, end;
    uint32_t before;
} NodeDeps;

/* Lets @node begin when @dependency begins: it gets the dependencies of
 * @dependency, and depends on the kernel before @dependency on its stream. */
static void add_dependency_on_begin(ReplayBuilder *builder, uint32_t node,
                                    uint32_t dependency,
                                    const NodeDeps *node_deps)
{
    uint32_t op = builder->op_of[node];

    if (dependency == RECORD_NONE ||
        builder->op_of[dependency] == RECORD_NONE) {
        replay_report(builder)->n[REPORT_ABSENT]++;
        return;
    }
    replay_report(builder)->n[REPORT_BEGINS]++;
    for (guint i = node_deps[dependency].first; i < node_deps[dependency].end;
         i++) {
        ReplayPair pair = g_array_index(builder->pairs, ReplayPair, i);

        if (pair.op != builder->op_of[dependency] || pair.on == op)
            continue;
        pair.op = op;
        g_array_append_val(builder->pairs, pair);
    }
    if (node_deps[dependency].before != RECORD_NONE &&
        node_deps[dependency].before != node)
        replay_add_pair(builder, op,
                        builder->op_of[node_deps[dependency].before]);
}

/* Returns the kernel before each node on its stream.  The caller owns the
 * array. */
static NodeDeps *new_previous_kernels(const ReplayBuilder *builder)
{
    NodeDeps *node_deps = g_new0(NodeDeps, builder->from->nodes->len + 1);
    g_autofree uint32_t *last =
        g_new(uint32_t, builder->from->streams->len + 1);

    for (guint s = 0; s < builder->from->streams->len; s++)
        last[s] = RECORD_NONE;
    for (guint i = 0; i < builder->from->nodes->len; i++) {
        const RecordNode *node = record_node(builder->from, i);

        node_deps[i].before = RECORD_NONE;
        if (node->kind != RECORD_KERNEL || builder->op_of[i] == RECORD_NONE)
            continue;
        node_deps[i].before = last[node->stream];
        last[node->stream] = i;
    }
    return node_deps;
}

void replay_find_recorded_deps(ReplayBuilder *builder)
{
    gboolean has_begins = builder->replay->is_plan &&
                          builder->replay->recording->control_is_begin;
    g_autofree NodeDeps *node_deps =
        has_begins ? new_previous_kernels(builder) : NULL;

    index_nodes_by_id(builder);
    detect_stale_control_deps(builder);
    for (guint i = 0; i < builder->from->nodes->len; i++) {
        const RecordNode *node = record_node(builder->from, i);

        if (builder->op_of[i] == RECORD_NONE)
            continue;
        if (node->launch < builder->from->nodes->len &&
            builder->span->is_in_window[node->launch])
            builder->launch[i] = node->launch;
        if (builder->replay->is_plan && builder->launch[i] != RECORD_NONE &&
            builder->op_of[builder->launch[i]] != RECORD_NONE &&
            builder->launch[i] != i)
            replay_add_pair(builder, builder->op_of[i],
                            builder->op_of[builder->launch[i]]);
        if (node_deps)
            node_deps[i].first = builder->pairs->len;
        for (uint32_t d = 0; d < replay_count_valid_deps(builder, node); d++) {
            uint32_t dependency = replay_resolve_dep(builder, node, d);

            if (node_deps && d >= node->n_deps - node->n_control)
                add_dependency_on_begin(builder, i, dependency, node_deps);
            else if (builder->replay->is_plan)
                add_plan_dependency(builder, i, dependency);
            else
                add_recorded_dependency(builder, i, dependency);
        }
        if (node_deps)
            node_deps[i].end = builder->pairs->len;
    }
}
