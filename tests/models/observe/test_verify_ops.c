/* Tests of models/observe/verify_ops.c: operations out of order, or with too
 * few data, are found. */
#include "tests/test.h"

#include "models/observe/verify_ops.h"

enum { KERNEL, REDUCE, NEXT, N_OPS };

#define N_NPUS  2
#define PAYLOAD 1000

typedef struct {
    OpGraph *graph;
    VerifyOps *ops;
} Fixture;

/* A kernel, the all-reduce of its gradient, and a kernel that waits for the
 * all-reduce of the previous iteration. */
static int setup(void **state)
{
    const OpWork work = { .flop = 1 };
    Fixture *f = g_new0(Fixture, 1);

    f->graph = op_graph_new();
    (void)op_graph_add_layer(f->graph, "fc");
    (void)op_graph_add_compute(f->graph, 0, OP_WEIGHT_GRADIENT, OP_STREAM_MAIN,
                               &work);
    (void)op_graph_add_collective(f->graph, 0, OP_WEIGHT_GRADIENT,
                                  COLL_ALL_REDUCE, PAYLOAD, 0);
    (void)op_graph_add_compute(f->graph, 0, OP_FORWARD, OP_STREAM_MAIN, &work);
    op_graph_add_dep(f->graph, REDUCE, KERNEL, 0);
    op_graph_add_dep(f->graph, NEXT, REDUCE, 1);
    f->ops = verify_ops_new(f->graph, N_NPUS);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    Fixture *f = *state;

    verify_ops_free(f->ops);
    op_graph_free(f->graph);
    g_free(f);
    return 0;
}

/* Checks that @error is @expected and frees it. */
static void assert_says(char *error, const char *expected)
{
    if (expected && error)
        assert_string_equal(error, expected);
    else
        assert_ptr_equal(error, expected);
    g_free(error);
}

/* Does all operations of @iteration on NPU @npu. */
static void do_all(Fixture *f, uint32_t npu, uint64_t iteration)
{
    for (uint32_t op = 0; op < N_OPS; op++) {
        assert_says(verify_ops_begin(f->ops, npu, op, iteration), NULL);
        if (op == REDUCE)
            assert_says(verify_ops_carried(f->ops, npu, op, iteration, PAYLOAD),
                        NULL);
        assert_says(verify_ops_end(f->ops, npu, op), NULL);
    }
}

static void test_operations_in_the_order_of_the_workload_pass(void **state)
{
    Fixture *f = *state;

    for (uint64_t i = 0; i < 3; i++)
        for (uint32_t npu = 0; npu < N_NPUS; npu++)
            do_all(f, npu, i);
    assert_says(verify_ops_close(f->ops, 3), NULL);
}

static void
test_an_operation_must_not_begin_before_its_dependencies_end(void **state)
{
    Fixture *f = *state;

    assert_says(verify_ops_begin(f->ops, 1, REDUCE, 0),
                "NPU 1, all-reduce of fc (weight-gradient), iteration 0: "
                "begins before kernel of fc (weight-gradient) has ended");
    assert_says(verify_ops_begin(f->ops, 1, NEXT, 0), NULL);
    assert_says(verify_ops_end(f->ops, 1, NEXT), NULL);
    assert_says(verify_ops_begin(f->ops, 1, NEXT, 1),
                "NPU 1, kernel of fc (forward), iteration 1: begins before "
                "all-reduce of fc (weight-gradient) has ended");
}

static void
test_an_operation_must_not_begin_before_its_last_instance_ended(void **state)
{
    Fixture *f = *state;

    assert_says(verify_ops_begin(f->ops, 0, KERNEL, 1),
                "NPU 0, kernel of fc (weight-gradient), iteration 1: begins "
                "when 0 have ended");
    assert_says(verify_ops_carried(f->ops, 0, REDUCE, 1, PAYLOAD),
                "NPU 0, all-reduce of fc (weight-gradient), iteration 1: has "
                "data when 0 have ended");
}

static void test_a_collective_ends_with_all_its_payload(void **state)
{
    Fixture *f = *state;

    assert_says(verify_ops_carried(f->ops, 0, REDUCE, 0, PAYLOAD - 1), NULL);
    assert_says(verify_ops_end(f->ops, 0, REDUCE),
                "NPU 0, all-reduce of fc (weight-gradient), iteration 0: ends "
                "with 999 of 1000 bytes");
    assert_says(verify_ops_carried(f->ops, 0, REDUCE, 1, PAYLOAD + 1), NULL);
    assert_says(verify_ops_end(f->ops, 0, REDUCE),
                "NPU 0, all-reduce of fc (weight-gradient), iteration 1: ends "
                "with 1001 of 1000 bytes");
}

static void test_an_operation_left_out_is_found_at_the_end(void **state)
{
    Fixture *f = *state;

    do_all(f, 0, 0);
    assert_says(verify_ops_close(f->ops, 1),
                "NPU 1, kernel of fc (weight-gradient), iteration 0: was never "
                "done");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_operations_in_the_order_of_the_workload_pass),
        TEST(test_an_operation_must_not_begin_before_its_dependencies_end),
        TEST(test_an_operation_must_not_begin_before_its_last_instance_ended),
        TEST(test_a_collective_ends_with_all_its_payload),
        TEST(test_an_operation_left_out_is_found_at_the_end),
    };

    return cmocka_run_group_tests_name("verify_ops", tests, NULL, NULL);
}
