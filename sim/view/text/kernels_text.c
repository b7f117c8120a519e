/* kernels_text.c - times of single kernels on an otherwise idle NPU, as text */
#include "sim/view/text/kernels_text.h"

#include <inttypes.h>

#include "sim/core/aligned_table.h"

static double ps_to_us(SimTime ps)
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
        const ConfigVariant *kernel = kernels_entry_at(file, i);
        KernelTime time = kernels_time_on_npu(&file->npu, kernel);
        double total_us = ps_to_us(time.time.total_ps);

        table_add_cell(table, kernel_common(kernel)->name);
        table_add_cell(table, kernel->kind->name);
        table_add_cell_printf(table, "%" PRIu64, time.n_sms);
        table_add_cell_printf(table, "%.2f", total_us);
        table_add_cell_printf(table, "%.2f",
                              total_us > 0 ? (double)time.flop / total_us / 1e6
                                           : 0);
        table_add_cell_printf(table, "%.1f",
                              total_us > 0 ? (double)time.bytes / total_us / 1e3
                                           : 0);
        table_add_cell(table, time.bound);
    }
    table_write(table, out, 0, table_terminal_width());
    return out;
}
