/* test_program.c - tests of workloads/programs/program.c: roles, and the
 * messages and collectives that they share */
#include "tests/test.h"

#include <string.h>

#include "tests/workloads/workload_fixture.h"

static OpGraph *build_operation_graph(const char *workload,
                                      const char *training, GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "workload:\n  kind: program\n  name: p\n%straining: { %s }\n", workload,
        training);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    WorkloadRoot root;

    if (!doc || !config_doc_read(doc, workload_root_fields, &root, error))
        return NULL;
    return workload_build(&root.workload, &root.training, NULL, error);
}

static OpGraph *build_valid_graph(const char *workload)
{
    GError *error = NULL;
    OpGraph *graph = build_operation_graph(workload, "", &error);

    if (!graph)
        fail_msg("%s", error->message);
    return graph;
}

static void append_role_names(GString *text, const OpGraph *graph,
                              const RoleSet *roles)
{
    for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
         r = role_set_next(roles, r))
        g_string_append(text, op_graph_role(graph, r)->name);
}

/*
 * Returns the graph as text, which the caller frees.  Each operation is a line:
 *
 *   2 x FW stage all-reduce 30 B < 1(F) <
 * 0@1(FW) */
static char *graph_text(const OpGraph *graph)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        g_string_append_printf(
            text, "%u %s ", i,
            (const char *)g_ptr_array_index(graph->layers, op->layer));
        append_role_names(text, graph, op->roles);
        if (op->type == OP_COLLECTIVE)
            g_string_append_printf(text, " %s %s %" G_GUINT64_FORMAT " B",
                                   op_graph_group(graph, op->group)->name,
                                   coll_kind_name(op->kind), op->payload_bytes);
        if (op->type == OP_COLLECTIVE && op->kind == COLL_SEND) {
            g_string_append_printf(text, " %u>%u by ", op->from, op->to);
            append_role_names(text, graph, op->sender_roles);
        }
        for (uint32_t d = 0; d < op->n_deps; d++) {
            g_string_append_printf(text, " < %u%s(", op->deps[d].op,
                                   op->deps[d].n_iterations_back ? "@1" : "");
            append_role_names(text, graph, op->deps[d].roles);
            g_string_append_c(text, ')');
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

static void assert_graph_text(const char *workload, const char *expected)
{
    g_autoptr(OpGraph) graph = build_valid_graph(workload);
    g_autofree char *text = graph_text(graph);

    assert_string_equal(text, expected);
}

/* Checks that @workload fails with a message that contains @message.  In
 * positions "workload:" is line 1, and @workload begins in line 4. */
static void assert_workload_refused(const char *workload, const char *message)
{
    GError *error = NULL;

    assert_null(build_operation_graph(workload, "", &error));
    if (!strstr(error->message, message))
        fail_msg("%s", error->message);
    g_error_free(error);
}

#define GROUPS                                                                 \
    "  groups:\n"                                                              \
    "    - {name: stage, size: 2}\n"                                           \
    "    - {name: link, size: 2, stride: 2}\n"
#define ROLE(name, at)                                                         \
    "    - name: " name "\n"                                                   \
    "      ranks: {size: 2, stride: 2, at: " at "}\n"                          \
    "      ops:\n"
#define OP(text)   "        - {" text "}\n"
#define KERNEL     "kind: kernel, flop: 1, "
#define SEND       "kind: send, group: link, from: 0, to: 1, bytes: 8 B, "
#define RECEIVE    "kind: receive, group: link, from: 0, to: 1, bytes: 8 B, "
#define COLLECTIVE "kind: collective, collective: all-reduce, "

static void test_roles_share_messages_and_collectives_by_name(void **state)
{
    (void)state;
    assert_graph_text(
        GROUPS "  roles:\n" ROLE("A", "0") OP(KERNEL "name: k, after: [g@-1]")
            OP(SEND "name: act, after: [k]")
                OP(COLLECTIVE "name: g, bytes: 3 B, after: [act]")
                    ROLE("B", "1") OP(RECEIVE "name: act")
                        OP(KERNEL "name: k, after: [act]")
                            OP(COLLECTIVE "name: g, bytes: 3 B, after: [k]"),
        "0 A.k A < 3@1(A)\n"
        "1 act AB link message 8 B 0>1 by A < 0(A)\n"
        "2 B.k B < 1(B)\n"
        "3 g AB all all-reduce 3 B < 1(A) < 2(B)\n");
}

static void test_after_lists_may_name_later_operations(void **state)
{
    (void)state;
    assert_graph_text("  roles:\n" ROLE("A", "0")
                          OP(COLLECTIVE "name: g, bytes: 3 B, after: [k, k@-1]")
                              OP(KERNEL "name: k"),
                      "0 k A\n"
                      "1 g A all all-reduce 3 B < 0(A) < 0@1(A)\n");
}

static void test_two_roles_share_one_dependency(void **state)
{
    (void)state;
    assert_graph_text(
        "  roles:\n" ROLE("A", "0") OP(COLLECTIVE "name: g, bytes: 1 B")
            OP(COLLECTIVE "name: h, bytes: 1 B, after: [g]") ROLE("B", "1")
                OP(COLLECTIVE "name: g, bytes: 1 B")
                    OP(COLLECTIVE "name: h, bytes: 1 B, after: [g]"),
        "0 g AB all all-reduce 1 B\n"
        "1 h AB all all-reduce 1 B < 0(AB)\n");
}

static void test_groups_and_roles_keep_their_ranks(void **state)
{
    g_autoptr(OpGraph) graph = build_valid_graph(
        "  groups:\n"
        "    - {name: d, dims: [0, 2]}\n"
        "    - {name: s, size: 3, stride: 4}\n"
        "    - {name: l, ranks: [[0, 3], [1, 2]]}\n"
        "  roles:\n"
        "    - {name: A, ranks: {dim: 1, at: 2, last: 3}, ops: [{kind: kernel, "
        "name: k, flop: 1}]}\n"
        "    - {name: B, ranks: {size: 4, stride: 2, at: 1}, ops: [{kind: "
        "kernel, name: k, flop: 1}]}\n"
        "    - {name: C, ranks: {list: [7, 5]}, ops: [{kind: kernel, name: k, "
        "flop: 1}]}\n"
        "    - {name: D, ops: [{kind: kernel, name: k, flop: 1}]}\n");
    const OpGroup *groups = op_graph_group(graph, 0);
    const OpRole *roles = op_graph_role(graph, 0);

    (void)state;
    assert_int_equal(graph->groups->len, 4);
    assert_int_equal(groups[1].grouped_by, GROUP_DIMS);
    assert_int_equal(groups[1].dims_mask, 5);
    assert_int_equal(groups[2].grouped_by, GROUP_STRIDE);
    assert_int_equal(groups[2].size, 3);
    assert_int_equal(groups[2].stride, 4);
    assert_int_equal(groups[3].grouped_by, GROUP_LISTS);
    assert_int_equal(groups[3].n_lists, 2);
    assert_int_equal(groups[3].ids[1], 3);
    assert_int_equal(groups[3].ids[3], 2);
    assert_int_equal(graph->roles->len, 4);
    assert_int_equal(roles[0].ranks_by, RANKS_DIM);
    assert_int_equal(roles[0].dim, 1);
    assert_int_equal(roles[0].first, 2);
    assert_int_equal(roles[0].last, 3);
    assert_int_equal(roles[1].ranks_by, RANKS_STRIDE);
    assert_int_equal(roles[1].remainder, 1);
    assert_int_equal(roles[2].ranks_by, RANKS_LIST);
    assert_int_equal(roles[2].ids[0], 7);
    assert_int_equal(roles[3].ranks_by, RANKS_ALL);
}

static void test_kernels_have_bytes_streams_and_passes(void **state)
{
    g_autoptr(OpGraph) graph = build_valid_graph("  roles:\n" ROLE("A", "0") OP(
        "kind: kernel, name: k, flop: 5, read: 3 B, write: 4 B, "
        "stream: side, pass: update"));
    const Op *op = op_graph_op(graph, 0);

    (void)state;
    assert_int_equal(op->work->flop, 5);
    assert_int_equal(op->work->bytes, 7);
    assert_int_equal(op->work->written_bytes, 4);
    assert_int_equal(op->stream, OP_STREAM_SIDE);
    assert_int_equal(op->pass, OP_UPDATE);
}

static void test_a_kernel_with_a_time_only_needs_compute_measured(void **state)
{
    const char *workload =
        "  roles:\n" ROLE("A", "0") OP("kind: kernel, name: k, time: 2 us");
    GError *error = NULL;
    g_autoptr(OpGraph) graph =
        build_operation_graph(workload, "compute: measured", &error);

    (void)state;
    assert_null(error);
    assert_int_equal(op_graph_op(graph, 0)->work->measured_ps, 2000000);
    assert_workload_refused(
        workload, "t.yaml:8:32: name: kernel 'k' has a measured time but no "
                  "shape");
}

static void test_unknown_program_names_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        "  roles:\n" ROLE("A", "0") OP(KERNEL "name: forward")
            OP(KERNEL "name: b, after: [forwart]"),
        "t.yaml:9:51: after: there is no operation 'forwart' in role 'A'; "
        "did you mean 'forward'?");
    assert_workload_refused("  roles:\n" ROLE("A", "0") OP(KERNEL "name: k")
                                ROLE("B", "1")
                                    OP(KERNEL "name: b, after: [k@-1]"),
                            "after: there is no operation 'k' in role 'B'");
    assert_workload_refused(
        "  roles:\n" ROLE("A", "0")
            OP(COLLECTIVE "name: c, bytes: 1 B, group: al"),
        "group: there is no group 'al'; did you mean 'all'?");
    assert_workload_refused("  roles:\n" ROLE("A", "0") OP(KERNEL "name: k")
                                OP(KERNEL "name: k"),
                            "name: there are two operations 'k' in role 'A'");
    assert_workload_refused("  roles:\n" ROLE("A", "0") OP(KERNEL "name: k")
                                ROLE("A", "1") OP(KERNEL "name: k"),
                            "t.yaml:9:13: name: there are two roles 'A'");
}

static void test_cycles_within_an_iteration_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        "  roles:\n" ROLE("A", "0") OP(KERNEL "name: a, after: [b]")
            OP(KERNEL "name: b"),
        "t.yaml:8:51: after: it waits for itself within an iteration: 'a', "
        "which waits for 'b', which waits for 'a'");
    /* Each role sends only after it has received the message of the other
     * role. */
    assert_workload_refused(
        GROUPS "  roles:\n" ROLE("A", "0") OP(SEND "name: x, after: [y]")
            OP("kind: receive, group: link, from: 1, to: 0, bytes: 8 B, "
               "name: y") ROLE("B", "1") OP(RECEIVE "name: x")
                OP("kind: send, group: link, from: 1, to: 0, bytes: 8 B, "
                   "name: y, after: [x]"),
        "'x', which waits for 'y', which waits for 'x'");
}

static void test_shared_operations_must_agree(void **state)
{
    static const char *const others[][2] = {
        { RECEIVE "name: x", "kind: 'x' is another in role 'A'" },
        { COLLECTIVE "name: x, bytes: 2 B", "bytes: 'x' is another" },
        { "kind: collective, collective: all-gather, name: x, bytes: 1 B",
          "collective: 'x' is another" },
        { COLLECTIVE "name: x, bytes: 1 B, group: stage",
          "group: 'x' is another" },
        { COLLECTIVE "name: x, bytes: 1 B, priority: 1",
          "priority: 'x' is another" },
        { COLLECTIVE "name: x, bytes: 1 B, pass: update",
          "pass: 'x' is another" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autofree char *text =
            g_strdup_printf(GROUPS "  roles:\n" ROLE("A", "0")
                                OP(COLLECTIVE "name: x, bytes: 1 B")
                                    ROLE("B", "1") "        - {%s}\n",
                            others[i][0]);

        assert_workload_refused(text, others[i][1]);
    }
}

static void test_messages_need_a_sender_and_a_receiver(void **state)
{
    (void)state;
    assert_workload_refused(GROUPS "  roles:\n" ROLE("A", "0")
                                OP(SEND "name: x"),
                            "name: no role receives 'x'");
    assert_workload_refused(GROUPS "  roles:\n" ROLE("A", "0")
                                OP(RECEIVE "name: x"),
                            "name: no role sends 'x'");
    assert_workload_refused(
        GROUPS "  roles:\n" ROLE("A", "0") OP(SEND "name: x") ROLE("B", "1")
            OP("kind: receive, group: link, from: 0, to: 2, bytes: 8 "
               "B, name: x"),
        "to: 'x' is another in role 'A'");
    assert_workload_refused(
        GROUPS "  roles:\n" ROLE("A", "0")
            OP("kind: send, group: link, from: 1, to: 1, bytes: 8 B, name: "
               "x"),
        "to: a message goes to another rank");
}

static void test_groups_and_ranks_accept_one_form_only(void **state)
{
#define ONE "  roles:\n" ROLE("A", "0") OP(KERNEL "name: k")
    (void)state;
    assert_workload_refused("  groups: [{name: g}]\n" ONE,
                            "t.yaml:4:19: name: group 'g' needs "
                            "one of 'dims', 'size' and 'ranks'");
    assert_workload_refused("  groups: [{name: g, dims: [1], size: 2}]\n" ONE,
                            "not several");
    assert_workload_refused("  groups: [{name: all, size: 2}]\n" ONE,
                            "name: 'all' is the group of all NPUs");
    assert_workload_refused(
        "  groups: [{name: g, size: 2}, {name: g, size: 4}]\n" ONE,
        "name: there are two groups 'g'");
    assert_workload_refused(
        "  groups: [{name: g, ranks: [[0, 1], [2]]}]\n" ONE,
        "t.yaml:4:38: 1 NPUs in a group of 'g', and 2 in its first");
    assert_workload_refused(
        "  roles: [{name: A, ranks: {dim: 1, size: 2}, ops: [{kind: kernel, "
        "name: k, flop: 1}]}]\n",
        "ranks: one of 'dim', 'size' and 'list', not several");
    assert_workload_refused(
        "  roles: [{name: A, ranks: {size: 2, at: 2}, ops: [{kind: kernel, "
        "name: k, flop: 1}]}]\n",
        "ranks: 'at' must be less than 'size'");
    assert_workload_refused(
        "  roles: [{name: A, ranks: {dim: 0, at: 2, last: 1}, ops: [{kind: "
        "kernel, name: k, flop: 1}]}]\n",
        "ranks: 'last' is not before 'at'");
}

static void test_a_kernel_without_work_is_an_error(void **state)
{
    (void)state;
    assert_workload_refused("  roles:\n" ROLE("A", "0")
                                OP("kind: kernel, name: k"),
                            "t.yaml:8:32: name: kernel 'k' does nothing");
}

static void test_an_operation_may_have_many_dependencies(void **state)
{
    enum { MANY = 100 };
    g_autoptr(GString) text = g_string_new("  roles:\n" ROLE("A", "0"));
    g_autoptr(OpGraph) graph = NULL;
    const Op *last;

    (void)state;
    for (guint i = 0; i < MANY; i++)
        g_string_append_printf(text, OP(KERNEL "name: k%u"), i);
    g_string_append(text, "        - {" KERNEL "name: last, after: [");
    for (guint i = 0; i < MANY; i++)
        g_string_append_printf(text, "k%u, ", i);
    g_string_append(text, "]}\n");
    graph = build_valid_graph(text->str);
    last = op_graph_op(graph, MANY);
    assert_int_equal(last->n_deps, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(last->deps[i].op, i);
}

static void test_long_chains_are_sorted_without_recursion(void **state)
{
    g_autoptr(GString) text = g_string_new("  roles:\n" ROLE("A", "0"));
    g_autoptr(OpGraph) graph = NULL;

    (void)state;
    for (guint i = 0; i < 5000; i++)
        g_string_append_printf(
            text, OP(COLLECTIVE "name: c%u, bytes: 1 B, after: [c%u%s]"), i,
            (i + 1) % 5000, i == 4999 ? "@-1" : "");
    graph = build_valid_graph(text->str);
    assert_int_equal(graph->ops->len, 5000);
    assert_string_equal(g_ptr_array_index(graph->layers, 0), "c4999");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles_share_messages_and_collectives_by_name),
        cmocka_unit_test(test_after_lists_may_name_later_operations),
        cmocka_unit_test(test_two_roles_share_one_dependency),
        cmocka_unit_test(test_groups_and_roles_keep_their_ranks),
        cmocka_unit_test(test_kernels_have_bytes_streams_and_passes),
        cmocka_unit_test(test_a_kernel_with_a_time_only_needs_compute_measured),
        cmocka_unit_test(test_unknown_program_names_are_errors),
        cmocka_unit_test(test_cycles_within_an_iteration_are_errors),
        cmocka_unit_test(test_shared_operations_must_agree),
        cmocka_unit_test(test_messages_need_a_sender_and_a_receiver),
        cmocka_unit_test(test_groups_and_ranks_accept_one_form_only),
        cmocka_unit_test(test_a_kernel_without_work_is_an_error),
        cmocka_unit_test(test_an_operation_may_have_many_dependencies),
        cmocka_unit_test(test_long_chains_are_sorted_without_recursion),
    };

    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
