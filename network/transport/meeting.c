/* meeting.c - who waits at a node that adds, and when it lets them go on */
#include "network/transport/meeting.h"

#include <string.h>

#include "network/transport/message_list.h"

/* A switch that adds. */
typedef struct {
    SimTime free_ps;
} Adder;

/* A dimension along which switches add, if they do. */
typedef struct {
    const TopologyAdder *adder; /* borrowed; NULL: none does */
    uint32_t size, stride;      /* of a row of NPUs */
    uint32_t n_ranks;           /* of those that are simulated */
} Dim;

/* Messages in a list linked through their .next. */
typedef struct Meeting Meeting;
struct Meeting {
    uint64_t order_hi, order_lo; /* the key, first: see key_hash() */
    uint32_t dim, row;           /* with it: the NPU that is first there */
    Adder *adder;                /* borrowed */
    uint32_t n_come;
    uint32_t first;
    SimTime tail_ps; /* the last */
    Meeting *next;   /* complete, or free to use */
};

struct Meetings {
    Network *network;  /* borrowed */
    SimEngine *engine; /* borrowed */
    Dim dims[TOPOLOGY_MAX_DIMS];
    uint64_t packet_bytes;
    SimEventFn leave;
    GHashTable *open;       /* owned: of borrowed Meeting, by its key */
    Meeting *complete;      /* owned: at this instant, by key */
    Meeting *free_meetings; /* owned */
    GHashTable *adders;     /* owned: of owned Adder, by node */
};

static guint key_hash(gconstpointer data)
{
    const Meeting *meeting = data;
    uint64_t hash = meeting->order_hi * 1000003 + meeting->order_lo;

    hash = (hash * 1000003 + meeting->row) * 31 + meeting->dim;

    return (guint)(hash ^ hash >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Meeting *one = a, *other = b;

    return one->order_hi == other->order_hi &&
           one->order_lo == other->order_lo && one->row == other->row &&
           one->dim == other->dim;
}

/* How many of the row of NPU 0 are not the same to @fold.  All rows have as
 * many: translations take rows to rows. */
static uint32_t count_ranks(const Dim *dim, const Fold *fold)
{
    g_autoptr(GHashTable) kept = g_hash_table_new(NULL, NULL);

    if (!fold)
        return dim->size;
    for (uint32_t i = 0; i < dim->size; i++)
        g_hash_table_add(kept,
                         GUINT_TO_POINTER(fold_index(fold, i * dim->stride)));
    return g_hash_table_size(kept);
}

static gboolean init_dims(Dim *dims, const Topology *topology, const Fold *fold)
{
    uint32_t stride = 1;
    gboolean some = FALSE;

    for (uint32_t d = 0; d < topology_n_dims(topology); d++) {
        dims[d] = (Dim){ .adder = topology_adder(topology, d),
                         .size = topology_dim(topology, d)->size,
                         .stride = stride };
        stride *= dims[d].size;
        if (!dims[d].adder)
            continue;
        dims[d].n_ranks = count_ranks(&dims[d], fold);
        some = TRUE;
    }
    return some;
}

Meetings *meetings_new(Network *network, SimEngine *engine,
                       const Topology *topology, const Fold *fold,
                       uint64_t packet_bytes, SimEventFn leave)
{
    Dim dims[TOPOLOGY_MAX_DIMS];
    Meetings *meetings;

    if (!init_dims(dims, topology, fold))
        return NULL;
    meetings = g_new0(Meetings, 1);
    memcpy(meetings->dims, dims, sizeof dims);
    meetings->adders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    meetings->network = network;
    meetings->engine = engine;
    meetings->packet_bytes = packet_bytes;
    meetings->leave = leave;
    meetings->open = g_hash_table_new(key_hash, key_equal);
    return meetings;
}

static void free_list(Meeting *meeting)
{
    while (meeting) {
        Meeting *next = meeting->next;

        g_free(meeting);
        meeting = next;
    }
}

void meetings_free(Meetings *meetings)
{
    GHashTableIter iter;
    gpointer meeting;

    if (!meetings)
        return;
    g_hash_table_iter_init(&iter, meetings->open);
    while (g_hash_table_iter_next(&iter, &meeting, NULL))
        g_free(meeting);
    g_hash_table_unref(meetings->open);
    g_hash_table_unref(meetings->adders);
    free_list(meetings->complete);
    free_list(meetings->free_meetings);
    g_free(meetings);
}

static SimTime added_ps(const TopologyAdder *adder, uint64_t bytes)
{
    SimTime ps = 0;

    if (adder->bytes_per_s > 0)
        ps = sim_time_from_bytes(bytes, adder->bytes_per_s);
    return MIN(ps, SIM_ENGINE_MAX_PS);
}

/* The formulas of the head comment; sets .tail_ps and returns the head's. */
static SimTime add_up(Meetings *meetings, Meeting *meeting, const NetMessage *m)
{
    const TopologyAdder *adder = meetings->dims[meeting->dim].adder;
    SimTime *free_ps = &meeting->adder->free_ps;
    SimTime now_ps = sim_engine_now(meetings->engine);
    SimTime start_ps = MAX(now_ps, *free_ps);
    SimTime packet_ps = added_ps(adder, MIN(m->bytes, meetings->packet_bytes));
    SimTime head_ps;

    if (m->meets == NET_MEETS_GATHERING)
        return now_ps;
    *free_ps =
        MAX(start_ps + added_ps(adder, m->bytes), meeting->tail_ps + packet_ps);
    meeting->tail_ps = *free_ps + adder->latency_ps;
    head_ps = start_ps + packet_ps + adder->latency_ps;
    return m->other_bytes == m->bytes ? head_ps : meeting->tail_ps;
}

static void leave(Meetings *meetings, Meeting *meeting)
{
    uint32_t next, message = meeting->first;
    SimTime now_ps = sim_engine_now(meetings->engine);
    SimTime head_ps =
        add_up(meetings, meeting, network_message(meetings->network, message));

    for (; message != MESSAGE_NONE; message = next) {
        NetMessage *m = network_message(meetings->network, message);
        uint64_t up_bytes = m->bytes;

        next = m->link.next;
        m->bytes = m->other_bytes;
        m->other_bytes = (uint32_t)up_bytes;
        m->meets = NET_HAS_MET;
        m->way = TOPOLOGY_WAY_DOWN(m->way);
        m->tail_ps = meeting->tail_ps;
        if (head_ps == now_ps)
            meetings->leave(meetings->network, message, now_ps);
        else
            sim_engine_at(meetings->engine, MIN(head_ps, SIM_ENGINE_MAX_PS),
                          SIM_PHASE_DELIVER, meetings->leave, meetings->network,
                          message);
    }
    meeting->next = meetings->free_meetings;
    meetings->free_meetings = meeting;
}

/* All that have become complete at this instant. */
static void on_complete(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Meetings *meetings = self;

    (void)arg;
    (void)now_ps;
    while (meetings->complete) {
        Meeting *meeting = meetings->complete;

        meetings->complete = meeting->next;
        leave(meetings, meeting);
    }
}

static gboolean is_before(const Meeting *a, const Meeting *b)
{
    if (a->order_hi != b->order_hi)
        return a->order_hi < b->order_hi;
    return a->order_lo != b->order_lo ? a->order_lo < b->order_lo
                                      : a->row < b->row;
}

static void complete(Meetings *meetings, Meeting *meeting)
{
    Meeting **link = &meetings->complete;

    g_hash_table_remove(meetings->open, meeting);
    if (!*link)
        sim_engine_at(meetings->engine, sim_engine_now(meetings->engine),
                      SIM_PHASE_ACT, on_complete, meetings, 0);
    while (*link && is_before(*link, meeting))
        link = &(*link)->next;
    meeting->next = *link;
    *link = meeting;
}

static Adder *adder_at(Meetings *meetings, uint32_t node)
{
    Adder *adder =
        g_hash_table_lookup(meetings->adders, GUINT_TO_POINTER(node));

    if (adder)
        return adder;
    adder = g_new0(Adder, 1);
    g_hash_table_insert(meetings->adders, GUINT_TO_POINTER(node), adder);
    return adder;
}

static Meeting *meeting_of(Meetings *meetings, const NetMessage *m)
{
    uint32_t d = TOPOLOGY_WAY_DIM(m->way);
    const Dim *dim = &meetings->dims[d];
    Meeting key = { .order_hi = m->order_hi,
                    .order_lo = m->order_lo,
                    .dim = d,
                    .row = m->dst -
                           m->dst / dim->stride % dim->size * dim->stride };
    Meeting *meeting = g_hash_table_lookup(meetings->open, &key);

    if (meeting)
        return meeting;
    meeting = meetings->free_meetings;
    if (meeting)
        meetings->free_meetings = meeting->next;
    else
        meeting = g_new(Meeting, 1);
    key.first = MESSAGE_NONE;
    key.adder = adder_at(meetings, m->at);
    *meeting = key;
    g_hash_table_add(meetings->open, meeting);
    return meeting;
}

void meetings_come(Meetings *meetings, uint32_t message)
{
    NetMessage *m = network_message(meetings->network, message);
    Meeting *meeting = meeting_of(meetings, m);

    g_assert(network_is_to_meet(m) && m->other_bytes > 0);
    g_assert(meeting->n_come < meetings->dims[meeting->dim].n_ranks);
    m->link.next = meeting->first;
    meeting->first = message;
    meeting->tail_ps = MAX(meeting->tail_ps, m->tail_ps);
    meeting->n_come++;
    if (meeting->n_come == meetings->dims[meeting->dim].n_ranks)
        complete(meetings, meeting);
}
