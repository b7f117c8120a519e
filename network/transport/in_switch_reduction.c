/* in_switch_reduction.c - in-switch reduction: collects messages, and releases
 * the results */
#include "network/transport/in_switch_reduction.h"

#include <string.h>

#include "network/transport/message_list.h"

/* The adder of a switch, which sums messages. */
typedef struct {
    SimTime free_ps;
} Adder;

/* A dimension whose switches may reduce. */
typedef struct {
    const TopologySwitchAdder
        *adder;            /* borrowed; NULL: its switches do not reduce */
    uint32_t size, stride; /* NPUs of a row, and difference of their ids */
    uint32_t n_ranks;      /* number of simulated NPUs of a row */
} Dim;

/* One reduction.  Its messages are in a list linked by their .link.next. */
typedef struct Reduction Reduction;
struct Reduction {
    /* These four fields identify an open reduction. */
    uint64_t order_lo;
    uint32_t cookie;
    uint32_t dim, row; /* .row is the first NPU of the row */
    /* The greatest .order_hi of its messages, for the order of reductions. */
    uint64_t order_hi;
    Adder *adder; /* borrowed */
    uint32_t n_arrived;
    uint32_t first;
    SimTime tail_ps; /* arrival of the latest tail of a message */
    Reduction *next; /* in one of the lists .complete and .unused */
};

struct InSwitchReductions {
    Network *network;  /* borrowed */
    SimEngine *engine; /* borrowed */
    Dim dims[TOPOLOGY_MAX_DIMS];
    uint64_t packet_bytes;
    SimEventFn leave;
    /* Owned: the set of reductions that wait for messages, by key; borrows the
     * reductions. */
    GHashTable *open;
    /* Owned: the reductions that are complete at this instant, in the order of
     * their keys. */
    Reduction *complete;
    Reduction *unused;  /* owned: list of records that can be used again */
    GHashTable *adders; /* owned: maps the number of a switch to its Adder */
};

static guint hash_reduction_key(gconstpointer data)
{
    const Reduction *reduction = data;
    uint64_t hash = reduction->cookie * UINT64_C(1000003) + reduction->order_lo;

    hash = (hash * 1000003 + reduction->row) * 31 + reduction->dim;

    return (guint)(hash ^ hash >> 32);
}

static gboolean reduction_keys_are_equal(gconstpointer a, gconstpointer b)
{
    const Reduction *one = a, *other = b;

    return one->cookie == other->cookie && one->order_lo == other->order_lo &&
           one->row == other->row && one->dim == other->dim;
}

/* Returns the number of NPUs in the row of NPU 0 that @fold keeps.  All rows
 * have the same number, as translations map rows to rows. */
static uint32_t count_simulated_npus_of_row(const Dim *dim,
                                            const SymmetryFold *fold)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(NULL, NULL);

    if (!fold)
        return dim->size;
    for (uint32_t i = 0; i < dim->size; i++)
        g_hash_table_add(kept, GUINT_TO_POINTER(symmetry_fold_class_of_end(
                                   fold, i * dim->stride)));
    return g_hash_table_size(kept);
}

static gboolean init_reducing_dimensions(Dim *dims, const Topology *topology,
                                         const SymmetryFold *fold)
{
    uint32_t stride = 1;
    gboolean any = FALSE;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        dims[d] = (Dim){ .adder = topology_in_switch_adder(topology, d),
                         .size = topology_dimension(topology, d)->size,
                         .stride = stride };
        stride *= dims[d].size;
        if (!dims[d].adder)
            continue;
        dims[d].n_ranks = count_simulated_npus_of_row(&dims[d], fold);
        any = TRUE;
    }
    return any;
}

InSwitchReductions *
in_switch_reductions_new(Network *network, SimEngine *engine,
                         const Topology *topology, const SymmetryFold *fold,
                         uint64_t packet_bytes, SimEventFn leave)
{
    Dim dims[TOPOLOGY_MAX_DIMS];
    InSwitchReductions *reductions;

    if (!init_reducing_dimensions(dims, topology, fold))
        return NULL;
    reductions = g_new0(InSwitchReductions, 1);
    memcpy(reductions->dims, dims, sizeof dims);
    reductions->adders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    reductions->network = network;
    reductions->engine = engine;
    reductions->packet_bytes = packet_bytes;
    reductions->leave = leave;
    reductions->open =
        g_hash_table_new(hash_reduction_key, reduction_keys_are_equal);
    return reductions;
}

static void free_reduction_list(Reduction *reduction)
{
    while (reduction) {
        Reduction *next = reduction->next;

        g_free(reduction);
        reduction = next;
    }
}

void in_switch_reductions_free(InSwitchReductions *reductions)
{
    GHashTableIter iter;
    gpointer reduction;

    if (!reductions)
        return;
    g_hash_table_iter_init(&iter, reductions->open);
    while (g_hash_table_iter_next(&iter, &reduction, NULL))
        g_free(reduction);
    g_hash_table_unref(reductions->open);
    g_hash_table_unref(reductions->adders);
    free_reduction_list(reductions->complete);
    free_reduction_list(reductions->unused);
    g_free(reductions);
}

static SimTime in_switch_add_time_ps(const TopologySwitchAdder *adder,
                                     uint64_t bytes)
{
    SimTime ps = 0;

    if (adder->bytes_per_s > 0)
        ps = sim_time_from_bytes(bytes, adder->bytes_per_s);
    return MIN(ps, SIM_ENGINE_MAX_PS);
}

/* Computes when the result of a reduction leaves the switch, by the formulas of
 * in_switch_reduction.h.  Returns the time of the head and sets .tail_ps to
 * that of the tail. */
static SimTime compute_reduction_times(InSwitchReductions *reductions,
                                       Reduction *reduction,
                                       const NetMessage *message)
{
    const TopologySwitchAdder *adder = reductions->dims[reduction->dim].adder;
    SimTime *free_ps = &reduction->adder->free_ps;
    SimTime now_ps = sim_engine_now_ps(reductions->engine);
    SimTime start_ps = MAX(now_ps, *free_ps);
    SimTime packet_ps = in_switch_add_time_ps(
        adder, MIN(message->bytes, reductions->packet_bytes));
    SimTime head_ps;

    if (message->reduction_role == NET_REDUCTION_GATHERS)
        return now_ps;
    *free_ps = MAX(start_ps + in_switch_add_time_ps(adder, message->bytes),
                   reduction->tail_ps + packet_ps);
    reduction->tail_ps = *free_ps + adder->latency_ps;
    head_ps = start_ps + packet_ps + adder->latency_ps;
    return message->other_bytes == message->bytes ? head_ps
                                                  : reduction->tail_ps;
}

/* Sends the result of @reduction down to all its NPUs. */
static void send_reduction_result_down(InSwitchReductions *reductions,
                                       Reduction *reduction)
{
    uint32_t next, message = reduction->first;
    SimTime now_ps = sim_engine_now_ps(reductions->engine);
    SimTime head_ps = compute_reduction_times(
        reductions, reduction,
        network_get_message(reductions->network, message));

    for (; message != MESSAGE_NONE; message = next) {
        NetMessage *net_message =
            network_get_message(reductions->network, message);
        uint64_t up_bytes = net_message->bytes;

        next = net_message->link.next;
        net_message->bytes = net_message->other_bytes;
        net_message->other_bytes = (uint32_t)up_bytes;
        net_message->reduction_role = NET_REDUCTION_DONE;
        net_message->path_id = TOPOLOGY_PATH_DOWN(net_message->path_id);
        net_message->tail_ps = reduction->tail_ps;
        if (head_ps == now_ps)
            reductions->leave(reductions->network, message, now_ps);
        else
            sim_engine_schedule(reductions->engine,
                                MIN(head_ps, SIM_ENGINE_MAX_PS),
                                SIM_PHASE_DELIVER, reductions->leave,
                                reductions->network, message);
    }
    reduction->next = reductions->unused;
    reductions->unused = reduction;
}

/* Event: releases all reductions that have become complete at this instant. */
static void on_reductions_complete(gpointer self, uint32_t arg, uint64_t now_ps)
{
    InSwitchReductions *reductions = self;

    (void)arg;
    (void)now_ps;
    while (reductions->complete) {
        Reduction *reduction = reductions->complete;

        reductions->complete = reduction->next;
        send_reduction_result_down(reductions, reduction);
    }
}

static gboolean reduction_key_precedes(const Reduction *a, const Reduction *b)
{
    if (a->order_hi != b->order_hi)
        return a->order_hi < b->order_hi;
    return a->order_lo != b->order_lo ? a->order_lo < b->order_lo
                                      : a->row < b->row;
}

/* Adds @reduction, for which all messages have arrived, to those that are
 * released at this instant. */
static void queue_complete_reduction(InSwitchReductions *reductions,
                                     Reduction *reduction)
{
    Reduction **link = &reductions->complete;

    g_hash_table_remove(reductions->open, reduction);
    if (!*link)
        sim_engine_schedule(
            reductions->engine, sim_engine_now_ps(reductions->engine),
            SIM_PHASE_ACT, on_reductions_complete, reductions, 0);
    while (*link && reduction_key_precedes(*link, reduction))
        link = &(*link)->next;
    reduction->next = *link;
    *link = reduction;
}

static Adder *rate_server_of_switch_adder(InSwitchReductions *reductions,
                                          uint32_t node)
{
    Adder *adder =
        g_hash_table_lookup(reductions->adders, GUINT_TO_POINTER(node));

    if (adder)
        return adder;
    adder = g_new0(Adder, 1);
    g_hash_table_insert(reductions->adders, GUINT_TO_POINTER(node), adder);
    return adder;
}

/* Returns the open reduction to which @message belongs. */
static Reduction *find_or_add_open_reduction(InSwitchReductions *reductions,
                                             const NetMessage *message)
{
    uint32_t d = TOPOLOGY_PATH_DIM(message->path_id);
    const Dim *dim = &reductions->dims[d];
    Reduction key = { .order_lo = message->order_lo,
                      .cookie = message->cookie,
                      .dim = d,
                      .row = message->dst - message->dst / dim->stride %
                                                dim->size * dim->stride };
    Reduction *reduction = g_hash_table_lookup(reductions->open, &key);

    if (reduction)
        return reduction;
    reduction = reductions->unused;
    if (reduction)
        reductions->unused = reduction->next;
    else
        reduction = g_new(Reduction, 1);
    key.first = MESSAGE_NONE;
    key.adder = rate_server_of_switch_adder(reductions, message->next_node);
    *reduction = key;
    g_hash_table_add(reductions->open, reduction);
    return reduction;
}

void in_switch_reductions_on_message_arrival(InSwitchReductions *reductions,
                                             uint32_t message)
{
    NetMessage *net_message = network_get_message(reductions->network, message);
    Reduction *reduction = find_or_add_open_reduction(reductions, net_message);

    g_assert(message_needs_in_switch_reduction(net_message) &&
             net_message->other_bytes > 0);
    g_assert(reduction->n_arrived < reductions->dims[reduction->dim].n_ranks);
    net_message->link.next = reduction->first;
    reduction->first = message;
    reduction->tail_ps = MAX(reduction->tail_ps, net_message->tail_ps);
    reduction->order_hi = MAX(reduction->order_hi, net_message->order_hi);
    reduction->n_arrived++;
    if (reduction->n_arrived == reductions->dims[reduction->dim].n_ranks)
        queue_complete_reduction(reductions, reduction);
}
