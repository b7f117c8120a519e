/* config_write.c - writes structs as YAML; see config_write.h */
#include "sim/config/config_write.h"

#include <string.h>

#include "sim/config/quantity.h"

static void write_config_value(GString *out, const ConfigField *field,
                               gconstpointer slot);

/* Returns whether YAML reads @text as a text without quotes. */
static gboolean is_plain_word(const char *text)
{
    if (!g_ascii_isalpha(text[0]))
        return FALSE;
    for (const char *p = text; *p != '\0'; p++)
        if (!g_ascii_isalnum(*p) && !strchr("._-+", *p))
            return FALSE;
    return TRUE;
}

void config_write_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_c(out, '\\');
        if (!g_ascii_iscntrl(*p))
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

void config_write_text(GString *out, const char *text)
{
    if (is_plain_word(text))
        g_string_append(out, text);
    else
        config_write_quoted(out, text);
}

static void write_config_number(GString *out, const ConfigField *field,
                                uint64_t value)
{
    g_autofree char *text = NULL;

    if (field->may_be_auto && value == CONFIG_AUTO) {
        g_string_append(out, CONFIG_AUTO_WORD);
        return;
    }
    text = quantity_format(value, field->type);
    g_string_append(out, text);
}

static void write_config_list(GString *out, const ConfigField *field,
                              const ConfigList *list)
{
    const guint8 *items = list->items;

    if (field->may_be_item && list->n == 1) {
        write_config_value(out, field->item, items);
        return;
    }
    g_string_append_c(out, '[');
    for (guint i = 0; i < list->n; i++) {
        g_string_append(out, i > 0 ? ", " : "");
        write_config_value(out, field->item, items + i * field->item_size);
    }
    g_string_append_c(out, ']');
}

static void write_config_value(GString *out, const ConfigField *field,
                               gconstpointer slot)
{
    switch (field->type) {
    case CONFIG_BOOL:
        g_string_append(out, *(const gboolean *)slot ? "true" : "false");
        break;
    case CONFIG_NAME:
        config_write_text(out, *(const char *const *)slot);
        break;
    case CONFIG_ENUM:
        g_string_append(out, field->names[*(const int *)slot]);
        break;
    case CONFIG_SECTION:
        g_string_append_c(out, '{');
        config_write_fields(out, field->fields, slot);
        g_string_append_c(out, '}');
        break;
    case CONFIG_LIST:
        write_config_list(out, field, slot);
        break;
    case CONFIG_KIND:
        config_write_variant(out, slot);
        break;
    case CONFIG_RAW:
        break;
    default:
        write_config_number(out, field, *(const uint64_t *)slot);
    }
}

void config_write_fields(GString *out, const ConfigField *fields,
                         gconstpointer params)
{
    const char *before = "";

    for (const ConfigField *field = fields; field->key; field++) {
        /* the items of a list are at offset 0 of their slot, and a section is a
         * struct whose fields count from its own begin */
        g_autoptr(GString) value = g_string_new(NULL);

        if (field->type == CONFIG_RAW)
            continue;
        write_config_value(value, field, config_field_member(field, params));
        if (field->fallback && g_str_equal(value->str, field->fallback))
            continue;
        g_string_append_printf(out, "%s%s: %s", before, field->key, value->str);
        before = ", ";
    }
}

void config_write_variant(GString *out, const ConfigVariant *variant)
{
    const ConfigKind *kind = variant->kind;

    g_string_append_printf(out, "{kind: %s", kind->name);
    if (kind->fields && kind->fields->key) {
        gsize n = out->len;

        g_string_append(out, ", ");
        config_write_fields(out, kind->fields, variant->params);
        if (out->len == n + 2)
            g_string_truncate(out, n);
    }
    g_string_append_c(out, '}');
}
