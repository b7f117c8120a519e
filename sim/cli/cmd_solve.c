/*
 * cmd_solve.c - acesim solve: finds the value of a parameter that reaches a
 * goal
 */
#include <stdio.h>
#include <unistd.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/config/quantity.h"
#include "sim/host/output.h"
#include "sim/study/load_run_file.h"
#include "sim/study/solve/solve.h"
#include "sim/view/text/solve_text.h"

#define TOLERANCE         "0.1 %"
#define MAX_TOLERANCE_PPM 500000

typedef struct {
    char **sets; /* owned; may be NULL */
    char *vary;  /* owned, like all fields below; NULL: not given */
    char *from, *to, *until;
    char *tolerance, *fold, *csv;
} SolveOptions;

static void clear_solve_options(SolveOptions *options)
{
    g_strfreev(options->sets);
    g_free(options->vary);
    g_free(options->from);
    g_free(options->to);
    g_free(options->until);
    g_free(options->tolerance);
    g_free(options->fold);
    g_free(options->csv);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SolveOptions, clear_solve_options)

static gboolean check_required_options(const CliCommand *command,
                                       const SolveOptions *options, int *status)
{
    const char *missing = !options->vary    ? "--vary KEY"
                          : !options->from  ? "--from VALUE"
                          : !options->to    ? "--to VALUE"
                          : !options->until ? "--until CONDITION"
                                            : NULL;

    if (missing)
        *status = cli_report_usage_error(command, "missing %s", missing);
    return !missing;
}

static gboolean parse_tolerance(const CliCommand *command, const char *text,
                                uint64_t *ret, int *status)
{
    g_autoptr(GError) error = NULL;

    if (!quantity_parse(text ? text : TOLERANCE, CONFIG_FRACTION, ret,
                        &error)) {
        *status =
            cli_report_usage_error(command, "--tolerance: %s", error->message);
        return FALSE;
    }
    if (*ret > 0 && *ret <= MAX_TOLERANCE_PPM)
        return TRUE;
    *status = cli_report_usage_error(
        command, "--tolerance: expected 0.0001 %% to 50 %%");
    return FALSE;
}

/* Prints the result before writing the file, because it took long to compute
 * and the file may fail. */
static gboolean print_solve_result(const SolveResult *solve, const char *csv,
                                   GError **error)
{
    g_autoptr(GString) rows = solve_to_csv(solve);

    if (!csv || !output_is_stdout_name(csv)) {
        g_autofree char *text = solve_text(solve);

        fputs(text, stdout);
        fflush(stdout);
    }
    return !csv || output_write_user_path(csv, rows, error);
}

/* Overwrites the progress line on the terminal. */
static void show_trial_progress(guint n_tried, const char *value)
{
    fprintf(stderr, "\r\033[K%u tried, now %s", n_tried, value);
    fflush(stderr);
}

/* Checks the output against the files that are read: the run, and the run or
 * endpoint of the goal. */
static gboolean check_solve_outputs(const SolveTask *task, const char *csv,
                                    GError **error)
{
    const NamedOutput outputs[] = { { "--csv", csv }, { 0 } };
    const char *of = task->condition->reference;
    g_autoptr(NamedFiles) files = named_files_new();

    input_files_add_run(files, task->path, task->sets, 0);
    if (of && !g_str_equal(of, CONDITION_IDEAL)) {
        const InputPart endpoint[] = { { "endpoint", of }, { 0 } };

        input_files_add_run(files, of, NULL, 0);
        input_files_add_parts(files, endpoint, NULL);
    }
    return input_files_check(outputs, files, error);
}

static int solve_and_print(const SolveTask *task, const char *csv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(SolveResult) result = NULL;
    g_autofree char *condition = NULL;

    if (!check_solve_outputs(task, csv, &error))
        return cli_report_error(error);
    result = solve_run(task, &error);

    if (task->on_value)
        fputs("\r\033[K", stderr);
    if (!result || !print_solve_result(result, csv, &error))
        return cli_report_error(error);
    if (result->search->is_found)
        return CLI_OK;
    condition = condition_text(task->condition);
    g_set_error(&error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "%s holds nowhere from %s to %s", condition, task->from,
                task->to);
    return cli_report_error(error);
}

/* Returns the keys that match @names, in which `*` matches all. */
static char **expand_key_patterns(const char *path, char *const *sets,
                                  char *const *names, GError **error)
{
    g_autoptr(ConfigDoc) doc = load_config_document(path, sets, error);
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func(g_free);

    for (; doc && *names; names++) {
        g_auto(GStrv) found = config_doc_expand_path(doc, *names, error);

        if (!found)
            return NULL;
        for (char **key = found; *key; key++)
            g_ptr_array_add(keys, g_strdup(*key));
    }
    if (!doc)
        return NULL;
    g_ptr_array_add(keys, NULL);
    return (char **)g_ptr_array_steal(keys, NULL);
}

static int run_solve_command(const CliCommand *command, char **argv)
{
    g_auto(SolveOptions) o = { 0 };
    g_auto(GStrv) rest = NULL;
    g_auto(GStrv) names = NULL;
    g_auto(GStrv) keys = NULL;
    g_autoptr(Condition) condition = NULL;
    g_autoptr(GError) error = NULL;
    SolveTask task = { 0 };
    const GOptionEntry entries[] = {
        { "vary", 0, 0, G_OPTION_ARG_FILENAME, &o.vary,
          "Key to vary, as --set takes it; several go together", "KEY,KEY" },
        { "from", 0, 0, G_OPTION_ARG_FILENAME, &o.from,
          "Smallest value to try, with its unit; 1x: that of CONFIG", "VALUE" },
        { "to", 0, 0, G_OPTION_ARG_FILENAME, &o.to, "Largest value to try",
          "VALUE" },
        { "until", 0, 0, G_OPTION_ARG_FILENAME, &o.until,
          "Goal to meet: METRIC OP VALUE", "CONDITION" },
        OPTIONS_SET(&o.sets),
        { "tolerance", 0, 0, G_OPTION_ARG_FILENAME, &o.tolerance,
          "Largest error of the answer; " TOLERANCE
          " by default, and whole numbers are exact",
          "SHARE" },
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv,
          "Write a row for each value tried; - is standard output", "FILE" },
        OPTIONS_FOLD(&o.fold),
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !check_required_options(command, &o, &status) ||
        !options_check_sets(command, o.sets, &status) ||
        !options_parse_fold(command, o.fold, &task.run_options.fold, &status) ||
        !parse_tolerance(command, o.tolerance, &task.tolerance_ppm, &status))
        return status;
    condition = condition_parse(o.until, &error);
    if (!condition)
        return cli_report_error(error);
    names = options_split_names(o.vary);
    if (!names[0])
        return cli_report_usage_error(command, "missing --vary KEY");
    keys = expand_key_patterns(rest[0], o.sets, names, &error);
    if (!keys) {
        g_prefix_error(&error, "--vary: ");
        return cli_report_error(error);
    }
    task.path = rest[0];
    task.sets = o.sets;
    task.keys = keys;
    task.from = g_strstrip(o.from);
    task.to = g_strstrip(o.to);
    task.condition = condition;
    task.on_value = isatty(STDERR_FILENO) ? show_trial_progress : NULL;
    return solve_and_print(&task, o.csv);
}

const CliCommand cmd_solve = {
    .name = "solve",
    .arguments = "CONFIG",
    .summary = "Find the smallest value of a parameter that meets a goal",
    .detail =
        "CONDITION is METRIC OP VALUE: a column of `acesim run --csv`, one of\n"
        ">= <= > <, and a value with its unit, or `N % of ideal` (the same run\n"
        "with an ideal endpoint), or `N % of FILE`: of the same run with the\n"
        "endpoint of that file, or of another run file, as it is.  What is\n"
        "varied is varied in both, but for what is under `endpoint`.\n\n"
        "Keys of different units go together by a factor: --from 1x --to 8x.\n\n"
        "By bisection where the condition changes once, else by scan: then\n"
        "all changes are reported.  Exit status 1: it holds nowhere.\n\n"
        "Example:\n"
        "  acesim solve configs/runs/isca21.yaml --vary endpoint.sram \\\n"
        "      --from '256 KiB' --to '16 MiB' \\\n"
        "      --until 'iteration_time_us <= 107 % of ideal'\n"
        "  acesim solve configs/runs/isca21.yaml \\\n"
        "      --vary platform.topology.dims.1.bandwidth \\\n"
        "      --from '1 GB/s' --to '50 GB/s' --until 'iteration_time_us <= \\\n"
        "          75 % of configs/endpoints/comp-opt.yaml'",
    .run = run_solve_command,
};
