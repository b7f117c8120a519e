/* acesim.c - acesim as a library */
#include "sim/study/library/acesim.h"

#include <string.h>

#include "models/run/run.h"
#include "sim/core/csv.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/solve/solve.h"
#include "sim/study/tune_endpoint.h"

#define TOLERANCE_PPM 1000

G_STATIC_ASSERT((int)ACESIM_FOLD_AUTO == (int)FOLD_AUTO);
G_STATIC_ASSERT((int)ACESIM_FOLD_OFF == (int)FOLD_OFF);
G_STATIC_ASSERT((int)ACESIM_FOLD_REQUIRE == (int)FOLD_REQUIRE);

struct AcesimRun {
    char *path;      /* owned */
    GPtrArray *sets; /* owned: "KEY=VALUE", ends with NULL */
    FoldMode fold;
    AcesimTell tell; /* may be NULL */
    void *self;      /* borrowed */
};

struct AcesimResult {
    ConfigDoc *doc;      /* owned: owns the contents of .config */
    SystemConfig config; /* as it was read */
    TuneResult *tuned;   /* owned; NULL: no value was `auto` */
    System *system;      /* owned; NULL: it is that of .tuned */
    CsvTable *row;       /* owned: the table "runs" */
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
    run->fold = (FoldMode)fold;
}

void acesim_set_tell(AcesimRun *run, AcesimTell tell, void *self)
{
    run->tell = tell;
    run->self = self;
}

/* ---- simulating a run ---------------------------------------------------- */

/* Passes the progress of a run to the callback of the library's user (a
 * SystemProgressFn). */
static gboolean report_run_progress(gpointer self, const System *system,
                                    uint64_t n_events, GError **error)
{
    const AcesimRun *run = self;

    (void)n_events;
    if (run->tell(run->self, system_n_iterations_done(system),
                  system_n_iterations(system)) == 0)
        return TRUE;
    g_set_error(error, g_quark_from_static_string("acesim-library"), 0,
                "%s: ended by the caller's callback", run->path);
    return FALSE;
}

static gboolean simulate_run(const AcesimRun *run, AcesimResult *result,
                             GError **error)
{
    result->doc =
        load_run(run->path, list_run_settings(run), &result->config, error);
    if (!result->doc)
        return FALSE;
    if (endpoint_tuning_is_needed(&result->config)) {
        result->tuned =
            tune_endpoint(&result->config, run->fold, (SystemSize){ 0 }, error);
        return result->tuned != NULL;
    }
    result->system = system_new(&result->config, run->fold, error);
    return result->system &&
           system_run_with_progress(result->system,
                                    run->tell ? report_run_progress : NULL,
                                    (gpointer)run, error);
}

static void append_result_table(const AcesimResult *result, RowsFile file,
                                GString *out)
{
    const TuneResult *tuned = result->tuned;

    rows_append(out, file, NULL, tuned ? tuned->config : &result->config,
                tuned ? tuned->system : result->system, NULL);
}

AcesimResult *acesim_simulate(const AcesimRun *run, char **error)
{
    AcesimResult *result = g_new0(AcesimResult, 1);
    g_autoptr(GString) text = g_string_new(NULL);
    GError *reason = NULL;

    g_assert(run);
    if (!simulate_run(run, result, &reason)) {
        acesim_result_free(result);
        return return_error_text(reason, error);
    }
    append_result_table(result, ROWS_RUNS, text);
    result->row = csv_table_parse("runs", text->str, text->len, NULL);
    g_assert(result->row && csv_table_n_rows(result->row) == 1);
    return result;
}

void acesim_result_free(AcesimResult *result)
{
    if (!result)
        return;
    g_clear_pointer(&result->row, csv_table_free);
    system_free(result->system);
    tune_free(result->tuned);
    config_doc_free(result->doc);
    g_free(result);
}

/* ---- reading the results of a run ---------------------------------------- */

/* Returns whether the library has the table.  Utilisation over time needs a
 * listener, which the library does not attach. */
static gboolean has_result_table(RowsFile file)
{
    return file != ROWS_UTILISATION;
}

char *acesim_rows(const AcesimResult *result, const char *table, char **error)
{
    g_assert(result && table);
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        GString *text;

        if (!has_result_table(file) ||
            !g_str_equal(table, rows_file_names[file]))
            continue;
        text = g_string_new(NULL);
        append_result_table(result, file, text);
        return g_string_free(text, FALSE);
    }
    return return_error_text(
        g_error_new(CSV_ERROR, CSV_ERROR_FILE,
                    "there is no table '%s', but runs, layers, links "
                    "and jobs",
                    table),
        error);
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
    g_auto(GStrv) keys = g_strsplit(key, ",", -1);
    GError *reason = NULL;
    g_autoptr(Condition) condition = condition_parse(until, &reason);
    const SolveTask task = { .path = run->path,
                             .sets = list_run_settings(run),
                             .keys = keys,
                             .from = from,
                             .to = to,
                             .tolerance_ppm = TOLERANCE_PPM,
                             .fold = run->fold,
                             .condition = condition };
    char *value;

    g_assert(from && to);
    for (guint i = 0; keys[i]; i++)
        g_strstrip(keys[i]);
    value = condition ? find_least_value(&task, &reason) : NULL;
    return value ? value : return_error_text(reason, error);
}
