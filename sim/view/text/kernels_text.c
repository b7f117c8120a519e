/* kernels_text.c - times of single kernels on an otherwise idle NPU, as text */
#include "sim/view/text/kernels_text.h"

#include <inttypes.h>

#include "sim/core/table.h"

static double us(SimTime ps)
{
    return (double)ps / 1e6;
}

GString *kernels_text(const KernelsFile *file)
{
    static const TableColumn columns[] = {
        { "kernel", FALSE, TABLE_REST },
        { "kind", FALSE, 0 },
        { "SMs", TRUE, 0 },
        { "us", TRUE, 0 },
        { "TFLOPS", TRUE, 0 },
        { "GB/s", TRUE, 0 },
        { "bound by", FALSE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < file->kernels.n; i++) {
        const ConfigVariant *kernel = kernels_at(file, i);
        KernelTime time = kernels_time(&file->npu, kernel);
        double total_us = us(time.time.total_ps);

        table_add(table, kernel_common(kernel)->name);
        table_add(table, kernel->kind->name);
        table_addf(table, "%" PRIu64, time.n_sms);
        table_addf(table, "%.2f", total_us);
        table_addf(table, "%.2f",
                   total_us > 0 ? (double)time.flop / total_us / 1e6 : 0);
        table_addf(table, "%.1f",
                   total_us > 0 ? (double)time.bytes / total_us / 1e3 : 0);
        table_add(table, time.bound);
    }
    table_write(table, out, 0, table_terminal_width());
    return out;
}
