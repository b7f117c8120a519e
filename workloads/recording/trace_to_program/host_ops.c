/*
 * host_ops.c - the host's calls as one sequence of operations
 *
 * Calls that launch or wait are points in time; an operation is the work
 * between two points.  All other calls are part of the operation in which they
 * fall.
 *
 * A launch is the point at which the call ends, or at which the launched
 * operation begins, if that is earlier.  If a call launches an operation and
 * waits for it, the time until the stream of the operation was free is no work
 * of the host.  With the delay d from the time at which the operation could
 * have begun to its begin, the point of the launch is the begin of the call
 * plus d.
 *
 * A wait ends the operation before it.  The next operation depends on the
 * operations that the host waits for.  If the wait ends later than they do, the
 * difference is work of the next operation.
 *
 * If the host runs ahead, it launches operations that the device executes in
 * the next iteration.  Such an operation depends on its launch in the previous
 * iteration.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

/* Maximum error between the clocks of host and device.  A wait may seem to end
 * before the operation that it waits for, by up to 6 us in the sample of Nsight
 * Systems. */
#define TWO_CLOCKS_PS 10000000

typedef enum {
    POINT_LAUNCH,
    POINT_STOP,   /* point at which the host begins to wait */
    POINT_RESUME, /* point at which the host continues */
} PointKind;

typedef struct {
    int64_t at_ps;
    uint32_t call; /* node of the call; RECORD_NONE: the end of the iteration */
    guint number;  /* breaks ties between points of the same time */
    PointKind kind;
} HostPoint;

typedef struct {
    ReplayBuilder *m;
    /* Owned: points in time of the host's calls; the elements are HostPoint. */
    GArray *points;
    /* Owned: operations on which the next one depends; the elements are
     * uint32_t. */
    GArray *waits;
    int64_t at_ps; /* end of the last operation that was added */
    /* Index of the last operation that was added; RECORD_NONE: none. */
    uint32_t last;
} HostCallWalk;

/* ---- calls ------------------------------------------------------------ */

static int compare_calls_by_begin(gconstpointer a, gconstpointer b,
                                  gpointer data)
{
    const ReplayBuilder *builder = data;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const RecordNode *x = record_node(builder->from, i);
    const RecordNode *y = record_node(builder->from, j);

    if (x->begin_ps != y->begin_ps)
        return x->begin_ps < y->begin_ps ? -1 : 1;
    /* An enclosing call comes before the calls that it encloses. */
    if (x->duration_ps != y->duration_ps)
        return x->duration_ps > y->duration_ps ? -1 : 1;
    return (i > j) - (i < j);
}

GArray *replay_host_calls(const ReplayBuilder *builder)
{
    GArray *calls = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < builder->from->nodes->len; i++) {
        const RecordNode *node = record_node(builder->from, i);

        if (builder->span->is_in_window[i] && record_is_host(node) &&
            builder->op_of[i] == RECORD_NONE &&
            node->begin_ps != RECORD_NO_TIME)
            g_array_append_val(calls, i);
    }
    g_array_sort_with_data(calls, compare_calls_by_begin, (gpointer)builder);
    return calls;
}

static void count_host_threads(ReplayBuilder *builder, const GArray *calls)
{
    g_autofree guint8 *seen = g_new0(guint8, builder->from->streams->len + 1);
    guint n = 0;

    for (guint i = 0; i < calls->len; i++) {
        const RecordNode *node =
            record_node(builder->from, g_array_index(calls, uint32_t, i));

        n += seen[node->stream] ? 0 : 1;
        seen[node->stream] = 1;
    }
    if (n > 1)
        replay_report(builder)->n[REPORT_THREADS] += n;
}

/* ---- points ----------------------------------------------------------- */

/* Returns whether the recording says what the host waits for in @node. */
static gboolean recording_has_awaited_ops(const ReplayBuilder *builder,
                                          const RecordNode *node)
{
    if (node->flags & RECORD_STREAM_WAITS)
        return FALSE;
    for (uint32_t d = 0; d < replay_count_valid_deps(builder, node); d++) {
        uint32_t dependency = replay_resolve_dep(builder, node, d);

        if (dependency != RECORD_NONE &&
            builder->op_of[dependency] != RECORD_NONE)
            return TRUE;
    }
    return FALSE;
}

static void add_host_event_point(HostCallWalk *walk, PointKind kind,
                                 uint32_t call, int64_t at_ps)
{
    HostPoint point = {
        .at_ps = at_ps, .call = call, .number = walk->points->len, .kind = kind
    };

    g_array_append_val(walk->points, point);
}

/* Returns the time at which the stream of operation @launched could begin it,
 * not before @begin_ps. */
static int64_t stream_free_ps(const ReplayBuilder *builder, uint32_t launched,
                              int64_t begin_ps)
{
    const ReplayOp *op = replay_built_op(builder, launched);
    uint32_t previous =
        op->chain == REPLAY_HOST_CHAIN || op->chain == RECORD_NONE
            ? RECORD_NONE
            : builder->previous[launched];
    int64_t ps = MAX(begin_ps, op->floor_ps);

    if (previous != RECORD_NONE)
        ps = MAX(ps, replay_built_op(builder, previous)->end_ps);
    return MIN(ps, MAX(op->begin_ps, begin_ps));
}

/* Returns the time at which @call has launched operation @launched. */
static int64_t host_time_of_launch(const ReplayBuilder *builder, uint32_t call,
                                   uint32_t launched, gboolean waits)
{
    int64_t begin_ps = replay_call_begin(builder, call);
    int64_t end_ps = replay_call_end(builder, call);
    int64_t at_ps = MIN(end_ps, replay_built_op(builder, launched)->begin_ps);

    if (replay_host_runs_ahead_of_device(builder, call))
        return end_ps;
    if (waits)
        at_ps -= stream_free_ps(builder, launched, begin_ps) - begin_ps;
    return MAX(begin_ps, at_ps);
}

/* Adds the points in time of host node @call. */
static void add_points_of_call(HostCallWalk *walk, uint32_t call)
{
    const ReplayBuilder *builder = walk->m;
    const RecordNode *node = record_node(builder->from, call);
    uint32_t launched = builder->first_launched[call];
    int64_t begin_ps = replay_call_begin(builder, call);
    int64_t end_ps = replay_call_end(builder, call);
    gboolean is_wait = node->kind == RECORD_WAIT;
    gboolean waits = recording_has_awaited_ops(builder, node);

    if (launched != RECORD_NONE)
        add_host_event_point(
            walk, POINT_LAUNCH, call,
            host_time_of_launch(builder, call, launched, is_wait || waits));
    else if (is_wait || waits)
        add_host_event_point(walk, POINT_STOP, call, begin_ps);
    else
        replay_report(builder)->n[REPORT_FOLDED]++;
    if (is_wait)
        add_host_event_point(walk, POINT_RESUME, call, end_ps);
    else if (waits)
        add_host_event_point(walk, POINT_RESUME, call,
                             launched == RECORD_NONE ? begin_ps : end_ps);
}

static int compare_points_by_time(gconstpointer a, gconstpointer b)
{
    const HostPoint *x = a, *y = b;

    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* ---- operations ------------------------------------------------------- */

/* Adds the host operation that ends at @point, with its dependencies. */
static uint32_t add_host_op(HostCallWalk *walk, const HostPoint *point)
{
    const ReplayBuilder *builder = walk->m;
    ReplayOp op = { .kind = REPLAY_HOST,
                    .node = point->call,
                    .chain = REPLAY_HOST_CHAIN,
                    .instance = RECORD_NONE,
                    .begin_ps = walk->at_ps,
                    .end_ps = MAX(point->at_ps, walk->at_ps),
                    .floor_ps = RECORD_NO_TIME };
    uint32_t added;

    if (walk->last == RECORD_NONE && !builder->span->is_first)
        op.floor_ps = builder->span->begin_ps;
    added = replay_add_op(walk->m, &op, op.end_ps);
    if (walk->last != RECORD_NONE)
        replay_add_pair(walk->m, added, walk->last);
    for (guint i = 0; i < walk->waits->len; i++)
        replay_add_pair(walk->m, added,
                        g_array_index(walk->waits, uint32_t, i));
    g_array_set_size(walk->waits, 0);
    walk->at_ps = op.end_ps;
    walk->last = added;
    return added;
}

/* Launches operations at @point.  The launched operations follow the launching
 * operation in the order of keys. */
static void add_launch_at_point(HostCallWalk *walk, const HostPoint *point)
{
    ReplayBuilder *builder = walk->m;
    uint32_t from = add_host_op(walk, point);

    for (uint32_t op = builder->first_launched[point->call]; op != RECORD_NONE;
         op = builder->next_launched[op]) {
        ReplayPair pair = {
            op, from, replay_host_runs_ahead_of_device(builder, point->call)
        };

        if (!pair.is_before)
            g_array_index(builder->keys, int64_t, op) =
                replay_built_op(builder, from)->end_ps;
        g_array_append_val(builder->pairs, pair);
        replay_report(builder)->n[REPORT_LAUNCHES]++;
    }
}

static void wait_for_recorded_deps(HostCallWalk *walk, const RecordNode *node,
                                   int64_t until_ps)
{
    ReplayBuilder *builder = walk->m;

    for (uint32_t d = 0; d < replay_count_valid_deps(builder, node); d++) {
        uint32_t dependency = replay_resolve_dep(builder, node, d);

        if (dependency == RECORD_NONE)
            replay_report(builder)->n[REPORT_ABSENT]++;
        else if (builder->op_of[dependency] == RECORD_NONE)
            replay_report(builder)->n[REPORT_IN_HOST_ORDER]++;
        else if (replay_node_end(builder, dependency) >
                 until_ps + TWO_CLOCKS_PS)
            replay_report(builder)->n[REPORT_BACKWARD]++;
        else
            g_array_append_val(walk->waits, builder->op_of[dependency]);
    }
}

/* Records what the host has waited for at @point. */
static void resume_host_at_point(HostCallWalk *walk, const HostPoint *point)
{
    ReplayBuilder *builder = walk->m;
    const RecordNode *node = record_node(builder->from, point->call);
    guint n = walk->waits->len;
    uint32_t dependency;

    wait_for_recorded_deps(walk, node, point->at_ps);
    if (walk->waits->len > n) {
        replay_report(builder)->n[REPORT_WAITS_GIVEN]++;
        return;
    }
    if (node->kind != RECORD_WAIT || (node->flags & RECORD_WAITS_FOR_DEPS))
        return;
    dependency = replay_last_ended_op(
        builder, point->at_ps + REPLAY_TOLERANCE_PS,
        replay_call_begin(builder, point->call), RECORD_NONE);
    if (dependency == RECORD_NONE) {
        replay_report(builder)->n[REPORT_WAITED_NOTHING]++;
        return;
    }
    g_array_append_val(walk->waits, dependency);
    replay_report(builder)->n[REPORT_WAITS_INFERRED]++;
}

/* Returns whether the host works after the last call, or still waits. */
static gboolean host_works_after_last_call(const HostCallWalk *walk)
{
    return walk->waits->len > 0 || walk->m->span->host_end_ps > walk->at_ps;
}

static void walk_host_calls(HostCallWalk *walk)
{
    for (guint i = 0; i < walk->points->len; i++) {
        const HostPoint *point = &g_array_index(walk->points, HostPoint, i);

        if (point->kind == POINT_LAUNCH)
            add_launch_at_point(walk, point);
        else if (point->kind == POINT_STOP)
            add_host_op(walk, point);
        else
            resume_host_at_point(walk, point);
    }
    if (host_works_after_last_call(walk))
        add_host_op(walk, &(HostPoint){ .at_ps = walk->m->span->host_end_ps,
                                        .call = RECORD_NONE });
}

void replay_find_host_ops(ReplayBuilder *builder, const GArray *calls)
{
    HostCallWalk w = { .m = builder,
                       .at_ps = builder->span->begin_ps,
                       .last = RECORD_NONE };

    if (calls->len == 0)
        return;
    w.points = g_array_new(FALSE, TRUE, sizeof(HostPoint));
    w.waits = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 0; i < calls->len; i++)
        add_points_of_call(&w, g_array_index(calls, uint32_t, i));
    g_array_sort(w.points, compare_points_by_time);
    count_host_threads(builder, calls);
    walk_host_calls(&w);
    g_array_unref(w.points);
    g_array_unref(w.waits);
}
