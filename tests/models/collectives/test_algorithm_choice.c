/* test_algorithm_choice.c - Tests of models/collectives/algorithm_choice.h:
 * rows that choose an algorithm by collective, size and number of ranks. */
#include "tests/models/collectives/plan_fixture.h"

static const ConfigField root_fields[] = {
    { .key = "topology", .type = CONFIG_KIND, .registry = &topology_registry },
    { .key = "choices",
      .type = CONFIG_LIST,
      .offset = sizeof(ConfigVariant),
      .max = 10,
      .item = &coll_choice_item,
      .item_size = sizeof(CollChoice) },
    CONFIG_END,
};

typedef struct {
    ConfigVariant topology;
    ConfigList rows;
} Root;

/* Returns the name of the algorithm that the rows choose, or the error message.
 * The caller owns the text. */
static char *choose_algorithm_of_collective(const char *topology,
                                            const char *rows, CollKind kind,
                                            uint32_t size,
                                            uint64_t payload_bytes)
{
    g_autofree char *yaml =
        g_strdup_printf("topology: %s\nchoices:\n%s", topology, rows);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", yaml, strlen(yaml), &error);
    g_autoptr(Topology) built = NULL;
    CollMembers m;
    CollPlan plan;
    Root root;

    if (!doc || !config_doc_read(doc, root_fields, &root, &error))
        fail_msg("%s", error->message);
    built = topology_new(&root.topology, &error);
    m = coll_members_by_stride(topology_n_npus(built), size, 1);
    if (coll_plan_init(
            &plan,
            &(CollRequest){
                .kind = kind, .members = &m, .payload_bytes = payload_bytes },
            &(CollChoices){ .rows = &root.rows, .node = config_doc_root(doc) },
            built, &error))
        return g_strdup(plan.phases[0].algorithm->name);
    {
        char *message = g_strdup(error->message);

        g_error_free(error);
        return message;
    }
}

static void assert_algorithm_chosen(const char *topology, const char *rows,
                                    CollKind kind, uint32_t size,
                                    uint64_t payload_bytes,
                                    const char *expected)
{
    g_autofree char *name = choose_algorithm_of_collective(topology, rows, kind,
                                                           size, payload_bytes);

    assert_string_equal(name, expected);
}

#define EIGHT GROUP("switch", 8)

static void test_the_first_matching_algorithm_row_wins(void **state)
{
    const char *rows =
        "- {collective: all-reduce, most_bytes: 64 KiB, algorithm: "
        "halving-doubling}\n"
        "- {collective: all-reduce, least_ranks: 8, algorithm: ring}\n"
        "- {collective: all-gather, algorithm: direct}\n"
        "- {collective: all-gather, algorithm: ring}\n";

    (void)state;
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 8, 65536,
                            "halving-doubling");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 8, 65537, "ring");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_GATHER, 8, 1, "direct");
}

static void test_auto_chooses_without_a_matching_algorithm_row(void **state)
{
    const char *rows =
        "- {collective: all-reduce, most_ranks: 4, algorithm: ring}\n"
        "- {collective: all-gather, least_bytes: 1 MiB, algorithm: ring}\n";

    (void)state;
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 8, 1,
                            "halving-doubling");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 4, 1, "ring");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_GATHER, 8, 1048575,
                            "halving-doubling");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_GATHER, 8, 1048576, "ring");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_TO_ALL, 8, 1, "direct");
}

static void test_an_algorithm_row_may_choose_auto(void **state)
{
    const char *rows = "- {most_ranks: 2, algorithm: auto}\n"
                       "- {algorithm: ring}\n";

    (void)state;
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 2, 1,
                            "halving-doubling");
    assert_algorithm_chosen(EIGHT, rows, COLL_ALL_REDUCE, 4, 1, "ring");
}

/* A row without a collective is like the short form `algorithm: ring`. An
 * all-to-all stays direct, since it has no ring. */
static void
test_an_algorithm_row_for_any_kind_keeps_all_to_all_direct(void **state)
{
    (void)state;
    assert_algorithm_chosen(EIGHT, "- {algorithm: ring}\n", COLL_ALL_TO_ALL, 8,
                            1, "direct");
}

static void test_an_unsupported_algorithm_is_reported_at_its_row(void **state)
{
    (void)state;
    assert_algorithm_chosen(
        GROUP("switch", 6),
        "- {collective: all-gather, algorithm: ring}\n"
        "- {collective: all-reduce, algorithm: halving-doubling}\n",
        COLL_ALL_REDUCE, 6, 1,
        "t.yaml:4:39: algorithm: 'halving-doubling' has no all-reduce for "
        "6 NPUs on a switch; these have: auto, ring, direct, hierarchical, "
        "recursive-doubling-any, "
        "pat, linear, chain, binomial-tree, binary-tree, "
        "double-binary-tree");
    assert_algorithm_chosen(
        EIGHT, "- {collective: all-to-all, algorithm: ring}\n", COLL_ALL_TO_ALL,
        8, 1,
        "t.yaml:3:39: algorithm: 'ring' has no all-to-all for 8 NPUs on a "
        "switch; these have: auto, direct, bruck");
    assert_algorithm_chosen(
        ADDING(8, ""), "- {algorithm: in-switch}\n", COLL_ALL_REDUCE, 4, 1,
        "t.yaml:3:15: algorithm: 'in-switch' has no all-reduce for 4 NPUs "
        "on a switch; these have: auto, ring, halving-doubling, direct, "
        "recursive-doubling, recursive-doubling-any, "
        "pat, linear, chain, binomial-tree, binary-tree, "
        "double-binary-tree");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_matching_algorithm_row_wins),
        cmocka_unit_test(test_auto_chooses_without_a_matching_algorithm_row),
        cmocka_unit_test(test_an_algorithm_row_may_choose_auto),
        cmocka_unit_test(
            test_an_algorithm_row_for_any_kind_keeps_all_to_all_direct),
        cmocka_unit_test(test_an_unsupported_algorithm_is_reported_at_its_row),
    };

    return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}
