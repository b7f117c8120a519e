/* test_fidelity.c - Compares message fidelity with packet fidelity in whole
 * runs of an all-reduce over parallel links.
 *
 * No buffer is ever full. validate/README.md has more comparisons. */
#include "tests/system_fixture.h"

#define MOST_PERCENT 2

/* Texts before and after the number of links of the first dimension. */
static const struct {
    const char *before, *after;
} parts[] = {
    { "{kind: torus, dims: [{size: 8, links: ",
      ", direction: one, bandwidth: 25 GB/s, latency: 401.61 ns}]}" },
    { "{kind: torus, dims: [{size: 5, links: ",
      ", direction: one, bandwidth: 200 GB/s, latency: 72.29 ns, "
      "efficiency: 0.94}, {size: 3, links: 6, bandwidth: 25 GB/s, "
      "latency: 401.61 ns}]}" },
};

static const char *const payloads[] = { "16 KiB", "100 kB", "1 MiB" };

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: baseline, sms: 6, memory_bandwidth: 450 GB/s}",
};

static SimTime collective_time_ps(guint topology, guint n_links, guint payload,
                                  guint endpoint, const char *fidelity)
{
    Setup setup = {
        .topology = format_text("%s%u%s", parts[topology].before, n_links,
                                parts[topology].after),
        .endpoint = endpoints[endpoint],
        .workload = format_text("{kind: collective, name: w, collective: "
                                "all-reduce, payload: %s}",
                                payloads[payload]),
        .collectives = format_text("{fidelity: %s}", fidelity),
    };

    return simulate_setup(&setup).total_ps;
}

static void messages_take_as_long_as_their_packets(void **state)
{
    (void)state;
    for (guint t = 0; t < G_N_ELEMENTS(parts); t++)
        for (guint n = 1; n <= 6; n++)
            for (guint p = 0; p < G_N_ELEMENTS(payloads); p++)
                for (guint e = 0; e < G_N_ELEMENTS(endpoints); e++) {
                    SimTime trains_ps =
                        collective_time_ps(t, n, p, e, "message");
                    SimTime packets_ps =
                        collective_time_ps(t, n, p, e, "packet");

                    assert_in_range(100 * trains_ps,
                                    (100 - MOST_PERCENT) * packets_ps,
                                    (100 + MOST_PERCENT) * packets_ps);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_as_long_as_their_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
