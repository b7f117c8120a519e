/* goal_condition.c - parses a goal such as "net_bw_gb_per_s >= 90 %
 * of ideal" */
#include "sim/study/solve/goal_condition.h"

#include <stdarg.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/word_suggestions.h"
#include "sim/study/rows/run_rows.h"

static const char *const ops[] = {
    [CONDITION_AT_LEAST] = ">=",
    [CONDITION_AT_MOST] = "<=",
    [CONDITION_ABOVE] = ">",
    [CONDITION_BELOW] = "<",
};

typedef struct {
    const char *text; /* borrowed: the whole text */
    const char *p;    /* the present position */
} ConditionParser;

G_GNUC_PRINTF(4, 5)
static gboolean set_condition_error(const ConditionParser *parser,
                                    GError **error, ConfigErrorCode code,
                                    const char *format, ...)
{
    glong column = g_utf8_pointer_to_offset(parser->text, parser->p) + 1;
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, CONFIG_ERROR, (gint)code, "--until:1:%ld: %s", column,
                why);
    return FALSE;
}

static void skip_blanks(ConditionParser *parser)
{
    while (g_ascii_isspace(*parser->p))
        parser->p++;
}

/* ---- parsing the metric -------------------------------------------------- */

static gboolean set_metric_error(const ConditionParser *parser,
                                 const char *name, GError **error)
{
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    g_autofree const char **metrics = columns_list_names(columns, FALSE);
    const char *nearest = words_find_nearest(name, metrics);
    g_autofree char *all = NULL;

    if (columns_find(columns, name))
        return set_condition_error(parser, error, CONFIG_ERROR_TYPE,
                                   "'%s' is no number", name);
    if (nearest)
        return set_condition_error(parser, error, CONFIG_ERROR_UNKNOWN_KEY,
                                   "unknown metric '%s'; did you mean '%s'?",
                                   name, nearest);
    all = g_strjoinv(", ", (char **)metrics);
    return set_condition_error(parser, error, CONFIG_ERROR_UNKNOWN_KEY,
                               "unknown metric '%s'; known: %s", name, all);
}

/* Returns the unit of the metric, or NULL and sets @error. */
static const ColumnUnitScale *
parse_metric_name(ConditionParser *parser, Condition *condition, GError **error)
{
    const ColumnUnitScale *unit;
    gsize n;

    skip_blanks(parser);
    n = strcspn(parser->p, " \t\n<>=!");
    if (n == 0) {
        set_condition_error(parser, error, CONFIG_ERROR_SYNTAX,
                            "expected a metric, such as 'net_bw_gb_per_s'");
        return NULL;
    }
    condition->metric = g_strndup(parser->p, n);
    unit = rows_unit_of_column(condition->metric);
    if (!unit) {
        set_metric_error(parser, condition->metric, error);
        return NULL;
    }
    condition->n_digits = unit->n_digits;
    parser->p += n;
    return unit;
}

/* ---- parsing the comparison operator ------------------------------------- */

static gboolean parse_comparison_operator(ConditionParser *parser,
                                          Condition *condition, GError **error)
{
    g_autofree char *got = NULL;
    gsize n;

    skip_blanks(parser);
    n = strspn(parser->p, "<>=!");
    got = g_strndup(parser->p, n);
    for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
        if (!g_str_equal(got, ops[i]))
            continue;
        condition->op = (ConditionOp)i;
        parser->p += n;
        return TRUE;
    }
    if (n == 0)
        return set_condition_error(parser, error, CONFIG_ERROR_SYNTAX,
                                   "expected one of >=, <=, >, <");
    return set_condition_error(
        parser, error, CONFIG_ERROR_SYNTAX,
        "'%s' is no comparison; expected one of >=, <=, >, <", got);
}

/* ---- parsing the goal after the operator --------------------------------- */

/* Returns the text after "%", blanks and "of", or NULL if it is no share of
 * another run. */
static const char *parse_percent_of_prefix(const char *percent)
{
    const char *p = percent + 1;

    while (g_ascii_isspace(*p))
        p++;
    if (!g_str_has_prefix(p, "of") || (p[2] != '\0' && !g_ascii_isspace(p[2])))
        return NULL;
    for (p += 2; g_ascii_isspace(*p); p++)
        ;
    return p;
}

static gboolean parse_goal_share(ConditionParser *parser, Condition *condition,
                                 const char *percent, GError **error)
{
    g_autofree char *number =
        g_strndup(parser->p, (gsize)(percent + 1 - parser->p));
    g_autoptr(GError) reason = NULL;
    uint64_t ppm;

    if (!quantity_parse(number, CONFIG_FRACTION, &ppm, &reason))
        return set_condition_error(parser, error, (ConfigErrorCode)reason->code,
                                   "%s", reason->message);
    parser->p = parse_percent_of_prefix(percent);
    if (*parser->p == '\0')
        return set_condition_error(parser, error, CONFIG_ERROR_SYNTAX,
                                   "expected 'ideal' or the name of a file");
    condition->value = (double)ppm / 1e6;
    condition->reference = g_strdup(parser->p);
    g_strchomp(condition->reference);
    return TRUE;
}

static gboolean parse_goal_quantity(ConditionParser *parser,
                                    Condition *condition,
                                    const ColumnUnitScale *unit, GError **error)
{
    g_autofree char *text = g_strchomp(g_strdup(parser->p));
    g_autoptr(GError) reason = NULL;
    uint64_t value;

    if (g_str_has_suffix(text, "%"))
        return set_condition_error(
            parser, error, CONFIG_ERROR_UNIT,
            "'%s' of what? expected '%s of ideal' or '%s of FILE'", text, text,
            text);
    if (!quantity_parse(text, unit->type, &value, &reason))
        return set_condition_error(parser, error, (ConfigErrorCode)reason->code,
                                   "%s: %s", condition->metric,
                                   reason->message);
    condition->value = (double)value / column_unit_base_scale(unit);
    return TRUE;
}

static gboolean parse_condition_goal(ConditionParser *parser,
                                     Condition *condition,
                                     const ColumnUnitScale *unit,
                                     GError **error)
{
    const char *percent;

    skip_blanks(parser);
    percent = strchr(parser->p, '%');
    condition->wanted = g_strchomp(g_strdup(parser->p));
    if (percent && parse_percent_of_prefix(percent))
        return parse_goal_share(parser, condition, percent, error);
    return parse_goal_quantity(parser, condition, unit, error);
}

/* ---- parsing the whole condition ----------------------------------------- */

Condition *condition_parse(const char *text, GError **error)
{
    g_autoptr(Condition) c = g_new0(Condition, 1);
    ConditionParser parser = { text, text };
    const ColumnUnitScale *unit;

    if (!g_utf8_validate(text, -1, NULL)) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX,
                    "--until:1:1: not UTF-8");
        return NULL;
    }
    unit = parse_metric_name(&parser, c, error);
    if (!unit || !parse_comparison_operator(&parser, c, error) ||
        !parse_condition_goal(&parser, c, unit, error))
        return NULL;
    return g_steal_pointer(&c);
}

void condition_free(Condition *condition)
{
    if (!condition)
        return;
    g_free(condition->metric);
    g_free(condition->wanted);
    g_free(condition->reference);
    g_free(condition);
}

double condition_goal_value(const Condition *condition, double other)
{
    return condition->reference ? condition->value * other : condition->value;
}

gboolean condition_is_met(const Condition *condition, double value, double goal)
{
    switch (condition->op) {
    case CONDITION_AT_LEAST:
        return value >= goal;
    case CONDITION_AT_MOST:
        return value <= goal;
    case CONDITION_ABOVE:
        return value > goal;
    case CONDITION_BELOW:
        return value < goal;
    }
    g_assert_not_reached();
}

char *condition_text(const Condition *condition)
{
    return g_strdup_printf("%s %s %s", condition->metric, ops[condition->op],
                           condition->wanted);
}
