/*
 * test_what_if_bounds.c - tests of sim/study/explain/what_if_bounds.h: no
 * what-if of random language models is faster than the critical path allows
 *
 * The systems differ in division, schedule, endpoint, stack and network.  All
 * what-ifs of each are simulated and compared with their bounds.
 */
#include "tests/run_file_text.h"
#include "tests/sim/what_ifs/what_if_fixture.h"

#include "models/run/stack_costs.h"
#include "sim/study/explain/explain.h"
#include "sim/study/explain/plan_estimates.h"
#include "sim/study/explain/what_if_bounds.h"
#include "sim/study/load_run_file.h"
#include "sim/sweep/run_many_pool.h"
#include "sim/view/text/explain/explain_text.h"

#define N_SYSTEMS 10
/* How much longer a bound may be than the run: nearly nothing, but faster links
 * let NCCL choose another protocol, which the path does not know. */
#define MOST_EXCESS            0.005
#define MOST_EXCESS_WITH_STACK 0.05
/* How much a plan's estimate may differ from its run, in these systems, of
 * which many are bound by communication beside kernels. */
#define MOST_ESTIMATE_ERROR 0.35

#define NPU                                                                    \
    "{sms: 32, clock: 1 GHz, flops: %u TFLOPS, launch_overhead: 2 us, hbm: "   \
    "{bandwidth: %u GB/s, capacity: 8 GB}}"
#define NESTED                                                                 \
    "{kind: nested, count: 4, nics: 4, rails: true, nic: {bandwidth: 40 "      \
    "GB/s, latency: 250 ns}, inner: {kind: switch, npus: 4, bandwidth: %u "    \
    "GB/s, latency: 300 ns}, outer: {kind: switch, bandwidth: %u GB/s, "       \
    "latency: 1 us}}"

static const char *const divisions[] = {
    "{tp: 4, pp: 2}", "{tp: 2, pp: 4}", "{tp: 2, pp: 2}",
    "{tp: 4}",        "{pp: 4}",        "{tp: 4, pp: 4}",
};
static const char *const schedules[] = { "{kind: 1f1b}", "{kind: zb-h1}",
                                         "{kind: gpipe}" };
static const char *const endpoints[] = {
    "{kind: ideal}",
    "{kind: baseline, sms: 4, memory_bandwidth: 100 GB/s}",
    "{kind: baseline, sms: 8, memory_bandwidth: 50 %, "
    "only_while_communicating: true}",
    "{kind: ace}",
};

typedef struct {
    char *path; /* owned */
    const char *setup;
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
    Explanation *e;
    WhatIfSource source;
} Explained;

/* Explains a run; if not @sparingly, all what-ifs are simulated. */
static void explain_run(Explained *x, const Setup *setup, gboolean sparingly)
{
    g_autoptr(ExplainTask) task = NULL;
    GError *error = NULL;

    x->setup = setup_text(setup);
    x->path = g_build_filename(g_getenv("TMPDIR") ?: g_get_tmp_dir(),
                               "bounds.yaml", NULL);
    assert_true(g_file_set_contents(x->path, setup_text(setup), -1, &error));
    x->doc = load_run(x->path, NULL, &x->config, &error);
    assert_no_error(error);
    x->system = system_new(&x->config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    x->source = (WhatIfSource){ .path = x->path,
                                .system = x->system,
                                .run_many = run_many_in_process };
    task = explain_task_new(&x->source, x->system);
    assert_true(system_run(x->system, &error) || error);
    assert_no_error(error);
    x->e = explain_task_finish(task, sparingly, &error);
    assert_no_error(error);
}

static void explained_clear(Explained *x)
{
    explain_free(x->e);
    system_free(x->system);
    config_doc_free(x->doc);
    g_free(x->path);
}

/* Fills @ret with the @number-th random system. */
static void make_random_setup(GRand *rand, Setup *ret)
{
    *ret = (Setup){
        .topology = format_text(NESTED, (guint)g_rand_int_range(rand, 20, 200),
                                (guint)g_rand_int_range(rand, 5, 50)),
        .npu = format_text(NPU, (guint)g_rand_int_range(rand, 2, 40),
                           (guint)g_rand_int_range(rand, 300, 2000)),
        .endpoint = endpoints[g_rand_int_range(rand, 0, 4)],
        .training = "{precision: bf16, iterations: 1, optimiser: adam}",
        .stack = g_rand_boolean(rand) ? "{kind: nccl}" : NULL,
        .workload = format_text(
            "{kind: transformer, name: t, model: {name: m, layers: 8, hidden: "
            "1024, heads: 8, ffn: 4096, vocabulary: 8000}, sequence: 512, "
            "batch: {global: 32}, parallel: %s, schedule: %s, shard: {kind: "
            "zero-1, overlap: %s}}",
            divisions[g_rand_int_range(rand, 0, 6)],
            schedules[g_rand_int_range(rand, 0, 3)],
            g_rand_boolean(rand) ? "true" : "false"),
    };
}

/* ---- bounds and estimates ------------------------------------------------ */

typedef struct {
    guint n_bounds, n_tight, n_wrong, n_estimates;
    double most_error;
} Comparison;

static double most_excess(const Explained *x)
{
    return system_has_recipe(x->system) ? MOST_EXCESS_WITH_STACK : MOST_EXCESS;
}

static void compare_bounds(const Explained *x, Comparison *comparison)
{
    GArray *all = x->e->what_ifs;
    GError *error = NULL;

    bound_what_ifs_by_path(all, &x->source, x->e->rows_ps,
                           x->e->other_queue_ps);
    assert_true(estimate_plan_what_ifs(all, &x->source, &error));
    assert_no_error(error);
    for (guint i = 0; i < all->len; i++) {
        const WhatIf *what_if = &g_array_index(all, WhatIf, i);
        double ps = (double)what_if->iteration_ps;

        if (what_if->reason)
            continue;
        if (what_if->predicted_ps > 0) {
            double excess = (double)what_if->predicted_ps / ps - 1;

            if (excess > most_excess(x))
                print_message("%s: bound %.0f, run %.0f, base %.0f\n%s\n",
                              what_if->name, (double)what_if->predicted_ps, ps,
                              (double)x->e->r.iteration_ps, x->setup);
            comparison->n_wrong += excess > most_excess(x);
            comparison->n_bounds++;
            comparison->n_tight += excess > -0.02;
        }
        if (what_if->estimate_ps > 0) {
            double error_share = (double)what_if->estimate_ps / ps - 1;

            comparison->most_error =
                MAX(comparison->most_error, ABS(error_share));
            comparison->n_estimates++;
        }
    }
}

static void no_what_if_is_faster_than_its_bound(void **state)
{
    GRand *rand = g_rand_new_with_seed(40);
    Comparison c = { 0 };

    (void)state;
    for (guint i = 0; i < N_SYSTEMS; i++) {
        Explained x;
        Setup setup;

        make_random_setup(rand, &setup);
        explain_run(&x, &setup, FALSE);
        compare_bounds(&x, &c);
        explained_clear(&x);
    }
    g_rand_free(rand);
    assert_true(c.n_bounds > 10 * N_SYSTEMS);
    assert_true(c.n_tight > c.n_bounds / 4);
    assert_true(c.n_estimates > 2 * N_SYSTEMS);
    assert_int_equal(c.n_wrong, 0);
    assert_true(c.most_error <= MOST_ESTIMATE_ERROR);
}

/* ---- a limited number of runs -------------------------------------------- */

static guint count_what_ifs(const Explanation *explanation, WhatIfHow method)
{
    guint n = 0;

    for (guint i = 0; i < explanation->what_ifs->len; i++)
        n += g_array_index(explanation->what_ifs, WhatIf, i).method == method;
    return n;
}

/* Checks that simulated what-ifs have the times of runs, and that the bounds of
 * the others hold. */
static void check_limited_explanation(const Explanation *limited,
                                      const Explanation *all)
{
    assert_int_equal(limited->what_ifs->len, all->what_ifs->len);
    for (guint i = 0; i < limited->what_ifs->len; i++) {
        const WhatIf *what_if = &g_array_index(limited->what_ifs, WhatIf, i);
        SimTime ps = find_what_if(all, what_if->name)->iteration_ps;

        assert_int_not_equal(what_if->method, WHAT_IF_REQUESTED);
        if (what_if->method == WHAT_IF_RUN || what_if->method == WHAT_IF_PROVED)
            assert_int_equal(what_if->iteration_ps, ps);
        if (what_if->method == WHAT_IF_BOUNDED)
            assert_true((double)what_if->iteration_ps <=
                        (1 + MOST_EXCESS_WITH_STACK) * (double)ps);
    }
}

static void language_models_need_eight_runs(void **state)
{
    GRand *rand = g_rand_new_with_seed(8);

    (void)state;
    for (guint i = 0; i < 3; i++) {
        Explained all, limited;
        Setup setup;

        make_random_setup(rand, &setup);
        explain_run(&all, &setup, FALSE);
        explain_run(&limited, &setup, TRUE);
        check_limited_explanation(limited.e, all.e);
        assert_true(count_what_ifs(limited.e, WHAT_IF_RUN) <= 7);
        assert_true(count_what_ifs(all.e, WHAT_IF_RUN) > 12);
        explained_clear(&all);
        explained_clear(&limited);
    }
    g_rand_free(rand);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(no_what_if_is_faster_than_its_bound),
        cmocka_unit_test(language_models_need_eight_runs),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
