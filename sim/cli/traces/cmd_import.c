/* cmd_import.c - acesim import: makes a program from recorded traces */
#include <stdio.h>
#include <string.h>

#include "sim/cli/options.h"
#include "sim/cli/traces/trace_files.h"
#include "sim/config/config_error.h"
#include "sim/host/distinct_output_files.h"
#include "sim/host/output.h"
#include "workloads/recording/file_format_counts.h"
#include "workloads/recording/lint.h"
#include "workloads/recording/size_merge.h"
#include "workloads/recording/trace_to_program/program_writer.h"
#include "workloads/recording/trace_to_program/run_file.h"

typedef struct {
    char **patterns;
    char *format, *output, *gaps, *clocks, *report, *run_file, *name;
    int iteration, n_ranks;
} ImportOptions;

static void clear_import_options(ImportOptions *options)
{
    g_strfreev(options->patterns);
    g_free(options->format);
    g_free(options->output);
    g_free(options->gaps);
    g_free(options->clocks);
    g_free(options->report);
    g_free(options->run_file);
    g_free(options->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImportOptions, clear_import_options)

/* The steps from the files to the program. */
typedef struct {
    Recording *recording;
    RecordMergeReport merged;
    gboolean is_aligned;
    Align *align;
    RecordWindow *window;
    RecordMatch *match;
    Replay *take;
    ImportedProgram *script;
    GString *program;
} TraceImport;

static void clear_import_state(TraceImport *import)
{
    if (import->program)
        g_string_free(import->program, TRUE);
    imported_program_free(import->script);
    replay_free(import->take);
    record_match_free(import->match);
    record_window_free(import->window);
    align_free(import->align);
    recording_free(import->recording);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TraceImport, clear_import_state)

/* The number of places shown per kind of error; lint-trace can show all. */
#define MOST_PLACES 3

/* ---- making a program from the traces ------------------------------------ */

/* Prints the errors of the traces, because of which the program would differ
 * from the recorded run. */
static void print_recording_errors(const Recording *recording)
{
    g_autoptr(LintReport) report = lint_recording(recording, MOST_PLACES);
    g_autofree char *errors = lint_errors_text(report);

    fputs(errors, stderr);
}

static void count_merged_sizes(TraceImport *import)
{
    uint64_t *n = import->take->report.n;

    n[REPORT_SIZES_BY_ID] = import->merged.n_by_id;
    n[REPORT_SIZES_BY_ORDER] = import->merged.n_by_order;
    n[REPORT_SIZES_LEFT] = import->merged.n_unmatched + import->merged.n_left;
}

/* Returns whether the program has operations and `acesim run` can read it. */
static gboolean check_program_is_usable(const TraceImport *import,
                                        GError **error)
{
    if (import->take->report.n[REPORT_OPS] == 0)
        trace_files_set_empty_error(import->recording, error);
    else if (import->program->len > CONFIG_MAX_FILE_BYTES)
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                    "an iteration of %" G_GUINT64_FORMAT
                    " operations is a program of more than the %d MiB that "
                    "are read: record steps, of which one is taken",
                    import->take->report.n[REPORT_OPS],
                    CONFIG_MAX_FILE_BYTES >> 20);
    else
        return TRUE;
    return FALSE;
}

static gboolean make_imported_program(TraceImport *import,
                                      const ImportOptions *import_options,
                                      GError **error)
{
    g_autofree char *from = NULL;
    WriteOptions options = { .name = import_options->name ?: "imported" };

    record_merge_size_files(import->recording, &import->merged);
    print_recording_errors(import->recording);
    import->align =
        trace_files_align_clocks(import->recording, import_options->clocks);
    import->is_aligned = g_strcmp0(import_options->clocks, "align") == 0 ||
                         (!import_options->clocks && import->align->is_needed);
    import->window = record_select_window(
        import->recording, (guint)import_options->iteration, error);
    if (!import->window)
        return FALSE;
    import->match = record_match_ranks(import->recording, import->window);
    import->take = replay_new(import->recording, import->window, import->match);
    count_merged_sizes(import);
    import->script = imported_program_new(
        import->take, (uint32_t)import_options->n_ranks, error);
    if (!import->script)
        return FALSE;
    from = record_files_text(import->recording);
    options.from = from;
    options.without_gaps = g_strcmp0(import_options->gaps, "drop") == 0;
    import->program = imported_program_write(import->script, &options);
    return check_program_is_usable(import, error);
}

/* ---- writing the program and its report ---------------------------------- */

static gboolean write_import_report(const TraceImport *import, const char *path,
                                    GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Json json = { .out = text };

    json_begin_object(&json, NULL);
    record_report_json(&import->take->report, &json);
    align_json(import->align, &json, "clocks");
    json_end_object(&json);
    g_string_append_c(text, '\n');
    return output_write_user_path(path, text, error);
}

static gboolean write_run_file(const TraceImport *import,
                               const ImportOptions *options, GError **error)
{
    g_autoptr(GString) text =
        run_file_of_program(import->script, options->output, options->run_file);

    return output_write_user_path(options->run_file, text, error);
}

/* Warns about collectives with one participant, whose time of zero could be
 * mistaken for a result of the network. */
static void warn_single_rank_collectives(const TraceImport *import)
{
    uint64_t n = import->take->report.n[REPORT_ONE_RANK];

    if (n > 0)
        fprintf(stderr,
                "warning: %" G_GUINT64_FORMAT
                " collective%s one participant and move%s nothing%s\n",
                n, n == 1 ? " has" : "s have", n == 1 ? "s" : "",
                import->script->n_ranks == 1
                    ? ": say how many ranks there were by --ranks N"
                    : "");
}

/* Warns if the run file needs another platform, because groups are dimensions
 * of the platform. */
static void warn_groups_of_dims(const TraceImport *import,
                                const ImportOptions *options)
{
    guint n_dims = run_file_count_dims(import->script);

    if (n_dims > 1 && options->run_file)
        fprintf(stderr,
                "warning: groups are dimensions of the platform, which the "
                "recording does not describe: give %s a topology of %u "
                "dimensions or more, such as a torus\n",
                options->run_file, n_dims);
}

static int write_import_outputs(const TraceImport *import,
                                const ImportOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) report = record_report_text(&import->take->report);
    g_autofree char *clocks = align_text(import->align);

    if (!output_write_user_path(options->output, import->program, &error) ||
        (options->report &&
         !write_import_report(import, options->report, &error)) ||
        (options->run_file && !write_run_file(import, options, &error)))
        return cli_report_error(error);
    if (output_is_stdout_name(options->output))
        return CLI_OK;
    fputs(report->str, stdout);
    warn_single_rank_collectives(import);
    warn_groups_of_dims(import, options);
    if (import->align->hosts->len > 1 && !import->take->is_plan)
        printf("%-14s%s: %s\n", "clocks",
               import->is_aligned ? "put right" : "kept", clocks);
    return CLI_OK;
}

/* ---- the command line ------------------------------------------------- */

static gboolean text_is_one_of_two_words(const char *text, const char *a,
                                         const char *b)
{
    return !text || g_str_equal(text, a) || g_str_equal(text, b);
}

static int check_import_options(const CliCommand *command,
                                const ImportOptions *options)
{
    if (!options->output)
        return cli_report_usage_error(command, "-o: where to is required");
    if (!text_is_one_of_two_words(options->gaps, "keep", "drop"))
        return cli_report_usage_error(
            command, "--gaps: is keep or drop, not '%s'", options->gaps);
    if (!text_is_one_of_two_words(options->clocks, "keep", "align"))
        return cli_report_usage_error(
            command, "--clocks: is keep or align, not '%s'", options->clocks);
    if (options->report && output_is_stdout_name(options->output) &&
        output_is_stdout_name(options->report))
        return cli_report_usage_error(
            command, "-o and --report both want standard output");
    if (options->iteration < 0)
        return cli_report_usage_error(command,
                                      "--iteration: is counted from 1");
    if (options->n_ranks < 0)
        return cli_report_usage_error(command, "--ranks: has to be 1 or more");
    return CLI_OK;
}

/* Checks the outputs, because a recording cannot be made again. */
static gboolean check_import_outputs(const ImportOptions *options,
                                     char *const *operands, GError **error)
{
    const NamedOutput outputs[] = { { "-o", options->output },
                                    { "--report", options->report },
                                    { "--run-file", options->run_file },
                                    { NULL, NULL } };

    return trace_files_check_outputs(operands, outputs, error) &&
           distinct_files_check_outputs(outputs, error);
}

/* ---- descriptions of jobs ------------------------------------------------ */

/* Returns the source of the only operand if it describes a job, else NULL. */
static Source *open_job_file(char *const *operands, int format)
{
    g_autoptr(Source) source = NULL;

    if (operands[1] || g_file_test(operands[0], G_FILE_TEST_IS_DIR))
        return NULL;
    source = source_open(operands[0], NULL);
    return source && reader_file_describes_job(format, source)
               ? g_steal_pointer(&source)
               : NULL;
}

/* Writes the model and the run file of a job. */
static int import_job(const ImportOptions *import_options, Source *source,
                      int format)
{
    g_autofree char *file = g_path_get_basename(source_name(source));
    g_autofree char *name = g_strdup(import_options->name ?: file);
    char *dot = import_options->name ? NULL : strchr(name + 1, '.');
    g_autofree char *path = program_path_for_run_file(
        import_options->output,
        import_options->run_file ?: import_options->output);
    const ReadJobOptions options = { .name = name,
                                     .model_path = path,
                                     .n_npus =
                                         (uint32_t)import_options->n_ranks };
    g_autoptr(GError) error = NULL;
    g_autoptr(ReadJob) job = NULL;

    if (dot)
        *dot = '\0';
    job = read_job_file(format, source, &options, &error);
    if (!job ||
        !output_write_user_path(import_options->output, job->model, &error) ||
        (import_options->run_file &&
         !output_write_user_path(import_options->run_file, job->run, &error)))
        return cli_report_error(error);
    for (guint i = 0; i < job->notes->len; i++)
        fprintf(stderr, "%s\n", (const char *)g_ptr_array_index(job->notes, i));
    if (!import_options->run_file)
        fputs("note: only the model was written; --run-file RUN.yaml writes a "
              "run of it, too\n",
              stderr);
    return CLI_OK;
}

static int import_trace_files(const CliCommand *command,
                              const ImportOptions *import_options,
                              char *const *operands)
{
    g_auto(TraceImport) import = { 0 };
    const ReadOptions options = {
        .comm_patterns = (const char *const *)import_options->patterns,
        .n_npus = (uint32_t)import_options->n_ranks,
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(Source) job = NULL;
    int format,
        status =
            trace_files_parse_format(command, import_options->format, &format);

    if (status != CLI_OK)
        return status;
    if (!check_import_outputs(import_options, operands, &error))
        return cli_report_error(error);
    job = open_job_file(operands, format);
    if (job && import_options->report)
        return cli_report_usage_error(
            command, "--report: the description of a job has no report");
    if (job && import_options->run_file &&
        output_is_stdout_name(import_options->output))
        return cli_report_usage_error(
            command, "-o: the run file has to name the model's file");
    if (job)
        return import_job(import_options, job, format);
    import.recording = trace_files_read(operands, format, &options, &error);
    if (!import.recording ||
        !make_imported_program(&import, import_options, &error))
        return cli_report_error(error);
    return write_import_outputs(&import, import_options);
}

static int run_import_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_auto(ImportOptions) o = { 0 };
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
          "Write the program there; - is standard output", "PROGRAM.yaml" },
        { "format", 0, 0, G_OPTION_ARG_STRING, &o.format,
          "What the files are, in place of how they begin", "NAME" },
        { "name", 0, 0, G_OPTION_ARG_STRING, &o.name,
          "What reports call the program", "NAME" },
        { "iteration", 0, 0, G_OPTION_ARG_INT, &o.iteration,
          "Which one, counted from 1; else that of median length", "N" },
        { "ranks", 0, 0, G_OPTION_ARG_INT, &o.n_ranks,
          "How many ranks one that is recorded stands for, or a job has", "N" },
        { "gaps", 0, 0, G_OPTION_ARG_STRING, &o.gaps,
          "Whether time that nothing explains is kept", "keep|drop" },
        { "clocks", 0, 0, G_OPTION_ARG_STRING, &o.clocks,
          "Of several hosts; aligned where it is needed, if this is not said",
          "keep|align" },
        { "communication", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.patterns,
          "Kernels of such names communicate, too (*deepep*)", "PATTERN" },
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &o.report,
          "Write the report there as JSON, too; - is standard output", "FILE" },
        { "run-file", 0, 0, G_OPTION_ARG_FILENAME, &o.run_file,
          "Write a run of the program, as it was recorded", "RUN.yaml" },
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    status = check_import_options(command, &o);
    return status == CLI_OK ? import_trace_files(command, &o, rest) : status;
}

const CliCommand cmd_import = {
    .name = "import",
    .arguments = "TRACE...",
    .summary = "Turn a profile or a launch script into a run to change",
    .detail =
        "Files of one run, of a rank each or of several, plain or packed by "
        "gzip; a folder\nstands for all files in it.  Which formats there are, "
        "says `acesim list`.  What\nwas found, matched, inferred and dropped "
        "is printed by number: nothing is guessed\nin silence.  `acesim "
        "lint-trace` says what is wrong with the files.\n\n"
        "A launch script of Megatron-LM becomes a model (-o) and a run file\n"
        "(--run-file) of a step.  It is read, and not executed.\n\n"
        "Example:\n"
        "  acesim import rank*.json.gz -o program.yaml --run-file run.yaml\n"
        "  acesim run run.yaml\n"
        "  acesim import trace.0.et -o program.yaml --ranks 8 --gaps drop\n"
        "  acesim import pretrain.sh -o model.yaml --run-file run.yaml",
    .run = run_import_command,
};
