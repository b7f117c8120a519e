/* solve_run.c - finds the least value of a parameter that reaches a goal */
#include "sim/study/solve/solve.h"

#include <string.h>

#include "sim/config/config_node.h"
#include "sim/config/quantity.h"
#include "sim/core/csv.h"
#include "sim/study/config_value.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/solve/solve_trial_run_file_impl.h"
#include "sim/study/tune_endpoint.h"

/* ---- measuring the metric of one run ------------------------------------- */

/* Returns the metric of a run as in the CSV, and sets *@ret to its number; or
 * returns NULL and sets *@reason if only language models have it. */
static char *read_run_metric(const SolveResult *solve,
                             const SystemConfig *config, const System *system,
                             double *ret, char **reason)
{
    g_autoptr(GString) rows = g_string_new(NULL);
    g_autoptr(CsvTable) table = NULL;
    guint column;

    rows_append(rows, ROWS_RUNS, NULL, config, system, NULL);
    table = csv_table_parse("run", rows->str, rows->len, NULL);
    g_assert(table);
    if (!csv_table_column(table, solve->task->condition->metric, &column,
                          NULL)) {
        *reason = g_strdup_printf("only language models have '%s'",
                                  solve->task->condition->metric);
        return NULL;
    }
    if (!csv_table_number(table, 0, column, ret, NULL))
        g_assert_not_reached();
    return g_strdup(csv_table_text(table, 0, column));
}

/* Takes the error of a run.  Returns FALSE and sets @error if the watch ended
 * the run; otherwise sets *@reason to its text. */
static gboolean take_run_refusal(GError **refusal, char **reason,
                                 GError **error)
{
    if (g_error_matches(*refusal, SYSTEM_ERROR, SYSTEM_ERROR_ENDED)) {
        g_propagate_error(error, g_steal_pointer(refusal));
        return FALSE;
    }
    *reason = g_strdup((*refusal)->message);
    return TRUE;
}

/* Runs @doc.  Returns FALSE and sets @error if the file is wrong or the watch
 * ended the run.  If the run fails otherwise, *@cell stays NULL and *@reason
 * says why. */
static gboolean measure_run_metric(const SolveResult *solve, ConfigDoc *doc,
                                   char **cell, double *ret, char **reason,
                                   GError **error)
{
    const SolveTask *task = solve->task;
    SystemConfig config;
    g_autoptr(GError) refusal = NULL;
    g_autoptr(System) system = NULL;
    g_autoptr(TuneResult) tuned = NULL;

    if (!config_doc_read(doc, system_fields, &config, error))
        return FALSE;
    if (endpoint_tuning_is_needed(&config)) {
        tuned = tune_endpoint_watched(&config, task->run_options, task->watch,
                                      &refusal);
        if (!tuned)
            return take_run_refusal(&refusal, reason, error);
        *cell =
            read_run_metric(solve, tuned->config, tuned->system, ret, reason);
        return TRUE;
    }
    system = system_new(&config, task->run_options, &refusal);
    if (!system ||
        !system_run_with_progress(system, task->watch.report_progress,
                                  task->watch.self, &refusal))
        return take_run_refusal(&refusal, reason, error);
    *cell = read_run_metric(solve, &config, system, ret, reason);
    return TRUE;
}

static gboolean is_goal_run_independent(const SolveTask *task)
{
    for (guint i = 0; task->keys[i]; i++)
        if (!solve_key_is_in_endpoint(task->keys[i]))
            return FALSE;
    return TRUE;
}

/* Sets *@ret to the metric of the other run.  If that run fails, .reason of
 * @trial says why. */
static gboolean measure_goal_metric_of_run(SolveResult *solve,
                                           const char *value, SolveTrial *trial,
                                           double *ret, GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    g_autofree char *cell = NULL;

    *ret = solve->other;
    if (solve->has_other || !solve->task->condition->reference)
        return TRUE;
    doc = solve_make_goal_document(solve, value, error);
    if (!doc ||
        !measure_run_metric(solve, doc, &cell, ret, &trial->reason, error))
        return FALSE;
    solve->has_other = cell && is_goal_run_independent(solve->task);
    solve->other = *ret;
    return TRUE;
}

static gboolean try_value_of_solved_key(SolveResult *solve, const char *text,
                                        SolveTrial *trial, GError **error)
{
    const SolveTask *task = solve->task;
    g_autoptr(ConfigDoc) doc =
        solve_make_document(solve, SOLVE_TASK_RUN, "--vary", text, error);
    double metric = 0, other = 0;

    if (!doc || !measure_run_metric(solve, doc, &trial->metric, &metric,
                                    &trial->reason, error))
        return FALSE;
    if (!trial->metric)
        return TRUE;
    if (!measure_goal_metric_of_run(solve, text, trial, &other, error))
        return FALSE;
    trial->goal = condition_goal_value(task->condition, other);
    trial->meets_goal = !trial->reason &&
                        condition_is_met(task->condition, metric, trial->goal);
    return TRUE;
}

static gboolean is_goal_reached(gpointer self, uint64_t value, gboolean *ret,
                                GError **error)
{
    SolveResult *solve = self;
    SolveTrial trial = { .value = value };
    g_autofree char *text = solve_value_text(solve, value);
    gboolean ok;

    if (solve->task->on_value)
        solve->task->on_value(solve->trials->len, text);
    ok = try_value_of_solved_key(solve, text, &trial, error);
    *ret = trial.meets_goal;
    g_array_append_val(solve->trials, trial);
    return ok;
}

/* ---- checking the keys that are varied ----------------------------------- */

/* Sets .type to the type of all keys.  Returns FALSE and sets @error if they
 * are not numbers of one type. */
static gboolean find_type_of_keys(SolveResult *solve, ConfigDoc *doc,
                                  GError **error)
{
    for (guint i = 0; solve->task->keys[i]; i++) {
        const char *key = solve->task->keys[i];
        const ConfigField *field = config_doc_field(doc, system_fields, key);

        if (!field || field->type > CONFIG_FRACTION) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                        "--vary: '%s' holds no number", key);
            return FALSE;
        }
        if (i > 0 && field->type != solve->type) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                        "--vary: '%s' and '%s' hold different things; "
                        "--from 1x --to 4x varies both by a factor",
                        solve->task->keys[0], key);
            return FALSE;
        }
        solve->type = field->type;
    }
    return TRUE;
}

/* Reads the file with an end of the range set.  An unknown key is reported for
 * --vary, because it does not depend on the value. */
static gboolean check_range_end(SolveResult *solve, const char *origin,
                                const char *text, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(ConfigDoc) alone = NULL;
    SystemConfig config;

    if (*text != '\0') {
        alone = config_doc_parse(origin, text, strlen(text), error);
        if (!alone)
            return FALSE;
    }
    doc = solve_make_document(solve, SOLVE_TASK_RUN, "--vary", text, &reason);
    if (doc && config_doc_read(doc, system_fields, &config, &reason))
        return find_type_of_keys(solve, doc, error);
    if (!doc || reason->code == CONFIG_ERROR_UNKNOWN_KEY) {
        g_propagate_error(error, g_steal_pointer(&reason));
        return FALSE;
    }
    config_doc_free(doc);
    doc = solve_make_document(solve, SOLVE_TASK_RUN, origin, text, error);
    return doc && config_doc_read(doc, system_fields, &config, error);
}

/* Reads the values of the keys before they are varied. */
static gboolean read_given_values(SolveResult *solve, GError **error)
{
    g_autoptr(ConfigDoc) doc =
        solve_make_document(solve, SOLVE_TASK_RUN, "--vary", NULL, error);
    SystemConfig config;

    if (!doc || !config_doc_read(doc, system_fields, &config, error))
        return FALSE;
    for (guint i = 0; solve->task->keys[i]; i++) {
        SolveGiven given;

        if (!config_value_read_at_path(&config, solve->task->keys[i],
                                       &given.value, &given.type) ||
            given.value == 0) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_TYPE,
                        "--vary: '%s' holds nothing that has multiples",
                        solve->task->keys[i]);
            return FALSE;
        }
        g_array_append_val(solve->given, given);
    }
    return TRUE;
}

/* Parses an end of the range and checks the file with that factor. */
static gboolean check_factor_range_end(const SolveResult *solve,
                                       const char *origin, const char *text,
                                       uint64_t *ret, GError **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    SystemConfig config;

    if (!solve_parse_factor(text, ret, error)) {
        g_prefix_error(error, "%s: ", origin);
        return FALSE;
    }
    doc = solve_make_document(solve, SOLVE_TASK_RUN, origin, text, error);
    return doc && config_doc_read(doc, system_fields, &config, error);
}

static gboolean check_range_rises(const SolveTask *task,
                                  const LeastValueSearch *search,
                                  GError **error)
{
    if (search->from < search->to)
        return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "--to: %s is not above --from, %s", task->to, task->from);
    return FALSE;
}

static gboolean find_factor_range(SolveResult *solve, LeastValueSearch *search,
                                  GError **error)
{
    const SolveTask *task = solve->task;

    solve->type = CONFIG_FRACTION;
    return read_given_values(solve, error) &&
           check_factor_range_end(solve, "--from", task->from, &search->from,
                                  error) &&
           check_factor_range_end(solve, "--to", task->to, &search->to,
                                  error) &&
           check_range_rises(task, search, error);
}

static gboolean is_factor_text(const char *text)
{
    return g_str_has_suffix(text, "x");
}

static gboolean find_search_range(SolveResult *solve, LeastValueSearch *search,
                                  GError **error)
{
    const SolveTask *task = solve->task;

    solve->is_factor = is_factor_text(task->from) && is_factor_text(task->to);
    if (solve->is_factor)
        return find_factor_range(solve, search, error);
    if (!check_range_end(solve, "--from", task->from, error) ||
        !check_range_end(solve, "--to", task->to, error))
        return FALSE;
    if (!quantity_parse(task->from, solve->type, &search->from, error) ||
        !quantity_parse(task->to, solve->type, &search->to, error)) {
        g_prefix_error(error, "--from, --to: ");
        return FALSE;
    }
    return check_range_rises(task, search, error);
}

/* ---- searching for the least value --------------------------------------- */

static gint compare_trial_values(gconstpointer a, gconstpointer b)
{
    const SolveTrial *trial = a, *y = b;

    return (trial->value > y->value) - (trial->value < y->value);
}

static void clear_solve_trial(gpointer data)
{
    SolveTrial *trial = data;

    g_free(trial->metric);
    g_free(trial->reason);
}

static gboolean check_any_run_has_result(const SolveResult *solve,
                                         GError **error)
{
    for (guint i = 0; i < solve->trials->len; i++)
        if (!solve_trial(solve, i)->reason)
            return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                "no value of '%s' can be run: %s", solve->task->keys[0],
                solve_trial(solve, 0)->reason);
    return FALSE;
}

SolveResult *solve_run(const SolveTask *task, GError **error)
{
    g_autoptr(SolveResult) solve = g_new0(SolveResult, 1);
    LeastValueSearch search = { .holds = is_goal_reached, .self = solve };

    solve->task = task;
    solve->trials = g_array_new(FALSE, FALSE, sizeof(SolveTrial));
    g_array_set_clear_func(solve->trials, clear_solve_trial);
    solve->given = g_array_new(FALSE, FALSE, sizeof(SolveGiven));
    if (!find_search_range(solve, &search, error))
        return NULL;
    search.is_binary = solve->type == CONFIG_BYTES;
    search.tolerance_ppm =
        solve->type == CONFIG_COUNT ? 0 : task->tolerance_ppm;
    solve->search = search_least_value(&search, error);
    if (!solve->search || !check_any_run_has_result(solve, error))
        return NULL;
    g_array_sort(solve->trials, compare_trial_values);
    return g_steal_pointer(&solve);
}

void solve_free(SolveResult *solve)
{
    if (!solve)
        return;
    g_clear_pointer(&solve->search, free_search_result);
    g_array_unref(solve->trials);
    g_array_unref(solve->given);
    g_free(solve);
}
