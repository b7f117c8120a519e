/*
 * test_regions.c - Tests that a full run by several threads gives the rows of
 * one thread, on every topology.
 *
 * A run that several threads cannot do is left to one thread, with the same
 * messages. Systems are random; ACESIM_DRAWS=n tests n times as
 * many. */
#include "tests/models/run/fold/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/run/regions/thread_count.h"
#include "models/run/run.h"
#include "models/run/steady/skip_mode.h"
#include "sim/study/rows/run_rows.h"

/* The number of training loops per topology; other workloads are run once. */
#define N_LOOPS 6

/* ---- random systems for several threads ---------------------------------- */

static const char *const perturbs[] = {
    "{npus: [{npu: 1, time_factor: 1.2}]}",
    "{npus: [{npu: 0, time_factor: 3}], jitter: 5 %}",
    "{jitter: 30 %, distribution: exponential}",
    "{jitter: 2 %, distribution: normal, seed: 7}",
    NULL,
};

static const char *const endpoints[] = {
    "{kind: ace}",
    "{kind: ace, sram: 256 KiB, fsms: 6, chunks_per_fsm: 1}",
    "{kind: ace, sram: 96 KiB, fsms: 5, alu_width: 4 B}",
    "{kind: ideal}",
    "{kind: baseline, sms: 6, memory_bandwidth: 200 GB/s}",
    NULL, /* The entry NULL stands for the endpoint of the case. */
};

static void draw_regions_case(UnfoldCase *c, const char *kind, UnfoldWork work,
                              uint64_t seed)
{
    GRand *rand =
        g_rand_new_with_seed(random_seed((guint32)(seed * 2654435761U + 11)));
    const char *endpoint = UNFOLD_PICK(rand, endpoints);
    const char *perturb = UNFOLD_PICK(rand, perturbs);

    unfold_case_init(c, kind, work, seed);
    if (endpoint && work == UNFOLD_LOOP)
        c->setup.endpoint = endpoint;
    if (perturb)
        c->setup.perturb = perturb;
    g_rand_free(rand);
}

/* ---- comparison of several threads with one thread ----------------------- */

typedef struct {
    guint n_same, n_divided, n_given_up;
} Counts;

static GString *csv_rows_of_all_outputs(const Run *run)
{
    GString *rows = g_string_new(NULL);

    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (file != ROWS_UTILISATION)
            rows_append(rows, file, NULL, &run->config, run->system, NULL);
    g_string_append_printf(rows, "%" G_GUINT64_FORMAT " hops\n",
                           system_result(run->system).n_hops);
    return rows;
}

/* Returns all rows of a run by @n_threads. Returns NULL if several threads give
 * up or the setup is refused. */
static GString *csv_rows_with_threads(const Setup *setup, uint32_t n_threads,
                                      Counts *counts)
{
    GError *error = NULL;
    GString *rows = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config,
                            (RunOptions){ .fold = FOLD_OFF,
                                          .n_threads = n_threads,
                                          .skip = SKIP_OFF },
                            &error);
    if (!run.system) {
        /* A refused setup is tried with one thread only. */
        assert_int_equal(n_threads, 1);
    } else {
        counts->n_divided += system_n_threads(run.system) > 1;
        if (system_run(run.system, &error))
            rows = csv_rows_of_all_outputs(&run);
        else if (system_needs_one_thread(run.system))
            counts->n_given_up++;
        else
            fail_msg("%s%s", setup_text(setup), error->message);
    }
    g_clear_error(&error);
    run_clear(&run);
    return rows;
}

static void compare_thread_counts(const Setup *setup, Counts *counts)
{
    g_autoptr(GString) by_one = csv_rows_with_threads(setup, 1, counts);

    for (uint32_t n = 2; by_one && n <= 3; n++) {
        g_autoptr(GString) by_several = csv_rows_with_threads(setup, n, counts);

        if (by_several && !g_str_equal(by_one->str, by_several->str)) {
            g_printerr("%s\nby one: %s\nby %u: %s\n", setup_text(setup),
                       by_one->str, n, by_several->str);
            fail_msg("rows differ");
        }
        counts->n_same += by_several != NULL;
    }
}

static void compare_random_cases(const char *kind, UnfoldWork work, guint n,
                                 Counts *counts)
{
    for (guint i = 0; i < n_random_draws(n); i++) {
        UnfoldCase c;

        draw_regions_case(&c, kind, work, 100 * (guint)work + i);
        compare_thread_counts(&c.setup, counts);
    }
}

/* Systems with several roles or with lanes run in one thread. */
static void test_several_threads_give_the_rows_of_one(void **state)
{
    Counts counts = { 0 };

    (void)state;
    for (guint k = 0; topology_registry.kinds[k]; k++) {
        const char *kind = topology_registry.kinds[k]->name;

        for (UnfoldWork work = 0; work < UNFOLD_N_WORKS; work++)
            compare_random_cases(kind, work, work == UNFOLD_LOOP ? N_LOOPS : 1,
                                 &counts);
    }
    print_message("# %u the same, %u divided, %u given up\n", counts.n_same,
                  counts.n_divided, counts.n_given_up);
    assert_true(counts.n_divided > N_LOOPS);
    assert_true(counts.n_same > 2 * counts.n_given_up);
}

/* ---- specific systems for several threads -------------------------------- */

/* Collectives use every dimension, and messages take several links. */
static const Setup late_npu = {
    .topology = "{kind: torus, dims: ["
                "{size: 4, links: 2, bandwidth: 200 GB/s, latency: 72 ns}, "
                "{size: 3, links: 2, bandwidth: 25 GB/s, latency: 400 ns}, "
                "{size: 4, links: 2, bandwidth: 25 GB/s, latency: 400 ns}]}",
    .endpoint = "{kind: ace}",
    .workload = "{kind: dlrm, name: r, batch: 24, "
                "embedding: {tables: 6, dimension: 32, lookups: 4}, "
                "bottom: [{name: b1, in: 256, out: 512}, "
                "{name: b2, in: 512, out: 32}], "
                "top: [{name: t1, in: 224, out: 512}, "
                "{name: t2, in: 512, out: 1}]}",
    .training = "{compute: roofline, iterations: 3}",
    .perturb = "{npus: [{npu: 2, time_factor: 1.2}]}",
};

static void
test_a_system_with_a_straggler_is_simulated_in_parallel(void **state)
{
    Counts counts = { 0 };

    (void)state;
    compare_thread_counts(&late_npu, &counts);
    assert_int_equal(counts.n_divided, 2);
    assert_int_equal(counts.n_same, 2);
}

/* A system without look-ahead, or a small one, is not divided. */
static void test_indivisible_systems_are_simulated_by_one_thread(void **state)
{
    Setup s = late_npu;
    GError *error = NULL;
    Run run;

    (void)state;
    s.topology = "{kind: torus, dims: [{size: 4, links: 2, "
                 "bandwidth: 25 GB/s, latency: 0 ns}]}";
    read_run_setup(&run, &s);
    run.system = system_new(
        &run.config, (RunOptions){ .fold = FOLD_OFF, .n_threads = 2 }, &error);
    assert_no_error(error);
    assert_int_equal(system_n_threads(run.system), 1);
    run_clear(&run);
    read_run_setup(&run, &late_npu);
    run.system = system_new(
        &run.config,
        (RunOptions){ .fold = FOLD_OFF, .n_threads = RUN_THREADS_AUTO },
        &error);
    assert_no_error(error);
    assert_int_equal(system_n_threads(run.system), 1);
    run_clear(&run);
}

/* Threads get whole units, so there are no more threads than units. */
static void test_there_are_no_more_threads_than_units(void **state)
{
    Setup s = late_npu;
    GError *error = NULL;
    Run run;

    (void)state;
    s.topology = "{kind: torus, dims: [{size: 3, links: 2, "
                 "bandwidth: 25 GB/s, latency: 400 ns}]}";
    read_run_setup(&run, &s);
    run.system = system_new(
        &run.config, (RunOptions){ .fold = FOLD_OFF, .n_threads = 9 }, &error);
    assert_no_error(error);
    assert_int_equal(system_n_threads(run.system), 3);
    assert_true(system_run(run.system, &error));
    run_clear(&run);
}

static gboolean request_early_end(gpointer self, const System *system,
                                  uint64_t n_events, GError **error)
{
    (void)system;
    *(uint64_t *)self = n_events;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED, "enough");
    return FALSE;
}

static void test_a_listener_may_end_a_run_of_several_threads(void **state)
{
    GError *error = NULL;
    uint64_t n_events = 0;
    Run run;

    (void)state;
    read_run_setup(&run, &late_npu);
    run.system = system_new(
        &run.config, (RunOptions){ .fold = FOLD_OFF, .n_threads = 2 }, &error);
    assert_no_error(error);
    assert_false(system_run_slices(run.system, 1000, request_early_end,
                                   &n_events, &error));
    assert_gerror(error, SYSTEM_ERROR, SYSTEM_ERROR_STALLED, "enough");
    assert_false(system_needs_one_thread(run.system));
    assert_in_range(n_events, 1000, 3000);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_system_with_a_straggler_is_simulated_in_parallel),
        cmocka_unit_test(test_several_threads_give_the_rows_of_one),
        cmocka_unit_test(test_indivisible_systems_are_simulated_by_one_thread),
        cmocka_unit_test(test_there_are_no_more_threads_than_units),
        cmocka_unit_test(test_a_listener_may_end_a_run_of_several_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
