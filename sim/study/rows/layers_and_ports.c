/* layers_and_ports.c - the columns of layers.csv and links.csv */
#include "sim/study/rows/rows_impl.h"

#include "sim/core/csv.h"

/* ---- cells of a row per layer and pass ----------------------------------- */

static void layer_name(GString *out, const RowsContext *at)
{
    const OpGraph *graph = system_graph(at->system);

    csv_add_text(out, g_ptr_array_index(graph->layers, at->layer));
}

static void layer_pass(GString *out, const RowsContext *at)
{
    csv_add_text(out, op_pass_names[at->pass]);
}

static void layer_compute(GString *out, const RowsContext *at)
{
    rows_add_us(out, system_layer_compute_ps(at->system, at->layer, at->pass) /
                         at->r.n_iterations);
}

static void layer_wait(GString *out, const RowsContext *at)
{
    rows_add_us(out, system_layer_wait_ps(at->system, at->layer, at->pass) /
                         at->r.n_iterations);
}

const RowsColumn rows_layer_columns[] = {
    { "layer", UNIT_TEXT, layer_name, NULL },
    { "pass", UNIT_TEXT, layer_pass, NULL },
    { "compute_us", UNIT_US, layer_compute, NULL },
    { "wait_us", UNIT_US, layer_wait, NULL },
    { 0 },
};

/* ---- cells of a row per port of NPU 0 ------------------------------------ */

static const TopologyPort *port_of(const RowsContext *at)
{
    return topology_port(system_topology(at->system), at->port);
}

static NetPortStats stats_of(const RowsContext *at)
{
    return system_port_stats(at->system, at->port);
}

static void port_name(GString *out, const RowsContext *at)
{
    csv_add_text(out, port_of(at)->name);
}

static void port_dim(GString *out, const RowsContext *at)
{
    csv_add_u64(out, port_of(at)->dim);
}

static void port_n_links(GString *out, const RowsContext *at)
{
    csv_add_u64(out, port_of(at)->n_links);
}

static void port_sent(GString *out, const RowsContext *at)
{
    csv_add_u64(out, stats_of(at).sent_bytes / at->r.n_iterations);
}

static void port_n_messages(GString *out, const RowsContext *at)
{
    csv_add_u64(out, stats_of(at).n_messages / at->r.n_iterations);
}

static void port_busy(GString *out, const RowsContext *at)
{
    rows_add_us(out, stats_of(at).busy_ps / at->r.n_iterations);
}

static void port_utilisation(GString *out, const RowsContext *at)
{
    csv_add_ratio(out, stats_of(at).busy_ps,
                  port_of(at)->n_links * at->r.span_ps, 6);
}

const RowsColumn rows_port_columns[] = {
    { "port", UNIT_TEXT, port_name, NULL },
    { "dim", UNIT_COUNT, port_dim, NULL },
    { "n_links", UNIT_COUNT, port_n_links, NULL },
    { "sent_bytes", UNIT_BYTES, port_sent, NULL },
    { "n_messages", UNIT_COUNT, port_n_messages, NULL },
    { "busy_us", UNIT_US, port_busy, NULL },
    { "utilisation", UNIT_RATIO, port_utilisation, NULL },
    { 0 },
};
