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
static void assert_error_text(char *error, const char *expected)
{
    if (expected && error)
        assert_string_equal(error, expected);
    else
        assert_ptr_equal(error, expected);
    g_free(error);
}

/* Does all operations of @iteration on NPU @npu. */
static void run_operations_in_order(Fixture *f, uint32_t npu,
                                    uint64_t iteration)
{
    for (uint32_t op = 0; op < N_OPS; op++) {
        assert_error_text(verify_ops_begin_instance(f->ops, npu, op, iteration),
                          NULL);
        if (op == REDUCE)
            assert_error_text(verify_ops_add_carried_bytes(f->ops, npu, op,
                                                           iteration, PAYLOAD),
                              NULL);
        assert_error_text(verify_ops_end_instance(f->ops, npu, op), NULL);
    }
}

static void test_operations_in_program_order_pass_verification(void **state)
{
    Fixture *f = *state;

    for (uint64_t i = 0; i < 3; i++)
        for (uint32_t npu = 0; npu < N_NPUS; npu++)
            run_operations_in_order(f, npu, i);
    assert_error_text(verify_ops_check_all_done(f->ops, 3), NULL);
}

static void
test_an_operation_must_not_begin_before_its_dependencies_end(void **state)
{
    Fixture *f = *state;

    assert_error_text(verify_ops_begin_instance(f->ops, 1, REDUCE, 0),
                      "NPU 1, all-reduce of fc (weight-gradient), iteration 0: "
                      "begins before kernel of fc (weight-gradient) has ended");
    assert_error_text(verify_ops_begin_instance(f->ops, 1, NEXT, 0), NULL);
    assert_error_text(verify_ops_end_instance(f->ops, 1, NEXT), NULL);
    assert_error_text(
        verify_ops_begin_instance(f->ops, 1, NEXT, 1),
        "NPU 1, kernel of fc (forward), iteration 1: begins before "
        "all-reduce of fc (weight-gradient) has ended");
}

static void
test_an_operation_must_not_begin_before_its_last_instance_ended(void **state)
{
    Fixture *f = *state;

    assert_error_text(
        verify_ops_begin_instance(f->ops, 0, KERNEL, 1),
        "NPU 0, kernel of fc (weight-gradient), iteration 1: begins "
        "when 0 have ended");
    assert_error_text(
        verify_ops_add_carried_bytes(f->ops, 0, REDUCE, 1, PAYLOAD),
        "NPU 0, all-reduce of fc (weight-gradient), iteration 1: has "
        "data when 0 have ended");
}

static void test_a_collective_ends_with_all_its_payload(void **state)
{
    Fixture *f = *state;

    assert_error_text(
        verify_ops_add_carried_bytes(f->ops, 0, REDUCE, 0, PAYLOAD - 1), NULL);
    assert_error_text(
        verify_ops_end_instance(f->ops, 0, REDUCE),
        "NPU 0, all-reduce of fc (weight-gradient), iteration 0: ends "
        "with 999 of 1000 bytes");
    assert_error_text(
        verify_ops_add_carried_bytes(f->ops, 0, REDUCE, 1, PAYLOAD + 1), NULL);
    assert_error_text(
        verify_ops_end_instance(f->ops, 0, REDUCE),
        "NPU 0, all-reduce of fc (weight-gradient), iteration 1: ends "
        "with 1001 of 1000 bytes");
}

static void test_a_missing_operation_is_found_at_the_end(void **state)
{
    Fixture *f = *state;

    run_operations_in_order(f, 0, 0);
    assert_error_text(
        verify_ops_check_all_done(f->ops, 1),
        "NPU 1, kernel of fc (weight-gradient), iteration 0: was never "
        "done");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_operations_in_program_order_pass_verification),
        TEST(test_an_operation_must_not_begin_before_its_dependencies_end),
        TEST(test_an_operation_must_not_begin_before_its_last_instance_ended),
        TEST(test_a_collective_ends_with_all_its_payload),
        TEST(test_a_missing_operation_is_found_at_the_end),
    };

    return cmocka_run_group_tests_name("verify_ops", tests, NULL, NULL);
}
