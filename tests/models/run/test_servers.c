/*
 * test_servers.c - parameter servers through whole runs: what their links take,
 * to the picosecond
 */
#include "tests/models/run/closed_form_fixture.h"

#include "models/observe/verify.h"

#define LINK  "bandwidth: 25 GB/s, latency: 500 ns"
#define WHOLE "algorithm: star, chunk: 1 GiB, message: 1 GiB"
#define IDEAL "{kind: ideal, message_cycles: 0}"

static const char *switch_of(uint32_t n)
{
    return text_of("{kind: switch, npus: %u, " LINK "}", n);
}

/* ---- stars --------------------------------------------------------------- */

/* All of it comes down the root's link, one after the other, while the second
 * message waits for the first: n-1 payloads, a packet and two latencies; the
 * other way round likewise. */
static void test_a_star_takes_the_roots_link_for_all_payloads(void **state)
{
    static const CollKind kinds[] = { COLL_REDUCE, COLL_BROADCAST, COLL_GATHER,
                                      COLL_SCATTER };

    (void)state;
    for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
        for (uint32_t n = 3; n <= 9; n += 2) {
            gboolean is_in_parts =
                kinds[k] == COLL_GATHER || kinds[k] == COLL_SCATTER;
            uint64_t bytes = is_in_parts ? MIB(1) / n : MIB(1);
            SimTime expected_ps = time_of((n - 1) * bytes, 25 * GB) +
                                  time_of(256, 25 * GB) + SIM_NS(1000);

            assert_int_equal(
                result_of(
                    &(Setup){ .topology = switch_of(n),
                              .endpoint = IDEAL,
                              .workload = one_collective(
                                  kinds[k], bytes * (is_in_parts ? n : 1)),
                              .collectives = "{" WHOLE "}" })
                    .iteration_ps,
                expected_ps);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_star_takes_the_roots_link_for_all_payloads),
    };

    return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
