/*
 * test_fair_queueing.c - Tests of a link that several flows share by fair
 * queueing.
 *
 * Random messages are compared with a slow oracle, which has a queue per flow
 * and examines all waiting messages. The test also checks that each message is
 * classified only
 * once. */
#include "tests/network/topology_fixture.h"

#include "network/transport/network.h"

#define N_FLOWS      3
#define MAX_MESSAGES 4000
#define BYTES_PER_S  "1 GB/s" /* The link carries one byte per nanosecond. */

typedef struct {
    uint64_t key, bytes;
    SimTime at_ps;
    uint32_t flow;
    /* The begin time that the oracle expects; SIM_TIME_MAX before it is
     * known. */
    SimTime begun_ps;
} RandomMessage;

typedef struct {
    SimEngine *engine;
    Network *network;
    RandomMessage *messages; /* The messages are in the order of sending. */
    guint n, n_begun, n_classified;
} Shared;

static void on_message_delivered(gpointer self, uint32_t npu, uint32_t message,
                                 SimTime now_ps)
{
    Shared *s = self;

    assert_int_equal(npu, 1);
    assert_true(now_ps > 0);
    network_message_free(s->network, message);
}

static void on_link_used(gpointer self, uint32_t link, uint32_t message,
                         SimTime end_ps, gboolean wanted)
{
    Shared *s = self;
    const RandomMessage *d =
        &s->messages[network_get_message(s->network, message)->cookie];

    (void)link, (void)wanted;
    s->n_begun++;
    assert_int_equal(sim_engine_now_ps(s->engine), d->begun_ps);
    assert_int_equal(end_ps, d->begun_ps + SIM_NS(d->bytes));
}

static uint32_t flow_of_message(gpointer self, const NetMessage *message)
{
    Shared *s = self;

    s->n_classified++;
    return s->messages[message->cookie].flow;
}

static void send_scheduled_message(gpointer self, uint32_t index,
                                   SimTime now_ps)
{
    Shared *s = self;
    const RandomMessage *d = &s->messages[index];
    uint32_t message = network_message_new(s->network);
    NetMessage *net_message = network_get_message(s->network, message);

    assert_int_equal(now_ps, d->at_ps);
    net_message->order_hi = d->key;
    net_message->order_lo = 0;
    net_message->bytes = d->bytes;
    net_message->cookie = index;
    net_message->dst = 1;
    net_message->path_id = 0;
    network_send_message(s->network, 0, message);
}

/* ---- oracle of fair queueing --------------------------------------------- */

typedef struct {
    uint64_t virtual_time_bytes, start_tag_bytes[N_FLOWS];
    guint n_waiting[N_FLOWS], n_arrived;
} FairQueue;

/* Returns the waiting message of @flow with the smallest key. Of equal keys,
 * the one that was sent first. */
static RandomMessage *first_waiting_message_of_flow(Shared *s, uint32_t flow,
                                                    SimTime now_ps)
{
    RandomMessage *first = NULL;

    for (RandomMessage *d = s->messages; d < s->messages + s->n; d++)
        if (d->flow == flow && d->at_ps <= now_ps &&
            d->begun_ps == SIM_TIME_MAX && (!first || d->key < first->key))
            first = d;
    return first;
}

static void admit_arrived_messages(const Shared *s, FairQueue *queue,
                                   SimTime now_ps)
{
    for (; queue->n_arrived < s->n &&
           s->messages[queue->n_arrived].at_ps <= now_ps;
         queue->n_arrived++) {
        uint32_t flow = s->messages[queue->n_arrived].flow;

        if (queue->n_waiting[flow]++ == 0)
            queue->start_tag_bytes[flow] =
                MAX(queue->start_tag_bytes[flow], queue->virtual_time_bytes);
    }
}

static RandomMessage *serve_next_message(Shared *s, FairQueue *queue,
                                         SimTime now_ps)
{
    uint32_t best = N_FLOWS;
    RandomMessage *d;

    for (uint32_t f = 0; f < N_FLOWS; f++)
        if (queue->n_waiting[f] > 0 &&
            (best == N_FLOWS ||
             queue->start_tag_bytes[f] < queue->start_tag_bytes[best]))
            best = f;
    if (best == N_FLOWS)
        return NULL;
    d = first_waiting_message_of_flow(s, best, now_ps);
    d->begun_ps = now_ps;
    queue->n_waiting[best]--;
    queue->virtual_time_bytes = queue->start_tag_bytes[best];
    queue->start_tag_bytes[best] += d->bytes;
    return d;
}

static void compute_oracle_begin_times(Shared *s)
{
    FairQueue queue = { 0 };
    SimTime now_ps = 0;

    for (guint n_done = 0; n_done < s->n;) {
        const RandomMessage *d;

        admit_arrived_messages(s, &queue, now_ps);
        d = serve_next_message(s, &queue, now_ps);
        now_ps =
            d ? now_ps + SIM_NS(d->bytes) : s->messages[queue.n_arrived].at_ps;
        n_done += d != NULL;
    }
}

/* ---- tests of fair queueing ---------------------------------------------- */

/* Sends all messages over one link. */
static void check_flow_begin_times(Shared *s)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(
        "{kind: torus, dims: [{size: 2, direction: one, "
        "bandwidth: " BYTES_PER_S ", latency: 0 s}]}");

    s->engine = sim_engine_new();
    s->network =
        network_new(s->engine, topology, 64, NULL, on_message_delivered, s);
    network_set_flows(s->network, N_FLOWS, flow_of_message, s);
    network_set_link_listeners(s->network, on_link_used, NULL, s);
    for (guint i = 0; i < s->n; i++)
        sim_engine_schedule(s->engine, s->messages[i].at_ps, SIM_PHASE_ACT,
                            send_scheduled_message, s, i);
    (void)sim_engine_run(s->engine, SIM_TIME_MAX);
    assert_int_equal(s->n_begun, s->n);
    assert_true(network_is_empty(s->network));
    network_free(s->network);
    sim_engine_free(s->engine);
}

static int compare_by_begin_time(gconstpointer a, gconstpointer b)
{
    SimTime x = ((const RandomMessage *)a)->at_ps,
            y = ((const RandomMessage *)b)->at_ps;

    return (x > y) - (x < y);
}

/* A small @n_keys makes most keys equal. A small @n_moments makes most messages
 * start together. */
static void check_random_flows(GRand *rand, guint n, gint32 n_keys,
                               gint32 n_moments)
{
    RandomMessage messages[300];
    Shared s = { .messages = messages, .n = n };

    for (guint i = 0; i < n; i++)
        messages[i] = (RandomMessage){
            .key = (uint64_t)g_rand_int_range(rand, 0, n_keys),
            .bytes = (uint64_t)g_rand_int_range(rand, 1, 200),
            .at_ps = SIM_NS(50) * (SimTime)g_rand_int_range(rand, 0, n_moments),
            .flow = (uint32_t)g_rand_int_range(rand, 0, N_FLOWS),
            .begun_ps = SIM_TIME_MAX,
        };
    qsort(messages, n, sizeof *messages, compare_by_begin_time);
    compute_oracle_begin_times(&s);
    check_flow_begin_times(&s);
}

static void test_random_messages_begin_when_the_oracle_says(void **state)
{
    static const gint32 n_keys[] = { 1, 3, 20, 1000 };
    static const gint32 n_moments[] = { 1, 20, 300, 1000 };

    (void)state;
    for (guint i = 0; i < n_random_draws(64); i++) {
        g_autoptr(GRand) rand = g_rand_new_with_seed(random_seed(i));

        check_random_flows(rand, 1 + i * 37 % 300, n_keys[i % 4],
                           n_moments[i / 4 % 4]);
    }
}

/* If queued messages were classified again, the cost of a link of several jobs
 * would grow with the square of the queue. */
static void test_each_message_is_classified_once(void **state)
{
    g_autofree RandomMessage *messages = g_new(RandomMessage, MAX_MESSAGES);
    Shared s = { .messages = messages, .n = MAX_MESSAGES };

    (void)state;
    for (guint i = 0; i < s.n; i++)
        messages[i] = (RandomMessage){
            .key = i, .bytes = 10, .flow = i % 2, .begun_ps = SIM_NS(10) * i
        };
    check_flow_begin_times(&s);
    assert_int_equal(s.n_classified, s.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_messages_begin_when_the_oracle_says),
        cmocka_unit_test(test_each_message_is_classified_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
