/* json_schema.c - checks each keyword of a JSON Schema by one function */
#include "tests/core/json_schema.h"

#include <string.h>

/* A keyword of the schema and the value that it constrains. */
typedef struct {
    const JsonValue *root, *schema, *word, *value;
} Case;

static char *check_value_against_schema(const Case *c, const JsonValue *schema,
                                        const JsonValue *value)
{
    return json_schema_check(c->root, schema, value);
}

static double json_number_value(const JsonValue *value)
{
    return g_ascii_strtod(value->text, NULL);
}

/* ---- schema keywords of numbers and texts -------------------------------- */

static gboolean value_has_json_type(const JsonValue *value, const char *type)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "boolean",
        [JSON_NUMBER] = "number", [JSON_STRING] = "string",
        [JSON_ARRAY] = "array",   [JSON_OBJECT] = "object",
    };

    if (g_str_equal(type, "integer"))
        return value->kind == JSON_NUMBER && !strpbrk(value->text, ".eE");
    return g_str_equal(type, names[value->kind]);
}

static char *check_type_keyword(const Case *c)
{
    if (c->word->kind == JSON_STRING)
        return value_has_json_type(c->value, c->word->text)
                   ? NULL
                   : g_strdup_printf("no %s", c->word->text);
    for (guint i = 0; i < json_value_n_items(c->word); i++)
        if (value_has_json_type(c->value, json_value_item(c->word, i)->text))
            return NULL;
    return g_strdup("of no such type");
}

static gboolean json_values_are_equal(const JsonValue *a, const JsonValue *b)
{
    return a->kind == b->kind && g_strcmp0(a->text, b->text) == 0;
}

static char *check_const_keyword(const Case *c)
{
    return json_values_are_equal(c->word, c->value)
               ? NULL
               : g_strdup_printf("not '%s'", c->word->text);
}

static char *check_enum_keyword(const Case *c)
{
    for (guint i = 0; i < json_value_n_items(c->word); i++)
        if (json_values_are_equal(json_value_item(c->word, i), c->value))
            return NULL;
    return g_strdup("none of the words");
}

static char *check_pattern_keyword(const Case *c)
{
    return c->value->kind != JSON_STRING ||
                   g_regex_match_simple(c->word->text, c->value->text,
                                        G_REGEX_DOLLAR_ENDONLY, 0)
               ? NULL
               : g_strdup_printf("'%s' has not the form", c->value->text);
}

static char *check_minimum_keyword(const Case *c)
{
    return c->value->kind != JSON_NUMBER ||
                   json_number_value(c->value) >= json_number_value(c->word)
               ? NULL
               : g_strdup("too small");
}

static char *check_maximum_keyword(const Case *c)
{
    return c->value->kind != JSON_NUMBER ||
                   json_number_value(c->value) <= json_number_value(c->word)
               ? NULL
               : g_strdup("too large");
}

static char *check_min_length_keyword(const Case *c)
{
    return c->value->kind != JSON_STRING || *c->value->text != '\0'
               ? NULL
               : g_strdup("empty");
}

/* ---- schema keywords of maps and lists ----------------------------------- */

static char *check_required_keys(const Case *c)
{
    for (guint i = 0;
         c->value->kind == JSON_OBJECT && i < json_value_n_items(c->word);
         i++) {
        const char *key = json_value_item(c->word, i)->text;

        if (!json_value_at(c->value, key))
            return g_strdup_printf("no '%s'", key);
    }
    return NULL;
}

static char *prefix_fault_with_key(const char *key, char *fault)
{
    char *text = fault ? g_strdup_printf("%s: %s", key, fault) : NULL;

    g_free(fault);
    return text;
}

static char *check_properties_keyword(const Case *c)
{
    for (guint i = 0; c->value->keys && i < json_value_n_items(c->value); i++) {
        const char *key = g_ptr_array_index(c->value->keys, i);
        const JsonValue *schema = json_value_at(c->word, key);
        char *fault =
            schema ? prefix_fault_with_key(
                         key, check_value_against_schema(
                                  c, schema, json_value_item(c->value, i)))
                   : NULL;

        if (fault)
            return fault;
    }
    return NULL;
}

static char *check_additional_properties(const Case *c)
{
    const JsonValue *known = json_value_at(c->schema, "properties");

    for (guint i = 0; c->value->keys && i < json_value_n_items(c->value); i++) {
        const char *key = g_ptr_array_index(c->value->keys, i);
        char *fault;

        if (known && json_value_at(known, key))
            continue;
        if (c->word->kind == JSON_BOOL)
            return g_strdup_printf("'%s' is not known", key);
        fault = prefix_fault_with_key(
            key, check_value_against_schema(c, c->word,
                                            json_value_item(c->value, i)));
        if (fault)
            return fault;
    }
    return NULL;
}

static char *check_items_keyword(const Case *c)
{
    for (guint i = 0;
         c->value->kind == JSON_ARRAY && i < json_value_n_items(c->value);
         i++) {
        char *fault = check_value_against_schema(c, c->word,
                                                 json_value_item(c->value, i));

        if (fault)
            return prefix_fault_with_key("item", fault);
    }
    return NULL;
}

static char *check_min_count_keyword(const Case *c)
{
    return json_value_n_items(c->value) >= json_number_value(c->word)
               ? NULL
               : g_strdup("too few");
}

static char *check_max_count_keyword(const Case *c)
{
    return json_value_n_items(c->value) <= json_number_value(c->word)
               ? NULL
               : g_strdup("too many");
}

/* ---- schema keywords that combine schemas -------------------------------- */

/* Returns how many of the schemas match, and sets *@first to why the first one
 * does not. */
static guint count_matching_subschemas(const Case *c, char **first)
{
    guint n = 0;

    *first = NULL;
    for (guint i = 0; i < json_value_n_items(c->word); i++) {
        char *fault = check_value_against_schema(c, json_value_item(c->word, i),
                                                 c->value);

        n += fault == NULL;
        if (*first)
            g_free(fault);
        else
            *first = fault;
    }
    return n;
}

static char *check_any_of_keyword(const Case *c)
{
    char *fault;

    if (count_matching_subschemas(c, &fault) == 0)
        return prefix_fault_with_key("any", fault);
    g_free(fault);
    return NULL;
}

static char *check_one_of_keyword(const Case *c)
{
    char *fault;
    guint n = count_matching_subschemas(c, &fault);

    if (n == 0)
        return prefix_fault_with_key("one", fault);
    g_free(fault);
    return n == 1 ? NULL : g_strdup("more than one");
}

static char *check_all_of_keyword(const Case *c)
{
    char *fault;

    count_matching_subschemas(c, &fault);
    return fault;
}

const JsonValue *json_schema_resolve(const JsonValue *root, const char *ref)
{
    static const char prefix[] = "#/definitions/";

    g_assert_true(g_str_has_prefix(ref, prefix));
    return json_value_at(json_value_at(root, "definitions"),
                         ref + strlen(prefix));
}

static char *check_ref_keyword(const Case *c)
{
    const JsonValue *schema = json_schema_resolve(c->root, c->word->text);

    return schema ? check_value_against_schema(c, schema, c->value)
                  : g_strdup("leads nowhere");
}

static char *accept_any_value(const Case *c)
{
    (void)c;
    return NULL;
}

static const struct {
    const char *word;
    char *(*check_value_against_schema)(const Case *c);
} words[] = {
    { "$schema", accept_any_value },
    { "title", accept_any_value },
    { "description", accept_any_value },
    { "default", accept_any_value },
    { "definitions", accept_any_value },
    { "type", check_type_keyword },
    { "const", check_const_keyword },
    { "enum", check_enum_keyword },
    { "pattern", check_pattern_keyword },
    { "minimum", check_minimum_keyword },
    { "maximum", check_maximum_keyword },
    { "minLength", check_min_length_keyword },
    { "required", check_required_keys },
    { "properties", check_properties_keyword },
    { "additionalProperties", check_additional_properties },
    { "minProperties", check_min_count_keyword },
    { "items", check_items_keyword },
    { "minItems", check_min_count_keyword },
    { "maxItems", check_max_count_keyword },
    { "anyOf", check_any_of_keyword },
    { "oneOf", check_one_of_keyword },
    { "allOf", check_all_of_keyword },
    { "$ref", check_ref_keyword },
};

char *json_schema_check(const JsonValue *root, const JsonValue *schema,
                        const JsonValue *value)
{
    for (guint i = 0; i < json_value_n_items(schema); i++) {
        const char *word = g_ptr_array_index(schema->keys, i);
        const Case c = { root, schema, json_value_item(schema, i), value };
        guint k = 0;
        char *fault;

        while (k < G_N_ELEMENTS(words) && !g_str_equal(words[k].word, word))
            k++;
        fault = k < G_N_ELEMENTS(words)
                    ? words[k].check_value_against_schema(&c)
                    : g_strdup_printf("unknown word '%s'", word);
        if (fault)
            return fault;
    }
    return NULL;
}
