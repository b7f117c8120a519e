/* critical_path_comm.c - the causes of chunks and messages */
#include "models/observe/critical_path_impl.h"

#include <string.h>

#include "models/run/stack_costs.h"

static Chain *message_at(CriticalPath *path, uint32_t message)
{
    if (message >= path->messages->len)
        g_array_set_size(path->messages, 2 * message + 64);
    return &g_array_index(path->messages, Chain, message);
}

static PathChunk *place_at(CriticalPath *path, const TraceChunk *chunk)
{
    guint n = system_n_simulated(path->system);

    if (chunk->slot >= path->places->len / n)
        g_array_set_size(path->places, (chunk->slot + 1) * n);
    return &g_array_index(path->places, PathChunk,
                          chunk->slot * n + path_npu_index(path, chunk->npu));
}

/* ---- queues of servers -------------------------------------------------- */

/* The flags in the number of a server (server_history.h): a link, a limit, or
 * the HBM as written by another engine. */
#define LINKS_OF  (UINT64_C(1) << 62)
#define LIMITS_OF (UINT64_C(1) << 63)
#define INWARDS   (UINT64_C(1) << 31)

static uint64_t server_number(const CriticalPath *path, uint32_t npu,
                              uint32_t part)
{
    return (uint64_t)path_npu_index(path, npu) << 32 | part;
}

static guint8 *where_at(CriticalPath *path, uint32_t message)
{
    if (message >= path->where->len)
        g_array_set_size(path->where, 2 * message + 64);
    return &g_array_index(path->where, guint8, message);
}

/* Extends @chain by the time until now at @server: first in its queue behind
 * the earlier work of the server, from @free_ps at the latest in service of
 * @op. */
static void extend_at(CriticalPath *path, Chain *chain, uint64_t server,
                      uint32_t row, uint32_t op, SimTime free_ps,
                      SimTime now_ps)
{
    SimTime until_ps = server_history_end_ps(path->served, server);
    SimTime waits_ps = MIN(MIN(free_ps, until_ps), now_ps);
    SimTime from_ps = chain->to_ps;
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
    guint n =
        server_history_in_front(path->served, server, from_ps, waits_ps, front);

    path_drop_past(path, now_ps);
    chain_extend_behind(&path->pool, chain, row, op, front, n, waits_ps,
                        free_ps, now_ps);
    server_history_add(path->served, server, op, MAX(from_ps, waits_ps),
                       now_ps);
}

/* ---- chunks ----------------------------------------------------------- */

/* Returns the cause of the next admission to @stage on @npu.  Admission is
 * decided at the end of a time step; its cause is the event that had ended when
 * the request was made. */
static Chain *admission_at(const CriticalPath *path, uint32_t npu,
                           uint32_t stage)
{
    return &path->admission[path_npu_index(path, npu) * ADMISSION_N_STAGES +
                            stage];
}

static void on_asks(gpointer self, uint32_t npu, uint32_t stage, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    chain_copy(&path->pool, admission_at(path, npu, stage), &path->base);
}

static void on_chunk_asks(gpointer self, const TraceChunk *chunk,
                          SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    chain_copy(&path->pool, &place_at(path, chunk)->chain, &path->base);
}

/* Makes @why the cause of an admission if it ends now.  Otherwise no request
 * was made, and the cause does not change. */
static void set_cause(CriticalPath *path, const Chain *why, SimTime now_ps)
{
    if (why->to_ps == now_ps)
        path_set_cause(path, why);
}

static void on_intake_waits(gpointer self, uint32_t npu, TraceResource room,
                            SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    path->rooms[path_npu_index(path, npu)] = PATH_RESOURCES + room;
}

static void on_chunk_begins(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    CriticalPath *path = self;
    PathChunk *place = place_at(path, chunk);

    set_cause(path, admission_at(path, chunk->npu, ADMISSION_INTAKE), now_ps);
    *path_slot_op_at(path, chunk->slot) = chunk->op;
    place->has_phases = FALSE;
    place->since_ps = *path_issue_at(path, chunk->npu, chunk->op);
    place->is_issue = TRUE;
    place->waits = place->since_ps < now_ps;
    place->room = path->rooms[path_npu_index(path, chunk->npu)];
}

static void on_chunk_waits(gpointer self, const TraceChunk *chunk,
                           TraceResource room, SimTime now_ps)
{
    PathChunk *place = place_at(self, chunk);

    if (!place->waits) {
        place->since_ps = now_ps;
        place->is_issue = FALSE;
    }
    place->waits = TRUE;
    place->room = PATH_RESOURCES + room;
}

/* Makes the event that has just ended the cause of @chunk continuing.  Marks
 * the time that the chunk waited for room. */
static void resume(CriticalPath *path, const TraceChunk *chunk)
{
    PathChunk *place = place_at(path, chunk);

    chain_copy(&path->pool, &path->now, &path->base);
    if (place->waits)
        chain_mark(&path->pool, &path->now, place->room, chunk->op,
                   place->since_ps, place->is_issue);
    place->waits = FALSE;
}

static void on_phase_begins(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    CriticalPath *path = self;
    PathChunk *place = place_at(path, chunk);

    set_cause(path, admission_at(path, chunk->npu, ADMISSION_PHASE(phase)),
              now_ps);
    if (!place->waits)
        set_cause(path, &place->chain, now_ps);
    chain_clear(&path->pool, &place->chain);
    place->has_phases = TRUE;
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
    const PathChunk *place = place_at(path, chunk);
    Chain *chain = &place_at(path, chunk)->chain;
    uint64_t server = server_number(path, chunk->npu, by);

    if (place->has_phases)
        server |= INWARDS; /* another engine writes to the HBM */
    extend_at(path, chain, server, PATH_RESOURCES + by, chunk->op, free_ps,
              now_ps);
    path_set_cause(path, chain);
    chain_clear(&path->pool, chain);
}

/* ---- messages --------------------------------------------------------- */

static void on_message_handed(gpointer self, uint32_t npu, uint32_t message,
                              SimTime now_ps)
{
    CriticalPath *path = self;
    guint8 *where = where_at(path, message);

    (void)npu;
    (void)now_ps;
    *where = *where == PATH_MESSAGE_ARRIVED ? PATH_MESSAGE_RECEIVED
                                            : PATH_MESSAGE_SENT;
    chain_copy(&path->pool, message_at(path, message), &path->now);
}

/* Extends @chain to @ready_ps by the delay of a message in the endpoint of
 * @npu: first the step time of the endpoint or the protocol, then the
 * processing cycles. */
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
        path_extend_delay(path, chain, PATH_RESOURCES + row,
                          path_message_op(path, message), ready_ps - cycles_ps,
                          now_ps);
    path_extend_delay(path, chain, PATH_RESOURCES + RESOURCE_CYCLES,
                      path_message_op(path, message), ready_ps, now_ps);
}

static void on_message_done(gpointer self, uint32_t npu, uint32_t message,
                            TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);
    uint64_t server = server_number(path, npu, by);

    if (*where_at(path, message) == PATH_MESSAGE_RECEIVED)
        server |= INWARDS;
    if (by == RESOURCE_CYCLES)
        extend_cycles(path, chain, npu, message, now_ps, now_ps);
    else
        extend_at(path, chain, server, PATH_RESOURCES + by,
                  path_message_op(path, message), free_ps, now_ps);
    path_set_cause(path, chain);
}

/* Event: a message arrives.  On a network of packet trains, the last link has
 * already extended the chain until now. */
static void on_message_arrives(gpointer self, uint32_t npu, uint32_t message,
                               SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);

    (void)npu;
    *where_at(path, message) = PATH_MESSAGE_ARRIVED;
    path_extend(path, chain, PATH_NETWORK, now_ps, now_ps, now_ps);
    path_set_cause(path, chain);
    chain_clear(&path->pool, chain);
}

static gboolean limit_has(const TopologyLimit *limit, uint32_t port)
{
    for (uint32_t i = 0; i < limit->n_ports; i++)
        if (limit->ports[i] == port)
            return TRUE;
    return FALSE;
}

static SimTime length_of(const ServiceSpan *spans, guint n)
{
    SimTime ps = 0;

    for (guint i = 0; i < n; i++)
        ps += spans[i].to_ps - spans[i].from_ps;
    return ps;
}

/* Lists the work in front of a message of @op, which was in the queue of @port,
 * or of a limit on its links, since @from_ps.  Sets @ret to the spans of the
 * server that worked longest meanwhile, and returns their number.  Records that
 * all these servers have the message until @end_ps. */
static guint front_of_link(CriticalPath *path, uint32_t npu, uint32_t port,
                           uint32_t op, SimTime from_ps, SimTime end_ps,
                           SimTime now_ps,
                           ServiceSpan ret[SERVER_HISTORY_MAX_FRONT])
{
    const Topology *topology = system_topology(path->system);
    uint64_t link = LINKS_OF | server_number(path, npu, port);
    guint n = server_history_in_front(path->served, link, from_ps, now_ps, ret);

    server_history_add(path->served, link, op, now_ps, end_ps);
    for (uint32_t l = 0; l < topology_n_limits(topology); l++) {
        const TopologyLimit *limit = topology_limit(topology, l);
        uint64_t server = LIMITS_OF | server_number(path, npu, l);
        ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
        guint n_front;

        if (!limit_has(limit, port))
            continue;
        n_front = server_history_in_front(path->served, server, from_ps, now_ps,
                                          front);
        if (length_of(front, n_front) > length_of(ret, n)) {
            memcpy(ret, front, sizeof front);
            n = n_front;
        }
        server_history_add(path->served, server, op, now_ps, end_ps);
    }
    return n;
}

static void on_link(gpointer self, uint32_t npu, uint32_t port,
                    uint32_t message, SimTime ready_ps, SimTime free_ps,
                    SimTime end_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    Chain *chain = message_at(path, message);
    const TopologyPort *p = topology_port(system_topology(path->system), port);
    uint32_t op = path_message_op(path, message);
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
    guint n;

    /* A message on its way down may have waited in the switch for those of
     * other NPUs. */
    if (system_message(path->system, message)->meets == NET_HAS_MET)
        path_extend(path, chain, PATH_NETWORK, 0, ready_ps, now_ps);
    else
        extend_cycles(path, chain, npu, message, ready_ps, now_ps);
    n = front_of_link(path, npu, port, op, chain->to_ps, end_ps, now_ps, front);
    path_drop_past(path, now_ps);
    chain_extend_behind(&path->pool, chain, PATH_LINKS + p->dim, op, front, n,
                        now_ps, free_ps, end_ps);
    path_extend_delay(path, chain, PATH_LATENCIES + p->dim, op,
                      end_ps + p->latency_ps, now_ps);
}

const TraceOps critical_path_comm = {
    .steady = path_steady,
    .repeats = &path_repeats,
    .asks = on_asks,
    .chunk_eligible = on_chunk_asks,
    .intake_waits = on_intake_waits,
    .chunk_begins = on_chunk_begins,
    .chunk_waits = on_chunk_waits,
    .phase_begins = on_phase_begins,
    .chunk_submitted = on_chunk_handed,
    .chunk_moved = on_chunk_moved,
    .message_submitted = on_message_handed,
    .message_done = on_message_done,
    .message_arrives = on_message_arrives,
    .link = on_link,
};
