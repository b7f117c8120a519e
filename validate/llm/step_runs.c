/* step_runs.c - simulates published training steps; see step_runs.h */
#include "validate/llm/step_runs.h"

#include <stdio.h>

#define BASE "configs/runs/llama-70b-64.yaml"

/* A smaller run, and the factor of its time in the step. */
typedef struct {
    guint n_micro_batches, n_chunks, n_stages;
    double factor;
} StepPart;

#define STEP_MAX_PARTS 4

/* ---- parts of a row ------------------------------------------------------ */

/* Sets @ret to the runs whose times sum up to the step; returns
 * their number. */
static guint list_step_parts_of_row(const StepRow *row,
                                    StepPart ret[STEP_MAX_PARTS])
{
    guint n = step_row_n_micro_batches(row), p = row->pp, v = row->n_chunks;
    double x, y;

    if (p > 16) {
        guint more = v > 1 ? 8 : 6;

        x = (double)(n - 16) / 8;
        y = (double)(p - 4) / (more - 4);
        ret[0] = (StepPart){ 16, v, 4, 1 - x - y };
        ret[1] = (StepPart){ 24, v, 4, x };
        ret[2] = (StepPart){ 16, v, more, y };
        return 3;
    }
    if (v > 3 && n >= p) {
        x = (double)(n - p) / p;
        y = (double)v - 2;
        ret[0] = (StepPart){ p, 2, p, (1 - x) * (1 - y) };
        ret[1] = (StepPart){ 2 * p, 2, p, x * (1 - y) };
        ret[2] = (StepPart){ p, 3, p, (1 - x) * y };
        ret[3] = (StepPart){ 2 * p, 3, p, x * y };
        return 4;
    }
    if (n > 4 * p) {
        x = (double)(n - 2 * p) / p;
        ret[0] = (StepPart){ 2 * p, v, p, 1 - x };
        ret[1] = (StepPart){ 3 * p, v, p, x };
        return 2;
    }
    ret[0] = (StepPart){ n, v, p, 1 };
    return 1;
}

/* ---- runs as YAML -------------------------------------------------------- */

/* Models that are no files of configs/models. */
static const struct {
    const char *name;
    guint layers, hidden, heads, positions;
} shapes[] = {
    { "gpt-3.6b", 30, 3072, 32, 2048 },
    { "gpt-18.4b", 40, 6144, 48, 2048 },
};

/* Models of configs/models: their layers. */
static const struct {
    const char *name;
    guint layers;
} depths[] = {
    { "megatron-22b", 48 }, { "gpt-3-175b", 96 },    { "megatron-530b", 105 },
    { "megatron-1t", 128 }, { "llama-3.1-70b", 80 }, { "llama-3.1-405b", 126 },
};

#define GPT                                                                    \
    "gated: false, tied: true, norm_bias: true, bias: all, dropout: true"
#define WORDS_GPT2   50257 /* of GPT-2, not padded */
#define WORDS_PADDED 51200

static void append_gpt_model_yaml(GString *out, const char *name, guint layers,
                                  guint hidden, guint heads, guint positions,
                                  guint words)
{
    g_string_append_printf(
        out,
        "{name: %s, layers: %u, hidden: %u, heads: %u, ffn: %u, "
        "vocabulary: %u, positions: %u, " GPT "}",
        name, layers, hidden, heads, 4 * hidden, words, positions);
}

/* Appends the model; returns its layers. */
static guint append_model_yaml(GString *out, const StepRow *row)
{
    g_autofree char *root = g_get_current_dir();
    guint hidden, layers;

    if (sscanf(row->model, "gpt-h%u-l%u", &hidden, &layers) == 2) {
        append_gpt_model_yaml(out, row->model, layers, hidden, 16, 1024,
                              row->tp == 1 ? WORDS_GPT2 : WORDS_PADDED);
        return layers;
    }
    for (guint i = 0; i < G_N_ELEMENTS(shapes); i++)
        if (g_str_equal(row->model, shapes[i].name)) {
            append_gpt_model_yaml(out, row->model, shapes[i].layers,
                                  shapes[i].hidden, shapes[i].heads,
                                  shapes[i].positions, WORDS_PADDED);
            return shapes[i].layers;
        }
    g_string_append_printf(out, "%s/configs/models/%s.yaml", root, row->model);
    for (guint i = 0; i < G_N_ELEMENTS(depths); i++)
        if (g_str_equal(row->model, depths[i].name))
            return depths[i].layers;
    return 0;
}

typedef struct {
    const char *npu, *inner; /* the latter is a platform */
    guint n_inner;           /* GPUs of a node or a rack, as the rows use it */
    const char *nic, *outer; /* bandwidths */
} Machine;

static const Machine machines[] = {
    { "a100-80gb", "dgx-a100", 8, "31.5 GB/s", "25 GB/s" },
    { "h100-sxm", "hgx-h100", 8, "63 GB/s", "50 GB/s" },
    { "h200", "hgx-h200", 8, "63 GB/s", "50 GB/s" },
    { "b200", "hgx-b200", 8, "63 GB/s", "50 GB/s" },
    { "gb200", "gb200-nvl72", 4096, "63 GB/s", "50 GB/s" },
    { "gb300", "gb200-nvl72", 4096, "63 GB/s", "50 GB/s" },
};

static const Machine *find_machine_of_npu(const char *npu)
{
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++)
        if (g_str_equal(machines[i].npu, npu))
            return &machines[i];
    return NULL;
}

static void append_platform_yaml(GString *out, const StepRow *row, guint n_npus)
{
    const Machine *machine = find_machine_of_npu(row->npu);
    guint n = MIN(n_npus, machine->n_inner);

    if (n_npus == n) {
        g_string_append_printf(out,
                               "platform: {name: p, topology: %s, npu: %s}, "
                               "platform.topology.npus: %u",
                               machine->inner, row->npu, n);
        return;
    }
    g_string_append_printf(
        out,
        "platform: {name: p, topology: {kind: nested, count: %u, inner: %s, "
        "nics: %u, nic: {bandwidth: %s, latency: 250 ns, efficiency: 91 %%}, "
        "rails: true, outer: {kind: switch, bandwidth: %s, latency: 1 us, "
        "efficiency: 96 %%}}, npu: %s}, platform.topology.inner.npus: %u",
        n_npus / n, machine->inner, n, machine->nic, machine->outer, row->npu,
        n);
}

#define N_PIECES 4 /* of products beside collectives, as TE's defaults */

static void append_workload_yaml(GString *out, const StepRow *row,
                                 const StepPart *part, guint dp)
{
    gboolean is_whole = g_str_equal(row->attention, "unfused");
    gboolean divides = !is_whole || g_str_equal(row->recompute, "selective");
    guint n_layers, n_virtual = row->pp * row->n_chunks, each, n_kept;

    g_string_append(out, ", workload: {kind: transformer, name: w, model: ");
    n_layers = append_model_yaml(out, row);
    each = (n_layers + n_virtual - 1) / n_virtual;
    g_string_append_printf(
        out,
        ", sequence: %u, batch: {global: %u, micro: %u}, parallel: {tp: %u, "
        "cp: %u, pp: %u, sequence: %s, tp_pieces: %u}, schedule: {kind: %s",
        row->sequence, part->n_micro_batches * row->micro_batch * dp,
        row->micro_batch, row->tp, row->cp, part->n_stages,
        divides ? "true" : "false", row->overlaps_tp ? N_PIECES : 1,
        part->n_chunks > 1 ? "interleaved" : "1f1b");
    if (part->n_chunks > 1)
        g_string_append_printf(out, ", chunks: %u", part->n_chunks);
    g_string_append_printf(
        out, "}, shard: {kind: %s}, recompute: %s, attention: %s}",
        is_whole ? "replicated" : "zero-1", row->recompute, row->attention);
    n_kept = each * part->n_stages * part->n_chunks;
    /* The stages with a layer less are the first and the last. */
    if (part->n_stages == row->pp && each > 1)
        n_kept -= each * n_virtual - n_layers;
    if (n_kept != n_layers)
        g_string_append_printf(out, ", workload.model.layers: %u", n_kept);
    if (g_str_equal(row->model, "gpt-3-175b"))
        g_string_append_printf(out, ", workload.model.vocabulary: %u",
                               WORDS_PADDED);
    if (n_kept != n_layers || g_str_equal(row->model, "gpt-3-175b"))
        g_string_append(out, ", workload.model.parameters: 0");
}

/* Returns the case of a part of @run in a sweep. */
static char *sweep_case_of_part(const StepRun *run, const StepPart *part)
{
    const StepRow *row = run->row;
    guint dp = MAX(row->n_npus / (row->tp * row->cp * row->pp), 1);
    gboolean is_16_bit = g_str_has_suffix(row->precision, "16");
    GString *out = g_string_new("{");

    append_platform_yaml(out, row, row->tp * row->cp * part->n_stages * dp);
    g_string_append_printf(
        out,
        ", endpoint: {kind: baseline, name: sms, sms: %u, memory_bandwidth: "
        "50 %%, only_while_communicating: true}",
        row->overlaps_tp ? 8 : 24);
    append_workload_yaml(out, row, part, dp);
    g_string_append_printf(
        out,
        ", training: {precision: bf16, products: %s, gradient: %s, optimiser: "
        "adam, iterations: 1}%s}",
        is_16_bit ? "training" : row->precision,
        g_str_equal(row->source, "KORTHIKANTI") ||
                g_str_equal(row->source, "LLAMA3")
            ? "fp32"
            : "bf16",
        run->constants);
    return g_string_free(out, FALSE);
}

/* ---- simulation ---------------------------------------------------------- */

typedef struct {
    GString *cases;
    GHashTable *numbers; /* owned keys: number + 1 of each case, by its text */
    GArray *terms;       /* of Term */
} SweepBatch;

typedef struct {
    guint run, number;
    double factor;
} Term;

static void clear_sweep_batch(SweepBatch *batch)
{
    g_string_free(batch->cases, TRUE);
    g_hash_table_unref(batch->numbers);
    g_array_unref(batch->terms);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SweepBatch, clear_sweep_batch)

static void add_run_to_batch(SweepBatch *batch, const StepRun *run, guint index)
{
    StepPart parts[STEP_MAX_PARTS];
    guint n = list_step_parts_of_row(run->row, parts);

    for (guint i = 0; i < n; i++) {
        char *text = sweep_case_of_part(run, &parts[i]);
        guint found =
            GPOINTER_TO_UINT(g_hash_table_lookup(batch->numbers, text));
        Term term = { index, found, parts[i].factor };

        if (found == 0) {
            term.number = g_hash_table_size(batch->numbers) + 1;
            g_string_append_printf(batch->cases, "        r%u: %s\n",
                                   term.number, text);
            g_hash_table_insert(batch->numbers, text,
                                GUINT_TO_POINTER(term.number));
        } else {
            g_free(text);
        }
        g_array_append_val(batch->terms, term);
    }
}

/* Sets @ret_ms[number] for each case of the sweep. */
static gboolean read_step_times_of_cases(const CsvTable *table, double *ret_ms,
                                         guint n_cases, GError **error)
{
    for (guint i = 0; i < csv_table_n_rows(table); i++) {
        const char *name = simulator_cell_text(table, i, "row", error);
        double us;
        guint number;

        if (!name ||
            !simulator_cell_number(table, i, "iteration_time_us", &us, error))
            return FALSE;
        if (sscanf(name, "r%u", &number) == 1 && number <= n_cases)
            ret_ms[number] = us / 1000;
    }
    return TRUE;
}

gboolean step_runs_simulate_all(const Simulator *simulator, const char *name,
                                const GArray *runs, double *ret_ms,
                                GError **error)
{
    g_auto(SweepBatch) batch = {
        .cases = g_string_new(NULL),
        .numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .terms = g_array_new(FALSE, FALSE, sizeof(Term)),
    };
    g_autofree char *root = g_get_current_dir();
    g_autofree char *file = g_strdup_printf("%s.yaml", name);
    g_autofree char *path =
        g_strdup_printf("%s/%s.yaml", simulator->folder, name);
    g_autofree char *text = NULL;
    g_autofree double *times_ms = NULL;
    g_autoptr(CsvTable) table = NULL;
    guint n_cases;

    for (guint i = 0; i < runs->len; i++)
        add_run_to_batch(&batch, &g_array_index(runs, StepRun, i), i);
    n_cases = g_hash_table_size(batch.numbers);
    text = g_strdup_printf("base: %s/" BASE "\naxes:\n  - cases:\n      row:\n"
                           "%s",
                           root, batch.cases->str);
    if (!simulator_write_file(simulator, file, text, error))
        return FALSE;
    table = simulator_run_sweep(simulator, name, path, NULL, error);
    times_ms = g_new0(double, n_cases + 1);
    if (!table || !read_step_times_of_cases(table, times_ms, n_cases, error))
        return FALSE;
    for (guint i = 0; i < runs->len; i++)
        ret_ms[i] = 0;
    for (guint i = 0; i < batch.terms->len; i++) {
        const Term *term = &g_array_index(batch.terms, Term, i);

        if (times_ms[term->number] <= 0) {
            g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                        "%s: case r%u has no time", path, term->number);
            return FALSE;
        }
        ret_ms[term->run] += term->factor * times_ms[term->number];
    }
    return TRUE;
}
