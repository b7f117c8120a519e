/* critical_path_comm.c - chunks and messages, and what they waited for */
#include "models/observe/critical_path_impl.h"

#include "models/run/decided.h"

static Chain *message_at(CriticalPath *path, uint32_t message)
{
    if (message >= path->messages->len)
        g_array_set_size(path->messages, 2 * message + 64);
    return &g_array_index(path->messages, Chain, message);
}

static PathPlace *place_at(CriticalPath *path, const TraceChunk *chunk)
{
    guint n = system_n_simulated(path->system);

    if (chunk->slot >= path->places->len / n)
        g_array_set_size(path->places, (chunk->slot + 1) * n);
    return &g_array_index(path->places, PathPlace,
                          chunk->slot * n + path_place(path, chunk->npu));
}

/* ---- chunks ----------------------------------------------------------- */

/* What is decided at the end of an instant, for those that ask, is because of
 * what had ended when they did. */
static Chain *asked_at(const CriticalPath *path, uint32_t npu, uint32_t stage)
{
    return &path->asked[path_place(path, npu) * ACCORD_N_STAGES + stage];
}

static void on_asks(gpointer self, uint32_t npu, uint32_t stage, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    chain_copy(&path->pool, asked_at(path, npu, stage), &path->base);
}

static void on_chunk_asks(gpointer self, const TraceChunk *chunk,
                          SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    chain_copy(&path->pool, &place_at(path, chunk)->chain, &path->base);
}

/* @npu takes something at @stage; nobody asked where @why is of another
 * instant. */
static void take_up(CriticalPath *path, const Chain *why, SimTime now_ps)
{
    if (why->to_ps == now_ps)
        path_go_on(path, why);
}

static void on_intake_waits(gpointer self, uint32_t npu, TraceResource room,
                            SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    path->rooms[path_place(path, npu)] = PATH_RESOURCES + room;
}

static void on_chunk_begins(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    CriticalPath *path = self;
    PathPlace *place = place_at(path, chunk);

    take_up(path, asked_at(path, chunk->npu, ACCORD_INTAKE), now_ps);
    place->since_ps = *path_issue_at(path, chunk->npu, chunk->op);
    place->is_issue = TRUE;
    place->waits = place->since_ps < now_ps;
    place->room = path->rooms[path_place(path, chunk->npu)];
}

static void on_chunk_waits(gpointer self, const TraceChunk *chunk,
                           TraceResource room, SimTime now_ps)
{
    PathPlace *place = place_at(self, chunk);

    if (!place->waits) {
        place->since_ps = now_ps;
        place->is_issue = FALSE;
    }
    place->waits = TRUE;
    place->room = PATH_RESOURCES + room;
}

/* What has just ended lets @chunk go on. */
static void resume(CriticalPath *path, const TraceChunk *chunk)
{
    PathPlace *place = place_at(path, chunk);

    chain_copy(&path->pool, &path->now, &path->base);
    if (place->waits)
        chain_mark(&path->pool, &path->now, place->room, place->since_ps,
                   place->is_issue);
    place->waits = FALSE;
}

static void on_phase_begins(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    CriticalPath *path = self;
    PathPlace *place = place_at(path, chunk);

    take_up(path, asked_at(path, chunk->npu, ACCORD_PHASE(phase)), now_ps);
    if (!place->waits)
        take_up(path, &place->chain, now_ps);
    chain_clear(&path->pool, &place->chain);
    resume(path, chunk);
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

    path_extend(path, chain, PATH_RESOURCES + by, free_ps, now_ps, now_ps);
    path_go_on(path, chain);
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

/* To @ready_ps @npu's endpoint held the message back: for its step first, or
 * its protocol's. */
static void extend_cycles(CriticalPath *path, Chain *chain, uint32_t npu,
                          uint32_t message, SimTime ready_ps, SimTime now_ps)
{
    const Endpoint *endpoint = system_endpoint(path->system, npu);
    SimTime cycles_ps = endpoint->message_ps - endpoint->step_ps;
    SimTime step_ps = endpoint->step_ps;
    uint32_t row = RESOURCE_STEP;

    if (system_protocol_step(path->system, message, &step_ps))
        row = RESOURCE_PROTOCOL;
    if (step_ps > 0 && ready_ps > cycles_ps)
        path_extend(path, chain, PATH_RESOURCES + row, 0, ready_ps - cycles_ps,
                    now_ps);
    path_extend(path, chain, PATH_RESOURCES + RESOURCE_CYCLES, 0, ready_ps,
                now_ps);
}

static void on_message_done(gpointer self, uint32_t npu, uint32_t message,
                            TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);

    if (by == RESOURCE_CYCLES)
        extend_cycles(path, chain, npu, message, now_ps, now_ps);
    else
        path_extend(path, chain, PATH_RESOURCES + by, free_ps, now_ps, now_ps);
    path_go_on(path, chain);
}

/* On a network of trains the last link has told everything. */
static void on_message_arrives(gpointer self, uint32_t npu, uint32_t message,
                               SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);

    (void)npu;
    path_extend(path, chain, PATH_NETWORK, now_ps, now_ps, now_ps);
    path_go_on(path, chain);
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
        path_extend(path, chain, PATH_NETWORK, 0, ready_ps, now_ps);
    else
        extend_cycles(path, chain, npu, message, ready_ps, now_ps);
    path_extend(path, chain, PATH_LINKS + p->dim, free_ps, end_ps, now_ps);
    path_extend(path, chain, PATH_LATENCIES + p->dim, 0, end_ps + p->latency_ps,
                now_ps);
}

const TraceOps critical_path_comm = {
    .steady = path_steady,
    .repeats = &path_repeats,
    .asks = on_asks,
    .chunk_asks = on_chunk_asks,
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
