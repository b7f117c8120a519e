/* cmd_lint_trace.c - acesim lint-trace: finds errors in traces */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/traces/trace_files.h"
#include "workloads/recording/inventory.h"
#include "workloads/recording/lint.h"
#include "workloads/recording/size_merge.h"

#define MOST_PLACES 3
#define MAX_PLACES  1000000

typedef struct {
    char **patterns;
    char *format;
    int n_places;
    gboolean as_json, shows_all;
} LintOptions;

static void print_lint_report(const Recording *recording,
                              const LintReport *report,
                              const LintOptions *options)
{
    g_autoptr(Inventory) found = inventory_new(recording);

    if (options->as_json) {
        g_autoptr(GString) out = g_string_new(NULL);
        Json json = { .out = out };

        json_begin_object(&json, NULL);
        inventory_json(found, &json, "found");
        lint_json(report, &json, "faults");
        json_end_object(&json);
        puts(out->str);
    } else {
        g_autofree char *counts = inventory_text(found);
        g_autofree char *faults = lint_text(report);

        printf("%s\n%s", counts, faults);
    }
}

static int lint_traces(const LintOptions *lint_options, int format,
                       char *const *paths)
{
    const ReadOptions options = {
        .comm_patterns = (const char *const *)lint_options->patterns
    };
    g_autoptr(Recording) recording = NULL;
    g_autoptr(LintReport) report = NULL;
    g_autoptr(GError) error = NULL;
    RecordMergeReport merged;

    recording = trace_files_read(paths, format, &options, &error);
    if (!recording)
        return cli_report_error(error);
    record_merge_size_files(recording, &merged);
    report = lint_recording(recording, lint_options->shows_all
                                           ? MAX_PLACES
                                           : (guint)lint_options->n_places);
    print_lint_report(recording, report, lint_options);
    return report->n[FAULT_ERROR] > 0 ? CLI_FAILED : CLI_OK;
}

static int run_lint_trace_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_auto(GStrv) patterns = NULL;
    g_autofree char *format = NULL;
    LintOptions asked = { .n_places = MOST_PLACES };
    const GOptionEntry entries[] = {
        { "format", 0, 0, G_OPTION_ARG_STRING, &format,
          "What the files are, in place of how they begin", "NAME" },
        { "communication", 0, 0, G_OPTION_ARG_STRING_ARRAY, &patterns,
          "Kernels of such names communicate, too (*deepep*)", "PATTERN" },
        { "json", 0, 0, G_OPTION_ARG_NONE, &asked.as_json,
          "Print findings and mistakes as JSON", NULL },
        { "most", 0, 0, G_OPTION_ARG_INT, &asked.n_places,
          "How many places of a kind and file to show (3)", "N" },
        { "all", 0, 0, G_OPTION_ARG_NONE, &asked.shows_all, "Show all places",
          NULL },
        OPTIONS_END,
    };
    int status, which;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, G_MAXUINT, &status))
        return status;
    if (asked.n_places < 1 || asked.n_places > MAX_PLACES)
        return cli_report_usage_error(command, "--most: has to be 1 to %d",
                                      MAX_PLACES);
    asked.patterns = patterns;
    status = trace_files_parse_format(command, format, &which);
    return status == CLI_OK ? lint_traces(&asked, which, rest) : status;
}

const CliCommand cmd_lint_trace = {
    .name = "lint-trace",
    .arguments = "TRACE...",
    .summary = "Find mistakes in traces, by file and node",
    .detail =
        "Files of one run, of a rank each: Kineto and Chrome traces, Chakra "
        "and host ETs, and\nwhatever else `acesim import` reads, plain or "
        "packed by gzip; a folder\nstands for all files in it.  First stands "
        "what was found, then what is wrong,\nthen what an import does about "
        "it.  The status is 1 when something is an error: what\nis imported "
        "would not be what was run.\n\n"
        "Example:\n"
        "  acesim lint-trace rank*.json.gz\n"
        "  acesim lint-trace --json trace.et",
    .run = run_lint_trace_command,
};
