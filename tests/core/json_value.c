/* json_value.c - a recursive-descent parser of JSON */
#include "tests/core/json_value.h"

#include <string.h>

static JsonValue *parse_json_value(const char **p);

JsonValue *json_value_new(JsonKind kind, const char *text)
{
    JsonValue *value = g_new0(JsonValue, 1);

    value->kind = kind;
    value->text = g_strdup(text);
    if (kind == JSON_OBJECT)
        value->keys = g_ptr_array_new_with_free_func(g_free);
    if (kind == JSON_OBJECT || kind == JSON_ARRAY)
        value->values =
            g_ptr_array_new_with_free_func((GDestroyNotify)json_value_free);
    return value;
}

void json_value_free(JsonValue *value)
{
    if (!value)
        return;
    g_free(value->text);
    g_clear_pointer(&value->keys, g_ptr_array_unref);
    g_clear_pointer(&value->values, g_ptr_array_unref);
    g_free(value);
}

static void skip_json_blanks(const char **p)
{
    *p += strspn(*p, " \t\n\r");
}

static gboolean skip_expected_char(const char **p, char c)
{
    skip_json_blanks(p);
    if (**p != c)
        return FALSE;
    (*p)++;
    return TRUE;
}

/* ---- parsing of JSON strings --------------------------------------------- */

static gboolean parse_json_escape(const char **p, GString *out)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *name = **p != '\0' ? strchr(names, **p) : NULL;
    gunichar c = 0;

    if (name) {
        g_string_append_c(out, meant[name - names]);
        (*p)++;
        return TRUE;
    }
    if (**p != 'u')
        return FALSE;
    for (guint i = 1; i <= 4; i++) {
        if (!g_ascii_isxdigit((*p)[i]))
            return FALSE;
        c = c * 16 + (gunichar)g_ascii_xdigit_value((*p)[i]);
    }
    *p += 5;
    /* The program never writes surrogate pairs, so they are refused. */
    g_string_append_unichar(out, c);
    return c < 0xd800 || c > 0xdfff;
}

/* Returns NULL if there is no valid string. */
static char *parse_json_string(const char **p)
{
    g_autoptr(GString) out = g_string_new(NULL);

    if (!skip_expected_char(p, '"'))
        return NULL;
    while (**p != '"') {
        /* Control characters and the end of the text are refused. */
        if ((guchar) * *p < ' ')
            return NULL;
        if (**p != '\\') {
            g_string_append_c(out, *(*p)++);
            continue;
        }
        (*p)++;
        if (!parse_json_escape(p, out))
            return NULL;
    }
    (*p)++;
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* ---- parsing of JSON words and numbers ----------------------------------- */

static JsonValue *parse_json_word(const char **p)
{
    static const struct {
        const char *text;
        JsonKind kind;
    } words[] = { { "null", JSON_NULL },
                  { "true", JSON_BOOL },
                  { "false", JSON_BOOL } };

    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        if (!g_str_has_prefix(*p, words[i].text))
            continue;
        *p += strlen(words[i].text);
        return json_value_new(words[i].kind, words[i].text);
    }
    return NULL;
}

static gboolean skip_json_digits(const char **p)
{
    const char *first = *p;

    while (g_ascii_isdigit(**p))
        (*p)++;
    return *p > first;
}

/* A regular expression would scan the whole remaining text each time. */
static JsonValue *parse_json_number(const char **p)
{
    const char *first = *p;
    g_autofree char *text = NULL;

    *p += **p == '-';
    if (**p == '0')
        (*p)++;
    else if (!skip_json_digits(p))
        return NULL;
    if (**p == '.') {
        (*p)++;
        if (!skip_json_digits(p))
            return NULL;
    }
    if (**p == 'e' || **p == 'E') {
        (*p)++;
        *p += **p == '+' || **p == '-';
        if (!skip_json_digits(p))
            return NULL;
    }
    text = g_strndup(first, (gsize)(*p - first));
    return json_value_new(JSON_NUMBER, text);
}

/* ---- parsing of JSON arrays and objects ---------------------------------- */

static gboolean parse_json_member(const char **p, JsonValue *into)
{
    JsonValue *value;

    if (into->keys) {
        char *key = parse_json_string(p);

        if (!key || json_value_at(into, key) || !skip_expected_char(p, ':')) {
            g_free(key);
            return FALSE;
        }
        g_ptr_array_add(into->keys, key);
    }
    value = parse_json_value(p);
    if (value)
        g_ptr_array_add(into->values, value);
    return value != NULL;
}

static JsonValue *parse_json_members(const char **p, JsonKind kind, char end)
{
    g_autoptr(JsonValue) into = json_value_new(kind, NULL);

    (*p)++;
    if (skip_expected_char(p, end))
        return g_steal_pointer(&into);
    do {
        if (!parse_json_member(p, into))
            return NULL;
    } while (skip_expected_char(p, ','));
    return skip_expected_char(p, end) ? g_steal_pointer(&into) : NULL;
}

static JsonValue *parse_json_value(const char **p)
{
    g_autofree char *text = NULL;

    skip_json_blanks(p);
    if (**p == '{')
        return parse_json_members(p, JSON_OBJECT, '}');
    if (**p == '[')
        return parse_json_members(p, JSON_ARRAY, ']');
    if (**p == '-' || g_ascii_isdigit(**p))
        return parse_json_number(p);
    if (**p != '"')
        return parse_json_word(p);
    text = parse_json_string(p);
    return text ? json_value_new(JSON_STRING, text) : NULL;
}

JsonValue *json_value_parse(const char *text, gsize *where)
{
    const char *p = text;
    g_autoptr(JsonValue) value = parse_json_value(&p);

    skip_json_blanks(&p);
    *where = (gsize)(p - text);
    if (*p != '\0' || !g_utf8_validate(text, -1, NULL))
        return NULL;
    return g_steal_pointer(&value);
}

/* ---- accessors of JSON values -------------------------------------------- */

const JsonValue *json_value_at(const JsonValue *object, const char *key)
{
    for (guint i = 0; object->keys && i < object->values->len; i++)
        if (g_str_equal(g_ptr_array_index(object->keys, i), key))
            return json_value_item(object, i);
    return NULL;
}

guint json_value_n_items(const JsonValue *value)
{
    return value->values ? value->values->len : 0;
}

const JsonValue *json_value_item(const JsonValue *value, guint i)
{
    return g_ptr_array_index(value->values, i);
}
