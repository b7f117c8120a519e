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
static gboolean message_has_both_ends(const ReplayBuilder *builder,
                                      uint32_t instance)
{
    const RecordInstance *i =
        instance == RECORD_NONE
            ? NULL
            : record_instance(builder->replay->match, instance);

    return i && (i->kind != COLL_SEND || i->n == 2);
}

static gboolean node_is_replayed(const ReplayBuilder *builder, uint32_t i)
{
    const RecordNode *node = record_node(builder->from, i);

    if (!builder->span->is_in_window[i])
        return FALSE;
    if (builder->replay->is_plan)
        return TRUE;
    /* The node is one of several messages of a kernel; only the kernel has the
     * time. */
    if (record_node(builder->from, i)->part_of > 0)
        return message_has_both_ends(
            builder, builder->replay->match->instance_of_node[builder->r][i]);
    return !record_is_host(node) ||
           builder->replay->match->instance_of_node[builder->r][i] !=
               RECORD_NONE;
}

/* Returns the stream of the rank with the most computation, or RECORD_NONE. */
static uint32_t busiest_stream(const ReplayBuilder *builder)
{
    g_autofree uint64_t *busy_ps =
        g_new0(uint64_t, builder->from->streams->len + 1);
    uint32_t most = RECORD_NONE;

    for (guint i = 0; i < builder->from->nodes->len; i++) {
        const RecordNode *node = record_node(builder->from, i);

        if (node->kind == RECORD_KERNEL && !record_is_host(node))
            busy_ps[node->stream] += MAX(node->duration_ps, 1);
    }
    for (guint s = 0; s < builder->from->streams->len; s++)
        if (busy_ps[s] > 0 &&
            (most == RECORD_NONE || busy_ps[s] > busy_ps[most]))
            most = s;
    return most;
}

/* ---- operations ------------------------------------------------------- */

/* Returns whether @node takes no time: a waiting stream, or in a plan a no-op
 * that has the kind of a communication. */
static gboolean node_takes_no_time(const ReplayBuilder *builder,
                                   const RecordNode *node, ReplayKind kind)
{
    return node->kind == RECORD_WAIT ||
           (builder->replay->is_plan && kind == REPLAY_SHARED &&
            (node->flags & RECORD_NO_OP));
}

/* Adds an empty operation that inherits the dependencies of the receive;
 * dependents of the receive depend on it.  In a plan, the receiver does not
 * delay a message. */
static uint32_t add_receive_op(ReplayBuilder *builder, uint32_t message,
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
    uint32_t receive = replay_add_op(builder, &op, (int64_t)node);

    replay_add_pair(builder, receive, message);
    return receive;
}

/* Adds the operation of node @i, if it is replayed. */
static void add_device_op(ReplayBuilder *builder, uint32_t i)
{
    const RecordNode *node = record_node(builder->from, i);
    uint32_t instance = builder->replay->match->instance_of_node[builder->r][i];
    ReplayOp op = { .node = i,
                    .chain = node->stream,
                    .instance = RECORD_NONE,
                    .begin_ps = replay_node_begin(builder, i),
                    .end_ps = replay_node_end(builder, i),
                    .floor_ps = RECORD_NO_TIME,
                    .time_ps =
                        node->flags & RECORD_NO_OP ? 0 : node->duration_ps };

    if (message_has_both_ends(builder, instance)) {
        op.kind = REPLAY_SHARED;
        op.instance = instance;
        if (builder->replay->is_plan || node->part_of > 0)
            op.chain = RECORD_NONE;
    } else if (record_is_host(node)) {
        op.kind = REPLAY_HOST;
        op.chain = builder->replay->is_plan ? node->stream : REPLAY_HOST_CHAIN;
    } else {
        op.kind = node->kind == RECORD_KERNEL &&
                          (node->stream == builder->main_stream ||
                           record_is_roofline(node))
                      ? REPLAY_KERNEL
                      : REPLAY_DEVICE;
    }
    op.is_empty = node_takes_no_time(builder, node, op.kind);
    if (op.is_empty)
        replay_report(builder)->n[REPORT_EMPTY]++;
    builder->op_of[i] = replay_add_op(
        builder, &op,
        builder->replay->is_plan ? (int64_t)i : replay_node_begin(builder, i));
    if (builder->replay->is_plan && op.kind == REPLAY_SHARED &&
        node->kind == RECORD_RECEIVE)
        builder->op_of[i] = add_receive_op(builder, builder->op_of[i], i);
}

/* ---- streams ---------------------------------------------------------- */

static int compare_ops_by_stream(gconstpointer a, gconstpointer b,
                                 gpointer data)
{
    const ReplayBuilder *builder = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const ReplayOp *op = replay_built_op(builder, i),
                   *y = replay_built_op(builder, j);

    if (op->chain != y->chain)
        return op->chain < y->chain ? -1 : 1;
    if (op->begin_ps != y->begin_ps)
        return op->begin_ps < y->begin_ps ? -1 : 1;
    if (op->end_ps != y->end_ps)
        return op->end_ps < y->end_ps ? -1 : 1;
    return (i > j) - (i < j);
}

static int compare_operations_by_end(gconstpointer a, gconstpointer b,
                                     gpointer data)
{
    const ReplayBuilder *builder = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const ReplayOp *op = replay_built_op(builder, i),
                   *y = replay_built_op(builder, j);

    if (op->end_ps != y->end_ps)
        return op->end_ps < y->end_ps ? -1 : 1;
    return (i > j) - (i < j);
}

/* Returns, for each stream, until when it ran operations of other iterations
 * that began before its first operation in @sorted.  The caller owns the
 * array. */
static int64_t *stream_busy_until_time(const ReplayBuilder *builder,
                                       const GArray *sorted)
{
    guint n = builder->from->streams->len;
    int64_t *until_ps = g_new(int64_t, n + 1);
    g_autofree int64_t *first_ps = g_new(int64_t, n + 1);

    for (guint s = 0; s < n; s++)
        until_ps[s] = first_ps[s] = RECORD_NO_TIME;
    for (guint i = sorted->len; i-- > 0;) {
        const ReplayOp *op =
            replay_built_op(builder, g_array_index(sorted, uint32_t, i));

        first_ps[op->chain] = op->begin_ps;
    }
    for (guint i = 0; i < builder->from->nodes->len; i++) {
        const RecordNode *node = record_node(builder->from, i);

        if (!builder->span->is_in_window[i] && node->kind != RECORD_OTHER &&
            !record_is_host(node) && node->begin_ps != RECORD_NO_TIME &&
            replay_node_begin(builder, i) < first_ps[node->stream])
            until_ps[node->stream] =
                MAX(until_ps[node->stream], replay_node_end(builder, i));
    }
    return until_ps;
}

/* Makes each operation depend on the one before it on its stream. */
static void add_stream_order_dependencies(ReplayBuilder *builder,
                                          const GArray *sorted)
{
    g_autofree int64_t *until_ps = stream_busy_until_time(builder, sorted);

    for (guint i = 0; i < sorted->len; i++) {
        uint32_t at = g_array_index(sorted, uint32_t, i);
        uint32_t before =
            i > 0 ? g_array_index(sorted, uint32_t, i - 1) : RECORD_NONE;
        uint32_t stream = replay_built_op(builder, at)->chain;

        builder->previous[at] = RECORD_NONE;
        if (before == RECORD_NONE ||
            replay_built_op(builder, before)->chain != stream) {
            replay_built_op(builder, at)->floor_ps = until_ps[stream];
            continue;
        }
        builder->previous[at] = before;
        replay_add_pair(builder, at, before);
        replay_report(builder)->n[REPORT_STREAM_ORDER]++;
    }
}

void replay_find_device_ops(ReplayBuilder *builder)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    builder->main_stream = busiest_stream(builder);
    for (guint i = 0; i < builder->from->nodes->len; i++)
        if (node_is_replayed(builder, i))
            add_device_op(builder, i);
    if (builder->replay->is_plan)
        return;
    builder->previous = g_new(uint32_t, builder->ops->len + 1);
    for (uint32_t i = 0; i < builder->ops->len; i++) {
        if (record_node(builder->from, replay_built_op(builder, i)->node)
                ->part_of == 0)
            g_array_append_val(builder->by_end, i);
        if (replay_built_op(builder, i)->chain < builder->from->streams->len)
            g_array_append_val(sorted, i);
    }
    g_array_sort_with_data(sorted, compare_ops_by_stream, builder);
    g_array_sort_with_data(builder->by_end, compare_operations_by_end, builder);
    add_stream_order_dependencies(builder, sorted);
}

/* ---- launches --------------------------------------------------------- */

/* Links the operations of each call in the order of their begins. */
void replay_link_launches(ReplayBuilder *builder)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    builder->next_launched = g_new(uint32_t, builder->ops->len + 1);
    for (uint32_t i = 0; i < builder->ops->len; i++) {
        builder->next_launched[i] = RECORD_NONE;
        g_array_append_val(sorted, i);
    }
    if (builder->replay->is_plan)
        return;
    g_array_sort_with_data(sorted, compare_ops_by_stream, builder);
    for (guint i = sorted->len; i-- > 0;) {
        uint32_t op = g_array_index(sorted, uint32_t, i);
        uint32_t call = builder->launch[replay_built_op(builder, op)->node];

        if (call == RECORD_NONE ||
            record_node(builder->from, replay_built_op(builder, op)->node)
                    ->part_of > 0)
            continue;
        builder->next_launched[op] = builder->first_launched[call];
        builder->first_launched[call] = op;
    }
}

/* ---- kernels of several messages -------------------------------------- */

/* Returns the operation of the kernel that sends message @op together with
 * other messages, or @op itself if there is no such kernel. */
static uint32_t kernel_of_message(const ReplayBuilder *builder, uint32_t op)
{
    uint32_t node = replay_built_op(builder, op)->node;
    uint32_t whole =
        node == RECORD_NONE ? 0 : record_node(builder->from, node)->part_of;

    return whole > 0 && builder->op_of[whole - 1] != RECORD_NONE
               ? builder->op_of[whole - 1]
               : op;
}

void replay_join_kernel_messages(ReplayBuilder *builder)
{
    guint n_ops = builder->ops->len, n_pairs = builder->pairs->len;
    g_autofree uint32_t *next = g_new(uint32_t, n_ops + 1);

    for (uint32_t op = 0; op < n_ops; op++)
        next[op] = RECORD_NONE;
    for (uint32_t op = 0; op < n_ops; op++) {
        uint32_t whole = kernel_of_message(builder, op);

        if (whole == op)
            continue;
        next[op] = next[whole];
        next[whole] = op;
        g_array_index(builder->keys, int64_t, op) =
            g_array_index(builder->keys, int64_t, whole);
        replay_built_op(builder, op)->floor_ps =
            replay_built_op(builder, whole)->floor_ps;
    }
    for (guint i = 0; i < n_pairs; i++) {
        ReplayPair pair = g_array_index(builder->pairs, ReplayPair, i),
                   added = pair;

        for (added.op = next[pair.op]; added.op != RECORD_NONE;
             added.op = next[added.op])
            g_array_append_val(builder->pairs, added);
        for (added.on = next[pair.on]; added.on != RECORD_NONE;
             added.on = next[added.on])
            for (added.op = pair.op; added.op != RECORD_NONE;
                 added.op = next[added.op])
                g_array_append_val(builder->pairs, added);
    }
}
