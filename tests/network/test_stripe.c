/* test_stripe.c - Tests of network/transport/parallel_link_striping.c against
 * closed forms, and with random messages against an oracle that sends packet by
 * packet. */
#include "tests/test.h"

#include "sim/core/engine.h"
#include "sim/core/rng.h"
#include "tests/network/stripe_oracle.h"

#define PACKET_BYTES 256
/* A packet of 256 bytes takes 8 ns at this rate. */
#define RATE      (UINT64_C(32) * 1000000000)
#define PACKET_PS SIM_NS(8)
#define MAX_LINKS 20

static Stripe send_striped_message(SimTime *free_ps, uint32_t n_links,
                                   uint64_t bytes, SimTime now_ps,
                                   SimTime least_ps)
{
    StripeTimes times =
        stripe_compute_times(bytes, PACKET_BYTES, RATE, n_links);

    return stripe_message_over_links(free_ps, n_links, &times, now_ps,
                                     least_ps);
}

static void idle_links_share_the_packets(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= MAX_LINKS; n++)
        for (uint64_t packets = 1; packets <= 40; packets++) {
            SimTime free_ps[MAX_LINKS] = { 0 };
            Stripe s = send_striped_message(free_ps, n, packets * PACKET_BYTES,
                                            1000, 0);

            assert_int_equal(s.end_ps,
                             1000 + (packets + n - 1) / n * PACKET_PS);
            assert_int_equal(s.busy_ps, packets * PACKET_PS);
        }
}

static void messages_shorter_than_a_packet_use_links_in_parallel(void **state)
{
    SimTime free_ps[4] = { 0 };

    (void)state;
    for (guint i = 0; i < 4; i++)
        assert_int_equal(send_striped_message(free_ps, 4, 64, 0, 0).end_ps,
                         SIM_NS(2));
    assert_int_equal(free_ps[0], SIM_NS(2));
}

static void slow_packets_take_only_as_many_links_as_needed(void **state)
{
    SimTime free_ps[4] = { 0 };

    (void)state;
    /* The 100 packets arrive within 1000 ns and need 800 ns of one link. */
    assert_int_equal(
        send_striped_message(free_ps, 4, 100 * PACKET_BYTES, 0, SIM_US(1))
            .end_ps,
        SIM_US(1));
    assert_int_equal(free_ps[2], 0);
    assert_int_equal(free_ps[3], SIM_US(1));
    /* The 200 packets need 1600 ns, so they take two links. */
    free_ps[3] = 0;
    assert_int_equal(
        send_striped_message(free_ps, 4, 200 * PACKET_BYTES, 0, SIM_US(1))
            .end_ps,
        SIM_US(1));
    assert_int_equal(free_ps[1], 0);
    assert_int_equal(free_ps[2], SIM_NS(800));
}

static void random_messages_take_links_like_their_packets(void **state)
{
    static const uint64_t bytes[] = { 1, 64, 256, 300, 1000, 8192, 40000 };
    RngStream stream = rng_new_stream(1, "stripe");

    (void)state;
    for (uint32_t n = 1; n <= MAX_LINKS; n++) {
        SimTime ours[MAX_LINKS] = { 0 }, theirs[MAX_LINKS] = { 0 };
        SimTime now_ps = 0;

        for (uint64_t i = 0; i < 5000; i++) {
            uint64_t b = bytes[rng_value_at_indices(stream, n, i, 0) %
                               G_N_ELEMENTS(bytes)];
            SimTime wait_ps =
                SIM_NS(rng_value_at_indices(stream, n, i, 1) % 400);
            SimTime least_ps;
            Stripe a, e;

            now_ps = MAX(now_ps, ours[0]);
            if (i % 3 == 0)
                now_ps += wait_ps;
            least_ps = i % 5 == 0 ? now_ps + 20 * wait_ps : 0;
            a = send_striped_message(ours, n, b, now_ps, least_ps);
            e = stripe_oracle(theirs, n, b, PACKET_BYTES, RATE, now_ps,
                              least_ps);
            qsort(theirs, n, sizeof *theirs, stripe_oracle_compare_times);
            assert_int_equal(a.end_ps, e.end_ps);
            assert_int_equal(a.busy_ps, e.busy_ps);
            assert_memory_equal(ours, theirs, n * sizeof *ours);
        }
    }
}

/* At such rates, a packet does not take a whole number of picoseconds. Sums of
 * many packets are rounded differently than sums of few. Links with equal times
 * can then be out of order by a picosecond. */
static void times_ascend_and_add_up_at_any_rate(void **state)
{
    RngStream stream = rng_new_stream(1, "stripe rates");

    (void)state;
    for (uint32_t n = 2; n <= MAX_LINKS; n++) {
        SimTime free_ps[MAX_LINKS] = { 0 }, now_ps = 0;

        for (uint64_t i = 0; i < 3000; i++) {
            uint64_t bytes =
                1 + rng_value_at_indices(stream, n, i, 0) % (PACKET_BYTES * 60);
            uint64_t rate =
                RATE + rng_value_at_indices(stream, n, i / 500, 1) % RATE;
            StripeTimes times =
                stripe_compute_times(bytes, PACKET_BYTES, rate, n);
            SimTime before_ps = 0, after_ps = 0, least_ps;
            Stripe s;

            now_ps = MAX(now_ps, free_ps[0]);
            if (i % 7 == 0)
                now_ps += rng_value_at_indices(stream, n, i, 2) % SIM_NS(500);
            least_ps =
                now_ps + (i % 3 == 0 ? rng_value_at_indices(stream, n, i, 3) %
                                           (2 * times.message_ps)
                                     : 0);
            for (uint32_t l = 0; l < n; l++)
                before_ps += MAX(free_ps[l], now_ps);
            s = stripe_message_over_links(free_ps, n, &times, now_ps, least_ps);
            assert_true(s.end_ps >= least_ps);
            for (uint32_t l = 0; l < n; l++) {
                after_ps += free_ps[l];
                assert_true(free_ps[l] >= now_ps);
                assert_true(l == 0 || free_ps[l] >= free_ps[l - 1]);
            }
            assert_int_equal(after_ps - before_ps, s.busy_ps);
        }
    }
}

static void times_beyond_the_maximum_are_capped(void **state)
{
    SimTime free_ps[3] = { 0 };
    StripeTimes times = stripe_compute_times(UINT64_C(1) << 40, 1, 1, 3);
    Stripe s = stripe_message_over_links(free_ps, 3, &times, 0, 0);

    (void)state;
    assert_true(s.end_ps >= SIM_ENGINE_MAX_PS);
    free_ps[0] = 0;
    s = stripe_message_over_links(free_ps, 3, &times, 0, 0);
    assert_true(s.end_ps >= SIM_ENGINE_MAX_PS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_links_share_the_packets),
        cmocka_unit_test(messages_shorter_than_a_packet_use_links_in_parallel),
        cmocka_unit_test(slow_packets_take_only_as_many_links_as_needed),
        cmocka_unit_test(random_messages_take_links_like_their_packets),
        cmocka_unit_test(times_ascend_and_add_up_at_any_rate),
        cmocka_unit_test(times_beyond_the_maximum_are_capped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
