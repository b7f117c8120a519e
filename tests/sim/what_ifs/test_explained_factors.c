/*
 * test_explained_factors.c - the effects of factors in an explanation equal
 * those of runs with these factors
 *
 * The systems are small.  Kernels have given times, times that follow from
 * shapes, or both, under each `training.compute`.  Values must be equal unless
 * a tolerance is
 * stated. */
#include "tests/system_fixture.h"

#include <string.h>

#include "models/run/stack_costs.h"
#include "sim/study/config_value.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/what_if_pruning.h"
#include "sim/study/load_run_file.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/explain/explain_text.h"
#include "sim/view/text/run_summary_text.h"

#define GROUP "groups: [{name: g, ranks: [[0, 1, 2, 3]]}], "
#define PROGRAM(kernels)                                                           \
    "{kind: program, name: p, " GROUP "roles: [{name: r, ops: [" kernels           \
    "{kind: collective, name: c, collective: all-reduce, group: g, "               \
    "bytes: 4 MiB, after: [k]}, {kind: kernel, name: z, flop: 1000000000, after: " \
    "[c]}]}]}"
#define BY_TIME  "{kind: kernel, name: k, time: 300 us}, "
#define BY_FLOP  "{kind: kernel, name: k, flop: 30000000000, read: 1 MB}, "
#define BY_BYTES "{kind: kernel, name: k, flop: 1000000, read: 300 MB}, "
#define BY_BOTH  "{kind: kernel, name: k, flop: 30000000000, time: 400 us}, "
#define LAYERS                                                                 \
    "layers: [{kind: linear, name: l, in: 2048, out: 2048, repeat: 3}]}"

static const char *const workloads[] = {
    "{kind: data-parallel, name: d, batch: 512, " LAYERS,
    "{kind: data-parallel, name: d, batch: 512, calibrated: {forward: 100 us, "
    "input_gradient: 100 us, weight_gradient: 100 us}, " LAYERS,
    PROGRAM(BY_FLOP),
    PROGRAM(BY_BYTES),
    PROGRAM(BY_BOTH),
    PROGRAM(BY_TIME),
};

static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: baseline, sms: 20, memory_bandwidth: 300 GB/s}",
    "{kind: baseline, sms: 2, memory_bandwidth: 20 GB/s}",
    "{kind: ace}",
};

static const char *const npus[] = {
    "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, launch_overhead: 4 us, hbm: "
    "{bandwidth: 900 GB/s}}",
    "{sms: 80, clock: 1 GHz, flops: 25 TFLOPS, launch_overhead: 4 us, hbm: "
    "{bandwidth: 900 GB/s, policy: shared}, fp16: {flops: 100 TFLOPS}}",
};

typedef struct {
    char *path; /* The struct owns this memory. */
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
    char *text; /* The struct owns this memory. */
} Explained;

/* Returns the iteration time of the file with @sets, or 0 if such a run is
 * impossible. */
static SimTime iteration_ps(const char *path, char *const *sets)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(System) system = NULL;
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, sets, &config, &error);

    system = doc ? system_new(&config, (RunOptions){ 0 }, &error) : NULL;
    if (!system || !system_run(system, &error))
        return 0;
    return system_result(system).iteration_ps;
}

/* Explains a run in the same way as `run --explain`. */
static void explain_setup_run(Explained *x, const Setup *setup)
{
    WhatIfSource source = { .run_many = run_many_in_process };
    g_autoptr(ExplainTask) explaining = NULL;
    GError *error = NULL;

    x->path = g_build_filename(g_getenv("TMPDIR") ?: g_get_tmp_dir(),
                               "factors.yaml", NULL);
    assert_true(g_file_set_contents(x->path, setup_text(setup), -1, &error));
    x->doc = load_run(x->path, NULL, &x->config, &error);
    assert_no_error(error);
    source.path = x->path;
    source.system = x->system =
        system_new(&x->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    explaining = explain_task_new(&source, x->system);
    assert_true(system_run(x->system, &error) || error);
    assert_no_error(error);
    x->e = explain_task_finish(explaining, TRUE, &error);
    assert_no_error(error);
    x->text = explain_text(x->e);
}

static void explained_clear(Explained *x)
{
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
    g_free(x->path);
    g_free(x->text);
}

static const WhatIf *what_if_at_index(const Explained *x, guint i)
{
    return &g_array_index(x->e->what_ifs, WhatIf, i);
}

/* ---- effects of factors -------------------------------------------------- */

/* Checks that the time of each what-if equals that of a run with its
 * settings. */
static void check_what_ifs_by_runs(const Explained *x)
{
    SimTime base_ps = x->e->r.iteration_ps;

    for (guint i = 0; i < x->e->what_ifs->len; i++) {
        const WhatIf *what_if = what_if_at_index(x, i);
        SimTime ps = iteration_ps(x->path, what_if->sets);

        if (what_if->method == WHAT_IF_LEFT_OUT)
            assert_false(pruning_is_gain_significant(base_ps, ps,
                                                     PRUNING_WORTHWHILE_GAIN));
        else
            assert_int_equal(what_if->iteration_ps, ps);
    }
}

/* Checks keys of the NPU that the text does not mention: a run with another
 * value takes the same time.  If a key mattered, the text would have a line for
 * it. */
static void check_what_if_keys(const Explained *x)
{
    static const struct {
        const char *key, *set;
    } keys[] = {
        { "platform.npu.flops", "platform.npu.flops=1 PFLOPS" },
        { "platform.npu.fp16.flops", "platform.npu.fp16.flops=1 PFLOPS" },
        { "platform.npu.hbm.bandwidth", "platform.npu.hbm.bandwidth=9 TB/s" },
        { "platform.npu.sms", "platform.npu.sms=160" },
        { "platform.npu.launch_overhead", "platform.npu.launch_overhead=1 us" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        char *sets[] = { (char *)keys[i].set, NULL };
        uint64_t value;
        ConfigType type;

        if (config_value_read_at_path(&x->config, keys[i].key, &value, &type) &&
            value > 0 && !strstr(x->text, keys[i].key))
            assert_int_equal(iteration_ps(x->path, sets), x->e->r.iteration_ps);
    }
}

/* ---- recommended changes ------------------------------------------------- */

/* Checks that a recommendation "PREFIX CHANGE: 1.20 times faster" in @answer
 * names a what-if that was simulated and that is faster by at least
 * PRUNING_WORTHWHILE_GAIN. */
static void check_recommended_change(const Explained *x, const char *answer,
                                     const char *prefix)
{
    const char *at = strstr(answer, prefix);
    const char *change = at ? at + strlen(prefix) : NULL;

    if (!at)
        return;
    for (guint i = 0; i < x->e->what_ifs->len; i++) {
        const WhatIf *what_if = what_if_at_index(x, i);

        if (!g_str_has_prefix(change, what_if->name) ||
            change[strlen(what_if->name)] != ':')
            continue;
        assert_true(what_if->method == WHAT_IF_RUN);
        assert_true((double)x->e->r.iteration_ps >=
                    (1 + PRUNING_WORTHWHILE_GAIN) *
                        (double)what_if->iteration_ps);
        return;
    }
    fail_msg("not simulated: %s", change);
}

/* Returns the answer as one line, which the caller frees. */
static char *explanation_answer(const Explained *x)
{
    const char *end = strstr(x->text, "\n\n");

    assert_non_null(end);
    return g_strdelimit(g_strndup(x->text, (gsize)(end - x->text)), "\n", ' ');
}

static gboolean has_effective_what_if(const Explained *x)
{
    for (guint i = 0; i < x->e->what_ifs->len; i++) {
        const WhatIf *what_if = what_if_at_index(x, i);

        if (!what_if->reason &&
            (double)x->e->r.iteration_ps >=
                (1 + PRUNING_WORTHWHILE_GAIN) * (double)what_if->iteration_ps)
            return TRUE;
    }
    return FALSE;
}

static void check_explanation_answer(const Explained *x)
{
    g_autofree char *answer = explanation_answer(x);

    check_recommended_change(x, answer, "What helps more is ");
    check_recommended_change(x, answer, "What helps most is ");
    check_recommended_change(x, answer, "what helps most is ");
    assert_null(strstr(answer, "1.00 times"));
    assert_int_equal(!strstr(answer, "Nothing that was tried"),
                     has_effective_what_if(x));
}

static void check_explanation_of_setup(const Setup *setup)
{
    Explained x;

    explain_setup_run(&x, setup);
    check_what_ifs_by_runs(&x);
    check_what_if_keys(&x);
    check_explanation_answer(&x);
    explained_clear(&x);
}

static void explained_effects_equal_those_of_runs(void **state)
{
    (void)state;
    for (guint w = 0; w < G_N_ELEMENTS(workloads); w++)
        for (guint e = 0; e < G_N_ELEMENTS(endpoints); e++)
            for (guint n = 0; n < G_N_ELEMENTS(npus); n++) {
                Setup setup = { .workload = workloads[w],
                                .endpoint = endpoints[e],
                                .npu = npus[n] };

                setup.training = "{iterations: 1, compute: measured}";
                check_explanation_of_setup(&setup);
                if (strstr(workloads[w], BY_TIME))
                    /* Kernels without a shape have no roofline time. */
                    continue;
                setup.training = "{iterations: 1, compute: roofline}";
                check_explanation_of_setup(&setup);
            }
}

/* ---- effect of FLOP/s ---------------------------------------------------- */

static SimTime what_if_time_ps(const Explained *x, const char *name)
{
    for (guint i = 0; i < x->e->what_ifs->len; i++)
        if (g_str_has_prefix(what_if_at_index(x, i)->name, name))
            return what_if_at_index(x, i)->iteration_ps;
    fail_msg("%s is missing", name);
    return 0;
}

/* FLOP/s matter for kernels without a given time, even with `compute:
 * measured`. */
static void flops_matter_for_kernels_without_given_times(void **state)
{
    const Setup setup = {
        .workload = PROGRAM(BY_FLOP),
        .training = "{iterations: 1, compute: measured}",
    };
    Explained x;

    (void)state;
    explain_setup_run(&x, &setup);
    assert_true(what_if_time_ps(&x, "platform.npu.flops") <
                x.e->r.iteration_ps * 3 / 4);
    assert_null(strstr(x.text, "are given"));
    explained_clear(&x);
}

static void the_number_of_given_times_is_reported(void **state)
{
    const Setup setup = {
        .workload = PROGRAM(BY_TIME),
        .training = "{iterations: 1, compute: measured}",
    };
    Explained x;

    (void)state;
    explain_setup_run(&x, &setup);
    assert_non_null(strstr(x.text, "the times of 1 of 2 kernels are given"));
    explained_clear(&x);
}

/* ---- systems without a helpful factor ------------------------------------ */

/* The second role waits for kernels of the first role, so no change of
 * communication helps. */
static void a_change_without_effect_is_not_recommended(void **state)
{
    const Setup setup = {
        .workload =
            "{kind: program, name: p, groups: [{name: g, size: 2}], roles: "
            "[{name: a, ranks: {size: 2, at: 0}, ops: [{kind: kernel, name: k, "
            "time: 3 ms}, {kind: send, name: m, group: g, from: 0, to: 1, "
            "bytes: 1 KiB, after: [k]}]}, {name: b, ranks: {size: 2, at: 1}, "
            "ops: [{kind: receive, name: m, group: g, from: 0, to: 1, bytes: 1 "
            "KiB}, {kind: kernel, name: z, time: 1 ms, after: [m]}]}]}",
        .training = "{iterations: 1, compute: measured}",
    };
    g_autofree char *answer = NULL;
    Explained x;

    (void)state;
    explain_setup_run(&x, &setup);
    answer = explanation_answer(&x);
    assert_non_null(strstr(answer, "for kernels of other NPUs"));
    assert_null(strstr(answer, "hat helps"));
    assert_null(strstr(answer, "times faster"));
    assert_non_null(strstr(answer, "No single value, twice as good, makes the "
                                   "iteration 0.5 % faster."));
    check_what_ifs_by_runs(&x);
    explained_clear(&x);
}

/* ---- time of messages with a software stack ------------------------------ */

/* The receiver waits more than 3 ms for the kernel before the send.  This wait
 * is not part of the time of the message. */
static void the_time_of_a_message_excludes_a_late_sender(void **state)
{
    const Setup setup = {
        .topology = "{kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 1 "
                    "us}",
        .endpoint = "{kind: baseline, sms: 24, memory_bandwidth: 300 GB/s}",
        .stack = "{kind: nccl}",
        .workload =
            "{kind: program, name: p, groups: [{name: g, size: 2}], roles: "
            "[{name: a, ranks: {size: 2, at: 0}, ops: [{kind: kernel, name: k, "
            "time: 3 ms}, {kind: send, name: m, group: g, from: 0, to: 1, "
            "bytes: 1 MiB, after: [k]}]}, {name: b, ranks: {size: 2, at: 1}, "
            "ops: [{kind: receive, name: m, group: g, from: 0, to: 1, bytes: 1 "
            "MiB}, {kind: kernel, name: z, time: 1 ms, after: [m]}]}]}",
        .training = "{iterations: 1, compute: measured}",
    };
    uint32_t message = UINT32_MAX;
    g_autofree CollectiveTimes *times = NULL;
    Run run;

    (void)state;
    (void)run_to_result(&run, &setup, FOLD_AUTO);
    for (guint i = 0; i < system_graph(run.system)->ops->len; i++)
        if (op_graph_op(system_graph(run.system), i)->type == OP_COLLECTIVE)
            message = i;
    times = system_collective_times(run.system);
    assert_true(times[message].waited_ps > SIM_US(3000));
    assert_in_range(times[message].took_ps - times[message].waited_ps,
                    SIM_US(40), SIM_US(80));
    run_clear(&run);
}

/* ---- the busiest resource in the answer ---------------------------------- */

/* Kernels take more than half of the time, and links are mostly idle because of
 * their latency.  The SMs have the largest share, but are not the bottleneck of
 * communication. */
static void the_busiest_resource_is_one_of_communication(void **state)
{
    const Setup setup = {
        .topology = "{kind: torus, dims: [{size: 4, links: 2, bandwidth: "
                    "400 GB/s, latency: 100 us}]}",
        .workload = PROGRAM("{kind: kernel, name: k, time: 900 us}, "),
        .training = "{iterations: 1, compute: measured}",
    };
    g_autofree char *summary = NULL;
    Explained x;

    (void)state;
    explain_setup_run(&x, &setup);
    summary = summary_of_run_text(&x.config, x.system, 1);
    assert_non_null(strstr(summary, " % of the iteration is exposed "
                                    "communication (--explain"));
    assert_non_null(strstr(summary, "2 links   <- highest of communication"));
    assert_null(strstr(summary, "80   <- highest"));
    explained_clear(&x);
}

/* No communication is exposed, so its resources are not considered. */
static void without_exposed_communication_sms_are_the_busiest(void **state)
{
    const Setup setup = {
        .workload = PROGRAM("{kind: kernel, name: k, time: 500 ms}, "),
        .training = "{iterations: 1, compute: measured}",
    };
    g_autofree char *summary = NULL;
    Explained x;

    (void)state;
    explain_setup_run(&x, &setup);
    summary = summary_of_run_text(&x.config, x.system, 1);
    assert_non_null(strstr(summary, "80   <- highest\n"));
    assert_null(strstr(summary, "is exposed communication"));
    explained_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explained_effects_equal_those_of_runs),
        cmocka_unit_test(flops_matter_for_kernels_without_given_times),
        cmocka_unit_test(the_number_of_given_times_is_reported),
        cmocka_unit_test(a_change_without_effect_is_not_recommended),
        cmocka_unit_test(the_time_of_a_message_excludes_a_late_sender),
        cmocka_unit_test(the_busiest_resource_is_one_of_communication),
        cmocka_unit_test(without_exposed_communication_sms_are_the_busiest),
    };

    return cmocka_run_group_tests_name("explained_factors", tests, NULL, NULL);
}
