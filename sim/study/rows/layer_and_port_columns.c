/* layer_and_port_columns.c - the columns of layers.csv and links.csv */
#include "sim/study/rows/run_rows_impl.h"

#include "sim/core/csv.h"

/* ---- cells of a row per layer and pass ----------------------------------- */

static void append_layer_name_cell(GString *out, const RowsContext *context)
{
    const OpGraph *graph = system_graph(context->system);

    csv_add_text(out, g_ptr_array_index(graph->layers, context->layer));
}

static void append_layer_pass_cell(GString *out, const RowsContext *context)
{
    csv_add_text(out, op_pass_names[context->pass]);
}

static void append_layer_compute_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, system_layer_compute_ps(context->system, context->layer,
                                                context->pass) /
                            context->r.n_iterations);
}

static void append_layer_wait_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, system_layer_wait_ps(context->system, context->layer,
                                             context->pass) /
                            context->r.n_iterations);
}

const RowsColumn rows_layer_columns[] = {
    { "layer", UNIT_TEXT, append_layer_name_cell, NULL },
    { "pass", UNIT_TEXT, append_layer_pass_cell, NULL },
    { "compute_us", UNIT_US, append_layer_compute_cell, NULL },
    { "wait_us", UNIT_US, append_layer_wait_cell, NULL },
    { 0 },
};

/* ---- cells of a row per port of NPU 0 ------------------------------------ */

static const TopologyPort *port_of_table_row(const RowsContext *context)
{
    return topology_get_port(system_topology(context->system), context->port);
}

static NetPortStats port_stats_of_row(const RowsContext *context)
{
    return system_port_stats(context->system, context->port);
}

static void append_port_name_cell(GString *out, const RowsContext *context)
{
    csv_add_text(out, port_of_table_row(context)->name);
}

static void append_port_dim_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, port_of_table_row(context)->dim);
}

static void append_port_n_links_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, port_of_table_row(context)->n_links);
}

static void append_port_sent_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, port_stats_of_row(context).sent_bytes /
                         context->r.n_iterations);
}

static void append_port_n_messages_cell(GString *out,
                                        const RowsContext *context)
{
    csv_add_u64(out, port_stats_of_row(context).n_messages /
                         context->r.n_iterations);
}

static void append_port_busy_cell(GString *out, const RowsContext *context)
{
    rows_append_us(out, port_stats_of_row(context).busy_ps /
                            context->r.n_iterations);
}

static void append_port_utilisation_cell(GString *out,
                                         const RowsContext *context)
{
    csv_add_ratio(out, port_stats_of_row(context).busy_ps,
                  port_of_table_row(context)->n_links * context->r.span_ps, 6);
}

const RowsColumn rows_port_columns[] = {
    { "port", UNIT_TEXT, append_port_name_cell, NULL },
    { "dim", UNIT_COUNT, append_port_dim_cell, NULL },
    { "n_links", UNIT_COUNT, append_port_n_links_cell, NULL },
    { "sent_bytes", UNIT_BYTES, append_port_sent_cell, NULL },
    { "n_messages", UNIT_COUNT, append_port_n_messages_cell, NULL },
    { "busy_us", UNIT_US, append_port_busy_cell, NULL },
    { "utilisation", UNIT_RATIO, append_port_utilisation_cell, NULL },
    { 0 },
};
