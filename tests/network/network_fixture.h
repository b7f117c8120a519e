/* network_fixture.h - a network at message fidelity, with a record of
 * arrivals */
#ifndef TESTS_NETWORK_NETWORK_FIXTURE_H
#define TESTS_NETWORK_NETWORK_FIXTURE_H

#include "tests/network/network_oracle.h"
#include "tests/network/topology_fixture.h"

#include "network/transport/network.h"

/* 235 bytes take 10 ns on the slow link and 1.25 ns on the fast one. */
#define SLOW       "bandwidth: 25 GB/s, latency: 400 ns, efficiency: 94 %"
#define FAST       "bandwidth: 200 GB/s, latency: 72.29 ns, efficiency: 94 %"
#define LATENCY_PS SIM_NS(400)

/* A ring with one link per port, in one direction. */
#define RING(size)                                                             \
    "{ kind: torus, dims: [{ size: " #size ", direction: one, " SLOW " }] }"

typedef struct {
    SimEngine *engine;
    Topology *topology;
    Network *network;
    SymmetryFold *fold;
    const Send *sends; /* Another object owns this memory. */
    /* The arrival time of each chunk at each NPU; 0 if it has not arrived. */
    SimTime arrival_ps[MAX_NPUS][MAX_CHUNKS];
    /* The busy time of each link that was reported to the listener. */
    SimTime busy_ps[MAX_NPUS * MAX_PORTS];
} Fixture;

static inline void on_message_delivered(gpointer self, uint32_t npu,
                                        uint32_t message, SimTime now_ps)
{
    Fixture *f = self;
    const NetMessage *net_message = network_get_message(f->network, message);

    assert_true(npu < topology_n_npus(f->topology));
    assert_int_equal(net_message->flags, net_message->cookie & 1);
    assert_int_equal(f->arrival_ps[npu][net_message->cookie], 0);
    f->arrival_ps[npu][net_message->cookie] = now_ps;
    network_message_free(f->network, message);
}

/* Messages with odd cookies are delivered ahead of time. Their arrival times
 * must be the same as without that. */
static inline gboolean on_delivery_foreseen(gpointer self, uint32_t npu,
                                            uint32_t message, SimTime at_ps)
{
    Fixture *f = self;

    assert_true(at_ps > sim_engine_now_ps(f->engine));
    if (network_get_message(f->network, message)->cookie % 2 == 0)
        return FALSE;
    on_message_delivered(f, npu, message, at_ps);
    return TRUE;
}

/* Asserts that a message makes no more hops than there are NPUs, so that a
 * message that misses its destination is detected. */
static inline void on_link_used(gpointer self, uint32_t link, uint32_t message,
                                SimTime end_ps, gboolean wanted)
{
    Fixture *f = self;
    uint32_t n_hops = network_get_message(f->network, message)->n_hops;

    assert_true(link < MAX_NPUS * MAX_PORTS && wanted <= TRUE);
    assert_true(end_ps > sim_engine_now_ps(f->engine) && n_hops <= MAX_NPUS);
}

static inline void on_link_busy(gpointer self, uint32_t link, SimTime from_ps,
                                SimTime until_ps)
{
    Fixture *f = self;

    assert_true(from_ps >= sim_engine_now_ps(f->engine) && from_ps < until_ps);
    f->busy_ps[link] += until_ps - from_ps;
}

static inline Fixture *network_fixture_new(const char *text, gboolean folded)
{
    Fixture *f = g_new0(Fixture, 1);

    f->engine = sim_engine_new();
    f->topology = topology_from_valid_yaml(text);
    f->fold = folded ? symmetry_fold_new_maximal(f->topology) : NULL;
    f->network = network_new(f->engine, f->topology, PACKET_BYTES, f->fold,
                             on_message_delivered, f);
    network_set_early_delivery_callback(f->network, on_delivery_foreseen);
    network_set_link_listeners(f->network, on_link_used, on_link_busy, f);
    return f;
}

static inline void network_fixture_free(Fixture *f)
{
    network_free(f->network);
    symmetry_fold_free(f->fold);
    topology_free(f->topology);
    sim_engine_free(f->engine);
    g_free(f);
}

static inline void send_scheduled_message(gpointer self, uint32_t index,
                                          SimTime now_ps)
{
    Fixture *f = self;
    const Send *s = &f->sends[index];
    uint32_t message = network_message_new(f->network);
    NetMessage *net_message = network_get_message(f->network, message);

    assert_int_equal(now_ps, s->at_ps);
    net_message->order_hi = s->order_hi;
    net_message->order_lo = s->order_lo;
    net_message->bytes = s->bytes;
    net_message->cookie = s->chunk;
    net_message->dst = s->dst;
    net_message->flags = s->chunk & 1;
    net_message->path_id = s->way;
    network_send_message(f->network, s->src, message);
}

/* Sends all messages, those of the same time in the given order, and runs to
 * the end. */
static inline void run_network_sends(Fixture *f, const Send *sends, guint n)
{
    f->sends = sends;
    for (guint i = 0; i < n; i++)
        sim_engine_schedule(f->engine, sends[i].at_ps, SIM_PHASE_ACT,
                            send_scheduled_message, f, i);
    (void)sim_engine_run(f->engine, SIM_TIME_MAX);
    assert_int_equal(network_n_allocated_messages(f->network), 0);
}

#endif
