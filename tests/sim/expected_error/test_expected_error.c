/* test_expected_error.c - tests of sim/study/expected_error */
#include "tests/test.h"

#include "sim/core/csv.h"
#include "sim/study/expected_error/expected_error.h"
#include "sim/study/load_run_file.h"

static const char *source_folder(void)
{
    return g_getenv("SRCDIR") ?: ".";
}

static CsvTable *shipped_families(void)
{
    GError *error = NULL;
    g_autofree char *path = g_strconcat(
        source_folder(), "/sim/study/expected_error/families.csv", NULL);
    CsvTable *table = csv_table_load(path, &error);

    if (!table)
        fail_msg("%s", error->message);
    return table;
}

static double shipped_number(const char *family, const char *name)
{
    g_autoptr(CsvTable) table = shipped_families();
    guint column;
    double value = -1;

    assert_true(csv_table_column(table, name, &column, NULL));
    for (guint i = 0; i < csv_table_n_rows(table); i++)
        if (g_str_equal(csv_table_text(table, i, 0), family))
            assert_true(csv_table_number(table, i, column, &value, NULL));
    return value;
}

/* ---- the table of families ----------------------------------------------- */

static void test_every_family_has_errors(void **state)
{
    (void)state;
    for (const MeasuredFamily *family = measured_families; family->name;
         family++) {
        if (shipped_number(family->name, "by_system_percent") <= 0)
            fail_msg("families.csv has no %s", family->name);
        if (family->ratio &&
            shipped_number(family->ratio, "by_system_percent") <= 0)
            fail_msg("families.csv has no %s", family->ratio);
    }
}

/* ---- the nearest family -------------------------------------------------- */

static const RunTraits machine = {
    .subject = ERROR_OF_COLLECTIVE,
    .workload = "collective",
    .span = SPAN_MACHINE,
    .endpoint = "baseline",
    .software = SOFTWARE_NCCL,
    .payload_bytes = 1 << 20,
    .precision = "fp16",
    .stack = "nccl",
    .platform = "mine",
};

static const RunTraits training = {
    .subject = ERROR_OF_TRAINING,
    .workload = "data-parallel",
    .span = SPAN_MACHINES,
    .endpoint = "ideal",
    .software = SOFTWARE_NCCL,
    .precision = "fp32",
    .stack = "nccl",
    .platform = "mine",
};

static void assert_nearest(const RunTraits *run, const char *family,
                           ExpectedErrorBasis basis, const char *lacking)
{
    g_auto(ExpectedError) error = expected_error_of_traits(run);
    gboolean is_left_out = basis != EXPECTED_ERROR_KNOWN &&
                           shipped_number(family, "left_out_systems") > 0;

    assert_string_equal(error.family, family);
    assert_int_equal(error.basis, basis);
    assert_float_equal(error.percent,
                       shipped_number(family, is_left_out
                                                  ? "left_out_percent"
                                                  : "by_system_percent"),
                       1e-9);
    assert_int_equal(error.n_systems,
                     (guint)shipped_number(
                         family, is_left_out ? "left_out_systems" : "systems"));
    if (lacking)
        assert_string_equal(error.lacking, lacking);
    else
        assert_null(error.lacking);
}

static void test_payload_and_span_choose_a_family(void **state)
{
    RunTraits run = machine;

    (void)state;
    assert_nearest(&run, "NCCL in a machine of 1 to 256 MiB",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
    run.payload_bytes = 8;
    assert_nearest(&run, "NCCL in a machine below 1 MiB",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
    run.payload_bytes = 1e10;
    run.span = SPAN_MACHINES;
    assert_nearest(&run, "NCCL through machines above 256 MiB",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
}

static void test_a_platform_that_was_fitted_to_is_known(void **state)
{
    RunTraits run = machine;

    (void)state;
    run.platform = "dgx-a100";
    assert_nearest(&run, "NCCL in a machine of 1 to 256 MiB",
                   EXPECTED_ERROR_KNOWN, NULL);
    /* A part of a name is no name. */
    run.platform = "dgx-a10";
    assert_nearest(&run, "NCCL in a machine of 1 to 256 MiB",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
}

/* Returns the family of a subject with the largest error left out. */
static const char *widest_family(ErrorSubject subject)
{
    const char *widest = NULL;
    double most = 0;

    for (const MeasuredFamily *family = measured_families; family->name;
         family++) {
        gboolean is_left_out =
            shipped_number(family->name, "left_out_systems") > 0;
        double percent =
            shipped_number(family->name, is_left_out ? "left_out_percent"
                                                     : "by_system_percent");

        if (family->subject != subject || percent <= most)
            continue;
        widest = family->name;
        most = percent;
    }
    return widest;
}

static void test_a_run_unlike_all_families_says_what_none_has(void **state)
{
    RunTraits run = training;

    (void)state;
    run.endpoint = "ace";
    assert_nearest(&run, widest_family(ERROR_OF_TRAINING),
                   EXPECTED_ERROR_NONE_NEAR, "endpoint ace");
    run = training;
    run.software = SOFTWARE_NONE;
    run.endpoint = "baseline";
    run.stack = "none";
    assert_nearest(&run, widest_family(ERROR_OF_TRAINING),
                   EXPECTED_ERROR_NONE_NEAR, "stack none");
    run = training;
    run.workload = "dlrm";
    assert_nearest(&run, widest_family(ERROR_OF_TRAINING),
                   EXPECTED_ERROR_NONE_NEAR, "workload dlrm");
    run = machine;
    run.software = SOFTWARE_OTHER;
    run.stack = "baidu";
    assert_nearest(&run, widest_family(ERROR_OF_COLLECTIVE),
                   EXPECTED_ERROR_NONE_NEAR, "stack baidu");
    /* An ideal endpoint without a library is no system that was measured. */
    run = machine;
    run.endpoint = "ideal";
    run.software = SOFTWARE_NONE;
    assert_nearest(&run, widest_family(ERROR_OF_COLLECTIVE),
                   EXPECTED_ERROR_NONE_NEAR, "endpoint ideal");
}

static void test_a_stack_is_preferred_and_not_required(void **state)
{
    RunTraits run = training;

    (void)state;
    run.stack = "horovod-nccl2";
    assert_nearest(&run, "Horovod with NCCL on 16 GPUs",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
    run.platform = "cluster-p100-25gbe";
    assert_nearest(&run, "Horovod with NCCL on 16 GPUs", EXPECTED_ERROR_KNOWN,
                   NULL);
    /* NCCL of an unknown name: the widest of all with NCCL, of which MG-WFBP
     * and dPRO are the candidates. */
    {
        g_auto(ExpectedError) error = expected_error_of_traits(&training);

        assert_int_equal(error.basis, EXPECTED_ERROR_LEFT_OUT);
        assert_true(error.percent >=
                    shipped_number("3 schedules on 16 V100 (MG-WFBP)",
                                   "left_out_percent"));
    }
}

static void test_chip_and_precision_choose_a_language_family(void **state)
{
    RunTraits run = training;

    (void)state;
    run.subject = ERROR_OF_LANGUAGE_MODEL;
    run.workload = "transformer";
    run.endpoint = "baseline";
    run.chip = "Blackwell";
    run.precision = "mxfp8";
    assert_nearest(&run, "language models: Blackwell in FP8 and MXFP8",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
    run.precision = "nvfp4";
    assert_nearest(&run, "language models: Blackwell in NVFP4",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
    run.precision = "fp32";
    assert_nearest(&run, widest_family(ERROR_OF_LANGUAGE_MODEL),
                   EXPECTED_ERROR_NONE_NEAR, "precision fp32");
    run.chip = NULL;
    assert_nearest(&run, widest_family(ERROR_OF_LANGUAGE_MODEL),
                   EXPECTED_ERROR_NONE_NEAR, "this NPU");
    run.chip = "H200";
    run.has_experts = TRUE;
    assert_nearest(&run, widest_family(ERROR_OF_LANGUAGE_MODEL),
                   EXPECTED_ERROR_NONE_NEAR, "a mixture of experts");
}

/* One NPU sends nothing, so that neither its endpoint nor its stack matters. */
static void test_one_npu_needs_no_library_nor_endpoint(void **state)
{
    RunTraits run = training;

    (void)state;
    run.subject = ERROR_OF_LANGUAGE_MODEL;
    run.workload = "transformer";
    run.span = SPAN_ONE_NPU;
    run.endpoint = "ideal";
    run.software = SOFTWARE_NONE;
    run.stack = "none";
    run.chip = "A100";
    run.precision = "bf16";
    assert_nearest(&run, "language models: one machine of A100 (vTrain)",
                   EXPECTED_ERROR_LEFT_OUT, NULL);
}

/* ---- the traits of a run ------------------------------------------------- */

static RunTraits traits_of_run(const char *run, char **sets)
{
    SystemConfig config;
    GError *error = NULL;
    g_autofree char *path = g_build_filename(source_folder(), run, NULL);
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, &error);
    g_autoptr(System) system = NULL;
    RunTraits traits;

    if (!doc || !(system = system_new(&config, (RunOptions){ 0 }, &error)))
        fail_msg("%s", error->message);
    traits = run_traits(&config, system);
    traits.workload = g_intern_string(traits.workload);
    traits.stack = g_intern_string(traits.stack);
    traits.platform = g_intern_string(traits.platform);
    return traits;
}

static void test_traits_are_those_of_the_configuration(void **state)
{
    g_autofree char *workload = g_strdup_printf(
        "workload=%s/configs/workloads/all-reduce-64MiB.yaml", source_folder());
    g_autofree char *platform = g_strdup_printf(
        "platform=%s/configs/platforms/cluster-hgx-h100.yaml", source_folder());
    g_autofree char *stack = g_strdup("stack={kind: nccl}");
    char *sets[] = { workload, platform, stack, NULL };
    RunTraits run = traits_of_run("configs/runs/isca21.yaml", NULL);

    (void)state;
    assert_int_equal(run.subject, ERROR_OF_TRAINING);
    assert_string_equal(run.workload, "data-parallel");
    assert_int_equal(run.span, SPAN_MACHINE);
    assert_string_equal(run.endpoint, "ace");
    assert_int_equal(run.software, SOFTWARE_NONE);
    assert_false(run.from_shapes);
    assert_null(run.chip);
    run = traits_of_run("configs/runs/isca21.yaml", sets);
    assert_int_equal(run.subject, ERROR_OF_COLLECTIVE);
    assert_int_equal(run.span, SPAN_MACHINES);
    assert_int_equal(run.software, SOFTWARE_NCCL);
    assert_float_equal(run.payload_bytes, 67108864, 0.5);
    assert_string_equal(run.chip, "H100");
    assert_string_equal(run.platform, "cluster-hgx-h100");
    run = traits_of_run("configs/papers/horovod-mpi/vgg-16-grpc.yaml", NULL);
    assert_int_equal(run.software, SOFTWARE_SERVERS);
    assert_string_equal(run.stack, "grpc");
}

/* ---- ratios -------------------------------------------------------------- */

static void test_ratios_have_errors_of_their_own(void **state)
{
    ExpectedError error = { 0 };

    (void)state;
    assert_true(expected_error_of_ratio("ResNet-50 by 7 methods (DDL)",
                                        EXPECTED_ERROR_KNOWN, &error));
    assert_string_equal(error.family, "speedups: pairs of 7 methods (DDL)");
    assert_float_equal(error.percent,
                       shipped_number(error.family, "by_system_percent"), 1e-9);
    /* A family without ratios has the error of its times. */
    assert_true(expected_error_of_ratio("training on one GPU",
                                        EXPECTED_ERROR_LEFT_OUT, &error));
    assert_string_equal(error.family, "training on one GPU");
    /* The widest ratio of training counts if no system is near. */
    assert_true(expected_error_of_ratio("training on one GPU",
                                        EXPECTED_ERROR_NONE_NEAR, &error));
    assert_true(g_str_has_prefix(error.family, "speedups: "));
    for (const MeasuredFamily *family = measured_families; family->name;
         family++)
        if (family->ratio)
            assert_true(shipped_number(family->ratio, "left_out_percent") <=
                        error.percent);
    assert_false(
        expected_error_of_ratio("streams", EXPECTED_ERROR_KNOWN, &error));
}

static void test_a_ratio_within_its_error_is_hidden(void **state)
{
    (void)state;
    assert_true(expected_error_hides_ratio(1, 0));
    assert_true(expected_error_hides_ratio(1.1, 10));
    assert_false(expected_error_hides_ratio(1.101, 10));
    assert_true(expected_error_hides_ratio(1 / 1.0999, 10));
    assert_false(expected_error_hides_ratio(1 / 1.101, 10));
}

static void test_a_basis_is_read_from_its_cell(void **state)
{
    ExpectedErrorBasis basis;

    (void)state;
    assert_true(
        expected_error_basis_of_text("none is near: endpoint ace", &basis));
    assert_int_equal(basis, EXPECTED_ERROR_NONE_NEAR);
    assert_true(expected_error_basis_of_text("known system", &basis));
    assert_int_equal(basis, EXPECTED_ERROR_KNOWN);
    assert_false(expected_error_basis_of_text("", &basis));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_family_has_errors),
        cmocka_unit_test(test_payload_and_span_choose_a_family),
        cmocka_unit_test(test_a_platform_that_was_fitted_to_is_known),
        cmocka_unit_test(test_a_run_unlike_all_families_says_what_none_has),
        cmocka_unit_test(test_a_stack_is_preferred_and_not_required),
        cmocka_unit_test(test_chip_and_precision_choose_a_language_family),
        cmocka_unit_test(test_one_npu_needs_no_library_nor_endpoint),
        cmocka_unit_test(test_traits_are_those_of_the_configuration),
        cmocka_unit_test(test_ratios_have_errors_of_their_own),
        cmocka_unit_test(test_a_ratio_within_its_error_is_hidden),
        cmocka_unit_test(test_a_basis_is_read_from_its_cell),
    };

    return cmocka_run_group_tests_name("expected_error", tests, NULL, NULL);
}
