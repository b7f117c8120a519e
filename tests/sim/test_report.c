/* test_report.c - tests of sim/view/report/ (answers, tables, escaping) and of
 * comments of configuration files */
#include <string.h>

#include "sim/config/yaml_comment.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_answer.h"
#include "tests/sim/results_fixture.h"

#define HEAD "workload,n_npus,endpoint,iteration_time_us\n"

#define assert_answer(text, question, sentence)                                \
    do {                                                                       \
        g_autoptr(SweepResults) results = results_from_csv(text);              \
        g_autofree char *question_text = report_question_text(results);        \
        g_autofree char *sentence_text = report_answer_sentence(results);      \
        assert_string_equal(question_text, (question));                        \
        assert_string_equal(sentence_text, (sentence));                        \
    } while (0)

static void test_report_text_is_escaped_for_html(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    html_append_text(out, "<script>alert(\"1\" & '2')</script>");
    assert_string_equal(out->str, "&lt;script&gt;alert(&quot;1&quot; &amp; "
                                  "&#39;2&#39;)&lt;/script&gt;");
    g_string_truncate(out, 0);
    html_append_text(out, "a\x01\n\xff\xe2\x80\xaeé\xef\xbf\xbe");
    assert_string_equal(out->str, "a  \xef\xbf\xbd é\xef\xbf\xbd");
}

static void test_a_key_may_break_after_dots_and_underscores(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    html_append_key(out, "dims.0.link_direction<_");
    assert_string_equal(out->str, "dims.<wbr />0.<wbr />link_<wbr />"
                                  "direction&lt;_");
}

static void test_only_arguments_of_a_format_are_escaped(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    html_append_format(out, "<a b=\"%s\">100 % %s</a>", "\"", "%s<");
    assert_string_equal(out->str, "<a b=\"&quot;\">100 % %s&lt;</a>");
}

static void test_the_answer_names_the_best_and_the_worst_speedup(void **state)
{
    (void)state;
    assert_answer(HEAD "w,4,x,30\nw,4,y,20\nw,4,ace,10\n"
                       "w,8,x,15\nw,8,y,30\nw,8,ace,10\n",
                  "How much faster is an iteration with ace than with the "
                  "fastest of x and y?",
                  "ace is faster on 2 of 2 pairs of workload and size: 1.75 "
                  "times as fast on average, at best 2.00 times (w, 4 NPUs). "
                  "It helps least on w, 8 NPUs (1.50 times).");
}

static void test_the_answer_names_points_without_speedup(void **state)
{
    (void)state;
    assert_answer(HEAD "w,4,x,20\nw,4,ace,10\nw,8,x,10\nw,8,ace,10\n"
                       "w,16,x,5\nw,16,ace,10\nw,32,x,5\nw,32,ace,10\n",
                  "How much faster is an iteration with ace than with x?",
                  "ace is faster on 1 of 4 pairs of workload and size: 1.00 "
                  "times as fast on average, at best 2.00 times (w, 4 NPUs). "
                  "It does not pay on w, 8 NPUs (1.00 times); w, 16 NPUs (0.50 "
                  "times); and 1 more.");
}

#define TUNED                                                                  \
    "workload,n_npus,endpoint,iteration_time_us,endpoint_sms,"                 \
    "endpoint_hbm_gb_per_s,n_tried\n"

static void test_the_answer_compares_with_the_best_built_endpoint(void **state)
{
    (void)state;
    assert_answer(
        TUNED "w,4,x,20,6,450,\nw,4,t,10,3,240,5\n"
              "w,4,ace,10,0,128,\nw,8,x,20,6,450,\n"
              "w,8,t,9,3,240,5\nw,8,ace,10,0,128,\n"
              "w,16,x,20,6,450,\nw,16,t,12,3,240,5\n"
              "w,16,ace,10,0,128,\n",
        "How much faster is an iteration with ace than with x?",
        "ace is faster on 3 of 3 pairs of workload and size: 2.00 "
        "times as fast on each. Against the best that could be built "
        "without it (t) it is 1.03 times as fast on average, at best "
        "1.20 times (w, 16 NPUs): on 2 of the 3 where it is faster "
        "than the baselines it is not faster than what could be built; "
        "it is slower on 1.");
}

#define SLOWER                                                                 \
    "workload,n_npus,endpoint,iteration_time_us,compute_time_us,"              \
    "exposed_comm_us\n"

static void test_the_answer_explains_a_slowdown(void **state)
{
    static const char question[] =
        "How much faster is an iteration with ace than with x?";

    (void)state;
    assert_answer(HEAD "w,4,x,920\nw,4,ace,1000\nw,8,x,921\nw,8,ace,1000\n",
                  question,
                  "ace is slower on 2 of 2 pairs of workload and size: 0.92 "
                  "times as fast on each.");
    assert_answer(
        SLOWER "w,4,x,90,80,10\nw,4,ace,100,98,2\n"
               "w,8,x,80,60,20\nw,8,ace,100,95,5\n",
        question,
        "ace is slower on 2 of 2 pairs of workload and size: 0.85 "
        "times as fast on average, 0.90 (w, 4 NPUs) at best, 0.80 "
        "(w, 8 NPUs) at worst. Where it is slowest, what it keeps from "
        "compute costs more than it hides: compute_time_us is 35 more than "
        "the baseline's, exposed_comm_us 15 less.");
    assert_answer(SLOWER "w,4,x,90,80,10\nw,4,ace,100,80,20\n"
                         "w,8,x,80,60,20\nw,8,ace,80,60,20\n",
                  question,
                  "ace is faster on none of 2 pairs of workload and size and "
                  "slower on 1: 0.95 times as fast on average, 1.00 (w, 8 "
                  "NPUs) at best, 0.90 (w, 4 NPUs) at worst.");
}

static void test_equal_rounded_values_are_stated_once(void **state)
{
    (void)state;
    assert_answer(HEAD "w,4,x,20\nw,4,ace,10\n",
                  "How much faster is an iteration with ace than with x?",
                  "ace is faster on 1 of 1 pairs of workload and size: 2.00 "
                  "times as fast.");
}

static void test_without_a_comparison_points_are_ranked(void **state)
{
    (void)state;
    assert_answer("a.size_bytes," HEAD "1024,w,4,e,30\n2048,w,4,e,10\n",
                  "Which of 2 points is fastest, when these vary: size?",
                  "Fastest is w, 4 NPUs, size 2 KiB, e; slowest is w, 4 NPUs, "
                  "size 1 KiB, e, which takes 3.00 times as long.");
    assert_answer(HEAD "w,4,ace,1500\n", "How long does an iteration take?",
                  "An iteration takes 1.500 ms (w, 4 NPUs, ace).");
}

static void test_a_table_has_a_row_per_group(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv(HEAD "<b>,4,x,20\n<b>,4,ace,10\n<b>,4,ideal,8\n");
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    report_write_answer_table(out, r);
    assert_non_null(
        strstr(out->str,
               "<tr><td>&lt;b&gt;</td><td class=\"n\">4</td>"
               "<td class=\"n win\">2.00x</td><td>x</td>"
               "<td class=\"n minor\">20.00 us</td><td class=\"n minor\">10.00 "
               "us</td><td class=\"n minor\">2.50x</td></tr>\n"));
}

static void test_a_speedup_that_rounds_to_one_is_no_loss(void **state)
{
    g_autoptr(SweepResults) r = results_from_csv(
        HEAD "w,4,x,998\nw,4,ace,1000\nw,8,x,994\nw,8,ace,1000\n");
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    report_write_answer_table(out, r);
    assert_non_null(strstr(out->str, "<td class=\"n\">1.00x</td>"));
    assert_non_null(strstr(out->str, "<td class=\"n loss\">0.99x</td>"));
    assert_answer(HEAD "w,4,x,998\nw,4,ace,1000\nw,8,x,1001\nw,8,ace,1000\n",
                  "How much faster is an iteration with ace than with x?",
                  "ace is neither faster nor slower on all 2 pairs of workload "
                  "and size: 1.00 times as fast on each.");
}

/* A narrow page shows the first columns only, and hides those of class
 * minor. */
static void test_the_speedup_column_precedes_its_details(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv("k," HEAD "1,w,4,x,20\n1,w,4,ace,10\n"
                         "2,w,4,x,30\n2,w,4,ace,10\n");
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    report_write_answer_table(out, r);
    assert_non_null(strstr(
        out->str, "<th>workload</th><th class=\"n\">NPUs</th>"
                  "<th class=\"n\">speedup</th><th>k</th>"
                  "<th>best baseline</th><th class=\"n minor\">its time</th>"));
}

static void test_many_groups_are_summarised_and_listed_below(void **state)
{
    g_autoptr(GString) text = g_string_new("k," HEAD);
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) all_rows = g_string_new(NULL);
    g_autoptr(SweepResults) r = NULL;

    (void)state;
    for (guint i = 0; i < 20; i++)
        g_string_append_printf(text, "%u,w,4,x,%u\n%u,w,4,ace,10\n", i, 10 + i,
                               i);
    r = results_from_csv(text->str);
    report_write_answer_table(out, r);
    report_write_all_comparisons(all_rows, r);
    assert_non_null(strstr(
        out->str, "<td class=\"n win\">1.95x</td><td class=\"n\">1.00x</td>"
                  "<td class=\"n\">2.90x</td><td class=\"n minor\">20</td>"
                  "<td class=\"n minor\">19</td></tr>\n"));
    assert_non_null(strstr(all_rows->str, "<h2>All comparisons</h2>"));
    assert_non_null(strstr(all_rows->str, "<td>19</td>"));
}

static void assert_comment_of_line(const char *text, guint line,
                                   const char *expected)
{
    g_autofree char *got = yaml_comment_of_line(text, line);

    if (expected)
        assert_string_equal(got, expected);
    else
        assert_null(got);
}

static void
test_the_comment_of_a_value_is_beside_it_or_directly_above(void **state)
{
    static const char text[] = "# head\n# of it\n"
                               "a: 1\n"
                               "b: 2 # beside\n"
                               "c: 3\n"
                               "\n"
                               "d: x#y\n"
                               "  # for e\n"
                               "  # alone\n"
                               "  e: 5\n"
                               "  f: 6\n";
    g_autofree char *head = yaml_comment_of_file(text);

    (void)state;
    assert_string_equal(head, "head of it");
    assert_null(yaml_comment_of_file("a: 1\n"));
    /* The comment at the head belongs to the file, not to a value. */
    assert_comment_of_line(text, 3, NULL);
    assert_comment_of_line(text, 4, "beside");
    assert_comment_of_line(text, 5, NULL);
    assert_comment_of_line(text, 7, NULL);
    assert_comment_of_line(text, 10, "for e alone");
    assert_comment_of_line(text, 11, NULL);
    assert_comment_of_line(text, 0, NULL);
    assert_comment_of_line(text, 99, NULL);
}

static void test_axes_with_equal_last_parts_get_longer_labels(void **state)
{
    g_autoptr(SweepResults) r =
        results_from_csv("p.dims.1.bandwidth_gb_per_s,p.hbm.bandwidth_gb_per_s,"
                         "e.sram_bytes," HEAD "1,3,1048576,w,4,e,1\n"
                         "2,4,2097152,w,4,e,1\n");

    (void)state;
    assert_string_equal(results_cell_label(r, 0, 0), "1.bandwidth 1 GB/s");
    assert_string_equal(results_cell_label(r, 0, 1), "hbm.bandwidth 3 GB/s");
    assert_string_equal(results_cell_label(r, 0, 2), "sram 1 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report_text_is_escaped_for_html),
        cmocka_unit_test(test_a_key_may_break_after_dots_and_underscores),
        cmocka_unit_test(test_only_arguments_of_a_format_are_escaped),
        cmocka_unit_test(test_the_answer_names_the_best_and_the_worst_speedup),
        cmocka_unit_test(test_the_answer_names_points_without_speedup),
        cmocka_unit_test(test_the_answer_compares_with_the_best_built_endpoint),
        cmocka_unit_test(test_the_answer_explains_a_slowdown),
        cmocka_unit_test(test_equal_rounded_values_are_stated_once),
        cmocka_unit_test(test_without_a_comparison_points_are_ranked),
        cmocka_unit_test(test_a_table_has_a_row_per_group),
        cmocka_unit_test(test_a_speedup_that_rounds_to_one_is_no_loss),
        cmocka_unit_test(test_the_speedup_column_precedes_its_details),
        cmocka_unit_test(test_many_groups_are_summarised_and_listed_below),
        cmocka_unit_test(test_axes_with_equal_last_parts_get_longer_labels),
        cmocka_unit_test(
            test_the_comment_of_a_value_is_beside_it_or_directly_above),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
