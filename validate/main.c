/*
 * main.c - acesim-validate: compares the simulator with known results
 *
 * Runs the simulator and compares it with closed forms, which it must equal,
 * and with the figures of the paper, which are printed next to the simulated
 * ones.  The verdict is printed first, then the tables.  Files go to
 * results/validate.  The current folder must be the one that contains configs/.
 *
 * Exit status 0: all conditions hold; 1: a condition does not hold, or a run
 * failed; 2:
 * usage. */
#include <stdio.h>

#include "validate/kernels/kernel_rows_of_folder.h"
#include "validate/papers/papers_page.h"
#include "validate/report.h"

#define PAPERS "configs/papers"
/* The folder of kernel_study.h. */
#define MEASURED "validate/data"

typedef struct {
    char *folder, *page, *only, *accuracy; /* The struct owns this memory. */
    int n_jobs;
    gboolean is_steps; /* only training steps of language models */
} Options;

static void validate_options_clear(Options *options)
{
    g_free(options->folder);
    g_free(options->page);
    g_free(options->only);
    g_free(options->accuracy);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, validate_options_clear)

static gboolean parse_command_line(int *argc, char ***argv, Options *options,
                                   GError **error)
{
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->folder,
          "Where results go; results/validate or results/papers by default",
          "DIR" },
        { "jobs", 'j', 0, G_OPTION_ARG_INT, &options->n_jobs,
          "Runs at a time in sweeps; one a processor by default", "N" },
        { "papers", 'p', 0, G_OPTION_ARG_FILENAME, &options->page,
          "Run the claims of configs/papers instead, and write PAGE", "PAGE" },
        { "steps", 0, 0, G_OPTION_ARG_NONE, &options->is_steps,
          "Only the training steps of language models", NULL },
        { "only", 0, 0, G_OPTION_ARG_STRING, &options->only,
          "Of the papers, this one", "PAPER" },
        { "accuracy", 0, 0, G_OPTION_ARG_FILENAME, &options->accuracy,
          "Run the measured rows only, and write their table of errors to FILE",
          "FILE" },
        { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new(NULL);
    gboolean ok;

    g_option_context_set_summary(
        context, "Holds acesim against closed forms and published figures.");
    g_option_context_set_description(
        context, "ACESIM in the environment is the program; "
                 "build/release/acesim by default.");
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    if (ok && (*argc > 1 || options->n_jobs < 0)) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s: not understood",
                    *argc > 1 ? (*argv)[1] : "a negative --jobs");
        ok = FALSE;
    }
    return ok;
}

/* Writes the page with the claims of all papers, or the table of errors.
 * Returns the exit status. */
static int write_page(const Simulator *simulator, const Options *options)
{
    g_autoptr(GError) error = NULL;
    const char *path = options->page ? options->page : options->accuracy;
    g_autofree char *text =
        options->page ? papers_page(simulator, PAPERS, options->only, &error)
                      : report_accuracy(simulator, &error);

    if (text && g_file_set_contents(path, text, -1, &error))
        return 0;
    fprintf(stderr, "acesim-validate: %s\n", error->message);
    return 1;
}

static int validate_against_references(const Simulator *simulator,
                                       gboolean is_steps)
{
    gboolean is_right = FALSE;
    g_autoptr(GError) error = NULL;
    g_autofree char *warnings = kernel_rows_warnings(MEASURED, &error);
    g_autofree char *text =
        warnings ? report_text(simulator, is_steps, &is_right, &error) : NULL;

    if (warnings)
        fputs(warnings, stderr);
    if (!text) {
        fprintf(stderr, "acesim-validate: %s\n", error->message);
        return 1;
    }
    fputs(text, stdout);
    return is_right ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *program = g_getenv("ACESIM");
    g_auto(Options) options = { 0 };
    g_autoptr(GError) error = NULL;
    Simulator simulator;

    if (!parse_command_line(&argc, &argv, &options, &error)) {
        fprintf(stderr, "acesim-validate: %s\n", error->message);
        return 2;
    }
    simulator = (Simulator){
        .program = program && *program ? program : "build/release/acesim",
        .folder = options.folder ? options.folder
                  : options.page ? "results/papers"
                                 : "results/validate",
        .n_jobs = (guint)options.n_jobs,
    };
    return options.page || options.accuracy
               ? write_page(&simulator, &options)
               : validate_against_references(&simulator, options.is_steps);
}
