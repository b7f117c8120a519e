/*
 * cmd_run.c - acesim run: runs one configuration and prints its summary and
 * rows
 */
#include <stdio.h>

#include "models/observe/verify_collectives.h"
#include "models/run/regions/thread_count.h"
#include "sim/cli/answers/run_answers.h"
#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/host/interrupt.h"
#include "sim/host/output.h"
#include "sim/study/load_run_file.h"
#include "sim/study/rows/memory_rows.h"
#include "sim/study/rows/run_rows.h"
#include "sim/study/tune_endpoint.h"
#include "sim/view/json_rows.h"
#include "sim/view/text/collective_recipes_text.h"
#include "sim/view/text/explain/explain_text.h"
#include "sim/view/text/jobs_text.h"
#include "sim/view/text/run_summary_text.h"

static void clear_run_options(RunCommandOptions *options)
{
    g_strfreev(options->sets);
    for (guint i = 0; i < ROWS_N_FILES; i++)
        g_free(options->files[i]);
    g_free(options->fold_text);
    g_free(options->skip);
    g_free(options->threads);
    g_free(options->fidelity);
    explain_options_clear(&options->explain);
    g_free(options->alone_csv);
    g_free(options->memory_csv);
    timeline_options_clear(&options->timeline);
    critical_path_options_clear(&options->ranks);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunCommandOptions, clear_run_options)

static gboolean write_result_rows(const RunCommandOptions *options,
                                  const SystemConfig *config,
                                  const System *system,
                                  const Utilisation *utilisation,
                                  gboolean *to_stdout, GError **error)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autoptr(GString) text = NULL;

        if (!options->files[file])
            continue;
        text = g_string_new(NULL);
        rows_append(text, file, NULL, config, system, utilisation);
        *to_stdout |= output_is_stdout_name(options->files[file]);
        if (!output_write_user_path(options->files[file], text, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean write_memory_rows(const RunCommandOptions *options,
                                  const System *system, gboolean *to_stdout,
                                  GError **error)
{
    g_autoptr(GString) text = NULL;

    if (!options->memory_csv)
        return TRUE;
    text = g_string_new(NULL);
    *to_stdout |= output_is_stdout_name(options->memory_csv);
    return memory_append_csv(text, system, error) &&
           output_write_user_path(options->memory_csv, text, error);
}

static void add_config_override(RunCommandOptions *options, const char *set)
{
    guint n = options->sets ? g_strv_length(options->sets) : 0;

    options->sets = g_renew(char *, options->sets, n + 2);
    options->sets[n] = g_strdup(set);
    options->sets[n + 1] = NULL;
}

/* Replaces --fidelity=X by --set collectives.fidelity=X. */
static void add_fidelity_override(RunCommandOptions *options)
{
    g_autofree char *set = NULL;

    if (!options->fidelity)
        return;
    set = g_strdup_printf("collectives.fidelity=%s", options->fidelity);
    add_config_override(options, set);
}

static void append_verify_note(char **note, const Verify *verify)
{
    char *all =
        g_strdup_printf("%sverified: all %" G_GUINT64_FORMAT
                        " chunks ended with the right data on every "
                        "NPU\n",
                        *note ? *note : "", verify_n_finished_chunks(verify));

    g_free(*note);
    *note = all;
}

static gboolean simulate_system(System *system, const SystemConfig *config,
                                RunCommandOptions *options, char **note,
                                gboolean *to_stdout, GError **error)
{
    g_autoptr(Utilisation) utilisation = NULL;
    g_autoptr(Verify) verify = NULL;

    if (options->verify && !(verify = verify_listen_to_system(system, error)))
        return FALSE;
    if (options->files[ROWS_UTILISATION])
        utilisation = utilisation_new(system, 0);
    if (!run_with_timeline(system, &options->timeline, note, to_stdout, error))
        return FALSE;
    if (verify)
        append_verify_note(note, verify);
    if (utilisation)
        utilisation_finish(utilisation);
    return write_result_rows(options, config, system, utilisation, to_stdout,
                             error) &&
           write_memory_rows(options, system, to_stdout, error);
}

/* Prints the answers to --explain and --critical-path. */
static void print_answers_of_run(const RunAnswers *answers, gboolean explain,
                                 gboolean ranks)
{
    const Explanation *explanation = answers->explained.ended;
    g_autofree char *reason =
        explain && explanation ? explain_text(explanation) : NULL;

    if (reason)
        printf("%s\n", reason);
    if (ranks && answers->ranks)
        printf("%s\n", answers->ranks);
}

static void print_run_summary(const SystemConfig *config, const System *system,
                              const RunAnswers *answers, double wall_s)
{
    g_autofree char *jobs = jobs_text(system, answers->alone);
    g_autofree char *summary = summary_of_run_text(config, system, wall_s);
    g_autofree char *stack = collective_recipes_text(config, system);

    print_answers_of_run(answers, TRUE, TRUE);
    fputs(summary, stdout);
    fputs(stack, stdout);
    fputs(jobs, stdout);
    fputs(answers->note ? answers->note : "", stdout);
}

static void print_run_results(const char *path,
                              const RunCommandOptions *options,
                              const SystemConfig *config, const System *system,
                              const RunAnswers *answers, double wall_s)
{
    const GPtrArray *notes = config->rounded;

    for (guint i = 0; !options->quiet && i < notes->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(notes, i));
    if (options->json) {
        g_autoptr(GString) json =
            json_run_text(path, config, system, answers->explained.ended);

        fputs(json->str, stdout);
    } else if (!options->quiet) {
        print_run_summary(config, system, answers, wall_s);
    } else {
        print_answers_of_run(answers, options->explain.wanted,
                             options->ranks.wanted);
    }
}

/* Chooses the values that are `auto` and adds them as --set texts, so that
 * further runs use the same values. */
static gboolean choose_auto_values(RunCommandOptions *options,
                                   const SystemConfig *config,
                                   TuneResult **tuned, GError **error)
{
    g_auto(GStrv) sets = NULL;

    if (!endpoint_tuning_is_needed(config))
        return TRUE;
    *tuned = tune_endpoint(config, run_options_of_command(options), error);
    if (!*tuned)
        return FALSE;
    sets = list_tuned_endpoint_settings(*tuned);
    for (char **set = sets; *set; set++)
        add_config_override(options, *set);
    return TRUE;
}

static RunOutputs list_run_outputs(const RunCommandOptions *options)
{
    RunOutputs ret = { { { "--explain-csv", options->explain.csv },
                         { "--what-if-csv", options->explain.what_if_csv },
                         { "--timeline", options->timeline.file },
                         { "--alone-csv", options->alone_csv },
                         { "--memory", options->memory_csv },
                         { "--critical-path-csv", options->ranks.csv } } };

    run_outputs_add_rows(&ret, options->files);
    return ret;
}

/* Returns whether the run needs one thread, because something listens to it or
 * uses more of the system than its result. */
static gboolean needs_one_thread(const RunCommandOptions *options)
{
    return options->verify || options->files[ROWS_UTILISATION] ||
           options->timeline.file ||
           explanation_is_requested(&options->explain) ||
           critical_path_is_requested(&options->ranks) || options->alone ||
           options->run_options.skip == SKIP_CHECK;
}

/* One simulation of the run file: its configuration, its system and the answers
 * that the user requested. */
typedef struct {
    const SystemConfig *config; /* borrowed */
    System *system;             /* owned */
    RunAnswers answers;
    gboolean to_stdout;
} SimulatedRun;

static void clear_run_command(SimulatedRun *run)
{
    /* The answers are freed before the system, because some of them listen to
     * it. */
    run_answers_clear(&run->answers);
    g_clear_pointer(&run->system, system_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SimulatedRun, clear_run_command)

static gboolean simulate_run_file(const char *path, RunCommandOptions *options,
                                  uint32_t n_threads, SimulatedRun *run,
                                  GError **error)
{
    RunOptions run_options = options->run_options;

    run_options.n_threads = n_threads;
    run->system = system_new(run->config, run_options, error);
    if (!run->system)
        return FALSE;
    run_answers_start_listening(&run->answers, path, options, run->system);
    return critical_path_start_listening(&options->ranks, run->system,
                                         &run->answers.followed, error) &&
           simulate_system(run->system, run->config, options,
                           &run->answers.note, &run->to_stdout, error);
}

/* Runs with several threads if allowed.  If the run turns out to need one
 * thread, runs again with one. */
static gboolean simulate_with_threads(const char *path,
                                      RunCommandOptions *options,
                                      SimulatedRun *run, GError **error)
{
    uint32_t n_threads =
        needs_one_thread(options) ? 1 : options->run_options.n_threads;
    GError *reason = NULL;

    if (simulate_run_file(path, options, n_threads, run, &reason))
        return TRUE;
    if (!run->system || !system_needs_one_thread(run->system)) {
        g_propagate_error(error, reason);
        return FALSE;
    }
    g_error_free(reason);
    clear_run_command(run);
    return simulate_run_file(path, options, 1, run, error);
}

static gboolean simulate_run_and_report(const char *path,
                                        RunCommandOptions *options,
                                        GError **error)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, options->sets, &config, error);
    g_autoptr(TuneResult) tuned = NULL;
    g_auto(SimulatedRun) run = { .config = &config };
    gint64 start_us = g_get_monotonic_time();
    gboolean ok;
    double wall_s;

    if (!doc || !input_files_check_doc(options->outputs.outputs, doc, error))
        return FALSE;
    ok = choose_auto_values(options, &config, &tuned, error);
    if (ok) {
        config = tuned ? *tuned->config : config;
        ok = simulate_with_threads(path, options, &run, error);
    }
    if (!run.system)
        load_name_faulty_sets(path, options->sets,
                              run_options_of_command(options), error);
    if (!ok)
        return FALSE;
    wall_s = (double)(g_get_monotonic_time() - start_us) / 1e6;
    if (!run_answers_compute(&run.answers, path, options, run.system,
                             &run.to_stdout, error))
        return FALSE;
    if (!run.to_stdout)
        print_run_results(path, options, &config, run.system, &run.answers,
                          wall_s);
    return run_answers_are_complete(&run.answers, error);
}

/* Chooses FOLD_OFF, because only NPUs that are simulated individually can carry
 * data. */
static gboolean apply_verify_option(const CliCommand *command,
                                    RunCommandOptions *options, int *status)
{
    if (!options->verify)
        return TRUE;
    if (options->run_options.fold == FOLD_REQUIRE)
        *status = cli_report_usage_error(
            command, "--verify needs every NPU: it cannot go "
                     "with --fold=require");
    else
        options->run_options.fold = FOLD_OFF;
    return options->run_options.fold == FOLD_OFF;
}

/* Evaluates the options together.  Returns FALSE if the command ends with
 * *@status. */
static gboolean evaluate_run_options(const CliCommand *command,
                                     RunCommandOptions *options, int *status)
{
    if (!options_check_sets(command, options->sets, status) ||
        !options_parse_fold(command, options->fold_text,
                            &options->run_options.fold, status) ||
        !options_parse_skip(command, options->skip, &options->run_options.skip,
                            status) ||
        !options_parse_threads(command, options->threads,
                               &options->run_options.n_threads, status) ||
        !timeline_options_evaluate(command, &options->timeline, status) ||
        !apply_verify_option(command, options, status))
        return FALSE;
    options->outputs = list_run_outputs(options);
    if (options->json && run_outputs_use_stdout(&options->outputs)) {
        *status = cli_report_usage_error(
            command, "--json and rows both want standard output");
        return FALSE;
    }
    add_fidelity_override(options);
    options->alone |= options->alone_csv != NULL;
    return TRUE;
}

static int run_run_command(const CliCommand *command, char **argv)
{
    g_auto(RunCommandOptions) o = { .timeline.max_slices = TIMELINE_NOT_GIVEN };
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        OPTIONS_SET(&o.sets),
        OPTIONS_ROWS(o.files),
        { "json", 0, 0, G_OPTION_ARG_NONE, &o.json,
          "Print the run as JSON, with the names of the CSV", NULL },
        OPTIONS_FOLD(&o.fold_text),
        OPTIONS_SKIP(&o.skip),
        OPTIONS_THREADS(&o.threads),
        { "fidelity", 0, 0, G_OPTION_ARG_STRING, &o.fidelity,
          "message: trains of packets; packet: each of them, slow",
          "message|packet" },
        OPTIONS_EXPLAIN(o.explain),
        OPTIONS_RANKS(o.ranks),
        { "alone", 0, 0, G_OPTION_ARG_NONE, &o.alone,
          "Also simulate each job alone, and print its slowdown", NULL },
        { "alone-csv", 0, 0, G_OPTION_ARG_FILENAME, &o.alone_csv,
          "Write a row for each job, together and alone", "FILE" },
        { "memory", 0, 0, G_OPTION_ARG_FILENAME, &o.memory_csv,
          "Write the memory of the ranks of each stage, a row for each unit of "
          "its schedule",
          "FILE" },
        OPTIONS_TIMELINE(o.timeline),
        { "verify", 0, 0, G_OPTION_ARG_NONE, &o.verify,
          "Simulate the data too, and check what each NPU ends with", NULL },
        OPTIONS_QUIET(&o.quiet,
                      "Print no summary, only the answers of other options"),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !evaluate_run_options(command, &o, &status))
        return status;
    return run_outputs_check(&o.outputs, rest[0],
                             o.timeline.recorded_trace.names, &error) &&
                   simulate_run_and_report(rest[0], &o, &error)
               ? CLI_OK
               : cli_report_error_or_signal(error);
}

const CliCommand cmd_run = {
    .name = "run",
    .arguments = "CONFIG",
    .summary = "Simulate one configuration; --explain says what limits it",
    .detail =
        "CONFIG - is standard input; files that it names are looked for here.\n"
        "Values are per NPU and iteration.  A KEY is the path to a value; list\n"
        "items go by number (platform.topology.dims.0.size=8).\n\n"
        "Example:\n"
        "  acesim run configs/runs/isca21.yaml --set endpoint.sram='1 MiB'\n"
        "  acesim run configs/runs/isca21.yaml --csv - --set training.compute=roofline\n"
        "  acesim run configs/runs/isca21.yaml --explain\n"
        "  acesim run configs/runs/straggler.yaml --critical-path\n"
        "  acesim run configs/runs/isca21.yaml --timeline trace.pftrace.gz",
    .run = run_run_command,
};
