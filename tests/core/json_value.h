/*
 * json_value.h - JSON read to the letter (RFC 8259), for tests of what we write
 *
 * Owner    the caller owns the outermost value, which owns all in it
 */
#ifndef TESTS_CORE_JSON_VALUE_H
#define TESTS_CORE_JSON_VALUE_H

#include <glib.h>

typedef enum {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} JsonKind;

typedef struct {
    JsonKind kind;
    char *text;        /* owned: of a string, unescaped; of a number, a word */
    GPtrArray *keys;   /* owned array of owned text: of an object */
    GPtrArray *values; /* owned array of owned values: of it or an array */
} JsonValue;

JsonValue *json_value_new(JsonKind kind, const char *text);
void json_value_free(JsonValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JsonValue, json_value_free)

/* NULL: @text is no JSON, or an object has a key twice; *@where is how far it
 * was. */
JsonValue *json_value_parse(const char *text, gsize *where);

/* NULL: there is no such key, or @object is none. */
const JsonValue *json_value_at(const JsonValue *object, const char *key);
guint json_value_n(const JsonValue *value);
const JsonValue *json_value_item(const JsonValue *value, guint i);

#endif
