/*
 * main.c - acesim-fit: fits NPUs of the simulator to measurements of GPUs
 *
 * Then fits constants of training steps of language models
 * (training_step_fit.h).
 *
 * Fits keys of each GPU of validate/data/gpus.csv to the training rows of
 * validate/data, and reports the errors of acesim on the other rows.
 *
 * Exit status 0: done, for any size of the errors; 1: a file is invalid; 2:
 * usage.
 */
#include <stdio.h>

#include "validate/fit/fit_all_npus.h"
#include "validate/fit/training_step_fit.h"

/* Rows of training steps, which may be absent. */
#define STEPS "validate/data/llm"

typedef struct {
    /* The struct owns these texts; .one is an NPU, or NULL for all. */
    char *one, *folder;
    gboolean is_steps; /* fits training steps only */
} Options;

static void fit_options_clear(Options *options)
{
    g_free(options->one);
    g_free(options->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, fit_options_clear)

static gboolean parse_command_line(int *argc, char ***argv, Options *ret,
                                   GError **error)
{
    const GOptionEntry entries[] = {
        { "only", 0, 0, G_OPTION_ARG_STRING, &ret->one,
          "This one of the GPUs of validate/data/gpus.csv", "NPU" },
        { "steps", 0, 0, G_OPTION_ARG_NONE, &ret->is_steps,
          "Only the training steps of language models", NULL },
        { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new("FOLDER");
    gboolean ok;

    g_option_context_set_summary(
        context, "Fits the NPUs of validate/data/gpus.csv to the rows of "
                 "validate/data and writes\nFOLDER/NPU.yaml, then constants of "
                 "training steps to FOLDER/language and, for configs/npus,\n"
                 "to validate/data/llm/constants.csv, else to "
                 "FOLDER/language/constants.csv.");
    g_option_context_set_description(
        context, "ACESIM in the environment is the program; "
                 "build/release/acesim by default.");
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    if (ok && *argc != 2) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "a folder for NPUs is needed, configs/npus");
        return FALSE;
    }
    if (ok)
        ret->folder = g_strdup((*argv)[1]);
    return ok;
}

int main(int argc, char **argv)
{
    g_auto(Options) options = { 0 };
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree char *warnings = NULL;
    const char *program = g_getenv("ACESIM");
    const Simulator simulator = {
        .program = program && *program ? program : "build/release/acesim",
        .folder = "results/fit",
    };
    gboolean ok;

    if (!parse_command_line(&argc, &argv, &options, &error)) {
        fprintf(stderr, "acesim-fit: %s\n", error->message);
        return 2;
    }
    warnings = fit_warnings(&error);
    if (warnings)
        fputs(warnings, stderr);
    ok = warnings &&
         (options.is_steps ||
          fit_npus(options.one, options.folder, out, &error)) &&
         (options.one || !g_file_test(STEPS, G_FILE_TEST_IS_DIR) ||
          step_fit_all(&simulator, options.folder, out, &error));
    fputs(out->str, stdout);
    if (!ok)
        fprintf(stderr, "acesim-fit: %s\n", error->message);
    return ok ? 0 : 1;
}
