/* parameter_server_load_text.c - load of parameter servers, as text */
#include "sim/view/text/parameter_server_load_text.h"

#include "sim/core/aligned_table.h"
#include "sim/study/parameter_server_load.h"

#define MAX_ROWS 16

static void append_byte_count(GString *out, uint64_t bytes)
{
    if (bytes >= 1000000)
        g_string_append_printf(out, "%.1f MB", (double)bytes / 1e6);
    else
        g_string_append_printf(out, "%.1f kB", (double)bytes / 1e3);
}

void append_busiest_server_sentence(GString *out, const System *system)
{
    g_autoptr(GArray) loads = list_server_loads(system);
    const ServerLoad *hot = find_hottest_server(loads);
    g_autoptr(GString) bytes = g_string_new(NULL);
    uint32_t n = count_workers(system);

    if (!hot || !hot->layer)
        return;
    append_byte_count(bytes, hot->layer_bytes);
    g_string_append_printf(
        out,
        "The busiest of %u parameter servers is `%s` on NPU %u: its link is "
        "busy %.0f %% of the run. It stores %.0f %% of all bytes (even share: "
        "%.0f %%), %.0f %% of them for layer %s, whose %s %u worker%s and pull "
        "there.",
        loads->len, hot->name, hot->npu, 100 * hot->link_share,
        100 * hot->share, 100.0 / loads->len,
        100 * (double)hot->layer_bytes / (double)hot->bytes, hot->layer,
        bytes->str, n, n == 1 ? " pushes" : "s push");
}

static gint compare_server_loads(gconstpointer a, gconstpointer b)
{
    const ServerLoad *load = a, *y = b;

    if (load->link_share > y->link_share || load->link_share < y->link_share)
        return load->link_share > y->link_share ? -1 : 1;
    return load->bytes > y->bytes ? -1 : load->bytes < y->bytes;
}

void append_server_table(GString *out, const System *system)
{
    const TableColumn columns[] = {
        { "server", FALSE, 0 },        { "NPU", TRUE, 0 },
        { "stored", TRUE, 0 },         { "link busy", TRUE, 0 },
        { "largest layer", FALSE, 0 }, { "", TRUE, 0 },
    };
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GArray) loads = list_server_loads(system);

    if (loads->len == 0)
        return;
    g_array_sort(loads, compare_server_loads);
    for (guint i = 0; i < MIN(loads->len, MAX_ROWS); i++) {
        const ServerLoad *load = &g_array_index(loads, ServerLoad, i);
        g_autoptr(GString) bytes = g_string_new(NULL);

        append_byte_count(bytes, load->layer_bytes);
        table_add_cell(table, load->name);
        table_add_cell_printf(table, "%u", load->npu);
        table_add_cell_printf(table, "%.1f %%", 100 * load->share);
        table_add_cell_printf(table, "%.1f %%", 100 * load->link_share);
        table_add_cell(table, load->layer ? load->layer : "");
        table_add_cell(table, bytes->str);
    }
    table_write(table, out, 0, 0);
    if (loads->len > MAX_ROWS)
        g_string_append_printf(out, "and %u others with less load\n",
                               loads->len - MAX_ROWS);
    g_string_append_c(out, '\n');
}
