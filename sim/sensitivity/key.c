/* key.c - keys of a configuration, in which `*` matches every item of a list */
#include "sim/sensitivity/key.h"

#include <string.h>

#include "models/run/system.h"
#include "sim/core/words.h"

static gboolean is_number(const char *part)
{
    return *part != '\0' && part[strspn(part, "0123456789")] == '\0';
}

static gboolean is_item(const char *part)
{
    return g_str_equal(part, "*") || is_number(part);
}

gboolean key_matches(const char *pattern, const char *key)
{
    g_auto(GStrv) wanted = g_strsplit(pattern, ".", -1);
    g_auto(GStrv) parts = g_strsplit(key, ".", -1);
    guint i = 0;

    for (; wanted[i] && parts[i]; i++)
        if (!g_str_equal(wanted[i], parts[i]) &&
            !(g_str_equal(wanted[i], "*") && is_number(parts[i])))
            return FALSE;
    return !wanted[i] && !parts[i];
}

gboolean key_is_below(const char *pattern, const char *words)
{
    gsize n = strlen(words);

    return g_str_has_prefix(pattern, words) &&
           (pattern[n] == '\0' || pattern[n] == '.');
}

char *key_pattern(const char *key)
{
    g_auto(GStrv) parts = g_strsplit(key, ".", -1);

    for (char **part = parts; *part; part++) {
        if (!is_number(*part))
            continue;
        g_free(*part);
        *part = g_strdup("*");
    }
    return g_strjoinv(".", parts);
}

/* ---- keys that some configuration can have ----------------------------- */

static gboolean leads_to_value(const ConfigField *field, char *const *parts,
                               GPtrArray *nearby);

static gboolean leads_through(const ConfigField *fields, char *const *parts,
                              GPtrArray *nearby)
{
    for (const ConfigField *field = fields; field && field->key; field++) {
        if (parts[1] == NULL)
            g_ptr_array_add(nearby, (gpointer)field->key);
        if (g_str_equal(field->key, parts[0]) &&
            leads_to_value(field, parts + 1, nearby))
            return TRUE;
    }
    return FALSE;
}

/* Returns whether @parts, the rest of a key, lead from @field to a value.  Adds
 * possible last parts to @nearby. */
static gboolean leads_to_value(const ConfigField *field, char *const *parts,
                               GPtrArray *nearby)
{
    if (!parts[0])
        return TRUE;
    if (field->type == CONFIG_SECTION)
        return leads_through(field->fields, parts, nearby);
    if (field->type == CONFIG_LIST)
        return is_item(parts[0]) &&
               leads_to_value(field->item, parts + 1, nearby);
    if (field->type != CONFIG_KIND)
        return FALSE;
    for (guint i = 0; field->registry->kinds[i]; i++)
        if (leads_through(field->registry->kinds[i]->fields, parts, nearby))
            return TRUE;
    return FALSE;
}

static gboolean find(const char *pattern, GPtrArray *nearby)
{
    g_auto(GStrv) parts = g_strsplit(pattern, ".", -1);
    gboolean found = parts[0] && leads_through(system_fields, parts, nearby);

    g_ptr_array_add(nearby, NULL);
    return found;
}

gboolean key_is_known(const char *pattern)
{
    g_autoptr(GPtrArray) nearby = g_ptr_array_new();

    return find(pattern, nearby);
}

gboolean key_check(const char *pattern, const ConfigNode *where, GError **error)
{
    g_autoptr(GPtrArray) nearby = g_ptr_array_new();
    const char *last = strrchr(pattern, '.');
    const char *nearest;

    if (find(pattern, nearby))
        return TRUE;
    nearest = words_nearest(last ? last + 1 : pattern,
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
