/*
 * config_read.c - reads a tree of nodes into structs, according to tables of
 * fields
 *
 * Reading does not stop at the first problem: all problems are collected and
 * sorted at the end.  A struct with a problem is incomplete and is not
 * returned.
 */
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_message_impl.h"
#include "sim/config/config_parse_impl.h"
#include "sim/config/config_value_impl.h"
#include "sim/config/files/foreign_files.h"
#include "sim/config/quantity.h"
#include "sim/core/word_suggestions.h"

/* Values that several maps share. */
typedef struct {
    gconstpointer values; /* owned by the document */
    gsize n_bytes;
} InternedStruct;

typedef struct {
    ConfigDoc *doc;
    const ConfigField *root_fields; /* of the document */
    GPtrArray *problems;            /* owned */
    GPtrArray *files;               /* owned array: see ConfigEntry */
    /* The number of values read so far; a file that is named several times
     * counts each time. */
    guint n_nodes;
    guint max_nodes;       /* the limit of .n_nodes */
    ConfigNode *fallback;  /* the node of a scalar default, used again */
    GHashTable *fallbacks; /* owned: text of a default -> ConfigSource */
    guint depth;
    /* A value that was read keeps a pointer to its node, so that no unread map
     * may be closed. */
    gboolean keeps_nodes;
    GHashTable *defaults; /* owned: const ConfigField * -> DefaultValues */
    /* Owned: interned structs by their hash; NULL: none yet.  A struct takes
     * the place of the one before it. */
    InternedStruct *interned;
    gboolean stopped; /* reading stopped because a limit was exceeded */
} ConfigReader;

static const ConfigField no_fields[] = { CONFIG_END };

static void read_node_value(ConfigReader *reader, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base);

/* Values of at most SMALL_BYTES are taken from blocks of BLOCK_BYTES. */
#define SMALL_BYTES 1024
#define BLOCK_BYTES (64 * 1024)
#define ALIGNMENT   sizeof(uint64_t)

static gpointer allocate_owned_values(ConfigReader *reader, gsize n, gsize size)
{
    ConfigDoc *doc = reader->doc;
    gpointer memory;

    if (n > SMALL_BYTES || size > SMALL_BYTES || n * size > SMALL_BYTES) {
        memory = g_malloc0_n(n, size);
        g_ptr_array_add(doc->owned, memory);
        return memory;
    }
    size = (MAX(n * size, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (doc->n_small_bytes < size) {
        doc->small_values = g_malloc0(BLOCK_BYTES);
        doc->n_small_bytes = BLOCK_BYTES;
        g_ptr_array_add(doc->owned, doc->small_values);
    }
    memory = doc->small_values;
    doc->small_values += size;
    doc->n_small_bytes -= size;
    return memory;
}

static void stop_after_too_many_problems(ConfigReader *reader,
                                         const ConfigNode *node,
                                         const char *limit, guint max,
                                         const char *how)
{
    reader->stopped = TRUE;
    config_problem_at(reader->problems, node, CONFIG_ERROR_SYNTAX,
                      "more than %u %s, files counted in full%s", max, limit,
                      how);
}

/* ---- reading maps -------------------------------------------------------- */

static const ConfigNode *open_map_of_value(const ConfigReader *reader,
                                           const ConfigNode *node,
                                           const char *label, const char *hint)
{
    ConfigEntry at = { reader->doc, reader->problems, reader->files };

    return config_enter_map_of_value(&at, node, label, hint);
}

static guint count_fields(const ConfigField *fields)
{
    guint n = 0;

    while (fields[n].key)
        n++;
    return n;
}

static guint find_field_index(const ConfigField *fields, guint n,
                              const char *key)
{
    guint i = 0;

    while (i < n &&
           (fields[i].key[0] != key[0] || strcmp(fields[i].key, key) != 0) &&
           (!fields[i].alias || strcmp(fields[i].alias, key) != 0))
        i++;
    return i;
}

/* How deep sections are searched for a key that stands at another place. */
#define MAX_SECTIONS_SEARCHED 4

static gboolean fields_have_key(const ConfigField *fields, const char *key)
{
    for (const ConfigField *f = fields; f && f->key; f++)
        if (g_str_equal(f->key, key))
            return TRUE;
    return FALSE;
}

/* Appends to @path the section or the kind below @fields that has @key, with
 * the sections around it, and returns TRUE; or returns FALSE if there is none.
 * Sections are searched before kinds, because a kind may not be in use. */
static gboolean append_section_of_key(const ConfigField *fields,
                                      const char *key, guint depth,
                                      GString *path)
{
    gsize n_before = path->len;

    for (const ConfigField *f = fields; f && f->key && depth > 0; f++) {
        if (f->type != CONFIG_SECTION)
            continue;
        g_string_append_printf(path, "%s%s", n_before > 0 ? "." : "", f->key);
        if (fields_have_key(f->fields, key) ||
            append_section_of_key(f->fields, key, depth - 1, path))
            return TRUE;
        g_string_truncate(path, n_before);
    }
    for (const ConfigField *f = fields; f && f->key && depth > 0; f++) {
        if (f->type != CONFIG_KIND)
            continue;
        for (const ConfigKind *const *kind = f->registry->kinds; *kind; kind++)
            if (fields_have_key((*kind)->fields, key)) {
                g_string_append_printf(path, "%s%s' of kind '%s",
                                       n_before > 0 ? "." : "", f->key,
                                       (*kind)->name);
                return TRUE;
            }
    }
    return FALSE;
}

/* Returns a hint for a key that is unlike all of @known: the section that has
 * it, if there is one, and the known keys.  The caller owns it. */
static char *hint_for_unlike_key(const ConfigReader *reader, const char *key,
                                 const char *const *known)
{
    g_autofree char *keys = words_suggestion_hint(key, known, "known keys");
    g_autoptr(GString) path = g_string_new(NULL);

    if (!append_section_of_key(reader->root_fields, key, MAX_SECTIONS_SEARCHED,
                               path))
        return g_steal_pointer(&keys);
    return g_strdup_printf(", which belongs to '%s'%s", path->str, keys);
}

/* Adds a problem.  Returns the index of the field that was probably meant, or
 * @n if there is none. */
static guint add_unknown_key(ConfigReader *reader, const ConfigNode *key,
                             const ConfigField *fields, guint n,
                             gboolean is_kind)
{
    const char *nearest;
    g_autofree const char **known = g_new0(const char *, n + 2);
    g_autofree char *got = words_quote_text(key->text);
    g_autofree char *hint = NULL;
    guint n_known = 0;

    if (is_kind)
        known[n_known++] = "kind";
    for (guint i = 0; i < n; i++)
        known[n_known++] = fields[i].key;
    nearest = words_find_nearest(key->text, known);
    hint = nearest ? words_suggestion_hint(key->text, known, "known keys")
                   : hint_for_unlike_key(reader, key->text, known);
    config_problem_at(reader->problems, key, CONFIG_ERROR_UNKNOWN_KEY,
                      "unknown key %s%s", got, hint);
    return nearest ? find_field_index(fields, n, nearest) : n;
}

/* Asserts that the default of @field is valid: it is part of the program.  Only
 * keys that are missing in a section that the default creates are problems of
 * the user. */
static void assert_valid_default(ConfigReader *reader, const ConfigField *field,
                                 guint n_before)
{
    for (guint i = n_before; i < reader->problems->len && !reader->stopped;
         i++) {
        if (config_problem_code(reader->problems, i) !=
            CONFIG_ERROR_MISSING_KEY)
            g_error("the default of '%s', %s: %s", field->key, field->fallback,
                    config_problem_text(reader->problems, i));
    }
}

/* Returns the root of the default of @field, a list or a map. */
static const ConfigNode *parsed_default_of_field(ConfigReader *reader,
                                                 const ConfigField *field)
{
    ConfigSource *source =
        g_hash_table_lookup(reader->fallbacks, field->fallback);

    if (source)
        return source->root;
    source = config_source_new(reader->doc, "default");
    config_source_parse(reader->doc, source, field->fallback,
                        strlen(field->fallback), TRUE);
    if (source->problems->len > 0)
        g_error("the default of '%s', %s: %s", field->key, field->fallback,
                config_problem_text(source->problems, 0));
    g_hash_table_insert(reader->fallbacks, (gpointer)field->fallback, source);
    return source->root;
}

/* Returns the node of a default.  Its position is that of the map in which the
 * key is missing.  The node of a scalar is valid until the next call: nothing
 * keeps it, only its text, which is static. */
static const ConfigNode *make_default_node(ConfigReader *reader,
                                           const ConfigNode *map,
                                           const ConfigField *field)
{
    ConfigNode *node;

    if (field->type < CONFIG_SECTION) { /* a single word needs no parser */
        node = reader->fallback;
        node->text = field->fallback;
    } else {
        node = config_node_copy(reader->doc,
                                parsed_default_of_field(reader, field));
    }
    node->source = map->source;
    node->line = map->line;
    node->column = map->column;
    return node;
}

static void read_default_value(ConfigReader *reader, const ConfigNode *map,
                               const ConfigField *field, guint8 *base)
{
    guint n_before = reader->problems->len;
    guint n_nodes = reader->n_nodes; /* only what files give counts */

    if (!field->fallback) {
        config_problem_at(reader->problems, map, CONFIG_ERROR_MISSING_KEY,
                          field->help ? "missing key '%s' (%s)"
                                      : "missing key '%s'",
                          field->key, field->help);
        return;
    }
    read_node_value(reader, make_default_node(reader, map, field), field,
                    field->key, base);
    reader->n_nodes = n_nodes;
    assert_valid_default(reader, field, n_before);
}

/* ---- defaults that are read once ----------------------------------------- */

/* The defaults of a table that do not depend on where they are used, in a
 * struct of the table. */
typedef struct {
    guint8 *values; /* owned */
    gsize n_bytes;  /* the size of the struct, as far as it is known */
} DefaultStruct;

typedef struct {
    guint n; /* fields in the table */
    DefaultStruct own, interned;
    gsize
        *n_bytes; /* owned: of each member; 0: the default is read each time */
    gboolean is_complete; /* every field has such a default */
} DefaultValues;

static void default_values_free(gpointer data)
{
    DefaultValues *defaults = data;

    g_free(defaults->own.values);
    g_free(defaults->interned.values);
    g_free(defaults->n_bytes);
    g_free(defaults);
}

static const DefaultValues *find_default_values(ConfigReader *reader,
                                                const ConfigNode *map,
                                                const ConfigField *fields);

/* Returns the size of the member of @field, or 0 if its default may depend on
 * where it is used. */
static gsize size_of_member(ConfigReader *reader, const ConfigNode *map,
                            const ConfigField *field)
{
    const DefaultValues *inner;

    if (!field->fallback || field->share_offset > 0)
        return 0;
    if (field->type <= CONFIG_FRACTION)
        return sizeof(uint64_t);
    if (field->type == CONFIG_BOOL)
        return sizeof(gboolean);
    if (field->type == CONFIG_NAME)
        return sizeof(const char *);
    if (field->type == CONFIG_ENUM)
        return sizeof(int);
    if (field->type == CONFIG_LIST)
        return g_str_equal(field->fallback, "[]") ? sizeof(ConfigList) : 0;
    if (field->type != CONFIG_SECTION || field->node_offset > 0 ||
        !g_str_equal(field->fallback, "{}"))
        return 0;
    inner = find_default_values(reader, map, field->fields);
    for (const ConfigField *config_field = field->fields; config_field->key;
         config_field++)
        if (config_field->type == CONFIG_LIST)
            return 0;
    return inner->is_complete ? inner->own.n_bytes : 0;
}

static void add_default_value(ConfigReader *reader, const ConfigNode *map,
                              const ConfigField *field, guint i,
                              DefaultValues *defaults)
{
    guint n_before = reader->problems->len + reader->doc->notes->len;
    gsize end = field->offset + defaults->n_bytes[i];
    DefaultStruct *in =
        field->interned_offset > 0 ? &defaults->interned : &defaults->own;
    ConfigField alone = *field; /* in a struct that is not divided */

    alone.interned_offset = 0;
    if (end > in->n_bytes) {
        in->values = g_realloc(in->values, end);
        memset(in->values + in->n_bytes, 0, end - in->n_bytes);
        in->n_bytes = end;
    }
    if (field->type != CONFIG_LIST)
        read_default_value(reader, map, &alone, in->values);
    if (reader->problems->len + reader->doc->notes->len > n_before)
        defaults->n_bytes[i] = 0;
}

static const DefaultValues *find_default_values(ConfigReader *reader,
                                                const ConfigNode *map,
                                                const ConfigField *fields)
{
    DefaultValues *defaults = g_hash_table_lookup(reader->defaults, fields);

    if (defaults)
        return defaults;
    defaults = g_new0(DefaultValues, 1);
    defaults->n = count_fields(fields);
    defaults->n_bytes = g_new0(gsize, defaults->n);
    defaults->is_complete = TRUE;
    for (guint i = 0; i < defaults->n; i++) {
        defaults->n_bytes[i] = size_of_member(reader, map, &fields[i]);
        if (defaults->n_bytes[i] > 0)
            add_default_value(reader, map, &fields[i], i, defaults);
        if (defaults->n_bytes[i] == 0)
            defaults->is_complete = FALSE;
    }
    g_hash_table_insert(reader->defaults, (gpointer)fields, defaults);
    return defaults;
}

/* Sets the member of field @i, whose key is not in @map, which was unread. */
static void copy_or_read_default(ConfigReader *reader, const ConfigNode *map,
                                 const ConfigField *fields, guint i,
                                 const DefaultValues *defaults, guint8 *base)
{
    const ConfigField *field = &fields[i];
    const DefaultStruct *from =
        field->interned_offset > 0 ? &defaults->interned : &defaults->own;

    if (defaults->n_bytes[i] == 0) {
        reader->keeps_nodes = TRUE;
        read_default_value(reader, map, field, base);
        return;
    }
    memcpy(config_field_member(field, base), from->values + field->offset,
           defaults->n_bytes[i]);
    if (field->type == CONFIG_LIST && !field->without_node)
        ((ConfigList *)config_field_member(field, base))->node = map;
}

/* Fills the struct at @base from @map.  In a kind, the key `kind` has been read
 * before. */
static void read_map_fields(ConfigReader *reader, const ConfigNode *map,
                            const ConfigField *fields, gboolean is_kind,
                            gboolean is_opened, guint8 *base)
{
    const DefaultValues *defaults =
        is_opened ? find_default_values(reader, map, fields) : NULL;
    guint n = defaults ? defaults->n : count_fields(fields);
    g_autofree gboolean *seen = g_new0(gboolean, n);
    guint meant;

    for (guint i = 0; i < config_node_count(map); i++) {
        const ConfigNode *key = config_node_key(map, i);
        guint f = find_field_index(fields, n, key->text);

        if (is_kind && g_str_equal(key->text, "kind"))
            continue;
        if (f == n) {
            /* A misspelt required key is one problem: the key is not reported
             * as missing. */
            meant = add_unknown_key(reader, key, fields, n, is_kind);
            if (meant < n && !fields[meant].fallback)
                seen[meant] = TRUE;
            continue;
        }
        if (seen[f] && fields[f].alias)
            config_problem_at(reader->problems, key, CONFIG_ERROR_CONFLICT,
                              "there are both '%s' and '%s': give one of them",
                              fields[f].key, fields[f].alias);
        seen[f] = TRUE;
        read_node_value(reader, config_node_value(map, i), &fields[f],
                        fields[f].key, base);
    }
    for (guint f = 0; f < n; f++) {
        if (!seen[f] && defaults)
            copy_or_read_default(reader, map, fields, f, defaults, base);
        else if (!seen[f])
            read_default_value(reader, map, &fields[f], base);
    }
}

/* An unread map while it is read. */
typedef struct {
    ConfigOpenedMap opened;
    gboolean kept_nodes;
} MapReading;

/* Makes the contents of @map if it is unread; @map may be NULL. */
static MapReading begin_map(ConfigReader *reader, const ConfigNode *map)
{
    MapReading reading = { .kept_nodes = reader->keeps_nodes };

    if (map)
        reading.opened = config_node_open(map);
    if (reading.opened.map)
        reader->keeps_nodes = FALSE;
    return reading;
}

/* Frees the contents again, unless a value has kept a pointer to one of its
 * nodes. */
static void end_map(ConfigReader *reader, const MapReading *reading)
{
    if (!reading->opened.map)
        return;
    if (!reader->keeps_nodes)
        config_node_close(&reading->opened);
    reader->keeps_nodes = reading->kept_nodes;
}

static void read_section_value(ConfigReader *reader, const ConfigNode *node,
                               const ConfigField *field, const char *label,
                               guint8 *base)
{
    guint n_files = reader->files->len;
    const ConfigNode *map = open_map_of_value(reader, node, label, "");
    MapReading reading = begin_map(reader, map);

    if (map)
        read_map_fields(reader, map, field->fields, FALSE,
                        reading.opened.map != NULL,
                        config_field_member(field, base));
    end_map(reader, &reading);
    if (map && field->node_offset > 0) {
        *(const ConfigNode **)(gpointer)(base + field->node_offset) = map;
        reader->keeps_nodes = TRUE;
    }
    g_ptr_array_set_size(reader->files, (gint)n_files);
}

/* ---- reading kinds (plug-ins) -------------------------------------------- */

#define N_INTERNED 1024

/* FNV-1a, by words; @n_bytes is a multiple of the size of a word. */
static guint64 hash_of_words(gconstpointer values, gsize n_bytes)
{
    const guint8 *p = values;
    guint64 hash = UINT64_C(0xcbf29ce484222325), word;

    for (gsize i = 0; i < n_bytes; i += sizeof word) {
        memcpy(&word, p + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 32;
}

/* Returns a struct that equals @values, of @n_bytes: one of those that were
 * interned last, or a copy. */
static gconstpointer intern_values(ConfigReader *reader, gconstpointer values,
                                   gsize n_bytes)
{
    InternedStruct *there;
    gpointer copy;

    if (!reader->interned)
        reader->interned = g_new0(InternedStruct, N_INTERNED);
    there = &reader->interned[hash_of_words(values, n_bytes) % N_INTERNED];
    if (there->n_bytes == n_bytes &&
        memcmp(there->values, values, n_bytes) == 0)
        return there->values;
    copy = allocate_owned_values(reader, 1, n_bytes);
    memcpy(copy, values, n_bytes);
    *there = (InternedStruct){ copy, n_bytes };
    return copy;
}

/* Reads @map into a struct of @kind and returns it. */
static gpointer read_kind_struct(ConfigReader *reader, const ConfigNode *map,
                                 const ConfigKind *kind, gboolean is_opened)
{
    g_autofree gpointer interned =
        kind->interned_size > 0 ? g_malloc0(kind->interned_size) : NULL;
    guint8 *ret = allocate_owned_values(reader, 1, kind->size);
    gconstpointer *link = (gpointer)(ret + kind->interned_offset);

    if (interned)
        *link = interned;
    read_map_fields(reader, map, kind->fields ? kind->fields : no_fields, TRUE,
                    is_opened, ret);
    if (interned)
        *link = intern_values(reader, interned, kind->interned_size);
    return ret;
}

static void read_kind_value(ConfigReader *reader, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    ConfigVariant *variant = config_field_member(field, base);
    guint n_files = reader->files->len;
    const ConfigNode *map;
    const ConfigKind *kind;
    g_autofree char *hint = NULL;
    MapReading reading;

    if (node->text && config_find_kind(field->registry, node->text))
        hint = g_strdup_printf("; did you mean '{kind: %s}'?", node->text);
    map = open_map_of_value(reader, node, label, hint ? hint : "");
    reading = begin_map(reader, map);
    kind = map ? config_kind_read(reader->problems, map, field) : NULL;
    if (kind)
        *variant = (ConfigVariant){
            kind,
            read_kind_struct(reader, map, kind, reading.opened.map != NULL), map
        };
    end_map(reader, &reading);
    reader->keeps_nodes = TRUE;
    g_ptr_array_set_size(reader->files, (gint)n_files);
}

/* ---- reading lists ------------------------------------------------------- */

static gboolean check_list_length(ConfigReader *reader, const ConfigNode *list,
                                  const ConfigField *field, const char *label)
{
    uint64_t min = field->min;
    uint64_t max = field->max > 0 ? field->max : UINT64_MAX;
    guint n = config_node_count(list);
    g_autofree char *expected = NULL;

    if (n >= min && n <= max)
        return TRUE;
    if (min == max)
        expected = g_strdup_printf("exactly %" G_GUINT64_FORMAT, min);
    else if (max == UINT64_MAX)
        expected = g_strdup_printf("at least %" G_GUINT64_FORMAT, min);
    else if (min == 0)
        expected = g_strdup_printf("at most %" G_GUINT64_FORMAT, max);
    else
        expected = g_strdup_printf(
            "%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, min, max);
    config_problem_at(reader->problems, list, CONFIG_ERROR_RANGE,
                      "%s: expected %s items, got %u", label, expected, n);
    return FALSE;
}

static void set_list_node(ConfigReader *reader, const ConfigNode *node,
                          const ConfigField *field, ConfigList *list)
{
    list->node = field->without_node ? NULL : node;
    if (list->node)
        reader->keeps_nodes = TRUE;
}

/* Reads a list that is written as one text. */
static void read_row_value(ConfigReader *reader, const ConfigNode *node,
                           const ConfigField *field, const char *label,
                           ConfigList *list)
{
    g_autoptr(GArray) row =
        config_row_read(reader->problems, node, field, label);

    if (!row)
        return;
    list->n = row->len;
    set_list_node(reader, node, field, list);
    list->items =
        allocate_owned_values(reader, MAX(row->len, 1), sizeof(uint64_t));
    memcpy(list->items, row->data, row->len * sizeof(uint64_t));
}

static void read_list_value(ConfigReader *reader, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    ConfigList *list = config_field_member(field, base);
    g_autoptr(GString) name = NULL;
    gsize n_label = strlen(label);
    guint8 *items;

    if (node->kind == CONFIG_NODE_SCALAR && field->may_be_one_text) {
        read_row_value(reader, node, field, label, list);
        return;
    }
    if (node->kind == CONFIG_NODE_SCALAR && field->may_be_item) {
        list->n = 1;
        set_list_node(reader, node, field, list);
        list->items = allocate_owned_values(reader, 1, field->item_size);
        read_node_value(reader, node, field->item, label, list->items);
        return;
    }
    if (node->kind != CONFIG_NODE_LIST) {
        g_autofree char *got = config_describe_node(node);

        config_problem_at(reader->problems, node, CONFIG_ERROR_TYPE,
                          "%s: expected a list, got %s", label, got);
        return;
    }
    check_list_length(reader, node, field, label);
    list->n = config_node_count(node);
    set_list_node(reader, node, field, list);
    list->items = NULL;
    if (list->n == 0)
        return;
    items = allocate_owned_values(reader, list->n, field->item_size);
    list->items = items;
    name = g_string_new(label);
    for (guint i = 0; i < list->n && !reader->stopped; i++) {
        /* The label of an item is the path that config_doc_set() would use for
         * it. */
        g_string_truncate(name, n_label);
        g_string_append_c(name, '.');
        config_append_number(name, i);
        read_node_value(reader, config_node_value(node, i), field->item,
                        name->str, items + i * field->item_size);
    }
}

/* Returns the limit of values for the files of @doc and for @source, which may
 * belong to another document. */
static guint count_allowed_nodes(const ConfigDoc *doc,
                                 const ConfigSource *source)
{
    gsize n_bytes =
        g_ptr_array_find(doc->sources, source, NULL) ? 0 : source->n_bytes;

    for (guint i = 0; i < doc->sources->len; i++)
        n_bytes +=
            ((const ConfigSource *)g_ptr_array_index(doc->sources, i))->n_bytes;
    return config_max_nodes(n_bytes);
}

/* ---- reading single values and whole documents --------------------------- */

static void note_rounded_value(const ConfigReader *reader,
                               const ConfigNode *node, const ConfigField *field,
                               const char *label, uint64_t value)
{
    g_autofree char *quoted = words_quote_text(node->text);
    g_autofree char *kept = quantity_format(value, field->type);

    g_ptr_array_add(reader->doc->notes,
                    g_strdup_printf("%s:%u:%u: note: %s: %s is rounded to %s",
                                    node->source->name, node->line,
                                    node->column, label, quoted, kept));
}

/* Warns of a value that is probably a slip of the unit. */
static void note_unusual_value(const ConfigReader *reader,
                               const ConfigNode *node, const ConfigField *field,
                               const char *label, uint64_t value)
{
    gboolean is_low = value < field->usual_min;
    g_autofree char *quoted = words_quote_text(node->text);
    g_autofree char *limit = quantity_format(
        is_low ? field->usual_min : field->usual_max, field->type);

    g_ptr_array_add(
        reader->doc->notes,
        g_strdup_printf("%s:%u:%u: warning: %s: %s is %s than the usual %s; is "
                        "the unit right?",
                        node->source->name, node->line, node->column, label,
                        quoted, is_low ? "less" : "more", limit));
}

static void read_scalar_value(ConfigReader *reader, const ConfigNode *node,
                              const ConfigField *field, const char *label,
                              gpointer slot)
{
    guint n_before = reader->problems->len;

    config_scalar_read(reader->problems, node, field, label, slot);
    if (reader->problems->len > n_before || field->type > CONFIG_FRACTION ||
        node->kind != CONFIG_NODE_SCALAR)
        return;
    if (quantity_is_rounded(node->text, field->type))
        note_rounded_value(reader, node, field, label, *(uint64_t *)slot);
    if (config_value_is_unusual(field, *(uint64_t *)slot))
        note_unusual_value(reader, node, field, label, *(uint64_t *)slot);
}

static void read_raw_value(ConfigReader *reader, const ConfigNode *node,
                           const ConfigField *field, guint8 *base)
{
    *(const ConfigNode **)config_field_member(field, base) = node;
    reader->keeps_nodes = TRUE;
}

static void read_node_value(ConfigReader *reader, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    if (reader->stopped)
        return;
    if (++reader->n_nodes > reader->max_nodes)
        reader->max_nodes = count_allowed_nodes(reader->doc, node->source);
    if (reader->n_nodes > reader->max_nodes) {
        stop_after_too_many_problems(
            reader, node, "values", reader->max_nodes,
            "; the environment variable " CONFIG_NODES_VARIABLE " allows more");
        return;
    }
    if (reader->depth == CONFIG_MAX_DEPTH) {
        stop_after_too_many_problems(reader, node, "levels", CONFIG_MAX_DEPTH,
                                     "");
        return;
    }
    reader->depth++;
    if (field->type == CONFIG_SECTION)
        read_section_value(reader, node, field, label, base);
    else if (field->type == CONFIG_KIND)
        read_kind_value(reader, node, field, label, base);
    else if (field->type == CONFIG_LIST)
        read_list_value(reader, node, field, label, base);
    else if (field->type == CONFIG_RAW)
        read_raw_value(reader, node, field, base);
    else
        read_scalar_value(reader, node, field, label,
                          config_field_member(field, base));
    reader->depth--;
}

/* Returns the problems of the texts and of the reader; borrowed. */
static GPtrArray *list_all_problems(const ConfigReader *reader)
{
    GPtrArray *all = g_ptr_array_new();

    for (guint i = 0; i < reader->doc->sources->len; i++) {
        const ConfigSource *source = g_ptr_array_index(reader->doc->sources, i);

        g_ptr_array_extend(all, source->problems, NULL, NULL);
    }
    g_ptr_array_extend(all, reader->problems, NULL, NULL);
    return all;
}

/* Adds what translating the files had to note. */
static void add_notes_of_files(const ConfigDoc *doc)
{
    for (guint i = 0; i < doc->sources->len; i++) {
        const ConfigSource *source = g_ptr_array_index(doc->sources, i);

        for (guint n = 0; n < source->notes->len; n++)
            g_ptr_array_add(doc->notes,
                            g_strdup(g_ptr_array_index(source->notes, n)));
    }
}

static void compute_dependent_values(const ConfigDoc *doc,
                                     const ConfigField *fields, gpointer params)
{
    for (const ConfigField *field = fields; field->key; field++)
        if (field->settle)
            field->settle(doc, params);
}

gboolean config_doc_read(ConfigDoc *doc, const ConfigField *fields,
                         gpointer params, GError **error)
{
    ConfigReader r = { .doc = doc, .root_fields = fields };
    g_autoptr(GPtrArray) problems = NULL;
    gboolean ok;

    g_return_val_if_fail(doc && fields && params, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_ptr_array_set_size(doc->notes, 0);
    r.max_nodes = count_allowed_nodes(doc, doc->root->source);
    r.problems = config_problems_new();
    r.files = g_ptr_array_new();
    r.fallback =
        config_node_new(doc, CONFIG_NODE_SCALAR, doc->root->source, 0, 0);
    r.fallbacks = g_hash_table_new(g_str_hash, g_str_equal);
    r.defaults = g_hash_table_new_full(NULL, NULL, NULL, default_values_free);
    g_ptr_array_add(r.files, (gpointer)doc->root->source);
    if (doc->root->kind == CONFIG_NODE_MAP) {
        read_map_fields(&r, doc->root, fields, FALSE, FALSE, params);
    } else {
        g_autofree char *got = config_describe_node(doc->root);

        config_problem_at(r.problems, doc->root, CONFIG_ERROR_TYPE,
                          "expected a map, got %s", got);
    }
    add_notes_of_files(doc);
    problems = list_all_problems(&r);
    ok = config_problems_to_error(doc, problems, error);
    if (ok)
        compute_dependent_values(doc, fields, params);
    if (!ok)
        foreign_files_explain_config_error(doc, error);
    g_ptr_array_unref(problems);
    problems = NULL;
    g_ptr_array_unref(r.files);
    g_hash_table_unref(r.fallbacks);
    g_hash_table_unref(r.defaults);
    g_free(r.interned);
    g_ptr_array_unref(r.problems);
    return ok;
}
