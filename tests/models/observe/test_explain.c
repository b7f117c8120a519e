/*
 * test_explain.c - explanations of runs: the bottleneck and the what-ifs of
 * [ISCA21]'s platforms, and the text and CSV for small
 * systems */
#include <math.h>

#include "tests/system_fixture.h"

#include <string.h>

#include "sim/study/config_value.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/resource_what_ifs.h"
#include "sim/study/load_run_file.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/explain/explain_text.h"
#include "sim/view/text/run_summary_text.h"

typedef struct {
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
} Explained;

static void explain_config_file(Explained *x, const char *path,
                                char *const *sets)
{
    GError *error = NULL;

    x->doc = load_run(path, sets, &x->config, &error);
    assert_no_error(error);
    x->system = system_new(&x->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_true(system_run(x->system, &error) || error);
    assert_no_error(error);
    x->e = explain_new(path, sets, (RunOptions){ 0 }, &x->config, x->system,
                       run_many_pool, &error);
    assert_no_error(error);
}

static void explained_clear(Explained *x)
{
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
}

/* Explains a run of ResNet-50 on the 4x4x4 platform with @endpoint. */
static void explain_isca21(Explained *x, const char *endpoint)
{
    g_autofree char *path =
        g_build_filename(g_getenv("SRCDIR"), "configs/runs/isca21.yaml", NULL);
    g_autofree char *set = g_strdup_printf("endpoint=%s/configs/endpoints/%s",
                                           g_getenv("SRCDIR"), endpoint);
    char *sets[] = { set, NULL };

    explain_config_file(x, path, sets);
}

/* Writes @setup to a file, which explain_config_file() needs for
 * the what-ifs. */
static void explain_setup(Explained *x, const Setup *setup)
{
    g_autofree char *path = g_build_filename(
        g_getenv("TMPDIR") ?: g_get_tmp_dir(), "explained.yaml", NULL);
    GError *error = NULL;

    assert_true(g_file_set_contents(path, setup_text(setup), -1, &error));
    assert_no_error(error);
    explain_config_file(x, path, NULL);
}

static const WhatIf *what_if_at_index(const Explained *x, guint i)
{
    return &g_array_index(x->e->what_ifs, WhatIf, i);
}

static uint32_t largest_explained_row(const Explained *x, uint32_t from,
                                      uint32_t to)
{
    uint32_t best = from;

    for (uint32_t row = from; row < to; row++)
        if (x->e->rows_ps[row] > x->e->rows_ps[best])
            best = row;
    return best;
}

static SimTime sum_of_explained_rows(const Explained *x, uint32_t from,
                                     uint32_t to)
{
    SimTime sum_ps = 0;

    for (uint32_t row = from; row < to; row++)
        sum_ps += x->e->rows_ps[row];
    return sum_ps;
}

/* ---- explanations of the published set-up -------------------------------- */

static void the_comp_opt_endpoint_waits_for_its_hbm_share(void **state)
{
    Explained x;
    SimTime share_ps;
    g_autofree char *text = NULL;

    (void)state;
    explain_isca21(&x, "comp-opt.yaml");
    share_ps = x.e->rows_ps[PATH_RESOURCES + RESOURCE_HBM_SHARE];
    assert_int_equal(sum_of_explained_rows(&x, 0, PATH_N), x.e->r.iteration_ps);
    assert_int_equal(largest_explained_row(&x, PATH_RESOURCES, PATH_N),
                     PATH_RESOURCES + RESOURCE_HBM_SHARE);
    assert_true(10 * share_ps >
                9 * sum_of_explained_rows(&x, PATH_RESOURCES, PATH_N));
    /* Doubling the named resource helps more than doubling any other one.  A
     * division of all-reduces by level needs less HBM bandwidth. */
    assert_string_equal(what_if_at_index(&x, 0)->name,
                        "endpoint.sms=4, endpoint.memory_bandwidth=256 GB/s");
    assert_string_equal(what_if_at_index(&x, 1)->name,
                        "collectives.algorithm=hierarchical");
    assert_string_equal(what_if_at_index(&x, 2)->name,
                        "endpoint.memory_bandwidth=256 GB/s");
    assert_true(what_if_at_index(&x, 2)->iteration_ps <
                what_if_at_index(&x, 3)->iteration_ps);
    assert_true(what_if_at_index(&x, 0)->iteration_ps < x.e->r.iteration_ps);
    assert_true(what_if_at_index(&x, 0)->iteration_ps <
                what_if_at_index(&x, 1)->iteration_ps);
    text = explain_text(x.e);
    assert_true(g_str_has_prefix(
        text, "24.0 % of the iteration is exposed communication, most of it "
              "(22.3 %) for the endpoint's HBM"));
    assert_non_null(strstr(text, "But 2 SMs transfer at most 159.4 GB/s"));
    explained_clear(&x);
}

static void the_comm_opt_endpoint_slows_kernels(void **state)
{
    Explained x;
    SimTime lost_ps;
    g_autofree char *text = NULL;

    (void)state;
    explain_isca21(&x, "comm-opt.yaml");
    lost_ps = x.e->rows_ps[PATH_LOST_SMS] + x.e->rows_ps[PATH_LOST_HBM];
    assert_int_equal(sum_of_explained_rows(&x, 0, PATH_N), x.e->r.iteration_ps);
    assert_int_equal(
        lost_ps, sum_of_explained_rows(&x, PATH_SIDE_SLOWDOWN, PATH_RESOURCES));
    assert_int_equal(
        largest_explained_row(&x, PATH_SIDE_SLOWDOWN, PATH_RESOURCES),
        PATH_LOST_HBM);
    assert_true(x.e->rows_ps[PATH_LOST_SMS] > 0);
    assert_true(4 * lost_ps > x.e->r.iteration_ps);
    assert_true(lost_ps >
                100 * sum_of_explained_rows(&x, PATH_RESOURCES, PATH_N));
    assert_string_equal(what_if_at_index(&x, 0)->name,
                        "platform.npu.hbm.bandwidth=1.8 TB/s");
    assert_true(what_if_at_index(&x, 0)->iteration_ps <
                what_if_at_index(&x, 1)->iteration_ps);
    text = explain_text(x.e);
    assert_true(g_str_has_prefix(text, "Communication slows kernels down: 28"));
    explained_clear(&x);
}

static void an_ideal_endpoint_has_nothing_to_gain(void **state)
{
    Explained x;
    g_autofree char *text = NULL;

    (void)state;
    explain_isca21(&x, "ideal.yaml");
    assert_int_equal(sum_of_explained_rows(&x, 0, PATH_N), x.e->r.iteration_ps);
    text = explain_text(x.e);
    assert_true(g_str_has_prefix(text, "Communication is hidden"));
    explained_clear(&x);
}

/* With a shared HBM, a kernel gets only the bandwidth that its arithmetic can
 * use, so the bandwidth is not its bottleneck. */
static void under_shared_hbm_a_kernel_is_bound_by_flop_only(void **state)
{
    const Setup setup = {
        .npu = "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, "
               "hbm: {bandwidth: 900 GB/s, policy: shared}}",
        .endpoint = "{kind: baseline, sms: 8, memory_bandwidth: 100 GB/s}",
        .training = "{iterations: 1, optimiser: none}",
        .workload = "{kind: data-parallel, name: k, batch: 8192, layers: "
                    "[{kind: linear, name: l, in: 4096, out: 4096}]}"
    };
    const SimTime *rows_ps;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    rows_ps = x.e->rows_ps;
    assert_int_equal(largest_explained_row(&x, 0, PATH_N), PATH_FLOP);
    assert_true(rows_ps[PATH_MEMORY] < rows_ps[PATH_FLOP] / 100);
    /* Without 8 of 80 SMs, kernels take a ninth longer. */
    assert_in_range(rows_ps[PATH_LOST_SMS], rows_ps[PATH_FLOP] / 9 - 1000,
                    rows_ps[PATH_FLOP] / 9 + 1000);
    assert_int_equal(rows_ps[PATH_LOST_HBM], 0);
    assert_int_equal(rows_ps[PATH_PERTURBED], 0);
    assert_string_equal(what_if_at_index(&x, 0)->name,
                        "platform.npu.flops=200 TFLOPS");
    explained_clear(&x);
}

/* ---- text and CSV of an explanation -------------------------------------- */

/* Returns the picoseconds of a cell in us with six decimals; "" is 0. */
static uint64_t ps_of_cell(const char *cell)
{
    return (uint64_t)llround(g_ascii_strtod(cell, NULL) * 1e6);
}

static void explanation_rows_are_written_exactly(void **state)
{
    const Setup setup = { .training = "{iterations: 3}" };
    g_autoptr(GString) out = g_string_new(NULL);
    g_auto(GStrv) lines = NULL;
    SimTime sum_ps = 0;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    explain_append_rows_csv(out, x.e);
    lines = g_strsplit(out->str, "\n", -1);
    assert_string_equal(lines[0],
                        "workload,n_npus,endpoint,part,resource,time_us,share,"
                        "served_us,own_queue_us,other_queue_us,notes");
    for (guint i = 1; lines[i][0]; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], ",", -1);

        assert_string_equal(cells[3], "exposed");
        sum_ps += ps_of_cell(cells[5]);
        assert_int_equal(ps_of_cell(cells[5]), ps_of_cell(cells[7]) +
                                                   ps_of_cell(cells[8]) +
                                                   ps_of_cell(cells[9]));
    }
    assert_int_equal(sum_ps, x.e->r.iteration_ps);
    explained_clear(&x);
}

static void an_impossible_what_if_has_its_reason(void **state)
{
    const Setup setup = {
        .endpoint = "{kind: baseline, sms: 60, memory_bandwidth: 100 GB/s}"
    };
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *text = NULL;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    explain_append_what_ifs_csv(out, x.e);
    assert_non_null(strstr(out->str, ",endpoint.sms=120,,,"));
    assert_non_null(strstr(out->str, "--set endpoint.sms:1:1: sms: 120 for "));
    text = explain_text(x.e);
    assert_non_null(strstr(text, "\nimpossible: endpoint.sms=120: "));
    explained_clear(&x);
}

/* The function run_many_in_process() runs what-ifs in this process instead of
 * child processes. */
static void what_ifs_in_this_process_equal_those_in_children(void **state)
{
    const Setup setup = {
        .endpoint = "{kind: baseline, sms: 60, memory_bandwidth: 100 GB/s}"
    };
    g_autofree char *path = g_build_filename(
        g_getenv("TMPDIR") ?: g_get_tmp_dir(), "explained.yaml", NULL);
    g_autoptr(GString) there = g_string_new(NULL);
    g_autoptr(GString) here = g_string_new(NULL);
    GError *error = NULL;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    explain_append_what_ifs_csv(there, x.e);
    explain_free(x.e);
    x.e = explain_new(path, NULL, (RunOptions){ 0 }, &x.config, x.system,
                      run_many_in_process, &error);
    assert_no_error(error);
    explain_append_what_ifs_csv(here, x.e);
    assert_string_equal(here->str, there->str);
    explained_clear(&x);
}

static gboolean interrupt_all_runs(const RunMany *many, GError **error)
{
    (void)many;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_TOO_LONG, "ended");
    return FALSE;
}

static void interrupted_what_if_runs_are_an_error(void **state)
{
    const Setup setup = { 0 };
    g_autofree char *path = g_build_filename(
        g_getenv("TMPDIR") ?: g_get_tmp_dir(), "explained.yaml", NULL);
    g_autoptr(GError) error = NULL;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    explain_free(x.e);
    x.e = explain_new(path, NULL, (RunOptions){ 0 }, &x.config, x.system,
                      interrupt_all_runs, &error);
    assert_null(x.e);
    assert_string_equal(error->message, "ended");
    explained_clear(&x);
}

/* Two NPUs share a root with a limit.  The limit is the bottleneck, not the
 * links of the NPUs. */
static void a_common_limit_is_named_as_the_bottleneck(void **state)
{
    const Setup setup = {
        .topology =
            "{kind: graph, nodes: [{name: a, kind: npu}, {name: b, kind: npu}, "
            "{name: sw, kind: switch}], links: [{from: a, to: sw, bandwidth: "
            "25 GB/s, latency: 500 ns}, {from: b, to: sw, bandwidth: 25 GB/s, "
            "latency: 500 ns}], limits: [{name: root, bandwidth: 10 GB/s, "
            "links: [[a, sw], [b, sw]]}]}"
    };
    g_autofree char *text = NULL;
    g_autofree char *summary = NULL;
    Explained x;

    (void)state;
    explain_setup(&x, &setup);
    text = explain_text(x.e);
    summary = summary_of_run_text(&x.config, x.system, 1);
    assert_non_null(strstr(text, "\nplatform.topology.limits.0.bandwidth="
                                 "20 GB/s "));
    assert_non_null(strstr(text, "twice platform.topology.links.*.bandwidth"));
    assert_string_equal(what_if_at_index(&x, 0)->name,
                        "twice platform.topology.*.bandwidth");
    assert_non_null(strstr(summary, "\nlimit root"));
    assert_non_null(strstr(summary, " 10 GB/s for 2 links   <- highest"));
    assert_non_null(strstr(summary, "\nlinks, the busiest"));
    explained_clear(&x);
}

static void every_explanation_row_has_an_id(void **state)
{
    Explained x;

    (void)state;
    explain_isca21(&x, "ace.yaml");
    assert_true(x.e->n_rows > PATH_RESOURCES && x.e->n_rows <= PATH_N);
    for (guint i = 0; i < x.e->n_rows; i++) {
        g_autofree char *id = critical_path_row_id(x.e, x.e->order[i]);

        assert_non_null(id);
        for (guint k = 0; k < i; k++)
            assert_true(x.e->order[k] != x.e->order[i]);
    }
    explained_clear(&x);
}

static void an_explanation_value_is_found_by_its_key(void **state)
{
    const struct {
        const char *key;
        uint64_t value;
        ConfigType type;
    } cases[] = {
        { "platform.npu.sms", 80, CONFIG_COUNT },
        { "platform.npu.hbm.bandwidth", UINT64_C(900000000000),
          CONFIG_BANDWIDTH },
        { "platform.topology.dims.0.latency", 500000, CONFIG_TIME },
        /* The value is the default of the key. */
        { "endpoint.sram", 4 << 20, CONFIG_BYTES },
    };
    static const char *const none[] = {
        "platform.topology.dims.1.latency", "endpoint.sms",          "endpoint",
        "platform.topology.dims",           "collectives.scheduler", "",
    };
    const Setup setup = { .endpoint = "{kind: ace}" };
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    uint64_t value;
    ConfigType type;
    Run run;

    (void)state;
    read_run_setup(&run, &setup);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_true(config_value_read_at_path(&run.config, cases[i].key, &value,
                                              &type));
        assert_int_equal(value, cases[i].value);
        assert_int_equal(type, cases[i].type);
    }
    for (guint i = 0; i < G_N_ELEMENTS(none); i++)
        assert_false(
            config_value_read_at_path(&run.config, none[i], &value, &type));
    config_value_list_paths(&run.config, "platform", "bandwidth", paths);
    assert_int_equal(paths->len, 2);
    assert_string_equal(g_ptr_array_index(paths, 0),
                        "platform.topology.dims.0.bandwidth");
    assert_string_equal(g_ptr_array_index(paths, 1),
                        "platform.npu.hbm.bandwidth");
    config_value_list_paths(&run.config, "platform.nothing", "bandwidth",
                            paths);
    assert_int_equal(paths->len, 2);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_comp_opt_endpoint_waits_for_its_hbm_share),
        cmocka_unit_test(the_comm_opt_endpoint_slows_kernels),
        cmocka_unit_test(an_ideal_endpoint_has_nothing_to_gain),
        cmocka_unit_test(under_shared_hbm_a_kernel_is_bound_by_flop_only),
        cmocka_unit_test(explanation_rows_are_written_exactly),
        cmocka_unit_test(an_impossible_what_if_has_its_reason),
        cmocka_unit_test(what_ifs_in_this_process_equal_those_in_children),
        cmocka_unit_test(interrupted_what_if_runs_are_an_error),
        cmocka_unit_test(a_common_limit_is_named_as_the_bottleneck),
        cmocka_unit_test(every_explanation_row_has_an_id),
        cmocka_unit_test(an_explanation_value_is_found_by_its_key),
    };

    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
