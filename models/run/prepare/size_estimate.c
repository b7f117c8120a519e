/*
 * size_estimate.c - estimates memory and messages of a run before anything is
 * allocated
 *
 * Most memory is used by simulated NPUs and by chunks in flight: the state of a
 * chunk on every NPU, and its messages.  If all messages of a phase are created
 * at its start, each message counts.  If they are created on demand
 * (models/run/on_demand/on_demand_messages.h), a part of them counts
 * (inflight_bound.h). A message counts twice, because the array doubles when it
 * grows, or 9/8 times if there are many messages.
 *
 * The small objects of an NPU are measured: 2 to 5 KiB.  In addition, each
 * collective in flight has a table of all its chunks.  All collectives of an
 * iteration may be in flight together, since gradients are ready sooner than
 * they are reduced.
 */
#include "models/run/prepare/size_estimate.h"

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"
#include "models/run/prepare/inflight_bound.h"
#include "models/run/prepare/saturating_arithmetic.h"
#include "models/run/training_impl.h"
#include "sim/host/machine_memory.h"

#define NPU_OBJECTS_BYTES 4096
/* Bytes of the counters of an operation on one NPU, and of the times of a
 * collective (training_impl.h). */
#define OP_BYTES         (2 * sizeof(uint32_t))
#define COLLECTIVE_BYTES (sizeof(TrainingCollective) + sizeof(WaitInstance))
/* Bytes of an operation's graph entry and its list of dependents. */
#define OP_SHARED_BYTES 256

/* Address space of the program itself, which ulimit -v counts: 20 MiB of code,
 * libraries and stack are measured. */
#define PROGRAM_BYTES (UINT64_C(32) << 20)

/* Bytes of the records of a message and of a packet in perfetto_packets.c, each
 * counted twice because the arrays double when they grow. */
#define PACKET_MESSAGE_BYTES (2 * 72)
#define PACKET_BYTES         (2 * 88)
#define PACKET_CHANNELS      2

/* The lanes and messages of a whole chunk on one NPU. */
typedef struct {
    uint64_t n_lanes; /* lanes of all phases */
    uint64_t n_hops;  /* messages, counted once for each link */
    InflightBound messages;
} ChunkSize;

/* Returns the number of units that move a message over a link: one train, or
 * its packets. */
static uint64_t count_moved_units(const System *system, const CollPhase *phase,
                                  uint64_t chunk_bytes, uint64_t n_lanes)
{
    const CollectiveConfig *config = &system->plan.config->collectives;

    if (config->fidelity != FIDELITY_PACKET)
        return 1;
    return (coll_lane_bytes(phase, chunk_bytes, phase->max_blocks,
                            (uint32_t)n_lanes) -
            1) /
               config->packet_bytes +
           1;
}

static ChunkSize plan_chunk_size(const System *system, const CollPlan *plan,
                                 uint64_t chunk_bytes, uint64_t message_bytes)
{
    ChunkSize size = { 0 };

    for (uint32_t phase_index = 0; phase_index < plan->n_phases;
         phase_index++) {
        const CollPhase *phase = &plan->phases[phase_index];
        uint64_t n_lanes = coll_n_lanes(phase, chunk_bytes, message_bytes);

        size.n_lanes += n_lanes;
        size.n_hops = saturated_sum(
            size.n_hops,
            saturated_product(
                saturated_product(n_lanes, phase->n_steps),
                count_moved_units(system, phase, chunk_bytes, n_lanes)));
        inflight_bound_add_phase(&size.messages, system, plan, phase,
                                 chunk_bytes, n_lanes);
    }
    return size;
}

static const CollectiveClass *class_of_op(const System *system, const Op *op)
{
    return system->plan.collective_classes
        .class_of_op[op - op_graph_op(system->plan.graph, 0)];
}

static const Cut *chunking_of_op(const System *system, const Op *op)
{
    return &system->plan.cuts[op - op_graph_op(system->plan.graph, 0)];
}

static uint64_t count_chunks_of_op(const System *system, const Op *op)
{
    return (op->payload_bytes - 1) / chunking_of_op(system, op)->chunk_bytes +
           1;
}

/* Returns the size of a chunk of @chunk_bytes, the maximum over all @orders. */
static ChunkSize max_chunk_size(const System *system, const CollOrders *orders,
                                uint64_t chunk_bytes, uint64_t message_bytes)
{
    ChunkSize most = { 0 };

    for (uint32_t o = 0; o < orders->n; o++) {
        ChunkSize size = plan_chunk_size(system, &orders->plans[o], chunk_bytes,
                                         message_bytes);

        most.n_lanes = MAX(most.n_lanes, size.n_lanes);
        most.n_hops = MAX(most.n_hops, size.n_hops);
        inflight_bound_take_maximum(&most.messages, &size.messages);
    }
    return most;
}

/* A size of chunks that was computed before. */
typedef struct {
    const CollectiveClass
        *collective_class; /* borrowed; NULL: the record is not used */
    uint64_t chunk_bytes, message_bytes;
    ChunkSize size;
} KnownSize;

/* The last sizes of chunks, by a hash of their keys: most collectives of a
 * program are equal to one before. */
typedef struct {
    KnownSize sizes[64];
} KnownSizes;

/* Returns the size of a chunk of @op, from @sizes if it is known there. */
static const ChunkSize *chunk_size_of_op(const System *system, const Op *op,
                                         KnownSizes *sizes)
{
    const CollectiveClass *of = class_of_op(system, op);
    const Cut *cut = chunking_of_op(system, op);
    uint64_t chunk_bytes = MIN(cut->chunk_bytes, op->payload_bytes);
    uint64_t hash = ((uintptr_t)of ^ chunk_bytes ^ cut->message_bytes << 20) *
                    UINT64_C(0x9e3779b97f4a7c15);
    KnownSize *known = &sizes->sizes[hash >> 58];

    if (known->collective_class != of || known->chunk_bytes != chunk_bytes ||
        known->message_bytes != cut->message_bytes)
        *known = (KnownSize){ of, chunk_bytes, cut->message_bytes,
                              max_chunk_size(system, &of->planned->orders,
                                             chunk_bytes, cut->message_bytes) };
    return &known->size;
}

static gboolean network_moves_packets(const System *system)
{
    return system->plan.config->collectives.fidelity == FIDELITY_PACKET;
}

/* Returns the bytes of all messages if each NPU has @n messages. */
static uint64_t message_memory_bytes(const System *system, uint64_t n)
{
    uint64_t bytes = 2 * sizeof(NetMessage);

    if (saturated_product(n, system->plan.n_sim) > NETWORK_MANY_MESSAGES)
        bytes = sizeof(NetMessage) + sizeof(NetMessage) / 8;
    return saturated_product(
        n, bytes + (network_moves_packets(system) ? PACKET_MESSAGE_BYTES : 0));
}

/* Returns the bytes of the packets for which the links of an NPU have
 * buffers. */
static uint64_t packet_buffer_memory_bytes(const System *system)
{
    const CollectiveConfig *config = &system->plan.config->collectives;
    uint64_t n_packets =
        PACKET_CHANNELS * (config->buffer_bytes / config->packet_bytes + 1);

    if (!network_moves_packets(system))
        return 0;
    return saturated_product(saturated_product(n_packets, PACKET_BYTES),
                             topology_n_ports(system->plan.topology));
}

/* Returns whether operation @i counts for the memory.  Operations that a lane
 * may fuse are counted as if they went alone.  Of the buffers of a lane, which
 * come in ascending sizes, only the largest is counted, because its chunks may
 * be more or larger. */
static gboolean op_counts_for_memory(const System *system, guint i)
{
    const Op *op = op_graph_op(system->plan.graph, i);
    const Op *next = i + 1 < system->plan.graph->ops->len
                         ? op_graph_op(system->plan.graph, i + 1)
                         : NULL;

    if (op->type != OP_COLLECTIVE || !op->is_buffer)
        return op->type == OP_COLLECTIVE && !op->is_recorded;
    return !next || !next->is_buffer || next->payload_bytes < op->payload_bytes;
}

/* Returns the bytes of @n chunks, each in flight on one NPU. */
static uint64_t chunk_memory_bytes(const System *system, const ChunkSize *chunk,
                                   uint64_t n)
{
    uint64_t order_bytes =
        system->plan.n_communicators > 0 ? sizeof(uint64_t) : 0;

    return saturated_sum(
        saturated_product(n, sizeof(ChunkState) + order_bytes +
                                 chunk->n_lanes * sizeof(Lane)),
        message_memory_bytes(system,
                             inflight_bound_n_messages(&chunk->messages, n)));
}

/* The chunks in flight on an NPU, by communicator, or of all collectives
 * together if they share a window. */
typedef struct {
    const System *system;
    guint n_windows;
    uint64_t *window_bytes; /* owned: a window of the largest chunks, by
                               window */
    KnownSizes sizes;
    GHashTable *sums; /* owned: set of roles -> uint64_t[n_windows]
                         (owned): each collective's chunks as far as its
                         window admits them */
} ChunksInFlight;

static void chunks_in_flight_clear(ChunksInFlight *flight)
{
    g_free(flight->window_bytes);
    g_clear_pointer(&flight->sums, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ChunksInFlight, chunks_in_flight_clear)

static uint64_t *sums_of_roles(ChunksInFlight *flight, const RoleSet *roles)
{
    uint64_t *sums = g_hash_table_lookup(flight->sums, roles);

    if (!sums) {
        sums = g_new0(uint64_t, flight->n_windows);
        g_hash_table_insert(flight->sums, (gpointer)roles, sums);
    }
    return sums;
}

static void add_chunks_of_op(ChunksInFlight *flight, guint i)
{
    const SystemPlan *plan = &flight->system->plan;
    const Op *op = op_graph_op(plan->graph, i);
    guint w = plan->n_communicators > 0 ? plan->communicator_of[i] : 0;
    uint64_t window = plan->n_communicators > 0 ? plan->communicator_windows[w]
                                                : plan->window;
    const ChunkSize *chunk =
        chunk_size_of_op(flight->system, op, &flight->sizes);
    uint64_t *sums = sums_of_roles(flight, op->roles);

    flight->window_bytes[w] =
        MAX(flight->window_bytes[w],
            chunk_memory_bytes(flight->system, chunk, window));
    sums[w] = saturated_sum(
        sums[w], chunk_memory_bytes(
                     flight->system, chunk,
                     MIN(window, count_chunks_of_op(flight->system, op))));
}

/* Returns the bytes of the chunks in flight on an NPU of the role that needs
 * most: of each communicator no more than the collectives of the role have, and
 * no more than a window of the largest chunks. */
static uint64_t memory_of_chunks_in_flight_bytes(const System *system)
{
    const SystemPlan *plan = &system->plan;
    g_auto(ChunksInFlight) f = {
        .system = system,
        .n_windows = MAX(plan->n_communicators, 1),
        .sums = g_hash_table_new_full(NULL, NULL, NULL, g_free),
    };
    guint n_roles = plan->graph->roles->len;
    g_autofree uint64_t *by_role = NULL;
    uint64_t most_bytes = 0, *sums;
    GHashTableIter iter;
    const RoleSet *roles;

    f.window_bytes = g_new0(uint64_t, f.n_windows);
    for (guint i = 0; i < plan->graph->ops->len; i++)
        if (op_counts_for_memory(system, i))
            add_chunks_of_op(&f, i);
    by_role = g_new0(uint64_t, (gsize)n_roles * f.n_windows);
    g_hash_table_iter_init(&iter, f.sums);
    while (g_hash_table_iter_next(&iter, (gpointer *)&roles, (gpointer *)&sums))
        for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
             r = role_set_next(roles, r))
            for (guint w = 0; w < f.n_windows; w++) {
                uint64_t *bytes = &by_role[(gsize)r * f.n_windows + w];

                *bytes = saturated_sum(*bytes, sums[w]);
            }
    for (guint r = 0; r < n_roles; r++) {
        uint64_t bytes = 0;

        for (guint w = 0; w < f.n_windows; w++)
            bytes =
                saturated_sum(bytes, MIN(by_role[(gsize)r * f.n_windows + w],
                                         f.window_bytes[w]));
        most_bytes = MAX(most_bytes, bytes);
    }
    return most_bytes;
}

/* Returns the bytes that collectives and chunks need once for all NPUs: tables
 * of chunks, the parts of the NPUs, and the records of the chunks in flight. */
static uint64_t memory_shared_by_npus_bytes(const System *system)
{
    uint64_t bytes = 0, n_all = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);

        bytes = saturated_sum(bytes, OP_SHARED_BYTES);
        if (!op_counts_for_memory(system, i))
            continue;
        bytes = saturated_sum(
            bytes, sizeof(CollInstance) +
                       saturated_product(system->plan.n_sim, sizeof(CollPart)));
        n_all = saturated_sum(n_all, count_chunks_of_op(system, op));
    }
    bytes = saturated_sum(bytes, saturated_product(n_all, sizeof(Chunk *)));
    return saturated_sum(bytes,
                         saturated_product(MIN(n_all, system->plan.window),
                                           sizeof(ChunkRecord)));
}

static uint64_t count_hops_of_all_messages(const System *system)
{
    KnownSizes sizes = { 0 };
    uint64_t n = 0;

    for (guint i = 0; i < system->plan.graph->ops->len; i++) {
        const Op *op = op_graph_op(system->plan.graph, i);

        if (op->type == OP_COLLECTIVE && !op->is_buffer && !op->is_recorded)
            n = saturated_sum(
                n, saturated_product(
                       saturated_product(
                           count_chunks_of_op(system, op),
                           chunk_size_of_op(system, op, &sizes)->n_hops),
                       class_of_op(system, op)->n_parts));
    }
    return saturated_product(n, system->plan.config->training.n_iterations);
}

/* Returns the bytes of the counters by operation of all NPUs. */
static uint64_t memory_of_op_counters_bytes(const System *system)
{
    const OpSlots *slots = &system->plan.slots;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < system->plan.n_sim; i++) {
        uint32_t role = coll_placement_role(
            &system->plan.placement,
            symmetry_fold_representative_end(system->plan.fold, i));

        bytes = saturated_sum(
            bytes, OP_BYTES * (uint64_t)slots->n_slots[role] +
                       COLLECTIVE_BYTES * (uint64_t)slots->n_collectives[role]);
    }
    return bytes;
}

SystemSize system_estimate_size(const System *system)
{
    uint64_t npu_bytes = sizeof(Npu) + NPU_OBJECTS_BYTES;
    uint64_t network_bytes =
        saturated_product(symmetry_fold_n_simulated_units(system->plan.fold),
                          network_memory_per_unit_bytes(system->plan.topology));

    npu_bytes = saturated_sum(npu_bytes, packet_buffer_memory_bytes(system));
    npu_bytes =
        saturated_sum(npu_bytes, memory_of_chunks_in_flight_bytes(system));
    return (SystemSize){
        .memory_bytes = saturated_sum(
            saturated_sum(saturated_product(system->plan.n_sim, npu_bytes),
                          memory_of_op_counters_bytes(system)),
            saturated_sum(network_bytes, memory_shared_by_npus_bytes(system))),
        .n_hops = count_hops_of_all_messages(system),
    };
}

/* A run of more link transfers than this takes more than a minute.  A message
 * takes 2 to 3 events (measured: ResNet-50 on 256x4x4), and 2 to 6 million
 * events are processed per second. */
#define LONG_N_HOPS     UINT64_C(100000000)
#define HOPS_PER_MINUTE 6e7

char *system_size_warning(const System *system)
{
    SystemSize size;

    if (count_hops_of_all_messages(system) < LONG_N_HOPS)
        return NULL;
    size = system_estimate_size(system);
    return g_strdup_printf(
        "warning: up to %.3g messages are to be simulated, for which about "
        "%.3g minutes and %.3g GiB of memory are needed, less where "
        "periods repeat; fewer NPUs, or a larger collectives.chunk and "
        "collectives.message, take less",
        (double)size.n_hops, (double)size.n_hops / HOPS_PER_MINUTE,
        (double)size.memory_bytes / (1 << 30));
}

static void set_memory_error(const System *system, uint64_t bytes,
                             uint64_t most_bytes, const char *who,
                             GError **error)
{
    const Cut *cut = system_chunking_of_largest_collective(system);
    g_autofree char *what = NULL;

    if (!cut)
        what = g_strdup_printf("%u NPUs simulated; fewer take less",
                               system->plan.n_sim);
    else if (memory_shared_by_npus_bytes(system) > bytes / 2)
        what = g_strdup_printf(
            "%.3g GiB for tables of chunks of %" G_GUINT64_FORMAT
            " bytes; a larger collectives.chunk takes less",
            (double)memory_shared_by_npus_bytes(system) / (1 << 30),
            cut->chunk_bytes);
    else
        what = g_strdup_printf(
            "%u NPUs simulated, %" G_GUINT64_FORMAT
            " chunks in flight in messages of %" G_GUINT64_FORMAT
            " bytes; fewer NPUs, a smaller collectives.window or a larger "
            "collectives.message take less",
            system->plan.n_sim, system->plan.window, cut->message_bytes);
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                "the run would take some %.3g GiB of memory, more than the "
                "%.3g GiB that %s: %s",
                (double)bytes / (1 << 30), (double)most_bytes / (1 << 30), who,
                what);
}

void system_reserve_for_listeners(System *system)
{
    system->plan.has_listener = TRUE;
}

gboolean system_check_listener_memory(const System *system, GError **error)
{
    uint64_t bytes = system->plan.has_listener
                         ? system_estimate_size(system).memory_bytes
                         : 0;

    if (bytes <= system->plan.memory_limit_bytes)
        return TRUE;
    set_memory_error(system, bytes, system->plan.memory_limit_bytes,
                     "it may have where each message is told of", error);
    return FALSE;
}

gboolean system_check_size(System *system, SystemSize most, GError **error)
{
    SystemSize size = system_estimate_size(system);
    uint64_t machine_bytes = machine_memory_bytes();
    gboolean is_given =
        most.memory_bytes > 0 && most.memory_bytes <= machine_bytes;

    if (!is_given)
        most.memory_bytes =
            machine_bytes - MIN(PROGRAM_BYTES, machine_bytes / 2);
    system->plan.memory_limit_bytes = most.memory_bytes;
    if (size.memory_bytes > most.memory_bytes) {
        set_memory_error(system, size.memory_bytes, most.memory_bytes,
                         is_given ? "it may have"
                                  : "the machine or ulimit -v allows",
                         error);
        return FALSE;
    }
    if (most.n_hops > 0 && size.n_hops > most.n_hops) {
        g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LARGE,
                    "the run would move %.3g messages, more than the %.3g that "
                    "it may",
                    (double)size.n_hops, (double)most.n_hops);
        return FALSE;
    }
    return TRUE;
}

SystemFlight system_op_in_flight(const System *system, uint32_t op)
{
    const Op *o = op_graph_op(system->plan.graph, op);
    SystemFlight flight = { 0 };
    KnownSizes sizes = { 0 };
    ChunkSize chunk;

    if (o->type != OP_COLLECTIVE || o->is_recorded)
        return flight;
    chunk = *chunk_size_of_op(system, o, &sizes);
    flight.n_chunks = MIN(system->plan.window, count_chunks_of_op(system, o));
    flight.n_lanes = chunk.n_lanes;
    flight.n_messages = chunk.messages.n_all;
    flight.n_inflight_messages =
        inflight_bound_n_messages(&chunk.messages, flight.n_chunks);
    return flight;
}

uint64_t system_memory_limit_bytes(const System *system)
{
    return system->plan.memory_limit_bytes;
}

uint32_t system_n_messages(const System *system)
{
    return network_n_allocated_messages(system->state.network);
}
