/* config_value.c - looks up a value in a configuration by its path, with
 * defaults applied */
#include "sim/study/config_value.h"

/* A struct of the configuration and the table that describes its fields. */
typedef struct {
    const ConfigField *fields; /* NULL: it is .list, or a single value */
    const ConfigList *list;
    const ConfigField *item; /* describes an item of .list */
    gsize item_size;
    const guint8 *data;
} ConfigPlace;

/* The field at a path. */
typedef struct {
    const ConfigField *field; /* NULL: an item of a list */
    /* The value is in an interned struct, which other maps share. */
    gboolean is_interned;
} FoundField;

static const ConfigField *find_field_with_key(const ConfigField *fields,
                                              const char *key)
{
    for (const ConfigField *field = fields; field && field->key; field++)
        if (g_str_equal(field->key, key))
            return field;
    return NULL;
}

static ConfigPlace open_map_of_config_field(const ConfigField *field,
                                            const guint8 *data)
{
    const ConfigVariant *variant = (gconstpointer)data;

    switch (field->type) {
    case CONFIG_SECTION:
        return (ConfigPlace){ .fields = field->fields, .data = data };
    case CONFIG_KIND:
        return (ConfigPlace){ .fields =
                                  variant->kind ? variant->kind->fields : NULL,
                              .data = variant->params };
    case CONFIG_LIST:
        return (ConfigPlace){ .list = (gconstpointer)data,
                              .item = field->item,
                              .item_size = field->item_size };
    default:
        return (ConfigPlace){ .data = data };
    }
}

/* Returns the item with the index @word, or an empty place. */
static ConfigPlace enter_list_item(const ConfigPlace *place, const char *word)
{
    const guint8 *items = place->list->items;
    guint64 i;

    if (!g_ascii_string_to_unsigned(word, 10, 0, G_MAXUINT, &i, NULL) ||
        i >= place->list->n)
        return (ConfigPlace){ 0 };
    return open_map_of_config_field(place->item, items + i * place->item_size);
}

/* Sets *@ret to the place at @path.  Returns FALSE if there is none. */
static gboolean find_field_at_config_path(const SystemConfig *config,
                                          const char *path, ConfigPlace *ret,
                                          FoundField *ret_field)
{
    g_auto(GStrv) words = g_strsplit(path, ".", -1);
    ConfigPlace at = { .fields = system_fields, .data = (gconstpointer)config };

    *ret_field = (FoundField){ .field = NULL };
    for (char **word = words; *word; word++) {
        const ConfigField *field = find_field_with_key(at.fields, *word);

        ret_field->field = field;
        if (field && field->interned_offset > 0)
            ret_field->is_interned = TRUE;
        if (field)
            at = open_map_of_config_field(field,
                                          config_field_member(field, at.data));
        else if (at.list)
            at = enter_list_item(&at, *word);
        else
            return FALSE;
    }
    *ret = at;
    return TRUE;
}

gboolean config_value_read_at_path(const SystemConfig *config, const char *path,
                                   uint64_t *ret, ConfigType *ret_type)
{
    FoundField found;
    ConfigPlace at;

    if (!find_field_at_config_path(config, path, &at, &found) || !found.field ||
        !at.data || found.field->type > CONFIG_FRACTION)
        return FALSE;
    *ret = *(const uint64_t *)(gconstpointer)at.data;
    *ret_type = found.field->type;
    return TRUE;
}

gboolean config_value_find_address(const SystemConfig *config, const char *path,
                                   const ConfigField **ret_field,
                                   gconstpointer *ret)
{
    FoundField found;
    ConfigPlace at;

    if (!find_field_at_config_path(config, path, &at, &found) || !found.field ||
        !at.data || found.is_interned)
        return FALSE;
    *ret_field = found.field;
    *ret = at.data;
    return TRUE;
}

static void append_paths_below_node(const ConfigPlace *config_place,
                                    const char *path, const char *name,
                                    GPtrArray *ret)
{
    for (const ConfigField *field = config_place->fields; field && field->key;
         field++) {
        g_autofree char *inner = g_strdup_printf("%s.%s", path, field->key);
        ConfigPlace place = open_map_of_config_field(
            field, config_field_member(field, config_place->data));

        if (field->type <= CONFIG_FRACTION && g_str_equal(field->key, name))
            g_ptr_array_add(ret, g_steal_pointer(&inner));
        else
            append_paths_below_node(&place, inner, name, ret);
    }
    for (gsize i = 0; config_place->list && i < config_place->list->n; i++) {
        const guint8 *items = config_place->list->items;
        g_autofree char *inner = g_strdup_printf("%s.%zu", path, i);
        ConfigPlace place = open_map_of_config_field(
            config_place->item, items + i * config_place->item_size);

        append_paths_below_node(&place, inner, name, ret);
    }
}

void config_value_list_paths(const SystemConfig *config, const char *path,
                             const char *name, GPtrArray *ret)
{
    FoundField found;
    ConfigPlace at;

    if (find_field_at_config_path(config, path, &at, &found))
        append_paths_below_node(&at, path, name, ret);
}
