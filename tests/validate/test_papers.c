/* test_papers.c - tests of the claims of papers: files, figures, page */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/test.h"
#include "validate/papers/paper_grids.h"
#include "validate/papers/paper_study.h"

#define STUDY "studies:\n  - {name: s, command: sweep s.yaml}\n"
#define HEAD  "name: p\ntitle: A paper\nquestion: Does it?\n"
#define CLAIM                                                                  \
    "  - {claim: faster, certainty: certain, published: 1.5, study: s, "
#define REASON "reason: because}\n"

static char *claims_file_with_text(const char *text)
{
    char *path;
    int fd = g_file_open_tmp("claims-XXXXXX.yaml", &path, NULL);

    assert_true(fd >= 0);
    g_close(fd, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static void assert_claims_refused(const char *text, const char *message)
{
    g_autofree char *path = claims_file_with_text(text);
    g_autoptr(GError) error = NULL;

    assert_null(paper_claims_load(path, &error));
    assert_non_null(error);
    if (!strstr(error->message, message))
        fail_msg("'%s' lacks '%s'", error->message, message);
    g_remove(path);
}

static void test_names_of_paper_studies_are_checked(void **state)
{
    (void)state;
    assert_claims_refused(HEAD STUDY
                          "claims:\n" CLAIM "figure: SELECT 1, " REASON
                          "  - {claim: x, certainty: certain, published: "
                          "1, study: t, figure: SELECT 1, reason: y}\n",
                          ":8:57: study: no study is named 't'");
    assert_claims_refused(HEAD "studies:\n  - {name: s, command: sweep a}\n"
                               "  - {name: s, command: sweep b}\n"
                               "claims:\n" CLAIM "figure: SELECT 1, " REASON,
                          ":6:12: name: there are two studies 's'");
    assert_claims_refused(
        HEAD STUDY "claims:\n"
                   "  - {claim: x, certainty: likely, published: 1, study: s, "
                   "figure: SELECT 1, reason: y}\n",
        "certainty:");
}

static CsvTable *table_of_csv_text(const char *text)
{
    CsvTable *csv = csv_table_parse("test", text, strlen(text), NULL);

    assert_non_null(csv);
    return csv;
}

static void test_paper_figures_are_read_by_sql(void **state)
{
    g_autoptr(StudyTables) tables = study_tables_new();
    g_autoptr(CsvTable) csv =
        table_of_csv_text("endpoint,time.us,note\nace,2,\nbase,3,x\nbase,5,\n");
    StudyFigure figure;
    GError *error = NULL;

    (void)state;
    assert_true(study_tables_add(tables, "s", csv, &error));
    assert_true(study_tables_query(
        tables, "SELECT avg(\"time.us\") FROM s WHERE endpoint = 'base'",
        &figure, &error));
    assert_true(figure.value == 4 && figure.least == 4 && figure.most == 4);
    assert_true(study_tables_add_view(
        tables, "bases", "SELECT * FROM s WHERE endpoint = 'base'", &error));
    assert_true(study_tables_query(
        tables,
        "SELECT avg(\"time.us\"), min(\"time.us\"), max(\"time.us\") "
        "FROM bases",
        &figure, &error));
    assert_true(figure.value == 4 && figure.least == 3 && figure.most == 5);
    /* The SQL function count() skips NULL, which an empty cell becomes. */
    assert_true(study_tables_query(tables, "SELECT count(note) FROM s", &figure,
                                   &error));
    assert_true(figure.value == 1);
}

static void test_invalid_sql_queries_are_errors(void **state)
{
    static const struct {
        const char *sql, *message;
    } cases[] = {
        { "SELECT x FROM s", "no such column: x" },
        { "SELECT count(\"b\") FROM s", "no such column: b" },
        { "SELECT a FROM s WHERE a > 9", "yields no row" },
        { "SELECT a FROM s", "yields more than one row" },
        { "SELECT 1, 2", "yields neither one column nor three" },
        { "SELECT 'word'", "yields no number" },
        { "SELECT avg(a) FROM s WHERE a > 9", "yields no number" },
    };
    g_autoptr(StudyTables) tables = study_tables_new();
    g_autoptr(CsvTable) csv = table_of_csv_text("a\n1\n2\n");

    (void)state;
    assert_true(study_tables_add(tables, "s", csv, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        StudyFigure figure;

        assert_false(study_tables_query(tables, cases[i].sql, &figure, &error));
        if (!strstr(error->message, cases[i].message))
            fail_msg("'%s' lacks '%s'", error->message, cases[i].message);
    }
}

static void assert_difference_text(const char *published, double simulated,
                                   const char *text)
{
    g_autofree char *difference = paper_difference_text(published, simulated);

    assert_string_equal(difference, text);
}

static void test_paper_differences_are_texts(void **state)
{
    (void)state;
    assert_difference_text("1.5", 1.2, "-20.0 %");
    assert_difference_text("5 to 17", 7, "within");
    assert_difference_text("5 to 17", 4, "20 % below");
    assert_difference_text("5 to 17", 34, "100 % above");
    assert_difference_text("scales well", 4, "");
    assert_difference_text("4 times as fast", 4, "");
}

static void test_the_paper_page_has_both_figures(void **state)
{
    g_autofree char *path = claims_file_with_text(
        HEAD STUDY "claims:\n" CLAIM
                   "where: table 2, figure: SELECT 1, " REASON);
    g_autoptr(PaperClaims) claims = paper_claims_load(path, NULL);
    g_autoptr(GArray) figures = g_array_new(FALSE, FALSE, sizeof(StudyFigure));
    g_autoptr(GString) page = g_string_new(NULL);
    g_autoptr(GString) plot = g_string_new(NULL);
    StudyFigure figure = { 1.2, 1.1, 1.4 };

    (void)state;
    assert_non_null(claims);
    g_array_append_val(figures, figure);
    paper_page_add(page, claims, figures);
    assert_non_null(strstr(page->str,
                           "| faster | 1.5; certain, table 2 | 1.20 (1.10 to "
                           "1.40) | -20.0 % | `s` | because |\n"));
    assert_non_null(strstr(page->str, "| `s` | `acesim sweep s.yaml` |\n"));
    paper_plot_add(plot, claims, figures);
    assert_string_equal(plot->str, "faster\t1.5\t1.5\t1.2\t1.1\t1.4\n");
    g_remove(path);
}

static void test_paper_grids_have_a_column_for_each_series(void **state)
{
    static const PaperGrid grid = { .name = "g",
                                    .digits = 1,
                                    .has_order = TRUE };
    g_autoptr(StudyTables) tables = study_tables_new();
    g_autoptr(CsvTable) csv = table_of_csv_text(
        "network,nodes,who,t\na,1,x,2\na,1,y,3\na,4,y,5\nb,1,x,7\nb,1,x,8\n");
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(CsvTable) rows = NULL;
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_true(study_tables_add(tables, "s", csv, NULL));
    assert_null(study_tables_select(tables, "SELECT z FROM s", &error));
    assert_non_null(strstr(error->message, "no such column: z"));
    rows = study_tables_select(
        tables,
        "SELECT network, CAST(nodes AS INT) AS nodes, who, avg(t), min(t), "
        "max(t) FROM s GROUP BY network, nodes, who",
        NULL);
    assert_non_null(rows);
    assert_true(paper_grid_text(text, &grid, rows, NULL));
    assert_string_equal(text->str,
                        "| network | nodes | x | y | largest first |\n"
                        "|---|---|---|---|---|\n"
                        "| a | 1 | 2.0 | 3.0 | y, x |\n"
                        "| a | 4 |  | 5.0 | y |\n"
                        "| b | 1 | 7.5 (7.0 to 8.0) |  | x |\n");
}

static void test_a_paper_grid_needs_six_columns(void **state)
{
    g_autofree char *path = claims_file_with_text(
        HEAD STUDY
        "grids:\n  - {name: g, title: t, quantity: q, query: SELECT 1, reason: "
        "r}\nclaims:\n" CLAIM "figure: SELECT 1, " REASON);
    g_autoptr(PaperClaims) claims = paper_claims_load(path, NULL);
    g_autoptr(CsvTable) rows = table_of_csv_text("a,b\n1,2\n");
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_non_null(claims);
    assert_false(paper_grid_text(text, claims->grids.items, rows, &error));
    if (!strstr(error->message, ":7:45: query: 2 columns and 1 rows"))
        fail_msg("%s", error->message);
    g_remove(path);
}

/* The claims of every paper in configs/papers can be read. */
static void test_the_claims_of_all_papers_are_read(void **state)
{
    g_autoptr(GDir) dir = g_dir_open("configs/papers", 0, NULL);
    const char *name;

    (void)state;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path =
            g_build_filename("configs/papers", name, "claims.yaml", NULL);
        g_autoptr(GError) error = NULL;
        g_autoptr(PaperClaims) claims = paper_claims_load(path, &error);

        assert_no_error(error);
        assert_string_equal(claims->name, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_paper_studies_are_checked),
        cmocka_unit_test(test_paper_figures_are_read_by_sql),
        cmocka_unit_test(test_invalid_sql_queries_are_errors),
        cmocka_unit_test(test_paper_differences_are_texts),
        cmocka_unit_test(test_the_paper_page_has_both_figures),
        cmocka_unit_test(test_paper_grids_have_a_column_for_each_series),
        cmocka_unit_test(test_a_paper_grid_needs_six_columns),
        cmocka_unit_test(test_the_claims_of_all_papers_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
