/*
 * json_value.h - a strict JSON parser (RFC 8259) for tests of written files
 *
 * Owner    the caller owns the outermost value, which owns all values inside
 * it */
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
    /* The struct owns the text of a string (unescaped), a number or a word. */
    char *text;
    /* The struct owns this array and its texts, which are the keys of an
     * object. */
    GPtrArray *keys;
    /* The struct owns this array and its values, which belong to an object or
     * array. */
    GPtrArray *values;
} JsonValue;

JsonValue *json_value_new(JsonKind kind, const char *text);
void json_value_free(JsonValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JsonValue, json_value_free)

/* Returns NULL if @text is not valid JSON or an object has a key twice; *@where
 * is then the position of the error. */
JsonValue *json_value_parse(const char *text, gsize *where);

/* Returns NULL if @object has no such key or is not an object. */
const JsonValue *json_value_at(const JsonValue *object, const char *key);
guint json_value_n_items(const JsonValue *value);
const JsonValue *json_value_item(const JsonValue *value, guint i);

#endif
