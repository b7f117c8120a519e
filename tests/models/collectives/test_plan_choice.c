/* test_plan_choice.c - Tests of models/collectives/collective_plan.c: the
 * choice of an algorithm. */
#include "tests/network/topology_fixture.h"

#include "tests/models/collectives/plan_of_all_npus.h"

/* A switch that adds, with 50 GB/s per NPU. Without it, an all-reduce sends 2
 * (n-1)/n payloads. */
#define ADDING(npus, what)                                                     \
    "{kind: switch, npus: " #npus ", links: 2, bandwidth: 25 GB/s, latency: "  \
    "10 ns, reduces: true" what "}"
#define PLAIN                                                                  \
    "{kind: switch, npus: 8, links: 2, bandwidth: 25 GB/s, latency: 10 ns}"

static CollPlan plan_on_platform(const char *text, CollKind kind, int algorithm)
{
    g_autoptr(Topology) topology = topology_from_valid_yaml(text);
    GError *error = NULL;
    CollPlan plan;

    if (!plan_on_topology(&plan, topology, kind, algorithm, NULL, &error))
        fail_msg("%s", error->message);
    return plan;
}

static const char *algorithm_chosen_by_auto(const char *text, CollKind kind)
{
    CollPlan plan = plan_on_platform(text, kind, COLL_AUTO);

    assert_int_equal(plan.n_phases, 1);
    return plan.phases[0].algorithm->name;
}

/* The choice `auto` uses the switch if this needs fewer bytes per link, and if
 * the switch adds at more than n / (2 (n-1)) of the links' rate. */
static void test_auto_chooses_in_switch_all_reduce(void **state)
{
    (void)state;
    assert_string_equal(
        algorithm_chosen_by_auto(ADDING(8, ""), COLL_ALL_REDUCE), "in-switch");
    assert_string_equal(
        algorithm_chosen_by_auto(ADDING(6, ""), COLL_ALL_REDUCE), "in-switch");
    assert_string_equal(
        algorithm_chosen_by_auto(ADDING(2, ""), COLL_ALL_REDUCE), "in-switch");
    assert_string_equal(
        algorithm_chosen_by_auto(ADDING(8, ", reduce_rate: 28.6 GB/s"),
                                 COLL_ALL_REDUCE),
        "in-switch");
    assert_string_equal(
        algorithm_chosen_by_auto(ADDING(8, ", reduce_rate: 28.5 GB/s"),
                                 COLL_ALL_REDUCE),
        "halving-doubling");
    assert_string_equal(algorithm_chosen_by_auto(PLAIN, COLL_ALL_REDUCE),
                        "halving-doubling");
}

static void test_auto_uses_in_switch_sums_only_for_all_reduce(void **state)
{
    int in_switch = 0;

    (void)state;
    while (!g_str_equal(coll_algorithm_names[in_switch], "in-switch"))
        in_switch++;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        CollPlan plan = plan_on_platform(ADDING(8, ""), kind, in_switch);

        assert_int_equal(plan.via_switch,
                         coll_kind_has_halves(coll_contract(kind)->done_as));
        if (kind == COLL_ALL_REDUCE)
            continue;
        assert_string_equal(algorithm_chosen_by_auto(ADDING(8, ""), kind),
                            algorithm_chosen_by_auto(PLAIN, kind));
    }
}

/* If the switch adds, the endpoint need not be able to. */
static void test_a_plan_knows_whether_ranks_reduce(void **state)
{
    (void)state;
    for (CollKind kind = 0; kind < COLL_N_KINDS; kind++) {
        gboolean sums = coll_contract(kind)->adds;
        CollPlan plan = plan_on_platform(PLAIN, kind, COLL_AUTO);

        assert_int_equal(plan.reduces, sums);
        assert_false(plan.via_switch);
        plan = plan_on_platform(ADDING(8, ""), kind, COLL_AUTO);
        assert_int_equal(plan.reduces, sums && kind != COLL_ALL_REDUCE);
    }
}

/* Asserts an error at the topology of "t.yaml". */
static void assert_plan_refused(const char *text, const char *algorithm,
                                CollKind kind, const char *message)
{
    g_autofree char *yaml = g_strdup_printf("topology: %s\n", text);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", yaml, strlen(yaml), &error);
    g_autoptr(Topology) topology = NULL;
    ConfigVariant config;
    CollPlan plan;
    int a = 0;

    assert_no_error(error);
    assert_true(config_doc_read(doc, topology_fixture_fields, &config, &error));
    topology = topology_new(&config, &error);
    assert_non_null(topology);
    while (!g_str_equal(coll_algorithm_names[a], algorithm))
        a++;
    assert_false(
        plan_on_topology(&plan, topology, kind, a, config.node, &error));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT, message);
}

#define LINK "links: 2, bandwidth: 25 GB/s, latency: 10 ns"

static void test_an_algorithm_that_does_not_fit_is_an_error(void **state)
{
    (void)state;
    assert_plan_refused(
        "{ kind: switch, npus: 6, " LINK " }", "halving-doubling",
        COLL_ALL_REDUCE,
        "t.yaml:1:11: algorithm: 'halving-doubling' has no all-reduce "
        "for 6 NPUs on a switch; these have: auto, ring, direct, hierarchical, "
        "recursive-doubling-any, "
        "pat, linear, chain, binomial-tree, binary-tree, "
        "double-binary-tree");
    assert_plan_refused(
        "{ kind: switch, npus: 6, " LINK " }", "in-switch", COLL_ALL_REDUCE,
        "t.yaml:1:11: algorithm: 'in-switch' has no all-reduce for 6 "
        "NPUs on a switch; these have: auto, ring, direct, hierarchical, "
        "recursive-doubling-any, "
        "pat, linear, chain, binomial-tree, binary-tree, "
        "double-binary-tree");
    assert_plan_refused(
        "{ kind: torus, dims: [{ size: 4, " LINK " }, { size: 2, " LINK " }] }",
        "halving-doubling", COLL_ALL_GATHER,
        "t.yaml:1:11: algorithm: 'halving-doubling' has no all-gather "
        "for 8 NPUs on a torus; these have: auto, ring, direct, hierarchical, "
        "bruck, pat");
}

static int algorithm_by_name(const char *name)
{
    int a = 0;

    while (!g_str_equal(coll_algorithm_names[a], name))
        a++;
    return a;
}

static const char *first_algorithm(CollKind kind, const char *named)
{
    CollPlan plan = plan_on_platform(PLAIN, kind, algorithm_by_name(named));

    return plan.phases[0].algorithm->name;
}

/* An algorithm that never supports a kind leaves the kind to `auto`. */
static void test_kinds_follow_the_named_algorithm_or_auto(void **state)
{
    (void)state;
    assert_string_equal(first_algorithm(COLL_ALL_TO_ALL, "bruck"), "bruck");
    assert_string_equal(first_algorithm(COLL_ALL_TO_ALL, "ring"), "direct");
    assert_string_equal(first_algorithm(COLL_ALL_TO_ALL, "auto"), "direct");
    assert_string_equal(first_algorithm(COLL_BARRIER, "auto"), "bruck");
    assert_string_equal(first_algorithm(COLL_SHIFT, "ring"), "shift");
    assert_string_equal(first_algorithm(COLL_GATHER, "auto"), "linear");
    assert_string_equal(first_algorithm(COLL_SCATTER, "ring"), "linear");
    assert_string_equal(first_algorithm(COLL_BROADCAST, "auto"),
                        "double-binary-tree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_chooses_in_switch_all_reduce),
        cmocka_unit_test(test_auto_uses_in_switch_sums_only_for_all_reduce),
        cmocka_unit_test(test_a_plan_knows_whether_ranks_reduce),
        cmocka_unit_test(test_kinds_follow_the_named_algorithm_or_auto),
        cmocka_unit_test(test_an_algorithm_that_does_not_fit_is_an_error),
    };

    return cmocka_run_group_tests_name("plan-choice", tests, NULL, NULL);
}
