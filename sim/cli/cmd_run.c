/* cmd_run.c - acesim run: one run, its summary, its rows */
#include <stdio.h>

#include "sim/cli/json_rows.h"
#include "sim/cli/load.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/rows.h"
#include "sim/cli/summary.h"

typedef struct {
    char **sets;               /* owned */
    char *files[ROWS_N_FILES]; /* owned; NULL: not wanted */
    char *fold_text;           /* owned */
    char *fidelity;            /* owned; NULL: as configured */
    FoldMode fold;
    gboolean json;
} RunOptions;

static void clear_options(RunOptions *options)
{
    g_strfreev(options->sets);
    for (guint i = 0; i < ROWS_N_FILES; i++)
        g_free(options->files[i]);
    g_free(options->fold_text);
    g_free(options->fidelity);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RunOptions, clear_options)

static gboolean write_files(const RunOptions *options,
                            const SystemConfig *config, const System *system,
                            gboolean *to_stdout, GError **error)
{
    *to_stdout = FALSE;
    for (RowsFile file = 0; file < ROWS_N_FILES; file++) {
        g_autoptr(GString) text = NULL;

        if (!options->files[file])
            continue;
        text = g_string_new(NULL);
        rows_add(text, file, NULL, config, system);
        if (!output_write(options->files[file], text, error))
            return FALSE;
        *to_stdout |= output_is_stdout(options->files[file]);
    }
    return TRUE;
}

/* --fidelity=X is --set collectives.fidelity=X. */
static void add_fidelity(RunOptions *options)
{
    guint n = options->sets ? g_strv_length(options->sets) : 0;

    if (!options->fidelity)
        return;
    options->sets = g_renew(char *, options->sets, n + 2);
    options->sets[n] =
        g_strdup_printf("collectives.fidelity=%s", options->fidelity);
    options->sets[n + 1] = NULL;
}

static gboolean run_file(const char *path, const RunOptions *options,
                         GError **error)
{
    SystemConfig config;
    g_autoptr(ConfigDoc) doc = load_run(path, options->sets, &config, error);
    g_autoptr(System) system = NULL;
    gint64 start_us = g_get_monotonic_time();
    gboolean to_stdout;

    if (!doc)
        return FALSE;
    system = system_new(&config, options->fold, error);
    if (!system)
        load_blame_sets(path, options->sets, options->fold, error);
    if (!system || !system_run(system, error) ||
        !write_files(options, &config, system, &to_stdout, error))
        return FALSE;
    if (!to_stdout) {
        double wall_s = (double)(g_get_monotonic_time() - start_us) / 1e6;
        g_autofree char *text = summary_text(&config, system, wall_s);
        g_autoptr(GString) json = json_run(path, &config, system);

        fputs(options->json ? json->str : text, stdout);
    }
    return TRUE;
}

static gboolean wants_stdout(const RunOptions *options)
{
    for (RowsFile file = 0; file < ROWS_N_FILES; file++)
        if (options->files[file] && output_is_stdout(options->files[file]))
            return TRUE;
    return FALSE;
}

static int run(const CliCommand *command, char **argv)
{
    g_auto(RunOptions) o = { 0 };
    g_auto(GStrv) rest = NULL;
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        OPTIONS_SET(&o.sets),
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &o.files[ROWS_RUNS],
          "Write the run as a row of CSV; - is standard output", "FILE" },
        { "per-layer", 0, 0, G_OPTION_ARG_FILENAME, &o.files[ROWS_LAYERS],
          "Write a row for each layer and pass", "FILE" },
        { "per-link", 0, 0, G_OPTION_ARG_FILENAME, &o.files[ROWS_PORTS],
          "Write a row for each port of NPU 0", "FILE" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &o.json,
          "Print the run as JSON, in ps and bytes", NULL },
        OPTIONS_FOLD(&o.fold_text),
        { "fidelity", 0, 0, G_OPTION_ARG_STRING, &o.fidelity,
          "message: trains of packets; packet: each of them, slow",
          "message|packet" },
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_count(command, rest, 1, 1, &status) ||
        !options_sets(command, o.sets, &status) ||
        !options_fold(command, o.fold_text, &o.fold, &status))
        return status;
    if (o.json && wants_stdout(&o))
        return cli_usage(command, "--json and rows both want standard output");
    add_fidelity(&o);
    return run_file(rest[0], &o, &error) ? CLI_OK : cli_fail(error);
}

const CliCommand cmd_run = {
    .name = "run",
    .arguments = "CONFIG",
    .summary = "Run one configuration and say what binds",
    .detail =
        "Values are per NPU and iteration.  A KEY is the path to a value; list\n"
        "items go by number (platform.topology.dims.0.size=8).\n\n"
        "Example:\n"
        "  acesim run configs/runs/isca21.yaml --set endpoint.sram='1 MiB'\n"
        "  acesim run configs/runs/isca21.yaml --csv - --set platform.npu.sms=60",
    .run = run,
};
