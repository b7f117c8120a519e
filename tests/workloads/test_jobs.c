/* test_jobs.c - tests of workloads/loops/jobs.c and jobs/: several workloads in
 * one graph */
#include "tests/workloads/loops_fixture.h"

#include "workloads/jobs/jobs.h"

#define REDUCE(bytes)                                                          \
    "{kind: collective, name: r, collective: all-reduce, payload: " bytes " B}"
#define JOBS(...) "workload: {kind: jobs, name: j, jobs: [" __VA_ARGS__ "]}\n"

static OpGraph *build_graph_for_npus(const char *workload, uint32_t n_npus)
{
    const WorkloadSite site = { .n_npus = n_npus };
    GError *error = NULL;
    OpGraph *graph = build_graph_on_site(workload, "", &site, &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

static void assert_rank_ids(const uint32_t *ids, uint32_t n,
                            const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < n; i++)
        g_string_append_printf(text, i > 0 ? " %u" : "%u", ids[i]);
    assert_string_equal(text->str, expected);
}

static void assert_role_ranks(const OpGraph *graph, uint32_t i,
                              const char *name, const char *ids)
{
    const OpRole *role = op_graph_role(graph, i);

    assert_string_equal(role->name, name);
    assert_int_equal(role->ranks_by, RANKS_LIST);
    assert_rank_ids(role->ids, role->n_ids, ids);
}

/* Checks that the set has the roles @first to @last only. */
static void assert_roles(const RoleSet *roles, uint32_t first, uint32_t last)
{
    assert_int_equal(role_set_n_roles(roles), last - first + 1);
    assert_int_equal(role_set_first(roles), first);
    assert_int_equal(role_set_index_of_role(roles, last), last - first);
}

static void assert_group_ranks(const OpGraph *graph, const Op *op,
                               const char *name, const char *ids)
{
    const OpGroup *group = op_graph_group(graph, op->group);

    assert_string_equal(group->name, name);
    assert_int_equal(group->grouped_by, GROUP_LISTS);
    assert_rank_ids(group->ids, group->size * group->n_lists, ids);
}

static void test_each_job_has_its_own_operations_roles_and_group(void **state)
{
    g_autoptr(OpGraph) graph = build_graph_for_npus(
        JOBS("{name: a, ranks: {size: 2, at: 1}, workload: " REDUCE(
            "70") "}, {name: b, ranks: {list: [4, 0]}, start: 3 "
                  "us, workload: " REDUCE("90") "}"),
        6);
    g_autofree char *text = graph_text(graph);

    (void)state;
    assert_string_equal(text, "0 a.all-reduce all-reduce 70 B p1\n"
                              "1 b.all-reduce all-reduce 90 B p1\n");
    assert_int_equal(graph->roles->len, 3);
    assert_role_ranks(graph, 0, "a", "1 3 5");
    assert_role_ranks(graph, 1, "b", "0 4");
    assert_role_ranks(graph, 2, "idle", "2");
    assert_true(op_graph_role(graph, 2)->serves);
    assert_roles(op_graph_op(graph, 0)->roles, 0, 0);
    assert_roles(op_graph_op(graph, 1)->roles, 1, 1);
    assert_group_ranks(graph, op_graph_op(graph, 0), "a.all", "1 3 5");
    assert_group_ranks(graph, op_graph_op(graph, 1), "b.all", "0 4");
    assert_int_equal(graph->jobs->len, 2);
    assert_int_equal(op_graph_start_ps(graph, 0), 0);
    assert_int_equal(op_graph_start_ps(graph, 1), 3000000);
    assert_int_equal(op_graph_start_ps(graph, 2), 0);
}

/* A program with two roles of one NPU each, a lane, a kernel and a message with
 * dependencies. */
#define PROGRAM                                                                \
    "{kind: program, name: p, lanes: [{name: l}], "                            \
    "groups: [{name: pair, size: 2}], roles: ["                                \
    "{name: x, ranks: {size: 2, at: 0}, ops: ["                                \
    "{kind: kernel, name: k, flop: 5, after: [m@-1]}, "                        \
    "{kind: send, name: m, group: pair, from: 0, to: 1, bytes: 8 B, "          \
    "lane: l, after: [k]}]}, "                                                 \
    "{name: y, ranks: {list: [1, 3]}, ops: ["                                  \
    "{kind: receive, name: m, group: pair, from: 0, to: 1, bytes: 8 B, "       \
    "lane: l}]}]}"

static void test_a_program_keeps_its_roles_lanes_and_dependencies(void **state)
{
    g_autoptr(OpGraph) graph = build_graph_for_npus(
        JOBS("{name: a, ranks: {list: [0, 1]}, workload: " REDUCE(
            "70") "}, {name: b, ranks: {list: [2, 5, 6, 7]}, "
                  "workload: " PROGRAM "}"),
        8);
    const Op *send = op_graph_op(graph, 2);

    (void)state;
    assert_int_equal(graph->ops->len, 3);
    assert_role_ranks(graph, 1, "b.x", "2 6");
    assert_role_ranks(graph, 2, "b.y", "5 7");
    assert_role_ranks(graph, 3, "idle", "3 4");
    assert_roles(op_graph_op(graph, 1)->roles, 1, 1);
    assert_int_equal(op_graph_op(graph, 1)->n_deps, 1);
    assert_int_equal(op_graph_op(graph, 1)->deps[0].op, 2);
    assert_int_equal(op_graph_op(graph, 1)->deps[0].n_iterations_back, 1);
    assert_roles(op_graph_op(graph, 1)->deps[0].roles, 1, 1);
    assert_roles(send->roles, 1, 2);
    assert_roles(send->sender_roles, 1, 1);
    assert_int_equal(send->deps[0].op, 1);
    assert_group_ranks(graph, send, "b.pair", "2 5 6 7");
    assert_string_equal(op_graph_lane(graph, send->lane)->name, "b.l");
    assert_roles(op_graph_job(graph, 1)->roles, 1, 2);
}

static void test_jobs_not_named_by_only_leave_their_npus_idle(void **state)
{
    g_autoptr(OpGraph) graph = build_graph_for_npus(
        "workload: {kind: jobs, name: j, only: [b], jobs: ["
        "{name: a, ranks: {size: 2, at: 0}, workload: " REDUCE(
            "70") "}, "
                  "{name: b, ranks: {size: 2, at: 1}, workload: " REDUCE(
                      "90") "}]}\n",
        4);

    (void)state;
    assert_int_equal(graph->ops->len, 1);
    assert_int_equal(graph->jobs->len, 1);
    assert_role_ranks(graph, 0, "b", "1 3");
    assert_role_ranks(graph, 1, "idle", "0 2");
}

static void test_one_job_on_all_npus_equals_its_workload(void **state)
{
    g_autoptr(OpGraph) graph =
        build_graph_for_npus(JOBS("{name: a, workload: " REDUCE("70") "}"), 4);

    (void)state;
    assert_int_equal(graph->roles->len, 1);
    assert_int_equal(op_graph_role(graph, 0)->ranks_by, RANKS_ALL);
    assert_int_equal(op_graph_op(graph, 0)->group, OP_GROUP_ALL);
}

static void assert_workload_refused(const char *workload, uint32_t n_npus,
                                    const char *message)
{
    const WorkloadSite site = { .n_npus = n_npus };
    g_autoptr(GError) error = NULL;

    assert_null(build_graph_on_site(workload, "", &site, &error));
    assert_string_equal(error->message, message);
}

#define ON(name, ranks)                                                        \
    "\n  {name: " name ", ranks: " ranks ", workload: " REDUCE("70") "}"

static void test_invalid_ranks_are_errors_with_their_position(void **state)
{
    (void)state;
    assert_workload_refused(
        JOBS(ON("a", "{list: [0, 1]}") "," ON("b", "{list: [1]}")), 4,
        "t.yaml:3:20: ranks: NPU 1 is of job 'a' already");
    assert_workload_refused(
        JOBS(ON("a", "{list: [0, 4]}")), 4,
        "t.yaml:2:20: ranks: there is no NPU 4 on a platform of 4");
    assert_workload_refused(JOBS(ON("a", "{list: [2, 2]}")), 4,
                            "t.yaml:2:20: ranks: NPU 2 is listed twice");
    assert_workload_refused(
        JOBS(ON("a", "{size: 3}")), 4,
        "t.yaml:2:20: ranks: 3 NPUs at a stride of 1 do not divide "
        "the platform's 4");
    assert_workload_refused(
        JOBS(ON("a", "{size: 2, at: 2}")), 4,
        "t.yaml:2:20: ranks: 'at' must be less than 'size', "
        "because it is counted from 0");
    assert_workload_refused(
        JOBS(ON("a", "{size: 2, list: [1]}")), 4,
        "t.yaml:2:20: ranks: one of 'size' and 'list', not both");
}

static void test_names_and_kinds_are_checked(void **state)
{
    (void)state;
    assert_workload_refused(
        JOBS(ON("a", "{list: [0]}") "," ON("a", "{list: [1]}")), 4,
        "t.yaml:3:10: name: there are two jobs 'a'");
    assert_workload_refused(
        "workload: {kind: jobs, name: j, only: [c], jobs: [" ON("a",
                                                                "{}") "]}\n",
        4, "t.yaml:1:39: only: there is no job 'c'");
    assert_workload_refused(
        JOBS("\n  {name: a, workload: {kind: jobs, name: k, jobs: "
             "[" ON("b", "{}") "]}}"),
        4,
        "t.yaml:2:30: kind: a job is one workload, and not several "
        "jobs");
}

static void test_the_number_of_jobs_is_limited(void **state)
{
    g_autoptr(GString) text = g_string_new("workload: {kind: jobs, name: j, "
                                           "jobs: [");
    g_autoptr(OpGraph) graph = NULL;
    g_autofree char *all = NULL;

    (void)state;
    for (int i = 0; i < OP_MAX_JOBS; i++)
        g_string_append_printf(text, ON("a%d", "{list: [%d]}") "%s", i, i,
                               i + 1 < OP_MAX_JOBS ? "," : "");
    all = g_strconcat(text->str, "]}\n", NULL);
    graph = build_graph_for_npus(all, 65);
    assert_int_equal(graph->roles->len, OP_MAX_JOBS + 1);
    assert_role_ranks(graph, OP_MAX_JOBS, "idle", "64");
    g_string_append(text, "," ON("a64", "{list: [64]}") "]}\n");
    assert_workload_refused(
        text->str, 65, "t.yaml:1:39: jobs: expected 1 to 64 items, got 65");
}

static void test_the_number_of_roles_is_limited(void **state)
{
    g_autoptr(OpGraph) graph = op_graph_new();
    g_autoptr(ConfigDoc) doc = config_doc_parse("t.yaml", "a: 1", 4, NULL);
    const uint32_t npu = 0;
    GError *error = NULL;

    (void)state;
    for (uint32_t i = 0; i < OP_MAX_ROLES; i++)
        op_graph_add_role(graph, &(OpRole){ .name = "r" });
    assert_false(
        jobs_add_idle_role(graph, &npu, 1, config_doc_root(doc), &error));
    assert_gerror(
        error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "t.yaml:1:1: ranks: 65535 roles before this job and 1 more are too many; "
        "there may be 65535 in all, one of them of NPUs that have "
        "nothing to do");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_job_has_its_own_operations_roles_and_group),
        cmocka_unit_test(test_a_program_keeps_its_roles_lanes_and_dependencies),
        cmocka_unit_test(test_jobs_not_named_by_only_leave_their_npus_idle),
        cmocka_unit_test(test_one_job_on_all_npus_equals_its_workload),
        cmocka_unit_test(test_invalid_ranks_are_errors_with_their_position),
        cmocka_unit_test(test_names_and_kinds_are_checked),
        cmocka_unit_test(test_the_number_of_jobs_is_limited),
        cmocka_unit_test(test_the_number_of_roles_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
