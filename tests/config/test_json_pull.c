/*
 * Tests of the pull parser of JSON: tokens, positions of errors, and
 * skipping. */
#include "tests/test.h"

#include <string.h>

#include "sim/config/json/pull_parser.h"

static Source *source_of_text(const char *text)
{
    return source_from_memory("x.json", text, strlen(text));
}

/* Returns the tokens as letters: { } [ ] and k (key), s (string), n (number),
 * t, f, 0 (null), . (end) and ! (error).  The caller frees the text. */
static char *token_letters_of_json(Source *source, GError **error)
{
    static const char letters[] = ".!{}[]ksntf0";
    g_autoptr(JsonPull) pull = json_pull_new(source);
    GString *out = g_string_new(NULL);
    PullToken token;

    do {
        token = json_pull_next_token(pull);
        g_string_append_c(out, letters[token]);
    } while (token != PULL_END && token != PULL_ERROR);
    assert_int_equal(json_pull_report_error(pull, error), token == PULL_END);
    return g_string_free(out, FALSE);
}

static void assert_token_letters(const char *text, const char *letters)
{
    g_autoptr(Source) source = source_of_text(text);
    g_autoptr(GError) error = NULL;
    g_autofree char *found = token_letters_of_json(source, &error);

    assert_no_error(error);
    assert_string_equal(found, letters);
}

static void json_values_are_read_as_tokens(void **state)
{
    (void)state;
    assert_token_letters("{}", "{}.");
    assert_token_letters(" [ ] ", "[].");
    assert_token_letters("3", "n.");
    assert_token_letters("{\"a\":1,\"b\":[true,false,null,\"x\",{}]}",
                         "{knk[tf0s{}]}.");
    assert_token_letters("[[1],\n[2 , -3.5e+7]\t]", "[[n][nn]].");
    assert_token_letters("[NaN, Infinity, -Infinity, inf, -nan]", "[nnnnn].");
}

static void assert_decoded_text(const char *json, const char *expected, gsize n)
{
    g_autoptr(Source) source = source_of_text(json);
    g_autoptr(JsonPull) pull = json_pull_new(source);
    const char *text;
    gsize n_text;

    assert_int_equal(json_pull_next_token(pull), PULL_STRING);
    text = json_pull_text(pull, &n_text);
    assert_int_equal(n_text, n);
    assert_memory_equal(text, expected, n);
    assert_int_equal(json_pull_next_token(pull), PULL_END);
}

static void escapes_in_json_texts_are_decoded(void **state)
{
    (void)state;
    assert_decoded_text("\"\"", "", 0);
    assert_decoded_text("\"abc\"", "abc", 3);
    assert_decoded_text("\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te\"",
                        "a\"b\\c/d\b\f\n\r\te", 13);
    assert_decoded_text("\"\\u00e9\\u20ac!\"", "\xc3\xa9\xe2\x82\xac!", 6);
    assert_decoded_text("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 4);
    assert_decoded_text("\"x\\u0000y\"", "x\0y", 3);
    assert_decoded_text("\"\xff\"", "\xff", 1);
}

static void
half_a_surrogate_pair_becomes_the_replacement_character(void **state)
{
    (void)state;
    assert_decoded_text("\"\\ud83d\"", "\xef\xbf\xbd", 3);
    assert_decoded_text("\"\\ude00\"", "\xef\xbf\xbd", 3);
    assert_decoded_text("\"\\ud83dx\\ude00\"", "\xef\xbf\xbdx\xef\xbf\xbd", 7);
    assert_decoded_text("\"\\ud83d\\n\\ude00\"", "\xef\xbf\xbd\n\xef\xbf\xbd",
                        7);
    assert_decoded_text("\"\\ud83d\\ud83d\\ude00\"",
                        "\xef\xbf\xbd\xf0\x9f\x98\x80", 7);
}

static void json_keys_are_found_in_a_table(void **state)
{
    static const JsonName names[] = { JSON_NAME("ts"), JSON_NAME("args"),
                                      JSON_NAME("a\"b"), JSON_NAMES_END };
    g_autoptr(Source) source = source_of_text(
        "{\"t\":[[{}],\"]\\\"\"],\"ts\":7,\"u\":\"\\\\\",\n\"args\":"
        "{\"ts\":1}, \"v\":-1.5, \"a\\\"b\":[8,9]}");
    g_autoptr(JsonPull) pull = json_pull_new(source);
    g_autoptr(GError) error = NULL;
    guint key = 9;
    uint64_t value;

    (void)state;
    assert_true(json_pull_enter_container(pull, PULL_OBJECT));
    assert_true(json_pull_next_key(pull, names, &key));
    assert_int_equal(key, 0);
    assert_int_equal(json_pull_next_scalar(pull), PULL_NUMBER);
    assert_true(json_pull_u64(pull, &value));
    assert_int_equal(value, 7);
    assert_true(json_pull_next_key(pull, names, &key));
    assert_int_equal(key, 1);
    assert_int_equal(json_pull_token_line(pull), 2);
    assert_int_equal(json_pull_next_scalar(pull), PULL_OBJECT);
    assert_true(json_pull_next_key(pull, names, &key));
    assert_int_equal(key, 2);
    assert_false(json_pull_enter_container(pull, PULL_OBJECT));
    assert_false(json_pull_next_key(pull, names, &key));
    assert_int_equal(json_pull_next_token(pull), PULL_END);
    assert_true(json_pull_report_error(pull, &error));
}

static void the_rest_of_a_json_container_can_be_skipped(void **state)
{
    static const JsonName names[] = { JSON_NAME("b"), JSON_NAMES_END };
    g_autoptr(Source) source =
        source_of_text("[{\"a\":1,\"b\":2,\"c\":[{\"}\":3}]}, 4]");
    g_autoptr(JsonPull) pull = json_pull_new(source);
    guint key;

    (void)state;
    assert_true(json_pull_enter_container(pull, PULL_ARRAY));
    assert_true(json_pull_next_item(pull));
    assert_true(json_pull_next_key(pull, names, &key));
    json_pull_leave_container(pull);
    assert_true(json_pull_next_item(pull));
    assert_true(json_pull_text_is(pull, "4"));
    json_pull_leave_container(pull);
    assert_int_equal(json_pull_next_token(pull), PULL_END);
}

/* ---- a JSON file larger than the window ---------------------------------- */

/* Returns an array of objects of many sizes, so that windows end within every
 * kind of token. */
static GString *long_json_text(guint n)
{
    GString *text = g_string_new("[");

    for (guint i = 0; i < n; i++)
        g_string_append_printf(
            text, "%s{\"n\":%u,\"t\":\"%*s\\n\\u20ac\",\"a\":[true, %u.5]}",
            i ? (i % 7 ? "," : ",\n") : "", i, (int)(i % 37), "", i);
    g_string_append(text, "]");
    return text;
}

static void assert_long_json_reads(Source *source, guint n, gboolean is_skipped)
{
    static const JsonName names[] = { JSON_NAME("n"), JSON_NAME("t"),
                                      JSON_NAMES_END };
    g_autoptr(JsonPull) pull = json_pull_new(source);
    uint64_t value;
    guint key, i = 0;
    gsize n_text;

    assert_true(json_pull_enter_container(pull, PULL_ARRAY));
    for (; json_pull_next_item(pull); i++) {
        if (is_skipped && i % 3) {
            json_pull_skip_value(pull);
            continue;
        }
        assert_true(json_pull_next_key(pull, names, &key));
        assert_int_equal(json_pull_next_scalar(pull), PULL_NUMBER);
        assert_true(json_pull_u64(pull, &value));
        assert_int_equal(value, i);
        assert_int_equal(json_pull_token_line(pull), 1 + (i ? i / 7 : 0));
        assert_true(json_pull_next_key(pull, names, &key));
        assert_int_equal(json_pull_next_scalar(pull), PULL_STRING);
        json_pull_text(pull, &n_text);
        assert_int_equal(n_text, i % 37 + 4);
        json_pull_leave_container(pull);
    }
    assert_int_equal(json_pull_next_token(pull), PULL_END);
    assert_int_equal(i, n);
}

static void json_tokens_may_cross_the_end_of_the_window(void **state)
{
    const guint n = 20000;
    g_autoptr(GString) text = long_json_text(n);
    g_autofree char *path =
        g_build_filename(g_get_tmp_dir(), "long.json", NULL);
    g_autoptr(Source) source = NULL;

    (void)state;
    assert_true(text->len > 3 * 256 * 1024);
    assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
    source = source_open(path, NULL);
    assert_long_json_reads(source, n, FALSE);
    assert_true(source_rewind(source));
    assert_long_json_reads(source, n, TRUE);
}

/* ---- errors in JSON files ------------------------------------------------ */

static void assert_json_refused(const char *text, const char *message)
{
    g_autoptr(Source) source = source_of_text(text);
    g_autoptr(GError) error = NULL;
    g_autofree char *letters = token_letters_of_json(source, &error);

    assert_true(g_str_has_suffix(letters, "!"));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX, message);
}

static void json_errors_have_their_position(void **state)
{
    (void)state;
    assert_json_refused("", "x.json:1:1: the file ends too early");
    assert_json_refused("[1,\n 2", "x.json:2:3: the file ends too early");
    assert_json_refused("{\"a\"", "x.json:1:5: the file ends behind a key");
    assert_json_refused("{\"a\":", "x.json:1:6: the file ends behind a key");
    assert_json_refused("{\"a\" 1}", "x.json:1:6: a colon is due here");
    assert_json_refused("{\"a\":1 \"b\"}",
                        "x.json:1:8: ',' or '}' is due here");
    assert_json_refused("[1}", "x.json:1:3: ',' or ']' is due here");
    assert_json_refused("[1,]",
                        "x.json:1:4: JSON has no comma after the last item");
    assert_json_refused("[]]", "x.json:1:3: something stands behind the end");
    assert_json_refused("[,1]", "x.json:1:2: a value is due here");
    assert_json_refused("[1 /* */]", "x.json:1:4: JSON has no comments");
    assert_json_refused("{\"a\" # b\n:1}", "x.json:1:6: JSON has no comments");
    assert_json_refused("{'a':1}",
                        "x.json:1:2: JSON has double quotes, not single ones");
    assert_json_refused("{1:2}", "x.json:1:2: a key in quotes is due here");
    assert_json_refused("{\"a\":1,}",
                        "x.json:1:8: JSON has no comma after the last item");
    assert_json_refused("[1] 2", "x.json:1:5: something stands behind the end");
    assert_json_refused(
        "\n\n [tru]",
        "x.json:3:3: this is no number, text, true, false or null");
    assert_json_refused(
        "[1-2]", "x.json:1:2: this is no number, text, true, false or null");
    assert_json_refused("\"ab", "x.json:1:4: the file ends within a text");
    assert_json_refused("\"a\\", "x.json:1:4: the file ends within a text");
    assert_json_refused("\"a\nb\"",
                        "x.json:1:3: a control character within a text");
    assert_json_refused("\"a\\x\"", "x.json:1:4: there is no such escape");
    assert_json_refused("\"\\u12g4\"",
                        "x.json:1:6: \\u has four hexadecimal digits");
}

static void a_strict_parser_takes_only_json(void **state)
{
    static const char *const good[] = { "0",     "-0",   "0.5",  "10",   "1e05",
                                        "-0e+0", "true", "null", "false" };
    static const char *const bad[] = { "064", "-01",      "00",   "NaN",  "nan",
                                       "inf", "Infinity", "True", "NULL", "1.",
                                       ".5",  "+1",       "0x1",  "1e" };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(good) + G_N_ELEMENTS(bad); i++) {
        gboolean is_good = i < G_N_ELEMENTS(good);
        g_autofree char *text = g_strdup_printf(
            "[%s]", is_good ? good[i] : bad[i - G_N_ELEMENTS(good)]);
        g_autoptr(Source) source = source_of_text(text);
        g_autoptr(JsonPull) pull = json_pull_new(source);

        json_pull_set_strict(pull);
        json_pull_next_token(pull);
        if ((json_pull_next_token(pull) != PULL_ERROR) != is_good)
            fail_msg("%s", text);
    }
}

static void errors_in_skipped_json_values_are_found(void **state)
{
    static const char *const texts[] = { "[1,\n{\"a\"]]", "[1,\n{[}]]",
                                         "[\"a\n\"]", "[\"a\\", "[1" };
    static const char *const messages[] = {
        "x.json:2:5: ']' closes an object", "x.json:2:3: '}' closes an array",
        "x.json:1:4: a control character within a text",
        "x.json:1:5: the file ends within a text",
        "x.json:1:3: the file ends too early"
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(Source) source = source_of_text(texts[i]);
        g_autoptr(JsonPull) pull = json_pull_new(source);
        g_autoptr(GError) error = NULL;

        assert_int_equal(json_pull_next_token(pull), PULL_ARRAY);
        json_pull_skip_value(pull);
        assert_int_equal(json_pull_next_token(pull), PULL_ERROR);
        assert_false(json_pull_report_error(pull, &error));
        assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX, messages[i]);
    }
}

static void json_depth_and_text_length_are_bounded(void **state)
{
    g_autofree char *deep = g_strnfill(65, '[');
    g_autofree char *word = g_strnfill(65, '1');
    g_autofree char *spaces = g_strnfill(JSON_MAX_TEXT + 1, ' ');
    g_autofree char *text = g_strdup_printf("\"%s\"", spaces);
    g_autofree char *escaped = g_strdup_printf("\"\\n%s\"", spaces);

    (void)state;
    assert_json_refused(deep, "x.json:1:65: nested deeper than 64");
    assert_json_refused(
        word, "x.json:1:1: this is no number, text, true, false or null");
    assert_json_refused(text, "x.json:1:1048579: a text is longer than 1 MiB");
    assert_json_refused(escaped,
                        "x.json:1:1048581: a text is longer than 1 MiB");
    deep[64] = '\0';
    assert_json_refused(deep, "x.json:1:65: the file ends too early");
}

static void a_reader_can_report_an_error_at_a_json_token(void **state)
{
    g_autoptr(Source) source = source_of_text("[1,\n  2,3]");
    g_autoptr(JsonPull) pull = json_pull_new(source);
    g_autoptr(GError) error = NULL;

    (void)state;
    json_pull_next_token(pull);
    json_pull_next_token(pull);
    json_pull_next_token(pull);
    assert_false(json_pull_has_error(pull));
    json_pull_set_error(pull, CONFIG_ERROR_RANGE, "not %d", 2);
    assert_true(json_pull_has_error(pull));
    json_pull_set_error(pull, CONFIG_ERROR_RANGE, "and not that");
    assert_int_equal(json_pull_token(pull), PULL_ERROR);
    assert_int_equal(json_pull_next_token(pull), PULL_ERROR);
    json_pull_skip_value(pull);
    json_pull_leave_container(pull);
    assert_false(json_pull_report_error(pull, &error));
    assert_gerror(error, CONFIG_ERROR, CONFIG_ERROR_RANGE, "x.json:2:3: not 2");
}

static void the_error_of_a_damaged_source_is_reported(void **state)
{
    g_autoptr(Source) source = source_from_memory("x.gz", "\x1f\x8b\x08", 3);
    g_autoptr(JsonPull) pull = json_pull_new(source);
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_int_equal(json_pull_next_token(pull), PULL_ERROR);
    assert_false(json_pull_report_error(pull, &error));
    assert_gerror(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                  "x.gz: cannot be read: it is compressed by gzip and cut "
                  "short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_values_are_read_as_tokens),
        cmocka_unit_test(escapes_in_json_texts_are_decoded),
        cmocka_unit_test(
            half_a_surrogate_pair_becomes_the_replacement_character),
        cmocka_unit_test(json_keys_are_found_in_a_table),
        cmocka_unit_test(the_rest_of_a_json_container_can_be_skipped),
        cmocka_unit_test(json_tokens_may_cross_the_end_of_the_window),
        cmocka_unit_test(json_errors_have_their_position),
        cmocka_unit_test(a_strict_parser_takes_only_json),
        cmocka_unit_test(errors_in_skipped_json_values_are_found),
        cmocka_unit_test(json_depth_and_text_length_are_bounded),
        cmocka_unit_test(a_reader_can_report_an_error_at_a_json_token),
        cmocka_unit_test(the_error_of_a_damaged_source_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
