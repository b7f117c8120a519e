/*
 * cmd_optimise.c - acesim optimise: searches for changes that make a run faster
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/optimise/trial_runner.h"
#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/core/aligned_table.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/output.h"
#include "sim/view/text/optimise_text.h"
#include "sim/view/text/plans_text.h"

#define EVALUATIONS 500
/* With so many runs, running all plans finds none that is faster by 1 % in the
 * small systems of tests/test_plans.sh.  It takes minutes for 1,024 NPUs. */
#define PLAN_EVALUATIONS 40
#define MOST             1000000
#define MAX_JOBS         1000

typedef struct {
    char **sets; /* owned; all below may be NULL */
    char *file, *csv, *resume, *moves, *memory, *fold, *keep;
    gboolean json, all;
    gint64 seed;
    int n_evaluations, n_jobs, point;
} OptimiseOptions;

static void clear_optimise_options(OptimiseOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->file);
    g_free(options->csv);
    g_free(options->resume);
    g_free(options->moves);
    g_free(options->memory);
    g_free(options->fold);
    g_free(options->keep);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OptimiseOptions, clear_optimise_options)

/* ---- printing and writing the results ------------------------------------ */

static gboolean write_best_run_file(const OptimiseResult *result,
                                    const char *file, const char *path,
                                    GError **error)
{
    g_autofree char *folder =
        output_is_stdout_name(file) ? g_strdup(".") : g_path_get_dirname(file);
    g_autofree char *head = optimise_file_head_text(result, path);
    g_autoptr(GString) text =
        optimise_result_run_file(result, folder, head, error);

    return text && output_write_user_path(file, text, error) &&
           (output_is_stdout_name(file) ||
            trial_runner_check_time_of_file(file,
                                            result->task->maker.run_options,
                                            result->best->time_ps, error));
}

static gboolean is_stdout_name(const char *file)
{
    return file && output_is_stdout_name(file);
}

static gboolean print_optimise_result(const OptimiseResult *result,
                                      const OptimiseOptions *options,
                                      const char *path, GError **error)
{
    g_autoptr(GString) rows =
        options->csv ? optimise_result_to_csv(result) : NULL;

    if (!is_stdout_name(options->csv) && !is_stdout_name(options->file)) {
        g_autofree char *text = optimise_text(result, table_terminal_width());

        fputs(text, stdout);
        fflush(stdout);
    }
    if ((options->csv && !output_write_user_path(options->csv, rows, error)) ||
        (options->file &&
         !write_best_run_file(result, options->file, path, error)))
        return FALSE;
    if (options->file && !output_is_stdout_name(options->file))
        fprintf(stderr, "wrote %s\n", options->file);
    return TRUE;
}

static int run_search_and_print(const OptimiseTask *task,
                                const OptimiseOptions *options,
                                const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(OptimiseResult) result = optimise_run(task, &error);

    trial_runner_clear_line(task->maker.self);
    if (!result)
        return cli_report_error_or_signal(error);
    if (!print_optimise_result(result, options, path, &error))
        return cli_report_error(error);
    if (result->interrupted)
        return cli_report_error_or_signal(result->interrupted);
    return optimise_result_check_complete(result, &error)
               ? CLI_OK
               : cli_report_error(error);
}

/* ---- plans of a language model ------------------------------------------- */

static gboolean write_best_plan_file(const PlanSearch *search, const char *file,
                                     const char *path, GError **error)
{
    const RatedPlan *best = g_ptr_array_index(search->best, 0);
    g_autofree char *folder =
        output_is_stdout_name(file) ? g_strdup(".") : g_path_get_dirname(file);
    g_autofree char *head = plans_file_head_text(search, path);
    g_autoptr(GString) text = candidate_run_file(
        &search->maker, best->trial->candidate, folder, head, error);

    if (!text || !output_write_user_path(file, text, error))
        return FALSE;
    if (output_is_stdout_name(file))
        return TRUE;
    fprintf(stderr, "wrote %s\n", file);
    return trial_runner_check_time_of_file(file, search->maker.run_options,
                                           best->trial->time_ps, error);
}

static gboolean output_plan_search(const PlanSearch *search,
                                   const OptimiseOptions *options,
                                   const char *path, GError **error)
{
    g_autoptr(GString) rows = options->csv ? plan_search_to_csv(search) : NULL;

    if (options->json) {
        g_autoptr(GString) text = plans_json(search);

        fputs(text->str, stdout);
    } else if (!is_stdout_name(options->csv) &&
               !is_stdout_name(options->file)) {
        g_autofree char *text = plans_text(search, table_terminal_width());

        fputs(text, stdout);
    }
    fflush(stdout);
    return (!options->csv ||
            output_write_user_path(options->csv, rows, error)) &&
           (!options->file ||
            write_best_plan_file(search, options->file, path, error));
}

static int search_plans_and_print(const OptimiseTask *task, guint kept,
                                  const OptimiseOptions *options,
                                  const char *path)
{
    const PlanTask plans = { .maker = task->maker,
                             .is_exhaustive = options->all,
                             .n_kept = kept,
                             .n_evaluations = options->all ? MOST
                                              : options->n_evaluations > 0
                                                  ? task->n_evaluations
                                                  : PLAN_EVALUATIONS };
    g_autoptr(GError) error = NULL;
    g_autoptr(PlanSearch) search = plan_search_run(&plans, &error);

    trial_runner_clear_line(task->maker.self);
    if (!search)
        return cli_report_error_or_signal(error);
    if (!output_plan_search(search, options, path, &error))
        return cli_report_error(error);
    return search->interrupted ? cli_report_error_or_signal(search->interrupted)
                               : CLI_OK;
}

/* Sets *@ret to the bits of the keys that --keep names. */
static gboolean parse_keys_to_keep(const CliCommand *command, const char *text,
                                   guint *ret, int *status)
{
    g_auto(GStrv) names = text ? options_split_names(text) : NULL;

    *ret = 0;
    for (guint i = 0; names && names[i]; i++) {
        guint key = 0;

        while (plan_key_names[key] &&
               !g_str_equal(plan_key_names[key], names[i]))
            key++;
        if (!plan_key_names[key]) {
            g_autofree char *quoted = words_quote_text(names[i]);
            g_autofree char *hint =
                words_suggestion_hint(names[i], plan_key_names, "keys");

            *status = cli_report_usage_error(
                command, "--keep: no key %s of a plan%s", quoted, hint);
            return FALSE;
        }
        *ret |= 1U << key;
    }
    return TRUE;
}

/* ---- checking the command line ------------------------------------------- */

/* Returns the moves that @text names, or all if it is NULL; ends with NULL.
 * Returns NULL and sets *@status if a name is unknown. */
static const SearchMove **find_moves_by_name(const CliCommand *command,
                                             const char *text, int *status)
{
    g_auto(GStrv) names = text ? options_split_names(text) : NULL;
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    g_autoptr(GPtrArray) ret = g_ptr_array_new();

    for (guint i = 0; moves[i]; i++)
        g_ptr_array_add(known, (gpointer)moves[i]->name);
    g_ptr_array_add(known, NULL);
    for (guint i = 0; names && names[i]; i++)
        if (!find_search_move(names[i])) {
            g_autofree char *quoted = words_quote_text(names[i]);
            g_autofree char *hint = words_suggestion_hint(
                names[i], (const char *const *)known->pdata, "moves");

            *status = cli_report_usage_error(command, "--moves: no move %s%s",
                                             quoted, hint);
            return NULL;
        }
    for (guint i = 0; moves[i]; i++)
        if (!names ||
            g_strv_contains((const char *const *)names, moves[i]->name))
            g_ptr_array_add(ret, (gpointer)moves[i]);
    g_ptr_array_add(ret, NULL);
    return (const SearchMove **)g_ptr_array_free(g_steal_pointer(&ret), FALSE);
}

static gboolean check_number_options(const CliCommand *command,
                                     OptimiseOptions *options, int *status)
{
    if (options->n_jobs == 0)
        options->n_jobs = (int)MIN(g_get_num_processors(), MAX_JOBS);
    if ((options->n_evaluations < 1 && options->n_evaluations != -1) ||
        options->n_evaluations > MOST)
        *status = cli_report_usage_error(
            command, "--evaluations: expected 1 to %d", MOST);
    else if (options->n_jobs < 1 || options->n_jobs > MAX_JOBS)
        *status = cli_report_usage_error(command, "--jobs: expected 1 to %d",
                                         MAX_JOBS);
    else if (options->seed < 0)
        *status = cli_report_usage_error(command, "--seed: expected 0 or more");
    else if (options->point < 0)
        *status =
            cli_report_usage_error(command, "--point: expected 1 or more");
    else if (is_stdout_name(options->csv) && is_stdout_name(options->file))
        *status = cli_report_usage_error(
            command, "rows and the run file both want standard output");
    else
        return TRUE;
    return FALSE;
}

static gboolean parse_optimise_command(const CliCommand *command, char **argv,
                                       OptimiseOptions *options,
                                       OptimiseTask *task, GStrv *ret_rest,
                                       int *status)
{
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->file,
          "Write the best as a run file; - is standard output", "FILE" },
        { "seed", 0, 0, G_OPTION_ARG_INT64, &options->seed,
          "Seed of the random choices; 1 by default", "N" },
        { "evaluations", 0, 0, G_OPTION_ARG_INT, &options->n_evaluations,
          "Largest number of runs; 500 by default, 40 of whole plans", "N" },
        { "moves", 0, 0, G_OPTION_ARG_FILENAME, &options->moves,
          "Make these changes only, of those listed below", "NAME,NAME" },
        { "memory", 0, 0, G_OPTION_ARG_FILENAME, &options->memory,
          "What a rank may need of its memory; not counted by default",
          "BYTES" },
        { "resume", 0, 0, G_OPTION_ARG_FILENAME, &options->resume,
          "Write each run to FILE, and run nothing again that it has", "FILE" },
        { "point", 0, 0, G_OPTION_ARG_INT, &options->point,
          "Number of the point of a sweep, from 1", "N" },
        { "keep", 0, 0, G_OPTION_ARG_FILENAME, &options->keep,
          "Keys of a language model's plan that stay as in CONFIG", "KEY,KEY" },
        { "all", 0, 0, G_OPTION_ARG_NONE, &options->all,
          "Run every plan of a language model that fits", NULL },
        { "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
          "Print the best plans of a language model as JSON", NULL },
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &options->n_jobs,
          "Runs at a time; one a processor by default", "N" },
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv,
          "Write a row for each run; - is standard output", "FILE" },
        OPTIONS_SET(&options->sets),
        OPTIONS_FOLD(&options->fold),
        OPTIONS_END,
    };

    if (!options_parse(command, entries, argv, ret_rest, status) ||
        !options_check_operand_count(command, *ret_rest, 1, 1, status) ||
        !options_check_sets(command, options->sets, status) ||
        !options_parse_fold(command, options->fold,
                            &task->maker.run_options.fold, status) ||
        !options_parse_quantity(command, "--memory", options->memory,
                                CONFIG_BYTES, &task->maker.memory_bytes,
                                status) ||
        !check_number_options(command, options, status))
        return FALSE;
    task->moves = find_moves_by_name(command, options->moves, status);
    task->seed = (uint64_t)options->seed;
    task->n_evaluations = options->n_evaluations > 0
                              ? (guint)options->n_evaluations
                              : EVALUATIONS;
    return task->moves != NULL;
}

/* Checks the outputs, including the journal, against the files that are
 * read. */
static gboolean check_optimise_outputs(const OptimiseOptions *options,
                                       const char *path, GError **error)
{
    const NamedOutput outputs[] = { { "-o", options->file },
                                    { "--csv", options->csv },
                                    { "--resume", options->resume },
                                    { NULL, NULL } };

    return input_files_check_run(outputs, path, options->sets,
                                 (guint)options->point, error);
}

static int run_optimise_command(const CliCommand *command, char **argv)
{
    g_auto(OptimiseOptions) o = { .seed = 1, .n_evaluations = -1 };
    g_auto(GStrv) rest = NULL;
    g_autoptr(TrialRunner) runs = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree const SearchMove **allowed = NULL;
    OptimiseTask task = { 0 };
    gboolean has_plans;
    guint kept;
    int status;

    if (!parse_optimise_command(command, argv, &o, &task, &rest, &status))
        return status;
    allowed = task.moves;
    if (!parse_keys_to_keep(command, o.keep, &kept, &status))
        return status;
    if (!check_optimise_outputs(&o, rest[0], &error))
        return cli_report_error(error);
    has_plans = o.moves == NULL;
    runs = trial_runner_new(rest[0], o.sets, (guint)o.point, &task.maker,
                            &has_plans, &error);
    if (!runs || !trial_runner_resume(runs, o.resume, &error))
        return cli_report_error(error);
    trial_runner_prepare(runs, (guint)o.n_jobs, isatty(STDERR_FILENO));
    if (has_plans)
        return search_plans_and_print(&task, kept, &o, rest[0]);
    if (o.keep || o.json || o.all)
        return cli_report_usage_error(
            command, "--keep, --all and --json are of a language model's "
                     "plans, which are searched without --moves");
    return run_search_and_print(&task, &o, rest[0]);
}

const CliCommand cmd_optimise = {
    .name = "optimise",
    .arguments = "CONFIG",
    .summary = "Search settings that make a run faster",
    .detail =
        "Of a language model, searches the fastest ways to divide it among "
        "the\nNPUs within their memory: tp, cp, pp, ep, dp, schedule, chunks, "
        "micro,\nshard, overlap, recompute, cp_exchange and pieces.  All plans get a lower "
        "bound and an\nestimate; the most promising are simulated, and the ten best "
        "printed.\n\nOf another run, or with --moves, starts from CONFIG as it is, a run or a point of a sweep, and "
        "tries\nby whole runs what of it may be changed:\n\n  sparse      "
        "gradients of embeddings as rows or dense\n  groups      which "
        "tensors go together in a message\n  fusion      buffer and cycle of "
        "fused tensors\n  partition   tensors cut into partitions, and the "
        "credit of these\n  servers     pieces that parameter servers get, "
        "and their credit\n  order       which collective goes first of those "
        "that could\n  algorithm   which algorithm an all-reduce takes, by "
        "its size\n  chunk       the size of the chunks of a collective\n  "
        "lanes       of a program: buffer, cycle, order of its collectives\n  "
        "operators   consecutive kernels of a program that become one\n  "
        "accumulate  micro-batches, whose gradients are sent as one\n  "
        "recompute   activations are computed twice instead of kept\n\nSays "
        "what the best is, what each change is worth alone and what the\nbest "
        "is without it.  Never ends with less than it began with; a seed\nhas "
        "one answer.  ^C ends it with what was found until "
        "then.\n\nExample:\n  acesim optimise "
        "configs/papers/horovod-mpi/vgg-16-grpc.yaml -o best.yaml\n  acesim optimise "
        "configs/runs/llama-70b-64.yaml --keep pieces\n  acesim optimise "
        "configs/papers/frameworks/ddl-resnet50.yaml --point 1 \\\n      --moves "
        "groups,fusion --resume search.journal",
    .run = run_optimise_command,
};
