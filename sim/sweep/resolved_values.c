/*
 * resolved_values.c - records every value that the points of a sweep had, and
 * its origin; see resolved_values.h
 */
#include "sim/sweep/resolved_values.h"

#include <string.h>

#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/config/yaml_comment.h"
#include "sim/core/csv.h"
#include "sim/sweep/value_origin.h"

typedef struct {
    char *value, *place, *source; /* owned; the source may be NULL */
    guint n_points;
    /* Values of the first point with this value.  Comparing these is cheaper
     * than formatting the value as text. */
    const ConfigField *field; /* static */
    uint64_t number;          /* 0 if the value is not a number */
    char *file;               /* owned; NULL for a default */
    guint line;
} ResolvedValue;

typedef struct {
    char *name;        /* owned */
    guint section;     /* index into system_fields */
    GPtrArray *values; /* owned, of owned Value */
    /* The value that the points from .since on have (borrowed), or NULL.  Its
     * .n_points does not include these points yet. */
    ResolvedValue *current;
    guint since;
} ResolvedKey;

struct ResolvedValues {
    ConfigDoc *doc; /* borrowed: of the point that is being added */
    /* The index into system_fields of the section that is being added. */
    guint section;
    guint n_points;    /* the number of points added */
    GPtrArray *keys;   /* owned, of owned Key */
    GHashTable *index; /* owned: borrowed name -> borrowed Key */
    /* Maps the name of a file to its text (both owned); the text is "" if the
     * file cannot be read. */
    GHashTable *files;
};

static void free_resolved_value(gpointer data)
{
    ResolvedValue *value = data;

    g_free(value->value);
    g_free(value->place);
    g_free(value->source);
    g_free(value->file);
    g_free(value);
}

static void free_resolved_key(gpointer data)
{
    ResolvedKey *key = data;

    g_free(key->name);
    g_ptr_array_unref(key->values);
    g_free(key);
}

/* ---- ranges of points that have a value ---------------------------------- */

static guint count_points_with_value(const ResolvedValues *values,
                                     const ResolvedKey *key,
                                     const ResolvedValue *value)
{
    return value->n_points +
           (key->current == value ? values->n_points - key->since : 0);
}

/* Ends the range of points that have the current value of @key. */
static void end_value_range(const ResolvedValues *values, ResolvedKey *key)
{
    if (key->current)
        key->current->n_points =
            count_points_with_value(values, key, key->current);
    key->current = NULL;
}

/* Starts a range of points that have @value, with the point that is being
 * added. */
static void begin_value_range(const ResolvedValues *values, ResolvedKey *key,
                              ResolvedValue *value)
{
    end_value_range(values, key);
    key->current = value;
    key->since = values->n_points;
}

/* ---- recording one value of a parameter ---------------------------------- */

static ResolvedKey *find_or_add_key(ResolvedValues *values, const char *name)
{
    ResolvedKey *key = g_hash_table_lookup(values->index, name);

    if (key)
        return key;
    key = g_new0(ResolvedKey, 1);
    key->name = g_strdup(name);
    key->section = values->section;
    key->values = g_ptr_array_new_with_free_func(free_resolved_value);
    g_ptr_array_add(values->keys, key);
    g_hash_table_insert(values->index, key->name, key);
    return key;
}

/* Returns the entry of a value and its place; adds it if it is new.  Takes
 * ownership of @text. */
static ResolvedValue *find_or_add_value(ResolvedValues *resolved,
                                        GPtrArray *values,
                                        const ConfigField *field,
                                        const ConfigNode *node, char *text)
{
    g_autofree char *place = config_value_position_text(node);
    g_autofree char *owned = text;
    ResolvedValue *value;

    for (guint i = 0; i < values->len; i++) {
        value = g_ptr_array_index(values, i);
        if (!g_str_equal(value->value, text) ||
            !g_str_equal(value->place, place))
            continue;
        return value;
    }
    value = g_new0(ResolvedValue, 1);
    value->source =
        config_value_cited_source(resolved->files, field, node, text);
    value->value = g_steal_pointer(&owned);
    value->place = g_steal_pointer(&place);
    g_ptr_array_add(values, value);
    return value;
}

/* Adds the value of a parameter as text.  Takes ownership of @text. */
static void record_value_text(ResolvedValues *values, const ConfigField *field,
                              const char *name, char *text)
{
    ResolvedKey *key = find_or_add_key(values, name);

    begin_value_range(
        values, key,
        find_or_add_value(values, key->values, field,
                          config_doc_find_exact(values->doc, name), text));
}

static uint64_t number_of_scalar(const ConfigField *field, gconstpointer slot)
{
    switch (field->type) {
    case CONFIG_BOOL:
    case CONFIG_ENUM:
        return (uint64_t) * (const int *)slot;
    case CONFIG_NAME:
        return 0;
    default:
        return *(const uint64_t *)slot;
    }
}

static gboolean is_same_scalar(const ResolvedValue *value,
                               const ConfigField *field, gconstpointer slot,
                               const ConfigNode *node)
{
    return value->field == field &&
           value->number == number_of_scalar(field, slot) &&
           value->line == (node ? config_node_line(node) : 0) &&
           g_strcmp0(value->file, node ? config_node_file(node) : NULL) == 0 &&
           (field->type != CONFIG_NAME ||
            g_str_equal(value->value, *(const char *const *)slot));
}

static char *format_resolved_scalar(const ConfigField *field,
                                    gconstpointer slot)
{
    switch (field->type) {
    case CONFIG_BOOL:
        return g_strdup(*(const gboolean *)slot ? "true" : "false");
    case CONFIG_NAME:
        return g_strdup(*(const char *const *)slot);
    case CONFIG_ENUM:
        return g_strdup(field->names[*(const int *)slot]);
    default:
        if (field->may_be_auto && *(const uint64_t *)slot == CONFIG_AUTO)
            return g_strdup(CONFIG_AUTO_WORD);
        return quantity_format(*(const uint64_t *)slot, field->type);
    }
}

static ResolvedValue *find_or_add_scalar(ResolvedValues *resolved,
                                         const ResolvedKey *key,
                                         const ConfigField *field,
                                         gconstpointer slot,
                                         const ConfigNode *node)
{
    GPtrArray *values = key->values;
    ResolvedValue *value;

    for (guint i = 0; i < values->len; i++) {
        value = g_ptr_array_index(values, i);
        if (is_same_scalar(value, field, slot, node))
            return value;
    }
    value = find_or_add_value(resolved, values, field, node,
                              format_resolved_scalar(field, slot));
    if (value->field)
        return value; /* the same text was found by another path */
    value->field = field;
    value->number = number_of_scalar(field, slot);
    value->file = node ? g_strdup(config_node_file(node)) : NULL;
    value->line = node ? config_node_line(node) : 0;
    return value;
}

static void record_resolved_scalar(ResolvedValues *values,
                                   const ConfigField *field, gconstpointer slot,
                                   const char *name, const ConfigNode *node)
{
    ResolvedKey *key = find_or_add_key(values, name);

    begin_value_range(values, key,
                      find_or_add_scalar(values, key, field, slot, node));
}

/* ---- all values of a point -------------------------------------------- */

static void record_resolved_fields(ResolvedValues *values,
                                   const ConfigField *fields,
                                   gconstpointer params, const char *prefix);

static void record_resolved_field(ResolvedValues *values,
                                  const ConfigField *field, gconstpointer slot,
                                  const char *name);

/* Returns the words of a list, as a text of YAML. */
static char *list_words_text(const ConfigField *field, const ConfigList *list)
{
    const int *words = list->items;
    GString *text = g_string_new(list->n > 1 ? "[" : NULL);

    for (guint i = 0; i < list->n; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               field->item->names[words[i]]);
    g_string_append(text, list->n > 1 ? "]" : "");
    return g_string_free(text, FALSE);
}

static void record_resolved_list(ResolvedValues *values,
                                 const ConfigField *field,
                                 const ConfigList *list, const char *name)
{
    gboolean is_layers =
        g_str_equal(system_fields[values->section].key, "workload");

    if (field->may_be_item && field->item->type == CONFIG_ENUM) {
        record_value_text(values, field, name, list_words_text(field, list));
        return;
    }
    if (is_layers || list->n > RESOLVED_MAX_ITEMS || list->n == 0) {
        record_value_text(values, field, name,
                          g_strdup_printf("%u items", list->n));
        return;
    }
    for (guint i = 0; i < list->n; i++) {
        g_autofree char *item = g_strdup_printf("%s.%u", name, i);

        record_resolved_field(values, field->item,
                              (const char *)list->items + i * field->item_size,
                              item);
    }
}

static void record_kind_fields(ResolvedValues *values, const ConfigField *field,
                               const ConfigVariant *variant, const char *name)
{
    g_autofree char *kind = g_strconcat(name, ".kind", NULL);

    record_value_text(values, field, kind, g_strdup(variant->kind->name));
    if (variant->kind->fields) /* NULL: the kind has no keys */
        record_resolved_fields(values, variant->kind->fields, variant->params,
                               name);
}

static void record_resolved_field(ResolvedValues *values,
                                  const ConfigField *field, gconstpointer slot,
                                  const char *name)
{
    if (field->type < CONFIG_SECTION)
        record_resolved_scalar(values, field, slot, name,
                               config_doc_find_exact(values->doc, name));
    else if (field->type == CONFIG_SECTION &&
             (!field->is_optional || config_doc_find_exact(values->doc, name)))
        record_resolved_fields(values, field->fields, slot, name);
    else if (field->type == CONFIG_LIST)
        record_resolved_list(values, field, slot, name);
    else if (field->type == CONFIG_KIND)
        record_kind_fields(values, field, slot, name);
}

static void record_resolved_fields(ResolvedValues *values,
                                   const ConfigField *fields,
                                   gconstpointer params, const char *prefix)
{
    for (const ConfigField *field = fields; field->key; field++) {
        g_autofree char *name = g_strdup_printf("%s.%s", prefix, field->key);

        record_resolved_field(values, field, config_field_member(field, params),
                              name);
    }
}

void resolved_values_record_point(ResolvedValues *values, ConfigDoc *doc,
                                  const SystemConfig *config)
{
    for (guint i = 0; i < values->keys->len; i++)
        end_value_range(values, g_ptr_array_index(values->keys, i));
    values->doc = doc;
    for (values->section = 0; system_fields[values->section].key;
         values->section++) {
        const ConfigField *field = &system_fields[values->section];

        record_resolved_field(values, field, config_field_member(field, config),
                              field->key);
    }
    values->n_points++;
}

void resolved_values_record_changes(ResolvedValues *values,
                                    const GArray *changes)
{
    g_return_if_fail(values->n_points > 0);

    for (guint i = 0; i < changes->len; i++) {
        const SweepChange *change = &g_array_index(changes, SweepChange, i);

        values->section = change->section;
        record_resolved_scalar(values, change->field, change->slot,
                               change->path, change->node);
    }
    values->n_points++;
}

ResolvedValues *resolved_values_new(void)
{
    ResolvedValues *values = g_new0(ResolvedValues, 1);

    values->keys = g_ptr_array_new_with_free_func(free_resolved_key);
    values->index = g_hash_table_new(g_str_hash, g_str_equal);
    values->files =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return values;
}

void resolved_values_free(ResolvedValues *values)
{
    if (!values)
        return;
    g_hash_table_unref(values->index);
    g_hash_table_unref(values->files);
    g_ptr_array_unref(values->keys);
    g_free(values);
}

/* ---- writing config.csv -------------------------------------------------- */

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void append_key_rows(GString *out, const ResolvedValues *values,
                            const ResolvedKey *key)
{
    for (guint i = 0; i < key->values->len; i++) {
        const ResolvedValue *value = g_ptr_array_index(key->values, i);

        csv_add_text(out, key->name);
        csv_add_text(out, value->value);
        csv_add_u64(out, count_points_with_value(values, key, value));
        csv_add_text(out, value->place);
        csv_add_text(out, value->source ? value->source : "");
        csv_end_row(out);
    }
}

/* Adds one row per file for its head comment. */
static void append_file_comment_rows(GString *out, const ResolvedValues *values)
{
    g_autoptr(GPtrArray) names =
        g_ptr_array_new(); /* borrowed, in alphabetical order */
    GHashTableIter iter;
    gpointer name;

    g_hash_table_iter_init(&iter, values->files);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        g_ptr_array_add(names, name);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        const char *file = g_ptr_array_index(names, i);
        g_autofree char *head =
            yaml_comment_of_file(g_hash_table_lookup(values->files, file));
        g_autofree char *short_name = simplify_config_file_path(file);

        if (!head)
            continue;
        csv_add_text(out, RESOLVED_FILE);
        csv_add_text(out, short_name);
        csv_add_u64(out, 0);
        csv_add_text(out, short_name);
        csv_add_text(out, head);
        csv_end_row(out);
    }
}

GString *resolved_values_to_csv(const ResolvedValues *values)
{
    static const char *const columns[] = { "key", "value", "n_points", "place",
                                           "source" };
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint section = 0; system_fields[section].key; section++) {
        for (guint i = 0; i < values->keys->len; i++) {
            const ResolvedKey *key = g_ptr_array_index(values->keys, i);

            if (key->section == section)
                append_key_rows(out, values, key);
        }
    }
    append_file_comment_rows(out, values);
    return out;
}
