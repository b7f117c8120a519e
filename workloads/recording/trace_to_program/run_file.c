/*
 * run_file.c - writes the run file of an imported program
 *
 * The NPU is chosen by a part of the device name.  A plan of a loop is run for
 * two iterations, any other recording for one.
 */
#include "workloads/recording/trace_to_program/run_file.h"

#include <string.h>

#include "workloads/recording/trace_to_program/program_writer_impl.h"

/* Maps a part of a device name to the NPU of acesim; the first match counts. */
static const struct {
    const char *holds, *npu;
} devices[] = {
    { "A100", "a100-80gb" },     { "H100", "h100-sxm" }, { "H200", "h200" },
    { "B200", "b200" },          { "P100", "p100" },     { "K80", "k80" },
    { "MI210", "mi210" },        { "MI200", "mi210" },   { "MI250", "mi210" },
    { "MI300", "mi300x" },       { "T4", "t4" },         { "V100", "v100" },
    { "RTX 2080", "rtx2080ti" },
};

static const char *npu_name_of_device(const Recording *recording)
{
    const char *device = record_rank(recording, 0)->device;

    for (guint i = 0; device && i < G_N_ELEMENTS(devices); i++)
        if (strstr(device, devices[i].holds))
            return devices[i].npu;
    return "v100";
}

char *program_path_for_run_file(const char *program, const char *run)
{
    g_autofree char *program_folder = g_path_get_dirname(program);
    g_autofree char *run_folder = g_path_get_dirname(run);

    return g_str_equal(program_folder, run_folder)
               ? g_path_get_basename(program)
               : g_canonicalize_filename(program, NULL);
}

guint run_file_count_dims(const ImportedProgram *imported)
{
    guint n = imported->replay->recording->n_network_dims;

    for (guint g = 0; g < imported->groups->len; g++) {
        const ImportedGroup *group = imported_group(imported, g);

        if (group->grouped_by == GROUP_DIMS)
            n = MAX(n, g_bit_storage(group->dims_mask));
    }
    return n;
}

GString *run_file_of_program(const ImportedProgram *imported,
                             const char *program, const char *run)
{
    const Recording *recording = imported->replay->recording;
    const char *device = record_rank(recording, 0)->device;
    gboolean is_assumed = imported->replay->report.n[REPORT_RANKS_ASSUMED] > 0;
    g_autofree char *path = program_path_for_run_file(program, run);
    gboolean is_plan = imported->replay->is_plan;
    guint n_dims = run_file_count_dims(imported);
    /* The run of a loop has two iterations, which shows their overlap. */
    gboolean is_loop =
        is_plan && (recording->is_loop ||
                    record_rank(recording, 0)->rank == RECORD_NO_RANK);
    GString *out = g_string_new(NULL);

    if (n_dims > 1)
        g_string_append_printf(
            out,
            "# Groups are dimensions of the platform: put in a topology of %u "
            "dimensions or\n# more, such as a torus.  The switch below has "
            "one.\n",
            n_dims);
    g_string_append_printf(
        out,
        "# A run of an imported program, as it was %s; made by acesim "
        "import.\n"
        "# The recording says nothing of links: put in a platform that you "
        "know, and\n"
        "# `communication: simulated`, to see what another one would make of "
        "it.\n"
        "platform:\n"
        "  name: recorded\n"
        "  topology:\n"
        "    kind: switch\n"
        "    npus: %u%s\n"
        "    links: 1             # assumed\n"
        "    bandwidth: 100 GB/s  # assumed\n"
        "    latency: 500 ns      # assumed\n"
        "  npu: %s  # %s",
        is_plan ? "planned: the recording has no begins" : "recorded",
        imported->n_ranks,
        is_assumed ? "  # assumed: the recording does not say how many; import "
                     "--ranks N"
                   : "",
        npu_name_of_device(recording),
        device ? "the recording has '" : "assumed: the recording names none");
    for (const char *p = device; p && *p != '\0'; p++)
        g_string_append_c(out, g_ascii_iscntrl(*p) ? ' ' : *p);
    g_string_append(out, device ? "'\n" : "\n");
    g_string_append(out, "endpoint: ideal  # what kernels share, their times "
                         "have\n"
                         "workload: ");
    config_write_quoted(out, path);
    g_string_append_printf(out,
                           "\ntraining:\n"
                           "  iterations: %d\n"
                           "  compute: measured\n",
                           is_loop ? 2 : 1);
    if (!is_plan)
        g_string_append(out, "  communication: recorded  # or simulated\n");
    return out;
}
