/*
 * reference_page.c - a page of docs/reference: a topic's keys with an example
 * for each; see reference_page.h
 */
#include "sim/view/reference_page.h"

#include <string.h>

#include "models/collectives/algorithm.h"
#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/view/list_topic_text.h"
#include "sim/view/list_topics.h"

/* ---- examples ------------------------------------------------------------ */

/* Kinds contain kinds: an example has at most this many levels. */
#define MAX_DEPTH 5

/* Examples of keys whose values are names of other entries, or maps that no
 * table of fields describes. */
static const struct {
    const char *key, *example;
} by_hand[] = {
    { "name", "my-name" },
    { "base", "../runs/isca21.yaml" },
    { "axes", "[{endpoint: [ace, ideal]}]" },
    { "KEY", "[ace, ideal]" },
    { "zip", "{platform: [dgx-1v, dgx-2], endpoint: [ace, ideal]}" },
    { "cases", "{size: {small: {workload.batch: 8}}}" },
    { "exclude", "[{endpoint: ideal}]" },
    { "AXIS", "ideal" },
    { "set", "{training.compute: roofline}" },
    { "try", "[1 us, 2 us]" },
    { "add", "{name: more, sms: 8}" },
    { "without", "[host]" },
    { "value", "8" },
    { "key", "endpoint.sms" },
    { "why", "from a data sheet" },
    { "match", "'conv*'" },
    { "port", "dim0+" },
    { "from", "gpu0" },
    { "to", "gpu1" },
    { "kind", "npu" },
    { "axis", "dp" },
    { "of", "forward" },
    { "units", "[F1, F2, B1, B2]" },
    { "file", "allreduce.xml" },
};

/* Usual values by type, in base units. */
static const uint64_t usual[] = {
    [CONFIG_COUNT] = 4,
    [CONFIG_BYTES] = 1 << 20,
    [CONFIG_TIME] = 1000000,
    [CONFIG_BANDWIDTH] = UINT64_C(100000000000),
    [CONFIG_FREQUENCY] = UINT64_C(1500000000),
    [CONFIG_FLOPS] = UINT64_C(100000000000000),
    [CONFIG_FRACTION] = 500000,
};

static char *example_at_depth(const ConfigField *field, guint depth);

/* Appends the required keys of @fields with their examples, or the first key if
 * none is required and @needs_one. */
static void append_required_keys(GString *out, const ConfigField *fields,
                                 gboolean needs_one, guint depth)
{
    guint n = 0;

    for (const ConfigField *field = fields; field && field->key; field++) {
        g_autofree char *value = NULL;

        if (field->fallback || field->is_optional)
            continue;
        value = example_at_depth(field, depth);
        g_string_append_printf(out, "%s%s: %s", out->len > 1 ? ", " : "",
                               field->key, value);
        n++;
    }
    if (n == 0 && needs_one && fields && fields->key) {
        g_autofree char *value = example_at_depth(fields, depth);

        g_string_append_printf(out, "%s: %s", fields->key, value);
    }
}

static char *example_of_section(const ConfigField *field, guint depth)
{
    GString *out = g_string_new("{");

    if (depth < MAX_DEPTH)
        append_required_keys(out, field->fields, TRUE, depth + 1);
    g_string_append_c(out, '}');
    return g_string_free(out, FALSE);
}

static char *example_of_kind(const ConfigField *field, guint depth)
{
    const ConfigKind *kind = field->registry->kinds[0];
    GString *out = g_string_new("{");

    g_string_append_printf(out, "kind: %s", kind->name);
    if (depth < MAX_DEPTH)
        append_required_keys(out, kind->fields, FALSE, depth + 1);
    g_string_append_c(out, '}');
    return g_string_free(out, FALSE);
}

static char *example_of_list(const ConfigField *field, guint depth)
{
    GString *out = g_string_new("[");
    guint n = field->type == CONFIG_LIST ? (guint)MAX(field->min, 1) : 1;

    for (guint i = 0; i < n && depth < MAX_DEPTH; i++) {
        g_autofree char *item = example_at_depth(field->item, depth + 1);

        g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", item);
    }
    g_string_append_c(out, ']');
    return g_string_free(out, FALSE);
}

static gboolean is_word_for_absence(const char *fallback)
{
    return *fallback == '\0' || g_str_equal(fallback, CONFIG_AUTO_WORD) ||
           g_str_equal(fallback, "none") || g_str_equal(fallback, "{}") ||
           g_str_equal(fallback, "[]");
}

/* Returns a word other than the default, if there is one. */
static const char *example_of_enum(const ConfigField *field)
{
    for (guint i = 0; field->names[i]; i++)
        if (g_strcmp0(field->names[i], field->fallback) != 0)
            return field->names[i];
    return field->names[0];
}

/* Returns NULL if a table describes the values of @field. */
static char *example_by_hand(const ConfigField *field)
{
    if (field->type != CONFIG_RAW && field->type != CONFIG_NAME &&
        !(field->type == CONFIG_LIST && field->item->type == CONFIG_NAME))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS(by_hand); i++)
        if (g_strcmp0(by_hand[i].key, field->key) == 0)
            return g_strdup(by_hand[i].example);
    return field->type == CONFIG_RAW ? g_strdup("{}") : NULL;
}

static char *example_at_depth(const ConfigField *field, guint depth)
{
    uint64_t max = field->max > 0 ? field->max : UINT64_MAX;
    char *by_hand_text = example_by_hand(field);

    if (by_hand_text)
        return by_hand_text;
    if (field->type == CONFIG_BOOL)
        return g_strdup(g_strcmp0(field->fallback, "true") == 0 ? "false"
                                                                : "true");
    if (field->type == CONFIG_SECTION)
        return example_of_section(field, depth);
    if (field->type == CONFIG_ENUM)
        return g_strdup(example_of_enum(field));
    if (field->whole && !field->fallback)
        return g_strdup("50 %");
    if (field->fallback && !is_word_for_absence(field->fallback))
        return g_strdup(field->fallback);
    if (field->type <= CONFIG_FRACTION)
        return quantity_format(CLAMP(usual[field->type], field->min, max),
                               field->type);
    switch (field->type) {
    case CONFIG_LIST:
        return example_of_list(field, depth);
    case CONFIG_KIND:
        return example_of_kind(field, depth);
    default:
        return g_strdup_printf("my-%s", field->key ? field->key : "name");
    }
}

char *reference_example_text(const ConfigField *field)
{
    return example_at_depth(field, 0);
}

/* ---- tables ------------------------------------------------------------- */

/* Appends a cell of a Markdown table. */
static void append_markdown_cell(GString *out, const char *text)
{
    for (const char *at = text; *at; at++)
        g_string_append_printf(out, *at == '|' || *at == '<' ? "\\%c" : "%c",
                               *at);
    g_string_append(out, " | ");
}

static void append_reference_row(const ConfigField *field, const char *key,
                                 gpointer data)
{
    GString *out = data;
    g_autofree char *range = list_range_text(field);
    g_autofree char *example = reference_example_text(field);
    const char *name = strrchr(key, '.');

    name = name ? name + 1 : key;
    g_string_append_printf(out, "| `%s` | `%s: %s` | ", key, name, example);
    append_markdown_cell(out, field->fallback      ? field->fallback
                              : field->is_optional ? "absent"
                                                   : "required");
    append_markdown_cell(out, range);
    append_markdown_cell(out, field->help ? field->help : "");
    append_markdown_cell(out, field->source ? field->source : "");
    g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

static void append_reference_table(GString *out, const ConfigField *fields,
                                   gboolean is_brief)
{
    if (!fields || !fields->key) {
        g_string_append(out, "It has no keys.\n");
        return;
    }
    g_string_append(out,
                    "| key | example | default | allowed | meaning | "
                    "source of the default |\n|---|---|---|---|---|---|\n");
    list_visit_fields(fields, "", is_brief, append_reference_row, out);
}

/* ---- pages ------------------------------------------------------------- */

static void append_kind_sections(GString *out, const ConfigRegistry *registry)
{
    for (guint i = 0; registry->kinds[i]; i++) {
        const ConfigKind *kind = registry->kinds[i];

        g_string_append_printf(out, "\n## `kind: %s`\n\n%s\n\n", kind->name,
                               kind->summary);
        append_reference_table(out, kind->fields, FALSE);
    }
}

static void append_algorithm_rows(GString *out)
{
    g_string_append(out, "\n| name | what it does |\n|---|---|\n");
    for (guint i = 0; coll_algorithms[i]; i++)
        g_string_append_printf(out, "| `%s` | %s |\n", coll_algorithms[i]->name,
                               coll_algorithms[i]->summary);
}

static char *topic_page_text(const ListTopic *topic)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(
        out,
        "# Reference of `%s`: %s\n\nAfter reading this page you can write each "
        "key of it, with its unit. `acesim list %s` prints the same. The page "
        "is made from the tables of the program by `make reference`: do not "
        "edit it.\n",
        topic->name, topic->summary, topic->name);
    if (topic->fields) {
        g_string_append_c(out, '\n');
        append_reference_table(out, topic->fields, topic->is_brief);
    } else if (topic->registry) {
        append_kind_sections(out, topic->registry);
    } else {
        append_algorithm_rows(out);
    }
    return g_string_free(out, FALSE);
}

static char *index_page_text(void)
{
    GString *out = g_string_new(
        "# Reference: every key, with an example\n\nAfter reading these pages "
        "you can write any key of any file. Each row has the key, an example, "
        "the default and its source, the allowed values and the meaning. A key "
        "such as `axes.N.zip` is `zip` in each item of the list `axes`. The "
        "pages are made from the tables of the program by `make reference`: do "
        "not edit them.\n\n| page | contents |\n|---|---|\n");

    for (const ListTopic *topic = topics; topic->name; topic++)
        g_string_append_printf(out, "| [%s](%s.md) | %s |\n", topic->name,
                               topic->name, topic->summary);
    return g_string_free(out, FALSE);
}

char *reference_page_text(const char *name)
{
    if (!name)
        return index_page_text();
    for (const ListTopic *topic = topics; topic->name; topic++)
        if (g_str_equal(topic->name, name))
            return topic_page_text(topic);
    return NULL;
}
