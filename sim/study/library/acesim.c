/* acesim.c - acesim as a library */
#include "sim/study/library/acesim.h"

#include <string.h>

#include "models/run/run.h"
#include "sim/core/csv.h"
#include "sim/study/compare/compare.h"
#include "sim/study/explain/attribution.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/memory_rows.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/solve/solve.h"
#include "sim/study/tune_endpoint.h"
#include "sim/sweep/resolved_values.h"
#include "sim/sweep/sweep_axes.h"
#include "sim/view/column_fields.h"
#include "sim/view/report/explanation_html.h"

#define TOLERANCE_PPM 1000

G_STATIC_ASSERT((int)ACESIM_FOLD_AUTO == (int)FOLD_AUTO);
G_STATIC_ASSERT((int)ACESIM_FOLD_OFF == (int)FOLD_OFF);
G_STATIC_ASSERT((int)ACESIM_FOLD_REQUIRE == (int)FOLD_REQUIRE);

struct AcesimRun {
    char *path;      /* owned */
    GPtrArray *sets; /* owned: "KEY=VALUE", ends with NULL */
    RunOptions run_options;
    unsigned record; /* of AcesimRecord */
    AcesimTell tell; /* may be NULL */
    void *self;      /* borrowed */
};

/* The caller's function that watches the runs of one call. */
typedef struct {
    const char *path; /* borrowed: of the run file */
    AcesimTell tell;  /* may be NULL */
    void *self;       /* borrowed */
} CallerWatch;

struct AcesimResult {
    char *path;               /* owned: of the run file */
    char **sets;              /* owned: with the values that were chosen */
    RunOptions run_options;   /* of the run */
    ConfigDoc *doc;           /* owned: owns the contents of .config */
    SystemConfig config;      /* as it was read */
    TuneResult *tuned;        /* owned; NULL: no value was `auto` */
    System *system;           /* owned; NULL: it is that of .tuned */
    Utilisation *utilisation; /* owned; NULL: not recorded */
    CsvTable *row;            /* owned: the table "runs" */
    GArray *parts; /* owned, of AttributionPart; NULL: not recorded */
    /* Owned: follows the critical path, or has what-ifs; may be NULL. */
    Explanation *explanation;
    gboolean has_what_ifs; /* in .explanation */
};

const char *acesim_version(void)
{
    return ACESIM_VERSION;
}

void acesim_free(char *text)
{
    g_free(text);
}

/* Converts @error to a text in *@ret, which may be NULL, and frees it.  Returns
 * NULL. */
static gpointer return_error_text(GError *error, char **ret)
{
    if (ret)
        *ret = g_strdup(error->message);
    g_error_free(error);
    return NULL;
}

/* ---- loading a run and setting its values -------------------------------- */

static char *const *list_run_settings(const AcesimRun *run)
{
    return (char *const *)run->sets->pdata;
}

AcesimRun *acesim_load(const char *path, char **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    AcesimRun *run;
    GError *reason = NULL;

    g_assert(path);
    if (g_str_equal(path, "-"))
        g_set_error(&reason, CONFIG_ERROR, CONFIG_ERROR_FILE,
                    "-: standard input is the program's own; name a file");
    else
        doc = load_config_document(path, NULL, &reason);
    if (!doc)
        return return_error_text(reason, error);
    run = g_new0(AcesimRun, 1);
    run->path = g_strdup(path);
    run->sets = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(run->sets, NULL);
    return run;
}

void acesim_run_free(AcesimRun *run)
{
    if (!run)
        return;
    g_ptr_array_unref(run->sets);
    g_free(run->path);
    g_free(run);
}

int acesim_set(AcesimRun *run, const char *key, const char *value, char **error)
{
    g_autoptr(ConfigDoc) doc = NULL;
    GError *reason = NULL;
    guint last = run->sets->len - 1;

    g_assert(key && value && !strchr(key, '='));
    g_ptr_array_insert(run->sets, (gint)last,
                       g_strdup_printf("%s=%s", key, value));
    doc = load_config_document(run->path, list_run_settings(run), &reason);
    if (doc)
        return 1;
    g_ptr_array_remove_index(run->sets, last);
    return_error_text(reason, error);
    return 0;
}

void acesim_set_fold(AcesimRun *run, AcesimFold fold)
{
    run->run_options.fold = (FoldMode)fold;
}

void acesim_set_record(AcesimRun *run, unsigned flags)
{
    g_assert((flags & ~(unsigned)(ACESIM_RECORD_ATTRIBUTION |
                                  ACESIM_RECORD_UTILISATION)) == 0);
    run->record = flags;
}

void acesim_set_tell(AcesimRun *run, AcesimTell tell, void *self)
{
    run->tell = tell;
    run->self = self;
}

/* ---- simulating a run ---------------------------------------------------- */

/* Passes the progress of a run to the caller's function (a
 * SystemProgressFn). */
static gboolean report_run_progress(gpointer self, const System *system,
                                    uint64_t n_events, GError **error)
{
    const CallerWatch *caller = self;

    (void)n_events;
    if (caller->tell(caller->self, system_n_iterations_done(system),
                     system_n_iterations(system)) == 0)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_ENDED,
                "%s: ended by the caller's callback", caller->path);
    return FALSE;
}

static RunWatch make_run_watch(CallerWatch *caller)
{
    return (RunWatch){ caller->tell ? report_run_progress : NULL, caller };
}

/* Returns the configuration that was simulated. */
static const SystemConfig *simulated_config(const AcesimResult *result)
{
    return result->tuned ? result->tuned->config : &result->config;
}

static const System *simulated_system(const AcesimResult *result)
{
    return result->system ? result->system : result->tuned->system;
}

static WhatIfSource make_what_if_source(const AcesimResult *result,
                                        RunWatch watch)
{
    return (WhatIfSource){ .path = result->path,
                           .sets = result->sets,
                           .run_options = result->run_options,
                           .system = simulated_system(result),
                           .run_many = run_many_in_process,
                           .watch = watch };
}

/* Chooses the values that are `auto`, and adds them to the settings. */
static gboolean choose_auto_values(AcesimResult *result, RunWatch watch,
                                   GError **error)
{
    g_autofree char **chosen = NULL;
    guint n = g_strv_length(result->sets), n_chosen;

    if (!endpoint_tuning_is_needed(&result->config))
        return TRUE;
    result->tuned = tune_endpoint_watched(&result->config, result->run_options,
                                          watch, error);
    if (!result->tuned)
        return FALSE;
    chosen = list_tuned_endpoint_settings(result->tuned);
    n_chosen = g_strv_length(chosen);
    result->sets = g_renew(char *, result->sets, n + n_chosen + 1);
    memcpy(result->sets + n, chosen, (n_chosen + 1) * sizeof *chosen);
    return TRUE;
}

/* Runs the system and records what @record has. */
static gboolean simulate_and_record(AcesimResult *result, unsigned record,
                                    RunWatch watch, GError **error)
{
    System *system = result->system;
    /* The row of a language model already contains the parts. */
    gboolean follows = (record & ACESIM_RECORD_ATTRIBUTION) &&
                       system_graph(system)->n_tokens == 0;
    gboolean ok;

    if (record & ACESIM_RECORD_UTILISATION)
        result->utilisation = utilisation_new(system, 0);
    if (follows)
        result->explanation =
            explain_run_path(system, result->run_options, watch, error);
    ok = follows ? result->explanation != NULL
                 : system_run_with_progress(system, watch.report_progress,
                                            watch.self, error);
    if (ok && result->utilisation)
        utilisation_finish(result->utilisation);
    return ok;
}

static gboolean simulate_run(const AcesimRun *run, AcesimResult *result,
                             GError **error)
{
    CallerWatch caller = { run->path, run->tell, run->self };
    const RunWatch watch = make_run_watch(&caller);

    result->doc = load_run(run->path, result->sets, &result->config, error);
    if (!result->doc || !choose_auto_values(result, watch, error))
        return FALSE;
    if (result->tuned && run->record == 0)
        return TRUE;
    result->system =
        system_new(simulated_config(result), run->run_options, error);
    return result->system &&
           simulate_and_record(result, run->record, watch, error);
}

static void append_run_rows(const AcesimResult *result, RowsFile file,
                            GString *out)
{
    rows_append(out, file, NULL, simulated_config(result),
                simulated_system(result), result->utilisation);
}

AcesimResult *acesim_simulate(const AcesimRun *run, char **error)
{
    AcesimResult *result = g_new0(AcesimResult, 1);
    g_autoptr(GString) text = g_string_new(NULL);
    GError *reason = NULL;

    g_assert(run);
    result->path = g_strdup(run->path);
    result->sets = g_strdupv((char **)list_run_settings(run));
    result->run_options = run->run_options;
    if (!simulate_run(run, result, &reason)) {
        acesim_result_free(result);
        return return_error_text(reason, error);
    }
    append_run_rows(result, ROWS_RUNS, text);
    result->row = csv_table_parse("runs", text->str, text->len, NULL);
    g_assert(result->row && csv_table_n_rows(result->row) == 1);
    if (run->record & ACESIM_RECORD_ATTRIBUTION)
        result->parts = result->explanation
                            ? attribution_of_path(result->explanation)
                            : attribution_of_model_row(result->row, 0);
    return result;
}

void acesim_result_free(AcesimResult *result)
{
    if (!result)
        return;
    g_clear_pointer(&result->row, csv_table_free);
    if (result->parts)
        g_array_unref(result->parts);
    explain_free(result->explanation);
    utilisation_free(result->utilisation);
    system_free(result->system);
    tuned_endpoint_free(result->tuned);
    config_doc_free(result->doc);
    g_strfreev(result->sets);
    g_free(result->path);
    g_free(result);
}

/* The attribution of a language model was made without an explanation. */
static gboolean simulate_what_ifs(AcesimResult *result,
                                  const WhatIfSource *source, GError **error)
{
    g_autoptr(ExplainTask) task = NULL;

    if (result->explanation)
        return explain_run_what_ifs(result->explanation, source, error);
    task = explain_task_new(source, NULL);
    result->explanation = explain_task_finish(task, FALSE, error);
    return result->explanation != NULL;
}

int acesim_what_ifs(AcesimResult *result, AcesimTell tell, void *self,
                    char **error)
{
    CallerWatch caller = { result->path, tell, self };
    const WhatIfSource source =
        make_what_if_source(result, make_run_watch(&caller));
    GError *reason = NULL;

    if (!result->parts)
        g_set_error(&reason, CSV_ERROR, CSV_ERROR_FILE,
                    "%s: the attribution was not recorded", result->path);
    else if (!result->has_what_ifs)
        result->has_what_ifs = simulate_what_ifs(result, &source, &reason);
    if (!reason)
        return 1;
    return_error_text(reason, error);
    return 0;
}

/* ---- reading the results of a run ---------------------------------------- */

/* A table of a result.  Each function appends the CSV, or returns FALSE and
 * sets @error. */
typedef struct {
    const char *name;
    RowsFile file; /* if .append is append_rows_file() */
    gboolean (*append)(const AcesimResult *result, RowsFile file, GString *out,
                       GError **error);
} ResultTable;

static gboolean append_rows_file(const AcesimResult *result, RowsFile file,
                                 GString *out, GError **error)
{
    (void)error;
    append_run_rows(result, file, out);
    return TRUE;
}

static gboolean check_table_was_recorded(const AcesimResult *result,
                                         gboolean has, const char *what,
                                         GError **error)
{
    if (!has)
        g_set_error(error, CSV_ERROR, CSV_ERROR_FILE, "%s: %s", result->path,
                    what);
    return has;
}

static gboolean append_utilisation_table(const AcesimResult *result,
                                         RowsFile file, GString *out,
                                         GError **error)
{
    return check_table_was_recorded(result, result->utilisation != NULL,
                                    "the utilisation was not recorded",
                                    error) &&
           append_rows_file(result, file, out, error);
}

static gboolean append_memory_table(const AcesimResult *result, RowsFile file,
                                    GString *out, GError **error)
{
    (void)file;
    return memory_append_csv(out, simulated_system(result), error);
}

static gboolean append_config_table(const AcesimResult *result, RowsFile file,
                                    GString *out, GError **error)
{
    g_autoptr(ResolvedValues) values = resolved_values_new();
    g_autoptr(GString) rows = NULL;

    (void)file;
    (void)error;
    resolved_values_record_point(values, result->doc, &result->config);
    rows = resolved_values_to_csv(values);
    g_string_append_len(out, rows->str, (gssize)rows->len);
    return TRUE;
}

static gboolean append_attribution_table(const AcesimResult *result,
                                         RowsFile file, GString *out,
                                         GError **error)
{
    (void)file;
    if (!check_table_was_recorded(result, result->parts != NULL,
                                  "the attribution was not recorded", error))
        return FALSE;
    columns_append_header(out, attribution_columns);
    attribution_append_rows(out, "", result->parts);
    return TRUE;
}

static gboolean append_what_ifs(const AcesimResult *result, RowsFile file,
                                GString *out, GError **error)
{
    (void)file;
    if (!check_table_was_recorded(result, result->has_what_ifs,
                                  "no what-ifs were simulated", error))
        return FALSE;
    explain_append_what_ifs_csv(out, result->explanation);
    return TRUE;
}

static const ResultTable result_tables[] = {
    { "runs", ROWS_RUNS, append_rows_file },
    { "layers", ROWS_LAYERS, append_rows_file },
    { "links", ROWS_PORTS, append_rows_file },
    { "jobs", ROWS_JOBS, append_rows_file },
    { "memory", 0, append_memory_table },
    { "config", 0, append_config_table },
    { "utilisation", ROWS_UTILISATION, append_utilisation_table },
    { "attribution", 0, append_attribution_table },
    { "what_ifs", 0, append_what_ifs },
};

static const ResultTable *find_result_table(const char *name, GError **error)
{
    g_autoptr(GString) known = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(result_tables); i++) {
        if (g_str_equal(name, result_tables[i].name))
            return &result_tables[i];
        g_string_append_printf(known, "%s%s", i > 0 ? ", " : "",
                               result_tables[i].name);
    }
    g_set_error(error, CSV_ERROR, CSV_ERROR_FILE,
                "there is no table '%s'; there are %s", name, known->str);
    return NULL;
}

char *acesim_rows(const AcesimResult *result, const char *table, char **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const ResultTable *found;
    GError *reason = NULL;

    g_assert(result && table);
    found = find_result_table(table, &reason);
    if (!found || !found->append(result, found->file, text, &reason))
        return return_error_text(reason, error);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char *acesim_html(const AcesimResult *result, char **error)
{
    SystemResult r = system_result(simulated_system(result));
    g_autofree char *title = NULL;
    GError *reason = NULL;

    if (!check_table_was_recorded(result, result->parts != NULL,
                                  "the attribution was not recorded", &reason))
        return return_error_text(reason, error);
    title = g_strdup_printf("%s, %" G_GUINT64_FORMAT " NPUs, %s",
                            workload_name(&result->config.workload),
                            (uint64_t)r.n_npus,
                            rows_endpoint_name(simulated_config(result)));
    return g_string_free(explanation_html(title, r.iteration_ps, result->parts,
                                          result->has_what_ifs
                                              ? result->explanation->what_ifs
                                              : NULL),
                         FALSE);
}

int acesim_number(const AcesimResult *result, const char *column, double *ret,
                  char **error)
{
    GError *reason = NULL;
    guint at;

    g_assert(result && column && ret);
    if (csv_table_column(result->row, column, &at, &reason) &&
        csv_table_number(result->row, 0, at, ret, &reason))
        return 1;
    return_error_text(reason, error);
    return 0;
}

char *acesim_cell(const AcesimResult *result, const char *column, char **error)
{
    GError *reason = NULL;
    guint at;

    g_assert(result && column);
    if (!csv_table_column(result->row, column, &at, &reason))
        return return_error_text(reason, error);
    return g_strdup(csv_table_text(result->row, 0, at));
}

/* ---- comparing rows ------------------------------------------------------ */

/* Returns the names in @list, which has commas between them; none if it is
 * NULL.  The caller owns the array. */
static char **split_names_at_commas(const char *list)
{
    char **names = g_strsplit(list ? list : "", ",", -1);

    for (char **name = names; *name; name++)
        g_strstrip(*name);
    return names;
}

char *acesim_compare(const char *runs, const char *baselines, const char *best,
                     const char *offloads, char **error)
{
    g_auto(GStrv) given_baselines = split_names_at_commas(baselines);
    g_auto(GStrv) given_best = split_names_at_commas(best);
    g_auto(GStrv) given_offloads = split_names_at_commas(offloads);
    const CompareNames names = { given_baselines, given_best, given_offloads,
                                 NULL };
    g_autoptr(CsvTable) table = NULL;
    g_autoptr(Comparison) comparison = NULL;
    GError *reason = NULL;

    g_assert(runs);
    table = csv_table_parse("runs", runs, strlen(runs), &reason);
    if (table)
        comparison = compare_sweep_table(table, "runs", &names, &reason);
    if (!comparison)
        return return_error_text(reason, error);
    return g_string_free(compare_csv(comparison), FALSE);
}

/* ---- columns of tables --------------------------------------------------- */

char *acesim_columns(const char *table, const char *rows, char **error)
{
    GString *out = g_string_new(NULL);
    Json json = { .out = out };
    g_autoptr(CsvTable) parsed = NULL;
    GError *reason = NULL;

    g_assert(table && rows);
    parsed = csv_table_parse(table, rows, strlen(rows), &reason);
    if (!parsed) {
        g_string_free(out, TRUE);
        return return_error_text(reason, error);
    }
    json_add_column_fields(&json, NULL, table, parsed, TRUE);
    return g_string_free(out, FALSE);
}

/* Returns a list of one axis as YAML.  In a zip, values may repeat. */
static GString *sweep_axis_as_yaml(const char *key, const char *values)
{
    g_auto(GStrv) lines = g_strsplit(values, "\n", -1);
    GString *yaml = g_string_new("- zip:\n    ");

    json_append_quoted(yaml, key);
    g_string_append(yaml, ":");
    for (char **line = lines; *line; line++)
        g_string_append_printf(yaml, "\n      - %s", *line);
    g_string_append(yaml, "\n");
    return yaml;
}

char *acesim_axis(const char *key, const char *values, char **error)
{
    g_autoptr(GString) yaml = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GArray) axes = NULL;
    GString *out;
    GError *reason = NULL;

    g_assert(key && values);
    yaml = sweep_axis_as_yaml(key, values);
    doc = config_doc_parse(key, yaml->str, yaml->len, &reason);
    if (doc)
        axes = sweep_axes_read(config_doc_root(doc), &reason);
    if (!axes)
        return return_error_text(reason, error);
    out = g_string_new(NULL);
    csv_add_text(out, sweep_axis_at(axes, 0)->column);
    csv_end_row(out);
    for (guint i = 0; i < sweep_axis_at(axes, 0)->cells->len; i++) {
        csv_add_text(out, g_ptr_array_index(sweep_axis_at(axes, 0)->cells, i));
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}

/* ---- solving for a parameter --------------------------------------------- */

static char *find_least_value(const SolveTask *task, GError **error)
{
    g_autoptr(SolveResult) solve = solve_run(task, error);

    if (!solve)
        return NULL;
    if (solve->search->is_found)
        return solve_value_text(solve, solve->search->least);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "it holds nowhere from %s to %s", task->from, task->to);
    return NULL;
}

char *acesim_solve(const AcesimRun *run, const char *key, const char *from,
                   const char *to, const char *until, char **error)
{
    g_auto(GStrv) keys = split_names_at_commas(key);
    CallerWatch caller = { run->path, run->tell, run->self };
    GError *reason = NULL;
    g_autoptr(Condition) condition = condition_parse(until, &reason);
    const SolveTask task = { .path = run->path,
                             .sets = list_run_settings(run),
                             .keys = keys,
                             .from = from,
                             .to = to,
                             .tolerance_ppm = TOLERANCE_PPM,
                             .run_options = run->run_options,
                             .condition = condition,
                             .watch = make_run_watch(&caller) };
    char *value;

    g_assert(key && from && to);
    value = condition ? find_least_value(&task, &reason) : NULL;
    return value ? value : return_error_text(reason, error);
}
