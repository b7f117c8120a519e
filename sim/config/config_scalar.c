/* config_scalar.c - reads values that are one word: numbers, names, switches */
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/config_message_impl.h"
#include "sim/config/config_value_impl.h"
#include "sim/config/quantity.h"
#include "sim/core/word_suggestions.h"

/* Tables omit .max if there is no upper limit. */
static uint64_t upper_limit_of_field_type(const ConfigField *field)
{
    return field->max > 0 ? field->max : UINT64_MAX;
}

/* Returns "in [1 MHz, 10 GHz]", "at least 1 B", or NULL if there are no
 * limits. */
static char *describe_allowed_range(const ConfigField *field)
{
    g_autofree char *min = quantity_format(field->min, field->type);
    g_autofree char *max =
        quantity_format(upper_limit_of_field_type(field), field->type);
    g_autofree char *or_share =
        field->whole ? g_strdup_printf(", a share of %s", field->whole)
                     : g_strdup("");
    g_autofree char *or_auto = g_strconcat(
        or_share, field->may_be_auto ? " or " CONFIG_AUTO_WORD : "", NULL);

    if (field->min == 0 && upper_limit_of_field_type(field) == UINT64_MAX)
        return NULL;
    if (upper_limit_of_field_type(field) == UINT64_MAX)
        return g_strdup_printf("at least %s%s", min, or_auto);
    if (field->min == 0)
        return g_strdup_printf("at most %s", max);
    return g_strdup_printf("in [%s, %s]%s", min, max, or_auto);
}

static void add_syntax_problem(GPtrArray *problems, const ConfigNode *node,
                               const ConfigField *field, const char *label,
                               const GError *reason)
{
    g_autofree char *range = describe_allowed_range(field);

    if (reason->code == CONFIG_ERROR_RANGE && range)
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: %s, must be %s", label, reason->message, range);
    else
        config_problem_at(problems, node, (ConfigErrorCode)reason->code,
                          "%s: %s", label, reason->message);
}

static void add_range_problem(GPtrArray *problems, const ConfigNode *node,
                              const ConfigField *field, const char *label,
                              uint64_t value)
{
    g_autofree char *got = quantity_format(value, field->type);
    g_autofree char *range = describe_allowed_range(field);

    if (g_str_has_prefix(range, "in "))
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: %s is outside %s", label, got,
                          range + strlen("in "));
    else
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: must be %s, got %s", label, range, got);
}

#define WHOLE_PPM UINT64_C(1000000)

/* Reads a share.  The number is set to the minimum until .settle computes
 * it. */
static void read_share_scalar(GPtrArray *problems, const ConfigNode *node,
                              const ConfigField *field, const char *label,
                              uint64_t *slot, uint64_t *share)
{
    g_autoptr(GError) error = NULL;

    if (!quantity_parse(node->text, CONFIG_FRACTION, share, &error))
        add_syntax_problem(problems, node, field, label, error);
    else if (*share == 0 || *share > WHOLE_PPM)
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: a share is above 0 %% and at most 100 %% of %s",
                          label, field->whole);
    else
        *slot = field->min;
}

static void read_quantity_scalar(GPtrArray *problems, const ConfigNode *node,
                                 const ConfigField *field, const char *label,
                                 uint64_t *slot)
{
    g_autoptr(GError) error = NULL;
    uint64_t *share =
        field->share_offset > 0
            ? (gpointer)((guint8 *)slot - field->offset + field->share_offset)
            : NULL;
    uint64_t value;

    g_assert(!field->may_be_auto || field->min > CONFIG_AUTO);
    if (share)
        *share = 0;
    if (share && g_str_has_suffix(node->text, "%"))
        read_share_scalar(problems, node, field, label, slot, share);
    else if (field->may_be_auto && g_str_equal(node->text, CONFIG_AUTO_WORD))
        *slot = CONFIG_AUTO;
    else if (!quantity_parse(node->text, field->type, &value, &error))
        add_syntax_problem(problems, node, field, label, error);
    else if (value < field->min || value > upper_limit_of_field_type(field))
        add_range_problem(problems, node, field, label, value);
    else
        *slot = value;
}

static void add_type_problem(GPtrArray *problems, const ConfigNode *node,
                             const char *label, const char *expected_text)
{
    g_autofree char *got = config_describe_node(node);

    config_problem_at(problems, node, CONFIG_ERROR_TYPE, "%s: %s, got %s",
                      label, expected_text, got);
}

static void read_bool_scalar(GPtrArray *problems, const ConfigNode *node,
                             const char *label, gboolean *slot)
{
    if (g_str_equal(node->text, "true") || g_str_equal(node->text, "false"))
        *slot = g_str_equal(node->text, "true");
    else
        add_type_problem(problems, node, label, "expected true or false");
}

static void read_name_scalar(GPtrArray *problems, const ConfigNode *node,
                             const char *label, const char **slot)
{
    const char *p = node->text;

    while (*p >= ' ' && *p <= '~')
        p++;
    while (*p != '\0' && !g_unichar_iscntrl(g_utf8_get_char(p)))
        p = g_utf8_next_char(p);
    if (*p != '\0')
        add_type_problem(problems, node, label,
                         "a name has no control characters");
    else if (p == node->text)
        add_type_problem(problems, node, label, "expected a name");
    else
        *slot = node->text;
}

/* Returns what an unknown word of @field is answered with: the key that has it,
 * or similar words.  The caller owns the text. */
static char *hint_for_unknown_word(const ConfigField *field, const char *word)
{
    g_autofree char *known = NULL;

    if (!field->mistaken_key || !g_strv_contains(field->mistaken_names, word))
        return words_suggestion_hint(word, field->names, "known values");
    known = g_strjoinv(", ", (char **)field->names);
    return g_strdup_printf("; write '%s: %s', and here one of %s",
                           field->mistaken_key, word, known);
}

static void read_enum_scalar(GPtrArray *problems, const ConfigNode *node,
                             const ConfigField *field, const char *label,
                             int *slot)
{
    g_autofree char *got = NULL;
    g_autofree char *hint = NULL;

    for (int i = 0; field->names[i]; i++) {
        if (g_str_equal(node->text, field->names[i])) {
            *slot = i;
            return;
        }
    }
    got = words_quote_text(node->text);
    hint = hint_for_unknown_word(field, node->text);
    config_problem_at(problems, node, CONFIG_ERROR_UNKNOWN_KEY,
                      "%s: unknown value %s%s", label, got, hint);
}

static char *describe_expected_or_auto(ConfigType type)
{
    g_autofree char *number = quantity_describe_expected(type);

    return g_strdup_printf("%s, or " CONFIG_AUTO_WORD, number);
}

static char *describe_expected_value(const ConfigField *field)
{
    if (field->type == CONFIG_BOOL)
        return g_strdup("true or false");
    if (field->type == CONFIG_NAME)
        return g_strdup("a name");
    if (field->type == CONFIG_ENUM) {
        g_autofree char *names = g_strjoinv(", ", (char **)field->names);

        return g_strdup_printf("one of %s", names);
    }
    return field->may_be_auto ? describe_expected_or_auto(field->type)
                              : quantity_describe_expected(field->type);
}

void config_scalar_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label,
                        gpointer slot)
{
    if (node->kind != CONFIG_NODE_SCALAR) {
        g_autofree char *expected_text = describe_expected_value(field);
        g_autofree char *expected =
            g_strdup_printf("expected %s", expected_text);

        add_type_problem(problems, node, label, expected);
        return;
    }
    if (field->type == CONFIG_BOOL)
        read_bool_scalar(problems, node, label, slot);
    else if (field->type == CONFIG_NAME)
        read_name_scalar(problems, node, label, slot);
    else if (field->type == CONFIG_ENUM)
        read_enum_scalar(problems, node, field, label, slot);
    else
        read_quantity_scalar(problems, node, field, label, slot);
}

gboolean config_node_read(const ConfigNode *node, const ConfigField *field,
                          gpointer slot)
{
    g_autoptr(GPtrArray) problems = config_problems_new();

    g_return_val_if_fail(field->type < CONFIG_SECTION, FALSE);

    config_scalar_read(problems, node, field, field->key, slot);
    return problems->len == 0;
}

/* ---- lists of quantities in one text ------------------------------------- */

static gboolean check_row_text(GPtrArray *problems, const ConfigNode *node,
                               const ConfigField *field, const char *label,
                               const GArray *row)
{
    const ConfigField *item = field->item;

    if (row->len < field->min || (field->max > 0 && row->len > field->max)) {
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: %u numbers are too few or too many", label,
                          row->len);
        return FALSE;
    }
    for (guint i = 0; i < row->len; i++) {
        uint64_t value = g_array_index(row, uint64_t, i);

        if (value >= item->min && value <= item->max)
            continue;
        config_problem_at(problems, node, CONFIG_ERROR_RANGE,
                          "%s: number %u is out of range", label, i);
        return FALSE;
    }
    return TRUE;
}

GArray *config_row_read(GPtrArray *problems, const ConfigNode *node,
                        const ConfigField *field, const char *label)
{
    g_autoptr(GArray) row = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GError) error = NULL;

    if (!quantity_parse_row(node->text, field->item->type, row, &error)) {
        config_problem_at(problems, node, (ConfigErrorCode)error->code,
                          "%s: %s", label, error->message);
        return NULL;
    }
    return check_row_text(problems, node, field, label, row)
               ? g_steal_pointer(&row)
               : NULL;
}
