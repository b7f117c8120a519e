/*
 * config_write.h - writes structs as YAML, according to their tables of fields
 *
 * The text reads back to the same values.  Keys whose value is their default
 * are left out.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_CONFIG_CONFIG_WRITE_H
#define SIM_CONFIG_CONFIG_WRITE_H

#include "sim/config/config_field.h"

/* Appends the fields of the struct @params as "key: value, key: value".  Fields
 * of type CONFIG_RAW are left out. */
void config_write_fields(GString *out, const ConfigField *fields,
                         gconstpointer params);

/* Appends @variant as "{kind: NAME, key: value, ...}". */
void config_write_variant(GString *out, const ConfigVariant *variant);

/* Appends @text as a double-quoted text without control characters. */
void config_write_quoted(GString *out, const char *text);
/* Appends @text as a double-quoted text without control characters, or
 * unchanged if it is a plain word. */
void config_write_text(GString *out, const char *text);

#endif
