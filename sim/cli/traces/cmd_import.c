/* cmd_import.c - acesim import: a program of what was recorded */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/core/words.h"
#include "sim/host/output.h"
#include "workloads/readers/read.h"
#include "workloads/recording/align.h"
#include "workloads/recording/take/run_file.h"
#include "workloads/recording/take/write.h"

typedef struct {
    char **patterns;
    char *format, *output, *gaps, *clocks, *report, *run_file, *name;
    int iteration, n_ranks;
} ImportOptions;

static void clear_options(ImportOptions *o)
{
    g_strfreev(o->patterns);
    g_free(o->format);
    g_free(o->output);
    g_free(o->gaps);
    g_free(o->clocks);
    g_free(o->report);
    g_free(o->run_file);
    g_free(o->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImportOptions, clear_options)

/* What is made of the files. */
typedef struct {
    Recording *recording;
    guint n_files;
    Align *align;
    RecordWindow *window;
    RecordMatch *match;
    Take *take;
    Script *script;
    GString *program;
} Import;

static void clear_import(Import *import)
{
    if (import->program)
        g_string_free(import->program, TRUE);
    script_free(import->script);
    take_free(import->take);
    record_match_free(import->match);
    record_window_free(import->window);
    align_free(import->align);
    recording_free(import->recording);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Import, clear_import)

/* ---- what is read ----------------------------------------------------- */

static int by_text(gconstpointer a, gconstpointer b)
{
    return g_strcmp0(*(const char *const *)a, *(const char *const *)b);
}

/* Files in the order in which they are named, those of a folder by name.  NULL:
 * a folder cannot be read.  Owner: the caller. */
static GPtrArray *files_of(char *const *operands, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

    for (; *operands; operands++) {
        g_autoptr(GDir) dir = NULL;
        g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
        const char *name;

        if (!g_file_test(*operands, G_FILE_TEST_IS_DIR)) {
            g_ptr_array_add(files, g_strdup(*operands));
            continue;
        }
        dir = g_dir_open(*operands, 0, error);
        if (!dir)
            return NULL;
        while ((name = g_dir_read_name(dir)))
            g_ptr_array_add(names, g_strdup(name));
        g_ptr_array_sort(names, by_text);
        for (guint i = 0; i < names->len; i++) {
            g_autofree char *path =
                g_build_filename(*operands, g_ptr_array_index(names, i), NULL);

            if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
                g_ptr_array_add(files, g_steal_pointer(&path));
        }
    }
    return g_steal_pointer(&files);
}

static gboolean read_files(Import *import, const ImportOptions *o, int format,
                           char *const *operands, GError **error)
{
    const ReadOptions options = {
        .comm_patterns = (const char *const *)o->patterns,
        .n_npus = (uint32_t)o->n_ranks,
    };
    g_autoptr(GPtrArray) files = files_of(operands, error);

    import->recording = recording_new();
    for (guint i = 0; files && i < files->len; i++) {
        g_autoptr(Source) source =
            source_open(g_ptr_array_index(files, i), error);

        if (!source ||
            !read_source(format, source, &options, import->recording, error))
            return FALSE;
        import->n_files++;
    }
    if (files && import->recording->ranks->len == 0)
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_FILE,
                    "there is nothing to import");
    return files && import->recording->ranks->len > 0;
}

/* ---- what is made of it ----------------------------------------------- */

static void align_clocks_of(Import *import, const char *how)
{
    g_autoptr(RecordMatch) all = record_match(import->recording, NULL);

    import->align = align_clocks(import->recording, all);
    if (g_strcmp0(how, "align") == 0 || (!how && import->align->is_needed))
        align_apply(import->align, import->recording);
}

static gboolean make(Import *import, const ImportOptions *o, GError **error)
{
    g_autofree char *from = NULL;
    WriteOptions options = { .name = o->name ?: "imported" };

    align_clocks_of(import, o->clocks);
    import->window =
        record_window(import->recording, (guint)o->iteration, error);
    if (!import->window)
        return FALSE;
    import->match = record_match(import->recording, import->window);
    import->take = take_new(import->recording, import->window, import->match);
    import->script = script_new(import->take, (uint32_t)o->n_ranks, error);
    if (!import->script)
        return FALSE;
    from = g_strdup_printf("%u file%s of %s", import->n_files,
                           import->n_files == 1 ? "" : "s",
                           import->recording->format);
    options.from = from;
    options.without_gaps = g_strcmp0(o->gaps, "drop") == 0;
    import->program = script_write(import->script, &options);
    return TRUE;
}

/* ---- what is written -------------------------------------------------- */

static gboolean write_report(const Import *import, const char *path,
                             GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Json json = { .out = text };

    json_begin_object(&json, NULL);
    record_report_json(&import->take->report, &json);
    align_json(import->align, &json, "clocks");
    json_end_object(&json);
    g_string_append_c(text, '\n');
    return output_write(path, text, error);
}

static gboolean write_run_file(const Import *import, const ImportOptions *o,
                               GError **error)
{
    g_autoptr(GString) text =
        run_file_of(import->script, o->output, o->run_file);

    return output_write(o->run_file, text, error);
}

static int write_all(const Import *import, const ImportOptions *o)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) report = record_report_text(&import->take->report);
    g_autofree char *clocks = align_text(import->align);

    if (!output_write(o->output, import->program, &error) ||
        (o->report && !write_report(import, o->report, &error)) ||
        (o->run_file && !write_run_file(import, o, &error)))
        return cli_fail(error);
    if (output_is_stdout(o->output))
        return CLI_OK;
    fputs(report->str, stdout);
    if (import->align->hosts->len > 1)
        printf("%-14s%s\n", "clocks", clocks);
    return CLI_OK;
}

/* ---- the command line ------------------------------------------------- */

static int format_of(const CliCommand *command, const char *name, int *ret)
{
    g_autofree char *hint = NULL;

    *ret = READ_AUTO;
    for (int i = 0; name && read_names[i]; i++)
        if (g_str_equal(read_names[i], name)) {
            *ret = i;
            return CLI_OK;
        }
    if (!name)
        return CLI_OK;
    hint = words_hint(name, read_names, "known");
    return cli_usage(command, "--format: there is no '%s'%s", name, hint);
}

static gboolean is_one_of(const char *text, const char *a, const char *b)
{
    return !text || g_str_equal(text, a) || g_str_equal(text, b);
}

static int check(const CliCommand *command, const ImportOptions *o)
{
    if (!o->output)
        return cli_usage(command, "-o: where to is required");
    if (!is_one_of(o->gaps, "keep", "drop"))
        return cli_usage(command, "--gaps: is keep or drop, not '%s'", o->gaps);
    if (!is_one_of(o->clocks, "keep", "align"))
        return cli_usage(command, "--clocks: is keep or align, not '%s'",
                         o->clocks);
    if (o->iteration < 0)
        return cli_usage(command, "--iteration: is counted from 1");
    if (o->n_ranks < 0)
        return cli_usage(command, "--ranks: has to be 1 or more");
    return CLI_OK;
}

static int import_files(const CliCommand *command, const ImportOptions *o,
                        char *const *operands)
{
    g_auto(Import) import = { 0 };
    g_autoptr(GError) error = NULL;
    int format, status = format_of(command, o->format, &format);

    if (status != CLI_OK)
        return status;
    if (!read_files(&import, o, format, operands, &error) ||
        !make(&import, o, &error))
        return cli_fail(error);
    return write_all(&import, o);
}

static int run(const CliCommand *command, char **argv)
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
          "How many ranks one that is recorded stands for", "N" },
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
        !options_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    status = check(command, &o);
    return status == CLI_OK ? import_files(command, &o, rest) : status;
}

const CliCommand cmd_import = {
    .name = "import",
    .arguments = "TRACE...",
    .summary = "Make a program of what was recorded, to replay and to change",
    .detail =
        "Files of one run, of a rank each or of several, plain or packed by "
        "gzip; a folder\nstands for all files in it.  Which formats there are, "
        "says `acesim list`.  What\nwas found, matched, inferred and dropped "
        "is printed by number: nothing is guessed\nin silence.  `acesim "
        "lint-trace` says what is wrong with the files.\n\n"
        "Example:\n"
        "  acesim import rank*.json.gz -o program.yaml --run-file run.yaml\n"
        "  acesim run run.yaml\n"
        "  acesim import trace.0.et -o program.yaml --ranks 8 --gaps drop",
    .run = run,
};
