/* accuracy.c - one line of errors for each family of measured rows */
#include "validate/accuracy/accuracy.h"

#include "sim/core/csv.h"
#include "validate/accuracy/families.h"
#include "validate/text_table.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

/* The beginning of the names of families of language models, which tests of the
 * other families leave out: their steps take minutes. */
#define LANGUAGE "language models: "

/* ---- the families -------------------------------------------------------- */

#define COMPUTE_RULES(same)                                                    \
    {                                                                          \
        "linear scaling", "linear scaling x the others' median slowdown",      \
            "linear scaling x the others' slowdown, same " same                \
    }
#define TIME_RULES(same)                                                       \
    {                                                                          \
        NULL, "the others' median time", "the others' time, same " same        \
    }
#define NOMINAL_RULES                                                          \
    {                                                                          \
        "nominal bandwidth",                                                   \
            "nominal bandwidth x the others' median "                          \
            "efficiency",                                                      \
            "nominal bandwidth x the others' efficiency, same size"            \
    }
#define ROOFLINE_RULES                                                         \
    {                                                                          \
        "roofline of the data sheet",                                          \
            "roofline x the others' median efficiency",                        \
            "roofline x the others' efficiency, same shape"                    \
    }
#define SLOWDOWN_RULES                                                         \
    {                                                                          \
        "no slowdown", "the others' median slowdown",                          \
            "the others' slowdown, same kernel and partner"                    \
    }

#define SPEEDUP_RULES                                                          \
    {                                                                          \
        "no difference", "the others' median speedup",                         \
            "the others' speedup, same pair"                                   \
    }

#define SHARE_RULES                                                            \
    {                                                                          \
        "constant share of the peak, as the others reach", NULL, NULL          \
    }
#define PEAK_RULES                                                             \
    {                                                                          \
        "FLOP at the peak", "FLOP at the others' median efficiency", NULL      \
    }

static const gboolean kernels = FALSE, partners = TRUE;

static const AccuracyFamily families[] = {
    { "ResNet-50 by 7 methods (DDL)", "network and count",
      TIME_RULES("method and count"), add_system_rows,
      &(const SystemDetail){ .table = "ddl-resnet50", .axes = "nf" } },
    { "Horovod with NCCL on 16 GPUs", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "horovod2017-16",
                             .axes = "sk",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .kind = "horovod-nccl" } },
    { "Horovod with MPI on 16 GPUs", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "horovod2017-16",
                             .axes = "sk",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .kind = "horovod-mpi" } },
    { "gRPC servers on 16 GPUs", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "horovod2017-16",
                             .axes = "sk",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .kind = "ps-grpc" } },
    { "Horovod by TCP on 16 V100 (dPRO)", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "dpro-16-horovod-tcp",
                             .axes = "sr",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .whole = "all" } },
    { "Horovod by RDMA on 16 V100 (dPRO)", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "dpro-16-horovod-rdma",
                             .axes = "sr",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .whole = "all" } },
    { "BytePS by TCP on 16 V100 (dPRO)", "model", COMPUTE_RULES("library"),
      add_system_rows,
      &(const SystemDetail){ .table = "dpro-16-byteps-tcp",
                             .axes = "sr",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .whole = "all" } },
    { "ResNet-50 in 1 to 214 groups by Horovod (dPRO)", "network",
      TIME_RULES("number of groups"), add_system_rows,
      &(const SystemDetail){ .table = "dpro-groups", .axes = "sx" } },
    { "Horovod on 16 to 128 V100 (dPRO)", "model and network",
      COMPUTE_RULES("network and count"), add_system_rows,
      &(const SystemDetail){ .table = "dpro-scale",
                             .axes = "sbx",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .not_system = "BERT Base dense",
                             .shown_rows_count = TRUE } },
    { "3 schedules of B-Caffe", "model and count", COMPUTE_RULES("schedule"),
      add_system_rows,
      &(const SystemDetail){
          .table = "bcaffe", .axes = "skn", .basis = SYSTEM_BASIS_COMPUTE } },
    { "3 schedules on 16 V100 (MG-WFBP)", "model, precision and network",
      COMPUTE_RULES("schedule"), add_system_rows,
      &(const SystemDetail){ .table = "v100-overlap",
                             .axes = "ssfr",
                             .basis = SYSTEM_BASIS_COMPUTE,
                             .whole = "all" } },
    { "OSU all-reduce of 4 B to 1 MiB on 10GbE",
      "count",
      { NULL, "bytes of a ring x the other's median rate",
        "bytes of a ring x the other's rate, same size" },
      add_system_rows,
      &(const SystemDetail){ .table = "osu-10gbe",
                             .axes = "rsx",
                             .basis = SYSTEM_BASIS_RING,
                             .whole = "both",
                             .count_of = "hosts",
                             .shown_rows_count = TRUE } },
    { "one all-reduce of 100 MiB on 10GbE", "count",
      TIME_RULES("or neighbouring counts"), add_system_rows,
      &(const SystemDetail){ .table = "contention-10gbe-alone",
                             .axes = "n",
                             .count_of = "hosts" } },
    { "contention of 2 to 4 jobs on 10GbE", "count",
      TIME_RULES("jobs, neighbouring counts"), add_system_rows,
      &(const SystemDetail){
          .table = "contention-10gbe", .axes = "nk", .count_of = "hosts" } },
    { "speedups: pairs of 7 methods (DDL)", "network and count", SPEEDUP_RULES,
      add_speedup_rows,
      &(const SystemDetail){ .table = "ddl-resnet50", .axes = "nf" } },
    { "speedups: pairs of Horovod and servers on 16 GPUs", "model",
      SPEEDUP_RULES, add_speedup_rows,
      &(const SystemDetail){ .table = "horovod2017-16", .axes = "sk" } },
    { "speedups: pairs of 3 schedules (B-Caffe)", "model and count",
      SPEEDUP_RULES, add_speedup_rows,
      &(const SystemDetail){ .table = "bcaffe", .axes = "skn" } },
    { "speedups: pairs of 3 schedules (MG-WFBP)", "model, precision, network",
      SPEEDUP_RULES, add_speedup_rows,
      &(const SystemDetail){
          .table = "v100-overlap", .axes = "ssfr", .whole = "all" } },
    { "NCCL in a machine below 1 MiB", "machine and count", TIME_RULES("size"),
      add_collective_rows,
      &(const CollectiveDetail){ .below = MIB, .is_constant = TRUE } },
    { "NCCL in a machine of 1 to 256 MiB", "machine and count", NOMINAL_RULES,
      add_collective_rows,
      &(const CollectiveDetail){ .from = MIB, .below = 256 * MIB + 1 } },
    { "NCCL in a machine above 256 MiB", "machine and count", NOMINAL_RULES,
      add_collective_rows,
      &(const CollectiveDetail){ .from = 256 * MIB + 1,
                                 .below = G_MAXDOUBLE } },
    { "NCCL through machines below 1 MiB", "cluster", TIME_RULES("size"),
      add_collective_rows,
      &(const CollectiveDetail){
          .is_cluster = TRUE, .below = MIB, .is_constant = TRUE } },
    { "NCCL through machines of 1 to 256 MiB", "cluster", NOMINAL_RULES,
      add_collective_rows,
      &(const CollectiveDetail){
          .is_cluster = TRUE, .from = MIB, .below = 256 * MIB + 1 } },
    { "NCCL through machines above 256 MiB", "cluster", NOMINAL_RULES,
      add_collective_rows,
      &(const CollectiveDetail){
          .is_cluster = TRUE, .from = 256 * MIB + 1, .below = G_MAXDOUBLE } },
    { "all-reduces of DeepBench on PCIe",
      "GPU and count",
      { "nominal bandwidth",
        "nominal bandwidth x the others' median efficiency",
        "the others' time, same size and count" },
      add_collective_rows,
      &(const CollectiveDetail){ .is_deepbench = TRUE } },
    { "chains of NVLinks (Blink)", "pair of GPUs and its chains", NOMINAL_RULES,
      add_chain_rows, NULL },
    { "streams",
      "chip",
      { "nominal bandwidth",
        "nominal bandwidth x the others' median efficiency",
        "nominal bandwidth x the others' efficiency, as many bytes in flight" },
      add_kernel_rows,
      &(const KernelDetail){ .families =
                                 "init|read|scale|triad|3pt|5pt|babelstream*|"
                                 "measured copy|measured sum|measured read|"
                                 "measured write|measured mix|measured fma" } },
    { "CUB sums",
      "chip",
      { "nominal bandwidth", NULL, NULL },
      add_kernel_rows,
      &(const KernelDetail){ .families = "CUB sum", FALSE } },
    { "small kernels", "chip", TIME_RULES("size"), add_kernel_rows,
      &(const KernelDetail){ .families = "small kernels|scale in a queue|"
                                         "measured small copy",
                             .is_constant = TRUE } },
    { "products", "chip", ROOFLINE_RULES, add_kernel_rows,
      &(const KernelDetail){ .families = "product*|measured product", FALSE } },
    { "convolutions", "chip", ROOFLINE_RULES, add_kernel_rows,
      &(const KernelDetail){ .families = "convolution*", FALSE } },
    { "recurrent layers", "chip", ROOFLINE_RULES, add_kernel_rows,
      &(const KernelDetail){ .families = "recurrent*", FALSE } },
    { "training on one GPU",
      "network and GPU",
      { "FLOP at the peak", "FLOP at the others' median efficiency",
        "FLOP at the others' efficiency, same network" },
      add_image_rows,
      NULL },
    { "H800: kernels beside communication",
      "kernel",
      { "no slowdown", "the others' median slowdown", NULL },
      add_contention_rows,
      &(const ContentionDetail){ .group = "h800",
                                 .kernels_are_systems = TRUE } },
    { "other GPUs: kernels beside communication",
      "GPU",
      { "no slowdown", "the others' median slowdown or gain", NULL },
      add_contention_rows,
      &(const ContentionDetail){ .group = "h800" } },
    { "own GPUs: kernels beside a partner", "GPU and pair", SLOWDOWN_RULES,
      add_overlap_rows, &kernels },
    { "own GPUs: the partners", "GPU and pair", SLOWDOWN_RULES,
      add_overlap_rows, &partners },
    { LANGUAGE "one machine of A100 (vTrain)", "model", SHARE_RULES,
      add_step_rows,
      &(const StepDetail){ .filter = { .set = "vtrain-single" },
                           .is_refitted = TRUE } },
    { LANGUAGE "several machines of A100 (vTrain)", "model", SHARE_RULES,
      add_step_rows,
      &(const StepDetail){ .filter = { .set = "vtrain-multi" },
                           .is_refitted = TRUE } },
    { LANGUAGE "8 to 512 A100 (Korthikanti)", "model", PEAK_RULES,
      add_step_rows,
      &(const StepDetail){ .filter = { .set = "korthikanti" } } },
    { LANGUAGE "H100 in FP8", "model", SHARE_RULES, add_step_rows,
      &(const StepDetail){ .filter = { .npu = "h100-sxm", .precision = "fp8" },
                           .is_refitted = TRUE } },
    { LANGUAGE "H200 in FP8", "model", SHARE_RULES, add_step_rows,
      &(const StepDetail){ .filter = { .npu = "h200" }, .is_refitted = TRUE } },
    { LANGUAGE "H100 in BF16 (Llama 3)", "model", PEAK_RULES, add_step_rows,
      &(const StepDetail){ .filter = { .set = "llama3" } } },
    { LANGUAGE "Blackwell in FP8 and MXFP8", "GPU", SHARE_RULES, add_step_rows,
      &(const StepDetail){
          .filter = { .family = "blackwell", .not_precision = "nvfp4" },
          .is_refitted = TRUE } },
    { LANGUAGE "Blackwell in NVFP4", "GPU", SHARE_RULES, add_step_rows,
      &(const StepDetail){
          .filter = { .family = "blackwell", .precision = "nvfp4" },
          .is_refitted = TRUE } },
};

static gint compare_ratios(gconstpointer a, gconstpointer b)
{
    double x = ((const AccuracyLine *)a)->judgement.ratio;
    double y = ((const AccuracyLine *)b)->judgement.ratio;

    return (x < y) - (x > y);
}

static guint count_rules_of_family(const AccuracyFamily *family)
{
    guint rules = 0;

    for (JudgeRule rule = JUDGE_RULE_BASIS; rule < JUDGE_N_RULES; rule++)
        if (family->rules[rule])
            rules |= 1U << rule;
    return rules;
}

GArray *accuracy_judge(const MeasuredStudies *studies, GError **error)
{
    g_autoptr(GArray) lines = g_array_new(FALSE, TRUE, sizeof(AccuracyLine));

    for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
        g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(JudgeRow));
        AccuracyLine line = { .family = &families[i] };

        /* The other studies run together, or none of them does. */
        if (!studies->kernels && families[i].add_rows != add_step_rows)
            continue;
        if (!families[i].add_rows(studies, &families[i], rows, error))
            return NULL;
        if (rows->len == 0)
            continue;
        line.judgement = judge_rows(rows, count_rules_of_family(&families[i]));
        g_array_append_val(lines, line);
    }
    g_array_sort(lines, compare_ratios);
    return g_steal_pointer(&lines);
}

/* ---- texts --------------------------------------------------------------- */

static const AccuracyLine *accuracy_line_at(const GArray *lines, guint i)
{
    return &g_array_index(lines, AccuracyLine, i);
}

/* Returns how the error left out came about. */
static char *held_out_error_text(const Judgement *judgement)
{
    if (judgement->n_left_out_rows == 0)
        return g_strdup("- (all fitted)");
    return g_strdup_printf("%.1f (%s, %u of %u)", judgement->left_out_percent,
                           judgement->is_refitted ? "refitted" : "not refitted",
                           judgement->n_left_out_systems, judgement->n_systems);
}

/* Appends a sentence for each family that the simulator predicts no better than
 * the simple rule. */
static void append_families_that_lose(const GArray *lines, const char *bullet,
                                      GString *out)
{
    for (guint i = 0; i < lines->len; i++) {
        const AccuracyLine *line = accuracy_line_at(lines, i);
        const Judgement *judgement = &line->judgement;

        if (judge_beats_rule(judgement))
            continue;
        g_string_append_printf(
            out,
            "%sThe simulator does not beat the simple rule for %s: %.1f %% "
            "against %.1f %%%s.\n",
            bullet, line->family->name,
            judgement->n_left_out_rows > 0 ? judgement->left_out_percent
                                           : judgement->by_system_percent,
            judgement->rule_percent,
            judgement->n_left_out_rows > 0
                ? ""
                : ", although constants were fitted to all "
                  "of its systems");
    }
}

void accuracy_render(const GArray *lines, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("lrrrrlrrl");

    text_table_add_row(table, "family\trows\tsystems\tby row %%\tby system "
                              "%%\tworst system\tleft out %%\trule "
                              "%%\tsimple rule");
    for (guint i = 0; i < lines->len; i++) {
        const AccuracyLine *line = accuracy_line_at(lines, i);
        const Judgement *judgement = &line->judgement;
        g_autofree char *left_out = held_out_error_text(judgement);

        text_table_add_row(
            table, "%s\t%u\t%u\t%.1f\t%.1f\t%s: %.1f\t%s\t%.1f\t%s",
            line->family->name, judgement->n_rows, judgement->n_systems,
            judgement->by_row_percent, judgement->by_system_percent,
            judgement->worst_system, judgement->worst_system_percent, left_out,
            judgement->rule_percent, line->family->rules[judgement->rule]);
    }
    text_table_render(table, out);
    g_string_append_c(out, '\n');
    append_families_that_lose(lines, "  ", out);
}

char *accuracy_markdown(const GArray *lines)
{
    GString *out = g_string_new(
        "| family | rows | systems (each a) | by row | by system | worst system "
        "| **left out** | simple rule | its error |\n"
        "|---|---|---|---|---|---|---|---|---|\n");

    for (guint i = 0; i < lines->len; i++) {
        const AccuracyLine *line = accuracy_line_at(lines, i);
        const Judgement *judgement = &line->judgement;
        g_autofree char *left_out = held_out_error_text(judgement);

        g_string_append_printf(
            out,
            "| %s | %u | %u (%s) | %.1f | %.1f | %s: %.1f | %s | %s | %.1f |\n",
            line->family->name, judgement->n_rows, judgement->n_systems,
            line->family->system, judgement->by_row_percent,
            judgement->by_system_percent, judgement->worst_system,
            judgement->worst_system_percent, left_out,
            line->family->rules[judgement->rule], judgement->rule_percent);
    }
    g_string_append_c(out, '\n');
    append_families_that_lose(lines, "- ", out);
    return g_string_free(out, FALSE);
}

char *accuracy_csv(const GArray *lines)
{
    GString *out = g_string_new(
        "family,system,rows,systems,by_row_percent,by_system_percent,"
        "worst_system,worst_system_percent,left_out_rows,left_out_systems,"
        "refitted,left_out_percent,rule,rule_percent\n");

    for (guint i = 0; i < lines->len; i++) {
        const AccuracyLine *line = accuracy_line_at(lines, i);
        const Judgement *judgement = &line->judgement;

        csv_add_text(out, line->family->name);
        csv_add_text(out, line->family->system);
        g_string_append_printf(out, "%u,%u,%.2f,%.2f,", judgement->n_rows,
                               judgement->n_systems, judgement->by_row_percent,
                               judgement->by_system_percent);
        csv_add_text(out, judgement->worst_system);
        g_string_append_printf(
            out, "%.2f,%u,%u,%s,%.2f,", judgement->worst_system_percent,
            judgement->n_left_out_rows, judgement->n_left_out_systems,
            judgement->is_refitted ? "yes" : "no", judgement->left_out_percent);
        csv_add_text(out, line->family->rules[judgement->rule]);
        g_string_append_printf(out, "%.2f,", judgement->rule_percent);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
