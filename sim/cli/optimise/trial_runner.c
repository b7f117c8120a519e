/*
 * trial_runner.c - makes and remembers the runs of acesim optimise; see
 * trial_runner.h
 */
#include "sim/cli/optimise/trial_runner.h"

#include <stdio.h>
#include <string.h>

#include "sim/config/config.h"
#include "sim/core/file_read.h"
#include "sim/host/process_pool.h"
#include "sim/host/progress.h"
#include "sim/study/load_run_file.h"
#include "sim/study/optimise/candidate_run.h"
#include "sim/study/optimise/plan_search.h"
#include "sim/study/tune_endpoint.h"
#include "sim/sweep/journal.h"
#include "sim/sweep/journal/journal_damage.h"
#include "sim/sweep/sweep_id.h"
#include "sim/sweep/sweep_plan.h"

#define JOURNAL_BEGIN "acesim journal"
#define MS_PER_PS     1e-9

struct TrialRunner {
    const char *path;   /* borrowed */
    ConfigDoc *library; /* owned: each file is read once */
    SweepPlan *plan;    /* owned; NULL for a run file */
    guint point;
    char **sets;      /* owned: of all runs */
    char *id;         /* owned */
    Journal *journal; /* owned; NULL: runs are not remembered */
    GError *error;    /* owned: the first failure of .journal */
    guint n_jobs;
    gboolean is_terminal;
};

/* ---- the callbacks that a search of trials calls ------------------------- */

static ConfigDoc *load_trial_document(gpointer self, GError **error)
{
    const TrialRunner *runner = self;

    return runner->plan
               ? sweep_plan_point_document(runner->plan, runner->point, error)
               : config_doc_load_from(runner->library, runner->path, error);
}

static gboolean run_trials(gpointer self, const RunMany *many, GError **error)
{
    const TrialRunner *runner = self;
    const ProcessPool pool = { .n_points = many->n,
                               .n_jobs = runner->n_jobs,
                               .number = many->number,
                               .work = many->work,
                               .point_ended = many->piece_ended,
                               .find_more_points = many->find_more_pieces,
                               .self = many->self };
    int number = pool_run(&pool);

    if (number == 0)
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INTR,
                "interrupted by signal %d (%s)", number, strsignal(number));
    return FALSE;
}

static const char *recall_candidate_result(gpointer self, const char *id)
{
    TrialRunner *runner = self;
    gsize n_bytes;

    return runner->journal ? journal_find_record(runner->journal, id, &n_bytes)
                           : NULL;
}

static void store_candidate_result(gpointer self, const char *id,
                                   const char *text)
{
    TrialRunner *runner = self;

    if (!runner->journal || runner->error)
        return;
    if (journal_add_record(runner->journal, id, text, strlen(text),
                           &runner->error) &&
        journal_sync_to_disk(runner->journal, FALSE, &runner->error))
        return;
    fprintf(stderr, "%s; later results are not kept\n", runner->error->message);
}

static void show_trial_progress(gpointer self, guint n_done, guint n_most,
                                SimTime least_ps)
{
    const TrialRunner *runner = self;

    if (!runner->is_terminal)
        return;
    fprintf(stderr, PROGRESS_CLEAR_LINE "%u of %u runs, best %.3f ms", n_done,
            n_most, (double)least_ps * MS_PER_PS);
    fflush(stderr);
}

void trial_runner_clear_line(gpointer self)
{
    const TrialRunner *runner = self;

    if (runner->is_terminal)
        fputs(PROGRESS_CLEAR_LINE, stderr);
}

/* ---- opening the run file or the point of a sweep ------------------------ */

/* A sweep applies --set itself, before its axes. */
static gboolean select_sweep_point(TrialRunner *runner, ConfigDoc *doc,
                                   char *const *sets, guint point,
                                   GError **error)
{
    runner->plan = sweep_plan_new(doc, sets, error);
    if (!runner->plan)
        return FALSE;
    if (point > 0 && point <= sweep_plan_count_points(runner->plan)) {
        runner->point = point - 1;
        return TRUE;
    }
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "%s: a sweep of %u points; --point 1 to %u takes one",
                runner->path, sweep_plan_count_points(runner->plan),
                sweep_plan_count_points(runner->plan));
    return FALSE;
}

static gboolean open_run_or_sweep(TrialRunner *runner, char *const *sets,
                                  guint point, GError **error)
{
    ConfigDoc *doc;

    if (g_str_equal(runner->path, "-")) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                    "standard input cannot be read for each of many runs");
        return FALSE;
    }
    doc = load_run_or_sweep_file(runner->path, error);
    if (!doc)
        return FALSE;
    if (config_describes_sweep(doc) && !config_describes_run(doc))
        /* select_sweep_point() takes ownership of @doc. */
        return select_sweep_point(runner, doc, sets, point, error);
    config_doc_free(doc);
    runner->library = config_library_new();
    runner->sets = g_strdupv((char **)sets);
    if (point == 0)
        return TRUE;
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                "%s: --point is of a sweep, and this is a run", runner->path);
    return FALSE;
}

/* Replaces `auto` values of the endpoint by those that are best for the
 * default.  Choosing them for every run would be a search within a search. */
static gboolean replace_auto_values(TrialRunner *runner,
                                    const TrialMaker *maker,
                                    const SystemConfig *config, GError **error)
{
    g_autoptr(TuneResult) tuned = NULL;
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    char **chosen;

    if (!endpoint_tuning_is_needed(config))
        return TRUE;
    tuned = tune_endpoint(config, maker->run_options, error);
    if (!tuned)
        return FALSE;
    chosen = list_tuned_endpoint_settings(tuned);
    for (guint i = 0; runner->sets && runner->sets[i]; i++)
        g_ptr_array_add(all, runner->sets[i]);
    for (guint i = 0; chosen[i]; i++)
        g_ptr_array_add(all, chosen[i]);
    g_ptr_array_add(all, NULL);
    g_free(runner->sets);
    g_free(chosen); /* the texts now belong to the new array */
    runner->sets = (char **)g_ptr_array_free(g_steal_pointer(&all), FALSE);
    return TRUE;
}

TrialRunner *trial_runner_new(const char *path, char *const *sets, guint point,
                              TrialMaker *maker, gboolean *plans,
                              GError **error)
{
    static const gboolean wanted[ROWS_N_FILES] = { FALSE };
    g_autoptr(TrialRunner) r = g_new0(TrialRunner, 1);
    g_autoptr(Candidate) plain = candidate_new();
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = NULL;

    r->path = path;
    if (!open_run_or_sweep(r, sets, point, error))
        return NULL;
    maker->open = load_trial_document;
    maker->run_many = run_trials;
    maker->recall = recall_candidate_result;
    maker->keep = store_candidate_result;
    maker->on_trial = show_trial_progress;
    maker->self = r;
    maker->sets = r->sets;
    doc = load_trial_config(maker, plain, &config, error);
    if (!doc)
        return NULL;
    *plans = *plans && plan_search_supports_workload(&config);
    if (!*plans && !replace_auto_values(r, maker, &config, error))
        return NULL;
    maker->sets = r->sets;
    config_doc_free(doc);
    doc = load_trial_config(maker, plain, &config, error);
    if (!doc)
        return NULL;
    r->id = sweep_id("optimise", wanted, maker->run_options.fold, &config);
    maker->id = r->id;
    return g_steal_pointer(&r);
}

void trial_runner_free(TrialRunner *runner)
{
    if (!runner)
        return;
    sweep_plan_free(runner->plan);
    config_doc_free(runner->library);
    g_strfreev(runner->sets);
    g_free(runner->id);
    journal_close(runner->journal);
    g_clear_error(&runner->error);
    g_free(runner);
}

void trial_runner_prepare(TrialRunner *runner, guint n_jobs,
                          gboolean is_terminal)
{
    runner->n_jobs = n_jobs;
    runner->is_terminal = is_terminal;
}

/* ---- remembering runs, and checking the result file ---------------------- */

/* Refuses a file that is not a journal, because it would be overwritten. */
static gboolean check_is_journal(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    gsize n_bytes = 0;

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    if (!g_file_get_contents(path, &text, &n_bytes, error))
        return FALSE;
    if (n_bytes == 0 || g_str_has_prefix(text, JOURNAL_BEGIN))
        return TRUE;
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                "--resume: %s is there, and no journal of a search", path);
    return FALSE;
}

static void report_journal_damage(const Journal *journal, const char *path)
{
    g_autofree char *text = journal_damage_text(path, journal_damage(journal));

    if (text)
        fprintf(stderr, "%s\n", text);
}

gboolean trial_runner_resume(TrialRunner *runner, const char *path,
                             GError **error)
{
    if (!path)
        return TRUE;
    if (!check_is_journal(path, error))
        return FALSE;
    runner->journal = journal_open(path, FALSE, error);
    if (runner->journal)
        report_journal_damage(runner->journal, path);
    return runner->journal && journal_begin_keeping_all(runner->journal, error);
}

gboolean trial_runner_check_time_of_file(const char *path,
                                         RunOptions run_options,
                                         SimTime time_ps, GError **error)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, NULL, &config, error);
    g_autoptr(System) system =
        doc ? system_new(&config, run_options, error) : NULL;
    SimTime there_ps;

    if (!system || !system_run(system, error))
        return FALSE;
    there_ps = system_result(system).iteration_ps;
    if (there_ps == time_ps)
        return TRUE;
    g_set_error(error, SYSTEM_ERROR, SYSTEM_ERROR_WRONG_DATA,
                "%s: takes %.6f ms, and what was found %.6f ms: a bug", path,
                (double)there_ps * MS_PER_PS, (double)time_ps * MS_PER_PS);
    return FALSE;
}
