/*
 * json_schema.h - validates a value against a JSON Schema
 *
 * Supports the part of draft 07 that `acesim schema` writes.  An unknown
 * keyword is an error of the schema.
 */
#ifndef TESTS_CORE_JSON_SCHEMA_H
#define TESTS_CORE_JSON_SCHEMA_H

#include "tests/core/json_value.h"

/* Returns NULL if @value matches @schema, a part of @root, or else the reason,
 * which the caller owns. */
char *json_schema_check(const JsonValue *root, const JsonValue *schema,
                        const JsonValue *value);

/* Returns the schema that "#/definitions/NAME" refers to. */
const JsonValue *json_schema_resolve(const JsonValue *root, const char *ref);

#endif
