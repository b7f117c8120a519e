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

typedef struct {
    ConfigDoc *doc;
    GPtrArray *problems; /* owned */
    GPtrArray *files;    /* owned array: see ConfigEntry */
    /* The number of values read so far; a file that is named several times
     * counts each time. */
    guint n_nodes;
    guint max_nodes;       /* the limit of .n_nodes */
    ConfigNode *fallback;  /* the node of a scalar default, used again */
    GHashTable *fallbacks; /* owned: text of a default -> ConfigSource */
    guint depth;
    gboolean stopped; /* reading stopped because a limit was exceeded */
} ConfigReader;

static const ConfigField no_fields[] = { CONFIG_END };

static void read_node_value(ConfigReader *r, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base);

/* Returns the member of @field in the struct at @base. */
static gpointer config_struct_member_address(guint8 *base,
                                             const ConfigField *field)
{
    return base + field->offset;
}

static gpointer allocate_owned_values(ConfigReader *r, gsize n, gsize size)
{
    gpointer memory = g_malloc0_n(MAX(n, 1), MAX(size, 1));

    g_ptr_array_add(r->doc->owned, memory);
    return memory;
}

static void stop_after_too_many_problems(ConfigReader *r,
                                         const ConfigNode *node,
                                         const char *limit, guint max,
                                         const char *how)
{
    r->stopped = TRUE;
    config_problem_at(r->problems, node, CONFIG_ERROR_SYNTAX,
                      "more than %u %s, files counted in full%s", max, limit,
                      how);
}

/* ---- reading maps -------------------------------------------------------- */

static const ConfigNode *open_map_of_value(const ConfigReader *r,
                                           const ConfigNode *node,
                                           const char *label, const char *hint)
{
    ConfigEntry at = { r->doc, r->problems, r->files };

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

    while (i < n && !g_str_equal(fields[i].key, key) &&
           g_strcmp0(fields[i].alias, key) != 0)
        i++;
    return i;
}

/* Adds a problem.  Returns the index of the field that was probably meant, or
 * @n if there is none. */
static guint add_unknown_key(ConfigReader *r, const ConfigNode *key,
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
    hint = words_suggestion_hint(key->text, known, "known keys");
    config_problem_at(r->problems, key, CONFIG_ERROR_UNKNOWN_KEY,
                      "unknown key %s%s", got, hint);
    nearest = words_find_nearest(key->text, known);
    return nearest ? find_field_index(fields, n, nearest) : n;
}

/* Asserts that the default of @field is valid: it is part of the program.  Only
 * keys that are missing in a section that the default creates are problems of
 * the user. */
static void assert_valid_default(ConfigReader *r, const ConfigField *field,
                                 guint n_before)
{
    for (guint i = n_before; i < r->problems->len && !r->stopped; i++) {
        if (config_problem_code(r->problems, i) != CONFIG_ERROR_MISSING_KEY)
            g_error("the default of '%s', %s: %s", field->key, field->fallback,
                    config_problem_text(r->problems, i));
    }
}

/* Returns the root of the default of @field, a list or a map. */
static const ConfigNode *parsed_default_of_field(ConfigReader *r,
                                                 const ConfigField *field)
{
    ConfigSource *source = g_hash_table_lookup(r->fallbacks, field->fallback);

    if (source)
        return source->root;
    source = config_source_new(r->doc, "default");
    config_source_parse(r->doc, source, field->fallback,
                        strlen(field->fallback), TRUE);
    if (source->problems->len > 0)
        g_error("the default of '%s', %s: %s", field->key, field->fallback,
                config_problem_text(source->problems, 0));
    g_hash_table_insert(r->fallbacks, (gpointer)field->fallback, source);
    return source->root;
}

/* Returns the node of a default.  Its position is that of the map in which the
 * key is missing.  The node of a scalar is valid until the next call: nothing
 * keeps it, only its text, which is static. */
static const ConfigNode *make_default_node(ConfigReader *r,
                                           const ConfigNode *map,
                                           const ConfigField *field)
{
    ConfigNode *node;

    if (field->type < CONFIG_SECTION) { /* a single word needs no parser */
        node = r->fallback;
        node->text = field->fallback;
    } else {
        node = config_node_copy(r->doc, parsed_default_of_field(r, field));
    }
    node->source = map->source;
    node->line = map->line;
    node->column = map->column;
    return node;
}

static void read_default_value(ConfigReader *r, const ConfigNode *map,
                               const ConfigField *field, guint8 *base)
{
    guint n_before = r->problems->len;
    guint n_nodes = r->n_nodes; /* only what files give counts */

    if (!field->fallback) {
        config_problem_at(r->problems, map, CONFIG_ERROR_MISSING_KEY,
                          field->help ? "missing key '%s' (%s)"
                                      : "missing key '%s'",
                          field->key, field->help);
        return;
    }
    read_node_value(r, make_default_node(r, map, field), field, field->key,
                    base);
    r->n_nodes = n_nodes;
    assert_valid_default(r, field, n_before);
}

/* Fills the struct at @base from @map.  In a kind, the key `kind` has been read
 * before. */
static void read_map_fields(ConfigReader *r, const ConfigNode *map,
                            const ConfigField *fields, gboolean is_kind,
                            guint8 *base)
{
    guint n = count_fields(fields);
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
            meant = add_unknown_key(r, key, fields, n, is_kind);
            if (meant < n && !fields[meant].fallback)
                seen[meant] = TRUE;
            continue;
        }
        if (seen[f] && fields[f].alias)
            config_problem_at(r->problems, key, CONFIG_ERROR_CONFLICT,
                              "there are both '%s' and '%s': give one of them",
                              fields[f].key, fields[f].alias);
        seen[f] = TRUE;
        read_node_value(r, config_node_value(map, i), &fields[f], fields[f].key,
                        base);
    }
    for (guint f = 0; f < n; f++) {
        if (!seen[f])
            read_default_value(r, map, &fields[f], base);
    }
}

static void read_section_value(ConfigReader *r, const ConfigNode *node,
                               const ConfigField *field, const char *label,
                               guint8 *base)
{
    guint n_files = r->files->len;
    const ConfigNode *map = open_map_of_value(r, node, label, "");

    if (map)
        read_map_fields(r, map, field->fields, FALSE,
                        config_struct_member_address(base, field));
    if (map && field->node_offset > 0)
        *(const ConfigNode **)(gpointer)(base + field->node_offset) = map;
    g_ptr_array_set_size(r->files, (gint)n_files);
}

/* ---- reading kinds (plug-ins) -------------------------------------------- */

static void read_kind_value(ConfigReader *r, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    ConfigVariant *variant = config_struct_member_address(base, field);
    guint n_files = r->files->len;
    const ConfigNode *map;
    const ConfigKind *kind;
    g_autofree char *hint = NULL;
    guint8 *params;

    if (node->text && config_find_kind(field->registry, node->text))
        hint = g_strdup_printf("; did you mean '{kind: %s}'?", node->text);
    map = open_map_of_value(r, node, label, hint ? hint : "");
    kind = map ? config_kind_read(r->problems, map, field) : NULL;
    if (kind) {
        params = allocate_owned_values(r, 1, kind->size);
        read_map_fields(r, map, kind->fields ? kind->fields : no_fields, TRUE,
                        params);
        *variant = (ConfigVariant){ kind, params, map };
    }
    g_ptr_array_set_size(r->files, (gint)n_files);
}

/* ---- reading lists ------------------------------------------------------- */

static gboolean check_list_length(ConfigReader *r, const ConfigNode *list,
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
    config_problem_at(r->problems, list, CONFIG_ERROR_RANGE,
                      "%s: expected %s items, got %u", label, expected, n);
    return FALSE;
}

/* Reads a list that is written as one text. */
static void read_row_value(ConfigReader *r, const ConfigNode *node,
                           const ConfigField *field, const char *label,
                           ConfigList *list)
{
    g_autoptr(GArray) row = config_row_read(r->problems, node, field, label);

    if (!row)
        return;
    list->n = row->len;
    list->node = node;
    list->items = allocate_owned_values(r, MAX(row->len, 1), sizeof(uint64_t));
    memcpy(list->items, row->data, row->len * sizeof(uint64_t));
}

static void read_list_value(ConfigReader *r, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    ConfigList *list = config_struct_member_address(base, field);
    guint8 *items;

    if (node->kind == CONFIG_NODE_SCALAR && field->may_be_one_text) {
        read_row_value(r, node, field, label, list);
        return;
    }
    if (node->kind == CONFIG_NODE_SCALAR && field->may_be_item) {
        list->n = 1;
        list->node = node;
        list->items = allocate_owned_values(r, 1, field->item_size);
        read_node_value(r, node, field->item, label, list->items);
        return;
    }
    if (node->kind != CONFIG_NODE_LIST) {
        g_autofree char *got = config_describe_node(node);

        config_problem_at(r->problems, node, CONFIG_ERROR_TYPE,
                          "%s: expected a list, got %s", label, got);
        return;
    }
    check_list_length(r, node, field, label);
    list->n = config_node_count(node);
    list->node = node;
    list->items = NULL;
    if (list->n == 0)
        return;
    items = allocate_owned_values(r, list->n, field->item_size);
    list->items = items;
    for (guint i = 0; i < list->n && !r->stopped; i++) {
        /* The label of an item is the path that config_doc_set() would use for
         * it. */
        g_autofree char *name = g_strdup_printf("%s.%u", label, i);

        read_node_value(r, config_node_value(node, i), field->item, name,
                        items + i * field->item_size);
    }
}

/* ---- reading single values and whole documents --------------------------- */

static void note_rounded_value(const ConfigReader *r, const ConfigNode *node,
                               const ConfigField *field, const char *label,
                               uint64_t value)
{
    g_autofree char *quoted = words_quote_text(node->text);
    g_autofree char *kept = quantity_format(value, field->type);

    g_ptr_array_add(r->doc->notes,
                    g_strdup_printf("%s:%u:%u: note: %s: %s is rounded to %s",
                                    node->source->name, node->line,
                                    node->column, label, quoted, kept));
}

static void read_scalar_value(ConfigReader *r, const ConfigNode *node,
                              const ConfigField *field, const char *label,
                              gpointer slot)
{
    guint n_before = r->problems->len;

    config_scalar_read(r->problems, node, field, label, slot);
    if (r->problems->len == n_before && field->type <= CONFIG_FRACTION &&
        node->kind == CONFIG_NODE_SCALAR &&
        quantity_is_rounded(node->text, field->type))
        note_rounded_value(r, node, field, label, *(uint64_t *)slot);
}

static void read_node_value(ConfigReader *r, const ConfigNode *node,
                            const ConfigField *field, const char *label,
                            guint8 *base)
{
    if (r->stopped)
        return;
    if (++r->n_nodes > r->max_nodes) {
        stop_after_too_many_problems(
            r, node, "values", r->max_nodes,
            "; the environment variable " CONFIG_NODES_VARIABLE " allows more");
        return;
    }
    if (r->depth == CONFIG_MAX_DEPTH) {
        stop_after_too_many_problems(r, node, "levels", CONFIG_MAX_DEPTH, "");
        return;
    }
    r->depth++;
    if (field->type == CONFIG_SECTION)
        read_section_value(r, node, field, label, base);
    else if (field->type == CONFIG_KIND)
        read_kind_value(r, node, field, label, base);
    else if (field->type == CONFIG_LIST)
        read_list_value(r, node, field, label, base);
    else if (field->type == CONFIG_RAW)
        *(const ConfigNode **)config_struct_member_address(base, field) = node;
    else
        read_scalar_value(r, node, field, label,
                          config_struct_member_address(base, field));
    r->depth--;
}

/* Returns the problems of the texts and of the reader; borrowed. */
static GPtrArray *list_all_problems(const ConfigReader *r)
{
    GPtrArray *all = g_ptr_array_new();

    for (guint i = 0; i < r->doc->sources->len; i++) {
        const ConfigSource *source = g_ptr_array_index(r->doc->sources, i);

        g_ptr_array_extend(all, source->problems, NULL, NULL);
    }
    g_ptr_array_extend(all, r->problems, NULL, NULL);
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
    ConfigReader r = { .doc = doc, .max_nodes = config_max_nodes() };
    g_autoptr(GPtrArray) problems = NULL;
    gboolean ok;

    g_return_val_if_fail(doc && fields && params, FALSE);
    g_return_val_if_fail(error == NULL || *error == NULL, FALSE);

    g_ptr_array_set_size(doc->notes, 0);
    r.problems = config_problems_new();
    r.files = g_ptr_array_new();
    r.fallback =
        config_node_new(doc, CONFIG_NODE_SCALAR, doc->root->source, 0, 0);
    r.fallbacks = g_hash_table_new(g_str_hash, g_str_equal);
    g_ptr_array_add(r.files, (gpointer)doc->root->source);
    if (doc->root->kind == CONFIG_NODE_MAP) {
        read_map_fields(&r, doc->root, fields, FALSE, params);
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
    g_ptr_array_unref(r.problems);
    return ok;
}
