/* Tests of sim/core/csv.c */
#include "tests/test.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "sim/core/csv.h"

#define assert_csv_error(error, code, message)                                 \
    assert_gerror(error, CSV_ERROR, code, message)

static CsvTable *parse_csv_text(const char *text, GError **error)
{
    return csv_table_parse("t.csv", text, strlen(text), error);
}

static void test_csv_cells_are_quoted_only_if_necessary(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    csv_add_text(out, "plain text");
    csv_add_text(out, "a,b");
    csv_add_text(out, "say \"x\"");
    csv_add_text(out, "two\nlines");
    csv_end_row(out);
    assert_string_equal(
        out->str, "plain text,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n");
}

/* A spreadsheet shows any cell as text, and reading restores the text. */
static void test_no_csv_cell_begins_like_a_spreadsheet_formula(void **state)
{
    static const char *const cells[][2] = {
        { "=1+1", "'=1+1" },
        { "=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0" },
        { "@SUM(1)", "'@SUM(1)" },
        { "+x", "'+x" },
        { "-2+3", "'-2+3" },
        { "-1 GB/s", "'-1 GB/s" },
        { "\t=1", "'\t=1" },
        { "\r=1", "\"'\r=1\"" },
        { "=1,2", "\"'=1,2\"" },
        { "'=1", "''=1" },
        { "''-x", "'''-x" },
        { "--1", "'--1" },
        { "1.2.3", "1.2.3" },
        { "-", "-" },
        { "'-", "''-" },
        { "-1", "-1" },
        { "+2.5", "+2.5" },
        { "-1.5e-09", "-1.5e-09" },
        { "-1e", "'-1e" },
        { "'plain'", "'plain'" },
        { "a=b", "a=b" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
        g_autoptr(GString) out = g_string_new("name,b\n");
        g_autofree char *line = g_strdup_printf("name,b\n%s,1\n", cells[i][1]);
        g_autoptr(CsvTable) table = NULL;
        g_autoptr(GError) error = NULL;

        csv_add_text(out, cells[i][0]);
        csv_add_u64(out, 1);
        csv_end_row(out);
        assert_string_equal(out->str, line);
        table = csv_table_parse("t.csv", out->str, out->len, &error);
        assert_no_error(error);
        assert_string_equal(csv_table_text(table, 0, 0), cells[i][0]);
    }
}

static void test_empty_csv_cells_are_kept_in_any_position(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    csv_add_empty(out);
    csv_add_u64(out, UINT64_MAX);
    csv_add_empty(out);
    csv_end_row(out);
    csv_end_row(out);
    assert_string_equal(out->str, ",18446744073709551615,\n\n");
}

static void test_fixed_point_output_needs_no_floating_point(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    csv_add_fixed(out, 1234567, 6);
    csv_add_fixed(out, 7, 3);
    csv_add_fixed(out, 0, 2);
    csv_add_fixed(out, 42, 0);
    csv_add_fixed(out, UINT64_MAX, 12);
    csv_add_fixed(out, 1, 22);
    csv_end_row(out);
    assert_string_equal(out->str, "1.234567,0.007,0.00,42,"
                                  "18446744.073709551615,"
                                  "0.0000000000000000000001\n");
}

static void test_ratios_round_half_away_from_zero(void **state)
{
    g_autoptr(GString) out = g_string_new(NULL);

    (void)state;
    csv_add_ratio(out, 1, 3, 4);
    csv_add_ratio(out, 2, 3, 4);
    csv_add_ratio(out, 1, 8, 2);
    csv_add_ratio(out, 1999, 1000, 2);
    csv_add_ratio(out, 3, 2, 0);
    csv_add_ratio(out, 5, 0, 3);
    csv_add_ratio(out, UINT64_MAX, 1, 19);
    csv_add_ratio(out, UINT64_MAX, UINT64_MAX, 2);
    csv_end_row(out);
    assert_string_equal(out->str,
                        "0.3333,0.6667,0.13,2.00,2,0.000,"
                        "18446744073709551615.0000000000000000000,1.00\n");
}

static void test_written_csv_cells_read_back_the_same(void **state)
{
    static const char *const cells[] = { "name",   "a,b", "\"",      "x\r\ny",
                                         "\"\"\n", " ",   "plain x", "" };
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(GError) error = NULL;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++)
        csv_add_u64(out, i);
    csv_end_row(out);
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++)
        csv_add_text(out, cells[i]);
    csv_end_row(out);
    table = parse_csv_text(out->str, &error);
    assert_no_error(error);
    assert_int_equal(csv_table_n_rows(table), 1);
    assert_int_equal(csv_table_n_columns(table), G_N_ELEMENTS(cells));
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++)
        assert_string_equal(csv_table_text(table, 0, i), cells[i]);
}

/* A text that begins with a byte order mark is quoted.  Otherwise the reader
 * would take the mark of the first cell for that of the file. */
static void test_a_byte_order_mark_in_a_csv_cell_reads_back(void **state)
{
    static const char *const cells[] = { "\xef\xbb\xbfn", "\xef\xbb\xbf",
                                         "\xef\xbb\xbf=1", "a\xef\xbb\xbf" };
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(GError) error = NULL;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++)
        csv_add_text(out, cells[i]);
    csv_end_row(out);
    assert_true(g_str_has_prefix(out->str, "\"\xef\xbb\xbfn\","));
    table = parse_csv_text(out->str, &error);
    assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++)
        assert_string_equal(csv_table_column_name(table, i), cells[i]);
}

static void test_csv_columns_are_found_by_name(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table =
        parse_csv_text("\xef\xbb\xbfn,time_us\r\n8,1.5\r\n16,-2e-3", &error);
    double value = 0;
    guint column = 9;

    (void)state;
    assert_no_error(error);
    assert_int_equal(csv_table_n_rows(table), 2);
    assert_string_equal(csv_table_column_name(table, 0), "n");
    assert_true(csv_table_column(table, "time_us", &column, NULL));
    assert_int_equal(column, 1);
    assert_true(csv_table_number(table, 1, column, &value, NULL));
    assert_true(fabs(value + 0.002) < 1e-15);
    assert_false(csv_table_column(table, "tme_us", &column, &error));
    assert_csv_error(error, CSV_ERROR_COLUMN,
                     "t.csv:1: no column 'tme_us'; did you mean 'time_us'?");
    assert_false(csv_table_column(table, "bandwidth", &column, &error));
    assert_csv_error(error, CSV_ERROR_COLUMN,
                     "t.csv:1: no column 'bandwidth'; columns: n, time_us");
}

static void test_a_csv_number_is_the_whole_cell_and_finite(void **state)
{
    static const char *const bad[] = { "",   "abc", "1 GB", " 1",
                                       "1 ", "nan", "inf",  "1e999" };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;
        g_autofree char *text =
            g_strdup_printf("n,x\n\"a\nb\",1\n5,%s\n", bad[i]);
        g_autofree char *message =
            g_strdup_printf("t.csv:4: x: expected a number, got '%s'", bad[i]);
        g_autoptr(CsvTable) table = parse_csv_text(text, NULL);
        double value;

        assert_false(csv_table_number(table, 1, 1, &value, &error));
        assert_csv_error(error, CSV_ERROR_SYNTAX, message);
    }
}

static void test_broken_csv_files_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "t.csv:1: the file is empty" },
        { "\xef\xbb\xbf", "t.csv:1: the file is empty" },
        { "a,b\n1,2\n3\n", "t.csv:3: expected 2 cells, got 1" },
        { "a,b\n1,2,3\n", "t.csv:2: expected 2 cells, got 3" },
        { "a,b\n1,2\n\n", "t.csv:3: expected 2 cells, got 1" },
        { "a,b,a\n", "t.csv:1: column 'a' is given twice" },
        { "a,,b\n", "t.csv:1: column 2 has no name" },
        { "a\n1\n\"x\ny\n", "t.csv:3: a quote is opened and not closed" },
        { "a\n\"x\"y\n", "t.csv:2: text follows a closing quote" },
        { "a\nx\"y\"\n", "t.csv:2: a quote stands inside a cell that does not "
                         "begin with one" },
        { "a\nb\033[2J\n", "t.csv:2: control characters are not allowed" },
        { "a\n\xc2\x9b\n", "t.csv:2: control characters are not allowed" },
        { "a\n\xff\n", "t.csv:2: the byte 0xff is not UTF-8 text" },
    };
    GError *error = NULL;

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_null(parse_csv_text(cases[i].text, &error));
        assert_csv_error(error, CSV_ERROR_SYNTAX, cases[i].message);
    }
    assert_null(csv_table_parse("t.csv", "a\n\0", 3, &error));
    assert_csv_error(error, CSV_ERROR_SYNTAX,
                     "t.csv:2: the byte 0x00 is not UTF-8 text");
    assert_null(csv_table_load("/nonexistent.csv", &error));
    assert_csv_error(error, CSV_ERROR_FILE,
                     "/nonexistent.csv: cannot be read: No such file or "
                     "directory");
    assert_null(csv_table_load("/dev/zero", &error));
    assert_csv_error(error, CSV_ERROR_FILE,
                     "/dev/zero: cannot be read: it is a device, pipe or "
                     "socket; give a regular file");
}

static void test_a_csv_file_is_read_like_a_text(void **state)
{
    g_autofree char *folder = g_dir_make_tmp("acesim-csv-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.csv", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(CsvTable) table = NULL;

    (void)state;
    assert_true(g_file_set_contents(path, "a,b\n1,2\n", -1, NULL));
    table = csv_table_load(path, &error);
    assert_no_error(error);
    assert_string_equal(csv_table_text(table, 0, 1), "2");
    g_unlink(path);
    g_rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv_cells_are_quoted_only_if_necessary),
        cmocka_unit_test(test_no_csv_cell_begins_like_a_spreadsheet_formula),
        cmocka_unit_test(test_empty_csv_cells_are_kept_in_any_position),
        cmocka_unit_test(test_fixed_point_output_needs_no_floating_point),
        cmocka_unit_test(test_ratios_round_half_away_from_zero),
        cmocka_unit_test(test_written_csv_cells_read_back_the_same),
        cmocka_unit_test(test_a_byte_order_mark_in_a_csv_cell_reads_back),
        cmocka_unit_test(test_csv_columns_are_found_by_name),
        cmocka_unit_test(test_a_csv_number_is_the_whole_cell_and_finite),
        cmocka_unit_test(test_broken_csv_files_are_refused_with_their_line),
        cmocka_unit_test(test_a_csv_file_is_read_like_a_text),
    };

    return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
