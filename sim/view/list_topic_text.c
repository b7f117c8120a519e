/* list_topic_text.c - lists of all kinds and parameters */
#include "sim/view/list_topic_text.h"

#include "models/collectives/algorithm.h"
#include "models/endpoints/endpoint.h"
#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/core/aligned_table.h"
#include "sim/core/word_suggestions.h"
#include "sim/view/list_topics.h"
#include "sim/view/machine_list.h"

#define RANGE_WIDTH 20 /* keeps the names of an enum from filling the line */
/* A limit of a range is not shown if it is larger than this. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* ---- describing one parameter -------------------------------------------- */

static const char *field_type_name(const ConfigField *field)
{
    static const char *const names[] = {
        [CONFIG_COUNT] = "count",         [CONFIG_BYTES] = "bytes",
        [CONFIG_TIME] = "time",           [CONFIG_BANDWIDTH] = "bandwidth",
        [CONFIG_FREQUENCY] = "frequency", [CONFIG_FLOPS] = "FLOP/s",
        [CONFIG_FRACTION] = "fraction",   [CONFIG_BOOL] = "true|false",
        [CONFIG_NAME] = "text",           [CONFIG_ENUM] = "one of",
        [CONFIG_SECTION] = "section",     [CONFIG_LIST] = "list",
        [CONFIG_KIND] = "kind",           [CONFIG_RAW] = "map",
    };

    g_assert((guint)field->type < G_N_ELEMENTS(names));
    return names[field->type == CONFIG_RAW && field->item ? CONFIG_LIST
                                                          : field->type];
}

static char *number_range_text_of_field(const ConfigField *field)
{
    g_autofree char *min = quantity_format(field->min, field->type);
    g_autofree char *max = quantity_format(field->max, field->type);
    gboolean open = field->max == 0 || field->max >= NO_LIMIT;

    if (open)
        return field->min == 0 ? g_strdup("") : g_strdup_printf("from %s", min);
    return g_strdup_printf("%s to %s", min, max);
}

static char *join_kind_names(const ConfigRegistry *registry)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; registry->kinds[i]; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "",
                               registry->kinds[i]->name);
    return g_string_free(out, FALSE);
}

char *list_range_text(const ConfigField *field)
{
    if (field->type <= CONFIG_FRACTION) {
        g_autofree char *range = number_range_text_of_field(field);

        return g_strconcat(range,
                           field->may_be_auto ? ", " CONFIG_AUTO_WORD : "",
                           field->whole ? ", % of the NPU's" : "", NULL);
    }
    if (field->type == CONFIG_ENUM)
        return g_strjoinv(", ", (char **)field->names);
    if (field->type == CONFIG_KIND)
        return join_kind_names(field->registry);
    if (field->type == CONFIG_LIST && field->may_be_item &&
        field->item->type == CONFIG_ENUM)
        return g_strjoinv(", ", (char **)field->item->names);
    if (field->type == CONFIG_LIST && field->min > 0)
        return field->max > 0 && field->max < UINT64_MAX
                   ? g_strdup_printf("%" G_GUINT64_FORMAT
                                     " to %" G_GUINT64_FORMAT " items",
                                     field->min, field->max)
                   : g_strdup_printf("from %" G_GUINT64_FORMAT " items",
                                     field->min);
    return g_strdup("");
}

/* Visits the fields of a section or of the items of a list. */
static void list_visit_nested_fields(const ConfigField *field, const char *key,
                                     ListFieldVisit visit, gpointer data)
{
    const ConfigField *item = field->item ? field->item : field;
    g_autofree char *prefix =
        g_strdup_printf("%s.%s", key, field->item ? "N." : "");

    if (item->type == CONFIG_SECTION)
        list_visit_fields(item->fields, prefix, FALSE, visit, data);
}

void list_visit_fields(const ConfigField *fields, const char *prefix,
                       gboolean is_brief, ListFieldVisit visit, gpointer data)
{
    for (const ConfigField *field = fields; field->key; field++) {
        g_autofree char *key = g_strconcat(prefix, field->key, NULL);

        visit(field, key, data);
        if (!is_brief)
            list_visit_nested_fields(field, key, visit, data);
    }
}

static void add_field_row(const ConfigField *field, const char *key,
                          gpointer data)
{
    Table *table = data;
    g_autofree char *range = list_range_text(field);
    const char *help = field->help ? field->help : "";
    const char *fallback = field->fallback;

    if (field->type == CONFIG_LIST && field->item->type == CONFIG_KIND) {
        g_free(range);
        range = join_kind_names(field->item->registry);
    }
    table_add_cell(table, key);
    table_add_cell(table, field_type_name(field));
    table_add_cell(table, !fallback           ? "required"
                          : *fallback == '\0' ? "''"
                                              : fallback);
    table_add_cell(table, range);
    if (field->source && fallback && field->type != CONFIG_NAME)
        table_add_cell_printf(table, "%s (default: %s)", help, field->source);
    else
        table_add_cell(table, help);
}

static void write_field_table(GString *out, const ConfigField *fields,
                              gboolean is_brief, guint width)
{
    const TableColumn columns[] = {
        { "key", FALSE, 0 },       { "type", FALSE, 0 },
        { "default", FALSE, 0 },   { "range", FALSE, RANGE_WIDTH },
        { "", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = NULL;

    if (!fields || !fields->key)
        return;
    table = table_new(columns, G_N_ELEMENTS(columns));
    list_visit_fields(fields, "", is_brief, add_field_row, table);
    table_write(table, out, 2, width);
}

/* ---- listing the topics -------------------------------------------------- */

/* Writes the resources that only @kind has, by the names of their rows. */
static void write_kind_resources(GString *out, const ConfigKind *kind,
                                 guint width)
{
    const TableColumn columns[] = {
        { "can run short", FALSE, 0 },
        { "twice as good", FALSE, 0 },
        { "what waits for it", FALSE, TABLE_REST },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    const ResourceKind *own = endpoint_resources_of_kind(kind);

    for (const ResourceKind *resource_kind = own;
         resource_kind && resource_kind->name; resource_kind++) {
        table_add_cell(table, resource_kind->name);
        table_add_cell_printf(
            table, "%s%s%s%s",
            resource_kind->doubles ? resource_kind->doubles : "",
            resource_kind->doubles && resource_kind->halves ? ", " : "",
            resource_kind->halves ? "half of " : "",
            resource_kind->halves ? resource_kind->halves : "");
        table_add_cell(table, resource_kind->help);
    }
    if (!own || !own->name)
        return;
    g_string_append_c(out, '\n');
    table_write(table, out, 2, width);
}

static void write_kind_page(GString *out, const ConfigRegistry *registry,
                            const ConfigKind *kind, guint width)
{
    const TableColumn columns[] = { { NULL, FALSE, TABLE_REST } };
    g_autoptr(Table) table = table_new(columns, 1);

    table_add_cell_printf(table, "kind: %s - %s", kind->name, kind->summary);
    g_string_append_c(out, '\n');
    table_write(table, out, 0, width);
    write_field_table(out, kind->fields, FALSE, width);
    if (registry == &endpoint_registry)
        write_kind_resources(out, kind, width);
}

/* Writes the algorithms named @name; NULL: all. */
static void write_algorithm_table(GString *out, const char *name, guint width)
{
    const TableColumn columns[] = { { NULL, FALSE, 0 },
                                    { NULL, FALSE, TABLE_REST } };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; coll_algorithms[i]; i++) {
        if (name && !g_str_equal(coll_algorithms[i]->name, name))
            continue;
        table_add_cell(table, coll_algorithms[i]->name);
        table_add_cell(table, coll_algorithms[i]->summary);
    }
    table_write(table, out, 2, width);
}

static void write_topic_page(GString *out, const ListTopic *topic, guint width)
{
    g_string_append_printf(out, "%s%s: %s\n", out->len > 0 ? "\n" : "",
                           topic->name, topic->summary);
    if (topic->fields) {
        g_string_append_c(out, '\n');
        write_field_table(out, topic->fields, topic->is_brief, width);
    } else if (topic->registry) {
        for (guint i = 0; topic->registry->kinds[i]; i++)
            write_kind_page(out, topic->registry, topic->registry->kinds[i],
                            width);
    } else {
        g_string_append_c(out, '\n');
        write_algorithm_table(out, NULL, width);
    }
}

/* Several registries may have a kind with the same name. */
static void write_kinds_with_name(GString *out, const char *name, guint width)
{
    for (const ListTopic *topic = topics; topic->name; topic++) {
        const ConfigRegistry *registry = topic->registry;

        for (guint i = 0; registry && registry->kinds[i]; i++) {
            if (!g_str_equal(registry->kinds[i]->name, name))
                continue;
            g_string_append(out, registry->noun);
            write_kind_page(out, registry, registry->kinds[i], width);
        }
    }
}

/* Topics that list files instead of a table; they are not part of the list of
 * all topics. */
static const struct {
    const char *name, *what;
    void (*write)(GString *out, guint width);
} pages[] = {
    { "machines", "platforms by name: --set platform=dgx-1v",
      write_machine_table },
};

static void write_list_page(GString *out, const char *name, guint width)
{
    for (guint i = 0; name && i < G_N_ELEMENTS(pages); i++)
        if (g_str_equal(pages[i].name, name)) {
            g_string_append_printf(out, "%s: %s\n\n", name, pages[i].what);
            pages[i].write(out, width);
        }
}

char *list_topic_text(const char *name, guint width)
{
    GString *out = g_string_new(NULL);

    write_list_page(out, name, width);
    for (const ListTopic *topic = topics; topic->name; topic++)
        if (!name || g_str_equal(topic->name, name))
            write_topic_page(out, topic, width);
    if (out->len == 0)
        write_kinds_with_name(out, name, width);
    if (out->len == 0)
        write_algorithm_table(out, name, width);
    return g_string_free(out, out->len == 0);
}

const char **list_topic_names(void)
{
    GPtrArray *names = g_ptr_array_new();

    for (const ListTopic *topic = topics; topic->name; topic++)
        g_ptr_array_add(names, (gpointer)topic->name);
    for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
        g_ptr_array_add(names, (gpointer)pages[i].name);
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

const char **list_topic_words(void)
{
    GPtrArray *names = g_ptr_array_new();

    for (const ListTopic *topic = topics; topic->name; topic++) {
        const ConfigRegistry *registry = topic->registry;

        g_ptr_array_add(names, (gpointer)topic->name);
        for (guint i = 0; registry && registry->kinds[i]; i++)
            g_ptr_array_add(names, (gpointer)registry->kinds[i]->name);
    }
    for (guint i = 0; i < G_N_ELEMENTS(pages); i++)
        g_ptr_array_add(names, (gpointer)pages[i].name);
    for (guint i = 0; coll_algorithms[i]; i++)
        g_ptr_array_add(names, (gpointer)coll_algorithms[i]->name);
    g_ptr_array_add(names, NULL);
    return (const char **)g_ptr_array_free(names, FALSE);
}

const char *list_nearest_topic(const char *name)
{
    g_autofree const char **names = list_topic_words();

    return words_find_nearest(name, names);
}
