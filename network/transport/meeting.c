/* meeting.c - who waits at a node that adds, and when it lets them go on */
#include "network/transport/meeting.h"

#include "network/transport/message_list.h"

/* Messages in a list linked through their .next. */
typedef struct Meeting Meeting;
struct Meeting {
    uint64_t order_hi, order_lo; /* the key, first: see key_hash() */
    uint32_t n_come;
    uint32_t first;
    SimTime tail_ps; /* the last */
    Meeting *next;   /* complete, or free to use */
};

struct Meetings {
    Network *network;  /* borrowed */
    SimEngine *engine; /* borrowed */
    TopologyAdder adder;
    uint32_t n_ranks;
    uint64_t packet_bytes;
    SimEventFn leave;
    GHashTable *open;       /* owned: of borrowed Meeting, by its key */
    Meeting *complete;      /* owned: at this instant, by key */
    Meeting *free_meetings; /* owned */
    SimTime adder_free_ps;
};

static guint key_hash(gconstpointer data)
{
    const Meeting *meeting = data;
    uint64_t hash = meeting->order_hi * 1000003 + meeting->order_lo;

    return (guint)(hash ^ hash >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Meeting *one = a, *other = b;

    return one->order_hi == other->order_hi && one->order_lo == other->order_lo;
}

Meetings *meetings_new(Network *network, SimEngine *engine,
                       const Topology *topology, uint32_t n_ranks,
                       uint64_t packet_bytes, SimEventFn leave)
{
    Meetings *meetings = g_new0(Meetings, 1);

    meetings->network = network;
    meetings->engine = engine;
    meetings->adder = *topology_adder(topology);
    meetings->n_ranks = n_ranks;
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
    free_list(meetings->complete);
    free_list(meetings->free_meetings);
    g_free(meetings);
}

static SimTime added_ps(const Meetings *meetings, uint64_t bytes)
{
    SimTime ps = 0;

    if (meetings->adder.bytes_per_s > 0)
        ps = sim_time_from_bytes(bytes, meetings->adder.bytes_per_s);
    return MIN(ps, SIM_ENGINE_MAX_PS);
}

/* The formulas of the head comment; sets .tail_ps and returns the head's. */
static SimTime add_up(Meetings *meetings, Meeting *meeting, const NetMessage *m)
{
    SimTime now_ps = sim_engine_now(meetings->engine);
    SimTime start_ps = MAX(now_ps, meetings->adder_free_ps);
    SimTime packet_ps =
        added_ps(meetings, MIN(m->bytes, meetings->packet_bytes));
    SimTime head_ps;

    if (m->meets == NET_MEETS_GATHERING)
        return now_ps;
    meetings->adder_free_ps = MAX(start_ps + added_ps(meetings, m->bytes),
                                  meeting->tail_ps + packet_ps);
    meeting->tail_ps = meetings->adder_free_ps + meetings->adder.latency_ps;
    head_ps = start_ps + packet_ps + meetings->adder.latency_ps;
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
    return a->order_hi != b->order_hi ? a->order_hi < b->order_hi
                                      : a->order_lo < b->order_lo;
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

static Meeting *meeting_of(Meetings *meetings, const NetMessage *m)
{
    Meeting key = { .order_hi = m->order_hi, .order_lo = m->order_lo };
    Meeting *meeting = g_hash_table_lookup(meetings->open, &key);

    if (meeting)
        return meeting;
    meeting = meetings->free_meetings;
    if (meeting)
        meetings->free_meetings = meeting->next;
    else
        meeting = g_new(Meeting, 1);
    key.first = MESSAGE_NONE;
    *meeting = key;
    g_hash_table_add(meetings->open, meeting);
    return meeting;
}

void meetings_come(Meetings *meetings, uint32_t message)
{
    NetMessage *m = network_message(meetings->network, message);
    Meeting *meeting = meeting_of(meetings, m);

    g_assert(network_is_to_meet(m) && m->other_bytes > 0);
    g_assert(meeting->n_come < meetings->n_ranks);
    m->link.next = meeting->first;
    meeting->first = message;
    meeting->tail_ps = MAX(meeting->tail_ps, m->tail_ps);
    meeting->n_come++;
    if (meeting->n_come == meetings->n_ranks)
        complete(meetings, meeting);
}
