/*
 * config_values_text.c - writes, as text, the values that were read, so that
 * configurations can be compared
 */
#include "sim/config/config.h"
#include "sim/config/config_value_impl.h"

#include <string.h>

static void append_struct_values(GString *out, const ConfigField *fields,
                                 const guint8 *base);

void config_append_number(GString *out, uint64_t value)
{
    char digits[20];
    guint n = sizeof digits;

    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    g_string_append_len(out, digits + n, (gssize)(sizeof digits - n));
}

/* Appends @text with its length before it, so that different values cannot give
 * the same text. */
static void append_length_and_text(GString *out, const char *text)
{
    config_append_number(out, strlen(text));
    g_string_append_c(out, ':');
    g_string_append(out, text);
}

static void append_kind_values(GString *out, const ConfigVariant *variant)
{
    append_length_and_text(out, variant->kind->name);
    if (variant->kind->fields)
        append_struct_values(out, variant->kind->fields, variant->params);
}

static void append_field_value(GString *out, const ConfigField *field,
                               const guint8 *base);

static void append_list_values(GString *out, const ConfigField *field,
                               const ConfigList *list)
{
    g_string_append_c(out, '[');
    for (guint i = 0; i < list->n; i++)
        append_field_value(out, field->item,
                           (const guint8 *)list->items + i * field->item_size);
    g_string_append_c(out, ']');
}

static void append_field_value(GString *out, const ConfigField *field,
                               const guint8 *base)
{
    gconstpointer slot = config_field_member(field, base);

    g_return_if_fail(field->type != CONFIG_RAW);

    if (field->type == CONFIG_SECTION)
        append_struct_values(out, field->fields, slot);
    else if (field->type == CONFIG_LIST)
        append_list_values(out, field, slot);
    else if (field->type == CONFIG_KIND)
        append_kind_values(out, slot);
    else if (field->type == CONFIG_NAME)
        append_length_and_text(out, *(const char *const *)slot);
    else if (field->type == CONFIG_BOOL || field->type == CONFIG_ENUM)
        g_string_append_printf(out, "%d", *(const int *)slot);
    else
        config_append_number(out, *(const uint64_t *)slot);
    g_string_append_c(out, ';');
}

static void append_struct_values(GString *out, const ConfigField *fields,
                                 const guint8 *base)
{
    g_string_append_c(out, '{');
    for (const ConfigField *field = fields; field->key; field++) {
        g_string_append(out, field->key);
        g_string_append_c(out, '=');
        append_field_value(out, field, base);
    }
    g_string_append_c(out, '}');
}

void config_append_values(GString *out, const ConfigField *fields,
                          gconstpointer params)
{
    append_struct_values(out, fields, params);
}
