/* test_server_loads.c - tests of loads of parameter servers and their links */
#include "tests/system_fixture.h"

#include "sim/study/parameter_server_load.h"
#include "sim/view/text/parameter_server_load_text.h"

#define LAYER(name, weights)                                                   \
    "{kind: measured, name: " name ", forward_time: 1 us, input_gradient_time" \
    ": 1 us, weight_gradient_time: 1 us, weights: " #weights "}"

/* Returns a run with two servers: one holds the largest of three tensors, the
 * other the two small ones. */
static Setup parameter_server_setup(const char *more)
{
    return (Setup){
        .topology = "{kind: switch, npus: 6, bandwidth: 1 GB/s, latency: "
                    "500 ns}",
        .workload = "{kind: data-parallel, name: w, batch: 1, layers: [" LAYER(
            "a", 1000) ", " LAYER("b", 900000) ", " LAYER("c", 99000) "]}",
        .training =
            format_text("{iterations: 2, compute: measured, gradient: "
                        "fp32, optimiser: none, exchange: {kind: "
                        "parameter-server, servers: {size: 3, at: 2}%s}}",
                        more),
        .collectives = "{scheduler: fifo, window: 4096}",
    };
}

static void check_busiest_server(const char *more)
{
    Setup s = parameter_server_setup(more);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) loads = NULL;
    const ServerLoad *hot, *other;
    Run run;

    run_to_result(&run, &s, FOLD_AUTO);
    loads = list_server_loads(run.system);
    assert_int_equal(loads->len, 2);
    assert_int_equal(count_workers(run.system), 4);
    hot = find_hottest_server(loads);
    other = &g_array_index(loads, ServerLoad, 1);
    assert_ptr_equal(hot, &g_array_index(loads, ServerLoad, 0));
    assert_int_equal(hot->npu, 2);
    assert_string_equal(hot->name, "server.0");
    assert_string_equal(hot->layer, "b");
    assert_int_equal(hot->layer_bytes, 3600000);
    assert_int_equal(hot->bytes, 3600000);
    assert_true(hot->share > 0.8999 && hot->share < 0.9001);
    assert_true(hot->link_share > other->link_share);
    assert_int_equal(other->npu, 5);
    assert_int_equal(other->bytes, 400000);
    assert_string_equal(other->layer, "c");
    append_busiest_server_sentence(text, run.system);
    assert_non_null(
        strstr(text->str,
               "The busiest of 2 parameter servers is `server.0` on NPU 2"));
    assert_non_null(strstr(text->str,
                           "It stores 90 % of all bytes (even share: 50 %), "
                           "100 % of them for layer b, whose 3.6 MB 4 workers "
                           "push and pull there."));
    run_clear(&run);
}

static void test_the_server_of_the_largest_tensor_is_the_busiest(void **state)
{
    (void)state;
    check_busiest_server("");
    check_busiest_server(", asynchronous: true, stale: 1");
}

/* All traffic of a server crosses its link: 4 workers x 3.6 MB in each
 * direction and iteration. */
static void
test_the_busy_time_of_a_server_link_is_that_of_its_bytes(void **state)
{
    Setup s = parameter_server_setup("");
    g_autoptr(GArray) loads = NULL;
    SystemResult r;
    double share;
    Run run;

    (void)state;
    r = run_to_result(&run, &s, FOLD_AUTO);
    loads = list_server_loads(run.system);
    share = find_hottest_server(loads)->link_share;
    assert_near_per_mille((uint64_t)(share * (double)r.total_ps),
                          2 * UINT64_C(14400000000), 1);
    run_clear(&run);
}

static void test_runs_without_servers_have_no_server_text(void **state)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) loads = NULL;
    Setup s = { 0 };
    Run run;

    (void)state;
    run_to_result(&run, &s, FOLD_AUTO);
    loads = list_server_loads(run.system);
    assert_int_equal(loads->len, 0);
    assert_null(find_hottest_server(loads));
    append_busiest_server_sentence(text, run.system);
    append_server_table(text, run.system);
    assert_string_equal(text->str, "");
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_server_of_the_largest_tensor_is_the_busiest),
        cmocka_unit_test(
            test_the_busy_time_of_a_server_link_is_that_of_its_bytes),
        cmocka_unit_test(test_runs_without_servers_have_no_server_text),
    };

    return cmocka_run_group_tests_name("server loads", tests, NULL, NULL);
}
