/* overlap_study.c - slowdowns of kernels beside reductions, copies and copy
 * engines on a GPU: measured and simulated */
#include "validate/kernels/overlap_study.h"

#include <math.h>
#include <string.h>

#include "models/npu/kernel_time.h"
#include "sim/config/config.h"
#include "validate/kernels/measured_table.h"
#include "validate/text_table.h"

/* The own gemm kernel computes tiles of 128 x 128 results, one on an SM at a
 * time. */
#define OWN_TILE 128

/* ---- reading of measured pairs ------------------------------------------- */

/* A row of the CSV file of validate/gpu.  The table owns the texts. */
typedef struct {
    const char *family, *kernel, *dtype, *beside, *beside_kernel, *pair;
    const char *first, *priority;
    double batch_launches; /* launches in a row; 0: one */
    double n_sms, m, n, k, bytes, read_bytes, write_bytes, flop, beside_n_sms;
    double alone_us, median_us;
} Row;

#define TEXT(field)   MEASURED_COLUMN(Row, field, MEASURED_TEXT)
#define NUMBER(field) MEASURED_COLUMN(Row, field, MEASURED_NUMBER)

static const MeasuredColumn columns[] = {
    TEXT(family),
    TEXT(kernel),
    TEXT(dtype),
    TEXT(beside),
    TEXT(pair),
    TEXT(beside_kernel),
    NUMBER(n_sms),
    NUMBER(m),
    NUMBER(n),
    NUMBER(k),
    NUMBER(bytes),
    NUMBER(read_bytes),
    NUMBER(write_bytes),
    NUMBER(flop),
    NUMBER(beside_n_sms),
    NUMBER(alone_us),
    NUMBER(median_us),
    TEXT(first),
    TEXT(priority),
    NUMBER(batch_launches),
};

/* In `order`, one kernel is launched before the other, or with priority. */
static const char *const pair_families[] = { "overlap", "same-sm", "order",
                                             NULL };

/* Returns whether @row is the compute kernel of a pair that is simulated. */
static gboolean is_simulated_pair(const Row *row)
{
    return g_strv_contains(pair_families, row->family) &&
           (g_str_equal(row->beside, "reduce") ||
            g_str_equal(row->beside, "copy") ||
            g_str_equal(row->beside, "engine-d2h")) &&
           row->alone_us > 0 && row->median_us > 0;
}

/* Returns the row of the partner of @row, or NULL. */
static const Row *find_partner_row(const GArray *rows, guint i)
{
    const Row *row = &g_array_index(rows, Row, i);

    for (guint j = i + 1; j < rows->len; j++) {
        const Row *other = &g_array_index(rows, Row, j);

        if (g_str_equal(other->pair, row->pair) && other->alone_us > 0 &&
            g_str_equal(other->kernel, row->beside_kernel))
            return other;
    }
    return NULL;
}

/* ---- simulation of a pair ------------------------------------------------ */

static Precision precision_of_row(const Row *row)
{
    return g_str_equal(row->dtype, "fp32")   ? PRECISION_FP32
           : g_str_equal(row->dtype, "fp16") ? PRECISION_FP16
                                             : PRECISION_BF16;
}

static OpWork kernel_work_of_row(const Row *row)
{
    return (OpWork){
        .flop = (uint64_t)row->flop,
        .bytes = (uint64_t)(row->read_bytes + row->write_bytes),
        .written_bytes = (uint64_t)row->write_bytes,
        .product = { .m = (uint64_t)row->m,
                     .n = (uint64_t)row->n,
                     .k = (uint64_t)row->k },
        .precision = precision_of_row(row),
    };
}

/* Returns the NPU on which the kernel of @row is timed.  Products of the own
 * kernel reach the rate that was measured alone.  The other kernels that are no
 * products compute outside of the matrix units, at the FP32 rate. */
static NpuConfig npu_that_times_row(const NpuConfig *npu, const Row *row)
{
    NpuConfig ret = *npu;
    double tiles = ceil(row->m / OWN_TILE) * ceil(row->n / OWN_TILE);
    double n_sms = (double)npu->n_sms;

    ret.launch_ps = 0; /* The windows contain many kernels without gaps. */
    if (g_str_equal(row->kernel, "own")) {
        memset(&ret.precisions, 0, sizeof ret.precisions);
        ret.tile_results = OWN_TILE * OWN_TILE;
        ret.efficiency_ppm = 1000000;
        ret.flop_per_s = (uint64_t)(row->flop / row->alone_us * 1e6 *
                                    ceil(tiles / n_sms) * n_sms / tiles);
    } else if (row->m <= 0 && npu->precisions.fp32.flop_per_s > 0) {
        ret.flop_per_s = npu->precisions.fp32.flop_per_s;
    }
    return ret;
}

static void ignore_hbm_rate_change(gpointer self, HbmStream stream,
                                   uint64_t bytes_per_s)
{
    (void)self;
    (void)stream;
    (void)bytes_per_s;
}

static void simulate_kernel_pair(const NpuConfig *npu, const Row *row,
                                 const Row *partner, OverlapPair *ret)
{
    const NpuConfig own = npu_that_times_row(npu, row);
    const ComputeScale unscaled = { 1, 1, FALSE };
    const OpWork work = kernel_work_of_row(row);
    uint64_t n_sms = own.n_sms - ret->n_partner_sms;
    uint64_t bandwidth =
        (uint64_t)((partner->read_bytes + partner->write_bytes) /
                   partner->alone_us * 1e6);
    Hbm *hbm = hbm_new(&own.hbm, ignore_hbm_rate_change, NULL);
    SimTime alone_ps, beside_ps;

    hbm_set_queueing_factor(hbm, own.queueing_ppm);
    hbm_set_read_fraction(hbm, HBM_MAIN, op_work_read_ppm(&work));
    hbm_set_supply(hbm, HBM_MAIN,
                   npu_supply_of_sms_bytes_per_s(&own, &work, n_sms));
    hbm_set_supply(hbm, HBM_COMM_READ, ret->n_partner_sms > 0 ? bandwidth : 0);
    hbm_set_demand(hbm, HBM_MAIN,
                   kernel_demand_bytes_per_s(&own, &work, n_sms));
    hbm_set_demand(hbm, HBM_COMM_READ, bandwidth);
    alone_ps = compute_times_on_whole_hbm(&own, &work, own.n_sms).total_ps;
    beside_ps = kernel_time_ps(&own, &work, unscaled, n_sms,
                               hbm_rate_of_stream(hbm, HBM_MAIN));
    ret->simulated = (double)beside_ps / (double)alone_ps;
    ret->partner_simulated =
        (double)bandwidth /
        (double)MIN(hbm_rate_of_stream(hbm, HBM_COMM_READ), bandwidth);
    hbm_free(hbm);
}

/* ---- pairs that begin and end ------------------------------------------- */

/* The time between the releases of both kernels in family `order`. */
#define ORDER_LEAD_US 30.0

/* The work of a kernel in us alone, and its slowdown beside the other. */
typedef struct {
    double left_us, slowdown, end_us;
} FiniteKernel;

static FiniteKernel make_finite_kernel(const Row *row, double slowdown)
{
    return (FiniteKernel){ .left_us =
                               row->alone_us * MAX(row->batch_launches, 1),
                           .slowdown = slowdown };
}

/* Sets both ends, from the release of the first kernel: alone for the lead,
 * beside each other until one ends, then alone. */
static void run_finite_kernels(FiniteKernel *first, FiniteKernel *second)
{
    double alone_us = MIN(first->left_us, ORDER_LEAD_US);
    double both_us;

    first->left_us -= alone_us;
    both_us = MIN(first->left_us * first->slowdown,
                  second->left_us * second->slowdown);
    first->end_us =
        alone_us + both_us + first->left_us - both_us / first->slowdown;
    second->end_us =
        ORDER_LEAD_US + both_us + second->left_us - both_us / second->slowdown;
}

/* Replaces the slowdowns of a pair that always runs by those of one launch of
 * the partner beside some of the kernel, from the release of each. */
static void limit_pair_to_one_launch(const Row *row, const Row *partner,
                                     OverlapPair *ret)
{
    FiniteKernel work = make_finite_kernel(row, ret->simulated);
    FiniteKernel other = make_finite_kernel(partner, ret->partner_simulated);
    double work_us = work.left_us, other_us = other.left_us;
    gboolean is_partner_first = g_str_equal(row->first, "partner");

    run_finite_kernels(is_partner_first ? &other : &work,
                       is_partner_first ? &work : &other);
    if (is_partner_first)
        work.end_us -= ORDER_LEAD_US;
    else
        other.end_us -= ORDER_LEAD_US;
    ret->simulated = work.end_us / work_us;
    ret->partner_simulated = other.end_us / other_us;
}

/* Returns the name of the kernel, in family `order` with the order.  The caller
 * owns the text. */
static char *kernel_name_of_pair(const Row *row)
{
    return g_str_equal(row->family, "order")
               ? g_strdup_printf("%s, %s first%s", row->kernel, row->first,
                                 *row->priority != '\0' ? ", priority" : "")
               : g_strdup(row->kernel);
}

static void clear_overlap_pair(gpointer data)
{
    OverlapPair *pair = data;

    g_free(pair->family);
    g_free(pair->kernel);
    g_free(pair->partner);
}

static void add_simulated_pair(GArray *pairs, const NpuConfig *npu,
                               const Row *row, const Row *partner)
{
    OverlapPair pair = {
        .n_sms = (uint64_t)row->n_sms,
        .n_partner_sms = (uint64_t)row->beside_n_sms,
        .flop_per_byte = row->flop / (row->read_bytes + row->write_bytes),
        .measured = row->median_us / row->alone_us,
        .partner_measured = partner->median_us / partner->alone_us,
    };

    simulate_kernel_pair(npu, row, partner, &pair);
    if (g_str_equal(row->family, "order"))
        limit_pair_to_one_launch(row, partner, &pair);
    pair.family = g_strdup(row->family);
    pair.kernel = kernel_name_of_pair(row);
    pair.partner = g_strdup(row->beside);
    g_array_append_val(pairs, pair);
}

static gboolean load_npu_file(const char *path, NpuConfig *ret, GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, error);

    return doc && config_doc_read(doc, npu_fields, ret, error);
}

GArray *overlap_study_run(const char *path, const char *npu_path,
                          GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) rows =
        table ? measured_table_rows(table, path, columns, G_N_ELEMENTS(columns),
                                    sizeof(Row), error)
              : NULL;
    GArray *pairs;
    NpuConfig npu;

    if (!rows || !load_npu_file(npu_path, &npu, error))
        return NULL;
    pairs = g_array_new(FALSE, FALSE, sizeof(OverlapPair));
    g_array_set_clear_func(pairs, clear_overlap_pair);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        const Row *partner =
            is_simulated_pair(row) ? find_partner_row(rows, i) : NULL;

        if (partner && row->beside_n_sms < (double)npu.n_sms)
            add_simulated_pair(pairs, &npu, row, partner);
    }
    return pairs;
}

/* ---- errors and output --------------------------------------------------- */

OverlapScore overlap_study_score(const GArray *pairs, const char *family,
                                 const char *kernel, gboolean is_partner)
{
    OverlapScore score = { 0 };

    for (guint i = 0; i < pairs->len; i++) {
        const OverlapPair *pair = overlap_pair_at(pairs, i);
        double measured = is_partner ? pair->partner_measured : pair->measured;
        double simulated =
            is_partner ? pair->partner_simulated : pair->simulated;
        double error = 100 * fabs(simulated / measured - 1);

        if ((family && !g_str_equal(pair->family, family)) ||
            (kernel && !g_str_equal(pair->kernel, kernel)))
            continue;
        score.n++;
        score.mean_percent += error;
        score.worst_percent = MAX(score.worst_percent, error);
        score.trivial_mean_percent += 100 * fabs(1 / measured - 1);
    }
    if (score.n > 0) {
        score.mean_percent /= score.n;
        score.trivial_mean_percent /= score.n;
    }
    return score;
}

static void add_row_of_mean_errors(TextTable *table, const GArray *pairs,
                                   const char *family, const char *kernel)
{
    OverlapScore work = overlap_study_score(pairs, family, kernel, FALSE);
    OverlapScore partner = overlap_study_score(pairs, family, kernel, TRUE);

    if (work.n > 0)
        text_table_add_row(
            table, "%s\t%s\t%u\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", family,
            kernel ? kernel : "all", work.n, work.mean_percent,
            work.worst_percent, work.trivial_mean_percent, partner.mean_percent,
            partner.worst_percent, partner.trivial_mean_percent);
}

/* Returns whether pair @i is the first of its family and kernel. */
static gboolean pair_is_first_of_kernel(const GArray *pairs, guint i)
{
    const OverlapPair *pair = overlap_pair_at(pairs, i);

    for (guint j = 0; j < i; j++) {
        const OverlapPair *other = overlap_pair_at(pairs, j);

        if (g_str_equal(other->family, pair->family) &&
            g_str_equal(other->kernel, pair->kernel))
            return FALSE;
    }
    return TRUE;
}

void overlap_study_render(const GArray *pairs, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrrrr");

    text_table_add_row(table,
                       "family\tkernel\tpairs\tkernel: mean %%\tworst %%\t"
                       "no slowdown %%\tpartner: mean %%\tworst %%\t"
                       "no slowdown %%");
    for (guint f = 0; pair_families[f]; f++) {
        for (guint i = 0; i < pairs->len; i++)
            if (g_str_equal(overlap_pair_at(pairs, i)->family,
                            pair_families[f]) &&
                pair_is_first_of_kernel(pairs, i))
                add_row_of_mean_errors(table, pairs, pair_families[f],
                                       overlap_pair_at(pairs, i)->kernel);
        add_row_of_mean_errors(table, pairs, pair_families[f], NULL);
    }
    text_table_render(table, out);
}

char *overlap_study_csv(const GArray *pairs)
{
    GString *out = g_string_new(
        "family,kernel,partner,sms,partner_sms,flop_per_byte,"
        "measured_slowdown,simulated_slowdown,measured_partner_slowdown,"
        "simulated_partner_slowdown\n");

    for (guint i = 0; i < pairs->len; i++) {
        const OverlapPair *pair = overlap_pair_at(pairs, i);

        csv_add_text(out, pair->family);
        csv_add_text(out, pair->kernel);
        csv_add_text(out, pair->partner);
        g_string_append_printf(out,
                               "%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
                               ",%.6g,%.4f,%.4f,%.4f,%.4f,",
                               pair->n_sms, pair->n_partner_sms,
                               pair->flop_per_byte, pair->measured,
                               pair->simulated, pair->partner_measured,
                               pair->partner_simulated);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
