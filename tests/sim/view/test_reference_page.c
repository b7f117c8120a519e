/* test_reference_page.c - Tests of reference_page.c: each example is a value
 * that its key accepts. */
#include "sim/view/list_topics.h"
#include "sim/view/reference_page.h"
#include "tests/config/config_parse.h"

/* Reads "KEY: EXAMPLE" by a table with @field alone.  A table with a required
 * key inside a file that does not exist is left out by its type. */
static void check_example(const ConfigField *field)
{
    ConfigField fields[] = { *field, CONFIG_END };
    g_autofree char *example = reference_example_text(field);
    g_autofree char *yaml = g_strdup_printf("%s: %s", field->key, example);
    g_autofree guint8 *values = g_malloc0(64 * 1024);
    g_autoptr(ConfigDoc) doc = parse_valid_yaml("example.yaml", yaml);
    g_autoptr(GError) error = NULL;

    fields[0].interned_offset = 0; /* in a struct that is not divided */
    if (!config_doc_read(doc, fields, values, &error))
        fail_msg("%s: %s", yaml, error->message);
}

static guint check_examples(const ConfigField *fields)
{
    guint n = 0;

    for (const ConfigField *field = fields; field && field->key; field++) {
        const ConfigField *item = field->item ? field->item : field;

        if (field->type <= CONFIG_ENUM) {
            check_example(field);
            n++;
        } else if (item->type == CONFIG_SECTION) {
            n += check_examples(item->fields);
        }
    }
    return n;
}

static void test_each_example_of_a_value_is_accepted(void **state)
{
    guint n = 0;

    (void)state;
    for (const ListTopic *topic = topics; topic->name; topic++) {
        n += check_examples(topic->fields);
        for (guint i = 0; topic->registry && topic->registry->kinds[i]; i++)
            n += check_examples(topic->registry->kinds[i]->fields);
    }
    assert_true(n > 300);
}

static void test_an_example_is_the_default_or_a_usual_value(void **state)
{
    static const char *const words[] = { "first", "second", NULL };
    static const ConfigField item = { .type = CONFIG_COUNT, .min = 7 };
    const struct {
        ConfigField field;
        const char *example;
    } cases[] = {
        { { .key = "a", .type = CONFIG_TIME, .fallback = "5 us" }, "5 us" },
        { { .key = "a", .type = CONFIG_TIME }, "1 us" },
        { { .key = "a", .type = CONFIG_BYTES, .max = 1024 }, "1 KiB" },
        { { .key = "a",
            .type = CONFIG_COUNT,
            .min = 9,
            .fallback = CONFIG_AUTO_WORD },
          "9" },
        { { .key = "a", .type = CONFIG_BOOL, .fallback = "true" }, "false" },
        { { .key = "a",
            .type = CONFIG_ENUM,
            .names = words,
            .fallback = "first" },
          "second" },
        { { .key = "a", .type = CONFIG_LIST, .item = &item, .min = 2 },
          "[7, 7]" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = reference_example_text(&cases[i].field);

        assert_string_equal(text, cases[i].example);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_example_of_a_value_is_accepted),
        cmocka_unit_test(test_an_example_is_the_default_or_a_usual_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
