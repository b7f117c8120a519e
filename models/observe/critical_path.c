/* critical_path.c - the causes of kernels and of the waits between them */
#include "models/observe/critical_path.h"

#include "models/observe/critical_path_impl.h"

#include <string.h>

#include "models/observe/kernel_time_split.h"
#include "models/run/stack_costs.h"

/* The maximum number of chain links, which take 160 MB.  The longest wait of
 * the demo, 40 ms of GNMT, needs a fifth of them. */
#define MAX_LINKS (UINT64_C(4) << 20)

/* The marks on a chain of causes that a walk back has passed.  A mark says that
 * a chunk waited for room. */
typedef struct {
    gboolean is_marked;
    CauseChainLink room; /* the mark that the walk passed last */
    /* The first passed mark whose wait includes the current time.  The chunk
     * that was inside meanwhile may have waited too. */
    CauseChainLink wait;
} PathMarks;

static void record_wait_mark(PathMarks *marks, const CauseChainLink *mark,
                             SimTime at_ps)
{
    marks->room = *mark;
    if (!marks->is_marked || at_ps <= marks->wait.from_ps)
        marks->wait = *mark;
    marks->is_marked = TRUE;
}

/* Charges the time from @from_ps to @to_ps, in which no mark begins, to a row.
 * While a chunk waits for room, the collective of @link is inside.  If that is
 * in a queue, the queue is the cause, otherwise the room. */
static void charge_piece_to_row(PathTimeAccount *book,
                                const CauseChainLink *link,
                                const PathMarks *marks, SimTime from_ps,
                                SimTime to_ps)
{
    gboolean in_room = marks->is_marked && from_ps >= marks->room.from_ps;
    gboolean in_wait = marks->is_marked && from_ps >= marks->wait.from_ps;
    gboolean takes_room = in_room && !link->is_queue;
    uint32_t row = takes_room ? marks->room.row : link->row;
    uint32_t waits = in_wait   ? marks->wait.op
                     : in_room ? marks->room.op
                               : CHAIN_NO_OP;
    gboolean is_other =
        waits != CHAIN_NO_OP ? link->op != waits : link->is_other;

    book->rows_ps[row] += to_ps - from_ps;
    if (link->op == CHAIN_NO_OP)
        return;
    if (is_other) {
        book->other_ps[row] += to_ps - from_ps;
        book->behind_ps[link->op] += to_ps - from_ps;
    } else if (takes_room || link->is_own || link->is_other) {
        book->own_ps[row] += to_ps - from_ps;
    }
}

static SimTime cut_interval_at(SimTime cut_ps, SimTime from_ps, SimTime to_ps)
{
    return cut_ps > from_ps && cut_ps < to_ps ? cut_ps : from_ps;
}

/* Charges the time from @from_ps to @to_ps to rows.  Divides it where marks
 * begin, from the last piece to the first. */
static void charge_interval_to_rows(CriticalPath *path,
                                    const CauseChainLink *link,
                                    const PathMarks *marks, SimTime from_ps,
                                    SimTime to_ps)
{
    while (to_ps > from_ps) {
        SimTime cut_ps = from_ps;

        if (marks->is_marked)
            cut_ps = MAX(cut_interval_at(marks->room.from_ps, from_ps, to_ps),
                         cut_interval_at(marks->wait.from_ps, from_ps, to_ps));
        charge_piece_to_row(&path->times, link, marks, cut_ps, to_ps);
        to_ps = cut_ps;
    }
}

/* Charges the wait from .since_ps to @to_ps to rows, along the chain of causes
 * @chain that has ended the wait. */
static void charge_wait_along_chain(CriticalPath *path, const CauseChain *chain,
                                    SimTime to_ps)
{
    SimTime at_ps = MIN(chain->to_ps, to_ps);
    ChainWalk walk = chain_walk_start(chain);
    PathMarks marks = { 0 };
    CauseChainLink link;

    if (to_ps <= path->since_ps)
        return;
    at_ps = MAX(at_ps, path->since_ps);
    path->times.rows_ps[PATH_UNKNOWN] += to_ps - at_ps;
    while (at_ps > path->since_ps &&
           chain_walk_to_previous_link(&walk, &link)) {
        SimTime from_ps = MAX(link.from_ps, path->since_ps);

        if (link.is_mark) {
            record_wait_mark(&marks, &link, at_ps);
            continue;
        }
        from_ps = MIN(from_ps, at_ps);
        charge_interval_to_rows(path, &link, &marks, from_ps, at_ps);
        at_ps = from_ps;
    }
    path->times.rows_ps[PATH_UNKNOWN] += at_ps - path->since_ps;
}

static CauseChain *cause_chain_of_kernel(const CriticalPath *path, uint32_t npu,
                                         uint32_t op)
{
    OpStream stream = op_graph_op(system_graph(path->system), op)->stream;

    return &path->kernels[path_npu_index(path, npu) * OP_N_STREAMS + stream];
}

/* ---- the end of an iteration ------------------------------------------ */

/* The maximum number of chain links while the end of an iteration is kept.
 * Beyond it, other chains need the memory, so the end is dropped and stays
 * unknown. */
#define MOST_KEPT (MAX_LINKS / 8)

static void copy_path_time_account(const CriticalPath *path,
                                   PathTimeAccount *to,
                                   const PathTimeAccount *from)
{
    SimTime *behind_ps = to->behind_ps;
    gsize n = system_graph(path->system)->ops->len;

    *to = *from;
    to->behind_ps = behind_ps;
    memcpy(behind_ps, from->behind_ps, n * sizeof behind_ps[0]);
}

static void drop_kept_iteration_end(CriticalPath *path)
{
    path->tail.is_kept = FALSE;
    cause_chain_clear(&path->pool, &path->tail.chain);
}

/* Begins to record the part of the path after the last kernel of @iteration,
 * which has just ended on .npu. */
static void begin_keeping_iteration_end(CriticalPath *path, uint64_t iteration,
                                        SimTime now_ps)
{
    path->tail.is_kept = path->tail.has_been = TRUE;
    path->tail.iteration = iteration;
    path->tail.since_ps = now_ps;
    copy_path_time_account(path, &path->tail.times, &path->times);
}

/* Records that an operation of @iteration has ended on @npu.  Its chain of
 * causes is .now. */
static void record_iteration_end_of_npu(CriticalPath *path, uint32_t npu,
                                        uint64_t iteration)
{
    PathIterationEnd *tail = &path->tail;

    if (!tail->is_kept || iteration > tail->iteration)
        return;
    if (npu == path->npu)
        cause_chain_copy(&path->pool, &tail->chain, &path->wait_chain);
    if (path->pool.n_links > MOST_KEPT)
        drop_kept_iteration_end(path);
}

/* ---- operations ------------------------------------------------------- */

static void on_operation_begins(gpointer self, uint32_t npu, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    cause_chain_start(&path->pool, &path->base, now_ps);
    cause_chain_start(&path->pool, &path->wait_chain, now_ps);
}

static gboolean is_main_stream_of_followed_npu(const CriticalPath *path,
                                               uint32_t npu, uint32_t op)
{
    return npu == path->npu &&
           op_graph_op(system_graph(path->system), op)->stream ==
               OP_STREAM_MAIN;
}

static void on_kernel_begins(gpointer self, uint32_t npu, uint32_t op,
                             uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
    if (is_main_stream_of_followed_npu(path, npu, op)) {
        charge_wait_along_chain(path, &path->wait_chain, now_ps);
        path->runs = TRUE;
    }
    cause_chain_copy(&path->pool, cause_chain_of_kernel(path, npu, op),
                     &path->wait_chain);
}

/* Event: a piece of a kernel has run.  A kernel that makes no progress waits as
 * if it had not begun. */
static void on_kernel_ran(gpointer self, uint32_t npu, const TracePiece *piece,
                          SimTime now_ps)
{
    CriticalPath *path = self;

    if (npu != path->npu || piece->stream != OP_STREAM_MAIN)
        return;
    if (piece->total_ps > 0) {
        path->runs = TRUE; /* the stall may have lasted zero time */
        divide_kernel_time_among_rows(
            &system_config(path->system)->platform.npu,
            op_graph_op(system_graph(path->system), piece->op)->work, piece,
            now_ps - piece->from_ps, path->times.rows_ps);
        return;
    }
    path->runs = piece->from_ps < now_ps;
    if (path->runs)
        charge_wait_along_chain(path, &path->wait_chain, now_ps);
    else
        path->since_ps = now_ps;
}

static void on_kernel_ends(gpointer self, uint32_t npu, uint32_t op,
                           uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = cause_chain_of_kernel(path, npu, op);
    gboolean is_main =
        op_graph_op(system_graph(path->system), op)->stream == OP_STREAM_MAIN;

    path_extend_cause_chain(path, chain, is_main ? PATH_OTHER_NPUS : PATH_SIDE,
                            now_ps, now_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
    if (npu == path->npu)
        cause_chain_copy(&path->pool, &path->last, &path->wait_chain);
    if (is_main_stream_of_followed_npu(path, npu, op)) {
        path->runs = FALSE;
        path->since_ps = now_ps;
        if (op == path->tail.last_op)
            begin_keeping_iteration_end(path, iteration, now_ps);
    }
    record_iteration_end_of_npu(path, npu, iteration);
}

static void on_collective_begins(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    if (path->tail.is_kept && iteration > path->tail.iteration)
        drop_kept_iteration_end(path);
    *path_issue_time_of_op(path, npu, op) = now_ps;
    if (system_launch_ps(path->system, npu, op) > 0)
        cause_chain_copy(&path->pool, path_launch_chain_of_op(path, npu, op),
                         &path->wait_chain);
}

static void on_collective_launched(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = path_launch_chain_of_op(path, npu, op);

    (void)iteration;
    path_extend_cause_chain(path, chain, PATH_RESOURCES + RESOURCE_LAUNCH,
                            now_ps, now_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
    *path_issue_time_of_op(path, npu, op) = now_ps;
}

static void on_collective_ends(gpointer self, uint32_t npu, uint32_t op,
                               uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)op;
    (void)now_ps;
    if (npu == path->npu)
        cause_chain_copy(&path->pool, &path->last, &path->wait_chain);
    record_iteration_end_of_npu(path, npu, iteration);
}

/* ---- iterations that repeat ------------------------------------------- */

/* Subtracts @since_ps[i] - @tail_ps[i] from each of the @n times @ps[i]: the
 * time that was charged after the end of the iteration at which the path is cut
 * off. */
static void subtract_time_after_iteration_end(SimTime *ps,
                                              const SimTime *since_ps,
                                              const SimTime *tail_ps, gsize n)
{
    for (gsize i = 0; i < n; i++)
        ps[i] -= since_ps[i] - tail_ps[i];
}

/* Ends the path at the recorded end of an iteration, @shift_ps later, as if the
 * next iteration had not begun. @was holds the times before the skipped
 * iterations were added; their excess over the times at that end
 * is subtracted. */
static void end_path_at_kept_iteration_end(CriticalPath *path,
                                           const PathTimeAccount *was,
                                           SimTime shift_ps)
{
    PathTimeAccount *now = &path->times, *tail = &path->tail.times;

    subtract_time_after_iteration_end(now->rows_ps, was->rows_ps, tail->rows_ps,
                                      PATH_N);
    subtract_time_after_iteration_end(now->own_ps, was->own_ps, tail->own_ps,
                                      PATH_N);
    subtract_time_after_iteration_end(now->other_ps, was->other_ps,
                                      tail->other_ps, PATH_N);
    subtract_time_after_iteration_end(now->behind_ps, was->behind_ps,
                                      tail->behind_ps,
                                      system_graph(path->system)->ops->len);
    path->runs = FALSE;
    path->since_ps = path->tail.since_ps;
    path->skipped_ps = shift_ps;
    cause_chain_copy(&path->pool, &path->last, &path->tail.chain);
    server_history_clear(path->server_history);
}

static void visit_time_counters(SteadyWalk *walk, SimTime *ps, gsize n)
{
    for (gsize i = 0; i < n; i++)
        steady_visit_counter(walk, &ps[i]);
}

/* Visits the state for the detection of repeating iterations.  Chains count
 * only in waits, and only as far as they are later than the start of the wait.
 * The next wait begins after the current kernel, when all present chains are
 * past.  Chunks and messages start anew, because nothing is in flight.  With
 * one simulated NPU the awaited rooms are not compared: whenever chunks remain
 * after one was issued, the reason is reported.  With several NPUs, an NPU may
 * follow the order of another and wait without a report. */
static void visit_critical_path_state(gpointer self, SteadyWalk *walk)
{
    CriticalPath *path = self;
    uint32_t n = system_n_simulated_npus(path->system);
    gsize n_ops = system_graph(path->system)->ops->len;
    g_autofree SimTime *behind_ps = g_new(SimTime, n_ops);
    PathTimeAccount was = { .behind_ps = behind_ps };

    walk->is_lost |= !path->runs || path->pool.most_links > MAX_LINKS / 2 ||
                     (path->tail.has_been && !path->tail.is_kept);
    copy_path_time_account(path, &was, &path->times);
    for (uint32_t i = 0; n > 1 && i < n; i++)
        steady_visit_constant(walk, path->rooms[i]);
    visit_time_counters(walk, path->times.rows_ps, PATH_N);
    visit_time_counters(walk, path->times.own_ps, PATH_N);
    visit_time_counters(walk, path->times.other_ps, PATH_N);
    visit_time_counters(walk, path->times.behind_ps, n_ops);
    if (walk->moves)
        end_path_at_kept_iteration_end(path, &was, walk->shift_ps);
}

/* ---- construction -------------------------------------------------------- */

static const TraceOps critical_path_ops = {
    .steady = visit_critical_path_state,
    .repeats = &path_repeats,
    .begins = on_operation_begins,
    .kernel_begins = on_kernel_begins,
    .kernel_ran = on_kernel_ran,
    .kernel_ends = on_kernel_ends,
    .collective_begins = on_collective_begins,
    .collective_launched = on_collective_launched,
    .collective_ends = on_collective_ends,
};

static uint32_t last_kernel_of_iteration(const OpGraph *graph)
{
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COMPUTE &&
            op_graph_op(graph, i)->stream == OP_STREAM_MAIN)
            last = i;
    return last;
}

CriticalPath *critical_path_new(System *system, uint32_t npu)
{
    CriticalPath *path = g_new0(CriticalPath, 1);
    gsize n = system_n_simulated_npus(system);

    g_assert(system_simulates_npu(system, npu));
    path->system = system;
    path->npu = npu;
    cause_chain_pool_init(&path->pool, MAX_LINKS);
    path->kernels = g_new0(CauseChain, n * OP_N_STREAMS);
    path->admission = g_new0(CauseChain, n * ADMISSION_N_STAGES);
    path->rooms = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++)
        path->rooms[i] = PATH_RESOURCES + RESOURCE_WINDOW;
    path->issued_ps = g_new0(SimTime, n * system_graph(system)->ops->len);
    path->launches = g_new0(CauseChain, n * system_graph(system)->ops->len);
    path->stages = g_new0(CauseChain, n * system_graph(system)->queues->len);
    path->submitted = g_new0(CauseChain, system_graph(system)->ops->len);
    path->freed = g_new0(CauseChain, system_graph(system)->lanes->len);
    path->tail.last_op = last_kernel_of_iteration(system_graph(system));
    path->loads = g_array_new(FALSE, TRUE, sizeof(CauseChain));
    path->copies = g_array_new(FALSE, TRUE, sizeof(CauseChain));
    path->messages = g_array_new(FALSE, TRUE, sizeof(CauseChain));
    path->message_states = g_array_new(FALSE, TRUE, sizeof(guint8));
    path->slot_ops = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    path->server_history = server_history_new();
    path->times.behind_ps = g_new0(SimTime, system_graph(system)->ops->len);
    path->tail.times.behind_ps =
        g_new0(SimTime, system_graph(system)->ops->len);
    path->chunks = g_array_new(FALSE, TRUE, sizeof(PathChunk));
    path->last_entries = g_array_new(FALSE, FALSE, sizeof(PathSnapshotEntry));
    system_add_listener(system, &critical_path_ops, path);
    system_add_listener(system, &critical_path_comm, path);
    if (system_graph(system)->lanes->len > 0)
        system_add_listener(system, &critical_path_lanes, path);
    system_add_listener(system, &critical_path_stages, path);
    return path;
}

void critical_path_free(CriticalPath *path)
{
    if (!path)
        return;
    g_free(path->kernels);
    g_free(path->admission);
    g_free(path->rooms);
    g_free(path->issued_ps);
    g_free(path->launches);
    g_free(path->stages);
    g_free(path->submitted);
    g_free(path->freed);
    g_array_unref(path->loads);
    g_array_unref(path->copies);
    g_array_unref(path->messages);
    g_array_unref(path->message_states);
    g_array_unref(path->slot_ops);
    server_history_free(path->server_history);
    g_free(path->times.behind_ps);
    g_free(path->tail.times.behind_ps);
    g_array_unref(path->chunks);
    g_array_unref(path->last_entries);
    chain_snapshot_unref(path->last_chains);
    cause_chain_pool_clear(&path->pool); /* frees the links of all chains */
    g_free(path);
}

void critical_path_finish(CriticalPath *path, SimTime total_ps)
{
    if (!path->runs)
        charge_wait_along_chain(path, &path->last, total_ps - path->skipped_ps);
}

SimTime critical_path_row_queue_time_ps(const CriticalPath *path, uint32_t row,
                                        gboolean behind_others)
{
    return behind_others ? path->times.other_ps[row] : path->times.own_ps[row];
}

SimTime critical_path_time_behind_op_ps(const CriticalPath *path, uint32_t op)
{
    return path->times.behind_ps[op];
}

SimTime critical_path_row_time_ps(const CriticalPath *path, uint32_t row)
{
    return path->times.rows_ps[row];
}
