/* critical_path_comm.c - the causes of chunks and messages */
#include "models/observe/critical_path_impl.h"

#include <string.h>

#include "models/run/stack_costs.h"

static CauseChain *cause_chain_of_message(CriticalPath *path, uint32_t message)
{
    if (message >= path->messages->len)
        g_array_set_size(path->messages, 2 * message + 64);
    return &g_array_index(path->messages, CauseChain, message);
}

static PathChunk *path_state_of_chunk(CriticalPath *path,
                                      const TraceChunk *chunk)
{
    guint n = system_n_simulated_npus(path->system);

    if (chunk->slot >= path->chunks->len / n)
        g_array_set_size(path->chunks, (chunk->slot + 1) * n);
    return &g_array_index(path->chunks, PathChunk,
                          chunk->slot * n + path_npu_index(path, chunk->npu));
}

/* ---- queues of servers -------------------------------------------------- */

/* The flags in the number of a server (server_service_history.h): a link, a
 * limit, or the HBM as written by another engine. */
#define LINKS_OF  (UINT64_C(1) << 62)
#define LIMITS_OF (UINT64_C(1) << 63)
#define INWARDS   (UINT64_C(1) << 31)

static uint64_t number_of_endpoint_server(const CriticalPath *path,
                                          uint32_t npu, uint32_t part)
{
    return (uint64_t)path_npu_index(path, npu) << 32 | part;
}

static guint8 *path_state_of_message(CriticalPath *path, uint32_t message)
{
    if (message >= path->message_states->len)
        g_array_set_size(path->message_states, 2 * message + 64);
    return &g_array_index(path->message_states, guint8, message);
}

/* Extends @chain by the time until now at @server: first in its queue behind
 * the earlier work of the server, from @free_ps at the latest in service of
 * @op. */
static void extend_chain_at_server(CriticalPath *path, CauseChain *chain,
                                   uint64_t server, uint32_t row, uint32_t op,
                                   SimTime free_ps, SimTime now_ps)
{
    SimTime until_ps = server_history_end_ps(path->server_history, server);
    SimTime waits_ps = MIN(MIN(free_ps, until_ps), now_ps);
    SimTime from_ps = chain->to_ps;
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
    guint n = server_history_list_work_in_front(path->server_history, server,
                                                from_ps, waits_ps, front);

    path_drop_intervals_before_wait(path, now_ps);
    cause_chain_extend_in_queue(&path->pool, chain, row, op, front, n, waits_ps,
                                free_ps, now_ps);
    server_history_add(path->server_history, server, op, MAX(from_ps, waits_ps),
                       now_ps);
}

/* ---- chunks ----------------------------------------------------------- */

/* Returns the cause of the next admission to @stage on @npu.  Admission is
 * decided at the end of a time step; its cause is the event that had ended when
 * the request was made. */
static CauseChain *cause_chain_of_admission(const CriticalPath *path,
                                            uint32_t npu, uint32_t stage)
{
    return &path->admission[path_npu_index(path, npu) * ADMISSION_N_STAGES +
                            stage];
}

static void on_admission_requested(gpointer self, uint32_t npu, uint32_t stage,
                                   SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    cause_chain_copy(&path->pool, cause_chain_of_admission(path, npu, stage),
                     &path->base);
}

static void on_chunk_requests_next_phase(gpointer self, const TraceChunk *chunk,
                                         SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    cause_chain_copy(&path->pool, &path_state_of_chunk(path, chunk)->chain,
                     &path->base);
}

/* Makes @cause_chain the cause of an admission if it ends now.  Otherwise no
 * request was made, and the cause does not change. */
static void set_cause_of_admission(CriticalPath *path,
                                   const CauseChain *cause_chain,
                                   SimTime now_ps)
{
    if (cause_chain->to_ps == now_ps)
        path_set_cause(path, cause_chain);
}

static void on_intake_waits_for_room(gpointer self, uint32_t npu,
                                     TraceResource room, SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    path->rooms[path_npu_index(path, npu)] = PATH_RESOURCES + room;
}

static void on_chunk_begins(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps)
{
    CriticalPath *path = self;
    PathChunk *place = path_state_of_chunk(path, chunk);

    set_cause_of_admission(
        path, cause_chain_of_admission(path, chunk->npu, ADMISSION_INTAKE),
        now_ps);
    *path_collective_of_slot(path, chunk->slot) = chunk->op;
    place->has_phases = FALSE;
    place->since_ps = *path_issue_time_of_op(path, chunk->npu, chunk->op);
    place->is_issue = TRUE;
    place->is_waiting = place->since_ps < now_ps;
    place->awaited_row = path->rooms[path_npu_index(path, chunk->npu)];
}

static void on_chunk_waits_for_room(gpointer self, const TraceChunk *chunk,
                                    TraceResource room, SimTime now_ps)
{
    PathChunk *place = path_state_of_chunk(self, chunk);

    if (!place->is_waiting) {
        place->since_ps = now_ps;
        place->is_issue = FALSE;
    }
    place->is_waiting = TRUE;
    place->awaited_row = PATH_RESOURCES + room;
}

/* Makes the event that has just ended the cause of @chunk continuing.  Marks
 * the time that the chunk waited for room. */
static void set_cause_of_resumed_chunk(CriticalPath *path,
                                       const TraceChunk *chunk)
{
    PathChunk *place = path_state_of_chunk(path, chunk);

    cause_chain_copy(&path->pool, &path->wait_chain, &path->base);
    if (place->is_waiting)
        cause_chain_mark_room_wait(&path->pool, &path->wait_chain,
                                   place->awaited_row, chunk->op,
                                   place->since_ps, place->is_issue);
    place->is_waiting = FALSE;
}

static void on_phase_begins(gpointer self, const TraceChunk *chunk,
                            uint32_t phase, SimTime now_ps)
{
    CriticalPath *path = self;
    PathChunk *place = path_state_of_chunk(path, chunk);

    set_cause_of_admission(
        path,
        cause_chain_of_admission(path, chunk->npu, ADMISSION_PHASE(phase)),
        now_ps);
    if (!place->is_waiting)
        set_cause_of_admission(path, &place->chain, now_ps);
    cause_chain_clear(&path->pool, &place->chain);
    place->has_phases = TRUE;
    set_cause_of_resumed_chunk(path, chunk);
}

static void on_chunk_given_to_engine(gpointer self, const TraceChunk *chunk,
                                     SimTime now_ps)
{
    CriticalPath *path = self;

    (void)now_ps;
    set_cause_of_resumed_chunk(path, chunk);
    cause_chain_copy(&path->pool, &path_state_of_chunk(path, chunk)->chain,
                     &path->wait_chain);
}

static void on_chunk_moved(gpointer self, const TraceChunk *chunk,
                           TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    const PathChunk *place = path_state_of_chunk(path, chunk);
    CauseChain *chain = &path_state_of_chunk(path, chunk)->chain;
    uint64_t server = number_of_endpoint_server(path, chunk->npu, by);

    if (place->has_phases)
        server |= INWARDS; /* another engine writes to the HBM */
    extend_chain_at_server(path, chain, server, PATH_RESOURCES + by, chunk->op,
                           free_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
}

/* ---- messages --------------------------------------------------------- */

static void on_message_given_to_endpoint(gpointer self, uint32_t npu,
                                         uint32_t message, SimTime now_ps)
{
    CriticalPath *path = self;
    guint8 *where = path_state_of_message(path, message);

    (void)npu;
    (void)now_ps;
    *where = *where == PATH_MESSAGE_ARRIVED ? PATH_MESSAGE_RECEIVED
                                            : PATH_MESSAGE_SENT;
    cause_chain_copy(&path->pool, cause_chain_of_message(path, message),
                     &path->wait_chain);
}

/* Extends @chain to @ready_ps by the delay of a message in the endpoint of
 * @npu: first the step time of the endpoint or the protocol, then the
 * processing cycles. */
static void extend_chain_by_endpoint_delay(CriticalPath *path,
                                           CauseChain *chain, uint32_t npu,
                                           uint32_t message, SimTime ready_ps,
                                           SimTime now_ps)
{
    const Endpoint *endpoint = system_endpoint(
        path->system, npu, path_collective_of_message(path, message));
    SimTime cycles_ps = endpoint->message_ps - endpoint->step_ps;
    SimTime step_ps = endpoint->step_ps;
    uint32_t row = RESOURCE_STEP;

    if (system_protocol_step(path->system, message, &step_ps))
        row = RESOURCE_PROTOCOL;
    if (step_ps > 0 && ready_ps > cycles_ps)
        path_extend_cause_chain_by_delay(
            path, chain, PATH_RESOURCES + row,
            path_collective_of_message(path, message), ready_ps - cycles_ps,
            now_ps);
    path_extend_cause_chain_by_delay(
        path, chain, PATH_RESOURCES + RESOURCE_CYCLES,
        path_collective_of_message(path, message), ready_ps, now_ps);
}

static void on_message_done(gpointer self, uint32_t npu, uint32_t message,
                            TraceResource by, SimTime free_ps, SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = cause_chain_of_message(path, message);
    uint64_t server = number_of_endpoint_server(path, npu, by);

    if (*path_state_of_message(path, message) == PATH_MESSAGE_RECEIVED)
        server |= INWARDS;
    if (by == RESOURCE_CYCLES)
        extend_chain_by_endpoint_delay(path, chain, npu, message, now_ps,
                                       now_ps);
    else
        extend_chain_at_server(path, chain, server, PATH_RESOURCES + by,
                               path_collective_of_message(path, message),
                               free_ps, now_ps);
    path_set_cause(path, chain);
}

/* Event: a message arrives.  On a network of packet trains, the last link has
 * already extended the chain until now. */
static void on_message_arrives(gpointer self, uint32_t npu, uint32_t message,
                               SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = cause_chain_of_message(path, message);

    (void)npu;
    *path_state_of_message(path, message) = PATH_MESSAGE_ARRIVED;
    path_extend_cause_chain(path, chain, PATH_NETWORK, now_ps, now_ps, now_ps);
    path_set_cause(path, chain);
    cause_chain_clear(&path->pool, chain);
}

static gboolean limit_contains_port(const TopologyLimit *limit, uint32_t port)
{
    for (uint32_t i = 0; i < limit->n_ports; i++)
        if (limit->ports[i] == port)
            return TRUE;
    return FALSE;
}

static SimTime length_of_service_spans(const ServiceSpan *spans, guint n)
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
static guint
list_link_work_before_message(CriticalPath *path, uint32_t npu, uint32_t port,
                              uint32_t op, SimTime from_ps, SimTime end_ps,
                              SimTime now_ps,
                              ServiceSpan ret[SERVER_HISTORY_MAX_FRONT])
{
    const Topology *topology = system_topology(path->system);
    uint64_t link = LINKS_OF | number_of_endpoint_server(path, npu, port);
    guint n = server_history_list_work_in_front(path->server_history, link,
                                                from_ps, now_ps, ret);

    server_history_add(path->server_history, link, op, now_ps, end_ps);
    for (uint32_t l = 0; l < topology_n_limits(topology); l++) {
        const TopologyLimit *limit = topology_get_limit(topology, l);
        uint64_t server = LIMITS_OF | number_of_endpoint_server(path, npu, l);
        ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
        guint n_front;

        if (!limit_contains_port(limit, port))
            continue;
        n_front = server_history_list_work_in_front(
            path->server_history, server, from_ps, now_ps, front);
        if (length_of_service_spans(front, n_front) >
            length_of_service_spans(ret, n)) {
            memcpy(ret, front, sizeof front);
            n = n_front;
        }
        server_history_add(path->server_history, server, op, now_ps, end_ps);
    }
    return n;
}

static void on_message_takes_link(gpointer self, uint32_t npu, uint32_t port,
                                  uint32_t message, SimTime ready_ps,
                                  SimTime free_ps, SimTime end_ps,
                                  SimTime now_ps)
{
    CriticalPath *path = self;
    CauseChain *chain = cause_chain_of_message(path, message);
    const TopologyPort *topology_port =
        topology_get_port(system_topology(path->system), port);
    uint32_t op = path_collective_of_message(path, message);
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
    guint n;

    /* A message on its way down may have waited in the switch for those of
     * other NPUs. */
    if (system_get_message_in_flight(path->system, message)->reduction_role ==
        NET_REDUCTION_DONE)
        path_extend_cause_chain(path, chain, PATH_NETWORK, 0, ready_ps, now_ps);
    else
        extend_chain_by_endpoint_delay(path, chain, npu, message, ready_ps,
                                       now_ps);
    n = list_link_work_before_message(path, npu, port, op, chain->to_ps, end_ps,
                                      now_ps, front);
    path_drop_intervals_before_wait(path, now_ps);
    cause_chain_extend_in_queue(&path->pool, chain,
                                PATH_LINKS + topology_port->dim, op, front, n,
                                now_ps, free_ps, end_ps);
    path_extend_cause_chain_by_delay(
        path, chain, PATH_LATENCIES + topology_port->dim, op,
        end_ps + topology_port->latency_ps, now_ps);
}

const TraceOps critical_path_comm = {
    .steady = path_visit_no_state,
    .repeats = &path_repeats,
    .may_admit = on_admission_requested,
    .chunk_eligible = on_chunk_requests_next_phase,
    .intake_waits = on_intake_waits_for_room,
    .chunk_begins = on_chunk_begins,
    .chunk_waits = on_chunk_waits_for_room,
    .phase_begins = on_phase_begins,
    .chunk_submitted = on_chunk_given_to_engine,
    .chunk_moved = on_chunk_moved,
    .message_submitted = on_message_given_to_endpoint,
    .message_done = on_message_done,
    .message_arrives = on_message_arrives,
    .link = on_message_takes_link,
};
