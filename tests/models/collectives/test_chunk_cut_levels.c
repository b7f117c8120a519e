/* test_chunk_cut_levels.c - Tests of models/collectives/chunking.h:
 * hierarchical collectives with a phase in a switch that adds. */
#include "tests/models/collectives/chunk_cut_fixture.h"

#define RAILS(nodes)                                                           \
    "{topology: {kind: grid, dims: [{shape: switch, size: 8, links: 18, "      \
    "bandwidth: 25 GB/s, latency: 300 ns, efficiency: 82 %, reduces: true, "   \
    "reduce_rate: 270 GB/s}, {shape: switch, size: " #nodes ", links: 1, "     \
    "bandwidth: 50 GB/s, latency: 1.25 us, efficiency: 96 %}]}, "              \
    "npu: configs/npus/h100-sxm.yaml}"

static void assert_auto_near_choice_on_rails(const char *platform,
                                             const char *endpoint,
                                             const char *payload,
                                             const char *by_hand)
{
    g_autofree char *workload = g_strdup_printf(
        "kind: collective, collective: all-reduce, payload: %s", payload);
    const char *ring = "algorithm: hierarchical, levels: [in-switch, ring]";
    g_autofree char *chosen = g_strdup_printf("{%s}", ring);
    g_autofree char *cut = g_strdup_printf("{%s, %s}", ring, by_hand);
    SimTime ps =
        run_workload_of_fixture(platform, endpoint, workload, chosen).ps;
    SimTime best_ps =
        run_workload_of_fixture(platform, endpoint, workload, cut).ps;

    assert_true((double)ps <= MAX_LOSS * (double)best_ps);
}

/* The switch adds at a lower rate than its links carry, and sends more bytes
 * down than up. When the model counted only the way up, at the rate of the
 * links, too few chunks were chosen. The first and the last chunk then left the
 * rails idle. The loss was 12 %. */
static void test_the_cut_model_counts_the_switch_adder_rate(void **state)
{
    (void)state;
    assert_auto_near_choice_on_rails(
        RAILS(32), "{kind: ideal}", "64 MiB",
        "chunk: 1 MiB, message: 64 KiB, window: 200");
}

/* A step of a long ring waits at the bus for messages of another phase, which
 * were 1,000 times larger. The loss was 19 %. */
static void test_the_cut_model_counts_waiting_for_large_messages(void **state)
{
    (void)state;
    assert_auto_near_choice_on_rails(
        RAILS(128), "{kind: baseline, sms: 132, memory_bandwidth: 3 TB/s}",
        "256 MiB", "chunk: 1 MiB, message: 64 KiB, window: 200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_cut_model_counts_the_switch_adder_rate),
        cmocka_unit_test(test_the_cut_model_counts_waiting_for_large_messages),
    };

    return cmocka_run_group_tests_name("cut_levels", tests, NULL, NULL);
}
