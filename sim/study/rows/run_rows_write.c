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

static void append_workload_cell(GString *out, const RowsContext *context)
{
    csv_add_text(out, workload_name(&context->config->workload));
}

static void append_n_npus_cell(GString *out, const RowsContext *context)
{
    csv_add_u64(out, context->r.n_npus);
}

static void append_endpoint_cell(GString *out, const RowsContext *context)
{
    csv_add_text(out, rows_endpoint_name(context->config));
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
    for (const RowsColumn *column = columns; column && column->name; column++)
        g_array_append_val(table, *column);
}

static gboolean rows_have_column(const GArray *table, const char *name)
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
                .add = rows_append_resource_use,
                .resource = kind,
            };

            if (kind->column && resource_column_place(kind) == place &&
                !rows_have_column(table, kind->column))
                g_array_append_val(table, column);
        }
}

/* Returns the columns of @file.  Each row has the columns of all kinds of
 * endpoints, so that files with different endpoints can be joined. */
static GArray *make_column_table(RowsFile file, gboolean has_model)
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
    if (has_model)
        append_table_columns(table, rows_model_columns);
    append_table_columns(table, rows_run_last_columns);
    return table;
}

static Column *list_row_columns(RowsFile file, gboolean has_model)
{
    g_autoptr(GArray) table = make_column_table(file, has_model);
    Column *columns = g_new0(Column, table->len + 1);

    for (guint i = 0; i < table->len; i++) {
        const RowsColumn *column = &g_array_index(table, RowsColumn, i);

        columns[i] = (Column){ column->name, column->unit, NULL };
    }
    return columns;
}

Column *rows_list_columns(RowsFile file)
{
    return list_row_columns(file, TRUE);
}

gboolean rows_has_column(const char *name)
{
    g_autoptr(GArray) table = make_column_table(ROWS_RUNS, TRUE);

    return rows_have_column(table, name);
}

const ColumnUnitScale *rows_unit_of_column(const char *name)
{
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    const Column *column = columns_find(columns, name);

    return column ? column_scale_of_unit(column->unit) : NULL;
}

void rows_append_header(GString *out, RowsFile file, gboolean has_model)
{
    g_autofree Column *columns = list_row_columns(file, has_model);

    columns_append_header(out, columns);
}

/* ---- writing the rows of a file ------------------------------------------ */

typedef struct {
    GString *out;
    const char *axes; /* cells of the axes; or NULL */
    GArray *table;    /* owned by the caller: of RowsColumn */
    RowsOffsets *marks;
    RowsContext context;
} RowsWriter;

static gboolean is_model_column(const RowsColumn *column)
{
    for (const RowsColumn *rows_column = rows_model_columns; rows_column->name;
         rows_column++)
        if (rows_column->add == column->add)
            return TRUE;
    return FALSE;
}

static void append_row_cell(RowsWriter *writer, const RowsColumn *column)
{
    gsize from = writer->out->len;

    writer->context.resource = column->resource;
    if (writer->context.has_model || !is_model_column(column))
        column->add(writer->out, &writer->context);
    else
        csv_add_empty(writer->out);
    if (column->add == rows_append_busiest_share)
        writer->marks->busiest_from = from;
    if (column->add == rows_append_notes)
        writer->marks->notes_to = writer->out->len;
}

static void append_result_row(RowsWriter *writer)
{
    if (writer->marks->starts)
        g_array_append_val(writer->marks->starts, writer->out->len);
    g_string_append(writer->out, writer->axes ? writer->axes : "");
    for (guint i = 0; i < writer->table->len; i++)
        append_row_cell(writer, &g_array_index(writer->table, RowsColumn, i));
    csv_end_row(writer->out);
}

static void append_layer_rows(RowsWriter *writer)
{
    guint n = system_graph(writer->context.system)->layers->len;

    for (writer->context.layer = 0; writer->context.layer < n;
         writer->context.layer++)
        for (writer->context.pass = 0; writer->context.pass < OP_N_PASSES;
             writer->context.pass++)
            append_result_row(writer);
}

static void append_port_rows(RowsWriter *writer)
{
    const Topology *topology = system_topology(writer->context.system);
    uint32_t n = topology_n_ports(topology);

    for (writer->context.port = 0; writer->context.port < n;
         writer->context.port++)
        if (topology_link_target(topology, writer->context.port) !=
            TOPOLOGY_NONE)
            append_result_row(writer);
}

static void append_job_rows(RowsWriter *writer)
{
    for (guint i = 0; i < system_n_jobs(writer->context.system); i++) {
        writer->context.job = system_job_result(writer->context.system, i);
        append_result_row(writer);
    }
}

/* Appends one row per span.  A span consists of the smallest power of two of
 * buckets that gives at most ROWS_MAX_SPANS spans. */
static void append_utilisation_rows(RowsWriter *writer,
                                    const Utilisation *utilisation)
{
    RowsSpan span = { .buckets = utilisation_buckets(utilisation), .n = 1 };
    SimTime width_ps = time_buckets_width_ps(span.buckets);
    SimTime total_ps = writer->context.r.total_ps;

    writer->context.span = &span;
    while (total_ps > ROWS_MAX_SPANS * (span.n * width_ps))
        span.n *= 2;
    for (; span.from_ps < total_ps; span.from_ps = span.to_ps) {
        span.to_ps = MIN(span.from_ps + span.n * width_ps, total_ps);
        append_result_row(writer);
        span.first += span.n;
    }
    writer->context.span = NULL;
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
                              RowsOffsets *offsets)
{
    RowsWriter w = { .out = out,
                     .axes = axes,
                     .marks = offsets,
                     .context = { .config = config,
                                  .system = system,
                                  .r = system_result(system) } };
    g_autoptr(GArray) table = NULL;
    g_auto(ExpectedError) expected = { 0 };

    if (file == ROWS_RUNS) {
        w.context.has_model =
            model_figures_of_run(config, system, &w.context.model);
        expected = expected_error_of_run(config, system);
        w.context.expected = expected;
    }
    table = make_column_table(file, axes || w.context.has_model);
    w.table = table;
    if (!axes)
        rows_append_header(out, file, w.context.has_model);
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

/* ---- the columns of language models in rows with all columns ------------- */

/* Returns the end of the cell that begins at @p. */
static const char *end_of_cell(const char *p)
{
    gboolean is_quoted = FALSE;

    for (; *p != '\0' && (is_quoted || (*p != ',' && *p != '\n')); p++)
        if (*p == '"')
            is_quoted = !is_quoted;
    return p;
}

static guint count_row_columns(const RowsColumn *columns)
{
    guint n = 0;

    while (columns[n].name)
        n++;
    return n;
}

/* Sets *@ret_from and *@ret_to to the range of the cells of language models,
 * with the comma behind each. */
static void find_model_cells(const char *row, const char **ret_from,
                             const char **ret_to)
{
    guint n_behind = count_row_columns(rows_run_last_columns);
    g_autoptr(GPtrArray) cells = g_ptr_array_new();
    guint first;

    for (const char *p = row;; p++) {
        g_ptr_array_add(cells, (gpointer)p);
        p = end_of_cell(p);
        if (*p != ',')
            break;
    }
    g_assert(cells->len > n_behind + count_row_columns(rows_model_columns));
    first = cells->len - n_behind - count_row_columns(rows_model_columns);
    *ret_from = g_ptr_array_index(cells, first);
    *ret_to = g_ptr_array_index(cells, cells->len - n_behind);
}

gboolean rows_row_has_model_cells(const char *row)
{
    const char *from, *to;

    find_model_cells(row, &from, &to);
    return *from != ',';
}

void rows_append_without_model(GString *out, const char *row)
{
    const char *from, *to;

    find_model_cells(row, &from, &to);
    g_string_append_len(out, row, from - row);
    g_string_append(out, to);
}

/* ---- failures ------------------------------------------------------------ */

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
    g_autoptr(GArray) table = make_column_table(ROWS_RUNS, TRUE);

    g_string_append(out, axes ? axes : "");
    append_identity_cells(out, config);
    for (guint i = N_IDENTITY; i + 1 < table->len; i++)
        csv_add_empty(out);
    csv_add_text(out, g_strstrip(line)); /* the status is the last cell */
    csv_end_row(out);
}
