/*
 * test_algorithm_what_ifs.c - which algorithms of collectives an explanation
 * tries
 *
 * `auto` chooses by kind and shape.  An explanation runs the algorithms that
 * the estimate of each collective alone takes to be as fast, and no others.
 */
#include "tests/sim/what_ifs/what_if_fixture.h"
#include "tests/system_fixture.h"

#include "sim/study/explain/resource_what_ifs.h"

#define SWITCH_OF_10                                                           \
    "{kind: switch, npus: 10, links: 1, bandwidth: 100 GB/s, latency: 600 ns}"
#define RING_OF_16                                                             \
    "{kind: torus, dims: [{size: 16, links: 2, bandwidth: 100 GB/s, latency: " \
    "600 ns}]}"

static const char *one_collective(const char *kind, const char *payload)
{
    return format_text("{kind: collective, name: w, collective: %s, payload: "
                       "%s}",
                       kind, payload);
}

/* Returns the algorithms that the explanation of @setup tries, in the order of
 * the table, each followed by a space. */
static char *algorithms_tried(const Setup *setup)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GArray) all = NULL;
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    all = list_what_ifs(run.system);
    for (guint i = 0; i < all->len; i++) {
        const char *name = g_array_index(all, WhatIf, i).name;

        if (g_str_has_prefix(name, "collectives.algorithm="))
            g_string_append_printf(out, "%s ", strchr(name, '=') + 1);
    }
    run_clear(&run);
    return g_string_free(out, FALSE);
}

static SimTime time_with_algorithm(const char *topology, const char *workload,
                                   const char *algorithm)
{
    const Setup setup = { .topology = topology,
                          .workload = workload,
                          .collectives =
                              format_text("{algorithm: %s}", algorithm) };

    return simulate_setup(&setup).iteration_ps;
}

static void test_faster_algorithms_of_a_small_reduce_are_tried(void **state)
{
    const Setup setup = { .topology = SWITCH_OF_10,
                          .workload = one_collective("reduce", "16 KiB") };
    g_autofree char *tried = algorithms_tried(&setup);
    g_auto(GStrv) names = g_strsplit(g_strchomp(tried), " ", -1);
    SimTime now_ps = simulate_setup(&setup).iteration_ps;
    SimTime best_ps = now_ps;

    (void)state;
    assert_true(g_strv_contains((const char *const *)names, "binomial-tree"));
    assert_true(g_strv_contains((const char *const *)names, "linear"));
    assert_false(g_strv_contains((const char *const *)names, "auto"));
    for (char **name = names; *name; name++) {
        SimTime ps = time_with_algorithm(setup.topology, setup.workload, *name);

        assert_true(ps > 0);
        best_ps = MIN(best_ps, ps);
    }
    assert_true(2 * best_ps < now_ps);
}

static void test_slower_algorithms_are_not_tried(void **state)
{
    const Setup setup = { .topology = RING_OF_16,
                          .workload = one_collective("all-reduce", "64 MiB") };
    g_autofree char *tried = algorithms_tried(&setup);
    SimTime now_ps = simulate_setup(&setup).iteration_ps;

    (void)state;
    assert_null(strstr(tried, "linear"));
    assert_null(strstr(tried, "direct"));
    assert_true(time_with_algorithm(setup.topology, setup.workload, "direct") >
                now_ps);
}

/* If a named algorithm is slow, `auto` is among those that are tried. */
static void test_auto_is_tried_instead_of_a_slow_algorithm(void **state)
{
    const Setup setup = { .topology = RING_OF_16,
                          .workload = one_collective("all-reduce", "64 MiB"),
                          .collectives = "{algorithm: direct}" };
    g_autofree char *tried = algorithms_tried(&setup);

    (void)state;
    assert_non_null(strstr(tried, "auto "));
    assert_null(strstr(tried, "direct"));
}

/* A library decides itself. */
static void test_collectives_of_a_library_have_no_other_algorithm(void **state)
{
    const Setup setup = { .topology = SWITCH_OF_10,
                          .workload = one_collective("all-reduce", "16 KiB"),
                          .stack = "nccl" };
    g_autofree char *tried = algorithms_tried(&setup);

    (void)state;
    assert_string_equal(tried, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faster_algorithms_of_a_small_reduce_are_tried),
        cmocka_unit_test(test_slower_algorithms_are_not_tried),
        cmocka_unit_test(test_auto_is_tried_instead_of_a_slow_algorithm),
        cmocka_unit_test(test_collectives_of_a_library_have_no_other_algorithm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
