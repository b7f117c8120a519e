/* collect.c - finds what a configuration assumes */
#include "sim/sensitivity/collect.h"

#include <string.h>

#include "sim/sensitivity/cases.h"
#include "sim/sensitivity/filter.h"
#include "sim/sensitivity/key.h"
#include "sim/study/load.h"

/* Words in the source of a value that mark it as uncertain. */
static const char *const uncertain_words[] = { "assumed", "fitted",
                                               "recalled" };

typedef struct {
    const ComparedEndpoints *endpoints;
    const AssumptionsConfig *config;
    ConfigDoc *holder;
    GPtrArray *ranges; /* borrowed, of owned Range: ranges of the command
                        * line */
    GHashTable *seen;  /* borrowed: names of the assumptions found so far */
    GPtrArray *all;    /* borrowed, of owned Assumption */
    guint n_held;      /* number of nodes in .holder */
} Finder;

/* A range of values that the command line gives for a key. */
typedef struct {
    char *key;         /* owned */
    GPtrArray *values; /* owned, of borrowed const ConfigNode */
    gboolean is_used;
} Range;

static void range_free(gpointer data)
{
    Range *range = data;

    g_free(range->key);
    g_ptr_array_unref(range->values);
    g_free(range);
}

/* ---- nodes of alternative values ----------------------------------------- */

/* Returns a new node with @text, or NULL and sets @error.  Messages name
 * @origin as its place. */
static const ConfigNode *add_node(Finder *f, const char *origin,
                                  const char *text, GError **error)
{
    g_autofree char *key = g_strdup_printf("v%u", f->n_held++);

    return config_doc_set(f->holder, key, origin, text, error)
               ? config_doc_get(f->holder, key)
               : NULL;
}

static const ConfigNode *add_constant(Finder *f, const char *text)
{
    const ConfigNode *node = add_node(f, "general rule", text, NULL);

    g_assert(node); /* the text is a constant of this file and always valid */
    return node;
}

/* Returns the values of the general rule for a field; the caller owns the array
 * only. */
static GPtrArray *general_values(Finder *f, const ConfigField *field)
{
    GPtrArray *values = g_ptr_array_new();

    if (field->type == CONFIG_BOOL) {
        g_ptr_array_add(values, (gpointer)add_constant(f, "false"));
        g_ptr_array_add(values, (gpointer)add_constant(f, "true"));
    } else if (field->type == CONFIG_ENUM) {
        for (guint i = 0; field->names[i]; i++)
            g_ptr_array_add(values, (gpointer)add_constant(f, field->names[i]));
    } else {
        g_ptr_array_add(values, (gpointer)add_constant(f, "x0.5"));
        g_ptr_array_add(values, (gpointer)add_constant(f, "x2"));
    }
    return values;
}

/* ---- ranges of the command line ---------------------------------------- */

static Range *parse_range(Finder *f, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    g_auto(GStrv) values = g_strsplit(parts[1], "..", -1);
    g_autofree char *origin = g_strdup_printf("--range %s", parts[0]);
    Range *range = g_new0(Range, 1);

    range->key = g_strdup(parts[0]);
    range->values = g_ptr_array_new();
    for (guint i = 0; values[i]; i++) {
        const ConfigNode *node =
            add_node(f, origin, g_strstrip(values[i]), error);

        if (!node || !key_check(range->key, node, error)) {
            range_free(range);
            return NULL;
        }
        g_ptr_array_add(range->values, (gpointer)node);
    }
    return range;
}

static gboolean parse_ranges(Finder *f, char *const *texts, GError **error)
{
    for (guint i = 0; texts && texts[i]; i++) {
        Range *range = parse_range(f, texts[i], error);

        if (!range)
            return FALSE;
        g_ptr_array_add(f->ranges, range);
    }
    return TRUE;
}

static gboolean check_used(const Finder *f, GError **error)
{
    for (guint i = 0; i < f->ranges->len; i++) {
        const Range *range = g_ptr_array_index(f->ranges, i);

        if (range->is_used)
            continue;
        config_set_error(error, g_ptr_array_index(range->values, 0),
                         CONFIG_ERROR_UNKNOWN_KEY,
                         "this configuration has no '%s'", range->key);
        return FALSE;
    }
    return TRUE;
}

/* ---- making one assumption and its alternatives -------------------------- */

/* A value of an endpoint, and its alternatives. */
typedef struct {
    const ComparedEndpoint *c;
    guint row;
    const char *key;
    const ConfigField *field;
    const char *pattern;     /* matches all keys that change together */
    const GPtrArray *values; /* NULL: by the general rule */
    const char *why;
} Value;

static Change change_of(const Value *p, const ConfigNode *value)
{
    gboolean own = key_is_below(p->pattern, "endpoint");

    return (Change){ g_strdup(p->pattern), value, own ? SCOPE_ONE : SCOPE_ALL,
                     own ? g_strdup(p->c->name) : NULL };
}

/* Returns the label of a change: the new value or, if endpoints get different
 * ones, the factor.  Returns NULL if there is no number to multiply. */
static char *label_of(const Finder *f, const Change *change)
{
    const char *plain = config_node_text(change->value);
    g_autofree char *first = NULL;
    double ignored;

    if (!change_factor(plain, &ignored))
        return g_strdup(plain);
    for (guint i = 0; i < f->endpoints->all->len; i++) {
        const ComparedEndpoint *c = compared_endpoint_at(f->endpoints->all, i);
        g_autofree char *text =
            change_applies_to(change, c) ? change_text(change, c) : NULL;

        if (!text)
            continue;
        if (strchr(text, ',') || (first && !g_str_equal(first, text)))
            return g_strdup(plain);
        if (!first)
            first = g_steal_pointer(&text);
    }
    return g_steal_pointer(&first);
}

/* Returns the present values of the keys that change together, each once. */
static char *present_values(const Value *p)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint row = 0; row < csv_table_n_rows(p->c->values); row++) {
        const char *value = compared_endpoint_value(p->c, row);

        if (key_matches(p->pattern, compared_endpoint_key(p->c, row)) &&
            g_hash_table_add(seen, (gpointer)value))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   value);
    }
    return g_string_free(out, FALSE);
}

static gboolean has_word(const char *text)
{
    for (guint i = 0; text && i < G_N_ELEMENTS(uncertain_words); i++)
        if (strstr(text, uncertain_words[i]))
            return TRUE;
    return FALSE;
}

/* Returns the source of a value.  If a file repeats the default, the source of
 * the default counts. */
static const char *source_of(const Value *p)
{
    const char *said = compared_endpoint_source(p->c, p->row);

    if (!has_word(said) && has_word(p->field->source) &&
        g_strcmp0(p->field->fallback, compared_endpoint_value(p->c, p->row)) ==
            0)
        return p->field->source;
    return said;
}

static void add_alternative(Finder *f, Assumption *assumption, const Value *p,
                            const ConfigNode *value)
{
    Change change = change_of(p, value);
    g_autofree char *label = label_of(f, &change);
    Alternative *alternative;

    if (!label || g_str_equal(label, assumption->now)) {
        change_clear(&change);
        return;
    }
    alternative = alternative_new(label);
    g_array_append_val(alternative->changes, change);
    g_ptr_array_add(assumption->alternatives, alternative);
}

static void add_assumption(Finder *f, const Value *p, const char *name)
{
    g_autofree char *now = present_values(p);
    g_autoptr(GPtrArray) general =
        p->values ? NULL : general_values(f, p->field);
    const GPtrArray *values = p->values ? p->values : general;
    Assumption *assumption = assumption_new(name, now, source_of(p), p->why);

    for (guint i = 0; i < values->len; i++)
        add_alternative(f, assumption, p, g_ptr_array_index(values, i));
    if (p->values && assumption->alternatives->len == 0)
        assumption_free(assumption); /* the range contains only the present
                                      * value */
    else
        g_ptr_array_add(f->all, assumption);
}

/* ---- which values are assumptions -------------------------------------- */

static gboolean is_skipped(const Finder *f, const Value *p)
{
    const AssumedSkip *skips = f->config ? f->config->skips.items : NULL;

    for (guint i = 0; skips && i < f->config->skips.n; i++)
        if (key_matches(skips[i].key, p->key) &&
            (g_str_equal(skips[i].of, "any") ||
             g_str_equal(skips[i].of, p->c->name)))
            return TRUE;
    return FALSE;
}

/* Uses a range of the command line.  Returns FALSE if there is none for the
 * key. */
static gboolean use_option_range(const Finder *f, Value *p)
{
    for (guint i = 0; i < f->ranges->len; i++) {
        Range *range = g_ptr_array_index(f->ranges, i);

        if (!key_matches(range->key, p->key))
            continue;
        range->is_used = TRUE;
        p->pattern = range->key;
        p->values = range->values;
        return TRUE;
    }
    return FALSE;
}

/* Uses a range of the file.  Returns its values, which the caller owns, or NULL
 * if there is none for the key. */
static GPtrArray *use_file_range(const Finder *f, Value *p)
{
    const AssumedRange *ranges = f->config ? f->config->ranges.items : NULL;

    for (guint i = 0; ranges && i < f->config->ranges.n; i++) {
        const ConfigNode *const *nodes = ranges[i].values.items;
        GPtrArray *values;

        if (!key_matches(ranges[i].key, p->key))
            continue;
        values = g_ptr_array_new();
        for (guint k = 0; k < ranges[i].values.n; k++)
            g_ptr_array_add(values, (gpointer)nodes[k]);
        p->pattern = ranges[i].key;
        p->values = values;
        p->why = ranges[i].why;
        return values;
    }
    return NULL;
}

/* Adds an assumption for the value unless it exists.  @general is the key with
 * `*` for each number. */
static void examine_value(Finder *f, Value *p, const char *general)
{
    g_autoptr(GPtrArray) values = NULL;
    gboolean wanted = use_option_range(f, p);
    g_autofree char *name = NULL;

    if (!wanted)
        values = use_file_range(f, p);
    if (!wanted && (is_skipped(f, p) || (!values && !has_word(source_of(p)))))
        return;
    if (!p->values)
        p->pattern = general;
    name = key_is_below(p->pattern, "endpoint")
               ? g_strdup_printf("%s of %s", p->pattern, p->c->name)
               : g_strdup(p->pattern);
    if (g_hash_table_add(f->seen, g_strdup(name)))
        add_assumption(f, p, name);
}

static void examine_endpoint(Finder *f, const ComparedEndpoint *c)
{
    for (guint row = 0; row < csv_table_n_rows(c->values); row++) {
        const char *key = compared_endpoint_key(c, row);
        g_autofree char *general = key_pattern(key);
        const ConfigField *field = config_doc_field(c->doc, system_fields, key);
        Value place = { c, row, key, field, key, NULL, "" };

        if (field && field->type < CONFIG_SECTION && field->type != CONFIG_NAME)
            examine_value(f, &place, general);
    }
}

/* ---- finding all assumptions of the endpoints ---------------------------- */

static gboolean find_all(Finder *f, const AssumptionFilter *filter,
                         GError **error)
{
    if (!parse_ranges(f, filter->ranges, error))
        return FALSE;
    for (guint i = 0; i < f->endpoints->all->len; i++)
        examine_endpoint(f, compared_endpoint_at(f->endpoints->all, i));
    return check_used(f, error) &&
           (!f->config || cases_add(f->all, f->endpoints, f->config, error)) &&
           assumptions_filter(f->all, filter, error);
}

GPtrArray *assumptions_collect(const ComparedEndpoints *endpoints,
                               const AssumptionsConfig *config,
                               const AssumptionFilter *filter,
                               ConfigDoc *holder, GError **error)
{
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)assumption_free);
    g_autoptr(GPtrArray) ranges = g_ptr_array_new_with_free_func(range_free);
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Finder f = { endpoints, config, holder, ranges, seen, all, 0 };

    return find_all(&f, filter, error) ? g_steal_pointer(&all) : NULL;
}
