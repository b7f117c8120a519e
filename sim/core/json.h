/*
 * json.h - JSON, written in order, a value a line
 *
 * A key is NULL for the items of an array and for the outermost value.
 *
 * Owner    the writer borrows its text
 */
#ifndef SIM_CORE_JSON_H
#define SIM_CORE_JSON_H

#include <glib.h>
#include <stdint.h>

typedef struct {
    GString *out; /* borrowed */
    guint depth;
    gboolean has_values; /* where we are */
} Json;

void json_begin_object(Json *json, const char *key);
void json_end_object(Json *json);
void json_begin_array(Json *json, const char *key);
void json_end_array(Json *json);

void json_text(Json *json, const char *key, const char *text);
void json_u64(Json *json, const char *key, uint64_t value);
void json_bool(Json *json, const char *key, gboolean value);
/* @value is JSON. */
void json_raw(Json *json, const char *key, const char *value);
/* An array of texts; @texts ends with NULL. */
void json_texts(Json *json, const char *key, const char *const *texts);

/* @text in quotes; what is no UTF-8 in it is replaced. */
void json_append_quoted(GString *out, const char *text);

#endif
