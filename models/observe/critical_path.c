/* critical_path.c - operations, and the waits between kernels that they end */
#include "models/observe/critical_path.h"

#include "models/observe/critical_path_impl.h"

#include <string.h>

#include "models/observe/kernel_split.h"
#include "models/run/decided.h"

/* 160 MB.  The demo's longest wait, 40 ms of GNMT, needs a fifth of it. */
#define MAX_LINKS (UINT64_C(4) << 20)

/* From @from_ps to @to_ps it was @row, or, as far as that is later than the
 * start of @mark, the room that it kept from others. */
static void book(CriticalPath *path, uint32_t row, const ChainLink *mark,
                 SimTime from_ps, SimTime to_ps)
{
    SimTime since_ps = mark ? CLAMP(mark->from_ps, from_ps, to_ps) : to_ps;

    path->rows_ps[row] += since_ps - from_ps;
    if (mark)
        path->rows_ps[mark->what] += to_ps - since_ps;
}

/* From .since_ps to @to_ps nothing ran, and then @chain let something run. */
static void book_wait(CriticalPath *path, const Chain *chain, SimTime to_ps)
{
    SimTime at_ps = MIN(chain->to_ps, to_ps);
    ChainWalk walk = chain_walk(chain);
    ChainLink link, mark;
    gboolean is_marked = FALSE;

    if (to_ps <= path->since_ps)
        return;
    at_ps = MAX(at_ps, path->since_ps);
    path->rows_ps[PATH_UNKNOWN] += to_ps - at_ps;
    while (at_ps > path->since_ps && chain_walk_back(&walk, &link)) {
        SimTime from_ps = MAX(link.from_ps, path->since_ps);

        if (link.is_mark) {
            mark = link;
            is_marked = TRUE;
            continue;
        }
        from_ps = MIN(from_ps, at_ps);
        book(path, link.what, is_marked && !link.is_queue ? &mark : NULL,
             from_ps, at_ps);
        at_ps = from_ps;
    }
    path->rows_ps[PATH_UNKNOWN] += at_ps - path->since_ps;
}

static Chain *kernel_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    OpStream stream = op_graph_op(system_graph(path->system), op)->stream;

    return &path->kernels[path_place(path, npu) * OP_N_STREAMS + stream];
}

/* ---- the end, if there were no more iterations ------------------------ */

/* Others may need the room: then it is not known how this one would end. */
#define MOST_KEPT (MAX_LINKS / 8)

static void drop_tail(CriticalPath *path)
{
    path->tail.is_kept = FALSE;
    chain_clear(&path->pool, &path->tail.chain);
}

/* The last kernel of @iteration has ended on .npu. */
static void begin_tail(CriticalPath *path, uint64_t iteration, SimTime now_ps)
{
    path->tail.is_kept = path->tail.has_been = TRUE;
    path->tail.iteration = iteration;
    path->tail.since_ps = now_ps;
    memcpy(path->tail.rows_ps, path->rows_ps, sizeof path->rows_ps);
}

/* Something of @iteration has ended on @npu, and .now is why. */
static void note_end(CriticalPath *path, uint32_t npu, uint64_t iteration)
{
    PathTail *tail = &path->tail;

    if (!tail->is_kept || iteration > tail->iteration)
        return;
    if (npu == path->npu)
        chain_copy(&path->pool, &tail->chain, &path->now);
    if (path->pool.n_links > MOST_KEPT)
        drop_tail(path);
}

/* ---- operations ------------------------------------------------------- */

static void on_begins(gpointer self, uint32_t npu, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    chain_start(&path->pool, &path->base, now_ps);
    chain_start(&path->pool, &path->now, now_ps);
}

static gboolean is_followed(const CriticalPath *path, uint32_t npu, uint32_t op)
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
    if (is_followed(path, npu, op)) {
        book_wait(path, &path->now, now_ps);
        path->runs = TRUE;
    }
    chain_copy(&path->pool, kernel_at(path, npu, op), &path->now);
}

/* A kernel that stands still waits as if it had not begun. */
static void on_kernel_ran(gpointer self, uint32_t npu, const TracePiece *piece,
                          SimTime now_ps)
{
    CriticalPath *path = self;

    if (npu != path->npu || piece->stream != OP_STREAM_MAIN)
        return;
    if (piece->total_ps > 0) {
        path->runs = TRUE; /* it may have stood still for no time */
        kernel_split(&system_config(path->system)->platform.npu,
                     &op_graph_op(system_graph(path->system), piece->op)->work,
                     piece, now_ps - piece->from_ps, path->rows_ps);
        return;
    }
    path->runs = piece->from_ps < now_ps;
    if (path->runs)
        book_wait(path, &path->now, now_ps);
    else
        path->since_ps = now_ps;
}

static void on_kernel_ends(gpointer self, uint32_t npu, uint32_t op,
                           uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = kernel_at(path, npu, op);
    gboolean is_main =
        op_graph_op(system_graph(path->system), op)->stream == OP_STREAM_MAIN;

    path_extend(path, chain, is_main ? PATH_OTHERS : PATH_SIDE, now_ps, now_ps,
                now_ps);
    path_go_on(path, chain);
    chain_clear(&path->pool, chain);
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
    if (is_followed(path, npu, op)) {
        path->runs = FALSE;
        path->since_ps = now_ps;
        if (op == path->tail.after)
            begin_tail(path, iteration, now_ps);
    }
    note_end(path, npu, iteration);
}

static void on_collective_begins(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    if (path->tail.is_kept && iteration > path->tail.iteration)
        drop_tail(path);
    *path_issue_at(path, npu, op) = now_ps;
    if (system_launch_ps(path->system, npu, op) > 0)
        chain_copy(&path->pool, path_launch_at(path, npu, op), &path->now);
}

static void on_collective_launched(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = path_launch_at(path, npu, op);

    (void)iteration;
    path_extend(path, chain, PATH_RESOURCES + RESOURCE_LAUNCH, now_ps, now_ps,
                now_ps);
    path_go_on(path, chain);
    chain_clear(&path->pool, chain);
    *path_issue_at(path, npu, op) = now_ps;
}

static void on_collective_ends(gpointer self, uint32_t npu, uint32_t op,
                               uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)op;
    (void)now_ps;
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
    note_end(path, npu, iteration);
}

/* ---- iterations that repeat ------------------------------------------- */

/* As if the next iteration had not begun, all of it @shift_ps later; what that
 * made of rows since, which had been @rows_ps, is taken off. */
static void end_at_tail(CriticalPath *path, const SimTime *rows_ps,
                        SimTime shift_ps)
{
    for (uint32_t row = 0; row < PATH_N; row++)
        path->rows_ps[row] -= rows_ps[row] - path->tail.rows_ps[row];
    path->runs = FALSE;
    path->since_ps = path->tail.since_ps;
    path->skipped_ps = shift_ps;
    chain_copy(&path->pool, &path->last, &path->tail.chain);
}

/* What chains know is of use in waits alone, as far as it is later than their
 * beginning; the next begins after this kernel, when all that there is now is
 * past.  Places and messages begin anew, as nothing is under way.  Of one NPU
 * so does what the next chunk waits for: whenever chunks are left after one was
 * issued, it is told why.  Several follow one another's order, and may wait for
 * that without a word. */
static void on_steady(gpointer self, SteadyWalk *walk)
{
    CriticalPath *path = self;
    uint32_t n = system_n_simulated(path->system);
    SimTime rows_ps[PATH_N];

    walk->is_lost |= !path->runs || path->pool.most_links > MAX_LINKS / 2 ||
                     (path->tail.has_been && !path->tail.is_kept);
    memcpy(rows_ps, path->rows_ps, sizeof rows_ps);
    for (uint32_t i = 0; n > 1 && i < n; i++)
        steady_same(walk, path->rooms[i]);
    for (uint32_t row = 0; row < PATH_N; row++)
        steady_count(walk, &path->rows_ps[row]);
    if (walk->moves)
        end_at_tail(path, rows_ps, walk->shift_ps);
}

/* ---- the rest --------------------------------------------------------- */

static const TraceOps critical_path_ops = {
    .steady = on_steady,
    .repeats = &path_repeats,
    .begins = on_begins,
    .kernel_begins = on_kernel_begins,
    .kernel_ran = on_kernel_ran,
    .kernel_ends = on_kernel_ends,
    .collective_begins = on_collective_begins,
    .collective_launched = on_collective_launched,
    .collective_ends = on_collective_ends,
};

static uint32_t last_kernel(const OpGraph *graph)
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
    gsize n = system_n_simulated(system);

    g_assert(system_simulates(system, npu));
    path->system = system;
    path->npu = npu;
    chain_pool_init(&path->pool, MAX_LINKS);
    path->kernels = g_new0(Chain, n * OP_N_STREAMS);
    path->asked = g_new0(Chain, n * ACCORD_N_STAGES);
    path->rooms = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++)
        path->rooms[i] = PATH_RESOURCES + RESOURCE_WINDOW;
    path->issued_ps = g_new0(SimTime, n * system_graph(system)->ops->len);
    path->launches = g_new0(Chain, n * system_graph(system)->ops->len);
    path->stages = g_new0(Chain, n * system_graph(system)->queues->len);
    path->handed = g_new0(Chain, system_graph(system)->ops->len);
    path->freed = g_new0(Chain, system_graph(system)->lanes->len);
    path->tail.after = last_kernel(system_graph(system));
    path->loads = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->copies = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->messages = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->places = g_array_new(FALSE, TRUE, sizeof(PathPlace));
    path->seen = g_array_new(FALSE, FALSE, sizeof(PathSeen));
    system_listen(system, &critical_path_ops, path);
    system_listen(system, &critical_path_comm, path);
    if (system_graph(system)->lanes->len > 0)
        system_listen(system, &critical_path_lanes, path);
    system_listen(system, &critical_path_stages, path);
    return path;
}

void critical_path_free(CriticalPath *path)
{
    if (!path)
        return;
    g_free(path->kernels);
    g_free(path->asked);
    g_free(path->rooms);
    g_free(path->issued_ps);
    g_free(path->launches);
    g_free(path->stages);
    g_free(path->handed);
    g_free(path->freed);
    g_array_unref(path->loads);
    g_array_unref(path->copies);
    g_array_unref(path->messages);
    g_array_unref(path->places);
    g_array_unref(path->seen);
    chain_look_unref(path->look);
    chain_pool_clear(&path->pool); /* and with it all chains */
    g_free(path);
}

void critical_path_finish(CriticalPath *path, SimTime total_ps)
{
    if (!path->runs)
        book_wait(path, &path->last, total_ps - path->skipped_ps);
}

SimTime critical_path_ps(const CriticalPath *path, uint32_t row)
{
    return path->rows_ps[row];
}
