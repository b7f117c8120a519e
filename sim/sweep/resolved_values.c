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

static guint count_points_with_value(const ResolvedValues *r,
                                     const ResolvedKey *key,
                                     const ResolvedValue *value)
{
    return value->n_points +
           (key->current == value ? r->n_points - key->since : 0);
}

/* Ends the range of points that have the current value of @key. */
static void end_value_range(const ResolvedValues *r, ResolvedKey *key)
{
    if (key->current)
        key->current->n_points = count_points_with_value(r, key, key->current);
    key->current = NULL;
}

/* Starts a range of points that have @value, with the point that is being
 * added. */
static void begin_value_range(const ResolvedValues *r, ResolvedKey *key,
                              ResolvedValue *value)
{
    end_value_range(r, key);
    key->current = value;
    key->since = r->n_points;
}

/* ---- recording one value of a parameter ---------------------------------- */

static ResolvedKey *find_or_add_key(ResolvedValues *r, const char *name)
{
    ResolvedKey *key = g_hash_table_lookup(r->index, name);

    if (key)
        return key;
    key = g_new0(ResolvedKey, 1);
    key->name = g_strdup(name);
    key->section = r->section;
    key->values = g_ptr_array_new_with_free_func(free_resolved_value);
    g_ptr_array_add(r->keys, key);
    g_hash_table_insert(r->index, key->name, key);
    return key;
}

/* Returns the entry of a value and its place; adds it if it is new.  Takes
 * ownership of @text. */
static ResolvedValue *find_or_add_value(ResolvedValues *r, GPtrArray *values,
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
    value->source = config_value_cited_source(r->files, field, node, text);
    value->value = g_steal_pointer(&owned);
    value->place = g_steal_pointer(&place);
    g_ptr_array_add(values, value);
    return value;
}

/* Adds the value of a parameter as text.  Takes ownership of @text. */
static void record_value_text(ResolvedValues *r, const ConfigField *field,
                              const char *name, char *text)
{
    ResolvedKey *key = find_or_add_key(r, name);

    begin_value_range(r, key,
                      find_or_add_value(r, key->values, field,
                                        config_doc_find_exact(r->doc, name),
                                        text));
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

static ResolvedValue *find_or_add_scalar(ResolvedValues *r,
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
    value = find_or_add_value(r, values, field, node,
                              format_resolved_scalar(field, slot));
    if (value->field)
        return value; /* the same text was found by another path */
    value->field = field;
    value->number = number_of_scalar(field, slot);
    value->file = node ? g_strdup(config_node_file(node)) : NULL;
    value->line = node ? config_node_line(node) : 0;
    return value;
}

static void record_resolved_scalar(ResolvedValues *r, const ConfigField *field,
                                   gconstpointer slot, const char *name,
                                   const ConfigNode *node)
{
    ResolvedKey *key = find_or_add_key(r, name);

    begin_value_range(r, key, find_or_add_scalar(r, key, field, slot, node));
}

/* ---- all values of a point -------------------------------------------- */

static void record_resolved_fields(ResolvedValues *r, const ConfigField *fields,
                                   gconstpointer params, const char *prefix);

static void record_resolved_field(ResolvedValues *r, const ConfigField *field,
                                  gconstpointer slot, const char *name);

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

static void record_resolved_list(ResolvedValues *r, const ConfigField *field,
                                 const ConfigList *list, const char *name)
{
    gboolean is_layers = g_str_equal(system_fields[r->section].key, "workload");

    if (field->may_be_item && field->item->type == CONFIG_ENUM) {
        record_value_text(r, field, name, list_words_text(field, list));
        return;
    }
    if (is_layers || list->n > RESOLVED_MAX_ITEMS || list->n == 0) {
        record_value_text(r, field, name, g_strdup_printf("%u items", list->n));
        return;
    }
    for (guint i = 0; i < list->n; i++) {
        g_autofree char *item = g_strdup_printf("%s.%u", name, i);

        record_resolved_field(r, field->item,
                              (const char *)list->items + i * field->item_size,
                              item);
    }
}

static void record_kind_fields(ResolvedValues *r, const ConfigField *field,
                               const ConfigVariant *variant, const char *name)
{
    g_autofree char *kind = g_strconcat(name, ".kind", NULL);

    record_value_text(r, field, kind, g_strdup(variant->kind->name));
    if (variant->kind->fields) /* NULL: the kind has no keys */
        record_resolved_fields(r, variant->kind->fields, variant->params, name);
}

static void record_resolved_field(ResolvedValues *r, const ConfigField *field,
                                  gconstpointer slot, const char *name)
{
    if (field->type < CONFIG_SECTION)
        record_resolved_scalar(r, field, slot, name,
                               config_doc_find_exact(r->doc, name));
    else if (field->type == CONFIG_SECTION &&
             (!field->is_optional || config_doc_find_exact(r->doc, name)))
        record_resolved_fields(r, field->fields, slot, name);
    else if (field->type == CONFIG_LIST)
        record_resolved_list(r, field, slot, name);
    else if (field->type == CONFIG_KIND)
        record_kind_fields(r, field, slot, name);
}

static void record_resolved_fields(ResolvedValues *r, const ConfigField *fields,
                                   gconstpointer params, const char *prefix)
{
    for (const ConfigField *field = fields; field->key; field++) {
        g_autofree char *name = g_strdup_printf("%s.%s", prefix, field->key);

        record_resolved_field(r, field, config_field_member(field, params),
                              name);
    }
}

void resolved_values_record_point(ResolvedValues *r, ConfigDoc *doc,
                                  const SystemConfig *config)
{
    for (guint i = 0; i < r->keys->len; i++)
        end_value_range(r, g_ptr_array_index(r->keys, i));
    r->doc = doc;
    for (r->section = 0; system_fields[r->section].key; r->section++) {
        const ConfigField *field = &system_fields[r->section];

        record_resolved_field(r, field, config_field_member(field, config),
                              field->key);
    }
    r->n_points++;
}

void resolved_values_record_changes(ResolvedValues *r, const GArray *changes)
{
    g_return_if_fail(r->n_points > 0);

    for (guint i = 0; i < changes->len; i++) {
        const SweepChange *c = &g_array_index(changes, SweepChange, i);

        r->section = c->section;
        record_resolved_scalar(r, c->field, c->slot, c->path, c->node);
    }
    r->n_points++;
}

ResolvedValues *resolved_values_new(void)
{
    ResolvedValues *r = g_new0(ResolvedValues, 1);

    r->keys = g_ptr_array_new_with_free_func(free_resolved_key);
    r->index = g_hash_table_new(g_str_hash, g_str_equal);
    r->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return r;
}

void resolved_values_free(ResolvedValues *r)
{
    if (!r)
        return;
    g_hash_table_unref(r->index);
    g_hash_table_unref(r->files);
    g_ptr_array_unref(r->keys);
    g_free(r);
}

/* ---- writing config.csv -------------------------------------------------- */

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void append_key_rows(GString *out, const ResolvedValues *r,
                            const ResolvedKey *key)
{
    for (guint i = 0; i < key->values->len; i++) {
        const ResolvedValue *value = g_ptr_array_index(key->values, i);

        csv_add_text(out, key->name);
        csv_add_text(out, value->value);
        csv_add_u64(out, count_points_with_value(r, key, value));
        csv_add_text(out, value->place);
        csv_add_text(out, value->source ? value->source : "");
        csv_end_row(out);
    }
}

/* Adds one row per file for its head comment. */
static void append_file_comment_rows(GString *out, const ResolvedValues *r)
{
    g_autoptr(GPtrArray) names =
        g_ptr_array_new(); /* borrowed, in alphabetical order */
    GHashTableIter iter;
    gpointer name;

    g_hash_table_iter_init(&iter, r->files);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        g_ptr_array_add(names, name);
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        const char *file = g_ptr_array_index(names, i);
        g_autofree char *head =
            yaml_comment_of_file(g_hash_table_lookup(r->files, file));
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

GString *resolved_values_to_csv(const ResolvedValues *r)
{
    static const char *const columns[] = { "key", "value", "n_points", "place",
                                           "source" };
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint section = 0; system_fields[section].key; section++) {
        for (guint i = 0; i < r->keys->len; i++) {
            const ResolvedKey *key = g_ptr_array_index(r->keys, i);

            if (key->section == section)
                append_key_rows(out, r, key);
        }
    }
    append_file_comment_rows(out, r);
    return out;
}
