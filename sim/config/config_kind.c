/* config_kind.c - finds the plug-in that a map selects by its key `kind` */
#include "sim/config/config_value_impl.h"

#include <string.h>

#include "sim/config/config_message_impl.h"
#include "sim/core/word_suggestions.h"

const ConfigKind *config_find_kind(const ConfigRegistry *registry,
                                   const char *name)
{
    for (guint i = 0; registry->kinds[i]; i++) {
        if (g_str_equal(registry->kinds[i]->name, name))
            return registry->kinds[i];
    }
    return NULL;
}

/* Returns the names of all kinds; ends with NULL. The caller owns the array;
 * the names are static. */
static const char **list_kind_names(const ConfigRegistry *registry)
{
    GPtrArray *names = g_ptr_array_new();

    for (guint i = 0; registry->kinds[i]; i++)
        g_ptr_array_add(names, (gpointer)registry->kinds[i]->name);
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

/* Returns a hint if other programs use @name for one of the kinds, or NULL. The
 * caller owns the text. */
static char *foreign_kind_hint(const ConfigRegistry *registry, const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);

    for (const ConfigForeignName *other = registry->foreign_names;
         other && other->name; other++)
        if (strstr(lower, other->name))
            return g_strdup_printf("; what others call so is of kind '%s' here",
                                   other->kind);
    return NULL;
}

/* Returns the kind of a map without the key `kind`, or NULL. */
static const ConfigKind *kind_of_keys(const ConfigNode *map,
                                      const ConfigField *field)
{
    const ConfigKind *kind =
        field->without_kind
            ? config_find_kind(field->registry, field->without_kind)
            : NULL;
    guint i;

    for (const ConfigField *config_field = kind ? kind->fields : NULL;
         config_field && config_field->key; config_field++)
        if (!g_str_equal(config_field->key, "name") &&
            config_node_find_key(map, config_field->key, &i))
            return kind;
    return NULL;
}

const ConfigKind *config_kind_read(GPtrArray *problems, const ConfigNode *map,
                                   const ConfigField *field)
{
    const ConfigRegistry *registry = field->registry;
    gboolean is_given;
    const ConfigKind *kind;
    const ConfigNode *name;
    g_autofree const char **names = NULL;
    g_autofree char *got = NULL;
    g_autofree char *hint = NULL;
    g_autofree char *all = NULL;
    guint i;

    is_given = config_node_find_key(map, "kind", &i);
    name = is_given ? config_node_value(map, i) : NULL;
    if (!is_given)
        kind = kind_of_keys(map, field);
    else
        kind = name->kind == CONFIG_NODE_SCALAR
                   ? config_find_kind(registry, name->text)
                   : NULL;
    if (kind)
        return kind;
    names = list_kind_names(registry);
    if (!is_given) {
        all = g_strjoinv(", ", (char **)names);
        config_problem_at(problems, map, CONFIG_ERROR_MISSING_KEY,
                          "missing key 'kind' (%s: one of %s)", registry->noun,
                          all);
        return NULL;
    }
    got = config_describe_node(name);
    if (name->kind != CONFIG_NODE_SCALAR) {
        config_problem_at(problems, name, CONFIG_ERROR_TYPE,
                          "kind: expected a name, got %s", got);
        return NULL;
    }
    if (!words_find_nearest(name->text, (const char *const *)names))
        hint = foreign_kind_hint(registry, name->text);
    if (!hint)
        hint = words_suggestion_hint(name->text, names, "known kinds");
    config_problem_at(problems, name, CONFIG_ERROR_UNKNOWN_KEY,
                      "kind: unknown %s %s%s", registry->noun, got, hint);
    return NULL;
}
