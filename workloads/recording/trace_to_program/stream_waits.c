/*
 * stream_waits.c - dependencies between streams of the device
 *
 * A host call such as cudaStreamWaitEvent makes a stream wait for an operation
 * of another stream.  The next operation that the thread launches then depends
 * on that operation.  If the recording does not say which operation it is, the
 * following rules apply:
 *
 *   - It is the operation on another stream that was launched last, among those
 *     that have no dependent yet and had ended when the next operation began.
 *   - A communication library switches to a private stream by such calls before
 *     the launch, and back by as many calls after it.  The calls after the
 *     launch cause no dependency.
 *   - A collective without other information waits for the last kernel that was
 *     launched before it.
 *   - In a recording without such calls, a kernel waits for a communication if
 *     the kernel began within a few us of its end, and if no known dependency
 *     explains its begin.
 */
#include "workloads/recording/trace_to_program/replay_state_impl.h"

#define BEGINS_AS_IT_ENDS_PS  (5 * 1000000)
#define MAX_SEARCHED          10000
#define MAX_LAUNCHES_SEARCHED 256

/* The state of one thread: dependencies of the next operation that it
 * launches. */
typedef struct {
    /* Number of waiting calls whose awaited operation is not recorded. */
    guint n;
    /* Number of following calls by which the library of the last communication
     * switches its stream back; they cause no dependency. */
    guint n_own_calls;
    /* Owned: operations that are known to be waited for; the elements are
     * uint32_t. */
    GArray *given;
} Pending;

typedef struct {
    ReplayBuilder *m;
    Pending *pending; /* owned: the pending dependencies of each stream */
    /* Owned: operations in the order of launches; the elements are uint32_t. */
    GArray *order;
    /* Owned: for each operation, whether another one depends on it. */
    guint8 *has_dependent;
    uint32_t kernel; /* the compute operation that was launched last */
} Launches;

static int64_t launch_time_ps(const ReplayBuilder *builder, const ReplayOp *op)
{
    uint32_t call = builder->launch[op->node];

    return call == RECORD_NONE ? op->begin_ps
                               : replay_node_begin(builder, call);
}

/* Returns the number of operations in .by_end that end until @end_ps. */
static guint count_ended_ops(const ReplayBuilder *builder, int64_t end_ps)
{
    guint low = 0, high = builder->by_end->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        uint32_t op = g_array_index(builder->by_end, uint32_t, middle);

        if (replay_built_op(builder, op)->end_ps <= end_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t replay_last_ended_op(const ReplayBuilder *builder, int64_t end_ps,
                              int64_t before_ps, uint32_t but)
{
    guint n = count_ended_ops(builder, end_ps);

    for (guint i = 0; i < n && i < MAX_SEARCHED; i++) {
        uint32_t op = g_array_index(builder->by_end, uint32_t, n - 1 - i);

        if (replay_built_op(builder, op)->chain != but &&
            launch_time_ps(builder, replay_built_op(builder, op)) < before_ps)
            return op;
    }
    return RECORD_NONE;
}

/* ---- calls ------------------------------------------------------------ */

static void add_pending_waits(ReplayBuilder *builder, const RecordNode *node,
                              Pending *pending)
{
    if (node->n_deps == 0 && pending->n_own_calls > 0)
        pending->n_own_calls--;
    else if (node->n_deps == 0)
        pending->n++;
    for (uint32_t d = 0; d < replay_count_valid_deps(builder, node); d++) {
        uint32_t dependency = replay_resolve_dep(builder, node, d);

        if (dependency == RECORD_NONE ||
            builder->op_of[dependency] == RECORD_NONE)
            replay_report(builder)->n[REPORT_ABSENT]++;
        else
            g_array_append_val(pending->given, builder->op_of[dependency]);
    }
}

static gboolean op_had_ended_before_call(const ReplayBuilder *builder,
                                         uint32_t dependency,
                                         const ReplayOp *op)
{
    return replay_built_op(builder, dependency)->end_ps <=
           op->begin_ps + REPLAY_TOLERANCE_PS;
}

static uint32_t last_launched_on_other_stream(const Launches *launches,
                                              const ReplayOp *op)
{
    for (guint i = 0; i < launches->order->len && i < MAX_LAUNCHES_SEARCHED;
         i++) {
        uint32_t dependency = g_array_index(launches->order, uint32_t,
                                            launches->order->len - 1 - i);

        if (replay_built_op(launches->m, dependency)->chain != op->chain &&
            !launches->has_dependent[dependency] &&
            op_had_ended_before_call(launches->m, dependency, op))
            return dependency;
    }
    return RECORD_NONE;
}

static void apply_pending_waits(Launches *launches, uint32_t op,
                                Pending *pending)
{
    ReplayBuilder *builder = launches->m;
    const ReplayOp *replay_op = replay_built_op(builder, op);
    uint32_t dependency;

    for (guint i = 0; i < pending->given->len; i++) {
        dependency = g_array_index(pending->given, uint32_t, i);
        if (dependency == op ||
            !op_had_ended_before_call(builder, dependency, replay_op)) {
            replay_report(builder)->n[REPORT_BACKWARD]++;
            continue;
        }
        replay_add_pair(builder, op, dependency);
        replay_report(builder)->n[REPORT_EVENTS_GIVEN]++;
    }
    for (guint i = 0; i < pending->n; i++) {
        dependency = last_launched_on_other_stream(launches, replay_op);
        if (dependency == RECORD_NONE)
            break;
        launches->has_dependent[dependency] = 1;
        replay_add_pair(builder, op, dependency);
        replay_report(builder)->n[REPORT_EVENTS_INFERRED]++;
    }
    pending->n_own_calls = replay_op->kind == REPLAY_SHARED ? pending->n : 0;
    pending->n = 0;
    g_array_set_size(pending->given, 0);
}

static void add_dep_on_last_kernel(ReplayBuilder *builder, uint32_t op,
                                   uint32_t kernel)
{
    const ReplayOp *replay_op = replay_built_op(builder, op);

    if (kernel == RECORD_NONE ||
        replay_built_op(builder, kernel)->chain == replay_op->chain ||
        !op_had_ended_before_call(builder, kernel, replay_op))
        return;
    replay_add_pair(builder, op, kernel);
    replay_report(builder)->n[REPORT_AFTER_KERNEL]++;
}

static void process_host_call(Launches *launches, uint32_t call)
{
    ReplayBuilder *builder = launches->m;
    const RecordNode *node = record_node(builder->from, call);
    uint32_t op = builder->first_launched[call];

    if (op != RECORD_NONE)
        apply_pending_waits(launches, op, &launches->pending[node->stream]);
    for (; op != RECORD_NONE; op = builder->next_launched[op]) {
        if (replay_built_op(builder, op)->kind == REPLAY_SHARED)
            add_dep_on_last_kernel(builder, op, launches->kernel);
        else
            launches->kernel = op;
        g_array_append_val(launches->order, op);
    }
    if (node->flags & RECORD_STREAM_WAITS)
        add_pending_waits(builder, node, &launches->pending[node->stream]);
}

static void process_host_calls(ReplayBuilder *builder, const GArray *calls)
{
    guint n = builder->from->streams->len;
    Launches l = { .m = builder, .kernel = RECORD_NONE };

    l.pending = g_new0(Pending, n + 1);
    l.order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    l.has_dependent = g_new0(guint8, builder->ops->len + 1);
    for (guint s = 0; s < n; s++)
        l.pending[s].given = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 0; i < calls->len; i++)
        process_host_call(&l, g_array_index(calls, uint32_t, i));
    for (guint s = 0; s < n; s++)
        g_array_unref(l.pending[s].given);
    g_free(l.pending);
    g_array_unref(l.order);
    g_free(l.has_dependent);
}

/* ---- without calls ---------------------------------------------------- */

/* Returns the time at which the known dependencies of each operation have
 * ended. The caller owns the array. */
static int64_t *dependency_end_times(const ReplayBuilder *builder)
{
    int64_t *ready_ps = g_new(int64_t, builder->ops->len + 1);

    for (guint i = 0; i < builder->ops->len; i++)
        ready_ps[i] = replay_built_op(builder, i)->floor_ps;
    for (guint p = 0; p < builder->pairs->len; p++) {
        const ReplayPair *pair = &g_array_index(builder->pairs, ReplayPair, p);

        if (pair->is_before)
            continue;
        ready_ps[pair->op] =
            MAX(ready_ps[pair->op], replay_built_op(builder, pair->on)->end_ps);
    }
    return ready_ps;
}

/* Returns the last communication that ended within the few us before @op began,
 * or RECORD_NONE. */
static uint32_t find_just_ended_communication(const ReplayBuilder *builder,
                                              const ReplayOp *op)
{
    guint n = count_ended_ops(builder, op->begin_ps + REPLAY_TOLERANCE_PS);

    for (guint i = 0; i < n && i < MAX_SEARCHED; i++) {
        uint32_t dependency =
            g_array_index(builder->by_end, uint32_t, n - 1 - i);
        const ReplayOp *replay_op = replay_built_op(builder, dependency);

        if (replay_op->end_ps < op->begin_ps - BEGINS_AS_IT_ENDS_PS)
            return RECORD_NONE;
        if (replay_op->kind == REPLAY_SHARED && replay_op->chain != op->chain &&
            replay_op->begin_ps < op->begin_ps)
            return dependency;
    }
    return RECORD_NONE;
}

static void add_deps_on_just_ended_ops(ReplayBuilder *builder)
{
    g_autofree int64_t *ready_ps = dependency_end_times(builder);

    for (guint i = 0; i < builder->by_end->len; i++) {
        uint32_t op = g_array_index(builder->by_end, uint32_t, i);
        const ReplayOp *replay_op = replay_built_op(builder, op);
        uint32_t dependency;

        if (replay_op->kind == REPLAY_SHARED ||
            replay_op->begin_ps == RECORD_NO_TIME ||
            ready_ps[op] == RECORD_NO_TIME ||
            replay_op->begin_ps - ready_ps[op] <= BEGINS_AS_IT_ENDS_PS)
            continue;
        dependency = find_just_ended_communication(builder, replay_op);
        if (dependency == RECORD_NONE || dependency == op)
            continue;
        replay_add_pair(builder, op, dependency);
        replay_report(builder)->n[REPORT_BY_END]++;
    }
}

/* Makes a collective without a launch and without dependencies follow the last
 * kernel. */
static void add_deps_on_kernels(ReplayBuilder *builder)
{
    for (guint i = 0; i < builder->by_end->len; i++) {
        uint32_t op = g_array_index(builder->by_end, uint32_t, i);
        const ReplayOp *replay_op = replay_built_op(builder, op);

        if (replay_op->kind == REPLAY_SHARED &&
            builder->launch[replay_op->node] == RECORD_NONE &&
            record_node(builder->from, replay_op->node)->n_deps == 0)
            add_dep_on_last_kernel(
                builder, op,
                replay_last_ended_op(builder,
                                     replay_op->begin_ps + REPLAY_TOLERANCE_PS,
                                     replay_op->begin_ps, replay_op->chain));
    }
}

void replay_find_stream_waits(ReplayBuilder *builder, const GArray *calls)
{
    process_host_calls(builder, calls);
    add_deps_on_kernels(builder);
    add_deps_on_just_ended_ops(builder);
}
