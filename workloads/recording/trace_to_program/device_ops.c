/*
 * device_ops.c - operations on streams of the device
 *
 * A stream runs its operations one after the other, in the order of their
 * begins. A plan has no begins: kernels then keep the order of their
 * dependencies and of the file, and communication only waits for its
 * dependencies.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

/* Returns whether an instance can be replayed: a message needs both ends. */
static gboolean message_has_both_ends(const ReplayBuilder *m, uint32_t instance)
{
    const RecordInstance *i = instance == RECORD_NONE
                                  ? NULL
                                  : record_instance(m->replay->match, instance);

    return i && (i->kind != COLL_SEND || i->n == 2);
}

static gboolean node_is_replayed(const ReplayBuilder *m, uint32_t i)
{
    const RecordNode *node = record_node(m->from, i);

    if (!m->span->has[i])
        return FALSE;
    if (m->replay->is_plan)
        return TRUE;
    /* The node is one of several messages of a kernel; only the kernel has the
     * time. */
    if (record_node(m->from, i)->part_of > 0)
        return message_has_both_ends(
            m, m->replay->match->instance_of_node[m->r][i]);
    return !record_is_host(node) ||
           m->replay->match->instance_of_node[m->r][i] != RECORD_NONE;
}

/* Returns the stream of the rank with the most computation, or RECORD_NONE. */
static uint32_t busiest_stream(const ReplayBuilder *m)
{
    g_autofree uint64_t *busy_ps = g_new0(uint64_t, m->from->streams->len + 1);
    uint32_t most = RECORD_NONE;

    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        if (node->kind == RECORD_KERNEL && !record_is_host(node))
            busy_ps[node->stream] += MAX(node->duration_ps, 1);
    }
    for (guint s = 0; s < m->from->streams->len; s++)
        if (busy_ps[s] > 0 &&
            (most == RECORD_NONE || busy_ps[s] > busy_ps[most]))
            most = s;
    return most;
}

/* ---- operations ------------------------------------------------------- */

/* Returns whether @node takes no time: a waiting stream, or in a plan a no-op
 * that has the kind of a communication. */
static gboolean node_takes_no_time(const ReplayBuilder *m,
                                   const RecordNode *node, ReplayKind kind)
{
    return node->kind == RECORD_WAIT ||
           (m->replay->is_plan && kind == REPLAY_SHARED &&
            (node->flags & RECORD_NO_OP));
}

/* Adds an empty operation that inherits the dependencies of the receive;
 * dependents of the receive depend on it.  In a plan, the receiver does not
 * delay a message. */
static uint32_t add_receive_op(ReplayBuilder *m, uint32_t message,
                               uint32_t node)
{
    ReplayOp op = { .kind = REPLAY_DEVICE,
                    .is_empty = TRUE,
                    .node = node,
                    .chain = RECORD_NONE,
                    .instance = RECORD_NONE,
                    .begin_ps = RECORD_NO_TIME,
                    .end_ps = RECORD_NO_TIME,
                    .floor_ps = RECORD_NO_TIME };
    uint32_t receive = replay_add_op(m, &op, (int64_t)node);

    replay_add_pair(m, receive, message);
    return receive;
}

/* Adds the operation of node @i, if it is replayed. */
static void add_device_op(ReplayBuilder *m, uint32_t i)
{
    const RecordNode *node = record_node(m->from, i);
    uint32_t instance = m->replay->match->instance_of_node[m->r][i];
    ReplayOp op = { .node = i,
                    .chain = node->stream,
                    .instance = RECORD_NONE,
                    .begin_ps = replay_node_begin(m, i),
                    .end_ps = replay_node_end(m, i),
                    .floor_ps = RECORD_NO_TIME,
                    .time_ps =
                        node->flags & RECORD_NO_OP ? 0 : node->duration_ps };

    if (message_has_both_ends(m, instance)) {
        op.kind = REPLAY_SHARED;
        op.instance = instance;
        if (m->replay->is_plan || node->part_of > 0)
            op.chain = RECORD_NONE;
    } else if (record_is_host(node)) {
        op.kind = REPLAY_HOST;
        op.chain = m->replay->is_plan ? node->stream : REPLAY_HOST_CHAIN;
    } else {
        op.kind =
            node->kind == RECORD_KERNEL &&
                    (node->stream == m->main_stream || record_is_roofline(node))
                ? REPLAY_KERNEL
                : REPLAY_DEVICE;
    }
    op.is_empty = node_takes_no_time(m, node, op.kind);
    if (op.is_empty)
        replay_report(m)->n[REPORT_EMPTY]++;
    m->op_of[i] = replay_add_op(
        m, &op, m->replay->is_plan ? (int64_t)i : replay_node_begin(m, i));
    if (m->replay->is_plan && op.kind == REPLAY_SHARED &&
        node->kind == RECORD_RECEIVE)
        m->op_of[i] = add_receive_op(m, m->op_of[i], i);
}

/* ---- streams ---------------------------------------------------------- */

static int compare_ops_by_stream(gconstpointer a, gconstpointer b,
                                 gpointer data)
{
    const ReplayBuilder *m = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const ReplayOp *x = replay_built_op(m, i), *y = replay_built_op(m, j);

    if (x->chain != y->chain)
        return x->chain < y->chain ? -1 : 1;
    if (x->begin_ps != y->begin_ps)
        return x->begin_ps < y->begin_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps < y->end_ps ? -1 : 1;
    return (i > j) - (i < j);
}

static int compare_operations_by_end(gconstpointer a, gconstpointer b,
                                     gpointer data)
{
    const ReplayBuilder *m = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const ReplayOp *x = replay_built_op(m, i), *y = replay_built_op(m, j);

    if (x->end_ps != y->end_ps)
        return x->end_ps < y->end_ps ? -1 : 1;
    return (i > j) - (i < j);
}

/* Returns, for each stream, until when it ran operations of other iterations
 * that began before its first operation in @sorted.  The caller owns the
 * array. */
static int64_t *stream_busy_until_time(const ReplayBuilder *m,
                                       const GArray *sorted)
{
    guint n = m->from->streams->len;
    int64_t *until_ps = g_new(int64_t, n + 1);
    g_autofree int64_t *first_ps = g_new(int64_t, n + 1);

    for (guint s = 0; s < n; s++)
        until_ps[s] = first_ps[s] = RECORD_NO_TIME;
    for (guint i = sorted->len; i-- > 0;) {
        const ReplayOp *op =
            replay_built_op(m, g_array_index(sorted, uint32_t, i));

        first_ps[op->chain] = op->begin_ps;
    }
    for (guint i = 0; i < m->from->nodes->len; i++) {
        const RecordNode *node = record_node(m->from, i);

        if (!m->span->has[i] && node->kind != RECORD_OTHER &&
            !record_is_host(node) && node->begin_ps != RECORD_NO_TIME &&
            replay_node_begin(m, i) < first_ps[node->stream])
            until_ps[node->stream] =
                MAX(until_ps[node->stream], replay_node_end(m, i));
    }
    return until_ps;
}

/* Makes each operation depend on the one before it on its stream. */
static void chain_stream_ops(ReplayBuilder *m, const GArray *sorted)
{
    g_autofree int64_t *until_ps = stream_busy_until_time(m, sorted);

    for (guint i = 0; i < sorted->len; i++) {
        uint32_t at = g_array_index(sorted, uint32_t, i);
        uint32_t before =
            i > 0 ? g_array_index(sorted, uint32_t, i - 1) : RECORD_NONE;
        uint32_t stream = replay_built_op(m, at)->chain;

        m->previous[at] = RECORD_NONE;
        if (before == RECORD_NONE ||
            replay_built_op(m, before)->chain != stream) {
            replay_built_op(m, at)->floor_ps = until_ps[stream];
            continue;
        }
        m->previous[at] = before;
        replay_add_pair(m, at, before);
        replay_report(m)->n[REPORT_STREAM_ORDER]++;
    }
}

void replay_find_device_ops(ReplayBuilder *m)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    m->main_stream = busiest_stream(m);
    for (guint i = 0; i < m->from->nodes->len; i++)
        if (node_is_replayed(m, i))
            add_device_op(m, i);
    if (m->replay->is_plan)
        return;
    m->previous = g_new(uint32_t, m->ops->len + 1);
    for (uint32_t i = 0; i < m->ops->len; i++) {
        if (record_node(m->from, replay_built_op(m, i)->node)->part_of == 0)
            g_array_append_val(m->by_end, i);
        if (replay_built_op(m, i)->chain < m->from->streams->len)
            g_array_append_val(sorted, i);
    }
    g_array_sort_with_data(sorted, compare_ops_by_stream, m);
    g_array_sort_with_data(m->by_end, compare_operations_by_end, m);
    chain_stream_ops(m, sorted);
}

/* ---- launches --------------------------------------------------------- */

/* Links the operations of each call in the order of their begins. */
void replay_link_launches(ReplayBuilder *m)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    m->next_launched = g_new(uint32_t, m->ops->len + 1);
    for (uint32_t i = 0; i < m->ops->len; i++) {
        m->next_launched[i] = RECORD_NONE;
        g_array_append_val(sorted, i);
    }
    if (m->replay->is_plan)
        return;
    g_array_sort_with_data(sorted, compare_ops_by_stream, m);
    for (guint i = sorted->len; i-- > 0;) {
        uint32_t op = g_array_index(sorted, uint32_t, i);
        uint32_t call = m->launch[replay_built_op(m, op)->node];

        if (call == RECORD_NONE ||
            record_node(m->from, replay_built_op(m, op)->node)->part_of > 0)
            continue;
        m->next_launched[op] = m->first_launched[call];
        m->first_launched[call] = op;
    }
}

/* ---- kernels of several messages -------------------------------------- */

/* Returns the operation of the kernel that sends message @op together with
 * other messages, or @op itself if there is no such kernel. */
static uint32_t kernel_of_message(const ReplayBuilder *m, uint32_t op)
{
    uint32_t node = replay_built_op(m, op)->node;
    uint32_t whole =
        node == RECORD_NONE ? 0 : record_node(m->from, node)->part_of;

    return whole > 0 && m->op_of[whole - 1] != RECORD_NONE ? m->op_of[whole - 1]
                                                           : op;
}

void replay_join_kernel_messages(ReplayBuilder *m)
{
    guint n_ops = m->ops->len, n_pairs = m->pairs->len;
    g_autofree uint32_t *next = g_new(uint32_t, n_ops + 1);

    for (uint32_t op = 0; op < n_ops; op++)
        next[op] = RECORD_NONE;
    for (uint32_t op = 0; op < n_ops; op++) {
        uint32_t whole = kernel_of_message(m, op);

        if (whole == op)
            continue;
        next[op] = next[whole];
        next[whole] = op;
        g_array_index(m->keys, int64_t, op) =
            g_array_index(m->keys, int64_t, whole);
        replay_built_op(m, op)->floor_ps = replay_built_op(m, whole)->floor_ps;
    }
    for (guint i = 0; i < n_pairs; i++) {
        ReplayPair pair = g_array_index(m->pairs, ReplayPair, i), added = pair;

        for (added.op = next[pair.op]; added.op != RECORD_NONE;
             added.op = next[added.op])
            g_array_append_val(m->pairs, added);
        for (added.on = next[pair.on]; added.on != RECORD_NONE;
             added.on = next[added.on])
            for (added.op = pair.op; added.op != RECORD_NONE;
                 added.op = next[added.op])
                g_array_append_val(m->pairs, added);
    }
}
