/* critical_path.c - operations, and the waits between kernels that they end */
#include "models/observe/critical_path.h"

#include "models/observe/critical_path_impl.h"

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
    const ChainLink *mark = NULL;

    if (to_ps <= path->since_ps)
        return;
    at_ps = MAX(at_ps, path->since_ps);
    path->rows_ps[PATH_UNKNOWN] += to_ps - at_ps;
    for (const ChainLink *link = chain->last; link && at_ps > path->since_ps;
         link = link->before) {
        SimTime from_ps = MAX(link->from_ps, path->since_ps);

        if (link->is_mark) {
            mark = link;
            continue;
        }
        from_ps = MIN(from_ps, at_ps);
        book(path, link->what, link->is_queue ? NULL : mark, from_ps, at_ps);
        at_ps = from_ps;
    }
    path->rows_ps[PATH_UNKNOWN] += at_ps - path->since_ps;
}

static Chain *kernel_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    OpStream stream = op_graph_op(system_graph(path->system), op)->stream;

    return &path->kernels[path_place(path, npu) * OP_N_STREAMS + stream];
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

    (void)iteration;
    path_extend(path, chain, is_main ? PATH_OTHERS : PATH_SIDE, now_ps, now_ps,
                now_ps);
    path_go_on(path, chain);
    chain_clear(&path->pool, chain);
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
    if (!is_followed(path, npu, op))
        return;
    path->runs = FALSE;
    path->since_ps = now_ps;
}

static void on_collective_begins(gpointer self, uint32_t npu, uint32_t op,
                                 uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)iteration;
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
    (void)iteration;
    (void)now_ps;
    if (npu == path->npu)
        chain_copy(&path->pool, &path->last, &path->now);
}

/* ---- the rest --------------------------------------------------------- */

static const TraceOps critical_path_ops = {
    .begins = on_begins,
    .kernel_begins = on_kernel_begins,
    .kernel_ran = on_kernel_ran,
    .kernel_ends = on_kernel_ends,
    .collective_begins = on_collective_begins,
    .collective_launched = on_collective_launched,
    .collective_ends = on_collective_ends,
};

CriticalPath *critical_path_new(System *system, uint32_t npu)
{
    CriticalPath *path = g_new0(CriticalPath, 1);
    gsize n = system_n_simulated(system);

    g_assert(system_simulates(system, npu));
    path->system = system;
    path->npu = npu;
    chain_pool_init(&path->pool, MAX_LINKS);
    path->kernels = g_new0(Chain, n * OP_N_STREAMS);
    path->rooms = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++)
        path->rooms[i] = PATH_RESOURCES + RESOURCE_WINDOW;
    path->issued_ps = g_new0(SimTime, n * system_graph(system)->ops->len);
    path->launches = g_new0(Chain, n * system_graph(system)->ops->len);
    path->stages = g_new0(Chain, n * system_graph(system)->queues->len);
    path->handed = g_new0(Chain, system_graph(system)->ops->len);
    path->freed = g_new0(Chain, system_graph(system)->lanes->len);
    path->loads = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->copies = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->messages = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->places = g_array_new(FALSE, TRUE, sizeof(PathPlace));
    system_listen(system, &critical_path_ops, path);
    system_listen(system, &critical_path_comm, path);
    system_listen(system, &critical_path_lanes, path);
    system_listen(system, &critical_path_stages, path);
    return path;
}

void critical_path_free(CriticalPath *path)
{
    if (!path)
        return;
    g_free(path->kernels);
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
    chain_pool_clear(&path->pool); /* and with it all chains */
    g_free(path);
}

void critical_path_finish(CriticalPath *path, SimTime total_ps)
{
    if (!path->runs)
        book_wait(path, &path->last, total_ps);
}

SimTime critical_path_ps(const CriticalPath *path, uint32_t row)
{
    return path->rows_ps[row];
}
