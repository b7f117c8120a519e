/* value_change.c - one key of a configuration that gets another value */
#include "sim/sensitivity/value_change.h"

#include <string.h>

#include "sim/config/quantity.h"
#include "sim/sensitivity/config_key_pattern.h"
#include "sim/study/config_value.h"

#define WHOLE_PPM UINT64_C(1000000)

void value_change_clear(gpointer data)
{
    ValueChange *change = data;

    g_free(change->key);
    g_free(change->endpoint_name);
}

gboolean value_change_parse_factor(const char *text, double *ret)
{
    char *end;

    if (text[0] != 'x' || !g_ascii_isdigit(text[1]))
        return FALSE;
    *ret = g_ascii_strtod(text + 1, &end);
    return *end == '\0' && *ret > 0;
}

gboolean value_change_applies_to_node(const ValueChange *change,
                                      const ComparedEndpoint *endpoint)
{
    switch (change->scope) {
    case SCOPE_BASELINES:
        return !endpoint->is_offload;
    case SCOPE_OFFLOAD:
        return endpoint->is_offload;
    case SCOPE_ONE:
        return g_str_equal(change->endpoint_name, endpoint->name);
    case SCOPE_ALL:
        break;
    }
    return TRUE;
}

/* ---- computing the new value of a key ------------------------------------ */

static const ConfigField *find_config_field(const ComparedEndpoint *endpoint,
                                            const char *key)
{
    return config_doc_field(endpoint->doc, system_fields, key);
}

/* Returns @value x @factor, limited to the range of the field. */
static uint64_t multiply_value_within_range(const ConfigField *field,
                                            uint64_t value, double factor)
{
    uint64_t max = field->max > 0 ? field->max : UINT64_MAX;
    double product = (double)value * factor;
    uint64_t result;

    if (field->type == CONFIG_FRACTION && value <= WHOLE_PPM)
        max = MIN(max, WHOLE_PPM);
    result = product >= (double)max ? max : (uint64_t)product;
    return MAX(result, field->min);
}

/* Returns the text of the number at @key times @factor, or NULL if there is no
 * number or the program chooses it. */
static char *scaled_value_text(const ComparedEndpoint *endpoint,
                               const char *key, double factor)
{
    const ConfigField *field = find_config_field(endpoint, key);
    ConfigType type;
    uint64_t value;

    if (!field ||
        !config_value_read_at_path(&endpoint->config, key, &value, &type) ||
        (field->may_be_auto && value == CONFIG_AUTO))
        return NULL;
    return quantity_format(multiply_value_within_range(field, value, factor),
                           type);
}

/* Returns the text of the new value, or NULL if a factor is applied to a value
 * that is not a number. */
static char *new_value_text(const ValueChange *change,
                            const ComparedEndpoint *endpoint, const char *key)
{
    const char *text = config_node_text(change->value);
    double factor;

    if (!text)
        return g_strdup("other");
    return value_change_parse_factor(text, &factor)
               ? scaled_value_text(endpoint, key, factor)
               : g_strdup(text);
}

char *old_and_new_values_text(const ValueChange *change,
                              const ComparedEndpoint *endpoint)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++) {
        const char *key = compared_endpoint_key(endpoint, row);
        char *text = config_key_matches(change->key, key)
                         ? new_value_text(change, endpoint, key)
                         : NULL;

        if (text && !g_hash_table_contains(seen, text))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", text);
        if (text)
            g_hash_table_add(seen, text);
    }
    return out->len > 0 ? g_strdup(out->str) : NULL;
}

/* ---- applying a change to a configuration -------------------------------- */

static gboolean set_changed_key(const ValueChange *change,
                                const ComparedEndpoint *endpoint,
                                const char *key, ConfigDoc *doc, GError **error)
{
    const char *text = config_node_text(change->value);
    g_autofree char *product = NULL;
    double factor;

    if (!text || !value_change_parse_factor(text, &factor))
        return config_doc_set_node(doc, key, change->value, error);
    product = scaled_value_text(endpoint, key, factor);
    if (product)
        return config_doc_set(doc, key, "factor", product, error);
    config_set_error(error, change->value, CONFIG_ERROR_TYPE,
                     "%s is a factor, and %s has no number", text, key);
    return FALSE;
}

static gboolean offload_has_same_value(const ComparedEndpoints *endpoints,
                                       const ComparedEndpoint *endpoint,
                                       guint row)
{
    const ComparedEndpoint *offload =
        compared_endpoint_at(endpoints->offloads, endpoint->group);
    guint other = compared_endpoint_find_row(
        offload, compared_endpoint_key(endpoint, row));

    return other != G_MAXUINT &&
           g_str_equal(compared_endpoint_value(endpoint, row),
                       compared_endpoint_value(offload, other));
}

/* Returns whether the change applies even if the value differs from the
 * offload's. */
static gboolean
change_is_independent_of_other_endpoints(const ValueChange *change,
                                         const char *key)
{
    return change->scope != SCOPE_ALL || config_key_is_below(key, "endpoint");
}

/* Returns whether @key is a section or a value that is set as a whole, such as
 * "endpoint". */
static gboolean is_section_key(const ComparedEndpoint *endpoint,
                               const char *key)
{
    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++)
        if (config_key_is_below(compared_endpoint_key(endpoint, row), key))
            return TRUE;
    return FALSE;
}

gboolean value_change_apply(const ValueChange *change,
                            const ComparedEndpoints *endpoints,
                            const ComparedEndpoint *endpoint, ConfigDoc *doc,
                            GError **error)
{
    gboolean found = FALSE;

    if (!value_change_applies_to_node(change, endpoint))
        return TRUE;
    for (guint row = 0; row < csv_table_n_rows(endpoint->values); row++) {
        const char *key = compared_endpoint_key(endpoint, row);

        if (!config_key_matches(change->key, key))
            continue;
        found = TRUE;
        if (!change_is_independent_of_other_endpoints(change, key) &&
            !offload_has_same_value(endpoints, endpoint, row))
            continue;
        if (!set_changed_key(change, endpoint, key, doc, error))
            return FALSE;
    }
    if (found || !is_section_key(endpoint, change->key))
        return TRUE;
    return config_doc_set_node(doc, change->key, change->value, error);
}
