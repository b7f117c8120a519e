#include "models/observe/critical_path.h"

#include "models/observe/chain.h"
#include "models/observe/kernel_split.h"

/* 160 MB.  The demo's longest wait, 40 ms of GNMT, needs a fifth of it. */
#define MAX_LINKS (UINT64_C(4) << 20)

/* A chunk on an NPU. */
typedef struct {
    Chain chain; /* while a DMA engine has it */
    gboolean waits;
    uint32_t room; /* for that, a PathRow, */
    SimTime since_ps;
} Place;

struct CriticalPath {
    System *system; /* borrowed */
    uint32_t npu;
    SimTime rows_ps[PATH_N];
    gboolean runs;    /* a kernel is on the main stream of .npu; else */
    SimTime since_ps; /* it has been waiting */
    ChainPool pool;
    Chain base;         /* of the end that was told last */
    Chain now;          /* that, and what was waited for */
    Chain last;         /* of the last operation of .npu that ended */
    Chain *kernels;     /* owned: one a stream of each simulated NPU */
    uint32_t *rooms;    /* owned: what its next chunk waits for, by NPU */
    SimTime *issued_ps; /* owned: by NPU and operation: when it could start */
    Chain *launches;    /* owned: likewise, while it is launched */
    GArray *messages;   /* owned, of Chain, by message */
    GArray *places;     /* owned, of Place, by slot and NPU */
};

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

/* Only what is later than this can be part of a wait. */
static void forget(CriticalPath *path, SimTime now_ps)
{
    path->pool.keep_from_ps = path->runs ? now_ps : path->since_ps;
}

/* See chain_extend(). */
static void extend(CriticalPath *path, Chain *chain, uint32_t what,
                   SimTime served_ps, SimTime to_ps, SimTime now_ps)
{
    forget(path, now_ps);
    chain_extend(&path->pool, chain, what, served_ps, to_ps);
}

/* @chain has brought about what happens now. */
static void go_on(CriticalPath *path, const Chain *chain)
{
    chain_copy(&path->pool, &path->base, chain);
    chain_copy(&path->pool, &path->now, chain);
}

static Chain *kernel_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    OpStream stream = op_graph_op(system_graph(path->system), op)->stream;

    return &path->kernels[npu * OP_N_STREAMS + stream];
}

static SimTime *issue_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    return &path->issued_ps[npu * system_graph(path->system)->ops->len + op];
}

static Chain *launch_at(const CriticalPath *path, uint32_t npu, uint32_t op)
{
    return &path->launches[npu * system_graph(path->system)->ops->len + op];
}

static Chain *message_at(CriticalPath *path, uint32_t message)
{
    if (message >= path->messages->len)
        g_array_set_size(path->messages, 2 * message + 64);
    return &g_array_index(path->messages, Chain, message);
}

static Place *place_at(CriticalPath *path, const TraceChunk *chunk)
{
    guint n = system_n_simulated(path->system);

    if (chunk->slot >= path->places->len / n)
        g_array_set_size(path->places, (chunk->slot + 1) * n);
    return &g_array_index(path->places, Place, chunk->slot * n + chunk->npu);
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
    extend(path, chain, is_main ? PATH_OTHERS : PATH_SIDE, now_ps, now_ps,
           now_ps);
    go_on(path, chain);
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
    *issue_at(path, npu, op) = now_ps;
    if (system_endpoint(path->system, npu)->launch_ps > 0)
        chain_copy(&path->pool, launch_at(path, npu, op), &path->now);
}

static void on_collective_launched(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = launch_at(path, npu, op);

    (void)iteration;
    extend(path, chain, PATH_RESOURCES + RESOURCE_LAUNCH, now_ps, now_ps,
           now_ps);
    go_on(path, chain);
    chain_clear(&path->pool, chain);
    *issue_at(path, npu, op) = now_ps;
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

/* ---- chunks ----------------------------------------------------------- */

static void on_intake_waits(gpointer self, uint32_t npu, TraceResource room,
                            SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    path->rooms[npu] = PATH_RESOURCES + room;
}

static void on_chunk_begins(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    CriticalPath *path = self;
    Place *place = place_at(path, chunk);

    place->since_ps = *issue_at(path, chunk->npu, chunk->op);
    place->waits = place->since_ps < now_ps;
    place->room = path->rooms[chunk->npu];
}

static void on_chunk_waits(gpointer self, const TraceChunk *chunk,
                           TraceResource room, SimTime now_ps)
{
    Place *place = place_at(self, chunk);

    if (!place->waits)
        place->since_ps = now_ps;
    place->waits = TRUE;
    place->room = PATH_RESOURCES + room;
}

/* What has just ended lets @chunk go on. */
static void resume(CriticalPath *path, const TraceChunk *chunk)
{
    Place *place = place_at(path, chunk);

    chain_copy(&path->pool, &path->now, &path->base);
    if (place->waits)
        chain_mark(&path->pool, &path->now, place->room, place->since_ps);
    place->waits = FALSE;
}

static void on_phase_begins(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    (void)phase;
    (void)now_ps;
    resume(self, chunk);
}

static void on_chunk_handed(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    resume(path, chunk);
    chain_copy(&path->pool, &place_at(path, chunk)->chain, &path->now);
}

static void on_chunk_moved(gpointer self, const TraceChunk *chunk,
                           TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = &place_at(path, chunk)->chain;

    extend(path, chain, PATH_RESOURCES + by, free_ps, now_ps, now_ps);
    go_on(path, chain);
    chain_clear(&path->pool, chain);
}

/* ---- messages --------------------------------------------------------- */

static void on_message_handed(gpointer self, uint32_t npu, uint32_t message,
                              SimTime now_ps)
{
    CriticalPath *path = self;

    (void)npu;
    (void)now_ps;
    chain_copy(&path->pool, message_at(path, message), &path->now);
}

/* To @ready_ps @npu's endpoint held the message back: for its step first. */
static void extend_cycles(CriticalPath *path, Chain *chain, uint32_t npu,
                          SimTime ready_ps, SimTime now_ps)
{
    const Endpoint *endpoint = system_endpoint(path->system, npu);
    SimTime cycles_ps = endpoint->message_ps - endpoint->step_ps;

    if (endpoint->step_ps > 0 && ready_ps > cycles_ps)
        extend(path, chain, PATH_RESOURCES + RESOURCE_STEP, 0,
               ready_ps - cycles_ps, now_ps);
    extend(path, chain, PATH_RESOURCES + RESOURCE_CYCLES, 0, ready_ps, now_ps);
}

static void on_message_done(gpointer self, uint32_t npu, uint32_t message,
                            TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);

    if (by == RESOURCE_CYCLES)
        extend_cycles(path, chain, npu, now_ps, now_ps);
    else
        extend(path, chain, PATH_RESOURCES + by, free_ps, now_ps, now_ps);
    go_on(path, chain);
}

/* On a network of trains the last link has told everything. */
static void on_message_arrives(gpointer self, uint32_t npu, uint32_t message,
                               SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);

    (void)npu;
    extend(path, chain, PATH_NETWORK, now_ps, now_ps, now_ps);
    go_on(path, chain);
    chain_clear(&path->pool, chain);
}

static void on_link(gpointer self, uint32_t npu, uint32_t port,
                    uint32_t message, SimTime ready_ps, SimTime free_ps,
                    SimTime end_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);
    const TopologyPort *p = topology_port(system_topology(path->system), port);

    /* On its way down it may have waited in the switch for those of others. */
    if (system_message(path->system, message)->meets == NET_HAS_MET)
        extend(path, chain, PATH_NETWORK, 0, ready_ps, now_ps);
    else
        extend_cycles(path, chain, npu, ready_ps, now_ps);
    extend(path, chain, PATH_LINKS + p->dim, free_ps, end_ps, now_ps);
    extend(path, chain, PATH_LATENCIES + p->dim, 0, end_ps + p->latency_ps,
           now_ps);
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
    .intake_waits = on_intake_waits,
    .chunk_begins = on_chunk_begins,
    .chunk_waits = on_chunk_waits,
    .phase_begins = on_phase_begins,
    .chunk_handed = on_chunk_handed,
    .chunk_moved = on_chunk_moved,
    .message_handed = on_message_handed,
    .message_done = on_message_done,
    .message_arrives = on_message_arrives,
    .link = on_link,
};

CriticalPath *critical_path_new(System *system, uint32_t npu)
{
    CriticalPath *path = g_new0(CriticalPath, 1);
    gsize n = system_n_simulated(system);

    g_assert(npu < n);
    path->system = system;
    path->npu = npu;
    chain_pool_init(&path->pool, MAX_LINKS);
    path->kernels = g_new0(Chain, n * OP_N_STREAMS);
    path->rooms = g_new(uint32_t, n);
    for (gsize i = 0; i < n; i++)
        path->rooms[i] = PATH_RESOURCES + RESOURCE_WINDOW;
    path->issued_ps = g_new0(SimTime, n * system_graph(system)->ops->len);
    path->launches = g_new0(Chain, n * system_graph(system)->ops->len);
    path->messages = g_array_new(FALSE, TRUE, sizeof(Chain));
    path->places = g_array_new(FALSE, TRUE, sizeof(Place));
    system_listen(system, &critical_path_ops, path);
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
