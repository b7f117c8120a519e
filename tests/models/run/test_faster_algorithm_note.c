/*
 * test_faster_algorithm_note.c - the algorithm that a run names as faster than
 * that of `auto`
 */
#include "tests/system_fixture.h"

#define SWITCH_OF_10                                                           \
    "{kind: switch, npus: 10, links: 1, bandwidth: 100 GB/s, latency: 600 ns}"
#define ALGORITHM "{algorithm: %s}"

/* Sets *@ret to the faster algorithm than `auto` for a collective on a switch
 * of 10; returns FALSE if there is none. */
static gboolean find_for(const char *kind, const char *payload,
                         const char *stack, FasterAlgorithm *ret)
{
    const Setup setup = {
        .topology = SWITCH_OF_10,
        .workload = format_text("{kind: collective, name: w, collective: %s, "
                                "payload: %s}",
                                kind, payload),
        .stack = stack,
    };
    GError *error = NULL;
    gboolean found;
    Run run;

    read_run_setup(&run, &setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    found = system_find_faster_algorithm(run.system, ret);
    run_clear(&run);
    return found;
}

static SimTime time_of_one_ps(const char *kind, const char *payload,
                              const char *algorithm)
{
    const Setup setup = {
        .topology = SWITCH_OF_10,
        .workload = format_text("{kind: collective, name: w, collective: %s, "
                                "payload: %s}",
                                kind, payload),
        .collectives = format_text(ALGORITHM, algorithm),
    };

    return simulate_setup(&setup).iteration_ps;
}

/* The ratio is that of two runs, because a run of one iteration is the
 * collective alone. */
static void test_ratio_is_that_of_two_runs(void **state)
{
    static const struct {
        const char *kind, *payload;
    } rows[] = { { "reduce", "16 KiB" },
                 { "broadcast", "16 KiB" },
                 { "all-gather", "256 KiB" } };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        FasterAlgorithm faster = { 0 };
        SimTime now_ps, other_ps;

        assert_true(find_for(rows[i].kind, rows[i].payload, NULL, &faster));
        assert_string_equal(coll_kind_names[faster.kind], rows[i].kind);
        now_ps = time_of_one_ps(rows[i].kind, rows[i].payload, "auto");
        other_ps = time_of_one_ps(rows[i].kind, rows[i].payload,
                                  coll_algorithm_names[faster.algorithm]);
        assert_true(other_ps < now_ps);
        assert_true(faster.time_ratio < 0.98);
        assert_true(ABS((double)other_ps / (double)now_ps - faster.time_ratio) <
                    0.01);
    }
}

static void test_nothing_is_said_of_large_rings(void **state)
{
    FasterAlgorithm faster;

    (void)state;
    assert_false(find_for("all-reduce", "64 MiB", NULL, &faster));
}

static void test_nothing_is_said_of_a_library(void **state)
{
    FasterAlgorithm faster;

    (void)state;
    assert_false(find_for("all-gather", "256 KiB", "nccl", &faster));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_is_that_of_two_runs),
        cmocka_unit_test(test_nothing_is_said_of_large_rings),
        cmocka_unit_test(test_nothing_is_said_of_a_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
