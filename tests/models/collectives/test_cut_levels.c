/* Tests of models/collectives/cut.h: phases in a switch that adds, and others
 */
#include "tests/models/collectives/cut_fixture.h"

#define RAILS(nodes)                                                           \
    "{topology: {kind: grid, dims: [{shape: switch, size: 8, links: 18, "      \
    "bandwidth: 25 GB/s, latency: 300 ns, efficiency: 82 %, reduces: true, "   \
    "reduce_rate: 270 GB/s}, {shape: switch, size: " #nodes ", links: 1, "     \
    "bandwidth: 50 GB/s, latency: 1.25 us, efficiency: 96 %}]}, "              \
    "npu: configs/npus/h100-sxm.yaml}"

static void assert_near_on_rails(const char *platform, const char *endpoint,
                                 const char *payload, const char *by_hand)
{
    g_autofree char *workload = g_strdup_printf(
        "kind: collective, collective: all-reduce, payload: %s", payload);
    const char *ring = "algorithm: hierarchical, levels: [in-switch, ring]";
    g_autofree char *chosen = g_strdup_printf("{%s}", ring);
    g_autofree char *cut = g_strdup_printf("{%s, %s}", ring, by_hand);
    SimTime ps = run_workload(platform, endpoint, workload, chosen).ps;
    SimTime best_ps = run_workload(platform, endpoint, workload, cut).ps;

    assert_true((double)ps <= MAX_LOSS * (double)best_ps);
}

/* A switch that adds at less than its links carry, and what it gathers, which
 * is more on the way down: where the way up counted alone, at the links' rate,
 * a few chunks were chosen, whose first and last kept the rails idle; 12 %. */
static void test_what_a_switch_adds_takes_its_time(void **state)
{
    (void)state;
    assert_near_on_rails(RAILS(32), "{kind: ideal}", "64 MiB",
                         "chunk: 1 MiB, message: 64 KiB, window: 200");
}

/* A step of a long ring waits at the bus for what another phase has on it, in
 * messages that were 1,000 times as large; 19 % */
static void test_small_steps_wait_for_large_messages(void **state)
{
    (void)state;
    assert_near_on_rails(
        RAILS(128), "{kind: baseline, sms: 132, memory_bandwidth: 3 TB/s}",
        "256 MiB", "chunk: 1 MiB, message: 64 KiB, window: 200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_switch_adds_takes_its_time),
        cmocka_unit_test(test_small_steps_wait_for_large_messages),
    };

    return cmocka_run_group_tests_name("cut_levels", tests, NULL, NULL);
}
