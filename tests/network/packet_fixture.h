/* packet_fixture.h - a network at packet fidelity, with a record of arrivals */
#ifndef TESTS_NETWORK_PACKET_FIXTURE_H
#define TESTS_NETWORK_PACKET_FIXTURE_H

#include "tests/network/topology_fixture.h"

#include "network/transport/packet_network.h"

#define MAX_MESSAGES 4096

/* A packet takes 10 ns on the slow link and 1.25 ns on the fast one. */
#define PACKET_BYTES 250
#define SLOW         "bandwidth: 25 GB/s, latency: 400 ns"
#define FAST         "bandwidth: 200 GB/s, latency: 70 ns"
#define SLOW_PS      SIM_NS(10)
#define LATENCY_PS   SIM_NS(400)
#define LARGE_BUFFER (1 << 30)

/* A ring with one link per port, in one direction. */
#define RING(size)                                                             \
    "{ kind: torus, dims: [{ size: " #size ", direction: one, " SLOW " }] }"
#define SWITCH(size) "{ kind: switch, npus: " #size ", " SLOW " }"

typedef struct {
    uint32_t src, dst;
    uint64_t bytes, order;
    SimTime at_ps;
    uint8_t way;
} Send;

typedef struct {
    SimEngine *engine;
    Topology *topology;
    PacketNetwork *network;
    const Send *sends; /* Another object owns this memory. */
    uint32_t n_arrived;
    /* The arrival time of each message; 0 if it has not arrived. */
    SimTime arrival_ps[MAX_MESSAGES];
} Fixture;

static inline void on_message_delivered(gpointer self, uint32_t message,
                                        SimTime now_ps)
{
    Fixture *f = self;

    assert_int_equal(f->arrival_ps[message], 0);
    assert_int_equal(sim_engine_now_ps(f->engine), now_ps);
    f->arrival_ps[message] = now_ps;
    f->n_arrived++;
}

static inline Fixture *network_fixture_new(const char *text,
                                           uint64_t buffer_bytes)
{
    Fixture *f = g_new0(Fixture, 1);

    f->engine = sim_engine_new();
    f->topology = topology_from_valid_yaml(text);
    f->network = packet_network_new(f->engine, f->topology, PACKET_BYTES,
                                    buffer_bytes, on_message_delivered, f);
    return f;
}

static inline void network_fixture_free(Fixture *f)
{
    packet_network_free(f->network);
    topology_free(f->topology);
    sim_engine_free(f->engine);
    g_free(f);
}

static inline void send_scheduled_message(gpointer self, uint32_t index,
                                          SimTime now_ps)
{
    Fixture *f = self;
    const Send *s = &f->sends[index];
    NetMessage m = { .order_lo = s->order,
                     .bytes = s->bytes,
                     .dst = s->dst,
                     .path_id = s->way };

    assert_int_equal(now_ps, s->at_ps);
    packet_network_send(f->network, s->src, index, &m);
}

static inline void schedule_packet_sends(Fixture *f, const Send *sends,
                                         uint32_t n)
{
    assert_true(n <= MAX_MESSAGES);
    f->sends = sends;
    for (uint32_t i = 0; i < n; i++)
        sim_engine_schedule(f->engine, sends[i].at_ps, SIM_PHASE_ACT,
                            send_scheduled_message, f, i);
}

static inline void run_packet_sends(Fixture *f, const Send *sends, uint32_t n)
{
    schedule_packet_sends(f, sends, n);
    (void)sim_engine_run(f->engine, SIM_TIME_MAX);
    assert_int_equal(f->n_arrived, n);
    assert_true(packet_network_is_empty(f->network));
}

#endif
