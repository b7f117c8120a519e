/* Tests of validate/: the expected numbers were worked out by hand. */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "validate/closed_form.h"
#include "validate/closed_form_cases.h"
#include "validate/interpolated_curve.h"
#include "validate/memory_study.h"
#include "validate/published_figures.h"
#include "validate/text_table.h"
#include "validate/training_runs.h"

/* Compares to twelve digits, which a sum of a few doubles retains. */
static gboolean is_nearly_equal(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}
#define assert_near(a, b) assert_true(is_nearly_equal((a), (b)))

static CsvTable *parse_csv_table(const char *text)
{
    g_autoptr(GError) error = NULL;
    CsvTable *table = csv_table_parse("t.csv", text, strlen(text), &error);

    assert_no_error(error);
    return table;
}

/* ---- closed forms of the validation -------------------------------------- */

static void test_a_transfer_takes_bytes_over_rate(void **state)
{
    (void)state;
    /* A transfer of 256 B at 25 GB/s takes 10.24 ns. */
    assert_near(closed_transfer_ps(256, 25e9), 10240);
}

static void
test_a_ring_all_reduce_is_two_rounds_of_n_minus_1_steps(void **state)
{
    (void)state;
    /* A block of 4 MiB at 25 GB/s takes 167.77216 us, and there are 30 steps of
     * that and 500 ns. */
    assert_near(closed_ring_all_reduce_ps(16, 64 << 20, 25e9, 500e3),
                5048164800.0);
    /* Two ranks take one step to reduce and one to gather. */
    assert_near(closed_ring_all_reduce_ps(2, 1000, 1e9, 7), 2 * (500e3 + 7));
}

static void test_a_message_pays_each_head_and_the_slowest_link(void **state)
{
    const ClosedHop hops[] = { { 100e9, 1000 },
                               { 20e9, 3000 },
                               { 50e9, 2000 } };

    (void)state;
    /* One hop takes the whole message and one latency; 1000 B at 100 GB/s take
     * 10 ns. */
    assert_near(closed_message_ps(hops, 1, 1000, 100), 10000 + 1000);
    /* The heads of 100 B take 1 + 5 + 2 ns, and 900 more B at 20 GB/s take 45
     * ns. */
    assert_near(closed_message_ps(hops, 3, 1000, 100), 6000 + 8000 + 45000);
    /* A message of one packet is stored and forwarded at each hop. */
    assert_near(closed_message_ps(hops, 2, 100, 100),
                1000 + 1000 + 5000 + 3000);
}

static void test_all_to_all_loads_links_by_distance(void **state)
{
    const ClosedDim even[] = { { 4, 400e9 }, { 4, 50e9 }, { 8, 50e9 } };
    const ClosedDim odd[] = { { 5, 10e9 } };

    (void)state;
    /* Each link carries an eighth of 8000 B at 1 GB/s. */
    assert_near(closed_all_to_all_pairs_ps(8, 8000, 1e9, 5), 1e6 + 5);
    /* The busiest link carries 1 + 2 + 3 blocks of 1000 B. */
    assert_near(closed_all_to_all_ring_ps(4, 4000, 1e9, 5), 6e6 + 5);
    /* The distances in a ring of 8 are 0 1 2 3 4 3 2 1, a mean of two hops: 2 x
     * 1000 B / 50 GB/s. */
    assert_near(closed_all_to_all_torus_ps(even, 3, 1000), 40000);
    assert_near(closed_all_to_all_torus_ps(even, 2, 1000), 20000);
    /* The distances in a ring of 5 are 0 1 2 2 1, a mean of 1.2 hops. */
    assert_near(closed_all_to_all_torus_ps(odd, 1, 1000), 120000);
}

static void test_four_phases_send_the_bytes_of_the_papers_tables(void **state)
{
    const struct {
        ClosedDim dims[3];
        double sent, cap_gb_per_s;
    } cases[] = {
        { { { 4, 400e9 }, { 2, 50e9 }, { 2, 50e9 } }, 2.0, 400.0 },
        { { { 4, 400e9 }, { 4, 50e9 }, { 2, 50e9 } }, 2.125, 850.0 / 3 },
        { { { 4, 400e9 }, { 4, 50e9 }, { 4, 50e9 } }, 2.25, 300.0 },
        { { { 4, 400e9 }, { 8, 50e9 }, { 4, 50e9 } }, 2.3125, 1850.0 / 7 },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_near(closed_sent_bytes_per_payload_byte(cases[i].dims),
                    cases[i].sent);
        assert_near(closed_network_cap_bytes_per_s(cases[i].dims),
                    cases[i].cap_gb_per_s * 1e9);
    }
}

static void test_a_kernel_is_bound_by_flop_hbm_or_sms(void **state)
{
    const ClosedShare share = { .flop_per_s = 100e12,
                                .n_sms_all = 80,
                                .n_sms = 40,
                                .sm_bytes_per_s = 10e9,
                                .bytes_per_s = 300e9 };
    ClosedShare few = share;

    (void)state;
    /* Half of the SMs compute 50 TFLOPS. */
    assert_near(closed_kernel_ps(&share, 5e9, 1), 1e8);
    assert_near(closed_kernel_ps(&share, 1, 3000), 10000);
    few.n_sms = 20; /* The 20 SMs reach 200 GB/s together. */
    assert_near(closed_kernel_ps(&few, 1, 3000), 15000);
}

static void test_endpoint_rates_are_bound_by_their_reads(void **state)
{
    (void)state;
    assert_near(closed_baseline_bytes_per_s(128e9, 6, 79.68e9), 128e9 / 1.5);
    assert_near(closed_baseline_bytes_per_s(450e9, 1, 79.68e9), 53.12e9);
    assert_near(closed_ace_bytes_per_s(128e9, 2.25), 288e9);
}

static void test_closed_form_cases_have_unique_names(void **state)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

    (void)state;
    for (guint i = 0; i < closed_n_cases; i++) {
        const ClosedCase *closed_case = &closed_cases[i];

        assert_true(g_hash_table_add(names, (gpointer)closed_case->name));
        assert_true(closed_case->expected(closed_case) > 0);
        /* A tolerance beyond rounding needs a reason. */
        if (closed_case->tolerance.below_percent > 0 ||
            closed_case->tolerance.above_percent > 0)
            assert_non_null(closed_case->why);
    }
}

/* ---- comparison of numbers and curves ------------------------------------ */

static void test_deviation_is_signed_and_relative_to_the_reference(void **state)
{
    (void)state;
    assert_near(compare_deviation_percent(1.5, 1.2), 25);
    assert_near(compare_deviation_percent(0.9, 1.2), -25);
}

static void test_comparison_tolerances_are_exact(void **state)
{
    const CompareTolerance none = { 0 };
    const CompareTolerance below = { .below_percent = 2 };
    const CompareTolerance above = { .above_percent = 2 };
    const CompareTolerance slack = { .slack = 3 };

    (void)state;
    assert_true(deviation_is_within_tolerance(100, 100, &none));
    assert_false(deviation_is_within_tolerance(100.001, 100, &none));
    assert_true(deviation_is_within_tolerance(98, 100, &below));
    assert_false(deviation_is_within_tolerance(97.9, 100, &below));
    assert_false(deviation_is_within_tolerance(100.1, 100, &below));
    assert_true(deviation_is_within_tolerance(102, 100, &above));
    assert_false(deviation_is_within_tolerance(99.9, 100, &above));
    assert_true(deviation_is_within_tolerance(97, 100, &slack));
    assert_true(deviation_is_within_tolerance(103, 100, &slack));
    assert_false(deviation_is_within_tolerance(103.1, 100, &slack));
}

static void test_mean_and_max_of_few_values(void **state)
{
    const double values[] = { 1.0, 4.0, 2.5 };

    (void)state;
    assert_near(mean_of_values(values, 3), 2.5);
    assert_near(max_of_values(values, 3), 4.0);
    assert_near(max_of_values(values, 1), 1.0);
}

static void test_a_curve_is_interpolated_linearly(void **state)
{
    const CurvePoint points[] = {
        { 32, 20 }, { 40, 24 }, { 56, 60 }, { 64, 50 }
    };
    double x, y;

    (void)state;
    assert_true(curve_first_x_at_level(points, 4, 22, &x));
    assert_near(x, 36);
    /* The level lies at a quarter of the way from x = 40 to x = 56. */
    assert_true(curve_first_x_at_level(points, 4, 33, &x));
    assert_near(x, 44);
    /* The curve reaches the level at its first point. */
    assert_true(curve_first_x_at_level(points, 4, 20, &x));
    assert_near(x, 32);
    assert_true(curve_first_x_at_level(points, 4, 60, &x));
    assert_near(x, 56);
    assert_false(curve_first_x_at_level(points, 4, 60.1, &x));
    /* The level is below the first point. */
    assert_false(curve_first_x_at_level(points, 4, 19, &x));
    assert_false(curve_first_x_at_level(points, 0, 1, &x));
    assert_true(curve_value_at(points, 4, 44, &y));
    assert_near(y, 33);
    assert_true(curve_value_at(points, 4, 64, &y));
    assert_near(y, 50);
    assert_false(curve_value_at(points, 4, 31, &y));
    assert_false(curve_value_at(points, 4, 65, &y));
}

/* ---- speedups of training runs ------------------------------------------- */

#define HEAD                                                                   \
    "workload,n_npus,endpoint,iteration_time_us,exposed_comm_us,"              \
    "compute_roofline_us,net_bw_gb_per_s\n"

static const char runs[] = HEAD "a,16,no-overlap,150,50,100,200\n"
                                "a,16,comm-opt,180,0,180,100\n"
                                "a,16,comp-opt,120,0,120,80\n"
                                "a,16,ace,100,0,96,160\n"
                                "a,16,ideal,90,0,90,300\n"
                                "a,32,no-overlap,130,50,80,200\n"
                                "a,32,comm-opt,140,0,130,100\n"
                                "a,32,comp-opt,160,0,150,80\n"
                                "a,32,ace,100,0,100,100\n"
                                "a,32,ideal,101,0,90,300\n";

static void test_training_pairs_take_the_fastest_baseline(void **state)
{
    g_autoptr(CsvTable) table = parse_csv_table(runs);
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) pairs = training_pairs_from_table(table, &error);
    g_autofree char *names = NULL;
    const TrainingPair *first;

    (void)state;
    assert_no_error(error);
    assert_int_equal(pairs->len, 2);
    first = &g_array_index(pairs, TrainingPair, 0);
    assert_string_equal(first->best->endpoint, "comp-opt");
    assert_near(training_speedup(first), 1.2);
    /* The gain refers to the bandwidth of 180 GB/s, not to the 120 GB/s of the
     * best baseline. */
    assert_near(training_compute_gain(first), 1.875);
    assert_near(training_network_gain(first), 2.0);
    assert_near(training_mean_over_pairs(pairs, "a", training_speedup), 1.25);
    assert_near(training_max_over_pairs(pairs, NULL, training_speedup), 1.3);
    assert_near(training_max_over_pairs(pairs, NULL, training_overlap_speedup),
                1.4);
    assert_near(training_mean_over_pairs(pairs, "a", training_compute_gain),
                (1.875 + 1.5) / 2);
    assert_near(training_mean_network_gain(pairs, 2), (2.0 + 1.25) / 2);
    assert_true(training_mean_over_pairs(pairs, "b", training_speedup) == 0);
    names = training_best_baselines_text(pairs, "a");
    assert_string_equal(names, "1 no-overlap, 1 comp-opt");
    /* The ideal endpoint takes 101 us and ACE 100 us, so this pair is not
     * ordered. */
    assert_int_equal(training_n_pairs_in_expected_order(pairs), 1);
}

static void test_a_training_pair_without_a_run_is_an_error(void **state)
{
    g_autoptr(CsvTable) table = parse_csv_table(HEAD "a,16,comm-opt,1,0,1,1\n"
                                                     "a,16,ace,1,0,1,1\n");
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_null(training_pairs_from_table(table, &error));
    assert_gerror(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                  "a on 16 NPUs: the run of an endpoint is missing");
}

/* ---- memory bandwidth study ---------------------------------------------- */

static void test_the_bottleneck_follows_from_busy_times_and_rates(void **state)
{
    MemoryCurve curve = { .simulate_ideal_gb_per_s = 100,
                          .last_network_gb_per_s = 96,
                          .last_share_gb_per_s = 512,
                          .last_reads_gb_per_s = 470,
                          .hbm_busy = 0.99 };

    (void)state;
    assert_string_equal(memory_study_limit_text(&curve), "the network");
    curve.last_network_gb_per_s = 80;
    assert_string_equal(memory_study_limit_text(&curve), "SM bandwidth");
    curve.last_reads_gb_per_s = 511;
    assert_string_equal(memory_study_limit_text(&curve), "its HBM share");
    curve.hbm_busy = 0.3;
    assert_string_equal(memory_study_limit_text(&curve), "latency");
    curve.n_chunks_in_fsms = 16;
    assert_string_equal(memory_study_limit_text(&curve), "FSMs or SRAM");
}

/* ---- published figures and tables ---------------------------------------- */

static void test_published_and_simulated_figures_are_paired(void **state)
{
    g_autoptr(CsvTable) table = parse_csv_table("key,figure,value,sureness\n"
                                                "x,\"X, mean\",1.25,certain\n"
                                                "y,Y,4,recalled\n");
    g_autoptr(GArray) figures = published_figures_new();
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) csv = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    (void)state;
    published_figures_add(figures, "y", "s", 0, "not %s", "reached");
    published_figures_add(figures, "x", "s", 1.0, "n");
    published_figures_add(figures, "z", "s", 1.0, "in no table");
    assert_true(published_figures_render(table, figures, out, csv, &error));
    assert_string_equal(csv->str, "figure,setting,published,sureness,simulated,"
                                  "deviation_percent,note\n"
                                  "\"X, mean\",s,1.25,certain,1.000,-20.0,n\n"
                                  "Y,s,4,recalled,,,not reached\n");
}

static void test_text_tables_are_aligned(void **state)
{
    g_autoptr(TextTable) table = text_table_new("lr");
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    text_table_add_row(table, "name\tn");
    text_table_add_row(table, "a\t%d", 100);
    text_table_render(table, out);
    assert_string_equal(out->str, "  name    n\n"
                                  "  ----  ---\n"
                                  "  a     100\n");
}

/* ---- running of the simulator -------------------------------------------- */

static void test_a_failed_simulator_is_reported_with_its_messages(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("acesim-validate-XXXXXX", NULL);
    g_autofree char *program = g_build_filename(folder, "fails", NULL);
    g_autofree char *expected = NULL;
    g_autoptr(GError) error = NULL;
    const Simulator simulator = { program, folder, 0 };

    (void)state;
    assert_null(simulator_run(&simulator, "x", "c.yaml", NULL, &error));
    assert_true(g_error_matches(error, VALIDATE_ERROR, VALIDATE_ERROR_RUN));
    g_clear_error(&error);

    assert_true(g_file_set_contents(
        program, "#!/bin/sh\necho \"$1 $2 is wrong\" >&2\nexit 1\n", -1, NULL));
    assert_int_equal(g_chmod(program, 0700), 0);
    assert_null(simulator_run(&simulator, "x", "c.yaml", NULL, &error));
    expected = g_strdup_printf("%s run c.yaml --csv %s/x.csv: Child process "
                               "exited with code 1\nrun c.yaml is wrong",
                               program, folder);
    assert_gerror(error, VALIDATE_ERROR, VALIDATE_ERROR_RUN, expected);
    g_unlink(program);
    g_rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_transfer_takes_bytes_over_rate),
        cmocka_unit_test(
            test_a_ring_all_reduce_is_two_rounds_of_n_minus_1_steps),
        cmocka_unit_test(test_a_message_pays_each_head_and_the_slowest_link),
        cmocka_unit_test(test_all_to_all_loads_links_by_distance),
        cmocka_unit_test(test_four_phases_send_the_bytes_of_the_papers_tables),
        cmocka_unit_test(test_a_kernel_is_bound_by_flop_hbm_or_sms),
        cmocka_unit_test(test_endpoint_rates_are_bound_by_their_reads),
        cmocka_unit_test(test_closed_form_cases_have_unique_names),
        cmocka_unit_test(
            test_deviation_is_signed_and_relative_to_the_reference),
        cmocka_unit_test(test_comparison_tolerances_are_exact),
        cmocka_unit_test(test_mean_and_max_of_few_values),
        cmocka_unit_test(test_a_curve_is_interpolated_linearly),
        cmocka_unit_test(test_training_pairs_take_the_fastest_baseline),
        cmocka_unit_test(test_a_training_pair_without_a_run_is_an_error),
        cmocka_unit_test(test_the_bottleneck_follows_from_busy_times_and_rates),
        cmocka_unit_test(test_published_and_simulated_figures_are_paired),
        cmocka_unit_test(test_text_tables_are_aligned),
        cmocka_unit_test(test_a_failed_simulator_is_reported_with_its_messages),
    };

    return cmocka_run_group_tests_name("validate", tests, NULL, NULL);
}
