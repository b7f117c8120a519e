/* test_system.c - Tests of models/run/system.h and of the training loop in
 * whole runs. */
#include "tests/models/run/training_fixture.h"

static uint64_t total_gradient_bytes(const SystemResult *result, const Run *run)
{
    uint64_t bytes = 0;
    const OpGraph *graph = system_graph(run->system);

    assert_true(result->n_iterations > 0);
    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COLLECTIVE &&
            op_graph_op(graph, i)->kind == COLL_ALL_REDUCE)
            bytes += op_graph_op(graph, i)->payload_bytes;
    return bytes;
}

/* ---- comparison of endpoints --------------------------------------------- */

/* The rows of tests/golden, which `make test` compares with new runs. */
typedef struct {
    GStrv names;
    GPtrArray *rows; /* The struct owns this array of GStrv rows. */
} Golden;

static void golden_table_open(Golden *golden)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR") ? g_getenv("SRCDIR") : ".", "tests",
                         "golden", "isca21.csv", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;

    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    golden->names = g_strsplit(lines[0], ",", -1);
    golden->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    for (guint i = 1; lines[i] && *lines[i]; i++)
        g_ptr_array_add(golden->rows, g_strsplit(lines[i], ",", -1));
}

static void golden_table_clear(Golden *golden)
{
    g_strfreev(golden->names);
    g_ptr_array_unref(golden->rows);
}

static const char *golden_cell(const Golden *golden, GStrv row,
                               const char *name)
{
    guint i = 0;

    while (golden->names[i] && !g_str_equal(golden->names[i], name))
        i++;
    assert_non_null(golden->names[i]);
    return row[i];
}

/* Returns a time that is given in microseconds with six decimals. */
static SimTime golden_cell_ps(const Golden *golden, GStrv row, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(golden_cell(golden, row, name), ".", 2);

    assert_int_equal(strlen(parts[1]), 6);
    return g_ascii_strtoull(parts[0], NULL, 10) * 1000000 +
           g_ascii_strtoull(parts[1], NULL, 10);
}

static SimTime isca21_iteration_ps(const Golden *golden, const char *workload,
                                   const char *platform, const char *endpoint)
{
    for (guint i = 0; i < golden->rows->len; i++) {
        GStrv row = g_ptr_array_index(golden->rows, i);
        SimTime iteration_ps, compute_ps;

        if (!g_str_equal(golden_cell(golden, row, "workload"), workload) ||
            !g_str_equal(golden_cell(golden, row, "platform"), platform) ||
            !g_str_equal(golden_cell(golden, row, "endpoint"), endpoint))
            continue;
        iteration_ps = golden_cell_ps(golden, row, "iteration_time_us");
        compute_ps = golden_cell_ps(golden, row, "compute_time_us");
        assert_int_equal(iteration_ps,
                         compute_ps +
                             golden_cell_ps(golden, row, "exposed_comm_us"));
        assert_true(compute_ps >=
                    golden_cell_ps(golden, row, "compute_roofline_us"));
        return iteration_ps;
    }
    fail_msg("no row of %s, %s, %s", workload, platform, endpoint);
    return 0;
}

static void test_ideal_beats_ace_and_ace_every_baseline(void **state)
{
    static const char *const names[] = { "resnet-50", "gnmt", "dlrm" };
    static const char *const sizes[] = { "ace-4x2x2", "ace-4x4x2", "ace-4x4x4",
                                         "ace-4x8x4" };
    static const char *const slower[] = { "no-overlap", "comm-opt",
                                          "comp-opt" };
    Golden golden;

    (void)state;
    golden_table_open(&golden);
    for (gsize w = 0; w < G_N_ELEMENTS(names); w++)
        for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
            SimTime ace_ps =
                isca21_iteration_ps(&golden, names[w], sizes[s], "ace");

            assert_true(isca21_iteration_ps(&golden, names[w], sizes[s],
                                            "ideal") <= ace_ps);
            for (gsize b = 0; b < G_N_ELEMENTS(slower); b++)
                assert_true(ace_ps <= isca21_iteration_ps(&golden, names[w],
                                                          sizes[s], slower[b]));
        }
    golden_table_clear(&golden);
}

/* ---- the time of an iteration -------------------------------------------- */

static void test_an_iteration_is_compute_and_exposed_time(void **state)
{
    const int numbers[] = { 1, 2, 5 };

    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
                SystemResult r = run_on_ace_platform(
                    endpoints[e], workloads[w],
                    format_text("{iterations: %d}", numbers[i]), NULL);

                assert_int_equal(r.n_iterations, numbers[i]);
                assert_int_equal(r.iteration_ps, r.compute_ps + r.exposed_ps);
                assert_int_equal(r.iteration_ps,
                                 (r.total_ps + r.n_iterations - 1) /
                                     r.n_iterations);
                assert_true(r.comm_ps <= r.iteration_ps);
                assert_true(r.net_bytes_per_s <= r.net_cap_bytes_per_s);
            }
}

static void test_each_iteration_sends_and_computes_the_same(void **state)
{
    /* The scheduler of the paper. With fifo, an iteration that follows another
     * may take longer. */
    static const char order[] = "{scheduler: lifo}";

    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult one = run_on_ace_platform(endpoints[e], workloads[w],
                                                   "{iterations: 1}", order);
            SystemResult five = run_on_ace_platform(endpoints[e], workloads[w],
                                                    "{iterations: 5}", order);

            assert_int_equal(one.sent_bytes, five.sent_bytes);
            assert_int_equal(one.hbm_compute_bytes, five.hbm_compute_bytes);
            assert_int_equal(one.hbm_comm_read_bytes, five.hbm_comm_read_bytes);
            assert_int_equal(one.hbm_comm_write_bytes,
                             five.hbm_comm_write_bytes);
            assert_int_equal(one.roofline_ps, five.roofline_ps);
            assert_true(five.total_ps > one.total_ps);
            assert_true(five.total_ps <= 5 * one.total_ps);
        }
}

static void test_all_gradients_are_sent_overlapped_or_not(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++) {
        const char *training[] = { "{overlap: true}", "{overlap: false}" };
        uint64_t bytes[2];

        for (int i = 0; i < 2; i++) {
            Setup s = { .topology = ace_torus_text(4, 2, 2),
                        .endpoint = ACE,
                        .workload = workloads[w],
                        .training = training[i] };
            Run run;
            SystemResult r = run_to_result(&run, &s, FOLD_AUTO);

            bytes[i] = total_gradient_bytes(&r, &run);
            run_clear(&run);
        }
        assert_true(bytes[0] > 0);
        assert_int_equal(bytes[0], bytes[1]);
    }
}

/* Without overlap, compute and communication are never parallel, except for an
 * all-to-all. */
static void test_without_overlap_compute_and_communication_add_up(void **state)
{
    (void)state;
    for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
        SystemResult sequential = run_on_ace_platform(
            endpoints[e], SMALL_DP, "{iterations: 2, overlap: false}", NULL);
        SystemResult overlapped = run_on_ace_platform(
            endpoints[e], SMALL_DP, "{iterations: 2, overlap: true}", NULL);

        assert_near_per_mille(sequential.iteration_ps,
                              sequential.compute_ps + sequential.comm_ps, 1);
        assert_int_equal(sequential.exposed_ps, sequential.comm_ps);
        assert_int_equal(sequential.compute_ps, sequential.roofline_ps);
        if (e < 4) /* The last endpoint takes all SMs or none, so overlap saves
                      nothing. */
            assert_true(overlapped.iteration_ps <= sequential.iteration_ps);
    }
}

static void test_a_run_that_does_not_drain_ends_with_its_compute(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            SystemResult drained =
                run_on_ace_platform(endpoints[e], workloads[w],
                                    "{iterations: 2, drain: true}", NULL);
            SystemResult cut =
                run_on_ace_platform(endpoints[e], workloads[w],
                                    "{iterations: 2, drain: false}", NULL);

            assert_true(cut.total_ps <= drained.total_ps);
            if (w == 0)
                assert_true(cut.total_ps < drained.total_ps);
            assert_true(cut.total_ps >= 2 * cut.compute_ps);
            assert_int_equal(cut.sent_bytes, drained.sent_bytes);
        }
}

static void
test_a_single_iteration_without_drain_waits_for_nothing(void **state)
{
    SystemResult r = run_on_ace_platform(IDEAL, SMALL_DP,
                                         "{iterations: 1, drain: false}", NULL);

    (void)state;
    assert_int_equal(r.exposed_ps, 0);
    assert_int_equal(r.total_ps, r.roofline_ps);
}

static void test_the_times_of_layers_add_up_to_the_run(void **state)
{
    (void)state;
    for (gsize w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (gsize e = 0; e < G_N_ELEMENTS(endpoints); e++) {
            Setup s = { .topology = ace_torus_text(4, 2, 2),
                        .endpoint = endpoints[e],
                        .workload = workloads[w],
                        .training = "{iterations: 2, drain: false}" };
            Run run;
            SystemResult r = run_to_result(&run, &s, FOLD_AUTO);
            SimTime sum_ps = 0;

            for (guint l = 0; l < system_graph(run.system)->layers->len; l++)
                for (OpPass p = 0; p < OP_N_PASSES; p++)
                    sum_ps += system_layer_compute_ps(run.system, l, p) +
                              system_layer_wait_ps(run.system, l, p);
            assert_int_equal(sum_ps, r.total_ps);
            run_clear(&run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_beats_ace_and_ace_every_baseline),
        cmocka_unit_test(test_an_iteration_is_compute_and_exposed_time),
        cmocka_unit_test(test_each_iteration_sends_and_computes_the_same),
        cmocka_unit_test(test_all_gradients_are_sent_overlapped_or_not),
        cmocka_unit_test(test_without_overlap_compute_and_communication_add_up),
        cmocka_unit_test(test_a_run_that_does_not_drain_ends_with_its_compute),
        cmocka_unit_test(
            test_a_single_iteration_without_drain_waits_for_nothing),
        cmocka_unit_test(test_the_times_of_layers_add_up_to_the_run),
    };

    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
