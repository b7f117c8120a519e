/* test_parameter_server.c - expected graphs of workers and servers, and refused
 * settings */
#include "tests/workloads/workload_fixture.h"

/* ---- graphs of workers and servers --------------------------------------- */

static OpGraph *build_operation_graph(const char *layers, const char *exchange,
                                      const char *training, uint32_t n_npus,
                                      GError **error)
{
    const WorkloadSite site = { .n_npus = n_npus };
    g_autofree char *text = g_strdup_printf(
        "workload: {kind: data-parallel, name: w, batch: 1, layers: [%s]}\n"
        "training: {compute: measured, gradient: fp32, %sexchange: {kind: "
        "parameter-server, %s}}\n",
        layers, training, exchange);
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("t.yaml", text, strlen(text), error);
    WorkloadRoot root;
    OpGraph *graph = NULL;

    if (doc && config_doc_read(doc, workload_root_fields, &root, error))
        graph = workload_build(&root.workload, &root.training,
                               n_npus > 0 ? &site : NULL, error);
    return graph;
}

#define LAYER(name, weights)                                                   \
    "{kind: measured, name: " name                                             \
    ", forward_time: 1 us, input_gradient_time: "                              \
    "1 us, weight_gradient_time: 1 us, weights: " #weights "}"
#define TWO LAYER("a", 10) ", " LAYER("b", 20)

/* Returns the bits of all roles in the set, which are less than 32. */
static guint bitmask_of_roles(const RoleSet *roles)
{
    guint mask = 0;

    for (uint32_t r = role_set_first(roles); r != ROLE_SET_END;
         r = role_set_next(roles, r))
        mask |= 1U << r;
    return mask;
}

/* Returns the graph as text, which the caller frees.  Example of a line:
 * "reduce b r3 80 B g1.0-0* < 2@0 r1".  It has the roles as a mask, the group
 * with sender and receiver, a * for a star, and each dependency with the roles
 * that wait. */
static char *graph_text(const OpGraph *graph)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        g_string_append_printf(
            text, "%u %s %s r%x", i,
            op->type == OP_COLLECTIVE ? coll_kind_name(op->kind)
                                      : op_pass_names[op->pass],
            (const char *)g_ptr_array_index(graph->layers, op->layer),
            bitmask_of_roles(op->roles));
        if (op->type == OP_COLLECTIVE)
            g_string_append_printf(text, " %u B g%u.%u-%u%s",
                                   (guint)op->payload_bytes, op->group,
                                   op->from, op->to, op->is_star ? "*" : "");
        else if (bitmask_of_roles(op->roles) > 1 && op->pass == OP_UPDATE)
            g_string_append_printf(text, " %u ps",
                                   (guint)op->work->measured_ps);
        for (uint32_t d = 0; d < op->n_deps; d++)
            g_string_append_printf(text, " < %u@%u r%x", op->deps[d].op,
                                   op->deps[d].n_iterations_back,
                                   bitmask_of_roles(op->deps[d].roles));
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}

static void assert_graph_text(const char *exchange, const char *training,
                              uint32_t n_npus, const char *expected)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph =
        build_operation_graph(TWO, exchange, training, n_npus, &error);
    g_autofree char *text = NULL;

    assert_no_error(error);
    text = graph_text(graph);
    assert_string_equal(text, expected);
}

/* Tensor b is larger than a, so it is placed first, on server 0 (role 1, group
 * 1). */
static void test_workers_push_to_servers_and_pull(void **state)
{
    (void)state;
    assert_graph_text("servers: {size: 2, at: 1}, update: 1 GB/s", "", 4,
                      "0 forward a r1 < 10@1 r1\n"
                      "1 forward b r1 < 9@1 r1\n"
                      "2 weight-gradient b r1\n"
                      "3 input-gradient b r1\n"
                      "4 weight-gradient a r1\n"
                      "5 reduce b r3 80 B g1.0-0* < 2@0 r1\n"
                      "6 update b r2 80000 ps < 5@0 r2\n"
                      "7 reduce a r5 40 B g2.0-0* < 4@0 r1\n"
                      "8 update a r4 40000 ps < 7@0 r4\n"
                      "9 broadcast b r3 80 B g1.0-0* < 5@0 r1 < 6@0 r2\n"
                      "10 broadcast a r5 40 B g2.0-0* < 7@0 r1 < 8@0 r4\n");
}

static void test_all_tensors_may_be_pushed_as_one_buffer(void **state)
{
    (void)state;
    assert_graph_text(
        "servers: {list: [2]}, pull: step, push: buffer", "", 3,
        "0 forward a r1 < 6@1 r1\n"
        "1 forward b r1\n"
        "2 weight-gradient b r1\n"
        "3 input-gradient b r1\n"
        "4 weight-gradient a r1\n"
        "5 reduce a..b r3 120 B g1.0-0* < 4@0 r1\n"
        "6 broadcast a..b r3 120 B g1.0-0* < 5@0 r1 < 4@0 r1 < 5@0 "
        "r2\n");
}

/* With `pull: step` a server answers after it has received all its tensors. */
static void test_pulls_may_wait_for_the_step(void **state)
{
    (void)state;
    assert_graph_text(
        "servers: {list: [2]}, pull: step", "synchronise: step, ", 3,
        "0 forward a r1 < 7@1 r1 < 8@1 r1\n"
        "1 forward b r1\n"
        "2 weight-gradient b r1\n"
        "3 input-gradient b r1\n"
        "4 weight-gradient a r1\n"
        "5 reduce b r3 80 B g1.0-0* < 2@0 r1\n"
        "6 reduce a r3 40 B g1.0-0* < 4@0 r1\n"
        "7 broadcast b r3 80 B g1.0-0* < 5@0 r1 < 4@0 r1 < 5@0 r2 < "
        "6@0 r2\n"
        "8 broadcast a r3 40 B g1.0-0* < 6@0 r1 < 4@0 r1 < 5@0 r2 < "
        "6@0 r2\n");
}

/* Two machines have two workers and a server each.  Tensor b is reduced to the
 * first worker of each machine and from there to server 0.  Tensor a is reduced
 * to the second worker and from there to server 1. */
static void test_machines_may_reduce_locally_before_pushing(void **state)
{
    (void)state;
    assert_graph_text("servers: {size: 3, at: 2}, local: reduce", "", 6,
                      "0 forward a r3 < 12@1 r3\n"
                      "1 forward b r3 < 10@1 r3\n"
                      "2 weight-gradient b r3\n"
                      "3 input-gradient b r3\n"
                      "4 weight-gradient a r3\n"
                      "5 reduce b r3 80 B g5.0-0 < 2@0 r3\n"
                      "6 reduce b r5 80 B g1.0-0* < 5@0 r1\n"
                      "7 reduce a r3 40 B g5.1-1 < 4@0 r3\n"
                      "8 reduce a ra 40 B g4.0-0* < 7@0 r2\n"
                      "9 broadcast b r5 80 B g1.0-0* < 6@0 r1 < 6@0 r4\n"
                      "10 broadcast b r3 80 B g5.0-0 < 9@0 r1\n"
                      "11 broadcast a ra 40 B g4.0-0* < 8@0 r2 < 8@0 r8\n"
                      "12 broadcast a r3 40 B g5.1-1 < 11@0 r2\n");
}

/* The server answers a worker's push after it has received the push of the
 * other worker of three iterations before. */
static void
test_asynchronous_workers_advance_up_to_the_staleness_bound(void **state)
{
    (void)state;
    assert_graph_text(
        "servers: {list: [2]}, asynchronous: true, stale: 3", "", 3,
        "0 forward a r3 < 11@1 r1 < 12@1 r2\n"
        "1 forward b r3 < 7@1 r1 < 8@1 r2\n"
        "2 weight-gradient b r3\n"
        "3 input-gradient b r3\n"
        "4 weight-gradient a r3\n"
        "5 message b r5 80 B g1.1-0* < 2@0 r1\n"
        "6 message b r6 80 B g1.2-0* < 2@0 r2\n"
        "7 message b r5 80 B g1.0-1* < 5@0 r1 < 5@0 r4 < 6@3 r4\n"
        "8 message b r6 80 B g1.0-2* < 6@0 r2 < 6@0 r4 < 5@3 r4\n"
        "9 message a r5 40 B g1.1-0* < 4@0 r1\n"
        "10 message a r6 40 B g1.2-0* < 4@0 r2\n"
        "11 message a r5 40 B g1.0-1* < 9@0 r1 < 9@0 r4 < 10@3 r4\n"
        "12 message a r6 40 B g1.0-2* < 10@0 r2 < 10@0 r4 < 9@3 "
        "r4\n");
}

static void test_lanes_are_shared_or_per_worker(void **state)
{
    GError *error = NULL;
    OpGraph *graph =
        build_operation_graph(TWO,
                              "servers: {list: [2]}, at_a_time: 1, order: "
                              "priority",
                              "", 3, &error);

    (void)state;
    assert_no_error(error);
    assert_int_equal(graph->lanes->len, 2);
    assert_int_equal(op_graph_lane(graph, 0)->order, LANE_BY_PRIORITY);
    assert_int_equal(op_graph_op(graph, 5)->lane, 0);
    assert_int_equal(op_graph_op(graph, 7)->lane, 1);
    op_graph_free(graph);
    graph = build_operation_graph(
        TWO, "servers: {list: [2]}, asynchronous: true, credit: 1 kB", "", 3,
        &error);
    assert_no_error(error);
    assert_int_equal(graph->lanes->len, 4);
    assert_int_equal(op_graph_op(graph, 6)->lane, 1);
    assert_int_equal(op_graph_op(graph, 8)->lane, 3);
    op_graph_free(graph);
}

/* ---- refused server settings --------------------------------------------- */

static void assert_workload_refused(const char *exchange, const char *training,
                                    uint32_t n_npus, const char *message)
{
    GError *error = NULL;
    OpGraph *graph =
        build_operation_graph(TWO, exchange, training, n_npus, &error);

    assert_null(graph);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    g_error_free(error);
}

static void test_missing_or_invalid_servers_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        "servers: {}", "", 4,
        "t.yaml:2:91: servers: there is none; give 'size' and 'at', or 'list'");
    assert_workload_refused(
        "servers: {size: 2, list: [1]}", "", 4,
        "t.yaml:2:91: servers: one of 'size' and 'list', not both");
    assert_workload_refused(
        "servers: {size: 2, at: 2}", "", 4,
        "t.yaml:2:91: servers: 'at' must be less than 'size', "
        "because it is counted from 0");
    assert_workload_refused(
        "servers: {size: 3, at: 2}", "", 4,
        "t.yaml:2:91: servers: 3 NPUs do not divide the platform's 4");
    assert_workload_refused(
        "servers: {list: [1, 4]}", "", 4,
        "t.yaml:2:98: there is no NPU 4 on a platform of 4");
    assert_workload_refused("servers: {list: [1, 1]}", "", 4,
                            "t.yaml:2:98: NPU 1 is listed twice");
    assert_workload_refused(
        "servers: {size: 1}", "", 4,
        "t.yaml:2:91: servers: all 4 NPUs of the platform are "
        "servers, and none is a worker");
    assert_workload_refused(
        "servers: {size: 2}", "", 4,
        "t.yaml:2:91: servers: NPU 0 has to be a worker, as reports are of it");
}

static void test_inconsistent_settings_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        "servers: {list: [3]}, stale: 1", "", 4,
        "t.yaml:2:111: stale: all workers go together unless "
        "'asynchronous' is true");
    assert_workload_refused(
        "servers: {list: [3]}, asynchronous: true, local: reduce, machine: 4",
        "", 4,
        "t.yaml:2:118: asynchronous: workers of a machine that "
        "reduce first do not push each for itself; leave 'local' "
        "out");
    assert_workload_refused(
        "servers: {list: [3]}, asynchronous: true, pull: step", "", 4,
        "t.yaml:2:118: asynchronous: a server answers as it "
        "comes; leave 'pull' out");
    assert_workload_refused(
        "servers: {list: [3]}, asynchronous: true, update: 1 GB/s", "", 4,
        "t.yaml:2:118: asynchronous: a server's kernels go in the "
        "order of workers, not as they push; leave 'update' out");
    assert_workload_refused(
        "servers: {list: [3]}, local: reduce", "", 4,
        "t.yaml:2:57: machine: how many NPUs one has is not "
        "known where servers are listed; `local: reduce` needs "
        "it");
    assert_workload_refused(
        "servers: {list: [3]}, local: reduce, machine: 2", "", 4,
        "t.yaml:2:128: machine: 1 workers are in the machine of "
        "NPU 2 and 2 in the first; `local: reduce` needs as many "
        "in all");
    assert_workload_refused("servers: {list: [3]}, local: reduce, machine: 5",
                            "", 4,
                            "t.yaml:2:128: machine: 5 NPUs are more than the "
                            "platform's 4");
    assert_workload_refused("servers: {list: [3]}, update: 1 GB/s",
                            "optimiser: adam, ", 4,
                            "t.yaml:2:129: update: the optimiser's step is the "
                            "workers' already; set 'training.optimiser: none'");
    assert_workload_refused(
        "servers: {list: [3]}, compression: {kind: top-k, density: 0.01}", "",
        4,
        "t.yaml:2:117: compression: servers add whole tensors, "
        "and 'top-k' leaves none");
}

static void test_too_many_servers_and_workers_are_errors(void **state)
{
    (void)state;
    assert_workload_refused(
        "servers: {size: 2, at: 1}", "", 131072,
        "t.yaml:2:91: servers: 65536 are as many roles, and workers "
        "1; there are 65535 at most");
    assert_workload_refused(
        "servers: {size: 2, at: 1}", "", 65536,
        "t.yaml:2:91: servers: 32768 servers with a group of 32768 "
        "workers each are too many");
    assert_workload_refused(
        "servers: {list: [2000]}, asynchronous: true", "", 2001,
        "t.yaml:2:64: kind: 2 tensors or parts of them, for each of "
        "which 2000 workers wait for each other, are too many; set "
        "'stale' to 1000000");
}

/* The server and each of its 100 asynchronous workers have separate roles. */
static void test_there_may_be_more_roles_than_bits_of_a_word(void **state)
{
    GError *error = NULL;
    g_autoptr(OpGraph) graph = build_operation_graph(
        TWO, "servers: {list: [100]}, asynchronous: true", "", 101, &error);
    const RoleSet *server;

    (void)state;
    assert_no_error(error);
    assert_int_equal(graph->roles->len, 101);
    op_graph_check(graph);
    server = role_sets_of_one_role(graph->role_sets, 100);
    for (uint32_t i = 0, worker = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE || op->from == 0) {
            assert_true(op->type == OP_COLLECTIVE ||
                        op->roles == role_sets_first_n(graph->role_sets, 100));
            continue;
        }
        assert_ptr_equal(op->sender_roles,
                         role_sets_of_one_role(graph->role_sets, worker));
        assert_ptr_equal(op->roles,
                         role_sets_add_role(graph->role_sets, server, worker));
        worker = (worker + 1) % 100;
    }
}

static void test_tensors_are_not_cut_into_too_many_pieces(void **state)
{
    GError *error = NULL;
    OpGraph *graph =
        build_operation_graph(LAYER("a", 100000000),
                              "servers: {list: [1]}, placement: partition, "
                              "partition: 4 kB",
                              "", 2, &error);

    (void)state;
    assert_null(graph);
    assert_gerror(
        error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "t.yaml:2:64: kind: 100000 tensors or parts of them need more "
        "than 200000 operations; give a larger 'partition'");
}

/* The list of pieces would take 64 TB, so the number is checked before the list
 * is allocated. */
static void test_the_number_of_pieces_is_checked_before_allocation(void **state)
{
    GError *error = NULL;
    OpGraph *graph =
        build_operation_graph(LAYER("a", 1000000000000),
                              "servers: {list: [1]}, placement: balanced, "
                              "partition: 1 B",
                              "", 2, &error);

    (void)state;
    assert_null(graph);
    assert_gerror(
        error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
        "t.yaml:2:64: kind: 4000000000000 tensors or parts of them need more "
        "than 200000 operations; give a larger 'partition'");
}

static void test_ranks_are_not_checked_without_a_platform(void **state)
{
    GError *error = NULL;
    OpGraph *graph =
        build_operation_graph(TWO, "servers: {size: 5, at: 4}", "", 0, &error);

    (void)state;
    assert_no_error(error);
    op_graph_free(graph);
    graph =
        build_operation_graph(TWO, "servers: {list: [3, 7]}", "", 0, &error);
    assert_no_error(error);
    op_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_push_to_servers_and_pull),
        cmocka_unit_test(test_all_tensors_may_be_pushed_as_one_buffer),
        cmocka_unit_test(test_pulls_may_wait_for_the_step),
        cmocka_unit_test(test_machines_may_reduce_locally_before_pushing),
        cmocka_unit_test(
            test_asynchronous_workers_advance_up_to_the_staleness_bound),
        cmocka_unit_test(test_lanes_are_shared_or_per_worker),
        cmocka_unit_test(test_missing_or_invalid_servers_are_errors),
        cmocka_unit_test(test_inconsistent_settings_are_errors),
        cmocka_unit_test(test_too_many_servers_and_workers_are_errors),
        cmocka_unit_test(test_there_may_be_more_roles_than_bits_of_a_word),
        cmocka_unit_test(test_tensors_are_not_cut_into_too_many_pieces),
        cmocka_unit_test(
            test_the_number_of_pieces_is_checked_before_allocation),
        cmocka_unit_test(test_ranks_are_not_checked_without_a_platform),
    };

    return cmocka_run_group_tests_name("parameter-server", tests, NULL, NULL);
}
