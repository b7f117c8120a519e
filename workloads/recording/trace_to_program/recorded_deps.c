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

static void detect_stale_control_deps(ReplayBuilder *m)
{
    for (guint i = 0; i < m->from->nodes->len && !m->has_stale; i++)
        m->has_stale = control_deps_are_stale(m->from, record_node(m->from, i));
    if (!m->has_stale)
        return;
    for (guint i = 0; i < m->from->nodes->len; i++)
        replay_report(m)->n[REPORT_STALE] += record_node(m->from, i)->n_control;
}

uint32_t replay_count_valid_deps(const ReplayBuilder *m, const RecordNode *node)
{
    return node->n_deps - (m->has_stale ? node->n_control : 0);
}

/* Indexes the nodes of the rank by id.  If several nodes have the same id, the
 * first one counts. */
static void index_nodes_by_id(ReplayBuilder *m)
{
    if (m->from->deps->len == 0)
        return;
    m->by_id = g_hash_table_new(hash_node_id, g_int64_equal);
    for (guint i = m->from->nodes->len; i-- > 0;)
        g_hash_table_insert(m->by_id, &record_node(m->from, i)->id,
                            GUINT_TO_POINTER(i + 1));
}

uint32_t replay_resolve_dep(const ReplayBuilder *m, const RecordNode *node,
                            uint32_t i)
{
    const uint64_t *id =
        &g_array_index(m->from->deps, uint64_t, node->first_dep + i);
    guint there =
        m->by_id ? GPOINTER_TO_UINT(g_hash_table_lookup(m->by_id, id)) : 0;

    return there > 0 ? there - 1 : RECORD_NONE;
}

/* ---- dependencies of device operations -------------------------------- */

/* Sets the launch of @node to @call.  If a node depends on several calls, the
 * last one is its launch. */
static void set_launch_of_node(ReplayBuilder *m, uint32_t node, uint32_t call)
{
    uint32_t *launch = &m->launch[node];

    if (record_node(m->from, node)->launch != RECORD_NONE ||
        replay_node_begin(m, call) > replay_node_begin(m, node)) {
        replay_report(m)->n[REPORT_IN_HOST_ORDER]++;
        return;
    }
    if (*launch != RECORD_NONE)
        replay_report(m)->n[REPORT_IN_HOST_ORDER]++;
    if (*launch == RECORD_NONE ||
        replay_node_begin(m, call) > replay_node_begin(m, *launch))
        *launch = call;
}

static void add_recorded_dependency(ReplayBuilder *m, uint32_t node,
                                    uint32_t on)
{
    RecordReport *report = replay_report(m);

    if (on == RECORD_NONE || !m->span->has[on]) {
        report->n[REPORT_ABSENT]++;
    } else if (m->op_of[on] == RECORD_NONE) {
        set_launch_of_node(m, node, on);
    } else if (replay_node_end(m, on) >
               replay_node_begin(m, node) + REPLAY_TOLERANCE_PS) {
        report->n[REPORT_BACKWARD]++;
    } else if (on != node) {
        replay_add_pair(m, m->op_of[node], m->op_of[on]);
        report->n[REPORT_GIVEN]++;
    }
}

/* ---- dependencies of plans -------------------------------------------- */

/* Returns whether a dependency of @node on @on means the previous iteration:
 * @on is later in a loop, or in a single rank that represents all. */
static gboolean is_previous_iteration(const ReplayBuilder *m, uint32_t node,
                                      uint32_t on)
{
    const Recording *recording = m->replay->recording;

    return recording->is_loop
               ? on > node
               : recording->ranks->len == 1 &&
                     m->from->rank == RECORD_NO_RANK && on >= node;
}

static void add_plan_dependency(ReplayBuilder *m, uint32_t node, uint32_t on)
{
    RecordReport *report = replay_report(m);

    if (on == RECORD_NONE || m->op_of[on] == RECORD_NONE) {
        report->n[REPORT_ABSENT]++;
        return;
    }
    report->n[REPORT_GIVEN]++;
    if (is_previous_iteration(m, node, on)) {
        ReplayPair pair = { m->op_of[node], m->op_of[on], TRUE };

        g_array_append_val(m->pairs, pair);
    } else if (on != node) {
        replay_add_pair(m, m->op_of[node], m->op_of[on]);
    }
}

/* Data of an examined node: its pairs, and the kernel before it on its
 * stream. */
typedef struct {
    guint first, end;
    uint32_t before;
} NodeDeps;

/* Lets @node begin when @on begins: it gets the dependencies of @on, and
 * depends on the kernel before @on on its stream. */
static void add_dependency_on_begin(ReplayBuilder *m, uint32_t node,
                                    uint32_t on, const NodeDeps *node_deps)
{
    uint32_t op = m->op_of[node];

    if (on == RECORD_NONE || m->op_of[on] == RECORD_NONE) {
        replay_report(m)->n[REPORT_ABSENT]++;
        return;
    }
    replay_report(m)->n[REPORT_BEGINS]++;
    for (guint i = node_deps[on].first; i < node_deps[on].end; i++) {
        ReplayPair pair = g_array_index(m->pairs, ReplayPair, i);

        if (pair.op != m->op_of[on] || pair.on == op)
            continue;
        pair.op = op;
        g_array_append_val(m->pairs, pair);
    }
    if (node_deps[on].before != RECORD_NONE && node_deps[on].before != node)
        replay_add_pair(m, op, m->op_of[node_deps[on].before]);
}

/* Returns the kernel before each node on its stream.  The caller owns the
 * array. */
static NodeDeps *new_previous_kernels(const ReplayBuilder *m)
{
    NodeDeps *node_deps = g_new0(NodeDeps, m->from->nodes->len + 1);
    g_autofree uint32_t *last = g_new(uint32_t, m->from->streams->len + 1);

    for (guint s = 0; s < m->from->streams->len; s++)
        last[s] = RECORD_NONE;
    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        node_deps[i].before = RECORD_NONE;
        if (node->kind != RECORD_KERNEL || m->op_of[i] == RECORD_NONE)
            continue;
        node_deps[i].before = last[node->stream];
        last[node->stream] = i;
    }
    return node_deps;
}

void replay_find_recorded_deps(ReplayBuilder *m)
{
    gboolean has_begins =
        m->replay->is_plan && m->replay->recording->control_is_begin;
    g_autofree NodeDeps *node_deps =
        has_begins ? new_previous_kernels(m) : NULL;

    index_nodes_by_id(m);
    detect_stale_control_deps(m);
    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        if (m->op_of[i] == RECORD_NONE)
            continue;
        if (node->launch < m->from->nodes->len && m->span->has[node->launch])
            m->launch[i] = node->launch;
        if (m->replay->is_plan && m->launch[i] != RECORD_NONE &&
            m->op_of[m->launch[i]] != RECORD_NONE && m->launch[i] != i)
            replay_add_pair(m, m->op_of[i], m->op_of[m->launch[i]]);
        if (node_deps)
            node_deps[i].first = m->pairs->len;
        for (uint32_t d = 0; d < replay_count_valid_deps(m, node); d++) {
            uint32_t on = replay_resolve_dep(m, node, d);

            if (node_deps && d >= node->n_deps - node->n_control)
                add_dependency_on_begin(m, i, on, node_deps);
            else if (m->replay->is_plan)
                add_plan_dependency(m, i, on);
            else
                add_recorded_dependency(m, i, on);
        }
        if (node_deps)
            node_deps[i].end = m->pairs->len;
    }
}
