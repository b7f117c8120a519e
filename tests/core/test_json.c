/* Tests of sim/core/json_writer.h and json_rows.h: results as valid JSON with
 * the values of the CSV */
#include <string.h>

#include "sim/study/rows/run_rows.h"
#include "sim/view/json_rows.h"
#include "tests/core/json_value.h"
#include "tests/system_fixture.h"

static JsonValue *parse_json_text(const GString *text)
{
    gsize where;
    JsonValue *value = json_value_parse(text->str, &where);

    if (!value)
        fail_msg("no JSON: %.60s", text->str + where);
    return value;
}

static void test_any_text_reads_back_from_json(void **state)
{
    static const char odd[] = "a \"b\" \\ \n\t\x01\x7f / \xc3\xa4 '";
    g_autoptr(GString) out = g_string_new(NULL);
    Json json = { .out = out };
    g_autoptr(JsonValue) value = NULL;

    (void)state;
    json_begin_object(&json, NULL);
    json_add_text(&json, odd, odd);
    json_begin_array(&json, "empty");
    json_end_array(&json);
    json_begin_array(&json, "items");
    json_add_u64(&json, NULL, UINT64_MAX);
    json_add_bool(&json, NULL, TRUE);
    json_end_array(&json);
    json_end_object(&json);
    value = parse_json_text(out);
    assert_int_equal(json_value_n_items(value), 3);
    assert_string_equal(json_value_at(value, odd)->text, odd);
    assert_int_equal(json_value_n_items(json_value_at(value, "empty")), 0);
    assert_string_equal(json_value_item(json_value_at(value, "items"), 0)->text,
                        "18446744073709551615");
}

static void test_invalid_utf8_in_json_is_replaced(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    json_append_quoted(out, "a\xff");
    assert_string_equal(out->str, "\"a\xef\xbf\xbd\"");
}

static CsvTable *parse_csv_table(const char *text)
{
    GError *error = NULL;
    CsvTable *table = csv_table_parse("t.csv", text, strlen(text), &error);

    assert_no_error(error);
    return table;
}

static void test_json_has_the_names_and_values_of_csv(void **state)
{
    g_autoptr(CsvTable) table = parse_csv_table(
        "a_us,b_us,c_us,d_gb_per_s,e_bytes,n_npus,speedup,g,h_us,"
        "i_gb_per_s,j\n"
        "1.234567,0.000001,12.345,278.5,7,16,1.2500,x,,900,4x\n");
    const struct {
        const char *key, *text;
        JsonKind kind;
    } cases[] = {
        { "a_us", "1.234567", JSON_NUMBER },
        { "b_us", "0.000001", JSON_NUMBER },
        { "c_us", "12.345", JSON_NUMBER },
        { "d_gb_per_s", "278.5", JSON_NUMBER },
        { "e_bytes", "7", JSON_NUMBER },
        { "n_npus", "16", JSON_NUMBER },
        { "speedup", "1.2500", JSON_NUMBER },
        { "g", "x", JSON_STRING },
        { "h_us", "null", JSON_NULL },
        /* The columns of axes are in no table. */
        { "i_gb_per_s", "900", JSON_NUMBER },
        { "j", "4x", JSON_STRING },
    };
    const Column columns[] = {
        { "a_us", UNIT_US, NULL },
        { "b_us", UNIT_US, NULL },
        { "c_us", UNIT_US, NULL },
        { "d_gb_per_s", UNIT_GB_PER_S, NULL },
        { "e_bytes", UNIT_BYTES, NULL },
        { "n_npus", UNIT_COUNT, NULL },
        { "speedup", UNIT_RATIO, NULL },
        { "h_us", UNIT_US, NULL },
        { 0 },
    };
    g_autoptr(GString) out = g_string_new(NULL);
    Json json = { .out = out };
    g_autoptr(JsonValue) value = NULL;

    (void)state;
    json_begin_object(&json, NULL);
    json_add_row(&json, columns, table, 0);
    json_end_object(&json);
    value = parse_json_text(out);
    assert_int_equal(json_value_n_items(value), G_N_ELEMENTS(cases));
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const JsonValue *cell = json_value_at(value, cases[i].key);

        assert_non_null(cell);
        assert_int_equal(cell->kind, cases[i].kind);
        assert_string_equal(cell->text, cases[i].text);
    }
}

/* Runs @setup and checks its JSON; returns the number of columns. */
static guint check_json_of_run(const Setup *setup)
{
    const char *text = setup_text(setup);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("run.yaml", text, strlen(text), &error);
    g_autoptr(System) system = NULL;
    g_autoptr(JsonValue) value = NULL;
    g_autofree char *us = NULL;
    SystemConfig config;
    GString *json;
    g_autoptr(GString) rows = g_string_new(NULL);
    guint n = 1;

    assert_no_error(error);
    assert_true(config_doc_read(doc, system_fields, &config, &error));
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_true(system && system_run(system, &error));
    rows_append(rows, ROWS_RUNS, NULL, &config, system, NULL);
    for (const char *p = rows->str; *p != '\n'; p++)
        n += *p == ',';
    json = json_run_text("run.yaml", &config, system, NULL);
    value = parse_json_text(json);
    g_string_free(json, TRUE);
    us = g_strdup_printf("%" G_GUINT64_FORMAT ".%06" G_GUINT64_FORMAT,
                         system_result(system).iteration_ps / 1000000,
                         system_result(system).iteration_ps % 1000000);
    /* The format, the version, the configuration, and whether the run was
     * folded. */
    assert_int_equal(json_value_n_items(value), n + 4);
    assert_string_equal(json_value_at(value, "config")->text, "run.yaml");
    assert_string_equal(json_value_at(value, "iteration_time_us")->text, us);
    assert_string_equal(json_value_at(value, "format")->text, "2");
    return n;
}

/* Only language models have all columns. */
static void test_json_of_a_run_has_a_key_for_each_column(void **state)
{
    const Setup model = {
        .workload =
            "{kind: transformer, model: {name: m, layers: 4, hidden: 64, "
            "heads: 8, ffn: 96, vocabulary: 104}, sequence: 32, batch: "
            "{global: 8}}",
    };
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    g_autofree const char **names = columns_list_names(columns, TRUE);
    guint n = g_strv_length((char **)names);

    (void)state;
    assert_int_equal(check_json_of_run(&model), n);
    assert_in_range(check_json_of_run(&(Setup){ 0 }), 20, n - 20);
}

static void test_json_of_a_comparison_has_its_pairs_and_means(void **state)
{
    g_autoptr(CsvTable) table = parse_csv_table(
        "workload,n_npus,endpoint,iteration_time_us,"
        "compute_roofline_us\n"
        "a,4,base,30.000000,9.000000\na,4,ace,20.000000,8.000000\n"
        "a,8,base,40.000000,9.000000\na,8,ace,10.000000,8.000000\n");
    char *none[] = { NULL };
    GError *error = NULL;
    g_autoptr(Comparison) comparison = compare_sweep_table(
        table, "t.csv", &(CompareNames){ none, none, none, NULL }, &error);
    g_autoptr(JsonValue) value = NULL;
    const JsonValue *mean;
    GString *json;

    (void)state;
    assert_no_error(error);
    json = json_compare_text(comparison);
    value = parse_json_text(json);
    g_string_free(json, TRUE);
    assert_int_equal(json_value_n_items(json_value_at(value, "pairs")), 2);
    assert_int_equal(json_value_n_items(json_value_at(value, "means")), 1);
    mean = json_value_item(json_value_at(value, "means"), 0);
    assert_string_equal(json_value_at(mean, "offload")->text, "ace");
    assert_string_equal(json_value_at(mean, "mean_speedup")->text, "2.4495");
    assert_string_equal(json_value_at(mean, "max_speedup")->text, "4.0000");
    assert_string_equal(json_value_at(mean, "mean_ceiling")->text, "4.3301");
    assert_string_equal(json_value_at(mean, "mean_best_built_speedup")->text,
                        "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_text_reads_back_from_json),
        cmocka_unit_test(test_invalid_utf8_in_json_is_replaced),
        cmocka_unit_test(test_json_has_the_names_and_values_of_csv),
        cmocka_unit_test(test_json_of_a_run_has_a_key_for_each_column),
        cmocka_unit_test(test_json_of_a_comparison_has_its_pairs_and_means),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
