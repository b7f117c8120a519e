/* Tests of validate/collectives/gpu_chain_study.c: the workload of a row, and
 * errors. */
#include "tests/test.h"

#include "validate/collectives/gpu_chain_study.h"

static void test_payload_is_split_by_links(void **state)
{
    const ChainResult row = { .log = (char *)"log",
                              .collective = (char *)"broadcast",
                              .chains = (char *)"0-3 0-1-3",
                              .links = (char *)"2 1",
                              .bytes = 3000 };
    g_autofree char *text = chain_workload_yaml(&row);

    (void)state;
    assert_string_equal(
        text,
        "{kind: program, name: log, groups: ["
        "{name: chain0, ranks: [[0, 3]]}, {name: chain1, ranks: [[0, 1, 3]]}], "
        "roles: ["
        "{name: gpu0, ranks: {list: [0]}, ops: ["
        "{kind: collective, name: part0, collective: broadcast, bytes: 2000 B, "
        "group: chain0}, "
        "{kind: collective, name: part1, collective: broadcast, bytes: 1000 B, "
        "group: chain1}]}, "
        "{name: gpu1, ranks: {list: [1]}, ops: ["
        "{kind: collective, name: part1, collective: broadcast, bytes: 1000 B, "
        "group: chain1}]}, "
        "{name: gpu3, ranks: {list: [3]}, ops: ["
        "{kind: collective, name: part0, collective: broadcast, bytes: 2000 B, "
        "group: chain0}, "
        "{kind: collective, name: part1, collective: broadcast, bytes: 1000 B, "
        "group: chain1}]}, "
        "{name: idle, ranks: {list: [2, 4, 5, 6, 7, ]}, "
        "ops: [{kind: kernel, name: idle, flop: 1}]}]}");
}

static void test_errors_include_counted_rows_only(void **state)
{
    const ChainResult rows[] = {
        { .is_counted = TRUE, .bytes = 1, .error_percent = -6 },
        { .is_counted = TRUE, .bytes = 1e9, .error_percent = 2 },
        { .is_counted = FALSE, .bytes = 1e9, .error_percent = 50 },
    };
    g_autoptr(GArray) results = g_array_new(FALSE, FALSE, sizeof(ChainResult));
    ChainErrors all, large;

    (void)state;
    g_array_append_vals(results, rows, G_N_ELEMENTS(rows));
    all = chain_study_errors(results, 0);
    large = chain_study_errors(results, CHAIN_LARGE_BYTES);
    assert_int_equal(all.n, 2);
    assert_true(all.mean_percent == 4 && all.worst_percent == 6);
    assert_int_equal(large.n, 1);
    assert_true(large.mean_percent == 2 && large.worst_percent == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_payload_is_split_by_links),
        cmocka_unit_test(test_errors_include_counted_rows_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
