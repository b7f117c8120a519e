/* solve_trial_run_file.c - makes the run file for each value that is tried */
#include "sim/study/solve/solve_trial_run_file_impl.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/config/quantity.h"
#include "sim/study/load_run_file.h"

#define ONE 1000000 /* the factor 1, in parts per million */

/* Values that would be longer are written in another unit: "0.000379 s" is less
 * readable than "379 us". */
#define MAX_VALUE_CHARS 12

gboolean solve_key_is_in_endpoint(const char *key)
{
    return g_str_has_prefix(key, "endpoint.") ||
           g_str_has_prefix(key, "endpoint=") || g_str_equal(key, "endpoint");
}

/* ---- multiplying given values by a factor -------------------------------- */

gboolean solve_parse_factor(const char *text, uint64_t *ret, GError **error)
{
    g_autofree char *number = g_strndup(text, strlen(text) - 1);

    return quantity_parse(number, CONFIG_FRACTION, ret, error);
}

/* Returns the given value times a factor, rounded to the nearest integer, but
 * at least 1. */
static uint64_t scale_given_value(const SolveGiven *given, uint64_t factor_ppm)
{
    __uint128_t wide = ((__uint128_t)given->value * factor_ppm + ONE / 2) / ONE;

    return wide > UINT64_MAX ? UINT64_MAX : MAX((uint64_t)wide, 1);
}

char *solve_value_text(const SolveResult *solve, uint64_t value)
{
    const SolveTask *task = solve->task;
    g_autofree char *first =
        quantity_format_like(value, solve->type, task->from);
    g_autofree char *last = quantity_format_like(value, solve->type, task->to);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    char **best =
        first && last && strlen(first) < strlen(last) ? &first : &last;

    if (solve->is_factor)
        return g_strconcat(
            g_ascii_formatd(number, sizeof number, "%.7g", (double)value / ONE),
            "x", NULL);
    if (*best && strlen(*best) <= MAX_VALUE_CHARS)
        return g_steal_pointer(best);
    return quantity_format(value, solve->type);
}

char *solve_key_text(const SolveResult *solve, guint key, uint64_t value)
{
    const SolveGiven *given;

    if (!solve->is_factor)
        return solve_value_text(solve, value);
    given = &g_array_index(solve->given, SolveGiven, key);
    return quantity_format(scale_given_value(given, value), given->type);
}

/* Returns the text to set at key number @key for @text, which is a value or a
 * factor. */
static char *text_to_set_at_key(const SolveResult *solve, guint key,
                                const char *text)
{
    uint64_t factor_ppm = 0;

    if (solve->is_factor && solve_parse_factor(text, &factor_ppm, NULL))
        return solve_key_text(solve, key, factor_ppm);
    return g_strdup(text);
}

/* ---- making the document of a run ---------------------------------------- */

ConfigDoc *solve_make_document(const SolveResult *solve, SolveDocKind kind,
                               const char *origin, const char *value,
                               GError **error)
{
    const SolveTask *task = solve->task;
    g_autoptr(ConfigDoc) doc = load_run_or_sweep_file(
        kind == SOLVE_OTHER_FILE ? task->condition->reference : task->path,
        error);

    for (guint i = 0;
         doc && kind != SOLVE_OTHER_FILE && task->sets && task->sets[i]; i++)
        if (!(kind == SOLVE_OTHER_ENDPOINT &&
              solve_key_is_in_endpoint(task->sets[i])) &&
            !load_apply_setting(doc, task->sets[i], error))
            return NULL;
    for (guint i = 0; doc && value && task->keys[i]; i++) {
        g_autofree char *text = text_to_set_at_key(solve, i, value);

        if (!(kind != SOLVE_TASK_RUN &&
              solve_key_is_in_endpoint(task->keys[i])) &&
            !config_doc_set(doc, task->keys[i], origin, text, error))
            return NULL;
    }
    return g_steal_pointer(&doc);
}

static gboolean is_endpoint_file(const char *path, gboolean *ret,
                                 GError **error)
{
    g_autoptr(ConfigDoc) doc = load_run_or_sweep_file(path, error);

    if (!doc)
        return FALSE;
    *ret = config_doc_find_nearest(doc, "kind") != config_doc_root(doc);
    return TRUE;
}

/* Returns the document of the run whose metric is the goal. */
ConfigDoc *solve_make_goal_document(const SolveResult *solve, const char *value,
                                    GError **error)
{
    const SolveTask *task = solve->task;
    const char *of = task->condition->reference;
    gboolean is_ideal = g_str_equal(of, CONDITION_IDEAL);
    gboolean is_endpoint = is_ideal;
    g_autoptr(ConfigDoc) doc = NULL;

    if (!is_ideal && !is_endpoint_file(of, &is_endpoint, error))
        return NULL;
    doc = solve_make_document(
        solve, is_endpoint ? SOLVE_OTHER_ENDPOINT : SOLVE_OTHER_FILE, "--vary",
        value, error);
    if (doc && is_endpoint &&
        !config_doc_set(doc, "endpoint", "--until",
                        is_ideal ? "{kind: ideal, name: ideal}" : of, error))
        return NULL;
    return g_steal_pointer(&doc);
}
