/* config_path.c - finds the parameter at a path in the tables */
#include "sim/config/config.h"
#include "sim/config/config_node.h"

static const ConfigField *find_field_by_name(const ConfigField *fields,
                                             const char *key)
{
    for (; fields && fields->key; fields++) {
        if (g_str_equal(fields->key, key) || g_strcmp0(fields->alias, key) == 0)
            return fields;
    }
    return NULL;
}

/* Returns the fields of the kind that the document has at @path, or NULL. */
static const ConfigField *fields_of_selected_kind(ConfigDoc *doc,
                                                  const char *path,
                                                  const ConfigField *field)
{
    g_autofree char *key = g_strconcat(path, ".kind", NULL);
    const char *given = config_node_text(config_doc_find_nearest(doc, key));
    const char *name = given ? given : field->without_kind;
    const ConfigKind *kind =
        name ? config_find_kind(field->registry, name) : NULL;

    return kind ? kind->fields : NULL;
}

const ConfigField *config_doc_field(ConfigDoc *doc, const ConfigField *fields,
                                    const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, ".", -1);
    g_autoptr(GString) done = g_string_new(NULL);
    const ConfigField *field = NULL;

    for (guint i = 0; parts[i]; i++) {
        if (field && field->type == CONFIG_LIST) {
            field = field->item;
        } else {
            if (field && field->type == CONFIG_SECTION)
                fields = field->fields;
            else if (field && field->type == CONFIG_KIND)
                fields = fields_of_selected_kind(doc, done->str, field);
            else if (field)
                return NULL;
            field = find_field_by_name(fields, parts[i]);
        }
        if (!field)
            return NULL;
        g_string_append_printf(done, "%s%s", i > 0 ? "." : "", parts[i]);
    }
    return field;
}
