/* report.c - runs all validations and combines their results in one text */
#include "validate/report.h"

#include "validate/accuracy/accuracy.h"
#include "validate/closed_form_cases.h"
#include "validate/deviation.h"
#include "validate/fidelity_study.h"
#include "validate/memory_study.h"
#include "validate/published_figures.h"
#include "validate/report_impl.h"
#include "validate/training_runs.h"

/* A copy of accuracy.csv of a whole run, which is part of acesim. */
#define SHIPPED_FAMILIES "sim/study/expected_error/families.csv"

static void clear_validation_report(Report *report)
{
    g_string_free(report->verdict, TRUE);
    g_string_free(report->tables, TRUE);
    g_array_unref(report->figures);
    measured_studies_clear(&report->studies);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Report, clear_validation_report)

/* ---- report section of closed forms -------------------------------------- */

static gboolean add_closed_forms_section(Report *report, GError **error)
{
    g_autoptr(GArray) results = closed_run_all(report->simulator, error);
    g_autofree char *csv = NULL;
    guint n_wrong;

    if (!results)
        return FALSE;
    report_add_heading(report, "Closed forms: the simulator must equal them");
    n_wrong = closed_results_render(results, report->tables);
    report_add_condition(
        report, n_wrong == 0,
        "closed forms: %u of %u agree (to the picosecond where no "
        "tolerance is named)",
        results->len - n_wrong, results->len);
    csv = closed_results_csv(results);
    return simulator_write_file(report->simulator, "closed-forms.csv", csv,
                                error);
}

/* ---- report section of training ------------------------------------------ */

/* Keys of published.csv and the workloads of the sweep that they belong to. */
static const struct {
    const char *key, *workload;
} workloads[] = {
    { "speedup.resnet-50", "resnet-50" },
    { "speedup.gnmt", "gnmt" },
    { "speedup.dlrm", "dlrm" },
};

static void add_speedup_figures(Report *report, const char *setting,
                                const GArray *pairs, guint i)
{
    const char *name = workloads[i].workload;
    g_autofree char *mean = g_strconcat(workloads[i].key, ".mean", NULL);
    g_autofree char *max = g_strconcat(workloads[i].key, ".max", NULL);
    g_autofree char *best = training_best_baselines_text(pairs, name);

    published_figures_add(
        report->figures, mean, setting,
        training_mean_over_pairs(pairs, name, training_speedup),
        "compute gain %.3f; best baselines: %s; over "
        "overlapping ones %.3f",
        training_mean_over_pairs(pairs, name, training_compute_gain), best,
        training_mean_over_pairs(pairs, name, training_overlap_speedup));
    published_figures_add(
        report->figures, max, setting,
        training_max_over_pairs(pairs, name, training_speedup),
        "compute gain %.3f",
        training_max_over_pairs(pairs, name, training_compute_gain));
}

static void add_gain_figures(Report *report, const char *setting,
                             const GArray *pairs)
{
    for (guint i = 0; i < G_N_ELEMENTS(workloads); i++)
        add_speedup_figures(report, setting, pairs, i);
    published_figures_add(
        report->figures, "network.mean", setting,
        training_mean_over_pairs(pairs, NULL, training_network_gain),
        "over no-overlap %.2f, comm-opt %.2f, comp-opt %.2f",
        training_mean_network_gain(pairs, 0),
        training_mean_network_gain(pairs, 1),
        training_mean_network_gain(pairs, 2));
    published_figures_add(
        report->figures, "network.max", setting,
        training_max_over_pairs(pairs, NULL, training_network_gain),
        "best baseline by iteration time, while "
        "communicating");
}

/* Checks the conditions of the setting `isca21`. */
static void check_training_order(Report *report, const GArray *pairs)
{
    const CompareTolerance ten = { .below_percent = 10, .above_percent = 10 };
    double dlrm = training_mean_over_pairs(pairs, "dlrm", training_speedup);
    guint n = training_n_pairs_in_expected_order(pairs);

    report_add_condition(
        report, n == pairs->len,
        "isca21: ideal <= ace <= every baseline in %u of %u pairs of "
        "workload and size",
        n, pairs->len);
    report_add_condition(
        report, deviation_is_within_tolerance(dlrm, 1.13, &ten),
        "isca21: DLRM speedup %.3f, within 10 %% of 1.13 with nothing "
        "fitted",
        dlrm);
}

static gboolean add_training_section(Report *report, const char *setting,
                                     const char *compute, GError **error)
{
    g_autofree char *set = g_strconcat("training.compute=", compute, NULL);
    const char *const arguments[] = { "--set", set, NULL };
    g_autofree char *title = g_strdup_printf(
        "Training, setting %s (training.compute: %s)", setting, compute);
    g_autoptr(CsvTable) table =
        simulator_run_sweep(report->simulator, setting,
                            "configs/papers/ace/isca21.yaml", arguments, error);
    g_autoptr(GArray) pairs =
        table ? training_pairs_from_table(table, error) : NULL;

    if (!pairs)
        return FALSE;
    add_gain_figures(report, setting, pairs);
    if (g_str_equal(setting, "isca21"))
        check_training_order(report, pairs);
    report_add_heading(report, title);
    training_render(pairs, report->tables);
    return TRUE;
}

/* ---- report section of memory bandwidth ---------------------------------- */

static const guint sizes[] = { 16, 64 };

/* The bandwidths that [ISCA21] reserves, recalled from the paper. */
#define BASELINE_GB_PER_S 450.0
#define ACE_GB_PER_S      128.0

static void add_needed_memory_figure(Report *report, const char *where,
                                     const MemoryCurve *curve, const char *key,
                                     double published_gb_per_s)
{
    double part = 100 * memory_study_fraction_at(curve, published_gb_per_s);

    if (curve->is_reached)
        published_figures_add(report->figures, key, where,
                              curve->share_gb_per_s,
                              "reads %.1f; %.0f give %.1f %% of ideal",
                              curve->reads_gb_per_s, published_gb_per_s, part);
    else
        published_figures_add(report->figures, key, where, 0,
                              "not reached: %s binds; %.0f give %.1f %% of "
                              "ideal",
                              memory_study_limit_text(curve),
                              published_gb_per_s, part);
}

typedef struct {
    /* The quotient baseline / ace; 0 if 90 % is not reached. */
    double reads, shares;
} MemoryRatio;

static MemoryRatio memory_ratio_of_curves(const MemoryCurve *baseline,
                                          const MemoryCurve *ace)
{
    if (!baseline->is_reached || !ace->is_reached)
        return (MemoryRatio){ 0, 0 };
    return (MemoryRatio){ baseline->reads_gb_per_s / ace->reads_gb_per_s,
                          baseline->share_gb_per_s / ace->share_gb_per_s };
}

/* Adds the results for one size of platform and returns their ratio. */
static MemoryRatio add_memory_ratio(Report *report, const char *setting,
                                    const GArray *curves, guint n_npus)
{
    const MemoryCurve *baseline =
        memory_study_find_curve(curves, "baseline", n_npus);
    const MemoryCurve *ace = memory_study_find_curve(curves, "ace", n_npus);
    g_autofree char *where = g_strdup_printf("%s, %u NPUs", setting, n_npus);
    MemoryRatio ratio = { 0, 0 };

    if (!baseline || !ace)
        return ratio;
    add_needed_memory_figure(report, where, baseline, "memory.baseline",
                             BASELINE_GB_PER_S);
    add_needed_memory_figure(report, where, ace, "memory.ace", ACE_GB_PER_S);
    ratio = memory_ratio_of_curves(baseline, ace);
    if (ratio.reads > 0)
        published_figures_add(report->figures, "memory.ratio", where,
                              ratio.reads, "of reads; of shares %.3f",
                              ratio.shares);
    else
        published_figures_add(
            report->figures, "memory.ratio", where, 0, "not reached: %s binds",
            memory_study_limit_text(baseline->is_reached ? ace : baseline));
    return ratio;
}

/* Checks the ratio of the reads, which are measured.  The tolerance allows for
 * the three decimals of rates in the CSV. */
static void check_memory_ratios(Report *report, const MemoryRatio *ratios)
{
    gboolean is_right = TRUE;

    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        is_right &=
            ratios[i].reads >= 3.0 - 1e-3 && ratios[i].reads <= 4.0 + 1e-3;
    report_add_condition(
        report, is_right,
        "memory: for 90 %% of the ideal network bandwidth a baseline "
        "reads %.3f (16 NPUs), %.3f (64 NPUs) times what ace reads; "
        "3.0 to 4.0 is right (shares: %.3f, %.3f)",
        ratios[0].reads, ratios[1].reads, ratios[0].shares, ratios[1].shares);
}

static gboolean add_memory_section(Report *report, const char *setting,
                                   const char *name, const char *title,
                                   GError **error)
{
    g_autofree char *sweep =
        g_strdup_printf("configs/papers/ace/%s.yaml", name);
    g_autoptr(GArray) curves =
        memory_study_run(report->simulator, name, sweep, error);
    MemoryRatio ratios[G_N_ELEMENTS(sizes)];

    if (!curves)
        return FALSE;
    report_add_heading(report, title);
    memory_study_render(curves, report->tables);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        ratios[i] = add_memory_ratio(report, setting, curves, sizes[i]);
    if (g_str_equal(setting, "roomy"))
        check_memory_ratios(report, ratios);
    return TRUE;
}

static gboolean add_fidelity_section(Report *report, GError **error)
{
    g_autoptr(GArray) results =
        fidelity_study_run(report->simulator, "fidelity", error);
    g_autofree char *csv = NULL;

    if (!results)
        return FALSE;
    report_add_heading(report,
                       "Messages as trains against every packet: deviation of "
                       "iteration times");
    fidelity_study_render(results, report->tables);
    csv = fidelity_study_csv(results);
    return simulator_write_file(report->simulator, "fidelity.csv", csv, error);
}

/* ---- the whole validation report ----------------------------------------- */

static gboolean add_published_section(Report *report, GString *out,
                                      GError **error)
{
    g_autoptr(CsvTable) published =
        csv_table_load("validate/published.csv", error);
    g_autoptr(GString) csv = g_string_new(NULL);

    return published &&
           published_figures_render(published, report->figures, out, csv,
                                    error) &&
           simulator_write_file(report->simulator, "validate.csv", csv->str,
                                error);
}

static gboolean run_all_sections(Report *report, GError **error)
{
    return add_closed_forms_section(report, error) &&
           add_training_section(report, "roofline", "roofline", error) &&
           add_training_section(report, "isca21", "measured", error) &&
           add_memory_section(
               report, "roomy", "memory-bandwidth",
               "Memory bandwidth of one 64 MiB all-reduce, GB/s; SRAM, "
               "FSMs and SMs do not bind",
               error) &&
           add_memory_section(
               report, "published", "memory-bandwidth-published",
               "The same with the published 6 SMs, 4 MiB and 16 FSMs", error) &&
           report_add_hardware_studies(report, error) &&
           report_add_systems(report, error) && report_add_llm(report, error) &&
           add_fidelity_section(report, error);
}

static void report_init(Report *report, const Simulator *simulator)
{
    *report = (Report){ .simulator = simulator,
                        .verdict = g_string_new(NULL),
                        .tables = g_string_new(NULL),
                        .figures = published_figures_new(),
                        .is_right = TRUE };
    measured_studies_init(&report->studies);
}

/* Writes the errors of the families that have run.  Returns them as an array of
 * AccuracyLine, and sets *@ret_csv to the text, which the caller owns. */
static GArray *write_accuracy(const Report *report, char **ret_csv,
                              GError **error)
{
    g_autoptr(GArray) lines = accuracy_judge(&report->studies, error);

    *ret_csv = lines ? accuracy_csv(lines) : NULL;
    if (!lines || !simulator_write_file(report->simulator, "accuracy.csv",
                                        *ret_csv, error))
        return NULL;
    return g_steal_pointer(&lines);
}

/* Adds a check that each line of @csv is in the file from which acesim reads
 * the expected error of a run. */
static gboolean check_shipped_families(Report *report, const char *csv,
                                       GError **error)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) shipped = NULL;
    g_auto(GStrv) lines = g_strsplit(csv, "\n", -1);
    guint n_missing = 0;

    if (!g_file_get_contents(SHIPPED_FAMILIES, &text, NULL, error))
        return FALSE;
    shipped = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        n_missing += !g_strv_contains((const char *const *)shipped, lines[i]);
    report_add_condition(
        report, n_missing == 0,
        "accuracy: %u of %u families differ from those of %s, by which acesim "
        "tells the error to expect%s",
        n_missing, g_strv_length(lines) - 2, SHIPPED_FAMILIES,
        n_missing == 0 ? "" : "; copy accuracy.csv of a whole run there");
    return TRUE;
}

static gboolean add_accuracy_table(Report *report, GString *out, GError **error)
{
    g_autofree char *csv = NULL;
    g_autoptr(GArray) lines = write_accuracy(report, &csv, error);

    if (!lines || !check_shipped_families(report, csv, error))
        return FALSE;
    g_string_append(out, "Errors in percent for each family of measured rows, "
                         "the worst against its simple rule first\n\n");
    accuracy_render(lines, out);
    g_string_append_c(out, '\n');
    return TRUE;
}

char *report_text(const Simulator *simulator, gboolean is_steps,
                  gboolean *is_right, GError **error)
{
    g_auto(Report) report = { 0 };
    g_autoptr(GString) accuracy = g_string_new(NULL);
    g_autoptr(GString) out = g_string_new(NULL);

    report_init(&report, simulator);
    if (!(is_steps ? report_add_llm(&report, error)
                   : run_all_sections(&report, error)) ||
        !add_accuracy_table(&report, accuracy, error))
        return NULL;
    g_string_append_printf(out, "%s\n\n%s\n%s",
                           report.is_right ? "All that must hold holds."
                                           : "NOT all that must hold holds.",
                           report.verdict->str, accuracy->str);
    *is_right = report.is_right;
    if (!is_steps) {
        g_string_append(out,
                        "Published figures [ISCA21] beside simulated ones; "
                        "deviations are reported, not judged\n\n");
        if (!add_published_section(&report, out, error))
            return NULL;
    }
    g_string_append(out, report.tables->str);
    return g_string_free(g_steal_pointer(&out), FALSE);
}

char *report_accuracy(const Simulator *simulator, GError **error)
{
    g_auto(Report) report = { 0 };
    g_autofree char *csv = NULL;
    g_autoptr(GArray) lines = NULL;

    report_init(&report, simulator);
    if (!report_add_hardware_studies(&report, error) ||
        !report_add_systems(&report, error))
        return NULL;
    lines = write_accuracy(&report, &csv, error);
    return lines ? accuracy_markdown(lines) : NULL;
}
