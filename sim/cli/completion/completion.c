/* completion.c - see completion.h; the part that is independent of the shell */
#include "sim/cli/completion/completion.h"

#include <string.h>

#include "models/run/system.h"

/* ---- the kinds of values of options -------------------------------------- */

/* The names of values and operands in help pages. */
static const struct {
    const char *name;
    CompletionKind kind;
} value_kinds[] = {
    { "KEY=VALUE", COMPLETE_KEYS }, { "KEY,KEY", COMPLETE_KEYS },
    { "KEY", COMPLETE_KEYS },       { "CONDITION", COMPLETE_METRICS },
    { "DIR", COMPLETE_FOLDERS },    { "FILE", COMPLETE_FILES },
    { "CONFIG", COMPLETE_YAML },    { "SWEEP", COMPLETE_YAML },
    { "FILE...", COMPLETE_YAML },   { "CSV|DIR", COMPLETE_CSV },
};

CompletionKind completion_kind_of_value(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(value_kinds); i++)
        if (g_str_equal(value_kinds[i].name, name))
            return value_kinds[i].kind;
    return strchr(name, '|') ? COMPLETE_WORDS : COMPLETE_NOTHING;
}

/* ---- the paths of parameters --------------------------------------------- */

typedef struct {
    GPtrArray *keys;   /* owned, of owned text, in the order of the tables */
    GHashTable *known; /* a set that borrows the texts of .keys */
    const ConfigRegistry
        *current_family; /* static: the registry of the current kind */
} KeyPathList;

static void add_field_key_paths(KeyPathList *keys, const ConfigField *fields,
                                const char *prefix);

/* Adds the paths below a field. Leaves out the contents of lists of kinds, and
 * a kind inside a kind of the same table of kinds, which would
 * not terminate. */
static void add_child_key_paths(KeyPathList *keys, const ConfigField *field,
                                const char *path)
{
    g_autofree char *prefix = g_strconcat(path, ".", NULL);
    g_autofree char *first = g_strconcat(path, ".0.", NULL);
    const ConfigRegistry *outer_family;

    if (field->type == CONFIG_SECTION)
        add_field_key_paths(keys, field->fields, prefix);
    if (field->type == CONFIG_LIST && field->item->type == CONFIG_SECTION)
        add_field_key_paths(keys, field->item->fields, first);
    if (field->type != CONFIG_KIND ||
        (keys->current_family &&
         field->registry->kinds[0] == keys->current_family->kinds[0]))
        return;
    outer_family = keys->current_family;
    keys->current_family = field->registry;
    for (guint i = 0; field->registry->kinds[i]; i++)
        add_field_key_paths(keys, field->registry->kinds[i]->fields, prefix);
    keys->current_family = outer_family;
}

/* Adds each path once, because kinds of one registry share keys. */
static void add_field_key_paths(KeyPathList *keys, const ConfigField *fields,
                                const char *prefix)
{
    for (; fields && fields->key; fields++) {
        g_autofree char *path = g_strconcat(prefix, fields->key, NULL);

        if (!g_hash_table_contains(keys->known, path)) {
            g_ptr_array_add(keys->keys, g_strdup(path));
            g_hash_table_add(keys->known, g_ptr_array_index(
                                              keys->keys, keys->keys->len - 1));
        }
        add_child_key_paths(keys, fields, path);
    }
}

char **completion_list_keys(void)
{
    KeyPathList keys = { g_ptr_array_new(),
                         g_hash_table_new(g_str_hash, g_str_equal), NULL };

    add_field_key_paths(&keys, system_fields, "");
    g_hash_table_unref(keys.known);
    g_ptr_array_add(keys.keys, NULL);
    return (char **)g_ptr_array_free(keys.keys, FALSE);
}
