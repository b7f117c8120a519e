/* config_key_pattern.c - keys of a configuration, in which `*` matches every
 * item of a list */
#include "sim/sensitivity/config_key_pattern.h"

#include <string.h>

#include "models/run/system.h"
#include "sim/core/word_suggestions.h"

static gboolean is_decimal_index(const char *part)
{
    return *part != '\0' && part[strspn(part, "0123456789")] == '\0';
}

static gboolean is_list_item_part(const char *part)
{
    return g_str_equal(part, "*") || is_decimal_index(part);
}

gboolean config_key_matches(const char *pattern, const char *key)
{
    g_auto(GStrv) wanted = g_strsplit(pattern, ".", -1);
    g_auto(GStrv) parts = g_strsplit(key, ".", -1);
    guint i = 0;

    for (; wanted[i] && parts[i]; i++)
        if (!g_str_equal(wanted[i], parts[i]) &&
            !(g_str_equal(wanted[i], "*") && is_decimal_index(parts[i])))
            return FALSE;
    return !wanted[i] && !parts[i];
}

gboolean config_key_is_below(const char *pattern, const char *words)
{
    gsize n = strlen(words);

    return g_str_has_prefix(pattern, words) &&
           (pattern[n] == '\0' || pattern[n] == '.');
}

char *config_key_pattern(const char *key)
{
    g_auto(GStrv) parts = g_strsplit(key, ".", -1);

    for (char **part = parts; *part; part++) {
        if (!is_decimal_index(*part))
            continue;
        g_free(*part);
        *part = g_strdup("*");
    }
    return g_strjoinv(".", parts);
}

/* ---- keys that some configuration can have ----------------------------- */

static gboolean path_leads_to_value(const ConfigField *field,
                                    char *const *parts, GPtrArray *nearby);

static gboolean path_exists_in_fields(const ConfigField *fields,
                                      char *const *parts, GPtrArray *nearby)
{
    for (const ConfigField *field = fields; field && field->key; field++) {
        if (parts[1] == NULL)
            g_ptr_array_add(nearby, (gpointer)field->key);
        if (g_str_equal(field->key, parts[0]) &&
            path_leads_to_value(field, parts + 1, nearby))
            return TRUE;
    }
    return FALSE;
}

/* Returns whether @parts, the rest of a key, lead from @field to a value.  Adds
 * possible last parts to @nearby. */
static gboolean path_leads_to_value(const ConfigField *field,
                                    char *const *parts, GPtrArray *nearby)
{
    if (!parts[0])
        return TRUE;
    if (field->type == CONFIG_SECTION)
        return path_exists_in_fields(field->fields, parts, nearby);
    if (field->type == CONFIG_LIST)
        return is_list_item_part(parts[0]) &&
               path_leads_to_value(field->item, parts + 1, nearby);
    if (field->type != CONFIG_KIND)
        return FALSE;
    for (guint i = 0; field->registry->kinds[i]; i++)
        if (path_exists_in_fields(field->registry->kinds[i]->fields, parts,
                                  nearby))
            return TRUE;
    return FALSE;
}

static gboolean find_key_in_registries(const char *pattern, GPtrArray *nearby)
{
    g_auto(GStrv) parts = g_strsplit(pattern, ".", -1);
    gboolean found =
        parts[0] && path_exists_in_fields(system_fields, parts, nearby);

    g_ptr_array_add(nearby, NULL);
    return found;
}

gboolean config_key_is_known(const char *pattern)
{
    g_autoptr(GPtrArray) nearby = g_ptr_array_new();

    return find_key_in_registries(pattern, nearby);
}

gboolean config_key_check(const char *pattern, const ConfigNode *where,
                          GError **error)
{
    g_autoptr(GPtrArray) nearby = g_ptr_array_new();
    const char *last = strrchr(pattern, '.');
    const char *nearest;

    if (find_key_in_registries(pattern, nearby))
        return TRUE;
    nearest = words_find_nearest(last ? last + 1 : pattern,
                                 (const char *const *)nearby->pdata);
    if (nearest)
        config_set_error(error, where, CONFIG_ERROR_UNKNOWN_KEY,
                         "key: no configuration has '%s'; did you mean "
                         "'%.*s%s'?",
                         pattern, last ? (int)(last + 1 - pattern) : 0, pattern,
                         nearest);
    else
        config_set_error(error, where, CONFIG_ERROR_UNKNOWN_KEY,
                         "key: no configuration has '%s'", pattern);
    return FALSE;
}
