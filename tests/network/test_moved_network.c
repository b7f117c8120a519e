/*
 * test_moved_network.c - a network whose state is moved to a later time goes on
 * as before
 *
 * All messages arrive later by as much as the network was moved.  Messages with
 * equal keys meet at shared links.  ACESIM_DRAWS=n draws n times as many
 * networks, and ACESIM_SEED=n draws others.
 */
#include "tests/network/network_fixture.h"

#include "network/transport/network_steady_state.h"

#define SHIFT_PS  SIM_US(3000)
#define N_SENDS   40
#define N_SYSTEMS 150 /* for each topology */

typedef struct {
    Fixture *fixture;
    SimTime moved_at_ps;
} Mover;

static void visit_no_subject(gpointer self, SteadyWalk *walk, uint64_t order,
                             uint32_t cookie)
{
    (void)self;
    (void)walk;
    (void)order;
    (void)cookie;
}

/* Moves the network and its events ahead. */
static void on_move_due(gpointer self, uint32_t arg, uint64_t now_ps)
{
    Mover *mover = self;
    Fixture *f = mover->fixture;
    g_autofree SimWide *grows =
        g_new0(SimWide, NETWORK_N_STEADY_COUNTS * MAX_NPUS * MAX_PORTS);
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    SteadyWalk walk = { .now_ps = now_ps,
                        .moves = TRUE,
                        .shift_ps = SHIFT_PS,
                        .growth = grows,
                        .about = visit_no_subject };

    (void)arg;
    sim_engine_remove_all_events(f->engine, events);
    network_visit_state(f->network, &walk);
    for (guint i = 0; i < events->len; i++) {
        const SimEvent *event = &g_array_index(events, SimEvent, i);

        assert_ptr_equal(event->self, f->network);
        network_visit_event(f->network, &walk, event->fn, event->arg);
    }
    assert_false(walk.is_lost);
    sim_engine_set_now_ps(f->engine, now_ps + SHIFT_PS);
    for (guint i = 0; i < events->len; i++)
        sim_engine_reschedule(f->engine, &g_array_index(events, SimEvent, i),
                              SHIFT_PS);
}

/* Sends all of @sends in a network that is moved at @move_ps, and in one that
 * is not.  @move_ps must not precede any send. */
static void check_moved_network(const char *text, const Send *sends, guint n,
                                SimTime move_ps)
{
    Fixture *f = network_fixture_new(text, FALSE);
    Fixture *moved = network_fixture_new(text, FALSE);
    Mover mover = { .fixture = moved };

    network_set_early_delivery_callback(f->network, NULL);
    network_set_early_delivery_callback(moved->network, NULL);
    sim_engine_schedule(moved->engine, move_ps, SIM_PHASE_SAMPLE, on_move_due,
                        &mover, 0);
    run_network_sends(f, sends, n);
    run_network_sends(moved, sends, n);
    for (guint i = 0; i < n; i++) {
        SimTime at_ps = f->arrival_ps[sends[i].dst][i];

        if (at_ps > move_ps)
            at_ps += SHIFT_PS;
        if (moved->arrival_ps[sends[i].dst][i] != at_ps)
            fail_msg("%s: message %u arrives at %" G_GUINT64_FORMAT
                     " instead of %" G_GUINT64_FORMAT
                     " after a move at %" G_GUINT64_FORMAT,
                     text, i, moved->arrival_ps[sends[i].dst][i], at_ps,
                     move_ps);
    }
    network_fixture_free(f);
    network_fixture_free(moved);
}

/* Three NPUs send to NPU 3 over two parallel links between switches.  NPU 2 is
 * the first to use them. */
static const char shared[] =
    "{ kind: graph, nodes: [{ name: n0, kind: npu }, { name: n1, kind: npu }, "
    "{ name: n2, kind: npu }, { name: n3, kind: npu }, "
    "{ name: s0, kind: switch }, { name: s1, kind: switch }], links: ["
    "{ from: n0, to: s0, bandwidth: 100 GB/s, latency: 10 ns }, "
    "{ from: n1, to: s0, bandwidth: 10 GB/s, latency: 10 ns }, "
    "{ from: n2, to: s0, bandwidth: 100 GB/s, latency: 0 ns }, "
    "{ from: n3, to: s1, bandwidth: 100 GB/s, latency: 10 ns }, "
    "{ from: s0, to: s1, links: 2, bandwidth: 10 GB/s, latency: 10 ns }] }";

/* The links admit messages 2 and 3 to their queue at the end of message 0, and
 * serve message 1 first.  Meanwhile all of message 2 has arrived, and message 3
 * is still arriving.  Their heads came together, so they share the links. */
static void test_messages_that_share_a_link_are_moved(void **state)
{
    static const Send sends[] = {
        { .src = 2, .dst = 3, .bytes = 20000, .order_lo = 0, .chunk = 0 },
        { .src = 2, .dst = 3, .bytes = 20000, .order_lo = 1, .chunk = 1 },
        { .src = 0, .dst = 3, .bytes = 20000, .order_lo = 2, .chunk = 2 },
        { .src = 1, .dst = 3, .bytes = 40000, .order_lo = 2, .chunk = 3 },
    };

    (void)state;
    for (SimTime at_ps = SIM_NS(100); at_ps < SIM_US(5); at_ps += SIM_NS(50))
        check_moved_network(shared, sends, G_N_ELEMENTS(sends), at_ps);
}

static const char *const topologies[] = {
    shared,
    "{ kind: torus, dims: [{ size: 3, links: 4, " FAST " }, "
    "{ size: 3, links: 2, " SLOW " }] }",
    "{ kind: torus, dims: [{ size: 4, links: 2, " SLOW " }, "
    "{ size: 2, direction: one, links: 3, " FAST " }] }",
    "{ kind: mesh, dims: [{ size: 3, links: 2, " SLOW " }, "
    "{ size: 3, links: 4, " SLOW " }] }",
    "{ kind: fat-tree, npus: 8, radix: 4, links: 2, " SLOW " }",
    "{ kind: switch, npus: 6, links: 3, " SLOW " }",
};

static void test_moved_networks_go_on_as_before(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(random_seed(43));

    (void)state;
    for (guint i = 0; i < n_random_draws(N_SYSTEMS) * G_N_ELEMENTS(topologies);
         i++) {
        const char *text = topologies[i % G_N_ELEMENTS(topologies)];
        gint32 n_npus = text == shared ? 4 : 6;
        SimTime last_ps = 0;
        Send sends[N_SENDS];

        for (guint k = 0; k < N_SENDS; k++) {
            gint32 src = g_rand_int_range(rand, 0, n_npus);
            gint32 on = g_rand_int_range(rand, 1, n_npus);

            sends[k] = (Send){
                .src = (uint32_t)src,
                .dst = (uint32_t)((src + on) % n_npus),
                .bytes = (uint64_t)g_rand_int_range(rand, 1, 40) * 235,
                .order_lo = (uint64_t)g_rand_int_range(rand, 0, 3),
                .at_ps = (SimTime)g_rand_int_range(rand, 0, 1000000),
                .chunk = k,
            };
            last_ps = MAX(last_ps, sends[k].at_ps);
        }
        check_moved_network(text, sends, N_SENDS,
                            last_ps +
                                (SimTime)g_rand_int_range(rand, 0, 3000000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_that_share_a_link_are_moved),
        cmocka_unit_test(test_moved_networks_go_on_as_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
