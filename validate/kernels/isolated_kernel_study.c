/* isolated_kernel_study.c - lookups and copies by the driver on a GPU, alone;
 * see isolated_kernel_study.h */
#include "validate/kernels/isolated_kernel_study.h"

#include <math.h>
#include <string.h>

#include "models/npu/kernel_time.h"
#include "sim/config/config.h"
#include "validate/kernels/measured_table.h"
#include "validate/text_table.h"

#define PS_PER_US 1e6

/* The link between an NPU and its host, as in configs/platforms: 16 lanes of
 * PCIe 5.0, of which headers take 24 of 280 bytes. */
#define PCIE_BYTES_PER_US 63e3
#define PCIE_EFFICIENCY   0.91

/* ---- reading of measured rows -------------------------------------------- */

/* A row of the CSV file of validate/gpu.  The table owns the texts. */
typedef struct {
    const char *family, *kernel;
    double n_sms, read_bytes, write_bytes, flop, median_us;
} Row;

#define TEXT(field)   MEASURED_COLUMN(Row, field, MEASURED_TEXT)
#define NUMBER(field) MEASURED_COLUMN(Row, field, MEASURED_NUMBER)
#define TIME(field)   MEASURED_COLUMN(Row, field, MEASURED_TIME)

static const MeasuredColumn columns[] = {
    TEXT(family),        TEXT(kernel), NUMBER(n_sms),   NUMBER(read_bytes),
    NUMBER(write_bytes), NUMBER(flop), TIME(median_us),
};

static gboolean row_is_measured_alone(const Row *row)
{
    return g_str_equal(row->family, "lookup") ||
           g_str_equal(row->family, "engine");
}

/* ---- simulation ---------------------------------------------------------- */

static gboolean copy_crosses_pcie(const Row *row)
{
    return g_str_has_suffix(row->kernel, "-d2h") ||
           g_str_has_suffix(row->kernel, "-h2d");
}

/* Lookups add outside of the matrix units, at the FP32 rate. */
static double simulated_time_us(const NpuConfig *npu, const Row *row)
{
    NpuConfig own = *npu;
    OpWork work = {
        .flop = (uint64_t)row->flop,
        .bytes = (uint64_t)(row->read_bytes + row->write_bytes),
        .written_bytes = (uint64_t)row->write_bytes,
        .precision = PRECISION_FP32,
    };
    uint64_t n_sms = row->n_sms > 0 && row->n_sms < (double)npu->n_sms
                         ? (uint64_t)row->n_sms
                         : npu->n_sms;

    if (copy_crosses_pcie(row))
        return (double)npu->launch_ps / PS_PER_US +
               (double)work.bytes / (PCIE_BYTES_PER_US * PCIE_EFFICIENCY);
    if (own.precisions.fp32.flop_per_s > 0)
        own.flop_per_s = own.precisions.fp32.flop_per_s;
    return (double)compute_times_on_whole_hbm(&own, &work, n_sms).total_ps /
           PS_PER_US;
}

static double nominal_time_us(const NpuConfig *npu, const Row *row)
{
    double bytes_per_us = copy_crosses_pcie(row)
                              ? PCIE_BYTES_PER_US
                              : (double)npu->hbm.bandwidth_bytes_per_s / 1e6;

    return (row->read_bytes + row->write_bytes) / bytes_per_us;
}

static void clear_lone_row(gpointer data)
{
    LoneRow *row = data;

    g_free(row->family);
    g_free(row->kernel);
}

static gboolean load_npu_file(const char *path, NpuConfig *ret, GError **error)
{
    g_autoptr(ConfigDoc) doc = config_doc_load(path, error);

    return doc && config_doc_read(doc, npu_fields, ret, error);
}

GArray *isolated_kernel_study_run(const char *path, const char *npu_path,
                                  GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) rows =
        table ? measured_table_rows(table, path, columns, G_N_ELEMENTS(columns),
                                    sizeof(Row), error)
              : NULL;
    GArray *ret;
    NpuConfig npu;

    if (!rows || !load_npu_file(npu_path, &npu, error))
        return NULL;
    ret = g_array_new(FALSE, FALSE, sizeof(LoneRow));
    g_array_set_clear_func(ret, clear_lone_row);
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        LoneRow lone = { .bytes = row->read_bytes + row->write_bytes,
                         .measured_us = row->median_us };

        if (!row_is_measured_alone(row))
            continue;
        lone.family = g_strdup(row->family);
        lone.kernel = g_strdup(row->kernel);
        lone.simulated_us = simulated_time_us(&npu, row);
        lone.nominal_us = nominal_time_us(&npu, row);
        g_array_append_val(ret, lone);
    }
    return ret;
}

/* ---- errors and output --------------------------------------------------- */

static const LoneRow *lone_row_at(const GArray *rows, guint i)
{
    return &g_array_index(rows, LoneRow, i);
}

static void add_table_row_of_lone_kernel(TextTable *table, const GArray *rows,
                                         const LoneRow *like)
{
    double mean = 0, worst = 0, nominal = 0;
    guint n = 0;

    for (guint i = 0; i < rows->len; i++) {
        const LoneRow *row = lone_row_at(rows, i);
        double percent = 100 * fabs(row->simulated_us / row->measured_us - 1);

        if (!g_str_equal(row->kernel, like->kernel) ||
            !g_str_equal(row->family, like->family))
            continue;
        n++;
        mean += percent;
        worst = MAX(worst, percent);
        nominal += 100 * fabs(row->nominal_us / row->measured_us - 1);
    }
    text_table_add_row(table, "%s\t%s\t%u\t%.1f\t%.1f\t%.1f", like->family,
                       like->kernel, n, mean / n, worst, nominal / n);
}

static gboolean row_is_first_of_kernel(const GArray *rows, guint i)
{
    for (guint j = 0; j < i; j++)
        if (g_str_equal(lone_row_at(rows, j)->kernel,
                        lone_row_at(rows, i)->kernel) &&
            g_str_equal(lone_row_at(rows, j)->family,
                        lone_row_at(rows, i)->family))
            return FALSE;
    return TRUE;
}

void isolated_kernel_study_render(const GArray *rows, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrr");

    text_table_add_row(table,
                       "family\tkernel\trows\tmean %%\tworst %%\tnominal "
                       "bandwidth %%");
    for (guint i = 0; i < rows->len; i++)
        if (row_is_first_of_kernel(rows, i))
            add_table_row_of_lone_kernel(table, rows, lone_row_at(rows, i));
    text_table_render(table, out);
}

char *isolated_kernel_study_csv(const GArray *rows)
{
    GString *out = g_string_new(
        "family,kernel,bytes,measured_us,simulated_us,nominal_us\n");

    for (guint i = 0; i < rows->len; i++) {
        const LoneRow *row = lone_row_at(rows, i);

        csv_add_text(out, row->family);
        csv_add_text(out, row->kernel);
        g_string_append_printf(out, "%.0f,%.4f,%.4f,%.4f,", row->bytes,
                               row->measured_us, row->simulated_us,
                               row->nominal_us);
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
