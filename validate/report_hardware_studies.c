/* report_hardware_studies.c - published measurements of real machines against
 * acesim */
#include <string.h>

#include "validate/collectives/collective_text.h"
#include "validate/collectives/gpu_chain_study.h"
#include "validate/kernels/card_to_card_study.h"
#include "validate/kernels/contention_study.h"
#include "validate/kernels/image_study.h"
#include "validate/kernels/isolated_kernel_study.h"
#include "validate/kernels/kernel_study.h"
#include "validate/kernels/measured_rows.h"
#include "validate/kernels/overlap_study.h"
#include "validate/report_impl.h"

#define DATA         "validate/data"
#define SECOND_CARDS "validate/data/second-cards"

static gboolean write_kernel_plots(Report *report, const KernelStudy *study,
                                   GError **error)
{
    g_autoptr(GPtrArray) npus = kernel_study_npus(study);
    g_autofree char *page = kernel_study_page(study, "kernels");

    for (guint i = 0; i < npus->len; i++) {
        g_autofree char *name =
            g_strdup_printf("kernels/%s.dat", (const char *)npus->pdata[i]);
        g_autofree char *points = kernel_study_points(study, npus->pdata[i]);

        if (!simulator_write_file(report->simulator, name, points, error))
            return FALSE;
    }
    return simulator_write_file(report->simulator, "kernels.html", page, error);
}

#define GPUS     "validate/data/gpus.csv"
#define NPUS     "configs/npus"
#define LEFT_OUT "kernels-left-out"

/* Loads the NPU files, and times the kernels on those of which the constants of
 * their own chip are left out. */
static gboolean time_kernels_on_held_out_npus(Report *report,
                                              KernelStudy *study,
                                              GError **error)
{
    MeasuredStudies *studies = &report->studies;

    studies->gpus = csv_table_load(GPUS, error);
    if (!studies->gpus)
        return FALSE;
    studies->npu_files = npu_files_load(studies->gpus, error);
    return studies->npu_files &&
           left_out_npus_run(report->simulator, LEFT_OUT, studies->npu_files,
                             study, error);
}

static gboolean add_kernels_section(Report *report, GError **error)
{
    g_autoptr(KernelStudy) study =
        kernel_study_run(report->simulator, "kernels", DATA, error);
    g_autofree char *csv = NULL;

    if (!study || !time_kernels_on_held_out_npus(report, study, error))
        return FALSE;
    report_add_heading(report,
                       "Kernels of real GPUs: errors of acesim's times, "
                       "on rows that nothing was fitted to");
    kernel_study_render(study, report->tables);
    csv = kernel_study_csv(study);
    if (!simulator_write_file(report->simulator, "kernels.csv", csv, error) ||
        !write_kernel_plots(report, study, error))
        return FALSE;
    report->studies.kernels = g_steal_pointer(&study);
    return TRUE;
}

static gboolean add_images_section(Report *report, GError **error)
{
    g_autoptr(ImageStudy) study =
        image_study_run(report->simulator, "images", NPUS, error);
    g_autofree char *npus = left_out_npus_folder(report->simulator, LEFT_OUT);
    g_autofree char *csv = NULL;

    if (!study)
        return FALSE;
    report->studies.images_left_out =
        image_study_run(report->simulator, "images-left-out", npus, error);
    if (!report->studies.images_left_out)
        return FALSE;
    report_add_heading(report,
                       "Whole networks on one GPU, by shapes alone: published "
                       "images/s of training and acesim's");
    image_study_render(study, report->tables);
    csv = image_study_csv(study);
    report->studies.images = g_steal_pointer(&study);
    return simulator_write_file(report->simulator, "images.csv", csv, error);
}

static gboolean add_contention_section(Report *report, GError **error)
{
    g_autoptr(GArray) results = contention_study_run(
        report->simulator, "contention", "validate/data/contention.csv", error);
    g_autofree char *csv = NULL;
    g_autofree ContentionVerdict *verdicts = NULL;

    if (!results)
        return FALSE;
    report_add_heading(report,
                       "Kernels beside communication: published slowdowns, and "
                       "gains in % of the ideal, beside simulated ones");
    contention_render(results, report->tables);
    verdicts = contention_verdicts(results);
    for (guint i = 0; i < CONTENTION_N_VERDICTS; i++)
        report_add_condition(report, verdicts[i].is_met, "%s",
                             verdicts[i].text);
    csv = contention_csv(results);
    report->studies.contention = g_steal_pointer(&results);
    return simulator_write_file(report->simulator, "contention.csv", csv,
                                error);
}

/* ---- pairs of kernels on our own GPUs ------------------------------------ */

#define OVERLAP_LIMIT_PERCENT 15

/* A folder of files that validate/gpu has written. */
typedef struct {
    const char *path, *title;
    const char *prefix; /* of the names of output files */
    /* TRUE if NPU files are fitted to these cards.  Their errors with the
     * constants of their own chip left out are then reported, too. */
    gboolean is_fitted;
} CardFolder;

static const CardFolder card_folders[] = {
    { DATA, "measured here", "", TRUE },
    { SECOND_CARDS, "measured on second cards, to which nothing is fitted",
      "second-card-", FALSE },
};

static char *npu_of_measured_file(const char *file)
{
    return g_strndup(file, strlen(file) - strlen(MEASURED_SUFFIX));
}

static void add_overlaps_text(Report *report, const CardFolder *folder,
                              const char *file, const GArray *pairs)
{
    OverlapScore work = overlap_study_score(pairs, NULL, NULL, FALSE);
    OverlapScore partner = overlap_study_score(pairs, NULL, NULL, TRUE);
    g_autofree char *heading = g_strdup_printf(
        "Kernels beside a reduction, a copy or a copy engine, %s: errors of "
        "slowdowns in %%; 'no slowdown' is the error of expecting none",
        folder->title);

    report_add_heading(report, heading);
    g_string_append_printf(report->tables, "  %s\n", file);
    overlap_study_render(pairs, report->tables);
    report_add_condition(
        report,
        work.mean_percent <= OVERLAP_LIMIT_PERCENT &&
            partner.mean_percent <= partner.trivial_mean_percent,
        "%s%s: slowdowns of %u kernels %.1f %% off in the mean, at most %d is "
        "right; of their partners %.1f %%, where expecting none is %.1f %%",
        folder->prefix, file, work.n, work.mean_percent, OVERLAP_LIMIT_PERCENT,
        partner.mean_percent, partner.trivial_mean_percent);
}

/* Simulates the pairs of @file on an NPU of the folder @npus. */
static GArray *simulate_overlaps_on_npu(const CardFolder *folder,
                                        const char *file, const char *npus,
                                        GError **error)
{
    g_autofree char *npu = npu_of_measured_file(file);
    g_autofree char *path = g_build_filename(folder->path, file, NULL);
    g_autofree char *npu_path = g_strdup_printf("%s/%s.yaml", npus, npu);

    return overlap_study_run(path, npu_path, error);
}

/* Simulates the pairs of @file without what was fitted to its chip, and keeps
 * them beside @pairs, which it takes. */
static gboolean keep_overlaps_of_file(Report *report, const CardFolder *folder,
                                      const char *file, GArray *pairs,
                                      GError **error)
{
    g_autofree char *npus = left_out_npus_folder(report->simulator, LEFT_OUT);
    OverlapFile kept = { .pairs = pairs };

    kept.left_out = simulate_overlaps_on_npu(folder, file, npus, error);
    if (!kept.left_out) {
        g_array_unref(pairs);
        return FALSE;
    }
    kept.npu = npu_of_measured_file(file);
    g_array_append_val(report->studies.overlaps, kept);
    return TRUE;
}

static gboolean write_csv_of_file(Report *report, const CardFolder *folder,
                                  const char *study, const char *file,
                                  const char *csv, GError **error)
{
    g_autofree char *npu = npu_of_measured_file(file);
    g_autofree char *name =
        g_strdup_printf("%s%s-%s.csv", folder->prefix, study, npu);

    return simulator_write_file(report->simulator, name, csv, error);
}

static gboolean add_overlaps_of_file(Report *report, const CardFolder *folder,
                                     const char *file, GError **error)
{
    g_autoptr(GArray) pairs =
        simulate_overlaps_on_npu(folder, file, NPUS, error);
    g_autofree char *csv = NULL;

    if (!pairs || pairs->len == 0)
        return pairs != NULL;
    add_overlaps_text(report, folder, file, pairs);
    csv = overlap_study_csv(pairs);
    return write_csv_of_file(report, folder, "overlap", file, csv, error) &&
           (!folder->is_fitted ||
            keep_overlaps_of_file(report, folder, file, g_steal_pointer(&pairs),
                                  error));
}

/* ---- lookups and copies by the driver on our own GPUs -------------------- */

static gboolean add_lone_rows_of_file(Report *report, const CardFolder *folder,
                                      const char *file, GError **error)
{
    g_autofree char *npu = npu_of_measured_file(file);
    g_autofree char *path = g_build_filename(folder->path, file, NULL);
    g_autofree char *npu_path = g_strdup_printf(NPUS "/%s.yaml", npu);
    g_autoptr(GArray) rows = isolated_kernel_study_run(path, npu_path, error);
    g_autofree char *heading = g_strdup_printf(
        "Lookups and copies by the driver, %s: errors of times in %%, and "
        "those of the nominal bandwidth",
        folder->title);
    g_autofree char *csv = NULL;

    if (!rows || rows->len == 0)
        return rows != NULL;
    report_add_heading(report, heading);
    g_string_append_printf(report->tables, "  %s\n", file);
    isolated_kernel_study_render(rows, report->tables);
    csv = isolated_kernel_study_csv(rows);
    return write_csv_of_file(report, folder, "lone", file, csv, error);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static gboolean add_card_folder(Report *report, const CardFolder *folder,
                                GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(folder->path, 0, error);
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    const char *file;

    while (dir && (file = g_dir_read_name(dir)))
        if (g_str_has_suffix(file, MEASURED_SUFFIX))
            g_ptr_array_add(files, g_strdup(file));
    g_ptr_array_sort(files, compare_names);
    for (guint i = 0; i < files->len; i++)
        if (!add_overlaps_of_file(report, folder, files->pdata[i], error) ||
            !add_lone_rows_of_file(report, folder, files->pdata[i], error))
            return FALSE;
    return dir != NULL;
}

static gboolean add_own_gpus_section(Report *report, GError **error)
{
    for (guint i = 0; i < G_N_ELEMENTS(card_folders); i++)
        if (!add_card_folder(report, &card_folders[i], error))
            return FALSE;
    return TRUE;
}

/* Compares kernels on second cards with acesim and with the first cards, whose
 * study has been run. */
static gboolean add_second_cards_section(Report *report, GError **error)
{
    g_autoptr(KernelStudy) study = kernel_study_run(
        report->simulator, "second-cards", SECOND_CARDS, error);
    g_autofree char *csv = NULL;

    if (!study)
        return FALSE;
    report_add_heading(report,
                       "Kernels on second cards, to which nothing is fitted: "
                       "errors of acesim's times and of those of the first "
                       "card of the same GPU");
    card_to_card_render(study, report->studies.kernels, report->tables);
    csv = kernel_study_csv(study);
    return simulator_write_file(report->simulator, "second-cards.csv", csv,
                                error);
}

/* Writes a file of points for each machine that has a curve. */
static gboolean write_collective_plots(Report *report,
                                       const CollectiveRows *rows,
                                       GError **error)
{
    guint n;

    for (guint i = 0; i < rows->rows->len; i += n) {
        g_autofree char *name = NULL;
        g_autofree char *points = NULL;

        n = published_collectives_count_rows_of_run(rows, i);
        points = collective_study_points(rows, i, n, &name);
        if (points &&
            !simulator_write_file(report->simulator, name, points, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean add_collectives_section(Report *report, GError **error)
{
    g_autoptr(CollectiveRows) rows =
        collective_study_run(report->simulator, "collectives", error);
    g_autoptr(GArray) verdicts = NULL;
    g_autofree char *csv = NULL;

    if (!rows)
        return FALSE;
    report_add_heading(report,
                       "Collectives of real machines: errors of acesim's "
                       "times in percent, mean / worst");
    collective_study_render(rows, report->tables);
    verdicts = collective_study_verdicts(rows);
    for (guint i = 0; i < verdicts->len; i++) {
        const CollectiveVerdict *verdict =
            &g_array_index(verdicts, CollectiveVerdict, i);

        report_add_condition(report, verdict->is_met, "%s", verdict->text);
    }
    csv = collective_study_csv(rows);
    if (!simulator_write_file(report->simulator, "collectives.csv", csv,
                              error) ||
        !write_collective_plots(report, rows, error))
        return FALSE;
    report->studies.collectives = g_steal_pointer(&rows);
    return TRUE;
}

static void check_chain_errors(Report *report, const GArray *results)
{
    ChainErrors all = chain_study_errors(results, 0);
    ChainErrors large = chain_study_errors(results, CHAIN_LARGE_BYTES);

    report_add_condition(
        report, all.mean_percent <= 5 && all.worst_percent <= 15,
        "chains of a DGX-1V, %u rows: %.1f / %.1f %% off, mean / "
        "worst; at most 5 / 15 is right",
        all.n, all.mean_percent, all.worst_percent);
    report_add_condition(
        report, large.mean_percent <= 5 && large.worst_percent <= 10,
        "chains of a DGX-1V, 64 MiB and more: %.1f / %.1f %%; at "
        "most 5 / 10 is right",
        large.mean_percent, large.worst_percent);
}

static gboolean add_chains_section(Report *report, GError **error)
{
    g_autoptr(GArray) results =
        chain_study_run(report->simulator, "chains",
                        "validate/data/blink/nvlink_bandwidth.csv", error);
    g_autofree char *csv = NULL;

    if (!results)
        return FALSE;
    report_add_heading(
        report, "Chains between two GPUs of a DGX-1V, configs/papers/blink: "
                "one set of constants, fitted to these rows");
    chain_study_render(results, report->tables);
    check_chain_errors(report, results);
    csv = chain_study_csv(results);
    report->studies.chains = g_steal_pointer(&results);
    return simulator_write_file(report->simulator, "chains.csv", csv, error);
}

gboolean report_add_hardware_studies(Report *report, GError **error)
{
    return add_kernels_section(report, error) &&
           add_images_section(report, error) &&
           add_contention_section(report, error) &&
           add_own_gpus_section(report, error) &&
           add_second_cards_section(report, error) &&
           add_chains_section(report, error) &&
           add_collectives_section(report, error);
}
