/*
 * json_writer.h - writes JSON in order, one value per line
 *
 * The key is NULL for items of an array and for the outermost value.
 *
 * Owner    the writer borrows its text
 */
#ifndef SIM_CORE_JSON_WRITER_H
#define SIM_CORE_JSON_WRITER_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    GString *out; /* borrowed */
    guint depth;
    gboolean has_values; /* the current object or array has a value already */
} Json;

void json_begin_object(Json *json, const char *key);
void json_end_object(Json *json);
void json_begin_array(Json *json, const char *key);
void json_end_array(Json *json);

void json_add_text(Json *json, const char *key, const char *text);
void json_add_u64(Json *json, const char *key, uint64_t value);
void json_add_bool(Json *json, const char *key, gboolean value);
/* Writes @value, which must be valid JSON. */
void json_add_raw(Json *json, const char *key, const char *value);
/* Writes an array of texts; @texts ends with NULL. */
void json_add_texts(Json *json, const char *key, const char *const *texts);

/* Appends @text in quotes; replaces bytes that are not UTF-8. */
void json_append_quoted(GString *out, const char *text);

#endif
