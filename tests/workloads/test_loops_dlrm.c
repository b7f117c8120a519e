/* test_loops_dlrm.c - dependencies in the loop of recommendation models */
#include "tests/workloads/loops_fixture.h"

static const char recommend[] =
    "workload:\n"
    "  kind: dlrm\n"
    "  name: recommend\n"
    "  batch: 2\n"
    "  embedding: { tables: 3, dimension: 4, lookups: 5 }\n"
    "  bottom:\n"
    "    - { name: bottom, in: 6, out: 6, repeat: 2 }\n"
    "    - { name: bottom-last, in: 6, out: 4 }\n"
    "  top:\n"
    "    - { name: top, in: 16, out: 1 }\n";

static void test_dlrm_waits_for_vectors_before_the_interaction(void **state)
{
    (void)state;
    assert_graph_text(recommend, "",
                      "0 embedding forward\n"
                      "1 embedding all-to-all 48 B p4294967295 < 0\n"
                      "2 bottom.1 forward < 17@1\n"
                      "3 bottom.2 forward < 14@1\n"
                      "4 bottom-last forward < 11@1\n"
                      "5 top forward < 1 < 7@1\n"
                      "6 top weight-gradient\n"
                      "7 top all-reduce 32 B p1 < 6\n"
                      "8 top input-gradient\n"
                      "9 embedding all-to-all 48 B p4294967295 < 8\n"
                      "10 bottom-last weight-gradient\n"
                      "11 bottom-last all-reduce 48 B p3 < 10\n"
                      "12 bottom-last input-gradient\n"
                      "13 bottom.2 weight-gradient\n"
                      "14 bottom.2 all-reduce 72 B p4 < 13\n"
                      "15 bottom.2 input-gradient\n"
                      "16 bottom.1 weight-gradient\n"
                      "17 bottom.1 all-reduce 72 B p5 < 16\n"
                      "18 embedding update < 9\n");
}

static void
test_a_modelled_interaction_waits_for_the_exchanged_vectors(void **state)
{
    g_autofree char *text =
        g_strconcat(recommend, "  interaction: concatenation\n", NULL);

    (void)state;
    assert_graph_text(text, "overlap: false",
                      "0 embedding forward < 17@1\n"
                      "1 embedding all-to-all 48 B p4294967295 < 0\n"
                      "2 bottom.1 forward\n"
                      "3 bottom.2 forward\n"
                      "4 bottom-last forward\n"
                      "5 interaction forward < 1\n"
                      "6 top forward\n"
                      "7 top weight-gradient\n"
                      "8 top input-gradient\n"
                      "9 interaction input-gradient\n"
                      "10 embedding all-to-all 48 B p4294967295 < 9\n"
                      "11 bottom-last weight-gradient\n"
                      "12 bottom-last input-gradient\n"
                      "13 bottom.2 weight-gradient\n"
                      "14 bottom.2 input-gradient\n"
                      "15 bottom.1 weight-gradient\n"
                      "16 embedding update < 10\n"
                      "17 all-gradients all-reduce 224 B p0 < 16\n");
}

static void test_optimised_dlrm_looks_up_on_the_side_stream(void **state)
{
    (void)state;
    assert_graph_text(recommend, "optimised: true",
                      "0 embedding update beside < 10@1\n"
                      "1 embedding forward beside\n"
                      "2 embedding all-to-all 48 B p4294967295 < 1\n"
                      "3 bottom.1 forward < 18@1\n"
                      "4 bottom.2 forward < 15@1\n"
                      "5 bottom-last forward < 12@1\n"
                      "6 top forward < 2@1 < 8@1\n"
                      "7 top weight-gradient\n"
                      "8 top all-reduce 32 B p1 < 7\n"
                      "9 top input-gradient\n"
                      "10 embedding all-to-all 48 B p4294967295 < 9\n"
                      "11 bottom-last weight-gradient\n"
                      "12 bottom-last all-reduce 48 B p3 < 11\n"
                      "13 bottom-last input-gradient\n"
                      "14 bottom.2 weight-gradient\n"
                      "15 bottom.2 all-reduce 72 B p4 < 14\n"
                      "16 bottom.2 input-gradient\n"
                      "17 bottom.1 weight-gradient\n"
                      "18 bottom.1 all-reduce 72 B p5 < 17\n");
}

static void
test_dlrm_without_overlap_reduces_all_mlp_gradients_together(void **state)
{
    (void)state;
    assert_graph_text(recommend, "overlap: false",
                      "0 embedding forward < 15@1\n"
                      "1 embedding all-to-all 48 B p4294967295 < 0\n"
                      "2 bottom.1 forward\n"
                      "3 bottom.2 forward\n"
                      "4 bottom-last forward\n"
                      "5 top forward < 1\n"
                      "6 top weight-gradient\n"
                      "7 top input-gradient\n"
                      "8 embedding all-to-all 48 B p4294967295 < 7\n"
                      "9 bottom-last weight-gradient\n"
                      "10 bottom-last input-gradient\n"
                      "11 bottom.2 weight-gradient\n"
                      "12 bottom.2 input-gradient\n"
                      "13 bottom.1 weight-gradient\n"
                      "14 embedding update < 8\n"
                      "15 all-gradients all-reduce 224 B p0 < 14\n");
    assert_graph_text(recommend, "overlap: false, optimised: true",
                      "0 embedding update beside < 9@1\n"
                      "1 embedding forward beside\n"
                      "2 embedding all-to-all 48 B p4294967295 < 1\n"
                      "3 bottom.1 forward < 15@1\n"
                      "4 bottom.2 forward\n"
                      "5 bottom-last forward\n"
                      "6 top forward < 2@1\n"
                      "7 top weight-gradient\n"
                      "8 top input-gradient\n"
                      "9 embedding all-to-all 48 B p4294967295 < 8\n"
                      "10 bottom-last weight-gradient\n"
                      "11 bottom-last input-gradient\n"
                      "12 bottom.2 weight-gradient\n"
                      "13 bottom.2 input-gradient\n"
                      "14 bottom.1 weight-gradient\n"
                      "15 all-gradients all-reduce 224 B p0 < 14\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dlrm_waits_for_vectors_before_the_interaction),
        cmocka_unit_test(
            test_a_modelled_interaction_waits_for_the_exchanged_vectors),
        cmocka_unit_test(test_optimised_dlrm_looks_up_on_the_side_stream),
        cmocka_unit_test(
            test_dlrm_without_overlap_reduces_all_mlp_gradients_together),
    };

    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
