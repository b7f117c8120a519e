/* resolved.c - see resolved.h */
#include "sim/sweep/resolved.h"

#include <string.h>

#include "sim/config/comment.h"
#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/core/csv.h"
#include "sim/sweep/origin.h"

typedef struct {
    char *value, *place, *source; /* owned; the source may be NULL */
    guint n_points;
    /* Values of the first point with this value.  Comparing these is cheaper
     * than formatting the value as text. */
    const ConfigField *field; /* static */
    uint64_t number;          /* 0 if the value is not a number */
    char *file;               /* owned; NULL for a default */
    guint line;
} Value;

typedef struct {
    char *name;        /* owned */
    guint section;     /* index into system_fields */
    GPtrArray *values; /* owned, of owned Value */
    /* The value that the points from .since on have (borrowed), or NULL.  Its
     * .n_points does not include these points yet. */
    Value *current;
    guint since;
} Key;

struct Resolved {
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

static void value_free(gpointer data)
{
    Value *value = data;

    g_free(value->value);
    g_free(value->place);
    g_free(value->source);
    g_free(value->file);
    g_free(value);
}

static void key_free(gpointer data)
{
    Key *key = data;

    g_free(key->name);
    g_ptr_array_unref(key->values);
    g_free(key);
}

/* ---- ranges of points that have a value ---------------------------------- */

static guint n_points_of(const Resolved *r, const Key *key, const Value *value)
{
    return value->n_points +
           (key->current == value ? r->n_points - key->since : 0);
}

/* Ends the range of points that have the current value of @key. */
static void end_value(const Resolved *r, Key *key)
{
    if (key->current)
        key->current->n_points = n_points_of(r, key, key->current);
    key->current = NULL;
}

/* Starts a range of points that have @value, with the point that is being
 * added. */
static void begin_value(const Resolved *r, Key *key, Value *value)
{
    end_value(r, key);
    key->current = value;
    key->since = r->n_points;
}

/* ---- recording one value of a parameter ---------------------------------- */

static Key *key_of(Resolved *r, const char *name)
{
    Key *key = g_hash_table_lookup(r->index, name);

    if (key)
        return key;
    key = g_new0(Key, 1);
    key->name = g_strdup(name);
    key->section = r->section;
    key->values = g_ptr_array_new_with_free_func(value_free);
    g_ptr_array_add(r->keys, key);
    g_hash_table_insert(r->index, key->name, key);
    return key;
}

/* Returns the entry of a value and its place; adds it if it is new.  Takes
 * ownership of @text. */
static Value *add_value(Resolved *r, GPtrArray *values,
                        const ConfigField *field, const ConfigNode *node,
                        char *text)
{
    g_autofree char *place = origin_place(node);
    g_autofree char *owned = text;
    Value *value;

    for (guint i = 0; i < values->len; i++) {
        value = g_ptr_array_index(values, i);
        if (!g_str_equal(value->value, text) ||
            !g_str_equal(value->place, place))
            continue;
        return value;
    }
    value = g_new0(Value, 1);
    value->source = origin_source(r->files, field, node, text);
    value->value = g_steal_pointer(&owned);
    value->place = g_steal_pointer(&place);
    g_ptr_array_add(values, value);
    return value;
}

/* Adds the value of a parameter as text.  Takes ownership of @text. */
static void add_text(Resolved *r, const ConfigField *field, const char *name,
                     char *text)
{
    Key *key = key_of(r, name);

    begin_value(
        r, key,
        add_value(r, key->values, field, config_doc_get(r->doc, name), text));
}

static uint64_t number_of(const ConfigField *field, gconstpointer slot)
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

static gboolean is_same(const Value *value, const ConfigField *field,
                        gconstpointer slot, const ConfigNode *node)
{
    return value->field == field && value->number == number_of(field, slot) &&
           value->line == (node ? config_node_line(node) : 0) &&
           g_strcmp0(value->file, node ? config_node_file(node) : NULL) == 0 &&
           (field->type != CONFIG_NAME ||
            g_str_equal(value->value, *(const char *const *)slot));
}

static char *scalar_text(const ConfigField *field, gconstpointer slot)
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

static Value *find_scalar(Resolved *r, const Key *key, const ConfigField *field,
                          gconstpointer slot, const ConfigNode *node)
{
    GPtrArray *values = key->values;
    Value *value;

    for (guint i = 0; i < values->len; i++) {
        value = g_ptr_array_index(values, i);
        if (is_same(value, field, slot, node))
            return value;
    }
    value = add_value(r, values, field, node, scalar_text(field, slot));
    if (value->field)
        return value; /* the same text was found by another path */
    value->field = field;
    value->number = number_of(field, slot);
    value->file = node ? g_strdup(config_node_file(node)) : NULL;
    value->line = node ? config_node_line(node) : 0;
    return value;
}

static void add_scalar(Resolved *r, const ConfigField *field,
                       gconstpointer slot, const char *name,
                       const ConfigNode *node)
{
    Key *key = key_of(r, name);

    begin_value(r, key, find_scalar(r, key, field, slot, node));
}

/* ---- all values of a point -------------------------------------------- */

static void add_fields(Resolved *r, const ConfigField *fields,
                       gconstpointer params, const char *prefix);

static void add_field(Resolved *r, const ConfigField *field, gconstpointer slot,
                      const char *name);

static void add_list(Resolved *r, const ConfigField *field,
                     const ConfigList *list, const char *name)
{
    gboolean is_layers = g_str_equal(system_fields[r->section].key, "workload");

    if (is_layers || list->n > RESOLVED_MAX_ITEMS || list->n == 0) {
        add_text(r, field, name, g_strdup_printf("%u items", list->n));
        return;
    }
    for (guint i = 0; i < list->n; i++) {
        g_autofree char *item = g_strdup_printf("%s.%u", name, i);

        add_field(r, field->item,
                  (const char *)list->items + i * field->item_size, item);
    }
}

static void add_kind(Resolved *r, const ConfigField *field,
                     const ConfigVariant *variant, const char *name)
{
    g_autofree char *kind = g_strconcat(name, ".kind", NULL);

    add_text(r, field, kind, g_strdup(variant->kind->name));
    add_fields(r, variant->kind->fields, variant->params, name);
}

static void add_field(Resolved *r, const ConfigField *field, gconstpointer slot,
                      const char *name)
{
    if (field->type < CONFIG_SECTION)
        add_scalar(r, field, slot, name, config_doc_get(r->doc, name));
    else if (field->type == CONFIG_SECTION &&
             (!field->is_optional || config_doc_get(r->doc, name)))
        add_fields(r, field->fields, slot, name);
    else if (field->type == CONFIG_LIST)
        add_list(r, field, slot, name);
    else if (field->type == CONFIG_KIND)
        add_kind(r, field, slot, name);
}

static void add_fields(Resolved *r, const ConfigField *fields,
                       gconstpointer params, const char *prefix)
{
    for (const ConfigField *field = fields; field->key; field++) {
        g_autofree char *name = g_strdup_printf("%s.%s", prefix, field->key);

        add_field(r, field, (const char *)params + field->offset, name);
    }
}

void resolved_add(Resolved *r, ConfigDoc *doc, const SystemConfig *config)
{
    for (guint i = 0; i < r->keys->len; i++)
        end_value(r, g_ptr_array_index(r->keys, i));
    r->doc = doc;
    for (r->section = 0; system_fields[r->section].key; r->section++) {
        const ConfigField *field = &system_fields[r->section];

        add_field(r, field, (const char *)config + field->offset, field->key);
    }
    r->n_points++;
}

void resolved_add_changes(Resolved *r, const GArray *changes)
{
    g_return_if_fail(r->n_points > 0);

    for (guint i = 0; i < changes->len; i++) {
        const SweepChange *c = &g_array_index(changes, SweepChange, i);

        r->section = c->section;
        add_scalar(r, c->field, c->slot, c->path, c->node);
    }
    r->n_points++;
}

Resolved *resolved_new(void)
{
    Resolved *r = g_new0(Resolved, 1);

    r->keys = g_ptr_array_new_with_free_func(key_free);
    r->index = g_hash_table_new(g_str_hash, g_str_equal);
    r->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return r;
}

void resolved_free(Resolved *r)
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

static void append_key(GString *out, const Resolved *r, const Key *key)
{
    for (guint i = 0; i < key->values->len; i++) {
        const Value *value = g_ptr_array_index(key->values, i);

        csv_add_text(out, key->name);
        csv_add_text(out, value->value);
        csv_add_u64(out, n_points_of(r, key, value));
        csv_add_text(out, value->place);
        csv_add_text(out, value->source ? value->source : "");
        csv_end_row(out);
    }
}

/* Adds one row per file for its head comment. */
static void append_files(GString *out, const Resolved *r)
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
            comment_of_file(g_hash_table_lookup(r->files, file));
        g_autofree char *short_name = origin_simple_path(file);

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

GString *resolved_csv(const Resolved *r)
{
    static const char *const columns[] = { "key", "value", "n_points", "place",
                                           "source" };
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint section = 0; system_fields[section].key; section++) {
        for (guint i = 0; i < r->keys->len; i++) {
            const Key *key = g_ptr_array_index(r->keys, i);

            if (key->section == section)
                append_key(out, r, key);
        }
    }
    append_files(out, r);
    return out;
}
