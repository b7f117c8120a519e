/* run_rows_write.c - the columns of each file, and its rows */
#include "sim/study/rows/run_rows.h"

#include "sim/core/csv.h"
#include "sim/study/rows/run_rows_impl.h"

const char *const rows_file_names[ROWS_N_FILES] = {
    [ROWS_RUNS] = "runs",   [ROWS_LAYERS] = "layers",
    [ROWS_PORTS] = "links", [ROWS_UTILISATION] = "utilisation",
    [ROWS_JOBS] = "jobs",
};

/* ---- the columns of each file -------------------------------------------- */

const char *rows_endpoint_name(const SystemConfig *config)
{
    const char *name = endpoint_name(&config->endpoint);

    return g_str_equal(name, "unnamed") ? config->endpoint.kind->name : name;
}

static void append_workload_cell(GString *out, const RowsContext *at)
{
    csv_add_text(out, workload_name(&at->config->workload));
}

static void append_n_npus_cell(GString *out, const RowsContext *at)
{
    csv_add_u64(out, at->r.n_npus);
}

static void append_endpoint_cell(GString *out, const RowsContext *at)
{
    csv_add_text(out, rows_endpoint_name(at->config));
}

/* The columns with which each file begins. */
static const RowsColumn identity[] = {
    { "workload", UNIT_TEXT, append_workload_cell, NULL },
    { "n_npus", UNIT_COUNT, append_n_npus_cell, NULL },
    { "endpoint", UNIT_TEXT, append_endpoint_cell, NULL },
    { 0 },
};

#define N_IDENTITY (G_N_ELEMENTS(identity) - 1)

static void append_table_columns(GArray *table, const RowsColumn *columns)
{
    for (const RowsColumn *c = columns; c && c->name; c++)
        g_array_append_val(table, *c);
}

static gboolean has_column(const GArray *table, const char *name)
{
    for (guint i = 0; i < table->len; i++)
        if (g_str_equal(g_array_index(table, RowsColumn, i).name, name))
            return TRUE;
    return FALSE;
}

/* Returns the place of a resource among the columns: storage in units first,
 * then servers, then storage in bytes.  Files of earlier versions have this
 * order. */
static guint resource_column_place(const ResourceKind *kind)
{
    if (kind->unit == CONFIG_BYTES)
        return 2;
    return kind->form == RESOURCE_CAPACITY ? 0 : 1;
}

static void append_resource_columns(GArray *table, const ResourceKind *kinds)
{
    for (guint place = 0; place <= 2; place++)
        for (const ResourceKind *kind = kinds; kind && kind->name; kind++) {
            RowsColumn column = {
                .name = kind->column,
                .unit = kind->unit == CONFIG_BYTES ? UNIT_BYTES : UNIT_US,
                .add = rows_append_resource,
                .resource = kind,
            };

            if (kind->column && resource_column_place(kind) == place &&
                !has_column(table, kind->column))
                g_array_append_val(table, column);
        }
}

/* Returns the columns of @file.  Each row has the columns of all kinds of
 * endpoints, so that files with different endpoints can be joined. */
static GArray *make_column_table(RowsFile file)
{
    static const RowsColumn *const first[ROWS_N_FILES] = {
        [ROWS_RUNS] = rows_run_columns,
        [ROWS_LAYERS] = rows_layer_columns,
        [ROWS_PORTS] = rows_port_columns,
        [ROWS_UTILISATION] = rows_utilisation_columns,
        [ROWS_JOBS] = rows_job_columns,
    };
    GArray *table = g_array_new(FALSE, FALSE, sizeof(RowsColumn));

    append_table_columns(table, identity);
    append_table_columns(table, first[file]);
    if (file != ROWS_RUNS)
        return table;
    append_resource_columns(table, resource_common);
    for (guint i = 0; endpoint_registry.kinds[i]; i++)
        append_resource_columns(
            table, endpoint_resources_of_kind(endpoint_registry.kinds[i]));
    append_table_columns(table, rows_run_last_columns);
    return table;
}

Column *rows_list_columns(RowsFile file)
{
    g_autoptr(GArray) table = make_column_table(file);
    Column *columns = g_new0(Column, table->len + 1);

    for (guint i = 0; i < table->len; i++) {
        const RowsColumn *column = &g_array_index(table, RowsColumn, i);

        columns[i] = (Column){ column->name, column->unit, NULL };
    }
    return columns;
}

gboolean rows_has_column(const char *name)
{
    g_autoptr(GArray) table = make_column_table(ROWS_RUNS);

    return has_column(table, name);
}

const ColumnUnitScale *rows_unit_of_column(const char *name)
{
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    const Column *column = columns_find(columns, name);

    return column ? column_unit_of(column->unit) : NULL;
}

void rows_append_header(GString *out, RowsFile file)
{
    g_autofree Column *columns = rows_list_columns(file);

    columns_append_header(out, columns);
}

/* ---- writing the rows of a file ------------------------------------------ */

typedef struct {
    GString *out;
    const char *axes; /* cells of the axes; or NULL */
    GArray *table;    /* owned by the caller: of RowsColumn */
    RowsOffsets *marks;
    RowsContext at;
} RowsWriter;

static void append_row_cell(RowsWriter *w, const RowsColumn *column)
{
    gsize from = w->out->len;

    w->at.resource = column->resource;
    column->add(w->out, &w->at);
    if (column->add == rows_append_busiest)
        w->marks->busiest_from = from;
    if (column->add == rows_append_notes)
        w->marks->notes_to = w->out->len;
}

static void append_result_row(RowsWriter *w)
{
    if (w->marks->starts)
        g_array_append_val(w->marks->starts, w->out->len);
    g_string_append(w->out, w->axes ? w->axes : "");
    for (guint i = 0; i < w->table->len; i++)
        append_row_cell(w, &g_array_index(w->table, RowsColumn, i));
    csv_end_row(w->out);
}

static void append_layer_rows(RowsWriter *w)
{
    guint n = system_graph(w->at.system)->layers->len;

    for (w->at.layer = 0; w->at.layer < n; w->at.layer++)
        for (w->at.pass = 0; w->at.pass < OP_N_PASSES; w->at.pass++)
            append_result_row(w);
}

static void append_port_rows(RowsWriter *w)
{
    const Topology *topology = system_topology(w->at.system);
    uint32_t n = topology_n_ports(topology);

    for (w->at.port = 0; w->at.port < n; w->at.port++)
        if (topology_link_target(topology, w->at.port) != TOPOLOGY_NONE)
            append_result_row(w);
}

static void append_job_rows(RowsWriter *w)
{
    for (guint i = 0; i < system_n_jobs(w->at.system); i++) {
        w->at.job = system_job_result(w->at.system, i);
        append_result_row(w);
    }
}

/* Appends one row per span.  A span consists of the smallest power of two of
 * buckets that gives at most ROWS_MAX_SPANS spans. */
static void append_utilisation_rows(RowsWriter *w,
                                    const Utilisation *utilisation)
{
    RowsSpan span = { .buckets = utilisation_buckets(utilisation), .n = 1 };
    SimTime width_ps = time_buckets_width_ps(span.buckets);
    SimTime total_ps = w->at.r.total_ps;

    w->at.span = &span;
    while (total_ps > ROWS_MAX_SPANS * (span.n * width_ps))
        span.n *= 2;
    for (; span.from_ps < total_ps; span.from_ps = span.to_ps) {
        span.to_ps = MIN(span.from_ps + span.n * width_ps, total_ps);
        append_result_row(w);
        span.first += span.n;
    }
    w->at.span = NULL;
}

void rows_append(GString *out, RowsFile file, const char *axes,
                 const SystemConfig *config, const System *system,
                 const Utilisation *utilisation)
{
    RowsOffsets marks = { 0 };

    rows_append_with_offsets(out, file, axes, config, system, utilisation,
                             &marks);
}

void rows_append_with_offsets(GString *out, RowsFile file, const char *axes,
                              const SystemConfig *config, const System *system,
                              const Utilisation *utilisation,
                              RowsOffsets *marks)
{
    g_autoptr(GArray) table = make_column_table(file);
    RowsWriter w = {
        .out = out,
        .axes = axes,
        .table = table,
        .marks = marks,
        .at = { .config = config, .system = system, .r = system_result(system) }
    };

    if (!axes)
        rows_append_header(out, file);
    if (file == ROWS_RUNS)
        append_result_row(&w);
    else if (file == ROWS_LAYERS)
        append_layer_rows(&w);
    else if (file == ROWS_PORTS)
        append_port_rows(&w);
    else if (file == ROWS_JOBS)
        append_job_rows(&w);
    else
        append_utilisation_rows(&w, utilisation);
}

/* Appends the first cells of a run without a result, as far as they are
 * known. */
static void append_identity_cells(GString *out, const SystemConfig *config)
{
    g_autoptr(Topology) topology = NULL;

    if (!config) {
        for (guint i = 0; i < N_IDENTITY; i++)
            csv_add_empty(out);
        return;
    }
    topology = topology_new(&config->platform.topology, NULL);
    csv_add_text(out, workload_name(&config->workload));
    if (topology)
        csv_add_u64(out, topology_n_npus(topology));
    else
        csv_add_empty(out);
    csv_add_text(out, rows_endpoint_name(config));
}

void rows_append_failure(GString *out, const char *axes,
                         const SystemConfig *config, const char *reason)
{
    g_autofree char *line = g_strdelimit(g_strdup(reason), "\r\n", ' ');
    g_autoptr(GArray) table = make_column_table(ROWS_RUNS);

    g_string_append(out, axes ? axes : "");
    append_identity_cells(out, config);
    for (guint i = N_IDENTITY; i + 1 < table->len; i++)
        csv_add_empty(out);
    csv_add_text(out, g_strstrip(line)); /* the status is the last cell */
    csv_end_row(out);
}
