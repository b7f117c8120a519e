/*
 * value_origin.c - the file, line and cited source that a configuration value
 * comes from; see value_origin.h
 */
#include "sim/sweep/value_origin.h"

#include "sim/config/quantity.h"
#include "sim/config/yaml_comment.h"

#define NOT_SAID "not said"

static const char *cached_file_text(GHashTable *files, const char *name)
{
    char *text = g_hash_table_lookup(files, name);

    if (text)
        return text;
    if (!g_file_get_contents(name, &text, NULL, NULL) ||
        !g_utf8_validate(text, -1, NULL)) {
        g_free(text);
        text = g_strdup("");
    }
    g_hash_table_insert(files, g_strdup(name), text);
    return text;
}

char *simplify_config_file_path(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GPtrArray) kept = g_ptr_array_new();

    for (char **part = parts; *part; part++) {
        const char *last =
            kept->len > 0 ? g_ptr_array_index(kept, kept->len - 1) : "..";

        if (g_str_equal(*part, "..") && *last != '\0' &&
            !g_str_equal(last, ".."))
            g_ptr_array_set_size(kept, (gint)kept->len - 1);
        else
            g_ptr_array_add(kept, *part);
    }
    g_ptr_array_add(kept, NULL);
    return g_strjoinv("/", (char **)kept->pdata);
}

char *config_value_position_text(const ConfigNode *node)
{
    g_autofree char *file = NULL;

    if (!node)
        return g_strdup("default");
    if (g_str_has_prefix(config_node_file(node), "--"))
        return g_strdup(config_node_file(node));
    file = simplify_config_file_path(config_node_file(node));
    return g_strdup_printf("%s:%u", file, config_node_line(node));
}

/* Returns whether @text, in the format of quantity_format(), is the default. */
static gboolean is_default_value(const ConfigField *field, const char *text)
{
    uint64_t value;
    g_autofree char *fallback = NULL;

    if (!field->fallback)
        return FALSE;
    if (g_str_equal(field->fallback, text))
        return TRUE;
    if (field->type > CONFIG_FRACTION ||
        !quantity_parse(field->fallback, field->type, &value, NULL))
        return FALSE;
    fallback = quantity_format(value, field->type);
    return g_str_equal(fallback, text);
}

/* Names and whole lists need no source. */
char *config_value_cited_source(GHashTable *files, const ConfigField *field,
                                const ConfigNode *node, const char *text)
{
    const char *file;
    char *comment;

    if (field->type == CONFIG_NAME || field->type == CONFIG_KIND)
        return NULL;
    if (!node)
        return g_strdup(field->source);
    file = config_node_file(node);
    if (g_str_has_prefix(file, "--"))
        return NULL;
    comment = yaml_comment_of_line(cached_file_text(files, file),
                                   config_node_line(node));
    if (comment)
        return comment;
    if (field->fallback && field->source && is_default_value(field, text))
        return g_strdup_printf("the default: %s", field->source);
    return field->type == CONFIG_LIST ? NULL : g_strdup(NOT_SAID);
}
