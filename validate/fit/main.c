/*
 * main.c - acesim-fit: the simulator's memory and compute models held against
 * measurements of a GPU
 *
 * Fits the models' parameters to two thirds of the rows and says how far off
 * they are on the others.  With --npu it writes them as a configuration.
 *
 * Exit status 0: done, however far off; 1: a file is wrong; 2: usage.
 */
#include <stdio.h>
#include <string.h>

#include "validate/fit/fit_report.h"
#include "validate/fit/npu_file.h"
#include "validate/fit/published_fit.h"

typedef struct {
    char *measured, *npu, *output; /* owned; each may be NULL */
    char *published, *one;         /* owned; a folder, an NPU; may be NULL */
} Options;

static void clear_options(Options *options)
{
    g_free(options->measured);
    g_free(options->npu);
    g_free(options->output);
    g_free(options->published);
    g_free(options->one);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, clear_options)

static gboolean parse(int *argc, char ***argv, Options *ret, GError **error)
{
    const GOptionEntry entries[] = {
        { "npu", 0, 0, G_OPTION_ARG_FILENAME, &ret->npu,
          "Write the GPU as a configuration of an NPU", "FILE.yaml" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &ret->output,
          "Write each row, measured and predicted", "FILE.csv" },
        { "published", 0, 0, G_OPTION_ARG_FILENAME, &ret->published,
          "Fit all NPUs of validate/data/gpus.csv to published kernels",
          "FOLDER" },
        { "only", 0, 0, G_OPTION_ARG_STRING, &ret->one,
          "With --published: this one of them", "NPU" },
        { NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    };
    GOptionContext *context = g_option_context_new("[MEASURED.csv]");
    gboolean ok;

    g_option_context_set_summary(
        context, "Holds acesim's models against measurements of a GPU; the "
                 ".json beside the .csv says of which.");
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    if (ok && ret->published && *argc == 1)
        return TRUE;
    if (ok && (ret->published || *argc != 2)) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "one file of measurements is needed");
        return FALSE;
    }
    if (ok)
        ret->measured = g_strdup((*argv)[1]);
    return ok;
}

static char *record_path(const char *measured)
{
    gsize length = strlen(measured);

    if (g_str_has_suffix(measured, ".csv"))
        length -= strlen(".csv");
    return g_strdup_printf("%.*s.json", (int)length, measured);
}

static gboolean run_published(const Options *options, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    gboolean ok = published_fit(options->one, options->published, out, error);

    fputs(out->str, stdout);
    return ok;
}

static gboolean run(const Options *options, GError **error)
{
    g_autofree char *beside = record_path(options->measured);
    g_autoptr(Measurements) all = measurements_load(options->measured, error);
    g_autoptr(GpuRecord) record = all ? gpu_record_load(beside, error) : NULL;
    g_autofree char *text = NULL;
    GpuModel gpu;

    if (!record || !fit_gpu(all, &gpu, error))
        return FALSE;
    text = fit_report_text(all, &gpu, record, options->measured);
    fputs(text, stdout);
    if (options->output) {
        g_autofree char *csv = fit_report_csv(all, &gpu);

        if (!g_file_set_contents(options->output, csv, -1, error))
            return FALSE;
    }
    if (options->npu) {
        g_autofree char *npu =
            npu_file_text(all, &gpu, record, options->measured);

        return g_file_set_contents(options->npu, npu, -1, error);
    }
    return TRUE;
}

int main(int argc, char **argv)
{
    g_auto(Options) options = { 0 };
    g_autoptr(GError) error = NULL;

    if (!parse(&argc, &argv, &options, &error)) {
        fprintf(stderr, "acesim-fit: %s\n", error->message);
        return 2;
    }
    if (options.published ? run_published(&options, &error)
                          : run(&options, &error))
        return 0;
    fprintf(stderr, "acesim-fit: %s\n", error->message);
    return 1;
}
