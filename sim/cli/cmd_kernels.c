/* cmd_kernels.c - acesim kernels: times single kernels on an NPU */
#include <stdio.h>

#include "sim/cli/options.h"
#include "sim/cli/outputs/input_files.h"
#include "sim/host/output.h"
#include "sim/study/kernel_timing.h"
#include "sim/view/text/kernels_text.h"

static int print_kernels(const KernelsFile *file, const char *csv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) rows = NULL;

    if (!csv || !output_is_stdout_name(csv)) {
        g_autoptr(GString) text = kernels_text(file);

        fputs(text->str, stdout);
    }
    if (!csv)
        return CLI_OK;
    rows = kernels_to_csv(file);
    return output_write_user_path(csv, rows, &error) ? CLI_OK
                                                     : cli_report_error(error);
}

static int run_kernels_command(const CliCommand *command, char **argv)
{
    g_auto(GStrv) rest = NULL;
    g_auto(GStrv) sets = NULL;
    g_autofree char *csv = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc = NULL;
    KernelsFile file = { 0 };
    NamedOutput outputs[] = { { .option = "--csv" }, { 0 } };
    const GOptionEntry entries[] = {
        OPTIONS_SET(&sets),
        { "csv", 0, 0, G_OPTION_ARG_FILENAME, &csv,
          "Write a row for each; - is standard output", "FILE" },
        OPTIONS_END,
    };
    int status;

    if (!options_parse(command, entries, argv, &rest, &status) ||
        !options_check_operand_count(command, rest, 1, 1, &status) ||
        !options_check_sets(command, sets, &status))
        return status;
    doc = kernels_load_file(rest[0], sets, &file, &error);
    outputs[0].path = csv;
    return doc && input_files_check_doc(outputs, doc, &error)
               ? print_kernels(&file, csv)
               : cli_report_error(error);
}

const CliCommand cmd_kernels = {
    .name = "kernels",
    .arguments = "FILE",
    .summary = "Time single kernels on an NPU",
    .detail = "FILE has `npu`, a file or in place, and `kernels`, a list; each "
              "kernel has the\nNPU to itself, or its `sms`.  `acesim list "
              "kernel` says what there is.\n\n"
              "Example:\n"
              "  acesim kernels configs/kernels/examples.yaml --set "
              "npu.sms=40",
    .run = run_kernels_command,
};
