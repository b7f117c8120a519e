/*
 * json_schema.h - holds a value against a JSON Schema, for as many words of
 * draft 07 as we write
 *
 * A word that it does not know is a fault of the schema.
 */
#ifndef TESTS_CORE_JSON_SCHEMA_H
#define TESTS_CORE_JSON_SCHEMA_H

#include "tests/core/json_value.h"

/* NULL: @value is as @schema says, a part of @root; else what is wrong, owned
 * by the caller. */
char *json_schema_check(const JsonValue *root, const JsonValue *schema,
                        const JsonValue *value);

/* What "#/definitions/NAME" stands for. */
const JsonValue *json_schema_resolve(const JsonValue *root, const char *ref);

#endif
