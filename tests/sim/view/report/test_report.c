/* test_report.c - tests of sim/view/report/ (answers, tables, escaping) and of
 * comments of configuration files */
#include <string.h>

#include "sim/config/yaml_comment.h"
#include "sim/view/report/html_escape.h"
#include "sim/view/report/report_impl.h"
#include "tests/sim/results_fixture.h"

#define HEAD "workload,n_npus,endpoint,iteration_time_us\n"

typedef struct {
    SweepResults *results;
    FolderPlan plan;
    PointExplanations *points;
    ReportPage page;
} PageFixture;

/* Makes the page of a runs.csv, with an expected error of 4 %. */
static void page_fixture_init(PageFixture *f, const char *text)
{
    static const AttributionGroup *no_groups[] = { NULL };

    *f = (PageFixture){ .results = results_from_csv(text) };
    f->results->folder = g_strdup("nowhere");
    f->points =
        point_explanations_new(f->results, &f->plan, &(ExplainEffort){ 0 });
    f->page = (ReportPage){ .r = f->results,
                            .plan = &f->plan,
                            .why = f->points,
                            .used_groups = no_groups,
                            .error_ratio = 0.04,
                            .error_source = "a test" };
    report_choose_columns(&f->page);
    report_make_verdict(&f->page);
}

static void page_fixture_clear(PageFixture *f)
{
    report_clear_columns(&f->page);
    g_free(f->page.question);
    g_free(f->page.answer);
    g_free(f->page.support);
    g_ptr_array_unref(f->page.notes);
    point_explanations_free(f->points);
    results_free(f->results);
}

/* Checks the question and the answer for a runs.csv. */
static void assert_answer(const char *text, const char *question,
                          const char *answer)
{
    PageFixture f;

    page_fixture_init(&f, text);
    assert_string_equal(f.page.question, question);
    assert_string_equal(f.page.answer, answer);
    page_fixture_clear(&f);
}

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

#define TUNED                                                                  \
    "workload,n_npus,endpoint,iteration_time_us,endpoint_sms,"                 \
    "endpoint_hbm_gb_per_s,n_tried\n"
#define OVER_BEST                                                              \
    "How much faster is an iteration with ace than with the best that could "  \
    "be built without it (the fastest of the baselines and t)?"

static void test_the_answer_follows_from_the_expected_error(void **state)
{
    (void)state;
    assert_answer(TUNED "w,4,x,150,6,450,\nw,4,t,101,3,240,5\n"
                        "w,4,ace,100,0,128,\n",
                  OVER_BEST,
                  "No measurable gain: 1.01× the best without it, though 1.50× "
                  "the baselines.");
    assert_answer(TUNED "w,4,x,200,6,450,\nw,4,t,120,3,240,5\n"
                        "w,4,ace,100,0,128,\nw,8,x,200,6,450,\n"
                        "w,8,t,130,3,240,5\nw,8,ace,100,0,128,\n",
                  OVER_BEST,
                  "1.25× the best without it (1.20 to 1.30×), 2.00× the "
                  "baselines.");
    assert_answer(TUNED "w,4,x,100,6,450,\nw,4,t,50,3,240,5\n"
                        "w,4,ace,100,0,128,\n",
                  OVER_BEST,
                  "Slower: 0.50× the best without it, 1.00× the baselines.");
    assert_answer(TUNED "w,4,x,200,6,450,\nw,4,t,90,3,240,5\n"
                        "w,4,ace,100,0,128,\nw,8,x,200,6,450,\n"
                        "w,8,t,110,3,240,5\nw,8,ace,100,0,128,\n",
                  OVER_BEST,
                  "Mixed: 0.90 to 1.10× the best without it; the most is for 8 "
                  "NPUs.");
}

static void test_gains_losses_and_no_difference_are_counted(void **state)
{
    PageFixture f;

    (void)state;
    page_fixture_init(&f, TUNED "w,2,x,200,6,450,\nw,2,t,102,3,240,5\n"
                                "w,2,ace,100,0,128,\nw,4,x,200,6,450,\n"
                                "w,4,t,90,3,240,5\nw,4,ace,100,0,128,\n"
                                "w,8,x,200,6,450,\nw,8,t,110,3,240,5\n"
                                "w,8,ace,100,0,128,\n");
    assert_string_equal(
        f.page.support,
        "1 of 3 comparisons show no difference from the best beyond the "
        "expected error, 1 a gain, 1 a loss. The most is 1.10×, for 8 NPUs.");
    page_fixture_clear(&f);
}

/* Points that are compared with each other share a scale, so that the slowest
 * of each group has a full bar. */
static void test_bars_of_points_share_the_scale_of_their_group(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_auto(GStrv) bars = NULL;
    PageFixture f;

    (void)state;
    page_fixture_init(&f,
                      HEAD "w,4,x,400\nw,4,ace,100\nw,8,x,50\nw,8,ace,25\n");
    report_write_points(out, &f.page);
    bars = g_strsplit(out->str, "class=\"bar\" style=\"--w:", -1);
    assert_int_equal(g_strv_length(bars), 1 + 4);
    assert_true(g_str_has_prefix(bars[1], "100.00\""));
    assert_true(g_str_has_prefix(bars[2], "25.00\""));
    assert_true(g_str_has_prefix(bars[3], "100.00\""));
    assert_true(g_str_has_prefix(bars[4], "50.00\""));
    page_fixture_clear(&f);
}

static void test_means_of_speedups_are_geometric(void **state)
{
    (void)state;
    assert_answer(HEAD "w,4,x,400\nw,4,ace,100\nw,8,x,100\nw,8,ace,100\n",
                  "How much faster is an iteration with ace than with x?",
                  "2.00× the baselines (1.00 to 4.00×). Nobody has shown that "
                  "these could not be better.");
}

static void test_without_a_comparison_points_are_ranked(void **state)
{
    (void)state;
    assert_answer("a.size_bytes," HEAD "1024,w,4,e,30\n2048,w,4,e,10\n",
                  "Which of 2 points is fastest?",
                  "The fastest is size 2 KiB: 10.00 us. The slowest is size 1 "
                  "KiB: 3.00 times as long.");
    assert_answer("a.size,b.kind," HEAD "1,p,w,4,e,30\n2,p,w,4,e,10\n"
                  "1,q,w,4,e,31\n2,q,w,4,e,11\n",
                  "Which of 4 points is fastest?",
                  "The fastest is size 2, p: 10.00 us. The slowest is size 1, "
                  "q: 3.10 times as long. The time depends most on size.");
    assert_answer(HEAD "w,4,ace,1500\n", "How long does an iteration take?",
                  "1.500 ms, for w.");
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
        cmocka_unit_test(test_the_answer_follows_from_the_expected_error),
        cmocka_unit_test(test_gains_losses_and_no_difference_are_counted),
        cmocka_unit_test(test_bars_of_points_share_the_scale_of_their_group),
        cmocka_unit_test(test_means_of_speedups_are_geometric),
        cmocka_unit_test(test_without_a_comparison_points_are_ranked),
        cmocka_unit_test(test_axes_with_equal_last_parts_get_longer_labels),
        cmocka_unit_test(
            test_the_comment_of_a_value_is_beside_it_or_directly_above),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
