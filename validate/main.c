/*
 * main.c - acesim-validate: is the simulator right?
 *
 * Runs it against closed forms, which it must equal, and against the paper's
 * figures, which it is printed beside.  The verdict comes first, then the
 * tables; files go to results/validate.  Run it where configs/ is.
 *
 * Exit status 0: all that must hold holds; 1: something does not, or could
 * not be run; 2: usage.
 */
#include <stdio.h>

#include "validate/report.h"

static gboolean parse(int *argc, char ***argv, char **folder, int *n_jobs,
                      GError **error)
{
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, folder,
          "Where results go; results/validate by default", "DIR" },
        { "jobs", 'j', 0, G_OPTION_ARG_INT, n_jobs,
          "Runs at a time in sweeps; one a processor by default", "N" },
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
    if (ok && (*argc > 1 || *n_jobs < 0)) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "%s: not understood",
                    *argc > 1 ? (*argv)[1] : "a negative --jobs");
        ok = FALSE;
    }
    return ok;
}

int main(int argc, char **argv)
{
    const char *program = g_getenv("ACESIM");
    g_autofree char *folder = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    Simulator simulator;
    int n_jobs = 0;
    gboolean is_right = FALSE;

    if (!parse(&argc, &argv, &folder, &n_jobs, &error)) {
        fprintf(stderr, "acesim-validate: %s\n", error->message);
        return 2;
    }
    simulator = (Simulator){
        .program = program && *program ? program : "build/release/acesim",
        .folder = folder ? folder : "results/validate",
        .n_jobs = (guint)n_jobs,
    };
    text = report_text(&simulator, &is_right, &error);
    if (!text) {
        fprintf(stderr, "acesim-validate: %s\n", error->message);
        return 1;
    }
    fputs(text, stdout);
    return is_right ? 0 : 1;
}
