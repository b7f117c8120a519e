/* find.c - what of a configuration is assumed */
#include "sim/sensitivity/find.h"

#include <string.h>

#include "sim/sensitivity/cases.h"
#include "sim/sensitivity/filter.h"
#include "sim/sensitivity/key.h"
#include "sim/study/load.h"

/* What the sources of constants say of what nobody knows for sure. */
static const char *const words[] = { "assumed", "fitted", "recalled" };

typedef struct {
    const Contenders *contenders;
    const AssumptionsConfig *config;
    ConfigDoc *holder;
    GPtrArray *ranges; /* of owned Range: those of the command line */
    GHashTable *seen;  /* owned names */
    GPtrArray *all;    /* of Assumption */
    guint n_held;      /* nodes in the holder */
} Finder;

/* A range of the command line. */
typedef struct {
    char *key;         /* owned */
    GPtrArray *values; /* owned, of const ConfigNode */
    gboolean is_used;
} Range;

static void range_free(gpointer data)
{
    Range *range = data;

    g_free(range->key);
    g_ptr_array_unref(range->values);
    g_free(range);
}

/* ---- values ----------------------------------------------------------- */

/* A node with @text, which messages say stands in @origin. */
static const ConfigNode *hold(Finder *f, const char *origin, const char *text,
                              GError **error)
{
    g_autofree char *key = g_strdup_printf("v%u", f->n_held++);

    return config_doc_set(f->holder, key, origin, text, error)
               ? config_doc_get(f->holder, key)
               : NULL;
}

static const ConfigNode *hold_plain(Finder *f, const char *text)
{
    const ConfigNode *node = hold(f, "general rule", text, NULL);

    g_assert(node); /* a word or factor of ours */
    return node;
}

/* What the general rule tries of a value. */
static GPtrArray *general_values(Finder *f, const ConfigField *field)
{
    GPtrArray *values = g_ptr_array_new();

    if (field->type == CONFIG_BOOL) {
        g_ptr_array_add(values, (gpointer)hold_plain(f, "false"));
        g_ptr_array_add(values, (gpointer)hold_plain(f, "true"));
    } else if (field->type == CONFIG_ENUM) {
        for (guint i = 0; field->names[i]; i++)
            g_ptr_array_add(values, (gpointer)hold_plain(f, field->names[i]));
    } else {
        g_ptr_array_add(values, (gpointer)hold_plain(f, "x0.5"));
        g_ptr_array_add(values, (gpointer)hold_plain(f, "x2"));
    }
    return values;
}

/* ---- the ranges of the command line ----------------------------------- */

static Range *parse_range(Finder *f, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    g_auto(GStrv) values = g_strsplit(parts[1], "..", -1);
    g_autofree char *origin = g_strdup_printf("--range %s", parts[0]);
    Range *range = g_new0(Range, 1);

    range->key = g_strdup(parts[0]);
    range->values = g_ptr_array_new();
    for (guint i = 0; values[i]; i++) {
        const ConfigNode *node = hold(f, origin, g_strstrip(values[i]), error);

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

/* ---- one assumption --------------------------------------------------- */

/* A value that somebody has: where, and what is tried of it. */
typedef struct {
    const Contender *c;
    guint row;
    const char *key;
    const ConfigField *field;
    const char *pattern;     /* of the keys that go together */
    const GPtrArray *values; /* NULL: by the general rule */
    const char *why;
} Place;

static Change change_of(const Place *p, const ConfigNode *value)
{
    gboolean own = key_is_below(p->pattern, "endpoint");

    return (Change){ g_strdup(p->pattern), value, own ? SCOPE_ONE : SCOPE_ALL,
                     own ? g_strdup(p->c->name) : NULL };
}

/* The text of a value; where those it concerns would get several, the factor.
 * NULL: there is nothing to multiply. */
static char *label_of(const Finder *f, const Change *change)
{
    const char *plain = config_node_text(change->value);
    g_autofree char *first = NULL;
    double ignored;

    if (!change_factor(plain, &ignored))
        return g_strdup(plain);
    for (guint i = 0; i < f->contenders->all->len; i++) {
        const Contender *c = contender_at(f->contenders->all, i);
        g_autofree char *text =
            change_concerns(change, c) ? change_text(change, c) : NULL;

        if (!text)
            continue;
        if (strchr(text, ',') || (first && !g_str_equal(first, text)))
            return g_strdup(plain);
        if (!first)
            first = g_steal_pointer(&text);
    }
    return g_steal_pointer(&first);
}

/* Values of @c that go together, each once. */
static char *now_of(const Place *p)
{
    GString *out = g_string_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint row = 0; row < csv_table_n_rows(p->c->values); row++) {
        const char *value = contender_value(p->c, row);

        if (key_matches(p->pattern, contender_key(p->c, row)) &&
            g_hash_table_add(seen, (gpointer)value))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "",
                                   value);
    }
    return g_string_free(out, FALSE);
}

static gboolean has_word(const char *text)
{
    for (guint i = 0; text && i < G_N_ELEMENTS(words); i++)
        if (strstr(text, words[i]))
            return TRUE;
    return FALSE;
}

/* Where a value is from: what a file repeats of the defaults is from where
 * those are from. */
static const char *source_of(const Place *p)
{
    const char *said = contender_source(p->c, p->row);

    if (!has_word(said) && has_word(p->field->source) &&
        g_strcmp0(p->field->fallback, contender_value(p->c, p->row)) == 0)
        return p->field->source;
    return said;
}

static void add_try(Finder *f, Assumption *assumption, const Place *p,
                    const ConfigNode *value)
{
    Change change = change_of(p, value);
    g_autofree char *label = label_of(f, &change);
    Try *attempt;

    if (!label || g_str_equal(label, assumption->now)) {
        change_clear(&change);
        return;
    }
    attempt = try_new(label);
    g_array_append_val(attempt->changes, change);
    g_ptr_array_add(assumption->tries, attempt);
}

static void add_assumption(Finder *f, const Place *p, const char *name)
{
    g_autofree char *now = now_of(p);
    g_autoptr(GPtrArray) general =
        p->values ? NULL : general_values(f, p->field);
    const GPtrArray *values = p->values ? p->values : general;
    Assumption *assumption = assumption_new(name, now, source_of(p), p->why);

    for (guint i = 0; i < values->len; i++)
        add_try(f, assumption, p, g_ptr_array_index(values, i));
    if (p->values && assumption->tries->len == 0)
        assumption_free(assumption); /* a range of what it is already */
    else
        g_ptr_array_add(f->all, assumption);
}

/* ---- which values are assumed ----------------------------------------- */

static gboolean is_skipped(const Finder *f, const Place *p)
{
    const AssumedSkip *skips = f->config ? f->config->skips.items : NULL;

    for (guint i = 0; skips && i < f->config->skips.n; i++)
        if (key_matches(skips[i].key, p->key) &&
            (g_str_equal(skips[i].of, "any") ||
             g_str_equal(skips[i].of, p->c->name)))
            return TRUE;
    return FALSE;
}

/* TRUE when the command line has one. */
static gboolean take_option(const Finder *f, Place *p)
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

/* Owner of the values: the caller; NULL: the file has none. */
static GPtrArray *take_range(const Finder *f, Place *p)
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

/* Whether it is an assumption of its own; @general is its key with `*`. */
static void look_at(Finder *f, Place *p, const char *general)
{
    g_autoptr(GPtrArray) values = NULL;
    gboolean wanted = take_option(f, p);
    g_autofree char *name = NULL;

    if (!wanted)
        values = take_range(f, p);
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

static void look_at_contender(Finder *f, const Contender *c)
{
    for (guint row = 0; row < csv_table_n_rows(c->values); row++) {
        const char *key = contender_key(c, row);
        g_autofree char *general = key_pattern(key);
        const ConfigField *field = config_doc_field(c->doc, system_fields, key);
        Place place = { c, row, key, field, key, NULL, "" };

        if (field && field->type < CONFIG_SECTION && field->type != CONFIG_NAME)
            look_at(f, &place, general);
    }
}

/* ---- all -------------------------------------------------------------- */

static gboolean find_all(Finder *f, const AssumptionFilter *filter,
                         GError **error)
{
    if (!parse_ranges(f, filter->ranges, error))
        return FALSE;
    for (guint i = 0; i < f->contenders->all->len; i++)
        look_at_contender(f, contender_at(f->contenders->all, i));
    return check_used(f, error) &&
           (!f->config || cases_add(f->all, f->contenders, f->config, error)) &&
           assumptions_filter(f->all, filter, error);
}

GPtrArray *assumptions_of(const Contenders *contenders,
                          const AssumptionsConfig *config,
                          const AssumptionFilter *filter, ConfigDoc *holder,
                          GError **error)
{
    g_autoptr(GPtrArray) all =
        g_ptr_array_new_with_free_func((GDestroyNotify)assumption_free);
    g_autoptr(GPtrArray) ranges = g_ptr_array_new_with_free_func(range_free);
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Finder f = { contenders, config, holder, ranges, seen, all, 0 };

    return find_all(&f, filter, error) ? g_steal_pointer(&all) : NULL;
}
