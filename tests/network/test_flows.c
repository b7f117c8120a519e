/*
 * test_flows.c - a link shared by flows: which of them goes next, and how often
 * messages are looked at for it
 *
 * What is drawn goes as a slow oracle says, which has a queue for each flow and
 * looks at all that waits.
 */
#include "tests/network/topology_fixture.h"

#include "network/transport/network.h"

#define N_FLOWS     3
#define MAX_DRAWN   4000
#define BYTES_PER_S "1 GB/s" /* a byte takes a ns */

typedef struct {
    uint64_t key, bytes;
    SimTime at_ps;
    uint32_t flow;
    SimTime begun_ps; /* as the oracle says; SIM_TIME_MAX: not yet */
} Drawn;

typedef struct {
    SimEngine *engine;
    Network *network;
    Drawn *drawn; /* in the order in which they are sent */
    guint n, n_begun, n_told_apart;
} Shared;

static void on_deliver(gpointer self, uint32_t npu, uint32_t message,
                       SimTime now_ps)
{
    Shared *s = self;

    assert_int_equal(npu, 1);
    assert_true(now_ps > 0);
    network_message_free(s->network, message);
}

static void on_link(gpointer self, uint32_t link, uint32_t message,
                    SimTime end_ps, gboolean wanted)
{
    Shared *s = self;
    const Drawn *d = &s->drawn[network_message(s->network, message)->cookie];

    (void)link, (void)wanted;
    s->n_begun++;
    assert_int_equal(sim_engine_now(s->engine), d->begun_ps);
    assert_int_equal(end_ps, d->begun_ps + SIM_NS(d->bytes));
}

static uint32_t flow_of(gpointer self, const NetMessage *message)
{
    Shared *s = self;

    s->n_told_apart++;
    return s->drawn[message->cookie].flow;
}

static void send_now(gpointer self, uint32_t index, SimTime now_ps)
{
    Shared *s = self;
    const Drawn *d = &s->drawn[index];
    uint32_t message = network_message_new(s->network);
    NetMessage *m = network_message(s->network, message);

    assert_int_equal(now_ps, d->at_ps);
    m->order_hi = d->key;
    m->order_lo = 0;
    m->bytes = d->bytes;
    m->cookie = index;
    m->dst = 1;
    m->way = 0;
    network_send(s->network, 0, message);
}

/* ---- the oracle -------------------------------------------------------- */

typedef struct {
    uint64_t now_bytes, ends_bytes[N_FLOWS];
    guint n_waiting[N_FLOWS], n_came;
} Turns;

/* Those that wait at @now_ps, the earlier ones before their equals. */
static Drawn *first_of(Shared *s, uint32_t flow, SimTime now_ps)
{
    Drawn *first = NULL;

    for (Drawn *d = s->drawn; d < s->drawn + s->n; d++)
        if (d->flow == flow && d->at_ps <= now_ps &&
            d->begun_ps == SIM_TIME_MAX && (!first || d->key < first->key))
            first = d;
    return first;
}

static void let_come(const Shared *s, Turns *turns, SimTime now_ps)
{
    for (; turns->n_came < s->n && s->drawn[turns->n_came].at_ps <= now_ps;
         turns->n_came++) {
        uint32_t flow = s->drawn[turns->n_came].flow;

        if (turns->n_waiting[flow]++ == 0)
            turns->ends_bytes[flow] =
                MAX(turns->ends_bytes[flow], turns->now_bytes);
    }
}

static Drawn *take_next(Shared *s, Turns *turns, SimTime now_ps)
{
    uint32_t best = N_FLOWS;
    Drawn *d;

    for (uint32_t f = 0; f < N_FLOWS; f++)
        if (turns->n_waiting[f] > 0 &&
            (best == N_FLOWS || turns->ends_bytes[f] < turns->ends_bytes[best]))
            best = f;
    if (best == N_FLOWS)
        return NULL;
    d = first_of(s, best, now_ps);
    d->begun_ps = now_ps;
    turns->n_waiting[best]--;
    turns->now_bytes = turns->ends_bytes[best];
    turns->ends_bytes[best] += d->bytes;
    return d;
}

static void work_out(Shared *s)
{
    Turns turns = { 0 };
    SimTime now_ps = 0;

    for (guint n_done = 0; n_done < s->n;) {
        const Drawn *d;

        let_come(s, &turns, now_ps);
        d = take_next(s, &turns, now_ps);
        now_ps = d ? now_ps + SIM_NS(d->bytes) : s->drawn[turns.n_came].at_ps;
        n_done += d != NULL;
    }
}

/* ---- tests ------------------------------------------------------------- */

/* Sends them all over one link. */
static void check(Shared *s)
{
    g_autoptr(Topology) topology =
        topology_built("{kind: torus, dims: [{size: 2, direction: one, "
                       "bandwidth: " BYTES_PER_S ", latency: 0 s}]}");

    s->engine = sim_engine_new();
    s->network = network_new(s->engine, topology, 64, NULL, on_deliver, s);
    network_share(s->network, N_FLOWS, flow_of, s);
    network_listen(s->network, on_link, NULL, s);
    for (guint i = 0; i < s->n; i++)
        sim_engine_at(s->engine, s->drawn[i].at_ps, SIM_PHASE_ACT, send_now, s,
                      i);
    (void)sim_engine_run(s->engine, SIM_TIME_MAX);
    assert_int_equal(s->n_begun, s->n);
    assert_true(network_is_empty(s->network));
    network_free(s->network);
    sim_engine_free(s->engine);
}

static int by_time(gconstpointer a, gconstpointer b)
{
    SimTime x = ((const Drawn *)a)->at_ps, y = ((const Drawn *)b)->at_ps;

    return (x > y) - (x < y);
}

/* @n_keys few: most are equal; @n_moments few: most come together. */
static void check_drawn(GRand *rand, guint n, gint32 n_keys, gint32 n_moments)
{
    Drawn drawn[300];
    Shared s = { .drawn = drawn, .n = n };

    for (guint i = 0; i < n; i++)
        drawn[i] = (Drawn){
            .key = (uint64_t)g_rand_int_range(rand, 0, n_keys),
            .bytes = (uint64_t)g_rand_int_range(rand, 1, 200),
            .at_ps = SIM_NS(50) * (SimTime)g_rand_int_range(rand, 0, n_moments),
            .flow = (uint32_t)g_rand_int_range(rand, 0, N_FLOWS),
            .begun_ps = SIM_TIME_MAX,
        };
    qsort(drawn, n, sizeof *drawn, by_time);
    work_out(&s);
    check(&s);
}

static void test_what_is_drawn_goes_as_the_oracle_says(void **state)
{
    static const gint32 n_keys[] = { 1, 3, 20, 1000 };
    static const gint32 n_moments[] = { 1, 20, 300, 1000 };

    (void)state;
    for (guint i = 0; i < n_draws(64); i++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(i);

        check_drawn(rand, 1 + i * 37 % 300, n_keys[i % 4],
                    n_moments[i / 4 % 4]);
    }
}

/* However long the lines: else a link of several jobs costs the square. */
static void test_each_message_is_told_apart_once(void **state)
{
    g_autofree Drawn *drawn = g_new(Drawn, MAX_DRAWN);
    Shared s = { .drawn = drawn, .n = MAX_DRAWN };

    (void)state;
    for (guint i = 0; i < s.n; i++)
        drawn[i] = (Drawn){
            .key = i, .bytes = 10, .flow = i % 2, .begun_ps = SIM_NS(10) * i
        };
    check(&s);
    assert_int_equal(s.n_told_apart, s.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_drawn_goes_as_the_oracle_says),
        cmocka_unit_test(test_each_message_is_told_apart_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
