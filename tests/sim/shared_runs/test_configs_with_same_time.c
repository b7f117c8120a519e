/*
 * Tests of configs_with_same_results.h: which configurations a run claims to
 * take the same time
 *
 * Random systems with and without kernels are drawn, and for each of them
 * neighbours that differ in what configs_with_same_results.h judges.  If a run
 * claims that a neighbour takes the same time, the neighbour is simulated as
 * well. */
#include "tests/models/run/fold/unfold_case.h"
#include "tests/system_fixture.h"

#include "models/run/report/configs_with_same_results.h"

/* The number of seeds per topology, times ACESIM_DRAWS. */
#define N_SEEDS      10
#define N_NEIGHBOURS 6

typedef struct {
    /* The number of neighbours tried, and of those that take the same time. */
    guint n, n_covered;
    /* The number of these with another number of SMs, and with another share of
     * the HBM. */
    guint n_other_kernels, n_other_shares;
} Count;

/* ---- random systems and their neighbours --------------------------------- */

static const char *draw_npu_text(GRand *rand, gboolean is_first)
{
    static const char *const sms[] = { "80", "80", "160", "60" };
    static const char *const buses[] = { "500 GB/s", "500 GB/s", "1 TB/s",
                                         "20 GB/s" };
    static const char *const launches[] = { "2 us", "2 us", "1 us" };
    static const char *const flops[] = { "100 TFLOPS", "100 TFLOPS",
                                         "120 TFLOPS" };
    static const char *const tiles[] = { "0", "0", "64" };

    return format_text(
        "{sms: %s, clock: 1 GHz, flops: %s, launch_overhead: %s, "
        "fabric_bus: %s, tile: %s, hbm: {bandwidth: 900 GB/s}}",
        is_first ? sms[0] : UNFOLD_PICK(rand, sms),
        is_first ? flops[0] : UNFOLD_PICK(rand, flops),
        is_first ? launches[0] : UNFOLD_PICK(rand, launches),
        is_first ? buses[0] : UNFOLD_PICK(rand, buses),
        is_first ? tiles[0] : UNFOLD_PICK(rand, tiles));
}

/* Without its ALUs, or its share. */
static const char *draw_endpoint_of_seed(uint64_t seed)
{
    static const char *const texts[] = {
        "{kind: ideal}",
        "{kind: ace, memory_bandwidth: 100 GB/s, alus: %u}",
        "{kind: ace, memory_bandwidth: 100 GB/s, alus: %u, "
        "only_while_communicating: false}",
        "{kind: baseline, sms: 4, memory_bandwidth: 100 GB/s}",
        "{kind: baseline, sms: 4, memory_bandwidth: 400 GB/s, "
        "only_while_communicating: true}",
        "{kind: baseline, sms: 80, memory_bandwidth: 9%u0 GB/s, "
        "only_while_communicating: true}",
        "{kind: baseline, sms: 4, memory_bandwidth: %u00 GB/s, "
        "only_while_communicating: true}",
        "{kind: copy-engine, sms: 4, memory_bandwidth: 9%u0 GB/s, "
        "only_while_communicating: true}",
        "{kind: copy-engine, sms: 4, memory_bandwidth: 100 GB/s}",
        "{kind: host, reduce_bandwidth: 5 GB/s}",
    };

    return texts[seed % G_N_ELEMENTS(texts)];
}

static const char *substitute_number(const char *text, guint number)
{
    g_auto(GStrv) parts = g_strsplit(text, "%u", 2);

    return parts[1] ? format_text("%s%u%s", parts[0], number, parts[1]) : text;
}

static Setup draw_neighbour_setup(const UnfoldCase *c, GRand *rand,
                                  gboolean is_first)
{
    static const guint windows[] = { 8, 8, 32, 64, 100 };
    Setup setup = c->setup;

    setup.npu = draw_npu_text(rand, is_first);
    setup.endpoint = substitute_number(
        draw_endpoint_of_seed(c->seed),
        is_first ? 4 : 4 + unfold_draw_between(rand, 0, 1) * 4);
    setup.collectives = substitute_number(
        c->seed % 3 == 0 ? "{chunk: auto, message: auto, window: %u}"
                         : "{chunk: 1 KiB, message: 512 B, window: %u}",
        windows[is_first ? 2 : unfold_draw_between(rand, 0, 4)]);
    return setup;
}

/* ---- queries whether a run takes the same time --------------------------- */

static gboolean run_has_kernels(const System *system)
{
    const OpGraph *graph = system_graph(system);

    for (guint i = 0; i < graph->ops->len; i++)
        if (op_graph_op(graph, i)->type == OP_COMPUTE)
            return TRUE;
    return FALSE;
}

typedef SystemConfig (*ForgetFn)(const SystemConfig *config,
                                 gpointer *ret_params);

static char *values_without_invariant_keys(const SystemConfig *config,
                                           ForgetFn forget)
{
    g_autofree gpointer params = NULL;
    const SystemConfig rest = forget(config, &params);
    GString *out = g_string_new(NULL);

    config_append_values(out, system_fields, &rest);
    return g_string_free(out, FALSE);
}

static gboolean are_same_except_invariants(const SystemConfig *a,
                                           const SystemConfig *b,
                                           ForgetFn forget)
{
    g_autofree char *one = values_without_invariant_keys(a, forget);
    g_autofree char *other = values_without_invariant_keys(b, forget);

    return g_str_equal(one, other);
}

static void compare_time_with_first(const Setup *setup, FoldMode fold,
                                    const System *first)
{
    SystemResult a = system_result(first), b;
    g_autoptr(GError) error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error));
    b = system_result(run.system);
    if (a.total_ps != b.total_ps || a.comm_ps != b.comm_ps ||
        a.compute_ps != b.compute_ps || a.n_hops != b.n_hops) {
        g_printerr("%s", setup_text(setup));
        fail_msg("a run says that it takes as long as one that does not");
    }
    run_clear(&run);
}

static void check_claim_of_first_run(const Run *first,
                                     const ResultInvariance *slack,
                                     const Setup *setup, FoldMode fold,
                                     Count *count)
{
    g_auto(ResultInvariancePlan) plan = { .run_options.fold = fold };
    gboolean is_covered;
    Run run;

    read_run_setup(&run, setup);
    is_covered =
        are_same_except_invariants(&first->config, &run.config,
                                   result_invariance_neutral_config_for_time) &&
        result_invariance_has_same_time(slack, first->system, &run.config,
                                        &plan);
    result_invariance_plan_clear(&plan);
    count->n++;
    if (is_covered) {
        count->n_covered++;
        count->n_other_kernels +=
            run_has_kernels(first->system) &&
            run.config.platform.npu.n_sms != first->config.platform.npu.n_sms;
        count->n_other_shares += !are_same_except_invariants(
            &first->config, &run.config, result_invariance_neutral_config);
        compare_time_with_first(setup, fold, first->system);
    }
    run_clear(&run);
}

static void check_claims_of_topology_kind(const char *kind, uint64_t seed,
                                          Count *count)
{
    GRand *rand = g_rand_new_with_seed(random_seed((guint32)seed));
    FoldMode fold = seed % 4 == 0 ? FOLD_OFF : FOLD_AUTO;
    g_autoptr(GError) error = NULL;
    g_autoptr(ResultInvariance) slack = NULL;
    UnfoldCase c;
    Setup setup;
    Run first;

    unfold_case_init(&c, kind, (UnfoldWork)(seed % UNFOLD_N_WORKS), seed);
    c.seed = seed;
    setup = draw_neighbour_setup(&c, rand, TRUE);
    read_run_setup(&first, &setup);
    first.system =
        system_new(&first.config, (RunOptions){ .fold = fold }, &error);
    if (first.system && system_run(first.system, &error)) {
        slack = result_invariance_new(first.system);
        for (guint i = 0; i < N_NEIGHBOURS; i++) {
            setup = draw_neighbour_setup(&c, rand, FALSE);
            check_claim_of_first_run(&first, slack, &setup, fold, count);
        }
    }
    run_clear(&first);
    g_rand_free(rand);
}

static void test_a_claimed_equal_time_is_equal(void **state)
{
    Count count = { 0 };

    (void)state;
    for (guint i = 0; topology_registry.kinds[i]; i++)
        for (uint64_t seed = 1; seed <= n_random_draws(N_SEEDS); seed++)
            check_claims_of_topology_kind(topology_registry.kinds[i]->name,
                                          seed, &count);
    print_message("# %u neighbours, %u as long, %u of them with kernels on "
                  "more or fewer SMs, %u with another share\n",
                  count.n, count.n_covered, count.n_other_kernels,
                  count.n_other_shares);
    assert_true(count.n_covered >= count.n / 20);
    assert_true(count.n_other_kernels > 0);
    assert_true(count.n_other_shares > 0);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_a_claimed_equal_time_is_equal),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
