/* test_kernel_demands.c - Tests of models/npu/kernel_demands.c. */
#include "tests/test.h"

#include "models/npu/kernel_demands.h"

#define GB UINT64_C(1000000000)

/* An NPU whose kernels are limited by SMs, by bytes in flight or by memory. */
static const NpuConfig npu = {
    .n_sms = 80,
    .clock_hz = 1000000000,
    .flop_per_s = 100000 * GB,
    .efficiency_ppm = 500000,
    .sm_bytes_per_cycle = 64,
    .port_sharing_ppm = 1000000,
    .port_queueing_ppm = 1000000,
    .sm_in_flight_bytes = 20000,
    .memory_latency_ps = 600000,
    .queueing_ppm = 500000,
    .operand_bytes_per_cycle = 64,
    .hbm = { .bandwidth_bytes_per_s = 900 * GB, .efficiency_ppm = 1000000 },
};

static OpWork draw_work(GRand *rand)
{
    uint64_t bytes = (uint64_t)g_rand_int_range(rand, 0, 4) * 1000000;

    return (OpWork){
        .flop = (uint64_t)g_rand_int_range(rand, 0, 4) * GB,
        .bytes = bytes,
        .written_bytes = bytes / (uint64_t)g_rand_int_range(rand, 1, 3),
        .in_flight_bytes = g_rand_boolean(rand) ? 10000 : 0,
        .is_persistent = g_rand_boolean(rand) ? 1 : 0,
    };
}

/* Adds @n kernels, and some collectives between them. */
static OpGraph *draw_graph(GRand *rand, guint n)
{
    OpGraph *graph = op_graph_new();
    uint32_t layer = op_graph_add_layer(graph, "l");

    for (guint i = 0; i < n; i++) {
        const OpWork work = draw_work(rand);

        op_graph_add_compute(graph, layer, OP_FORWARD, OP_STREAM_MAIN, &work);
        if (g_rand_int_range(rand, 0, 5) == 0)
            op_graph_add_collective(graph, layer, OP_FORWARD, COLL_ALL_REDUCE,
                                    1000, 0);
    }
    return graph;
}

static void test_equal_kernels_share_a_work(void **state)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    g_autoptr(OpGraph) graph = draw_graph(rand, 300);
    g_autofree OpWork *before = g_new0(OpWork, graph->ops->len);

    (void)state;
    for (uint32_t i = 0; i < graph->ops->len; i++)
        before[i] = *op_graph_op(graph, i)->work;
    kernel_works_set_tiles(&npu, graph);
    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const OpWork *work = op_graph_op(graph, i)->work;
        const ProductTiles cut = compute_tiles_of_work(&npu, &before[i]);

        assert_ptr_equal(work, g_ptr_array_index(graph->works, work->id));
        assert_memory_equal(&work->cut, &cut, sizeof cut);
        for (uint32_t j = 0; j < i; j++)
            assert_int_equal(
                work == op_graph_op(graph, j)->work,
                memcmp(&before[i], &before[j], OP_WORK_DESCRIPTION_BYTES) == 0);
    }
    assert_in_range(graph->works->len, 20, 150);
}

static void test_remembered_demands_are_those_of_the_kernel(void **state)
{
    static const uint64_t n_sms[] = { 80, 60, 0, 3 };
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    g_autoptr(OpGraph) graph = draw_graph(rand, 100);
    KernelDemands *demands;

    (void)state;
    kernel_works_set_tiles(&npu, graph);
    demands = kernel_demands_new(&npu, graph->works->len);
    for (guint i = 0; i < 5000; i++) {
        uint32_t op = g_rand_int(rand) % graph->ops->len;
        uint64_t s = n_sms[g_rand_int(rand) % G_N_ELEMENTS(n_sms)];
        const OpWork *work = op_graph_op(graph, op)->work;
        const KernelDemand *demand = kernel_demands_get(demands, work, s);

        assert_int_equal(demand->bytes_per_s,
                         kernel_demand_bytes_per_s(&npu, work, s));
        assert_int_equal(demand->supply_bytes_per_s,
                         npu_supply_of_sms_bytes_per_s(&npu, work, s));
        assert_int_equal(demand->read_ppm, op_work_read_ppm(work));
    }
    kernel_demands_free(demands);
}

/* More times than are remembered at a time. */
static void test_remembered_times_are_those_of_the_kernel(void **state)
{
    static const uint64_t n_sms[] = { 80, 60, 0, 3 };
    static const uint64_t rates[] = { 900 * GB, 450 * GB, 0 };
    static const ComputeScale scales[] = {
        { 1, 1, FALSE }, { 1, 1, TRUE }, { 3, 2, FALSE }, { 700, 0, FALSE }
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    g_autoptr(OpGraph) graph = draw_graph(rand, 30);
    KernelDemands *demands;

    (void)state;
    kernel_works_set_tiles(&npu, graph);
    demands = kernel_demands_new(&npu, graph->works->len);
    for (guint i = 0; i < 20000; i++) {
        uint32_t op = g_rand_int(rand) % graph->ops->len;
        uint64_t s = n_sms[g_rand_int(rand) % G_N_ELEMENTS(n_sms)];
        uint64_t rate = rates[g_rand_int(rand) % G_N_ELEMENTS(rates)];
        ComputeScale scale = scales[g_rand_int(rand) % G_N_ELEMENTS(scales)];
        const OpWork *work = op_graph_op(graph, op)->work;

        assert_int_equal(kernel_demands_time_ps(demands, work, scale, s, rate),
                         kernel_time_ps(&npu, work, scale, s, rate));
    }
    kernel_demands_free(demands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_kernels_share_a_work),
        cmocka_unit_test(test_remembered_demands_are_those_of_the_kernel),
        cmocka_unit_test(test_remembered_times_are_those_of_the_kernel),
    };

    return cmocka_run_group_tests_name("kernel demands", tests, NULL, NULL);
}
