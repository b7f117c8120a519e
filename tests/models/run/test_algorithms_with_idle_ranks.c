/*
 * test_algorithms_with_idle_ranks.c - Tests of algorithms in which ranks are
 * idle in some steps, and of algorithms with many steps, in whole runs that
 * verify data. */
#include "tests/system_fixture.h"

#include "models/collectives/algorithm.h"
#include "models/observe/verify_collectives.h"

#define LINK "bandwidth: 25 GB/s, latency: 500 ns"

/* Runs the setup and verifies the data. Returns FALSE if the setup is refused
 * because the algorithm does not support the collective. */
static gboolean run_is_verified(const Setup *setup)
{
    GError *error = NULL;
    Verify *verify;
    Run run;

    read_run_setup(&run, setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    if (!run.system) {
        assert_true(
            g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT));
        g_clear_error(&error);
        run_clear(&run);
        return FALSE;
    }
    verify = verify_listen_to_system(run.system, &error);
    assert_non_null(verify);
    if (!system_run(run.system, &error))
        fail_msg("%s%s", setup_text(setup), error->message);
    assert_true(verify_n_finished_chunks(verify) > 0);
    collective_verifier_free(verify);
    run_clear(&run);
    return TRUE;
}

static const char *rooted_collective_text(CollKind kind, uint32_t root,
                                          uint32_t bytes)
{
    return format_text(
        "{kind: collective, name: c, collective: %s, payload: %u B, "
        "root: %u}",
        coll_kind_names[kind], bytes,
        coll_contract(kind)->collective_has_root ? root : 0);
}

static const char *algorithm_row_text(CollKind kind, const char *algorithm)
{
    return format_text(
        "{chunk: 4000 B, message: 1000 B, choices: [{collective: "
        "%s, algorithm: %s}]}",
        coll_kind_names[kind], algorithm);
}

static void test_each_partial_algorithm_delivers_its_data(void **state)
{
    static const char *const topologies[] = {
        "{kind: switch, npus: 6, links: 2, " LINK "}",
        "{kind: fully-connected, npus: 5, " LINK "}",
        "{kind: torus, dims: [{size: 3, links: 2, " LINK "}, {size: 2, links: "
        "2, " LINK "}]}",
    };
    static const char *const endpoints[] = {
        "{kind: ideal}",
        "{kind: ace, sram: 256 KiB, fsms: 8, chunks_per_fsm: 1}",
        "{kind: baseline, sms: 6, memory_bandwidth: 45 GB/s}",
        "{kind: copy-engine, sms: 2, engines: 3, memory_bandwidth: 45 GB/s}",
    };
    guint n = 0;

    (void)state;
    for (gsize t = 0; t < G_N_ELEMENTS(topologies); t++)
        for (CollKind kind = 0; kind < COLL_N_KINDS; kind++)
            for (int a = 0; coll_algorithm_names[a]; a++) {
                Setup s = {
                    .topology = topologies[t],
                    .endpoint = endpoints[(t + kind + (guint)a) % 4],
                    .workload = rooted_collective_text(kind, 4, 10001),
                    .collectives =
                        algorithm_row_text(kind, coll_algorithm_names[a]),
                };

                n += run_is_verified(&s) ? 1 : 0;
            }
    assert_true(n > 120);
}

/* The steps of a phase are bits of 64-bit words. With more than 64 steps, an
 * index modulo 64 would confuse the first and the last. */
static void test_a_phase_may_have_more_than_64_steps(void **state)
{
    static const struct {
        CollKind kind;
        const char *algorithm;
    } cases[] = {
        { COLL_REDUCE, "linear" },
        { COLL_SCATTER, "linear" },
        { COLL_ALL_REDUCE, "chain" },
        { COLL_ALL_TO_ALL, "direct" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        assert_true(run_is_verified(&(Setup){
            .topology = "{kind: switch, npus: 67, links: 2, " LINK "}",
            .workload = rooted_collective_text(cases[i].kind, 0, 6000),
            .collectives =
                algorithm_row_text(cases[i].kind, cases[i].algorithm) }));
}

static void test_only_some_kinds_have_a_root(void **state)
{
    (void)state;
    assert_setup_refused(
        &(Setup){ .workload = "{kind: collective, name: c, "
                              "collective: all-reduce, payload: "
                              "1 KiB, root: 1}" },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:85: root: a collective of kind 'all-reduce' has "
        "none; leave it out");
    assert_setup_refused(
        &(Setup){ .workload = "{kind: collective, name: c, "
                              "collective: broadcast, payload: "
                              "1 KiB, root: 4}" },
        FOLD_AUTO, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "run.yaml:4:84: root: a group of 'all' has 4 ranks, counted "
        "from 0");
}

/* A broadcast along a chain of one chunk would use one link at a time, so
 * `auto` must cut the payload. */
static void test_chunks_follow_each_other_along_a_chain(void **state)
{
    SystemResult r = simulate_setup(&(Setup){
        .topology = "{kind: switch, npus: 16, " LINK "}",
        .workload = rooted_collective_text(COLL_BROADCAST, 0, 64 << 20),
        .collectives = "{algorithm: chain, chunk: auto, message: auto}" });

    (void)state;
    /* The payload takes 2.68 ms on one link. */
    assert_in_range(r.iteration_ps, UINT64_C(2684354560), UINT64_C(2950000000));
}

/* A root that only sends is an iteration ahead of the other ranks. Its next
 * broadcast must not overtake messages of the last one. */
static void test_the_next_broadcast_does_not_overtake_the_last(void **state)
{
    static const char *const schedulers[] = { "fifo", "lifo", "priority" };
    SimTime mean_ps[G_N_ELEMENTS(schedulers)];

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(schedulers); i++)
        mean_ps[i] =
            simulate_setup(
                &(Setup){ .topology = "{kind: torus, dims: [{size: 3, links: "
                                      "2, " LINK "}]}",
                          .workload = rooted_collective_text(COLL_BROADCAST, 0,
                                                             4 << 20),
                          .training = "{iterations: 2}",
                          .collectives =
                              format_text("{algorithm: chain, scheduler: %s, "
                                          "chunk: auto, message: auto}",
                                          schedulers[i]) })
                .iteration_ps;
    assert_int_equal(mean_ps[1], mean_ps[0]);
    assert_int_equal(mean_ps[2], mean_ps[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_partial_algorithm_delivers_its_data),
        cmocka_unit_test(test_a_phase_may_have_more_than_64_steps),
        cmocka_unit_test(test_only_some_kinds_have_a_root),
        cmocka_unit_test(test_chunks_follow_each_other_along_a_chain),
        cmocka_unit_test(test_the_next_broadcast_does_not_overtake_the_last),
    };

    return cmocka_run_group_tests_name("partial", tests, NULL, NULL);
}
