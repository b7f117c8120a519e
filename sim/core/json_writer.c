/*
 * json_writer.c - writes JSON in order, one value per line; see json_writer.h
 */
#include "sim/core/json_writer.h"

#include <inttypes.h>

void json_append_quoted(GString *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    g_string_append_c(out, '"');
    for (const char *p = valid; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_printf(out, "\\%c", *p);
        else if (g_ascii_iscntrl(*p))
            g_string_append_printf(out, "\\u%04x", (guint)(guchar)*p);
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

static void indent_json_line(Json *json)
{
    g_string_append_printf(json->out, "\n%*s", 2 * (int)json->depth, "");
}

/* Writes the comma, the indentation and the key before a value. */
static void begin_json_value(Json *json, const char *key)
{
    if (json->has_values)
        g_string_append_c(json->out, ',');
    if (json->depth > 0)
        indent_json_line(json);
    if (key) {
        json_append_quoted(json->out, key);
        g_string_append(json->out, ": ");
    }
    json->has_values = TRUE;
}

static void begin_json_container(Json *json, const char *key, char bracket)
{
    begin_json_value(json, key);
    g_string_append_c(json->out, bracket);
    json->depth++;
    json->has_values = FALSE;
}

static void end_json_container(Json *json, char bracket)
{
    g_assert(json->depth > 0);
    json->depth--;
    if (json->has_values)
        indent_json_line(json);
    g_string_append_c(json->out, bracket);
    json->has_values = TRUE;
    if (json->depth == 0)
        g_string_append_c(json->out, '\n');
}

void json_begin_object(Json *json, const char *key)
{
    begin_json_container(json, key, '{');
}

void json_end_object(Json *json)
{
    end_json_container(json, '}');
}

void json_begin_array(Json *json, const char *key)
{
    begin_json_container(json, key, '[');
}

void json_end_array(Json *json)
{
    end_json_container(json, ']');
}

void json_add_text(Json *json, const char *key, const char *text)
{
    begin_json_value(json, key);
    json_append_quoted(json->out, text);
}

void json_add_raw(Json *json, const char *key, const char *value)
{
    begin_json_value(json, key);
    g_string_append(json->out, value);
}

void json_add_u64(Json *json, const char *key, uint64_t value)
{
    begin_json_value(json, key);
    g_string_append_printf(json->out, "%" PRIu64, value);
}

void json_add_bool(Json *json, const char *key, gboolean value)
{
    json_add_raw(json, key, value ? "true" : "false");
}

void json_add_texts(Json *json, const char *key, const char *const *texts)
{
    json_begin_array(json, key);
    for (; *texts; texts++)
        json_add_text(json, NULL, *texts);
    json_end_array(json);
}
