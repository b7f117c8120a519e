/* config_json_schema.c - JSON Schema of the configuration files; see
 * config_json_schema.h */
#include "sim/view/config_json_schema.h"

#include <inttypes.h>
#include <string.h>

#include "models/run/system.h"
#include "sim/config/quantity.h"
#include "sim/core/json_writer.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/view/list_topic_text.h"

/* Editors read numbers as doubles, which are exact below 2^53. */
#define MAX_EXACT (UINT64_C(1) << 53)

#define ANY_LIST  "{ \"type\": \"array\", \"minItems\": 1 }"
#define FILE_NAME "{ \"type\": \"string\", \"minLength\": 1 }"

typedef struct {
    Json json;
    /* The registries that the schema refers to and must define (an owned array,
     * borrowed entries). */
    GPtrArray *registries;
    /* In a sweep the base or an axis may give any key, so that no key but
     * `kind` is required. */
    gboolean is_sweep;
} SchemaWriter;

static void write_value_schema(SchemaWriter *writer, const char *key,
                               const ConfigField *field);

/* ---- the help and default of a field ------------------------------------- */

/* Returns the default as JSON, or NULL if it is not a plain value. */
static char *default_as_json(const ConfigField *field)
{
    const char *text = field->fallback;
    GString *out;

    if (!text ||
        (field->type >= CONFIG_SECTION && text[0] != '[' && text[0] != '{'))
        return NULL;
    if (field->type >= CONFIG_SECTION)
        return strlen(text) == 2 ? g_strdup(text) : NULL; /* {} or [] */
    if ((field->type == CONFIG_COUNT && g_ascii_isdigit(*text)) ||
        field->type == CONFIG_BOOL)
        return g_strdup(text);
    out = g_string_new(NULL);
    json_append_quoted(out, text);
    return g_string_free(out, FALSE);
}

static void write_field_help(SchemaWriter *writer, const ConfigField *field)
{
    g_autofree char *range = list_range_text(field);
    g_autofree char *fallback = default_as_json(field);
    g_autoptr(GString) text = g_string_new(field->help);

    if (field->type <= CONFIG_FRACTION && *range != '\0')
        g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", range);
    if (field->source && fallback)
        g_string_append_printf(text, " (default: %s)", field->source);
    if (text->len > 0)
        json_add_text(&writer->json, "description", text->str);
    if (fallback)
        json_add_raw(&writer->json, "default", fallback);
}

/* ---- the schema of numbers and words ------------------------------------- */

static void write_number_limits(SchemaWriter *writer, const ConfigField *field)
{
    json_add_u64(&writer->json, "minimum", field->min);
    if (field->max > 0 && field->max < MAX_EXACT)
        json_add_u64(&writer->json, "maximum", field->max);
}

static void write_quantity_pattern(SchemaWriter *writer,
                                   const ConfigField *field)
{
    g_autofree char *pattern = quantity_regex_pattern(field->type);

    json_add_text(&writer->json, "type", "string");
    json_add_text(&writer->json, "pattern", pattern);
}

static char *schema_pattern_of_fraction(uint64_t ppm)
{
    return g_strdup_printf("%" PRIu64 ".%06" PRIu64, ppm / 1000000,
                           ppm % 1000000);
}

/* Writes a fraction: a number such as 0.94, or a text such as "94 %". */
static void write_fraction_schema(SchemaWriter *writer,
                                  const ConfigField *field)
{
    g_autofree char *min = schema_pattern_of_fraction(field->min);
    g_autofree char *max = schema_pattern_of_fraction(field->max);

    json_begin_array(&writer->json, "anyOf");
    json_begin_object(&writer->json, NULL);
    json_add_text(&writer->json, "type", "number");
    json_add_raw(&writer->json, "minimum", min);
    if (field->max > 0)
        json_add_raw(&writer->json, "maximum", max);
    json_end_object(&writer->json);
    json_begin_object(&writer->json, NULL);
    write_quantity_pattern(writer, field);
    json_end_object(&writer->json);
    json_end_array(&writer->json);
}

static void write_scalar_schema(SchemaWriter *writer, const ConfigField *field);

/* Writes a number, or a text such as "50 %" that is a share. */
static void write_number_or_share_schema(SchemaWriter *writer,
                                         const ConfigField *field)
{
    const ConfigField share = { .type = CONFIG_FRACTION };
    ConfigField number = *field;

    number.share_offset = 0;
    json_begin_array(&writer->json, "anyOf");
    json_begin_object(&writer->json, NULL);
    write_quantity_pattern(writer, &share);
    json_end_object(&writer->json);
    json_begin_object(&writer->json, NULL);
    write_scalar_schema(writer, &number);
    json_end_object(&writer->json);
    json_end_array(&writer->json);
}

static void write_number_or_auto_schema(SchemaWriter *writer,
                                        const ConfigField *field)
{
    ConfigField number = *field;

    number.may_be_auto = FALSE;
    json_begin_array(&writer->json, "anyOf");
    json_begin_object(&writer->json, NULL);
    json_add_text(&writer->json, "const", CONFIG_AUTO_WORD);
    json_end_object(&writer->json);
    json_begin_object(&writer->json, NULL);
    write_scalar_schema(writer, &number);
    json_end_object(&writer->json);
    json_end_array(&writer->json);
}

static void write_scalar_schema(SchemaWriter *writer, const ConfigField *field)
{
    if (field->may_be_auto) {
        write_number_or_auto_schema(writer, field);
    } else if (field->share_offset > 0) {
        write_number_or_share_schema(writer, field);
    } else if (field->type == CONFIG_COUNT) {
        json_add_text(&writer->json, "type", "integer");
        write_number_limits(writer, field);
    } else if (field->type == CONFIG_FRACTION) {
        write_fraction_schema(writer, field);
    } else if (field->type < CONFIG_FRACTION) {
        write_quantity_pattern(writer, field);
    } else if (field->type == CONFIG_BOOL) {
        json_add_text(&writer->json, "type", "boolean");
    } else if (field->type == CONFIG_ENUM) {
        json_add_texts(&writer->json, "enum", field->names);
    } else { /* a name may look like a number */
        json_add_raw(&writer->json, "type", "[\"string\", \"number\"]");
        json_add_raw(&writer->json, "minLength", "1");
    }
}

/* ---- the schema of a map ------------------------------------------------- */

/* Returns whether the key of @field must be given: it has no default and no
 * other name. */
static gboolean is_required_key(const ConfigField *field)
{
    return !field->fallback && !field->alias;
}

static void write_required_keys(SchemaWriter *writer, const ConfigField *fields,
                                const ConfigKind *kind)
{
    gboolean any = kind != NULL;

    for (const ConfigField *field = fields;
         field && field->key && !writer->is_sweep; field++)
        any |= is_required_key(field);
    if (!any)
        return;
    json_begin_array(&writer->json, "required");
    if (kind)
        json_add_text(&writer->json, NULL, "kind");
    for (const ConfigField *field = fields;
         field && field->key && !writer->is_sweep; field++)
        if (is_required_key(field))
            json_add_text(&writer->json, NULL, field->key);
    json_end_array(&writer->json);
}

static void write_required_key(SchemaWriter *writer, const char *key)
{
    json_begin_object(&writer->json, NULL);
    json_begin_array(&writer->json, "required");
    json_add_text(&writer->json, NULL, key);
    json_end_array(&writer->json);
    json_end_object(&writer->json);
}

/* Writes that one of the two names of a required field is needed. */
static void write_required_names(SchemaWriter *writer,
                                 const ConfigField *fields)
{
    for (const ConfigField *field = fields;
         field && field->key && !writer->is_sweep; field++) {
        if (!field->alias || field->fallback)
            continue;
        json_begin_array(&writer->json, "oneOf");
        write_required_key(writer, field->key);
        write_required_key(writer, field->alias);
        json_end_array(&writer->json);
        return; /* a map has one such field at most */
    }
}

/* Writes a map with @fields, and with the kind if @kind is not NULL. */
static void write_map_schema(SchemaWriter *writer, const ConfigField *fields,
                             const ConfigKind *kind)
{
    json_add_text(&writer->json, "type", "object");
    json_begin_object(&writer->json, "properties");
    if (kind) {
        json_begin_object(&writer->json, "kind");
        json_add_text(&writer->json, "const", kind->name);
        json_add_text(&writer->json, "description", kind->summary);
        json_end_object(&writer->json);
    }
    for (const ConfigField *field = fields; field && field->key; field++) {
        write_value_schema(writer, field->key, field);
        if (field->alias)
            write_value_schema(writer, field->alias, field);
    }
    json_end_object(&writer->json);
    write_required_keys(writer, fields, kind);
    write_required_names(writer, fields);
    json_add_bool(&writer->json, "additionalProperties", FALSE);
}

static void write_section_schema(SchemaWriter *writer, const ConfigField *field)
{
    json_begin_array(&writer->json, "anyOf");
    json_begin_object(&writer->json, NULL);
    write_map_schema(writer, field->fields, NULL);
    json_end_object(&writer->json);
    json_add_raw(&writer->json, NULL, FILE_NAME);
    json_end_array(&writer->json);
}

static void write_kind_schemas(SchemaWriter *writer,
                               const ConfigRegistry *registry, gboolean or_file)
{
    json_begin_array(&writer->json, "oneOf");
    for (guint i = 0; registry->kinds[i]; i++) {
        json_begin_object(&writer->json, NULL);
        json_add_text(&writer->json, "title", registry->kinds[i]->name);
        write_map_schema(writer, registry->kinds[i]->fields,
                         registry->kinds[i]);
        json_end_object(&writer->json);
    }
    if (or_file)
        json_add_raw(&writer->json, NULL, FILE_NAME);
    json_end_array(&writer->json);
}

/* Writes a reference, and the map that needs no `kind` if there is one.  A
 * registry may contain itself, so it is defined once and referred to.  In draft
 * 07, other keys next to $ref are ignored. */
static void write_kind_reference(SchemaWriter *writer,
                                 const ConfigRegistry *registry,
                                 const char *without_kind)
{
    g_autofree char *path = g_strdup_printf("#/definitions/%s", registry->noun);

    if (!g_ptr_array_find(writer->registries, registry, NULL))
        g_ptr_array_add(writer->registries, (gpointer)registry);
    json_begin_array(&writer->json, without_kind ? "anyOf" : "allOf");
    json_begin_object(&writer->json, NULL);
    json_add_text(&writer->json, "$ref", path);
    json_end_object(&writer->json);
    for (guint i = 0; without_kind && registry->kinds[i]; i++) {
        if (!g_str_equal(registry->kinds[i]->name, without_kind))
            continue;
        json_begin_object(&writer->json, NULL);
        json_add_text(&writer->json, "title", without_kind);
        write_map_schema(writer, registry->kinds[i]->fields, NULL);
        json_end_object(&writer->json);
    }
    json_end_array(&writer->json);
}

static void write_list_type(SchemaWriter *writer, const ConfigField *field)
{
    if (field->may_be_one_text)
        json_add_raw(&writer->json, "type", "[\"array\", \"string\"]");
    else
        json_add_text(&writer->json, "type", "array");
    if (field->min > 0)
        json_add_u64(&writer->json, "minItems", field->min);
    if (field->max > 0 && field->max < MAX_EXACT)
        json_add_u64(&writer->json, "maxItems", field->max);
    write_value_schema(writer, "items", field->item);
}

static void write_list_schema(SchemaWriter *writer, const ConfigField *field)
{
    if (!field->may_be_item) {
        write_list_type(writer, field);
        return;
    }
    json_begin_array(&writer->json, "anyOf");
    write_value_schema(writer, NULL, field->item);
    json_begin_object(&writer->json, NULL);
    write_list_type(writer, field);
    json_end_object(&writer->json);
    json_end_array(&writer->json);
}

/* ---- the schema of a sweep file ------------------------------------------ */

/* Writes the lists of values that an axis may have, for all keys of a run file
 * and, by path, for the keys of its sections.  acesim check checks paths
 * through kinds and lists. */
static void write_axis_list_schemas(SchemaWriter *writer,
                                    const ConfigField *fields,
                                    const char *prefix)
{
    for (const ConfigField *field = fields; field->key; field++) {
        g_autofree char *path = g_strconcat(prefix, field->key, NULL);
        g_autofree char *inner = g_strconcat(path, ".", NULL);

        json_begin_object(&writer->json, path);
        json_add_text(&writer->json, "type", "array");
        json_add_raw(&writer->json, "minItems", "1");
        write_value_schema(writer, "items", field);
        json_end_object(&writer->json);
        if (field->type == CONFIG_SECTION)
            write_axis_list_schemas(writer, field->fields, inner);
    }
}

/* Values of lists that are read by code and not by a table, by the key of the
 * table. */
static const struct {
    const char *key;
    const char *values; /* values of the map */
} raw_items[] = {
    { "zip", ANY_LIST },
    { "cases", "{ \"type\": \"object\", \"additionalProperties\": { \"type\": "
               "\"object\" } }" },
};

static void write_raw_item_schema(SchemaWriter *writer,
                                  const ConfigField *field)
{
    for (guint i = 0; i < G_N_ELEMENTS(raw_items); i++) {
        if (!g_str_equal(raw_items[i].key, field->key))
            continue;
        json_begin_object(&writer->json, field->key);
        json_add_text(&writer->json, "description", field->help);
        json_add_text(&writer->json, "type", "object");
        json_add_raw(&writer->json, "additionalProperties",
                     raw_items[i].values);
        json_add_raw(&writer->json, "minProperties", "1");
        json_end_object(&writer->json);
    }
}

static void write_axes_schema(SchemaWriter *writer, const ConfigField *axes)
{
    json_add_text(&writer->json, "type", "array");
    json_begin_object(&writer->json, "items");
    json_add_text(&writer->json, "type", "object");
    json_begin_object(&writer->json, "properties");
    for (const ConfigField *field = axes->item->fields; field->key; field++)
        write_raw_item_schema(writer, field);
    write_axis_list_schemas(writer, system_fields, "");
    json_end_object(&writer->json);
    json_add_raw(&writer->json, "additionalProperties", ANY_LIST);
    json_end_object(&writer->json);
}

static void write_base_schema(SchemaWriter *writer, const ConfigField *base)
{
    const ConfigField field = { .fields = system_fields };

    (void)base;
    write_section_schema(writer, &field);
}

static void write_exclude_schema(SchemaWriter *writer,
                                 const ConfigField *exclude)
{
    json_add_text(&writer->json, "type", "array");
    json_begin_object(&writer->json, "items");
    json_add_text(&writer->json, "description", exclude->item->fields[0].help);
    json_add_text(&writer->json, "type", "object");
    json_end_object(&writer->json);
}

/* Keys of sweep_fields that are read by code and not by a table. */
static const struct {
    const char *key;
    void (*write)(SchemaWriter *w, const ConfigField *field);
} raw_values[] = {
    { "base", write_base_schema },
    { "axes", write_axes_schema },
    { "exclude", write_exclude_schema },
};

static void write_raw_field_schema(SchemaWriter *writer,
                                   const ConfigField *field)
{
    for (guint i = 0; i < G_N_ELEMENTS(raw_values); i++)
        if (g_str_equal(raw_values[i].key, field->key))
            raw_values[i].write(writer, field);
}

/* ---- the schema of a whole file ------------------------------------------ */

static void write_value_schema(SchemaWriter *writer, const char *key,
                               const ConfigField *field)
{
    json_begin_object(&writer->json, key);
    write_field_help(writer, field);
    switch (field->type) {
    case CONFIG_SECTION:
        write_section_schema(writer, field);
        break;
    case CONFIG_LIST:
        write_list_schema(writer, field);
        break;
    case CONFIG_KIND:
        write_kind_reference(writer, field->registry, field->without_kind);
        break;
    case CONFIG_RAW:
        write_raw_field_schema(writer, field);
        break;
    default:
        write_scalar_schema(writer, field);
        break;
    }
    json_end_object(&writer->json);
}

/* Writing a definition may add further ones. */
static void write_schema_definitions(SchemaWriter *writer)
{
    json_begin_object(&writer->json, "definitions");
    for (guint i = 0; i < writer->registries->len; i++) {
        const ConfigRegistry *registry =
            g_ptr_array_index(writer->registries, i);

        json_begin_object(&writer->json, registry->noun);
        write_kind_schemas(writer, registry, TRUE);
        json_end_object(&writer->json);
    }
    json_end_object(&writer->json);
}

GString *make_json_schema(const ListTopic *topic)
{
    GString *out = g_string_new(NULL);
    SchemaWriter w = { .json = { .out = out },
                       .registries = g_ptr_array_new(),
                       .is_sweep = topic->fields == sweep_fields };
    g_autofree char *title = g_strdup_printf("acesim: %s", topic->file);

    json_begin_object(&w.json, NULL);
    json_add_text(&w.json, "$schema",
                  "http://json-schema.org/draft-07/schema#");
    json_add_text(&w.json, "title", title);
    json_add_text(&w.json, "description", topic->summary);
    if (topic->fields)
        write_map_schema(&w, topic->fields, NULL);
    else
        write_kind_schemas(&w, topic->registry, FALSE);
    write_schema_definitions(&w);
    json_end_object(&w.json);
    g_ptr_array_unref(w.registries);
    return out;
}
